"""What is under docs/results, whatever of it there is. Tables and plots are made from this, and nothing else."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from measuring.files import NOT_AVAILABLE, Row, read_csv, read_json
from measuring.kernels import DEFAULT_TILE, Kernel, Shape, Tile, chapter_of, natural_key

REFERENCES = ("FlashAttention-2", "cuDNN")
TILES = "tiles"  # how the names of the sweeps over all tiles begin


@dataclass(frozen=True)
class Measurement:
    """The median of the repetitions of one benchmark."""

    who: str  # a chapter, "3", or a reference
    dtype: str
    head_dim: int
    tile: Tile | None  # none of a reference
    shape: Shape
    cold_l2: bool
    milliseconds: float
    tflops: float
    percent_of: dict[str, float]  # the speed as a part of each reference's that was timed in turn with it
    variation: float | None  # standard deviation over mean of the repetitions' times
    sm_mhz: float | None  # just after a repetition
    celsius: float | None
    repetitions: int | None
    sweep: str  # the file it is in

    @property
    def is_chapter(self) -> bool:
        return self.tile is not None

    @property
    def over_tiles(self) -> bool:
        """Whether it is of a chapter, in a sweep over all tiles."""
        return self.is_chapter and self.sweep.startswith(TILES)


_NAME = re.compile(
    r"(?P<who>[^/]+)/(?P<dtype>\w+)/d(?P<head_dim>\d+)/(?:q(?P<q>\d+)_kv(?P<kv>\d+)_w(?P<warps>\d+)/)?"
    r"b(?P<batch>\d+)_s(?P<length>\d+)_h(?P<heads>\d+)/l2_(?P<l2>\w+?)(?:/|$)"
)


def read_benchmark(file: Path) -> list[Measurement]:
    """Of Google Benchmark's JSON. What did not run, or was wrong, has no aggregates and is left out."""
    entries = read_json(file)["benchmarks"]
    variations = {e["run_name"]: e["real_time"] for e in entries if e.get("aggregate_name") == "cv"}
    measurements = []
    for entry in entries:
        match = _NAME.match(entry["run_name"])
        if not match or entry.get("aggregate_name") != "median":
            continue
        tile = Tile(int(match["q"]), int(match["kv"]), int(match["warps"])) if match["q"] else None
        length = int(match["length"])
        measurements.append(
            Measurement(
                who=chapter_of(match["who"]) if tile else match["who"],
                dtype=match["dtype"],
                head_dim=int(match["head_dim"]),
                tile=tile,
                shape=Shape(int(match["batch"]), int(match["heads"]), length, length),
                cold_l2=match["l2"] == "cold",
                milliseconds=entry["real_time"],
                tflops=entry["TFLOP/s"],
                percent_of={name: entry[f"% of {name}"] for name in REFERENCES if f"% of {name}" in entry},
                variation=variations.get(entry["run_name"]),
                sm_mhz=entry.get("sm_mhz"),
                celsius=entry.get("celsius"),
                repetitions=entry.get("repetitions"),
                sweep=file.stem.removeprefix("benchmark_"),
            )
        )
    return measurements


@dataclass
class Gpu:
    """The results of one GPU: a directory."""

    directory: str  # "h200"
    environment: dict[str, Any] = field(default_factory=dict)
    measurements: list[Measurement] = field(default_factory=list)
    ceiling: str = NOT_AVAILABLE  # of a large matrix product
    profile: list[Row] = field(default_factory=list)
    wavefronts: list[Row] = field(default_factory=list)
    correctness: list[dict[str, Any]] = field(default_factory=list)
    sanitizer: list[str] = field(default_factory=list)
    agreement: list[dict[str, Any]] = field(default_factory=list)
    long_scoreboard: list[Row] = field(default_factory=list)

    @property
    def name(self) -> str:
        return str(self.environment.get("gpu", self.directory))

    @property
    def sm(self) -> int:
        return int(self.environment.get("sm", 0))

    def find(
        self,
        who: str,
        shape: Shape,
        dtype: str = "fp16",
        head_dim: int = 128,
        tile: Tile = DEFAULT_TILE,
        cold_l2: bool = False,
        sweep: str | None = None,
    ) -> Measurement | None:
        """A chapter's measurement, or a reference's. The one in the sweep over lengths, if there are several."""
        found = [
            m
            for m in self.measurements
            if (m.who, m.shape, m.dtype, m.head_dim, m.cold_l2) == (who, shape, dtype, head_dim, cold_l2)
            and m.tile in (None, tile)
            and (m.sweep == sweep if sweep else True)
        ]
        return min(found, key=lambda m: m.sweep.startswith(TILES), default=None)

    def tile_measurements(
        self, dtype: str, head_dim: int, shapes: Sequence[Shape] = (), chapters: Sequence[str] = ()
    ) -> list[Measurement]:
        """Of the sweep over all tiles, for the shapes and chapters; without, for all."""
        return [
            m
            for m in self.measurements
            if m.over_tiles
            and (m.dtype, m.head_dim) == (dtype, head_dim)
            and (not shapes or m.shape in shapes)
            and (not chapters or m.who in chapters)
        ]

    def profile_of(self, kernel: Kernel, shape: Shape | None = None) -> Row | None:
        """Of a kernel, at the shape or whatever shape was profiled first."""
        rows = (row for row in self.profile if Kernel.of_row(row) == kernel)
        return next((row for row in rows if shape is None or Shape.of_row(row) == shape), None)


