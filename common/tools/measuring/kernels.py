"""Which kernel a name, mangled or not, speaks of."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from measuring.files import Failure

DTYPES = ("fp16", "bf16")
HEAD_DIMS = (128, 64)
_DTYPE_OF = {"Half": "fp16", "BFloat16": "bf16"}

# Config<device::Half, 128, 64, 64, 4>, as the compiler mangles it (Itanium C++ ABI) and as a profiler prints it.
_MANGLED = re.compile(r"6ConfigIN6device(?:4|8)(Half|BFloat16)E" + r"Li(\d+)E" * 4)
_PRINTED = re.compile(r"Config<(?:\w+::)*(Half|BFloat16)" + r",\s*(?:\(int\))?(\d+)" * 4 + ">")


@dataclass(frozen=True, order=True)
class Tile:
    block_q: int
    block_kv: int
    warps: int

    def __str__(self) -> str:
        return f"{self.block_q}x{self.block_kv}x{self.warps}"

    @staticmethod
    def parse(text: str) -> Tile:
        """Of "128x64x4": query rows, key rows, warps."""
        match = re.fullmatch(r"(\d+)x(\d+)x(\d+)", text)
        if not match:
            raise Failure(f"{text} is not a tile: give query rows, key rows and warps, such as 128x64x4")
        return Tile(*map(int, match.groups()))


DEFAULT_TILE = Tile(64, 64, 4)
# common/harness/tiles.cuh
ALL_TILES = tuple(sorted(Tile(q, kv, w) for q, w in ((64, 4), (128, 4), (128, 8)) for kv in (32, 64, 128)))


@dataclass(frozen=True, order=True)
class Kernel:
    """A chapter's source compiled for one type, head dimension and tile."""

    chapter: str  # "1"
    dtype: str  # "fp16"
    head_dim: int
    tile: Tile

    COLUMNS = ("chapter", "dtype", "head_dim", "block_q", "block_kv", "warps")

    def columns(self) -> dict[str, object]:
        tile = self.tile
        return dict(
            zip(
                self.COLUMNS,
                (self.chapter, self.dtype, self.head_dim, tile.block_q, tile.block_kv, tile.warps),
                strict=True,
            )
        )

    @staticmethod
    def of_row(row: Mapping[str, str]) -> Kernel:
        tile = Tile(int(row["block_q"]), int(row["block_kv"]), int(row["warps"]))
        return Kernel(row["chapter"], row["dtype"], int(row["head_dim"]), tile)

    @staticmethod
    def of_name(chapter: str, name: str) -> Kernel | None:
        """Of a kernel's name, mangled or printed; none if the name has no Config in it."""
        match = _MANGLED.search(name) or _PRINTED.search(name)
        if not match:
            return None
        head_dim, *tile = map(int, match.groups()[1:])
        return Kernel(chapter, _DTYPE_OF[match[1]], head_dim, Tile(*tile))

    def __str__(self) -> str:
        return f"{program_of(self.chapter)} {self.dtype} d{self.head_dim} {self.tile}"


def program_of(chapter: str) -> str:
    """ "3" is the chapter of the directory and the program chapter3."""
    return f"chapter{chapter}" if chapter.isdigit() else chapter


def chapter_of(directory: str) -> str:
    return directory.removeprefix("chapter")


def natural_key(text: str) -> tuple[tuple[int, int | str], ...]:
    """Sorts "chapter10" behind "chapter9", and words behind numbers."""
    return tuple((0, int(part)) if part.isdigit() else (1, part) for part in re.findall(r"\d+|\D+", text))


@dataclass(frozen=True, order=True)
class Shape:
    """Batches, heads and lengths of a problem."""

    batch: int
    heads: int
    seq_q: int
    seq_kv: int

    @staticmethod
    def square(batch: int, length: int, heads: int = 16) -> Shape:
        return Shape(batch, heads, length, length)

    @staticmethod
    def parse(text: str, heads: int) -> Shape:
        """Of "16x4096": batches and length."""
        match = re.fullmatch(r"(\d+)[x,](\d+)", text)
        if not match:
            raise Failure(f"{text} is not a shape: give batches and length, such as 16x4096")
        return Shape.square(int(match[1]), int(match[2]), heads)

    COLUMNS = ("batch", "heads", "seq_q", "seq_kv")

    def columns(self) -> dict[str, object]:
        return {"batch": self.batch, "heads": self.heads, "seq_q": self.seq_q, "seq_kv": self.seq_kv}

    @staticmethod
    def of_row(row: Mapping[str, str | int]) -> Shape:
        return Shape(*(int(row[column]) for column in Shape.COLUMNS))

    def __str__(self) -> str:
        length = f"{self.seq_q}" if self.seq_q == self.seq_kv else f"{self.seq_q}:{self.seq_kv}"
        return f"({self.batch}, {length})"


# The problems at which the chapters are measured, all with 16 heads.
SHAPES = tuple(Shape.square(b, s) for b, s in ((16, 512), (16, 1024), (16, 2048), (16, 4096), (8, 8192), (4, 16384)))
DEFAULT_SHAPE = Shape.square(16, 4096)


def flags_of(kernel: Kernel, shape: Shape) -> list[str]:
    """What a chapter's program and compare are called with for one kernel and problem."""
    values = {
        "--batch": shape.batch,
        "--heads": shape.heads,
        "--seq-q": shape.seq_q,
        "--seq-kv": shape.seq_kv,
        "--head-dim": kernel.head_dim,
        "--dtype": kernel.dtype,
        "--block-q": kernel.tile.block_q,
        "--block-kv": kernel.tile.block_kv,
        "--warps": kernel.tile.warps,
    }
    return [str(word) for pair in values.items() for word in pair]
