#!/usr/bin/env python3
"""Draws the results under docs/results as SVG, in both languages: tflops, percent, stalls, roofline, and tiles for each
type and head dimension.

  python3 common/tools/plot.py            writes docs/figures/tflops.svg, docs/zh/figures/tflops.svg, ...
  python3 common/tools/plot.py --check    writes nothing; fails and names the figures that are stale

A second GPU is drawn below the first. The files do not depend on the machine, the time or anything installed, and their
colours follow the page, light or dark.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

from measuring import charts
from measuring.commands import run_main
from measuring.files import REPOSITORY, RESULTS, Failure, write_text
from measuring.kernels import DEFAULT_SHAPE, DEFAULT_TILE, Kernel, Shape, natural_key
from measuring.ncu import STALL_COLUMNS
from measuring.results import REFERENCES, Gpu, Results, read_results, shapes_of
from measuring.table_support import number_of, pretty
from measuring.words import LANGUAGES, word

STALL_CLASSES = ("half-x", "half-k", "half-o", "half-v", "half-s", "half-q", "tint-soft", "half-soft", "half-line")
# Operations of a multiprocessor in a clock with 16-bit operands: see tensor_roofline in common/harness/timing.cpp.
OPERATIONS_PER_CLOCK = {80: 2048, 86: 1024, 87: 1024, 89: 1024, 90: 4096, 100: 8192, 103: 8192, 120: 1024}

MOST_COLUMNS = 15  # of a heat map; with more, figures touch


class Plotter:
    """The charts of one GPU in one language. Each is None if there is nothing to draw."""

    def __init__(self, results: Results, gpu: Gpu, language: str) -> None:
        self._results = results
        self._gpu = gpu
        self._language = language
        self._subtitle = f"{gpu.name}, fp16, D = 128, H = 16"

    def _say(self, key: str, *values: object) -> str:
        return word(key, self._language, *values)

    def _chapters(self) -> list[str]:
        return [c for c in self._results.chapters() if self._gpu.find(c, DEFAULT_SHAPE)]

    def _shapes(self) -> list[Shape]:
        return shapes_of(m for m in self._gpu.measurements if m.sweep == "fp16_d128")

    def tflops(self) -> charts.Chart | None:
        shapes = self._shapes()
        if not shapes:
            return None

        def row(who: str) -> list[float | None]:
            return [found.tflops if (found := self._gpu.find(who, shape)) else None for shape in shapes]

        classes = ("edge-ink thick", "edge-ink thick dash")
        lines = zip(REFERENCES, classes, strict=True)
        marks = [charts.Mark(self._say("alone", name), row(name), line) for name, line in lines]
        series = [(self._say("chapter_n", chapter), row(chapter)) for chapter in self._chapters()]
        known = [mark for mark in marks if any(mark.values)]
        return charts.bars(self._say("plot_tflops"), self._subtitle, [str(s) for s in shapes], series, known)

    def percent(self) -> charts.Chart | None:
        shapes = self._shapes()

        def row(chapter: str) -> list[float | None]:
            found = [self._gpu.find(chapter, shape) for shape in shapes]
            return [m.percent_of.get(REFERENCES[0]) if m else None for m in found]

        series = [(self._say("chapter_n", chapter), row(chapter)) for chapter in self._chapters()]
        if not any(value for _, values in series for value in values):
            return None
        hundred = charts.Mark(REFERENCES[0], [100] * len(shapes), "edge-ink thick")
        return charts.bars(self._say("plot_percent"), self._subtitle, [str(s) for s in shapes], series, [hundred])

    def stalls(self) -> charts.Chart | None:
        kernels = [Kernel(chapter, "fp16", 128, DEFAULT_TILE) for chapter in self._results.chapters()]
        rows = {kernel.chapter: row for kernel in kernels if (row := self._gpu.profile_of(kernel))}
        if not rows:
            return None
        parts = [
            (self._say(column), classes, [number_of(row, column) for row in rows.values()])
            for column, classes in zip(STALL_COLUMNS, STALL_CLASSES, strict=True)
        ]
        names = [self._say("chapter_n", chapter) for chapter in rows]
        return charts.stacked(self._say("plot_stalls"), self._subtitle, names, parts)

    def tiles(self, dtype: str = "fp16", head_dim: int = 128) -> charts.Chart | None:
        chosen = self._gpu.tile_measurements(dtype, head_dim)
        if not chosen:
            return None
        paired = all(REFERENCES[0] in m.percent_of for m in chosen)
        cells = {(m.tile, m.shape, m.who): m.percent_of[REFERENCES[0]] if paired else m.tflops for m in chosen}
        chapters = sorted({m.who for m in chosen}, key=natural_key)
        tiles = sorted({m.tile for m in chosen if m.tile})
        bands = []
        for shapes in in_bands(shapes_of(chosen), len(chapters)):
            columns = [(shape, chapter) for shape in shapes for chapter in chapters]
            names = [(f"{shape}: {self._say('chapter')}", chapter) for shape, chapter in columns]
            bands.append(charts.Band(names, [[cells.get((tile, *column)) for column in columns] for tile in tiles]))
        title = self._say("plot_tiles" if paired else "plot_tiles_tflops")
        subtitle = f"{self._gpu.name}, {dtype}, D = {head_dim}, H = 16"
        return charts.heat_map(title, subtitle, [pretty(tile) for tile in tiles], bands)

    def roofline(self) -> charts.Chart | None:
        points = []
        device = None
        for chapter in self._chapters():
            row = self._gpu.profile_of(Kernel(chapter, "fp16", 128, DEFAULT_TILE), DEFAULT_SHAPE)
            read, written = number_of(row, "dram_read_bytes"), number_of(row, "dram_write_bytes")
            measured = self._gpu.find(chapter, DEFAULT_SHAPE)
            if row and measured and read is not None and written is not None:
                shape = measured.shape
                operations = 4.0 * shape.batch * shape.heads * shape.seq_q * shape.seq_kv * measured.head_dim
                name = self._say("chapter_n", chapter)
                points.append(charts.Point(name, operations / (read + written), measured.tflops))
                device = row
        rate = OPERATIONS_PER_CLOCK.get(self._gpu.sm)
        columns = ("multiprocessors", "max_sm_mhz", "dram_bus_bits", "max_dram_mhz")
        facts = [number_of(device, column) for column in columns]
        if not points or rate is None or not all(facts):
            return None
        multiprocessors, sm_mhz, bus_bits, dram_mhz = (fact or 0 for fact in facts)
        peak = rate * multiprocessors * sm_mhz * 1e-6
        bandwidth = bus_bits / 8 * 2 * dram_mhz * 1e-6  # two transfers a clock
        roofs = [charts.Roof(peak, self._say("peak", f"{peak:.0f}"), "edge-ink thick")]
        if product := self._matrix_product():
            roofs.append(charts.Roof(product, self._say("matrix_product", f"{product:.0f}"), "edge-ink thick dash"))
        slope = (bandwidth, self._say("bandwidth", f"{bandwidth:.1f}"))
        axis = self._say("intensity")
        return charts.roofline(self._say("plot_roofline"), f"{self._subtitle}, TFLOP/s", axis, slope, roofs, points)

    def _matrix_product(self) -> float | None:
        text = self._gpu.ceiling.split()
        return float(text[0]) if len(text) == 2 and text[0].replace(".", "").isdigit() else None


def in_bands(shapes: Sequence[Shape], chapters: int) -> list[Sequence[Shape]]:
    """As many beside each other as there is room for, and about as many in each band."""
    count = math.ceil(len(shapes) * chapters / MOST_COLUMNS)
    size = math.ceil(len(shapes) / count)
    return [shapes[i : i + size] for i in range(0, len(shapes), size)]


# Of each file, the words for its title, and what draws it.
CHARTS: dict[str, tuple[str, Callable[[Plotter], charts.Chart | None]]] = {
    "tflops": ("plot_tflops", Plotter.tflops),
    "percent": ("plot_percent", Plotter.percent),
    "stalls": ("plot_stalls", Plotter.stalls),
    "tiles": ("plot_tiles", Plotter.tiles),
    "tiles-fp16-d64": ("plot_tiles", partial(Plotter.tiles, dtype="fp16", head_dim=64)),
    "tiles-bf16-d128": ("plot_tiles", partial(Plotter.tiles, dtype="bf16", head_dim=128)),
    "tiles-bf16-d64": ("plot_tiles", partial(Plotter.tiles, dtype="bf16", head_dim=64)),
    "roofline": ("plot_roofline", Plotter.roofline),
}
DIRECTORIES = {"en": Path("docs/figures"), "zh": Path("docs/zh/figures")}


def figures(results: Results) -> Iterator[tuple[Path, str]]:
    """The place in the repository and the content of each file."""
    for language in LANGUAGES:
        plotters = [Plotter(results, gpu, language) for gpu in results.gpus]
        for name, (title, draw) in CHARTS.items():
            found = [chart for plotter in plotters if (chart := draw(plotter))]
            yield DIRECTORIES[language] / f"{name}.svg", charts.sheet(word(title, language), found).svg()


def stale(root: Path, wanted: dict[Path, str]) -> list[Path]:
    """Those that are missing, or other than they should be."""
    return [
        path
        for path, content in wanted.items()
        if not (root / path).exists() or (root / path).read_text(encoding="utf-8") != content
    ]


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="writes nothing, and fails if a figure is stale")
    parser.add_argument("--results", type=Path, default=RESULTS, metavar="DIR", help="[docs/results]")
    parser.add_argument(
        "--root", type=Path, default=REPOSITORY, metavar="DIR", help="with docs in it [this repository]"
    )
    return parser.parse_args()


def main() -> int:
    arguments = parse_arguments()
    wanted = dict(figures(read_results(arguments.results)))
    paths = stale(arguments.root, wanted)
    if paths and arguments.check:
        raise Failure(f"stale: {', '.join(map(str, paths))}; run python3 common/tools/plot.py")
    for path in paths:
        write_text(arguments.root / path, wanted[path])
        print(f"{path}: written")
    return 0


if __name__ == "__main__":
    run_main("plot", main)
