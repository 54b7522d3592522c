"""Source lines as HTML: coloured as Pygments does it, with marks over the parts that another version does not have."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from itertools import groupby

from pygments.lexers import get_lexer_for_filename
from pygments.token import STANDARD_TYPES
from pygments.util import ClassNotFound

Span = tuple[int, int]  # characters of a line


@dataclass(frozen=True)
class Line:
    text: str
    classes: tuple[str, ...]  # of each character

    def html(self, marks: Sequence[Span] = (), tag: str = "mark") -> str:
        marked = [False] * len(self.text)
        for begin, end in marks:
            marked[begin:end] = [True] * (end - begin)
        parts = []
        for is_marked, group in groupby(range(len(self.text)), key=lambda index: marked[index]):
            html = self._plain(list(group))
            parts.append(f"<{tag}>{html}</{tag}>" if is_marked else html)
        return "".join(parts)

    def _plain(self, characters: list[int]) -> str:
        parts = []
        for name, group in groupby(characters, key=lambda index: self.classes[index]):
            text = escape("".join(self.text[index] for index in group), quote=False)
            parts.append(f'<span class="{name}">{text}</span>' if name else text)
        return "".join(parts)


def _class_of(token: object) -> str:
    while token not in STANDARD_TYPES:
        token = token.parent  # type: ignore[attr-defined]
    return STANDARD_TYPES[token]  # type: ignore[index]


def coloured_lines(text: str, filename: str) -> list[Line]:
    """The lines of a file. What a lexer does not know is text."""
    try:
        lexer = get_lexer_for_filename(filename, stripnl=False, ensurenl=False)
    except ClassNotFound:
        return [Line(line, ("",) * len(line)) for line in text.splitlines()]
    characters: list[str] = []
    for token, value in lexer.get_tokens(text):
        characters.extend([_class_of(token)] * len(value))
    assert len(characters) == len(text), f"the lexer for {filename} changes the text"
    lines = []
    begin = 0
    for line in text.splitlines(keepends=True):
        bare = line.rstrip("\n")
        lines.append(Line(bare, tuple(characters[begin : begin + len(bare)])))
        begin += len(line)
    return lines
