"""Steps that run the programs of the build, or compute-sanitizer on them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from measuring.commands import find_tool, run
from measuring.files import Failure, read_json, write_json, write_text
from measuring.kernels import DEFAULT_TILE, DTYPES, SHAPES, Kernel, Shape, Tile, flags_of, program_of
from measuring.machine import run_json
from measuring.profiler import NoCounters
from measuring.results import TILES
from measuring.step import TILE_CHAPTERS, VARIANTS, Place, Result, Step


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


FEWER = "--benchmark_repetitions=5"


def variant_flags(dtype: str, head_dim: int) -> list[str]:
    return ["--dtypes", dtype, "--head-dims", str(head_dim)]


# A sweep each, and the flags of benchmark for it. All chapters, all lengths, the default tile and a warm L2 cache are
# what it does unless told otherwise. The tiles come last: they take the longest.
SWEEPS = {
    **{f"{dtype}_d{head_dim}": variant_flags(dtype, head_dim) for dtype, head_dim in VARIANTS},
    "cold_l2": ["--l2", "cold", "--lengths", "512,4096", FEWER],
    **{
        f"{TILES}_{dtype}_d{head_dim}": [*variant_flags(dtype, head_dim), "--tiles", "all", FEWER]
        for dtype, head_dim in VARIANTS
    },
}


def shortened(report: dict[str, Any], flags: Sequence[str]) -> dict[str, Any]:
    """Google Benchmark's report with the flags of the sweep, and without what says nothing of a GPU: of the aggregates,
    the median and the coefficient of variation are kept, and what did not run at all."""
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
    context = {key: value for key, value in report["context"].items() if key not in dropped}
    return {
        "context": context | {"flags": " ".join(flags)},
        "benchmarks": [{key: value for key, value in entry.items() if key not in indices} for entry in entries],
    }


class Benchmark(Step):
    """Google Benchmark, which times the chapters in turn with the references. A unit is a file."""

    name = "benchmark"
    seconds = 300

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
        write_json(self._file(unit), shortened(report, SWEEPS[unit]))
        text = f"{len({entry['run_name'] for entry in report['benchmarks']})} kernels"
        return Result(text if outcome.status == 0 else f"{text}, of which some are WRONG", outcome.status == 0)


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
        chapters = place.chapters()
        kernels = [Kernel(chapter, *variant, DEFAULT_TILE) for variant in VARIANTS for chapter in chapters]
        # With 32 rows a warp chapters 4 and 5 do not hold Q whole: it is read behind other barriers.
        kernels += [
            Kernel(chapter, dtype, 128, Tile(128, 64, 4))
            for dtype in DTYPES
            for chapter in chapters
            if chapter in TILE_CHAPTERS
        ]
        self._targets = {f"{tool} {kernel}": (tool, kernel) for tool in self.tools for kernel in kernels}

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
