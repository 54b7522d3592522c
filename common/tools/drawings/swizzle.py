"""Where the chunks of a tile's rows lie in chapter 1 and in chapter 2."""

from __future__ import annotations

from drawings import sources
from drawings.svg import Drawing
from drawings.words import Translate

HEAD_DIM = 128
ROWS = 8  # of an 8x8 matrix
CHUNK = 8  # elements in 16 bytes
LINE = 128  # bytes in all banks once
MARKED = 2  # the column of chunks that is followed

CELL = 38.0
HEIGHT = 26.0


def draw(t: Translate) -> Drawing:
    drawing = Drawing(
        760,
        352,
        t("Where the 16-byte chunks of eight rows lie, without and with the swizzle"),
        t(
            "Two grids of eight rows and eight places of 16 bytes, that is four banks each. In chapter 1 chunk c of "
            "every row lies in place c, so that one column of eight rows lies in four banks. In chapter 2 it lies in "
            "place c xor row mod 8, and the column is spread over all 32 banks."
        ),
    )
    for chapter, x in ((1, 60.0), (2, 426.0)):
        _grid(drawing, chapter, x, 92.0, t)
    remark = t(
        "The first 128 bytes of eight rows of a tile; in the cells, the chunk of 8 elements that lies there. ldmatrix\n"
        "reads one column of eight rows at once, such as chunk {chunk}.",
        chunk=MARKED,
    )
    drawing.lines(60, 326, remark.split("\n"), "small ink-soft", 16)
    return drawing


def place(chapter: int, row: int, chunk: int) -> tuple[int, int]:
    """The line of 128 bytes and the place in it where a chunk of a row lies."""
    offset = sources.tile_offset(chapter, row, chunk * CHUNK, HEAD_DIM)
    return offset // LINE, offset % LINE // 16


def _grid(drawing: Drawing, chapter: int, x: float, y: float, t: Translate) -> None:
    drawing.text(x, 24, t("Chapter {chapter}", chapter=chapter), "head")
    rules = {1: t("chunk c lies in place c"), 2: t("chunk c of row r lies in place c ^ (r % 8)")}
    drawing.text(x, 44, rules[chapter], "ink-soft")
    lines_a_row = HEAD_DIM * 2 // LINE
    for column in range(8):
        banks = f"{column * 4}-{column * 4 + 3}"
        drawing.text(x + (column + 0.5) * CELL, y - 8, banks, "tiny mono mid ink-soft")
    drawing.text(x + 4 * CELL, y - 24, t("bank"), "small mid ink-soft")
    for row in range(ROWS):
        drawing.text(x - 8, y + (row + 0.5) * HEIGHT + 4, str(row), "tiny mono end ink-soft")
        for chunk in range(8):
            line, column = place(chapter, row, chunk)
            assert line == row * lines_a_row
            cell_x, cell_y = x + column * CELL, y + row * HEIGHT
            if chunk == MARKED:
                drawing.rect(cell_x, cell_y, CELL, HEIGHT, "half-k")
            weight = " bold" if chunk == MARKED else ""
            drawing.text(cell_x + CELL / 2, cell_y + HEIGHT / 2 + 4, str(chunk), "small mono mid" + weight)
    drawing.text(x - 8, y - 8, t("row"), "tiny end ink-soft")
    with drawing.group("edge-line thin"):
        for row in range(1, ROWS):
            drawing.line(x, y + row * HEIGHT, x + 8 * CELL, y + row * HEIGHT, "")
        for column in range(1, 8):
            drawing.line(x + column * CELL, y, x + column * CELL, y + ROWS * HEIGHT, "")
    drawing.rect(x, y, 8 * CELL, ROWS * HEIGHT, "edge-soft none")
