"""The steps of a recording. Each has units, writes its file anew after every one of them, and knows what it has."""

from __future__ import annotations

import re
import threading
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from measuring.commands import find_tool, run
from measuring.files import NOT_AVAILABLE, Failure, Row, read_csv, read_json, write_csv, write_json, write_text
from measuring.kernels import (
    DEFAULT_SHAPE,
    DEFAULT_TILE,
    DTYPES,
    HEAD_DIMS,
    SHAPES,
    Kernel,
    Shape,
    Tile,
    chapter_of,
    flags_of,
    natural_key,
    program_of,
)
from measuring.machine import run_json
from measuring.ncu import COUNTS, PROFILE_COLUMNS, number
from measuring.profiler import NoCounters, Profiler


@dataclass(frozen=True)
class Place:
    """Where the programs are, and where results go."""

    build: Path
    output: Path

    def program(self, name: str) -> Path:
        path = self.build / "bin" / name
        if not path.exists():
            raise Failure(f"there is no {path}")
        return path

    def chapters(self) -> list[str]:
        names = [path.name for path in (self.build / "bin").glob("chapter*")]
        names = [name for name in names if name.removeprefix("chapter").isdigit()]
        names += [path.name for path in (self.build / "bin").glob("final")]
        return [chapter_of(name) for name in sorted(names, key=natural_key)]


@dataclass(frozen=True)
class Result:
    """What is printed of a unit, and whether all is as it should be."""

    text: str
    good: bool = True


class Step(ABC):
    """Something to record. `unit` names a part of it that is measured at one go."""

    name: str
    seconds: float  # for one unit
    at_once = 1  # units at the same time; more than one only where nothing is timed

    def __init__(self, place: Place) -> None:
        self.place = place
        self._lock = threading.Lock()

    @abstractmethod
    def units(self) -> list[str]:
        """All of them, in order."""

    @abstractmethod
    def done(self) -> set[str]:
        """Those that the files in the output directory already hold."""

    @abstractmethod
    def measure(self, unit: str) -> Result:
        """Measures and keeps what was measured. Throws Failure where there is nothing to keep."""

    def position(self, unit: str) -> int:
        """Its place in the file."""
        units = self.units()
        return units.index(unit) if unit in units else len(units)

    def missing(self) -> list[str]:
        done = self.done()
        return [unit for unit in self.units() if unit not in done]


VARIANTS = tuple((dtype, head_dim) for dtype in DTYPES for head_dim in HEAD_DIMS)


class Correctness(Step):
    """All chapters with the default tile against float64. Runs overlap, so their times are dropped."""

    name = "correctness"
    seconds = 180
    at_once = 3

    def __init__(self, place: Place) -> None:
        super().__init__(place)
        self._file = place.output / "correctness.json"
        self._problems = {
            f"{dtype} d{head_dim} {shape}": (Kernel("", dtype, head_dim, DEFAULT_TILE), shape)
            for dtype, head_dim in VARIANTS
            for shape in SHAPES
        }

    def units(self) -> list[str]:
        return list(self._problems)

    def _entries(self) -> list[Any]:
        return read_json(self._file) if self._file.exists() else []

    def done(self) -> set[str]:
        return {entry["problem"] for entry in self._entries()}

    def measure(self, unit: str) -> Result:
        kernel, shape = self._problems[unit]
        command = [str(self.place.program("compare")), "--device", "gpu", *flags_of(kernel, shape)]
        results, said = run_json(command, self.seconds)
        if not results:
            raise Failure(said)
        kept = (
            *("chapter", "correct", "message", "checked_rows"),
            *("max_abs_error", "tolerance", "relative_error", "relative_tolerance"),
        )
        entry = {
            "problem": unit,
            "dtype": kernel.dtype,
            "head_dim": kernel.head_dim,
            **shape.columns(),
            "chapters": [{key: result[key] for key in kept} for result in results],
        }
        with self._lock:
            entries = [*self._entries(), entry]
            write_json(self._file, sorted(entries, key=lambda entry: self.position(entry["problem"])))
        wrong = [f"{program_of(str(r['chapter']))}: {r['message']}" for r in results if not r["correct"]]
        return Result("; ".join(wrong) or "right", not wrong)


