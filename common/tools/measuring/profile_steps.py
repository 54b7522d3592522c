"""Steps that run Nsight Compute."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from typing import Any

from measuring.files import NOT_AVAILABLE, Failure, Row, read_csv, read_json, write_csv
from measuring.kernels import DEFAULT_SHAPE, DEFAULT_TILE, Kernel, Shape, Tile, flags_of, program_of
from measuring.machine import run_json
from measuring.ncu import COUNTS, PROFILE_COLUMNS, number, sampled_instructions
from measuring.profiler import Profiler
from measuring.source_lines import source_lines, text_of_line
from measuring.step import TILE_CHAPTERS, VARIANTS, Place, Result, Step


class RowStep(Step):
    """A step whose file is CSV, and whose units each give rows with the unit's kernel and shape in them."""

    columns: Sequence[str]

    def __init__(self, place: Place) -> None:
        super().__init__(place)
        self._file = place.output / f"{self.name}.csv"
        self._targets = {f"{kernel} {shape}": (kernel, shape) for kernel, shape in self.targets()}

    @abstractmethod
    def targets(self) -> Iterable[tuple[Kernel, Shape]]:
        """What each unit measures."""

    @abstractmethod
    def rows_of(self, kernel: Kernel, shape: Shape) -> list[Row]:
        """Measures."""

    @abstractmethod
    def judge(self, rows: Sequence[Row]) -> Result:
        """Of a unit's rows."""

    def units(self) -> list[str]:
        return list(self._targets)

    def _unit(self, row: Row) -> str:
        return f"{Kernel.of_row(row)} {Shape.of_row(row)}"

    def done(self) -> set[str]:
        return {self._unit(row) for row in read_csv(self._file)}

    def measure(self, unit: str) -> Result:
        rows = self.rows_of(*self._targets[unit])
        with self._lock:
            everything = sorted([*read_csv(self._file), *rows], key=lambda row: self.position(self._unit(row)))
            write_csv(self._file, self.columns, everything)
        return self.judge(rows)


# Besides the default: the best, one that spills, one with more keys, and one with more warps.
PROFILED_TILES = (Tile(128, 64, 4), Tile(128, 128, 4), Tile(64, 128, 4), Tile(128, 64, 8))


class Profile(RowStep):
    """Nsight Compute: the default tile in all chapters, with both head dimensions, and some other tiles."""

    name = "profile"
    seconds = 60
    columns = PROFILE_COLUMNS

    def __init__(self, place: Place) -> None:
        super().__init__(place)
        self._profiler: Profiler | None = None

    def targets(self) -> Iterable[tuple[Kernel, Shape]]:
        chapters = self.place.chapters()
        for chapter in chapters:
            yield Kernel(chapter, *VARIANTS[0], DEFAULT_TILE), DEFAULT_SHAPE
        small = Shape.square(4, 4096)  # enough blocks to fill a GPU many times, and a quarter of the input to make
        for tile in PROFILED_TILES:
            for chapter in chapters:
                if chapter in TILE_CHAPTERS:
                    yield Kernel(chapter, *VARIANTS[0], tile), small
        for chapter in chapters:
            yield Kernel(chapter, "fp16", 64, DEFAULT_TILE), small

    def rows_of(self, kernel: Kernel, shape: Shape) -> list[Row]:
        if self._profiler is None:
            self._profiler = Profiler(self.place.build, self.seconds)
        return [self._profiler.profile(kernel, shape)]

    def judge(self, rows: Sequence[Row]) -> Result:
        row = rows[0]
        return Result(f"{row['time_ms']} ms, long scoreboard {row['stall_long_scoreboard']} %")


