#!/usr/bin/env python3
"""Keeps the Chinese documents in step with the English ones, section by section.

  common/tools/check_languages.py            names each page and section that is out of step
  common/tools/check_languages.py --check    the same
  common/tools/check_languages.py --write    records that every Chinese section says what the English one says now
  common/tools/check_languages.py --write docs/zh/chapter3.md    the sections of one page

docs/zh/X.md is docs/X.md in Chinese, and X.zh.md at the root is X.md. Both have the same headings, and in each section
the same markers, figures, formulas, tables, blocks of code and questions, in the same order. Below each Chinese heading
stands the digest of the English section that it was translated from:

  ## 差异
  <!-- en: 3f2a91c0 -->

The digest leaves out what other programs write (the contents of markers) and where lines are broken. Look at what
changed in English, and bring the Chinese section up to date, before you --write."""

from __future__ import annotations

import argparse
import hashlib
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from documents.pages import ENCLOSING, REPOSITORY, Page, Problem

_HEADING = re.compile(r"(#{1,6})\s+(.*?)\s*#*\s*$")
_DIGEST = re.compile(r"<!-- en: (\w*) -->$")
_FIGURE = re.compile(r"!\[[^\]]*\]\(([^)\s]+)")
_TRANSLATED = ("", "text")  # languages of blocks that are words and not code


@dataclass(frozen=True)
class Section:
    """A heading, and what follows it up to the next one. What is before the first heading has level 0."""

    title: str
    level: int
    line: int  # of the heading, from 0
    parts: tuple[str, ...]  # what both languages have in common
    digest: str  # of the text
    recorded: str | None  # the digest of the English section, in a Chinese one


def sections(page: Page) -> list[Section]:
    starts = [(index, match) for index, line in page.prose() if (match := _HEADING.match(line))]
    found = [_section(page, "", 0, 0, starts[0][0] if starts else len(page.lines))]
    ends = [index for index, _ in starts[1:]] + [len(page.lines)]
    for (index, match), end in zip(starts, ends, strict=True):
        found.append(_section(page, match[2], len(match[1]), index, end))
    return found


def _section(page: Page, title: str, level: int, begin: int, end: int) -> Section:
    markers = {marker.line - 1: marker for marker in page.markers}
    fences = {fence.begin: fence for fence in page.fences}
    parts: list[str] = []
    words: list[str] = []
    recorded: str | None = None
    index = begin
    while index < end:
        line, start = page.lines[index], index
        index += 1
        if start in markers:
            marker = markers[start]
            arguments = " ".join(marker.arguments.replace("lang=zh", "").split())
            parts.append(f"{marker.name} {arguments}")
            words.append(parts[-1])
            index = marker.end + (marker.name in ENCLOSING)
        elif start in fences:
            fence = fences[start]
            block = page.lines[fence.begin : fence.end]
            translated = fence.language in _TRANSLATED
            parts.append(f"a block of {fence.language or 'text'}" if translated else "\n".join(block))
            words += block
            index = fence.end
        elif line.strip() == "$$":
            index = page.lines.index(line, index, end) + 1
            parts.append("\n".join(page.lines[start:index]))
            words.append(parts[-1])
        elif line.startswith("|"):
            while index < end and page.lines[index].startswith("|"):
                index += 1
            parts.append(f"a table of {index - start - 1} rows and {page.lines[start + 1].count('|') - 1} columns")
            words += page.lines[start:index]
        elif match := _DIGEST.match(line):
            recorded = match[1]
        else:
            parts += [f"the figure {_bare(name)}" for name in _FIGURE.findall(line)]
            parts += ["a question"] * line.count("<details")
            parts += [line] * line.startswith("<!-- ")
            words.append(line.removeprefix(">"))
    text = " ".join(" ".join(words).split())
    return Section(title, level, begin, tuple(parts), hashlib.sha256(text.encode()).hexdigest()[:8], recorded)


def _bare(figure: str) -> str:
    """The figure's name without its directory and language."""
    return figure.split("/")[-1].replace(".zh.", ".")


# Pairs of pages -----------------------------------------------------------------------------------------------------


def counterpart(root: Path, english: Path) -> Path:
    """Where the page is in Chinese."""
    docs = root / "docs"
    if english.is_relative_to(docs):
        return docs / "zh" / english.relative_to(docs)
    return english.with_suffix(".zh.md")