# The tiles are measured, and profiled, in the chapters whose step changes what fits the registers.
TILE_CHAPTERS = ("3", "4", "5", "final")
# A sweep each, and the flags of benchmark for it; the default is fp16, head dimension 128, all lengths, warm L2.
FEWER = "--benchmark_repetitions=5"
SWEEPS = {
    "fp16_d128": [],
    "tiles": ["--chapters", "3,4,5", "--tiles", "all", "--lengths", "512,4096,16384", FEWER],
    "bf16_d128": ["--dtypes", "bf16"],
    "fp16_d64": ["--head-dims", "64"],
    "bf16_d64": ["--dtypes", "bf16", "--head-dims", "64"],
    "cold_l2": ["--l2", "cold", "--lengths", "512,4096", FEWER],
}


def shortened(report: dict[str, Any]) -> dict[str, Any]:
    """Google Benchmark's report without what says nothing of a GPU: of the aggregates, the median and the coefficient
    of variation are kept, and what did not run at all."""
    dropped = (
        "host_name",
        "executable",
        "num_cpus",
        "mhz_per_cpu",
        "cpu_scaling_enabled",
        "caches",
        "load_avg",
        "aslr_enabled",
    )
    entries = [e for e in report["benchmarks"] if e.get("aggregate_name", "median") in ("median", "cv")]
    indices = ("family_index", "per_family_instance_index", "repetition_index", "threads", "iterations", "cpu_time")
    return {
        "context": {key: value for key, value in report["context"].items() if key not in dropped},
        "benchmarks": [{key: value for key, value in entry.items() if key not in indices} for entry in entries],
    }


class Benchmark(Step):
    """Google Benchmark, which times the chapters in turn with the references. A unit is a file."""

    name = "benchmark"
    seconds = 240

    def units(self) -> list[str]:
        return list(SWEEPS)

    def _file(self, unit: str) -> Path:
        return self.place.output / f"benchmark_{unit}.json"

    def done(self) -> set[str]:
        return {unit for unit in self.units() if self._file(unit).exists()}

    def measure(self, unit: str) -> Result:
        temporary = self.place.output / f".benchmark_{unit}.json"
        options = ["--benchmark_report_aggregates_only=true", f"--benchmark_out={temporary}"]
        try:
            outcome = run([self.place.program("benchmark"), *SWEEPS[unit], *options], self.seconds)
            if outcome.timed_out:
                raise Failure(f"it took more than {self.seconds:.0f} s")
            report = read_json(temporary) if outcome.status in (0, 1) and temporary.exists() else {}
        finally:
            temporary.unlink(missing_ok=True)
        if not report.get("benchmarks"):
            raise Failure(f"no results: {outcome.last_line()}")
        write_json(self._file(unit), shortened(report))
        text = f"{len({entry['run_name'] for entry in report['benchmarks']})} kernels"
        return Result(text if outcome.status == 0 else f"{text}, of which some are WRONG", outcome.status == 0)


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


def is_clean(summary: str) -> bool:
    """Of "ERROR SUMMARY: 0 errors", or "RACECHECK SUMMARY: 0 hazards displayed (0 errors, 0 warnings)"."""
    numbers = re.findall(r"\d+", summary.split("SUMMARY:")[-1])
    return bool(numbers) and all(number == "0" for number in numbers)


