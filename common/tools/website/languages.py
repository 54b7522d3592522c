"""Two languages in one site: docs/zh/X.md is docs/X.md in Chinese."""

from __future__ import annotations

import re
from collections.abc import Iterable
from fnmatch import fnmatch
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import Files
from mkdocs.structure.nav import Navigation, Section
from mkdocs.structure.pages import Page

NAMES = {"en": "English", "zh": "中文"}

SITE_NAME = {
    "en": "FlashAttention-2, one optimisation a chapter",
    "zh": "FlashAttention-2：一章一个优化",
}

# The sections of the navigation in mkdocs.yml.
SECTIONS = {
    "Groundwork": "基础",
    "Chapters": "章节",
    "Instruments": "工具与测量",
    "Results": "结果",
    "Exercises": "练习",
    "More": "附录",
    "Side by side": "逐行对照",
}


def of(uri: str) -> str:
    """The language of a page, by its place under docs."""
    return "zh" if uri.startswith("zh/") else "en"


def counterpart(uri: str, language: str) -> str:
    """The place of the same page in a language."""
    bare = uri.removeprefix("zh/")
    return f"zh/{bare}" if language == "zh" else bare


def complete(nav: list[Any], files: Files) -> list[Any]:
    """The navigation of the English pages, with patterns such as x/*/README.md filled in, and after it the same of
    those that there are in Chinese."""
    english = _filled_in(nav, sorted(file.src_uri for file in files.documentation_pages()))
    chinese = _translated(english, files)
    return [*english, {NAMES["zh"]: chinese}] if chinese else english


def _filled_in(items: Iterable[Any], pages: list[str]) -> list[Any]:
    result: list[Any] = []
    for item in items:
        if isinstance(item, dict):
            result.append({title: _filled_in(children, pages) for title, children in item.items()})
        elif "*" in item:
            result.extend(page for page in pages if fnmatch(page, item))
        else:
            result.append(item)
    return result


def _translated(items: Iterable[Any], files: Files) -> list[Any]:
    result: list[Any] = []
    for item in items:
        if isinstance(item, dict):
            for title, children in item.items():
                chinese = _translated(children, files)
                if chinese:
                    result.append({SECTIONS[title]: chinese})
        elif files.get_file_from_path(counterpart(item, "zh")):
            result.append(counterpart(item, "zh"))  # its title is its first heading
    return result


class LanguageNavigation:
    """The parts of the navigation that belong to one language."""

    def __init__(self, nav: Navigation) -> None:
        chinese = [item for item in nav.items if isinstance(item, Section) and item.title == NAMES["zh"]]
        self._parts = {
            "en": self._part(nav, [item for item in nav.items if item not in chinese], "en"),
            "zh": self._part(nav, [child for section in chinese for child in section.children], "zh"),
        }
        for child in self._parts["zh"].items:
            child.parent = None
        for part in self._parts.values():
            self._chain(part.pages)

    @staticmethod
    def _part(nav: Navigation, items: list[Any], language: str) -> Navigation:
        pages = [page for page in nav.pages if of(page.file.src_uri) == language]
        part = Navigation(items, pages)
        part.homepage = pages[0] if pages else nav.homepage
        return part

    @staticmethod
    def _chain(pages: list[Page]) -> None:
        """The last English page is not followed by the first Chinese one."""
        for before, after in zip([None, *pages], [*pages, None], strict=True):
            if before is not None:
                before.next_page = after
            if after is not None:
                after.previous_page = before

    def of(self, language: str) -> Navigation:
        return self._parts[language]


def alternates(page: Page, files: Files, config: MkDocsConfig) -> list[dict[str, str]]:
    """The links of the language menu: the same page, or the first one where it is not translated."""
    links = []
    for language, name in NAMES.items():
        file = files.get_file_from_path(counterpart(page.file.src_uri, language))
        home = files.get_file_from_path(counterpart("README.md", language))
        target = file if file is not None else home
        if target is not None:
            links.append({"name": name, "link": target.url, "lang": language})
    return links


_HAN = r"[\u2e80-\u9fff\uf900-\ufaff]"
_STOP = r"[，。；：！？、（）「」『』《》【】]"
_CLOSING = r"(?:\*\*|\]\([^)\n]*\))?"
_OPENING = r"(?:\*\*(?! )|\[)?"
# Between two Chinese characters, or beside a full-width stop, no matter which marks of emphasis or links are there.
_BREAKS = (
    re.compile(rf"(?<={_HAN})({_CLOSING})\n *(?={_OPENING}(?:{_HAN}|{_STOP}))"),
    re.compile(rf"(?<={_STOP})({_CLOSING})\n *(?=[\w`$\[]|\*\*)(?!\d+\. )"),
)


def join_chinese_lines(markdown: str) -> str:
    """A line break in the source is a blank in the page, and Chinese has none between its words."""
    parts = re.split(r"(^ *```.*?^ *```\n|^\$\$.*?\$\$\n|^ *[#|][^\n]*\n)", markdown, flags=re.MULTILINE | re.DOTALL)
    return "".join(_joined(part) if index % 2 == 0 else part for index, part in enumerate(parts))


def _joined(text: str) -> str:
    for pattern in _BREAKS:
        text = pattern.sub(r"\1", text)
    return text
