"""Links from documents to files outside docs. In the repository they lead to the file; the site has a page for each."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator
from pathlib import Path

from website import code_html

DOCS = "docs"
SOURCE = "source"  # the folder of these pages in the site

_FENCE = re.compile(r"^\s*(```+|~~~+)")
_LINK = re.compile(r"(?<!\\)(\]\()([^()\s]+)((?:\s+\"[^\"]*\")?\))")
_CODE = re.compile(r"(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)")
_SCHEME = re.compile(r"^[a-z][a-z0-9+.-]*:|^#|^/", re.IGNORECASE)


def replace_links(markdown: str, replace: Callable[[str], str]) -> str:
    """Replaces the targets of inline links and images, but for those in code."""
    lines = []
    fence = ""
    for line in markdown.split("\n"):
        match = _FENCE.match(line)
        if match and not fence:
            fence = match[1]
        elif match and match[1].startswith(fence) and line.strip() == match[1]:
            fence = ""
        elif not fence:
            line = _replace_in_line(line, replace)
        lines.append(line)
    return "\n".join(lines)


def _replace_in_line(line: str, replace: Callable[[str], str]) -> str:
    """Code may look like a link, and is set aside; the text of a link may be code."""
    aside: list[str] = []

    def put_aside(match: re.Match[str]) -> str:
        aside.append(match[0])
        return f"\0{len(aside) - 1}\0"

    line = _CODE.sub(put_aside, line)
    line = _LINK.sub(lambda match: match[1] + replace(match[2]) + match[3], line)
    return re.sub(r"\0(\d+)\0", lambda match: aside[int(match[1])], line)


def links(markdown: str) -> Iterator[str]:
    found: list[str] = []

    def note(target: str) -> str:
        found.append(target)
        return target

    replace_links(markdown, note)
    yield from found


def repository_path(document: str, target: str) -> str | None:
    """What a relative link in a document leads to, from the root of the repository; None for other links."""
    if _SCHEME.match(target):
        return None
    path = target.partition("#")[0]
    if not path:
        return None
    return posixpath.normpath(posixpath.join(posixpath.dirname(document), path))


def is_outside(path: str) -> bool:
    return path != DOCS and not path.startswith(DOCS + "/")


class SourcePages:
    """The files outside docs that documents lead to, and those that these lead to in turn."""

    def __init__(self, repository: Path) -> None:
        self.repository = repository
        self.pages: dict[str, str] = {}  # path in the repository -> page in the site

    def collect(self, document: str, markdown: str) -> None:
        for target in links(markdown):
            path = repository_path(document, target)
            if path is None or not is_outside(path) or path in self.pages or path.startswith(".."):
                continue
            where = self.repository / path
            if not where.exists():
                continue  # MkDocs reports it
            if where.is_dir() and (where / "README.md").exists():
                readme = f"{path}/README.md"
                self.pages[path] = self._page(readme)
                path, where = readme, where / "README.md"
                if path in self.pages:
                    continue
            self.pages[path] = self._page(path)
            if path.endswith(".md"):
                self.collect(path, where.read_text(encoding="utf-8"))

    @staticmethod
    def _page(path: str) -> str:
        return f"{SOURCE}/{path}" if path.endswith(".md") else f"{SOURCE}/{path.replace('.', '-')}.md"

    def rewrite(self, document: str, page: str, markdown: str) -> str:
        """The text of a page, with links that work in the site. `document` is its path in the repository."""

        def replace(target: str) -> str:
            path = repository_path(document, target)
            if path is None:
                return target
            anchor = target.partition("#")[2]
            if path in self.pages:
                goal, anchor = self.pages[path], self._line_anchor(anchor)
            elif not is_outside(path) and document != f"{DOCS}/{page}":
                goal = path.removeprefix(DOCS).lstrip("/") or "README.md"
            else:
                return target
            relative = posixpath.relpath(goal, posixpath.dirname(page) or ".")
            return relative + (f"#{anchor}" if anchor else "")

        return replace_links(markdown, replace)

    @staticmethod
    def _line_anchor(anchor: str) -> str:
        """#L12-L20, as code hosts write it, is #L12 here."""
        return re.sub(r"^(L\d+)-L\d+$", r"\1", anchor)

    def markdown(self, path: str) -> str:
        """The text of the page for a file or folder."""
        where = self.repository / path
        if where.is_dir():
            names = sorted(child.name + ("/" if child.is_dir() else "") for child in where.iterdir())
            shown = [name for name in names if not name.startswith((".", "__"))]
            listing = "\n".join(f"- `{name}`" for name in shown)
            return f"---\nhide: [toc]\n---\n\n# {path}\n\n{listing}\n"
        text = where.read_text(encoding="utf-8")
        return text if path.endswith(".md") else f"---\nhide: [toc]\n---\n\n# {path}\n\n{_listing(where, text)}\n"


def _listing(path: Path, text: str) -> str:
    """The lines of a file, each with the anchor that code hosts give it."""
    name = "script.sh" if text.startswith("#!") and not path.suffix else path.name
    lines = code_html.coloured_lines(text, name)
    spans = (f'<span id="L{number}">{line.html()}</span>' for number, line in enumerate(lines, start=1))
    return f'<div class="source highlight" data-search-exclude>{"".join(spans)}</div>'
