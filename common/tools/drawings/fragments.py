"""Fragments: which lane holds which element of the operands of mma.m16n8k16, and how ldmatrix brings them there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from drawings import layouts, sources
from drawings.layouts import Element
from drawings.svg import Drawing
from drawings.words import Translate

MARKED_LANE = 5  # followed through all three drawings


@dataclass(frozen=True)
class Fragment:
    """A matrix that a warp holds in registers, a pair of elements in each."""

    rows: int
    columns: int
    registers: tuple[str, ...]
    holds: Callable[[int, int], tuple[Element, Element]]  # of (lane, register)


A = Fragment(16, 16, ("a0", "a1", "a2", "a3"), layouts.a_fragment)
B = Fragment(16, 8, ("b0", "b1"), layouts.b_fragment)
C = Fragment(16, 8, ("upper", "lower"), layouts.c_fragment)


def tile_piece(kind: str) -> Fragment:
    """The 16 x 16 elements in shared memory that one ldmatrix_x4 loads for an operand, and the registers they go to."""

    def holds(lane: int, matrix: int) -> tuple[Element, Element]:
        row, column = sources.operand_start(kind, 8 * matrix)
        pair = layouts.ldmatrix(lane, transposed=kind == "kBTrans")
        (row0, column0), (row1, column1) = pair
        return (row + row0, column + column0), (row + row1, column + column1)

    names = tuple(f"n+{row}: b{k}" if row else f"n: b{k}" for row, k in sources.operand_registers(kind))
    return Fragment(16, 16, names, holds)


class Grid:
    """Draws a fragment: a square an element, the lane's number over each pair."""

    def __init__(
        self,
        drawing: Drawing,
        fragment: Fragment,
        x: float,
        y: float,
        cell: tuple[float, float],
        colour: str,
        first_column: int = 0,
    ) -> None:
        self.drawing = drawing
        self.fragment = fragment
        self.x, self.y = x, y
        self.cell_width, self.cell_height = cell
        self.colour = colour
        self.first_column = first_column  # of this matrix in a larger one, for the tones of its parts
        (row0, column0), (row1, column1) = fragment.holds(0, 0)
        self.pair_rows, self.pair_columns = row1 - row0 + 1, column1 - column0 + 1

    @property
    def right(self) -> float:
        return self.x + self.fragment.columns * self.cell_width

    @property
    def bottom(self) -> float:
        return self.y + self.fragment.rows * self.cell_height

    def place(self, row: float, column: float) -> tuple[float, float]:
        return self.x + column * self.cell_width, self.y + row * self.cell_height

    def draw(self) -> None:
        self._tones()
        self._lines()
        width = self.pair_columns * self.cell_width
        with self.drawing.group("mono mid " + ("small" if width > 18 else "tiny")):
            for register in range(len(self.fragment.registers)):
                for lane in range(sources.WARP_SIZE):
                    (row, column), _ = self.fragment.holds(lane, register)
                    x, y = self.place(row + self.pair_rows / 2, column + self.pair_columns / 2)
                    self.drawing.text(x, y + 4, str(lane), "bold" if lane == MARKED_LANE else "")
        self._numbers()

    def _tones(self) -> None:
        """The 8x8 matrices like the squares of a chess board, and the pairs of the marked lane."""
        for row in range(0, self.fragment.rows, 8):
            for column in range(0, self.fragment.columns, 8):
                if (row + column + self.first_column) // 8 % 2 == 0:
                    self.drawing.rect(*self.place(row, column), 8 * self.cell_width, 8 * self.cell_height, self._tint)
        for register in range(len(self.fragment.registers)):
            (row, column), _ = self.fragment.holds(MARKED_LANE, register)
            width, height = self.pair_columns * self.cell_width, self.pair_rows * self.cell_height
            self.drawing.rect(*self.place(row, column), width, height, f"half-{self.colour}")

    @property
    def _tint(self) -> str:
        return f"tint-{self.colour}"

    def _lines(self) -> None:
        rows, columns = self.fragment.rows, self.fragment.columns
        with self.drawing.group("edge-line thin"):
            for row in range(self.pair_rows, rows, self.pair_rows):
                self.drawing.line(*self.place(row, 0), *self.place(row, columns), "")
            for column in range(self.pair_columns, columns, self.pair_columns):
                self.drawing.line(*self.place(0, column), *self.place(rows, column), "")
        for row in range(0, rows, 8):
            for column in range(0, columns, 8):
                self.frame(row, column, 8, 8, f"edge-{self.colour} round")

    def frame(self, row: float, column: float, rows: float, columns: float, classes: str) -> None:
        left, top = self.place(row, column)
        right, bottom = self.place(row + rows, column + columns)
        self.drawing.path([(left, top), (right, top), (right, bottom), (left, bottom), (left, top)], classes)

    def _numbers(self) -> None:
        with self.drawing.group("tiny mono mid ink-soft"):
            for column in range(self.fragment.columns):
                x, y = self.place(0, column + 0.5)
                self.drawing.text(x, y - 5, str(column))
        with self.drawing.group("tiny mono end ink-soft"):
            for row in range(self.fragment.rows):
                x, y = self.place(row + 0.5, 0)
                self.drawing.text(x - 5, y + 3.5, str(row))

    def name_registers(self, names: tuple[str, ...] = ()) -> None:
        """Above and below the 8x8 matrix that each register holds."""
        for register, name in enumerate(names or self.fragment.registers):
            (row, column), _ = self.fragment.holds(0, register)
            x = self.place(0, column // 8 * 8 + 4)[0]
            y = self.y - 19 if row < 8 else self.bottom + 16
            self.drawing.text(x, y, name, f"bold mono mid ink-{self.colour}")

    def row_addresses(self, kind: str, label: str) -> None:
        """Beside each half: the lanes that pass the address of its rows to ldmatrix."""
        outward = 26
        for lane in range(sources.WARP_SIZE):
            row, column = sources.operand_start(kind, lane)
            y = self.place(row + 0.5, 0)[1]
            if column == 0:
                self.drawing.text(self.x - outward - 16, y + 3.5, str(lane), "tiny mono end")
                self.drawing.path([(self.x - outward - 12, y), (self.x - outward + 6, y)], "edge-soft thin", "soft")
            else:
                self.drawing.text(self.right + 26, y + 3.5, str(lane), "tiny mono")
                self.drawing.path([(self.right + 22, y), (self.right + 4, y)], "edge-soft thin", "soft")
        self.drawing.text(self.x - outward - 10, self.y - 6, label, "tiny ink-soft end")
        self.drawing.text(self.right + 20, self.y - 6, label, "tiny ink-soft")


def _pair_text(fragment: Fragment, register: int, t: Translate) -> str:
    (row0, column0), (row1, column1) = fragment.holds(MARKED_LANE, register)
    if row0 == row1:
        return t("row {row}, columns {first} and {second}", row=row0, first=column0, second=column1)
    return t("rows {first} and {second}, column {column}", first=row0, second=row1, column=column0)


def _register_table(drawing: Drawing, fragment: Fragment, x: float, y: float, colour: str, t: Translate) -> None:
    for register, name in enumerate(fragment.registers):
        drawing.text(x, y + 21 * register, name, f"mono bold ink-{colour}")
        drawing.text(x + 28, y + 21 * register, _pair_text(fragment, register, t))


def draw_a(t: Translate) -> Drawing:
    drawing = Drawing(
        760,
        470,
        t("The A fragment of mma.m16n8k16, and how ldmatrix loads Q into it"),
        t(
            "A 16 by 16 matrix. In each pair of neighbouring elements stands the number of the lane that holds it: "
            "lane 4g + t holds row g and row g + 8, columns 2t, 2t + 1, 2t + 8 and 2t + 9, in the registers a0 to a3. "
            "At the sides, the lane that passes the address of the row to ldmatrix."
        ),
    )
    drawing.text(16, 24, t("A: 16 rows of Q, 16 of its columns"), "head")
    grid = Grid(drawing, A, 78, 84, (21.5, 21.5), "q")
    grid.draw()
    grid.name_registers()
    grid.row_addresses("kA", t("lane"))
    x = 520
    drawing.text(x, 84, t("In the cells: the lane."), "bold")
    cells = t("A cell is two 16-bit elements,\nthat is one register of the lane.")
    drawing.lines(x, 104, cells.split("\n"), "ink-soft")
    g, thread = divmod(MARKED_LANE, 4)
    drawing.text(x, 162, t("Lane {lane} = 4g + t", lane=MARKED_LANE) + f", g = {g}, t = {thread}", "bold")
    _register_table(drawing, A, x, 184, "q", t)
    drawing.text(x, 300, t("At the sides: ldmatrix_x4"), "bold")
    sides = t(
        "Each lane passes the address of\none row of 8 elements, 16 bytes:\nlanes 0 to 7 of the matrix that\n"
        "arrives in a0, 8 to 15 of a1, 16\nto 23 of a2, 24 to 31 of a3.\nThey are rows of Q's tile as it\n"
        "lies in shared memory."
    )
    drawing.lines(x, 320, sides.split("\n"), "ink-soft")
    return drawing


def draw_b(t: Translate) -> Drawing:
    drawing = Drawing(
        760,
        800,
        t("The B fragment of mma.m16n8k16, and how ldmatrix loads K and V into it"),
        t(
            "Above, the 16 by 8 matrix B as the tensor cores see it: lane 4g + t holds rows 2t, 2t + 1, 2t + 8 and "
            "2t + 9 of column g. Below, 16 by 16 pieces of the tiles of K and V in shared memory, with the lane that "
            "receives each pair, and at the sides the lane that passes the address of the row. K's rows are the "
            "columns of B, so K is loaded as it is; V's rows are the rows of B, so V is loaded transposed."
        ),
    )
    drawing.text(16, 24, t("B: 16 steps of the sum, 8 columns"), "head")
    grid = Grid(drawing, B, 78, 76, (30, 18.5), "ink")
    grid.draw()
    drawing.text(grid.right + 10, grid.place(4, 0)[1] + 4, "b0", "bold mono")
    drawing.text(grid.right + 10, grid.place(12, 0)[1] + 4, "b1", "bold mono")
    x = 400
    drawing.text(x, 84, t("In the cells: the lane."), "bold")
    cells = t("A cell is two 16-bit elements, one below the other,\nthat is one register of the lane.")
    drawing.lines(x, 104, cells.split("\n"), "ink-soft")
    g, thread = divmod(MARKED_LANE, 4)
    drawing.text(x, 156, t("Lane {lane} = 4g + t", lane=MARKED_LANE) + f", g = {g}, t = {thread}", "bold")
    _register_table(drawing, B, x, 178, "ink", t)
    below = t(
        "One ldmatrix_x4 loads two neighbouring Bs: the 8\ncolumns n, and the 8 columns n + 1 beside them.\n"
        "Below, what it reads in shared memory, with the\nlane that receives each pair; at the sides, the\n"
        "lane that passes the address of the 16 bytes."
    )
    drawing.lines(x, 246, below.split("\n"), "ink-soft")
    _tile_piece(
        drawing,
        "kB",
        (78, 478),
        "k",
        [t("K: ldmatrix"), t("Its rows, keys, are the columns of B.")],
        t,
    )
    _tile_piece(
        drawing,
        "kBTrans",
        (446, 478),
        "v",
        [t("V: ldmatrix with .trans"), t("Its rows, keys, are the rows of B.")],
        t,
    )
    return drawing


def _tile_piece(
    drawing: Drawing, kind: str, place: tuple[float, float], colour: str, head: list[str], t: Translate
) -> None:
    x, y = place
    grid = Grid(drawing, tile_piece(kind), x, y, (16.5, 16.5), colour)
    grid.draw()
    grid.name_registers()
    grid.row_addresses(kind, t("lane"))
    drawing.text(x - 62, y - 58, head[0], "head")
    drawing.text(x - 62, y - 39, head[1], "ink-soft")


def draw_c(t: Translate) -> Drawing:
    drawing = Drawing(
        760,
        520,
        t("The C fragment of mma.m16n8k16, and why the scores need not move to become the A of P * V"),
        t(
            "Left, two neighbouring 16 by 8 accumulators C of S = Q * K^T: lane 4g + t holds rows g and g + 8, columns "
            "2t and 2t + 1. Right, the A fragment of P * V: each lane holds the same elements there, so that it only "
            "rounds its own to 16 bits. The four lanes of a row share its maximum and its sum."
        ),
    )
    drawing.text(16, 24, t("C: two accumulators of S = Q * Kᵀ, fp32"), "head")
    drawing.text(446, 24, t("A: 16 columns of P, 16 bits"), "head")
    left = Grid(drawing, C, 40, 84, (18.5, 20), "s")
    left.draw()
    middle = Grid(drawing, C, left.right + 26, 84, (18.5, 20), "s", first_column=8)
    middle.draw()
    for grid, name in ((left, "n"), (middle, "n + 1")):
        drawing.text(grid.x + 74, grid.y - 20, f"c[m][{name}]", "bold mono mid ink-s")
        drawing.text(grid.x + 74, grid.bottom + 18, f"c[m + 1][{name}]", "bold mono mid ink-s")
    right = Grid(drawing, A, 446, 84, (18.5, 20), "s")
    right.draw()
    right.name_registers()
    y = left.place(8, 0)[1]
    drawing.path([(middle.right + 10, y), (right.x - 24, y)], "edge-ink", "ink")
    drawing.text((middle.right + right.x) / 2 - 8, y - 9, t("pack"), "small mid")
    _quad(left)
    x = 16
    drawing.text(x, 466, t("A row belongs to four neighbouring lanes"), "bold")
    quad = t("such as row 1 to lanes 4 to 7: two shuffles,\nxor 1 and xor 2, give them its maximum.")
    drawing.lines(x, 485, quad.split("\n"), "ink-soft")
    x = 430
    drawing.text(x, 466, t("Nothing moves between lanes"), "bold")
    stays = t(
        "Lane {lane} holds the same rows and columns on both\nsides. It rounds pairs of fp32 into one register.",
        lane=MARKED_LANE,
    )
    drawing.lines(x, 485, stays.split("\n"), "ink-soft")
    return drawing


def _quad(grid: Grid) -> None:
    """A frame around the four lanes that share the marked lane's first row."""
    (row, _), _ = grid.fragment.holds(MARKED_LANE, 0)
    grid.frame(row, 0, 1, grid.fragment.columns, "edge-ink thick round")
