"""Side-by-side differences of neighbouring chapters, as pages of the site."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from website.code_html import Line, Span, coloured_lines

CONTEXT = 4  # unchanged lines that stay around a change
LEAST_LIKENESS = 0.6  # of lines that stand side by side

_WORD = re.compile(r"\w+|\s+|[^\w\s]")

TEXT = {
    "en": {
        "title": "Chapter {before} → chapter {after}, side by side",
        "short": "Chapter {before} → {after}",
        "all": "All steps",
        "index": "Side by side",
        "about": "What each step changes, and nothing else: the files of two neighbouring chapters, "
        "taken from the source when this site was built.",
        "same": "The same to the byte: {files}.",
        "unchanged": "{count} unchanged lines",
        "counts": "{removed} lines out, {added} lines in",
        "step": "Step",
        "files": "Files that change",
        "lines": "Lines",
        "shell": "In a terminal:",
        "read": "The step is explained in [chapter {after}]({link}).",
    },
    "zh": {
        "title": "第 {before} 章 → 第 {after} 章：逐行对照",
        "short": "第 {before} → {after} 章",
        "all": "全部步骤",
        "index": "逐行对照",
        "about": "每一步改了什么、只改了什么：相邻两章的文件对照，建站时直接取自源码。",
        "same": "以下文件逐字节相同：{files}。",
        "unchanged": "{count} 行未改",
        "counts": "删 {removed} 行，增 {added} 行",
        "step": "步骤",
        "files": "改动的文件",
        "lines": "行数",
        "shell": "在终端里查看：",
        "read": "这一步的讲解见[第 {after} 章]({link})。",
    },
}


@dataclass(frozen=True)
class Row:
    """A line of either side, or one of both. Numbers count from 1; None where there is no line."""

    before: int | None
    after: int | None
    changed: bool
    before_marks: tuple[Span, ...] = ()
    after_marks: tuple[Span, ...] = ()


def word_marks(before: str, after: str) -> tuple[tuple[Span, ...], tuple[Span, ...]]:
    """The parts of two lines that differ, in whole words."""
    words_before, words_after = _WORD.findall(before), _WORD.findall(after)
    matcher = difflib.SequenceMatcher(None, words_before, words_after, autojunk=False)

    def span(words: Sequence[str], begin: int, end: int) -> Span:
        first = len("".join(words[:begin]))
        return first, first + len("".join(words[begin:end]))

    old, new = [], []
    for operation, begin1, end1, begin2, end2 in matcher.get_opcodes():
        if operation == "equal":
            continue
        if end1 > begin1:
            old.append(span(words_before, begin1, end1))
        if end2 > begin2:
            new.append(span(words_after, begin2, end2))
    return tuple(old), tuple(new)


def _likeness(before: str, after: str) -> float:
    if not before.strip() or not after.strip():
        return 0.0
    words = (_WORD.findall(_code(before)), _WORD.findall(_code(after)))
    return difflib.SequenceMatcher(None, *words, autojunk=False).ratio()


def _code(line: str) -> str:
    """Without the remark behind it; of a line that is nothing else, the remark."""
    return line.partition("//")[0].strip() or line.strip()


def _pairs(before: Sequence[str], after: Sequence[str]) -> list[tuple[int | None, int | None]]:
    """Lines of a changed region that stand side by side: the alignment with the greatest likeness in all."""
    rows, columns = len(before), len(after)
    score = [[0.0] * (columns + 1) for _ in range(rows + 1)]
    for row in range(rows - 1, -1, -1):
        for column in range(columns - 1, -1, -1):
            like = _likeness(before[row], after[column])
            together = like + score[row + 1][column + 1] if like >= LEAST_LIKENESS else -1.0
            score[row][column] = max(together, score[row + 1][column], score[row][column + 1])
    pairs: list[tuple[int | None, int | None]] = []
    row = column = 0
    while row < rows or column < columns:
        if row < rows and column < columns:
            like = _likeness(before[row], after[column])
            if like >= LEAST_LIKENESS and score[row][column] == like + score[row + 1][column + 1]:
                pairs.append((row, column))
                row, column = row + 1, column + 1
                continue
        if row < rows and (column == columns or score[row][column] == score[row + 1][column]):
            pairs.append((row, None))
            row += 1
        else:
            pairs.append((None, column))
            column += 1
    return pairs


def rows(before: Sequence[str], after: Sequence[str]) -> Iterator[Row]:
    """The two versions of a file, side by side."""
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    for operation, begin1, end1, begin2, end2 in matcher.get_opcodes():
        if operation == "equal":
            for offset in range(end1 - begin1):
                yield Row(begin1 + offset + 1, begin2 + offset + 1, False)
            continue
        for old, new in _pairs(before[begin1:end1], after[begin2:end2]):
            marks: tuple[tuple[Span, ...], tuple[Span, ...]] = ((), ())
            if old is not None and new is not None:
                marks = word_marks(before[begin1 + old], after[begin2 + new])
            yield Row(
                None if old is None else begin1 + old + 1,
                None if new is None else begin2 + new + 1,
                True,
                *marks,
            )


def _runs(all_rows: list[Row]) -> Iterator[tuple[bool, list[Row]]]:
    """(hidden, rows): what is far from any change is hidden."""
    near = [False] * len(all_rows)
    for index, row in enumerate(all_rows):
        if row.changed:
            for other in range(max(0, index - CONTEXT), min(len(all_rows), index + CONTEXT + 1)):
                near[other] = True
    begin = 0
    while begin < len(all_rows):
        end = begin
        while end < len(all_rows) and near[end] == near[begin]:
            end += 1
        yield not near[begin] and end - begin > 2, all_rows[begin:end]
        begin = end


def _cell(side: str, number: int | None, lines: Sequence[Line], marks: Sequence[Span], tag: str) -> str:
    if number is None:
        return f'<div class="diff-number {side}"></div><div class="diff-code {side} diff-none"></div>'
    code = lines[number - 1].html(marks, tag)
    return f'<div class="diff-number {side}">{number}</div><div class="diff-code {side}">{code}</div>'


def _row_html(row: Row, before: Sequence[Line], after: Sequence[Line]) -> str:
    kind = "diff-row diff-changed" if row.changed else "diff-row"
    old = _cell("diff-old", row.before, before, row.before_marks, "del")
    new = _cell("diff-new", row.after, after, row.after_marks, "ins")
    return f'<div class="{kind}">{old}{new}</div>'


def file_html(before: str, after: str, filename: str, language: str) -> str:
    """The differences of one file. No blank lines, so that Markdown leaves it alone."""
    lines_before, lines_after = coloured_lines(before, filename), coloured_lines(after, filename)
    parts = ['<div class="diff highlight" data-search-exclude>']
    for hidden, run in _runs(list(rows(before.splitlines(), after.splitlines()))):
        html = "".join(_row_html(row, lines_before, lines_after) for row in run)
        if hidden:
            summary = TEXT[language]["unchanged"].format(count=len(run))
            html = f"<details><summary>{summary}</summary>{html}</details>"
        parts.append(html)
    return "".join(parts) + "</div>"


@dataclass(frozen=True)
class Change:
    name: str
    before: str
    after: str

    @property
    def removed(self) -> int:
        return self._count("-")

    @property
    def added(self) -> int:
        return self._count("+")

    def _count(self, sign: str) -> int:
        lines = list(difflib.unified_diff(self.before.splitlines(), self.after.splitlines(), n=0, lineterm=""))
        return sum(line.startswith(sign) for line in lines[2:])


@dataclass(frozen=True)
class Step:
    """From one chapter to the next."""

    before: int
    after: int
    changes: tuple[Change, ...]
    same: tuple[str, ...]

    @property
    def name(self) -> str:
        return f"chapter{self.before}-chapter{self.after}"


# The reading order; others follow by name.
_ORDER = ("config.cuh", "kernel.cuh", "tile.cuh", "matmul.cuh", "softmax.cuh", "chapter.cu")


def steps(repository: Path) -> list[Step]:
    numbers = sorted(int(path.parent.name[7:]) for path in repository.glob("chapter[0-9]*/chapter.cu"))
    return [_step(repository, before, after) for before, after in pairwise(numbers)]


def _step(repository: Path, before: int, after: int) -> Step:
    def texts(chapter: int) -> dict[str, str]:
        paths = (repository / f"chapter{chapter}").glob("*.cu*")
        return {path.name: path.read_text(encoding="utf-8") for path in paths}

    old, new = texts(before), texts(after)
    names = [name for name in _ORDER if name in old or name in new]
    names += sorted((old.keys() | new.keys()) - set(names))
    changed = tuple(
        Change(name, old.get(name, ""), new.get(name, "")) for name in names if old.get(name) != new.get(name)
    )
    return Step(before, after, changed, tuple(name for name in names if old.get(name) == new.get(name)))


def step_page(step: Step, language: str, chapter_link: str | None) -> str:
    """Markdown of the page of one step."""
    text = TEXT[language]
    parts = [
        f"---\ntitle: {text['short'].format(before=step.before, after=step.after)}\nhide: [navigation, toc]\n---\n",
        f"# {text['title'].format(before=step.before, after=step.after)}\n",
    ]
    if chapter_link:
        parts.append(text["read"].format(after=step.after, link=chapter_link) + "\n")
    shell = f"git diff --no-index chapter{step.before} chapter{step.after}"
    parts.append(f"{text['shell']} `{shell}`\n")
    for change in step.changes:
        counts = text["counts"].format(removed=change.removed, added=change.added)
        parts.append(f"## {change.name}\n\n{counts}\n")
        parts.append(file_html(change.before, change.after, change.name, language) + "\n")
    if step.same:
        files = ", ".join(f"`{name}`" for name in step.same)
        parts.append(text["same"].format(files=files) + "\n")
    return "\n".join(parts)


def index_page(all_steps: Sequence[Step], language: str) -> str:
    """Markdown of the page that lists the steps."""
    text = TEXT[language]
    lines = [f"---\ntitle: {text['all']}\n---\n", f"# {text['index']}\n", text["about"] + "\n"]
    lines.append(f"| {text['step']} | {text['files']} | {text['lines']} |\n|---|---|---|")
    for step in all_steps:
        files = ", ".join(f"`{change.name}`" for change in step.changes)
        removed = sum(change.removed for change in step.changes)
        added = sum(change.added for change in step.changes)
        counts = text["counts"].format(removed=removed, added=added)
        lines.append(f"| [{step.before} → {step.after}]({step.name}.md) | {files} | {counts} |")
    return "\n".join(lines) + "\n"
