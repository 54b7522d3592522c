"""Tables of speed, and of what the chapters' steps brought."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

from measuring.files import NOT_AVAILABLE, Row
from measuring.kernels import DEFAULT_SHAPE, DTYPES, HEAD_DIMS, Kernel, natural_key
from measuring.ncu import STALL_COLUMNS
from measuring.results import REFERENCES, Gpu, Measurement, Results, harmonic_mean, shapes_of
from measuring.table_support import (
    Arguments,
    chapters_of,
    conditions,
    for_each_gpu,
    markdown,
    number_of,
    paragraphs,
    pretty,
    rate,
    registers_text,
    reliability,
    rounded,
)


def fallen_stall(before: Row | None, after: Row | None) -> tuple[str, float, float] | None:
    """The stall whose share fell most from one chapter to the next, if by a point or more. `selected` is no stall."""
    falls = []
    for column in STALL_COLUMNS:
        old, new = number_of(before, column), number_of(after, column)
        if column != "stall_selected" and old is not None and new is not None:
            falls.append((old - new, column, old, new))
    if not falls or max(falls)[0] < 1:
        return None
    _, column, old, new = max(falls)
    return column, old, new


def fallen_text(arguments: Arguments, before: Row | None, after: Row | None) -> str:
    if before is None or after is None:
        return NOT_AVAILABLE
    fallen = fallen_stall(before, after)
    if fallen is None:
        return arguments.say("none")
    column, old, new = fallen
    return f"{arguments.say(column)} {old:.1f} → {new:.1f}"


def of_ideal(results: Results, gpu: Gpu, kernel: Kernel) -> float | None:
    """As the GPU counted, else as the simulator did."""
    for row in gpu.wavefronts:
        if Kernel.of_row(row) == kernel and row["count"] == "ldmatrix_wavefronts":
            measured, ideal = number_of(row, "gpu"), number_of(row, "ideal")
            if measured and ideal:
                return measured / ideal
    return results.wavefronts_of_ideal(kernel.chapter)


def summary(results: Results, arguments: Arguments) -> str:
    """What each step brought."""

    def row_of(gpu: Gpu, chapter: str, before: str | None) -> list[str]:
        kernel = arguments.kernel(chapter)
        measured = arguments.find(gpu, chapter)
        profiled = gpu.profile_of(kernel)
        percents = [measured.percent_of.get(name) if measured else None for name in REFERENCES]
        fell = fallen_text(arguments, gpu.profile_of(arguments.kernel(before)), profiled) if before else ""
        return [
            *(chapter, arguments.say(results.title(chapter)), rate(measured.tflops if measured else None)),
            *(rounded(percent) for percent in percents),
            registers_text(results.resources_of(kernel, gpu.sm or arguments.sm)),
            rounded(of_ideal(results, gpu, kernel)),
            *(rounded(number_of(profiled, "stall_long_scoreboard")), fell),
        ]

    def table(gpu: Gpu) -> str:
        chapters = chapters_of(results, arguments)
        header = [
            *(arguments.say(key) for key in ("chapter", "step", "tflops")),
            *(arguments.say("percent_of", name) for name in REFERENCES),
            *(arguments.say(key) for key in ("registers", "of_ideal", "long_scoreboard_percent", "fell")),
        ]
        everything = results.chapters()
        before = dict(zip(everything[1:], everything, strict=False))
        rows = [row_of(gpu, chapter, before.get(chapter)) for chapter in chapters]
        measurements = [arguments.find(gpu, chapter) for chapter in chapters]
        return paragraphs(markdown(header, rows, left=2), reliability(arguments, measurements))

    return paragraphs(for_each_gpu(results, arguments, table), conditions(arguments))


def lengths(results: Results, arguments: Arguments) -> str:
    def value(measured: Measurement | None) -> float | None:
        if measured is None or arguments.of == "tflops":
            return measured.tflops if measured else None
        return measured.percent_of.get(arguments.of)

    def table(gpu: Gpu) -> str:
        cold = arguments.l2 == "cold"
        chosen = [
            m
            for m in gpu.measurements
            if (m.dtype, m.head_dim, m.cold_l2) == (arguments.dtype, arguments.head_dim, cold)
        ]
        shapes = shapes_of(chosen) or [DEFAULT_SHAPE]
        references = REFERENCES if arguments.of == "tflops" else ()
        show = rate if arguments.of == "tflops" else rounded
        rows, measurements = [], []
        for who in [*references, *chapters_of(results, arguments)]:
            found = [arguments.find(gpu, who, shape) for shape in shapes]
            title = f"{who} {arguments.say(results.title(who))}"
            name = arguments.say("alone", who) if who in REFERENCES else title
            values = [value(measured) for measured in found]
            rows.append([name, *(show(v) for v in [*values, harmonic_mean(values)])])
            measurements += found
        unit = arguments.say("tflops") if arguments.of == "tflops" else arguments.say("percent_of", arguments.of)
        header = [unit, *(str(shape) for shape in shapes), arguments.say("harmonic_mean")]
        return paragraphs(markdown(header, rows), reliability(arguments, measurements))

    return for_each_gpu(results, arguments, table)


def pairing(results: Results, arguments: Arguments) -> str:
    """A reference's speed as it was seen beside each chapter, which shows what measuring without pairs is worth."""
    name = REFERENCES[0] if arguments.of == "tflops" else arguments.of

    def beside(measured: Measurement | None) -> float | None:
        percent = measured.percent_of.get(name) if measured else None
        return 100 * measured.tflops / percent if measured and percent else None

    def table(gpu: Gpu) -> str:
        shapes = shapes_of(m for m in gpu.measurements if m.sweep == "fp16_d128") or [DEFAULT_SHAPE]
        alone = [gpu.find(name, shape) for shape in shapes]
        rows = [[arguments.say("alone", name), *(rate(m.tflops if m else None) for m in alone)]]
        for chapter in chapters_of(results, arguments):
            found = [arguments.find(gpu, chapter, shape) for shape in shapes]
            rows.append([arguments.say("beside", name, chapter), *(rate(beside(measured)) for measured in found)])
        return markdown([arguments.say("tflops"), *(str(shape) for shape in shapes)], rows)

    return paragraphs(for_each_gpu(results, arguments, table), arguments.say("same_work", name))