class Sanitizer(Step):
    """compute-sanitizer's four tools on each chapter."""

    name = "sanitizer"
    seconds = 120
    at_once = 6
    tools = ("memcheck", "racecheck", "initcheck", "synccheck")

    def __init__(self, place: Place) -> None:
        super().__init__(place)
        self._file = place.output / "sanitizer.txt"
        self._shape = Shape(1, 2, 128, 256)
        self._targets = {
            f"{tool} {kernel}": (tool, kernel)
            for tool in self.tools
            for dtype, head_dim in VARIANTS
            for kernel in (Kernel(chapter, dtype, head_dim, DEFAULT_TILE) for chapter in place.chapters())
        }

    def units(self) -> list[str]:
        return list(self._targets)

    def _lines(self) -> dict[str, str]:
        text = self._file.read_text(encoding="utf-8") if self._file.exists() else ""
        return dict(line.split(": ", 1) for line in text.splitlines())

    def done(self) -> set[str]:
        return set(self._lines())

    def measure(self, unit: str) -> Result:
        tool_name, kernel = self._targets[unit]
        tool = find_tool("compute-sanitizer")
        if tool is None:
            raise NoCounters("compute-sanitizer is not in PATH: it comes with the CUDA Toolkit")
        program = self.place.program(program_of(kernel.chapter))
        command: list[str | Path] = [
            tool,
            "--tool",
            tool_name,
            program,
            "--device",
            "gpu",
            *flags_of(kernel, self._shape),
        ]
        outcome = run(command, self.seconds)
        summaries = [line for line in outcome.text.splitlines() if "SUMMARY:" in line]
        if not summaries:
            raise Failure("it took too long" if outcome.timed_out else f"no summary: {outcome.last_line()}")
        summary = summaries[-1].lstrip("= ")
        with self._lock:
            lines = self._lines() | {unit: summary}
            ordered = [f"{unit}: {lines[unit]}\n" for unit in sorted(lines, key=self.position)]
            write_text(self._file, "".join(ordered))
        return Result(summary, is_clean(summary))


class Agreement(Step):
    """The test that compares the GPU with the simulator: 2 units in the last place of max(|o|, rms / 4)."""

    name = "agreement"
    seconds = 180
    filter = "*AgreesWithTheSimulator*"

    def __init__(self, place: Place) -> None:
        super().__init__(place)
        self._file = place.output / "agreement.json"

    def units(self) -> list[str]:
        return ["all chapters"]

    def done(self) -> set[str]:
        return set(self.units()) if self._file.exists() else set()

    def measure(self, unit: str) -> Result:
        temporary = self.place.output / ".agreement.json"
        program = self.place.program("chapter_tests")
        try:
            outcome = run([program, f"--gtest_filter={self.filter}", f"--gtest_output=json:{temporary}"], self.seconds)
            report = read_json(temporary) if temporary.exists() else {}
        finally:
            temporary.unlink(missing_ok=True)
        tests = [self._result(test) for suite in report.get("testsuites", []) for test in suite["testsuite"]]
        if not tests:
            raise Failure("it took too long" if outcome.timed_out else f"no test ran: {outcome.last_line()}")
        skipped = [test["name"] for test in tests if test["result"] == "skipped"]
        if skipped:
            raise Failure(f"skipped: {', '.join(skipped)}")
        write_json(self._file, tests)
        failed = [test["name"] for test in tests if test["result"] != "passed"]
        return Result(f"{', '.join(failed)} failed" if failed else f"{len(tests)} tests passed", not failed)

    @staticmethod
    def _result(test: dict[str, Any]) -> dict[str, Any]:
        ran = test["result"] == "COMPLETED"
        result = "failed" if test.get("failures") else "passed" if ran else "skipped"
        known = (
            "name",
            "value_param",
            "file",
            "line",
            "status",
            "result",
            "timestamp",
            "time",
            "classname",
            "failures",
        )
        kept = {key: value for key, value in test.items() if key not in known}  # what the test itself recorded
        first_failure = test["failures"][0]["failure"] if test.get("failures") else ""
        return {"name": test["name"], "chapter": test.get("value_param", ""), "result": result, **kept} | (
            {"failure": first_failure} if first_failure else {}
        )


STEPS: tuple[type[Step], ...] = (Correctness, Benchmark, Profile, Wavefronts, Sanitizer, Agreement)
