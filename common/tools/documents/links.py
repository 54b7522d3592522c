"""Links and figures: does what they point at exist?"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote

from documents.pages import Page

_LINK = re.compile(r"\]\(\s*<?([^()\s>]*(?:\([^()\s]*\)[^()\s>]*)*)>?(?:\s+[\"'][^)]*)?\)")
_DEFINITION = re.compile(r"^\s{0,3}\[[^\]]+\]:\s+(\S+)")
_ATTRIBUTE = re.compile(r"<(?:img|source|a)\b[^>]*?\b(?:src|srcset|href)=\"([^\"]+)\"")
_IDENTIFIER = re.compile(r"<\w+\b[^>]*?\b(?:id|name)=\"([^\"]+)\"")
_HEADING = re.compile(r"^#{1,6}\s+(.*?)\s*#*\s*$")
_CODE = re.compile(r"(`+)(.+?)\1")
_LINE = re.compile(r"L(\d+)(?:-L(\d+))?")


def slug(heading: str) -> str:
    """The anchor that GitHub gives to a heading."""
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", heading)
    text = re.sub(r"<[^>]+>", "", text)
    text = re.sub(r"[*`]", "", text).strip().lower()
    return re.sub(r"[^\w\- ]", "", text).replace(" ", "-")


def anchors(page: Page) -> set[str]:
    found: dict[str, int] = {}
    names: set[str] = set()
    for _, line in page.prose():
        names.update(_IDENTIFIER.findall(line))
        heading = _HEADING.match(line)
        if heading:
            name = slug(heading[1])
            count = found.get(name, 0)
            found[name] = count + 1
            names.add(f"{name}-{count}" if count else name)
    return names


def targets(page: Page) -> Iterator[tuple[int, str]]:
    """What the page links to and shows, with the index of the line."""
    for index, line in page.prose():
        plain = _CODE.sub("", line)
        for pattern in (_LINK, _DEFINITION, _ATTRIBUTE):
            for target in pattern.findall(plain):
                yield index, target


def check(page: Page) -> Iterator[str]:
    """A sentence for each target that is not there."""
    for index, target in targets(page):
        place = page.place(index)
        if re.match(r"[a-z][a-z0-9+.-]*:", target):
            continue
        name, _, anchor = target.partition("#")
        path = (page.path.parent / unquote(name)).resolve() if name else page.path
        if not path.is_relative_to(page.root.resolve()):
            yield f"{place}: {target} leaves the repository"
        elif not path.exists():
            kind = "figure" if path.suffix in (".svg", ".png") else "file"
            yield f"{place}: there is no {kind} {name}"
        elif anchor and not _has(path, unquote(anchor), page.root):
            yield f"{place}: {name or page.name} has nothing called #{anchor}"


def _has(path: Path, anchor: str, root: Path) -> bool:
    if path.suffix == ".md":
        return anchor in anchors(Page(path, root=root))
    lines = _LINE.fullmatch(anchor)
    if lines is None or not path.is_file():
        return False
    count = path.read_text(encoding="utf-8").count("\n")
    return int(lines[1]) <= count and int(lines[2] or 1) <= count