def read_gpu(directory: Path) -> Gpu:
    def json_of(name: str, default: Any) -> Any:
        file = directory / name
        return read_json(file) if file.exists() else default

    gpu = Gpu(directory.name, json_of("environment.json", {}))
    for file in sorted(directory.glob("benchmark_*.json")):
        gpu.measurements += read_benchmark(file)
    context = json_of("benchmark_fp16_d128.json", {}).get("context", {})
    gpu.ceiling = next((value for key, value in context.items() if key.startswith("matrix product")), NOT_AVAILABLE)
    gpu.profile = read_csv(directory / "profile.csv")
    gpu.wavefronts = read_csv(directory / "wavefronts.csv")
    gpu.long_scoreboard = read_csv(directory / "long_scoreboard.csv")
    gpu.correctness = json_of("correctness.json", [])
    gpu.agreement = json_of("agreement.json", [])
    sanitizer = directory / "sanitizer.txt"
    gpu.sanitizer = sanitizer.read_text(encoding="utf-8").splitlines() if sanitizer.exists() else []
    return gpu


@dataclass
class Results:
    gpus: list[Gpu]  # by directory
    resources: list[Row]
    sass: list[Row]
    simulator: list[dict[str, Any]]  # of compare --device sim, for all chapters

    def chapters(self) -> list[str]:
        """All that any result speaks of."""
        names = {m.who for gpu in self.gpus for m in gpu.measurements if m.is_chapter}
        names |= {row["chapter"] for row in [*self.resources, *self.sass]}
        names |= {str(result["chapter"]) for result in self.simulator}
        return sorted(names, key=natural_key)

    def title(self, chapter: str) -> str:
        return next((str(r["title"]) for r in self.simulator if str(r["chapter"]) == chapter), NOT_AVAILABLE)

    @cached_property
    def _resources_by_kernel(self) -> dict[tuple[Kernel, int], Row]:
        return {(Kernel.of_row(row), int(row["sm"])): row for row in self.resources}

    def resources_of(self, kernel: Kernel, sm: int) -> Row | None:
        return self._resources_by_kernel.get((kernel, sm))

    def wavefronts_of_ideal(self, chapter: str, family: str = "ldmatrix") -> float | None:
        """How many times as many wavefronts of shared memory as the fewest possible."""
        for result in self.simulator:
            counts = result["counters"].get(family, {})
            if str(result["chapter"]) == chapter and counts.get("ideal_wavefronts"):
                return float(counts["wavefronts"] / counts["ideal_wavefronts"])
        return None


def read_results(root: Path) -> Results:
    directories = sorted((path for path in root.glob("*") if path.is_dir()), key=lambda path: natural_key(path.name))
    simulator = root / "simulator.json"
    return Results(
        gpus=[read_gpu(directory) for directory in directories],
        resources=read_csv(root / "resources.csv"),
        sass=read_csv(root / "sass.csv"),
        simulator=read_json(simulator) if simulator.exists() else [],
    )


def shapes_of(measurements: Iterable[Measurement]) -> list[Shape]:
    """By length."""
    return sorted({m.shape for m in measurements}, key=lambda shape: (shape.seq_kv, shape.batch))


def harmonic_mean(values: Iterable[float | None]) -> float | None:
    """Of rates, which is what all the work together runs at. None if one is missing."""
    numbers = list(values)
    if not numbers or not all(numbers):
        return None
    return len(numbers) / sum(1 / number for number in numbers if number)
