"""Compiles the chapters with nvcc. No GPU is needed."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from measuring.commands import find_tool, run
from measuring.files import REPOSITORY, Failure
from measuring.kernels import Kernel, chapter_of, natural_key, program_of

COMPILE_SECONDS = 900
ARCHITECTURES = (80, 86, 89, 90, 100, 120)

_Result = TypeVar("_Result")


@dataclass(frozen=True)
class Compiler:
    path: str
    version: str  # "13.0.88"


def find_compiler() -> Compiler:
    path = find_tool("nvcc")
    if path is None:
        raise Failure("nvcc is neither in PATH nor in /usr/local/cuda/bin: install the CUDA Toolkit, 12.0 or later")
    match = re.search(r"\bV(\d+\.\d+\.\d+)", run([path, "--version"], 60).output)
    return Compiler(path, match[1] if match else "unknown")


def chapters_here() -> list[str]:
    """The chapters of this checkout: all directories that have a chapter.cu."""
    directories = [path.parent.name for path in REPOSITORY.glob("*/chapter.cu")]
    return [chapter_of(name) for name in sorted(directories, key=natural_key)]


@dataclass(frozen=True)
class Job:
    chapter: str
    sm: int


@dataclass(frozen=True)
class Compiled:
    job: Job
    cubin: Path
    log: str  # what ptxas -v says of each kernel


def compile_chapter(compiler: Compiler, job: Job, directory: Path) -> Compiled:
    name = program_of(job.chapter)
    cubin = directory / f"{name}_sm_{job.sm}.cubin"
    flags = ["-std=c++20", "-I.", f"-I{name}", f"-arch=sm_{job.sm}", "-Xptxas=-v", "--diag-suppress=445"]
    outcome = run([compiler.path, *flags, "-cubin", "-o", cubin, f"{name}/chapter.cu"], COMPILE_SECONDS, REPOSITORY)
    if outcome.timed_out:
        raise Failure(f"nvcc took more than {COMPILE_SECONDS} s for {name} and sm_{job.sm}")
    if outcome.status != 0:
        raise Failure(f"nvcc cannot compile {name} for sm_{job.sm}:\n{outcome.text}")
    return Compiled(job, cubin, outcome.text)


def compile_all(
    compiler: Compiler, jobs: Sequence[Job], at_once: int, take: Callable[[Compiled], _Result]
) -> list[_Result]:
    """Compiles, several at a time, and returns what `take` makes of each, in order. Prints a line for each."""
    with tempfile.TemporaryDirectory() as name, ThreadPoolExecutor(at_once) as pool:

        def work(job: Job) -> _Result:
            compiled = compile_chapter(compiler, job, Path(name))
            result = take(compiled)
            compiled.cubin.unlink()
            print(f"compiled {program_of(job.chapter)} for sm_{job.sm}", flush=True)
            return result

        return list(pool.map(work, jobs))


def cores() -> int:
    return len(os.sched_getaffinity(0))


def shared_bytes(chapter: str, kernels: Sequence[Kernel]) -> dict[Kernel, int]:
    """The dynamic shared memory of a block, which is what Config says and ptxas does not know. The host compiler reads
    the chapter's config.cuh and prints it."""
    if not kernels:
        return {}
    compiler = next((path for path in map(shutil.which, ("c++", "g++", "clang++")) if path), None)
    if compiler is None:
        raise Failure("no host compiler: install g++")
    lines = "".join(
        f'  std::printf("%d\\n", Config<device::{"Half" if k.dtype == "fp16" else "BFloat16"}, {k.head_dim}, '
        f"{k.tile.block_q}, {k.tile.block_kv}, {k.tile.warps}>::kSharedBytes);\n"
        for k in kernels
    )
    source = f'#include <cstdio>\n#include "config.cuh"\nint main() {{\n{lines}}}\n'
    with tempfile.TemporaryDirectory() as name:
        file = Path(name) / "shared_bytes.cpp"
        file.write_text(source, encoding="utf-8")
        flags = ["-std=c++20", "-w", "-I.", f"-I{program_of(chapter)}"]
        built = run([compiler, *flags, "-o", Path(name) / "program", file], COMPILE_SECONDS, REPOSITORY)
        if built.status != 0:
            raise Failure(f"{compiler} cannot read the configuration of {program_of(chapter)}:\n{built.text}")
        values = [int(line) for line in run([Path(name) / "program"], 60).output.split()]
    return dict(zip(kernels, values, strict=True))