def pairs(root: Path) -> Iterator[tuple[Path, Path]]:
    """English pages that must be there in Chinese, and Chinese ones that must be there in English."""
    docs = root / "docs"
    english = {root / "README.md"} | {path for path in docs.rglob("*.md") if not path.is_relative_to(docs / "zh")}
    english |= {docs / path.relative_to(docs / "zh") for path in (docs / "zh").rglob("*.md")}
    english |= {path.with_name(path.name.replace(".zh.md", ".md")) for path in root.glob("*.zh.md")}
    for path in sorted(english):
        if not is_written_by_a_program(path):
            yield path, counterpart(root, path)


def is_written_by_a_program(page: Path) -> bool:
    """A whole page of results, such as docs/mutations.md. It has one language, as what programs print has."""
    return page.exists() and page.read_text(encoding="utf-8").startswith("<!-- Written by ")


def compare(english: Page, chinese: Page) -> Iterator[str]:
    """A sentence for each section that is out of step. After the first heading that differs no more is compared."""
    ours, theirs = sections(english), sections(chinese)
    for index in range(max(len(ours), len(theirs))):
        if index >= len(theirs):
            yield f"{chinese.name}: there is no section for '{ours[index].title}' of {english.name}"
            return
        there = theirs[index]
        place = f"{chinese.place(there.line)}: '{there.title}'" if there.level else f"{chinese.name}: the beginning"
        if index >= len(ours):
            yield f"{place} has no section in {english.name}"
            return
        here = ours[index]
        if here.level != there.level:
            yield f"{place} is of level {there.level}, and '{here.title}' of {english.name} of level {here.level}"
            return
        yield from _compare_parts(here, there, f"{place} should have, as '{here.title}' of {english.name} has,")
        if here.level and here.digest != there.recorded:
            what = "has changed since this was translated" if there.recorded else "is not recorded as translated here"
            yield (
                f"{place}: '{here.title}' of {english.name} {what}: bring this up to date, then run "
                f"common/tools/check_languages.py --write {chinese.name}"
            )


def _compare_parts(here: Section, there: Section, begin: str) -> Iterator[str]:
    for index in range(max(len(here.parts), len(there.parts))):
        wanted = here.parts[index] if index < len(here.parts) else "nothing more"
        found = there.parts[index] if index < len(there.parts) else "nothing more"
        if wanted != found:
            yield f"{begin}\n    {_line(wanted)}\n  and not\n    {_line(found)}"
            return


def _line(part: str) -> str:
    return part.replace("\n", "\n    ")


def recorded(english: Page, chinese: Page) -> str:
    """The Chinese page with the digests of the English sections as they are now, as far as the headings agree."""
    lines = list(chinese.lines)
    for here, there in reversed(list(zip(sections(english), sections(chinese), strict=False))):
        if not there.level or here.level != there.level:
            continue
        digest = f"<!-- en: {here.digest} -->"
        if there.line + 1 < len(lines) and _DIGEST.match(lines[there.line + 1]):
            lines[there.line + 1] = digest
        else:
            lines.insert(there.line + 1, digest)
    return "\n".join(lines)


def check(root: Path, write: bool = False, pages: Sequence[Path] = ()) -> list[str]:
    """What is out of step in the pages, or in all, after recording the digests with `write`."""
    complaints: list[str] = []
    for english_path, chinese_path in pairs(root):
        if pages and english_path not in pages and chinese_path not in pages:
            continue
        missing = [path for path in (english_path, chinese_path) if not path.exists()]
        if missing:
            other = chinese_path if missing[0] == english_path else english_path
            complaints += [f"{missing[0].relative_to(root)} is missing: there is {other.relative_to(root)}"]
            continue
        try:
            english, chinese = Page(english_path, root=root), Page(chinese_path, root=root)
            if write:
                text = recorded(english, chinese)
                if text != "\n".join(chinese.lines):
                    chinese_path.write_text(text, encoding="utf-8")
                    print(f"wrote {chinese.name}")
                chinese = Page(chinese_path, root=root)
            complaints += compare(english, chinese)
        except Problem as problem:
            complaints.append(str(problem))
    return complaints


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    group = parser.add_mutually_exclusive_group()
    group.add_argument("--check", action="store_true", help="change nothing; this is what it does anyway")
    group.add_argument("--write", action="store_true", help="record the English sections as they are now")
    parser.add_argument("pages", nargs="*", type=Path, help="Markdown files of either language [all]")
    options = parser.parse_args(arguments)
    complaints = check(REPOSITORY, options.write, [path.resolve() for path in options.pages])
    for complaint in complaints:
        print(complaint, file=sys.stderr)
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
