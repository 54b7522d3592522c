"""Runs Nsight Compute on one launch of a kernel."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Sequence
from pathlib import Path

from measuring.commands import Outcome, find_tool, run
from measuring.files import Failure, Row
from measuring.kernels import Kernel, Shape, flags_of, program_of
from measuring.ncu import (
    FIELDS,
    SECTIONS,
    Field,
    Hot,
    Metrics,
    hot_instructions,
    parse_raw,
    profile_row,
    sampled_instructions,
)

KERNEL_NAME = "attention_forward"
PERMISSION = (
    "the driver keeps the counters for administrators (ERR_NVGPUCTRPERM): run this as root, or put the line 'options "
    "nvidia NVreg_RestrictProfilingToAdminUsers=0' into /etc/modprobe.d/nvidia-counters.conf and restart the machine; "
    "a container needs --cap-add=SYS_ADMIN besides"
)


class NoCounters(Failure):
    """Nothing can be profiled on this machine."""


def unknown_metrics(log: str, metrics: Sequence[str]) -> list[str]:
    """Those that an error message names."""
    errors = "\n".join(line for line in log.splitlines() if line.startswith(("==ERROR==", "==WARNING==")))
    return [name for name in metrics if re.search(rf"\b{re.escape(name.split('.')[0])}\b", errors)]


def explain(outcome: Outcome, log: str) -> Failure:
    text = log + outcome.text
    if "ERR_NVGPUCTRPERM" in text:
        return NoCounters(PERMISSION)
    errors = [line.removeprefix("==ERROR==").strip() for line in text.splitlines() if line.startswith("==ERROR==")]
    program = [line for line in outcome.errors.splitlines() if not line.startswith("==")]
    said = "; ".join([*errors[:1], *program[-1:]]) or f"exit status {outcome.status}"
    if "LibraryNotLoaded" in text or "not supported" in text:
        return NoCounters(f"ncu cannot read counters here: {said}")
    return Failure("ncu took too long" if outcome.timed_out else f"ncu gave no counters: {said}")


class Profiler:
    """Nsight Compute and the programs of one build. It remembers what this machine refused."""

    def __init__(self, build: Path, seconds: float = 60) -> None:
        path = find_tool("ncu")
        if path is None:
            raise NoCounters("ncu is not in PATH: Nsight Compute comes with the CUDA Toolkit")
        self._path = path
        self._build = build
        self._seconds = seconds
        self._unknown: set[str] = set()
        self._kill = True

    def _launch(self, kernel: Kernel, shape: Shape, options: Sequence[str]) -> Outcome:
        """Profiles the first launch of the kernel, which is the one whose result the program checks, at whatever clocks
        the GPU has, and ends the program then."""
        program = self._build / "bin" / program_of(kernel.chapter)
        if not program.exists():
            raise Failure(f"there is no {program}: build it first")
        which = ["--clock-control", "none", "--kernel-name", KERNEL_NAME, "--launch-count", "1"]
        end = ["--kill", "yes"] if self._kill else []
        target = [str(program), "--device", "gpu", *flags_of(kernel, shape)]
        return run([self._path, *which, *options, *end, *target], self._seconds)

    def measure(self, kernel: Kernel, shape: Shape, fields: Sequence[Field], sections: Sequence[str] = ()) -> Metrics:
        """The metrics of one launch of one kernel."""
        output = ["--page", "raw", "--csv", "--print-units", "base", "--log-file"]
        chosen = [word for section in sections for word in ("--section", section)]
        while True:
            metrics = [name for field in fields for name in field.metrics if name not in self._unknown]
            with tempfile.TemporaryDirectory() as directory:
                file = Path(directory) / "log"
                options = [*output, str(file), *chosen, "--metrics", ",".join(metrics)]
                outcome = self._launch(kernel, shape, options)
                log = file.read_text(encoding="utf-8", errors="replace") if file.exists() else ""
            launches = parse_raw(log)
            unknown = unknown_metrics(log + outcome.text, metrics)
            if launches:
                return launches[0]
            if outcome.timed_out and self._kill:
                self._kill = False
            elif unknown:
                self._unknown.update(unknown)
            else:
                raise explain(outcome, log)

    def profile(self, kernel: Kernel, shape: Shape) -> Row:
        return profile_row(kernel, shape, self.measure(kernel, shape, FIELDS, SECTIONS))

    def source_page(self, kernel: Kernel, shape: Shape) -> str:
        """Samples of the warps' program counters, for each instruction."""
        with tempfile.TemporaryDirectory() as directory:
            file = Path(directory) / "report.ncu-rep"
            outcome = self._launch(kernel, shape, ["--section", "SourceCounters", "--export", str(file)])
            if not file.exists():
                raise explain(outcome, "")
            listing = run([self._path, "--import", file, "--page", "source", "--csv"], self._seconds)
        if not sampled_instructions(listing.output):
            raise explain(listing, "")
        return listing.output

    def hot_instructions(self, kernel: Kernel, shape: Shape, count: int) -> list[Hot]:
        """Where in the machine code warps wait."""
        return hot_instructions(self.source_page(kernel, shape), count)
