"""What the tables have in common: their arguments, and Markdown."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from measuring.files import NOT_AVAILABLE, Failure, Row
from measuring.kernels import DEFAULT_SHAPE, DEFAULT_TILE, SHAPES, Kernel, Shape, Tile
from measuring.results import Gpu, Measurement, Results
from measuring.words import LANGUAGES, word


# The shortest, the one that most tables are of, and the longest.
TILE_SHAPES = (SHAPES[0], DEFAULT_SHAPE, SHAPES[-1])


@dataclass(frozen=True)
class Arguments:
    lang: str = "en"
    gpu: str = ""  # a directory; empty: all
    dtype: str = "fp16"
    head_dim: int = 128
    tile: Tile = DEFAULT_TILE
    shape: Shape = DEFAULT_SHAPE
    shapes: tuple[Shape, ...] = TILE_SHAPES  # of the table of tiles; empty: all
    l2: str = "warm"
    of: str = "tflops"  # or a reference: per cent of its speed
    sm: int = 90
    chapters: tuple[str, ...] = ()  # empty: all

    @staticmethod
    def parse(options: Mapping[str, str]) -> Arguments:
        arguments = Arguments()
        for key, text in options.items():
            if key not in Arguments.__dataclass_fields__:
                raise Failure(f"a table has no argument {key}")
            value: Any = _PARSERS.get(key, str)(text)
            arguments = replace(arguments, **{key: value})
        if arguments.lang not in LANGUAGES:
            raise Failure(f"there is no language {arguments.lang}: there are {' and '.join(LANGUAGES)}")
        return arguments

    def say(self, key: str, *values: object) -> str:
        return word(key, self.lang, *values)

    def find(self, gpu: Gpu, who: str, shape: Shape | None = None) -> Measurement | None:
        """With the tile, type and state of L2 that were asked for."""
        where = shape or self.shape
        return gpu.find(who, where, self.dtype, self.head_dim, self.tile, self.l2 == "cold")

    def kernel(self, chapter: str) -> Kernel:
        return Kernel(chapter, self.dtype, self.head_dim, self.tile)


_PARSERS: dict[str, Callable[[str], object]] = {
    "head_dim": int,
    "sm": int,
    "tile": Tile.parse,
    "shape": lambda text: Shape.parse(text, 16),
    "shapes": lambda text: () if text == "all" else tuple(Shape.parse(part, 16) for part in text.split(",")),
    "chapters": lambda text: tuple(text.split(",")),
}


# --- Markdown --------------------------------------------------------------------------------------------------------


def markdown(header: Sequence[str], rows: Iterable[Sequence[str]], left: int = 1) -> str:
    """The first `left` columns are aligned to the left."""
    rules = ["---" if i < left else "---:" for i in range(len(header))]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (header, rules, *rows))


def paragraphs(*parts: str) -> str:
    return "\n\n".join(part for part in parts if part)


def rounded(value: float | None, digits: int = 1) -> str:
    return NOT_AVAILABLE if value is None else f"{value:.{digits}f}"


def rate(value: float | None) -> str:
    """TFLOP/s, to three digits."""
    return NOT_AVAILABLE if value is None else f"{value:.{0 if value >= 99.95 else 1}f}"


def number_of(row: Row | None, column: str) -> float | None:
    try:
        return float(row[column]) if row else None
    except (KeyError, ValueError):
        return None


def pretty(tile: Tile) -> str:
    return f"{tile.block_q} × {tile.block_kv}, {tile.warps}"


def heading(gpu: Gpu) -> str:
    environment = gpu.environment
    facts = [f"sm_{gpu.sm}"] if gpu.sm else []
    facts += [f"driver {environment['driver']}"] if "driver" in environment else []
    facts += [f"CUDA {environment['runtime']}"] if "runtime" in environment else []
    facts += [str(environment["date"])[:10]] if "date" in environment else []
    return f"**{gpu.name}**" + (f" ({', '.join(facts)})" if facts else "")


def chapters_of(results: Results, arguments: Arguments) -> list[str]:
    return list(arguments.chapters) or results.chapters()


def gpus_of(results: Results, arguments: Arguments) -> list[Gpu]:
    """Those that were asked for; one without any result if there is none."""
    gpus = [gpu for gpu in results.gpus if arguments.gpu in ("", gpu.directory)]
    return gpus or [Gpu(arguments.gpu or NOT_AVAILABLE)]


def for_each_gpu(results: Results, arguments: Arguments, table: Callable[[Gpu], str]) -> str:
    """A table a GPU, each below its name."""
    if not results.gpus:
        return paragraphs(table(Gpu(NOT_AVAILABLE)), arguments.say("no_gpu"))
    return paragraphs(*(part for gpu in gpus_of(results, arguments) for part in (heading(gpu), table(gpu))))


def source(arguments: Arguments, gpu: Gpu, name: str) -> str:
    return arguments.say("source", f"docs/results/{gpu.directory}/{name}") if gpu.environment else ""


def conditions(arguments: Arguments) -> str:
    shape = arguments.shape
    values = (shape, arguments.dtype, pretty(arguments.tile), arguments.head_dim, shape.heads)
    return arguments.say("measured_at", *values)


def reliability(arguments: Arguments, measurements: Sequence[Measurement | None]) -> str:
    variations = [m.variation for m in measurements if m and m.variation is not None]
    repetitions = sorted({m.repetitions for m in measurements if m and m.repetitions})
    counts = arguments.say("to", repetitions[0], repetitions[-1]) if len(repetitions) > 1 else str(*repetitions)
    return arguments.say("medians", counts, rounded(100 * max(variations))) if variations else ""


def registers_text(row: Row | None) -> str:
    """ "168"; of a kernel that spills "**255 + 224**"."""
    if row is None:
        return NOT_AVAILABLE
    spilled = int(row["spill_store_bytes"]) + int(row["spill_load_bytes"]) > 0
    return f"**{row['registers']} + {row['stack_bytes']}**" if spilled else row["registers"]
