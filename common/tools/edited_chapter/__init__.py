"""Compiles an edited copy of a chapter and runs it in the simulator.

One kernel is compiled, into a shared library (kernel.cpp), and the program `edited_chapter` (run.cpp) runs it: about a
second in all, where a whole chapter takes a minute.
"""

import json
import os
import shlex
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[3]
_SOURCE = Path(__file__).resolve().parent / "kernel.cpp"
_PREAMBLE = "common/harness/registration.cuh"  # what kernel.cpp includes before the chapter


class Failure(Exception):
    """The copy could not be compiled, or its program broke off. The text says what the compiler or program said."""


@dataclass(frozen=True)
class Shape:
    """Which kernel of a chapter is compiled."""

    head_dim: int = 128
    block_q: int = 64
    block_kv: int = 64
    warps: int = 4

    def config(self) -> str:
        """The arguments of the chapter's Config."""
        return f"device::Half, {self.head_dim}, {self.block_q}, {self.block_kv}, {self.warps}"

    def options(self) -> list[str]:
        """The same for the program's command line."""
        numbers = {"head-dim": self.head_dim, "block-q": self.block_q, "block-kv": self.block_kv, "warps": self.warps}
        return [word for name, number in numbers.items() for word in (f"--{name}", str(number))]


@dataclass(frozen=True)
class Problem:
    """What the kernel is run on."""

    heads: int = 1
    seq_q: int = 128
    seq_kv: int = 256
    input: str = "normal"

    def options(self) -> list[str]:
        return ["--heads", str(self.heads), "--seq-q", str(self.seq_q), "--seq-kv", str(self.seq_kv),
                "--input", self.input]  # fmt: skip


@dataclass(frozen=True)
class Hazard:
    """One kind of hazard at one pair of source lines."""

    kind: str
    file: str
    line: int
    tensor: str
    message: str


@dataclass(frozen=True)
class Outcome:
    """What a run showed."""

    correct: bool
    message: str  # what is wrong with the output, or ""
    hazards: list[Hazard]
    shared_bytes: int
    # "ldmatrix K excess": 0, of shared memory, by family and tensor: requests, wavefronts, excess; of global memory:
    # requests, sectors, excess.
    traffic: dict[str, int]
    per_key_tile: dict[str, int] = field(default_factory=dict)  # warp instructions of a block: "ldmatrix": 256


def _hazard(entry: dict[str, Any]) -> Hazard:
    file, _, line = entry["site"].rpartition(":")
    return Hazard(entry["kind"], file, int(line), entry["tensor"], entry["message"])


def _traffic(counters: dict[str, Any]) -> dict[str, int]:
    counts = {}
    families = [(name, "wavefronts", family) for name, family in counters.items() if name != "global"]
    families += [(name, "sectors", family) for name, family in counters["global"].items()]
    for name, unit, family in families:
        for tensor, numbers in family.get("tensors", {}).items():
            place = f"{name} {tensor}" if unit == "wavefronts" else f"global {name} {tensor}"
            counts[f"{place} requests"] = numbers["requests"]
            counts[f"{place} {unit}"] = numbers[unit]
            counts[f"{place} excess"] = numbers[unit] - numbers[f"ideal_{unit}"]
    return counts


def read_outcome(report: dict[str, Any]) -> Outcome:
    """The outcome in what the program wrote with --json."""
    return Outcome(
        correct=report["correct"],
        message=report["message"],
        hazards=[_hazard(entry) for entry in report["hazards"]["list"]],
        shared_bytes=report["config"]["shared_bytes"],
        traffic=_traffic(report["counters"]),
        per_key_tile=report["per_key_tile"]["instructions"],
    )


@dataclass(frozen=True)
class Toolchain:
    """How copies are compiled and run: with the compiler and flags of the build, by its program edited_chapter."""

    compiler: str
    flags: str
    program: Path

    def _compile(self, arguments: list[str]) -> None:
        command = [self.compiler, *shlex.split(self.flags), "-std=c++20", "-O1", "-fPIC", "-Wno-unknown-pragmas"]
        result = subprocess.run(command + arguments, capture_output=True, text=True, cwd=ROOT, check=False)
        if result.returncode != 0:
            raise Failure(result.stderr)

    def precompile(self, directory: Path) -> Path:
        """Compiles once what all copies include. For `compile`, when there are many."""
        header = directory / "preamble.h"
        header.write_text(f'#include "{_PREAMBLE}"\n')
        self._compile(["-I.", "-x", "c++-header", str(header), "-o", f"{header}.gch"])
        return header

    def compile(self, copy: Path, chapter: str, shape: Shape, library: Path, precompiled: Path | None = None) -> None:
        """Compiles one kernel of the copy of a chapter. Throws Failure with the compiler's words."""
        preamble = ["-include", str(precompiled)] if precompiled else []
        number = chapter.removeprefix("chapter")
        macros = [f"-DCHAPTER_NUMBER={number}", f"-DKERNEL={shape.config()}"]
        self._compile([*preamble, f"-I{copy}", "-I.", *macros, "-shared", str(_SOURCE), "-o", str(library)])

    def run(self, library: Path, shape: Shape, problem: Problem) -> Outcome:
        """Runs the kernel and compares all of O with the float64 reference."""
        command = [str(self.program), str(library), "--device", "sim", "--check", "full", "--json", "-"]
        command += shape.options() + problem.options()
        result = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False, timeout=120)
        if result.returncode not in (0, 1) or not result.stdout:
            raise Failure(f"{shlex.join(command)} ended with status {result.returncode}: {result.stderr}")
        return read_outcome(json.loads(result.stdout))


def parallel_jobs() -> int:
    """As many as this process may use cores."""
    return len(os.sched_getaffinity(0))