class LongScoreboard(RowStep):
    """At which instructions and lines of the source warps wait for memory: before and after the step that hides it."""

    name = "long_scoreboard"
    seconds = 120
    chapters = ("2", "3")
    most = 10  # instructions of a kernel
    columns = (
        *Kernel.COLUMNS,
        *Shape.COLUMNS,
        *("address", "instruction", "samples", "share", "share_of_all", "place", "source"),
    )

    def __init__(self, place: Place) -> None:
        super().__init__(place)
        self._profiler: Profiler | None = None

    def targets(self) -> Iterable[tuple[Kernel, Shape]]:
        for chapter in self.place.chapters():
            if chapter in self.chapters:
                yield Kernel(chapter, *VARIANTS[0], DEFAULT_TILE), DEFAULT_SHAPE

    def _lines(self, kernel: Kernel) -> dict[int, str]:
        sm = read_json(self.place.output / "environment.json").get("sm", 0)
        return source_lines(self.place.program(program_of(kernel.chapter)), kernel, int(sm))

    def rows_of(self, kernel: Kernel, shape: Shape) -> list[Row]:
        if self._profiler is None:
            self._profiler = Profiler(self.place.build, self.seconds)
        everything = sampled_instructions(self._profiler.source_page(kernel, shape))
        lines = self._lines(kernel)
        waits = {found.address: found.waiting_for("long_s") for found in everything}
        of_reason, of_all = sum(waits.values()), sum(found.samples for found in everything)
        hottest = sorted(everything, key=lambda found: -waits[found.address])[: self.most]
        rows = []
        for found in [found for found in hottest if waits[found.address]] or hottest[:1]:
            waiting = waits[found.address]
            place = lines.get(found.address, NOT_AVAILABLE)
            row = kernel.columns() | shape.columns()
            row |= {"address": f"{found.address:04x}", "instruction": found.text, "samples": waiting}
            row |= {"share": f"{100 * waiting / max(of_reason, 1):.2f}"}
            row |= {"share_of_all": f"{100 * waiting / max(of_all, 1):.2f}"}
            row |= {"place": place, "source": text_of_line(place)}
            rows.append({name: str(value) for name, value in row.items()})
        return rows

    def judge(self, rows: Sequence[Row]) -> Result:
        row = rows[0]
        return Result(f"{row['share']} % of the waits at {row['instruction']} ({row['place']})")


# A count of the profiler, and where the simulator's JSON has the same.
_SIMULATED = {
    "ldmatrix_wavefronts": ("counters", "ldmatrix", "wavefronts"),
    "load_wavefronts": ("counters", "shared_load", "wavefronts"),
    "store_wavefronts": ("counters", "shared_store", "wavefronts"),
    "tensor_instructions": ("instructions", "mma"),
}
_IDEAL = {name: (*path[:2], "ideal_wavefronts") for name, path in _SIMULATED.items() if path[0] == "counters"}


def look_up(json_value: Any, path: Sequence[str]) -> str:
    for key in path:
        if key not in json_value:
            return NOT_AVAILABLE
        json_value = json_value[key]
    return str(json_value)


class Wavefronts(RowStep):
    """Nsight Compute's counts of one launch, and the simulator's of the same. They must be equal."""

    name = "wavefronts"
    seconds = 60
    columns = (*Kernel.COLUMNS, *Shape.COLUMNS, "count", "gpu", "simulator", "ideal", "equal")

    def __init__(self, place: Place) -> None:
        super().__init__(place)
        self._profiler: Profiler | None = None

    def targets(self) -> Iterable[tuple[Kernel, Shape]]:
        shape = Shape(1, 2, 256, 512)
        for variant in VARIANTS:
            for chapter in self.place.chapters():
                yield Kernel(chapter, *variant, DEFAULT_TILE), shape

    def rows_of(self, kernel: Kernel, shape: Shape) -> list[Row]:
        if self._profiler is None:
            self._profiler = Profiler(self.place.build, self.seconds)
        program = str(self.place.program(program_of(kernel.chapter)))
        result, said = run_json([program, "--device", "sim", *flags_of(kernel, shape)], self.seconds)
        if result is None:
            raise Failure(f"the simulator: {said}")
        metrics = self._profiler.measure(kernel, shape, COUNTS)
        rows = []
        for field in COUNTS:
            measured = number(metrics, field.metrics)
            gpu = NOT_AVAILABLE if measured is None else str(int(measured))
            simulated = look_up(result, _SIMULATED[field.column])
            row = kernel.columns() | shape.columns() | {"count": field.column, "gpu": gpu, "simulator": simulated}
            row["ideal"] = look_up(result, _IDEAL[field.column]) if field.column in _IDEAL else NOT_AVAILABLE
            row["equal"] = NOT_AVAILABLE if NOT_AVAILABLE in (gpu, simulated) else "yes" if gpu == simulated else "no"
            rows.append({name: str(value) for name, value in row.items()})
        return rows

    def judge(self, rows: Sequence[Row]) -> Result:
        different = [f"{row['count']} {row['gpu']} against {row['simulator']}" for row in rows if row["equal"] == "no"]
        return Result("; ".join(different) or "equal to the simulator's", not different)
