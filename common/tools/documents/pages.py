"""A Markdown page: its lines, its fenced blocks, and the markers that say what a block has to hold."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[3]

# Markers whose content is the fenced block that follows, and those whose content ends at `<!-- end NAME -->`.
FENCED = ("code", "diff", "output", "sketch")
ENCLOSING = ("experiment", "table")

_MARKER = re.compile(rf"<!-- (end )?({'|'.join(FENCED + ENCLOSING)})\b(.*)$")
_FENCE = re.compile(r"^( *)(`{3,}|~{3,})\s*([\w+-]*)")


class Problem(Exception):
    """What is wrong in one place of one page."""

    def __init__(self, place: str, sentence: str) -> None:
        super().__init__(f"{place}: {sentence}")


@dataclass(frozen=True)
class Marker:
    """`begin` and `end` delimit the content: lines of the page, the fences of a fenced block among them."""

    name: str
    arguments: str
    line: int  # of the marker, from 1
    begin: int
    end: int


@dataclass(frozen=True)
class Fence:
    """A fenced block: lines[begin] opens it, lines[end - 1] closes it."""

    language: str
    begin: int
    end: int


class Page:
    """`path` is where the page lies; `text` stands for what is in the file."""

    def __init__(self, path: Path, text: str | None = None, root: Path = REPOSITORY) -> None:
        self.path = path
        self.root = root
        self.lines = (path.read_text(encoding="utf-8") if text is None else text).split("\n")

    @property
    def name(self) -> str:
        return self.path.relative_to(self.root).as_posix()

    def place(self, index: int) -> str:
        """Names a line for a message; `index` counts from 0."""
        return f"{self.name}:{index + 1}"

    @cached_property
    def fences(self) -> list[Fence]:
        fences = []
        index = 0
        while index < len(self.lines):
            opening = _FENCE.match(self.lines[index])
            if opening is None:
                index += 1
                continue
            end = index + 1
            while end < len(self.lines) and not self.lines[end].strip().startswith(opening[2]):
                end += 1
            if end == len(self.lines):
                raise Problem(self.place(index), "this fenced block is not closed")
            fences.append(Fence(opening[3], index, end + 1))
            index = end + 1
        return fences

    def prose(self) -> Iterator[tuple[int, str]]:
        """The lines outside fenced blocks, with their indices."""
        index = 0
        for fence in [*self.fences, Fence("", len(self.lines), len(self.lines))]:
            for line in range(index, fence.begin):
                yield line, self.lines[line]
            index = fence.end

    @cached_property
    def markers(self) -> list[Marker]:
        """In the order of the page."""
        markers = []
        prose = dict(self.prose())
        fences = {fence.begin: fence for fence in self.fences}
        open_ends: list[int] = []
        for index, line in prose.items():
            found = _MARKER.match(line)
            if found is None:
                continue
            if found[1]:
                if index not in open_ends:
                    raise Problem(self.place(index), f"nothing opens this `end {found[2]}`")
                continue
            arguments, after = self._arguments(index, found[3])
            if found[2] in FENCED:
                if after not in fences:
                    raise Problem(self.place(index), f"no fenced block follows this `{found[2]}` marker")
                end = fences[after].end
            else:
                end = self._closing(found[2], after)
                open_ends.append(end)
            markers.append(Marker(found[2], arguments, index + 1, after, end))
        return markers

    def _arguments(self, index: int, rest: str) -> tuple[str, int]:
        """What the marker says, over as many lines as it takes, and the index of the line after it."""
        lines = [rest]
        while "-->" not in lines[-1]:
            index += 1
            if index == len(self.lines):
                raise Problem(self.name, "a marker is not closed by -->")
            lines.append(self.lines[index])
        lines[-1] = lines[-1].split("-->")[0]
        return "\n".join(lines).strip(), index + 1

    def _closing(self, name: str, begin: int) -> int:
        for index in range(begin, len(self.lines)):
            if self.lines[index].startswith(f"<!-- end {name}"):
                return index
        raise Problem(self.place(begin - 1), f"no `<!-- end {name} -->` follows this marker")

    def content(self, marker: Marker) -> list[str]:
        return self.lines[marker.begin : marker.end]

    def with_contents(self, contents: dict[Marker, list[str]]) -> str:
        """The page's text with other contents for some markers."""
        lines = list(self.lines)
        for marker in sorted(contents, key=lambda marker: marker.begin, reverse=True):
            lines[marker.begin : marker.end] = contents[marker]
        return "\n".join(lines)


def fenced(language: str, lines: list[str]) -> list[str]:
    return [f"```{language}", *lines, "```"]
