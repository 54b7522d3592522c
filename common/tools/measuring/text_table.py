"""Aligned columns for a terminal."""

from __future__ import annotations

from collections.abc import Sequence


def text_table(header: Sequence[str], rows: Sequence[Sequence[str]], left: int = 1) -> str:
    """The first `left` columns are aligned to the left, the others to the right. A heading may have several lines."""
    height = max(heading.count("\n") for heading in header) + 1
    headings = [([""] * height + heading.split("\n"))[-height:] for heading in header]
    lines = [[column[line] for column in headings] for line in range(height)]
    widths = [max(len(row[i]) for row in [*lines, *rows]) for i in range(len(header))]
    lines.append(["-" * width for width in widths])

    def render(cells: Sequence[str]) -> str:
        padded = [
            cell.ljust(width) if i < left else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(cells, widths, strict=True))
        ]
        return "  ".join(padded).rstrip()

    return "\n".join(render(row) for row in [*lines, *rows]) + "\n"
