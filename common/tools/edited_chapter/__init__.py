"""Compiles an edited copy of a chapter and runs it in the simulator.

One kernel is compiled, into a shared library (one_kernel.cpp), and the program `edited_chapter` (run.cpp) runs it:
less than a second in all, where building a whole chapter takes a minute.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[3]
_SOURCE = Path(__file__).resolve().parent / "one_kernel.cpp"
_SECONDS = 120  # that a run may take


class Failure(Exception):
    """The copy could not be compiled, or the program broke off. The text says what the compiler or program said."""


class Refused(Failure):
    """The program would not run the kernel. The text is its sentence."""


@dataclass(frozen=True)
class Shape:
    """Which kernel of a chapter is compiled. All are for fp16."""

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
        numbers = {"heads": self.heads, "seq-q": self.seq_q, "seq-kv": self.seq_kv}
        words = [word for name, number in numbers.items() for word in (f"--{name}", str(number))]
        return [*words, "--input", self.input]


@dataclass(frozen=True)
class Hazard:
    """One kind of hazard at one pair of source lines."""

    kind: str  # "read_before_wait", ...
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
    # Of shared memory, "ldmatrix K excess": 0, by family and tensor: requests, wavefronts and excess, which is the
    # wavefronts beyond the fewest possible. Of global memory, "global cp_async K excess": 0: requests, sectors, excess.
    traffic: dict[str, int]
    per_key_tile: dict[str, int] = field(default_factory=dict)  # warp instructions of a block: "ldmatrix": 256


def _hazard(entry: dict[str, Any]) -> Hazard:
    file, _, line = entry["site"].rpartition(":")
    return Hazard(entry["kind"], file, int(line), entry["tensor"], entry["message"])


def _traffic(counters: dict[str, Any]) -> dict[str, int]:
    counts = {}
    families = [(name, "wavefronts", family) for name, family in counters.items() if name != "global"]
    families += [(f"global {name}", "sectors", family) for name, family in counters["global"].items()]
    for name, unit, family in families:
        for tensor, numbers in family.get("tensors", {}).items():
            counts[f"{name} {tensor} requests"] = numbers["requests"]
            counts[f"{name} {tensor} {unit}"] = numbers[unit]
            counts[f"{name} {tensor} excess"] = numbers[unit] - numbers[f"ideal_{unit}"]
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
    """How copies are compiled and run: with a compiler and flags, by a build's program edited_chapter."""

    compiler: str
    flags: str
    program: Path

    @staticmethod
    def of_build(build: Path) -> Toolchain:
        """With the compiler and the flags of a build. Throws Failure if the directory holds none."""
        cache = build / "CMakeCache.txt"
        if not cache.exists():
            raise Failure(f"{build} is no build: it has no CMakeCache.txt")
        entries = dict(re.findall(r"^(\w+):\w+=(.*)$", cache.read_text(encoding="utf-8"), re.MULTILINE))
        program = build / "bin" / "edited_chapter"
        return Toolchain(entries["CMAKE_CXX_COMPILER"], entries["CMAKE_CXX_FLAGS"], program.resolve())

    def _compile(self, arguments: Sequence[str]) -> None:
        # Without optimisation: compiling takes longer than running.
        command = [self.compiler, *shlex.split(self.flags), "-std=c++20", "-O0", "-fPIC", "-Wno-unknown-pragmas"]
        done = subprocess.run([*command, *arguments], capture_output=True, text=True, cwd=ROOT, check=False)
        if done.returncode != 0:
            raise Failure(done.stderr)

    def compile(self, copy: Path, chapter: str, shape: Shape, library: Path) -> None:
        """Compiles one kernel of the copy of a chapter. Throws Failure with the compiler's words."""
        macros = [f"-DCHAPTER_NUMBER={chapter.removeprefix('chapter')}", f"-DKERNEL={shape.config()}"]
        linking = ["-shared", "-nostdlib"]  # all that the kernel calls is in the program
        self._compile([f"-I{copy}", "-I.", *macros, *linking, str(_SOURCE), "-o", str(library)])

    def run(self, library: Path, shape: Shape, problem: Problem) -> Outcome:
        """Runs the kernel and compares all of O with the float64 reference. Throws Refused, or Failure."""
        command = [str(self.program), str(library), "--device", "sim", "--check", "full", "--json", "-"]
        command += shape.options() + problem.options()
        try:
            done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False, timeout=_SECONDS)
        except subprocess.TimeoutExpired:
            raise Failure(f"{shlex.join(command)} takes more than {_SECONDS} seconds") from None
        except OSError as error:
            raise Failure(f"{self.program} cannot be run ({error.strerror}): build the target edited_chapter") from None
        if done.stdout and done.returncode in (0, 1):
            return read_outcome(json.loads(done.stdout))
        sentence = done.stderr.strip().removeprefix("edited_chapter: ")
        if done.returncode in (1, 2):
            raise Refused(sentence)
        raise Failure(f"{shlex.join(command)} broke off with status {done.returncode}: {sentence}")


def parallel_jobs() -> int:
    """As many as this process may use cores."""
    return len(os.sched_getaffinity(0))