def speed(measured: Measurement) -> float:
    """Per cent of FlashAttention-2, which was timed in turn with each; TFLOP/s where there was none."""
    return measured.percent_of.get(REFERENCES[0], measured.tflops)


def speed_unit(arguments: Arguments, measurements: Sequence[Measurement]) -> str:
    paired = any(REFERENCES[0] in m.percent_of for m in measurements)
    return arguments.say("percent_of", REFERENCES[0]) if paired else arguments.say("tflops")


def tiles(results: Results, arguments: Arguments) -> str:
    """All tiles of one type and head dimension at some lengths."""

    def table(gpu: Gpu) -> str:
        chosen = gpu.tile_measurements(arguments.dtype, arguments.head_dim, arguments.shapes, arguments.chapters)
        unit = speed_unit(arguments, chosen)
        chapters = sorted({m.who for m in chosen}, key=natural_key)
        columns = [(chapter, shape) for shape in shapes_of(chosen) for chapter in chapters]
        cells = {(m.tile, m.who, m.shape): speed(m) for m in chosen}
        rows = []
        for tile in sorted({m.tile for m in chosen if m.tile}):
            row = [pretty(tile)]
            for chapter, shape in columns:
                best = max((v for (_, c, s), v in cells.items() if (c, s) == (chapter, shape)), default=None)
                cell = cells.get((tile, chapter, shape))
                row.append(f"**{rounded(cell)}**" if cell is not None and cell == best else rounded(cell))
            rows.append(row)
        header = [arguments.say("tile"), *(f"{shape} {arguments.say('chapter_n', c)}" for c, shape in columns)]
        if not rows:
            header, rows = [*header, unit], [[pretty(arguments.tile), NOT_AVAILABLE]]
        return paragraphs(
            markdown(header, rows), f"{unit}. {arguments.say('best_bold')}", reliability(arguments, chosen)
        )

    return for_each_gpu(results, arguments, table)


def best_tiles(results: Results, arguments: Arguments) -> str:
    """The fastest tile of each chapter, type, head dimension and length, and its speed."""

    def table(gpu: Gpu) -> str:
        every = [m for m in gpu.measurements if m.over_tiles and m.who in (arguments.chapters or (m.who,))]
        chapters = sorted({m.who for m in every}, key=natural_key)
        rows = []
        for dtype, head_dim in product(DTYPES, HEAD_DIMS):
            chosen = gpu.tile_measurements(dtype, head_dim)
            for shape in shapes_of(chosen):
                cells = []
                for chapter in chapters:
                    found = [m for m in chosen if (m.who, m.shape) == (chapter, shape)]
                    best = max(found, key=speed, default=None)
                    cells.append(
                        f"{pretty(best.tile)}: {rounded(speed(best))}" if best and best.tile else NOT_AVAILABLE
                    )
                rows.append([dtype, str(head_dim), str(shape), *cells])
        header = [arguments.say(key) for key in ("dtype", "head_dim", "batches_and_length")]
        header += [arguments.say("chapter_n", chapter) for chapter in chapters]
        if not rows:
            rows = [[NOT_AVAILABLE] * len(header)]
        what = f"{arguments.say('tile')}: {speed_unit(arguments, every)}"
        return paragraphs(markdown(header, rows, left=len(header)), f"{what}.", reliability(arguments, every))

    return for_each_gpu(results, arguments, table)


# What the text that the series follows says of its kernels on an RTX 3090; none where it says nothing.
SEED: dict[str, tuple[float, float | None]] = {
    "2": (98.3, 15.15),
    "3": (99.4, 0.95),
    "4": (100.0, None),
    "5": (99.6, None),
}


def seed(results: Results, arguments: Arguments) -> str:
    """The figures of the text that the series follows, beside ours."""
    gpus = [gpu for gpu in results.gpus if arguments.gpu in ("", gpu.directory)]
    header = [arguments.say(key) for key in ("seed_kernel", "seed_percent", "seed_long_scoreboard")]
    header += [arguments.say(key, gpu.name) for gpu in gpus for key in ("ours_percent", "ours_long_scoreboard")]
    rows = []
    for chapter, (percent, long_scoreboard) in SEED.items():
        row = [chapter, rounded(percent), rounded(long_scoreboard, 2)]
        for gpu in gpus:
            measured = arguments.find(gpu, chapter)
            share = number_of(gpu.profile_of(arguments.kernel(chapter)), "stall_long_scoreboard")
            row += [rounded(measured.percent_of.get(REFERENCES[0]) if measured else None), rounded(share, 2)]
        rows.append(row)
    return paragraphs(markdown(header, rows), arguments.say("seed_note"))
