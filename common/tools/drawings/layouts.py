"""Which lane holds which element. common/device/ldmatrix.cuh and mma.cuh document these formulas; the tests of the
drawings read them there and compare."""

from __future__ import annotations

Element = tuple[int, int]  # row, column


def a_fragment(lane: int, register: int) -> tuple[Element, Element]:
    """A of mma.m16n8k16, 16 x 16: the two elements in a0 to a3."""
    group, thread = divmod(lane, 4)
    row = group + 8 * (register % 2)
    column = 2 * thread + 8 * (register // 2)
    return (row, column), (row, column + 1)


def b_fragment(lane: int, register: int) -> tuple[Element, Element]:
    """B of mma.m16n8k16, 16 x 8: the two elements in b0 and b1."""
    group, thread = divmod(lane, 4)
    row = 2 * thread + 8 * register
    return (row, group), (row + 1, group)


def c_fragment(lane: int, half: int) -> tuple[Element, Element]:
    """C and D of mma.m16n8k16, 16 x 8: the two elements in upper (half 0) and lower (half 1)."""
    group, thread = divmod(lane, 4)
    row = group + 8 * half
    return (row, 2 * thread), (row, 2 * thread + 1)


def ldmatrix(lane: int, transposed: bool) -> tuple[Element, Element]:
    """The two elements of an 8x8 matrix in shared memory that a lane receives."""
    group, thread = divmod(lane, 4)
    if transposed:
        return (2 * thread, group), (2 * thread + 1, group)
    return (group, 2 * thread), (group, 2 * thread + 1)


def ldmatrix_row(lane: int) -> tuple[int, int]:
    """The matrix, and the row of it, whose address a lane passes to ldmatrix_x4."""
    return lane // 8, lane % 8
