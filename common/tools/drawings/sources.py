"""Reads numbers and formulas out of the chapters, so that a drawing cannot disagree with the code."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[3]
WARP_SIZE = 32

Constants = dict[str, int]


@dataclass(frozen=True)
class Tile:
    block_q: int
    block_kv: int
    warps: int

    def __str__(self) -> str:
        return f"{self.block_q} x {self.block_kv}"


@cache
def read(path: str) -> str:
    return (REPOSITORY / path).read_text(encoding="utf-8")


def chapters() -> list[int]:
    """The numbers of the chapters there are."""
    names = (path.parent.name for path in REPOSITORY.glob("chapter[0-9]*/chapter.cu"))
    return sorted(int(name.removeprefix("chapter")) for name in names)


def title(chapter: int) -> str:
    """As the chapter registers it with the harness."""
    match = re.search(rf'\n\s*{chapter}, "([^"]+)"', read(f"chapter{chapter}/chapter.cu"))
    assert match, f"chapter{chapter}/chapter.cu has no title"
    return match[1]


def _python(expression: str) -> str:
    """A C++ expression of whole numbers as Python writes it. Precedences are the same, but for the conditional."""
    text = re.sub(r"static_cast<\w+>", "", expression)
    text = re.sub(r"\bsizeof\(\w+\)", "2", text)  # of an element: fp16 and bf16
    text = re.sub(r"\bdevice::kWarpSize\b", str(WARP_SIZE), text)
    text = re.sub(r"\b\w+::", "", text)
    text = text.replace("/", "//").replace("&&", " and ").replace("||", " or ")
    match = re.fullmatch(r"(.*?)\?(.*):(.*)", text, re.DOTALL)
    if match:
        condition, yes, no = match.groups()
        return f"(({_python_part(yes)}) if ({condition}) else ({_python_part(no)}))"
    return text


def _python_part(text: str) -> str:
    assert "?" not in text, f"one conditional is enough: {text}"
    return text


def evaluate(expression: str, names: Constants) -> int:
    known = {"true": 1, "false": 0} | names
    return int(eval(_python(expression), {"__builtins__": {}}, known))


def config(chapter: int, tile: Tile, head_dim: int) -> Constants:
    """The constants of Config<Element, head_dim, tile> in chapterN/config.cuh, by their names there."""
    names: Constants = {
        "kHeadDimension": head_dim,
        "kQueryRows": tile.block_q,
        "kKeyRows": tile.block_kv,
        "kWarpCount": tile.warps,
    }
    text = re.sub(r"//.*", "", read(f"chapter{chapter}/config.cuh"))
    for name, expression in re.findall(r"static constexpr (?:int|bool) (k\w+) =\s*([^;]+);", text):
        names[name] = evaluate(expression, names)
    return names


def default_tile() -> Tile:
    """The first tile that every chapter is built for."""
    return tiles()[0]


def tiles() -> list[Tile]:
    found = re.findall(r"for_each_type<(\d+), (\d+), (\d+)>\(kernels", read("common/harness/tiles.cuh"))
    return [Tile(int(q), int(kv), int(warps)) for q, kv, warps in found]


@cache
def _expression(path: str, pattern: str) -> str:
    match = re.search(pattern, read(path), re.DOTALL)
    assert match, f"{path} has no {pattern}"
    return match[1]


def operand_start(kind: str, lane: int, chapter: int = 1) -> tuple[int, int]:
    """The row and column of a 16 x 16 piece of a tile whose address `lane` passes to ldmatrix_x4: tile.cuh, Operand.
    `kind` is kA (Q), kB (K) or kBTrans (V)."""
    path = f"chapter{chapter}/tile.cuh"
    kinds = {"kA": 0, "kB": 1, "kBTrans": 2}
    names = kinds | {"lane": lane, "kKind": kinds[kind]}
    row = _expression(path, r"const int row = (kKind == [^;]+);")
    column = _expression(path, r"const int column = (kKind == [^;]+);")
    return evaluate(row, names), evaluate(column, names)


def operand_registers(kind: str, chapter: int = 1) -> list[tuple[int, int]]:
    """For each of the four matrices that one ldmatrix_x4 loads: (row, k) of the operand's 8x8 matrix that it fills."""
    call = {"kA": r"kKind == kA\) \{\s*device::ldmatrix_x4", "kB": r"kKind == kB\) \{\s*device::ldmatrix_x4"}
    pattern = call.get(kind, "device::ldmatrix_x4_trans") + r"\(([^;]+?), step_address"
    names = _expression(f"chapter{chapter}/tile.cuh", pattern).split(", ")
    return [(int(name[1]), int(name[2])) for name in names]


def tile_offset(chapter: int, row: int, column: int, head_dim: int) -> int:
    """Bytes from the beginning of a tile to (row, column) in chapterN/tile.cuh, column a multiple of 8."""
    pattern = r"SharedAddress tile_address\([^)]*\) \{\s*return ([^;]+);"
    expression = _expression(f"chapter{chapter}/tile.cuh", pattern)
    names = {"tile": 0, "row": row, "column": column, "kHeadDim": head_dim, "kRowBytes": head_dim * 2}
    return evaluate(expression, names)
