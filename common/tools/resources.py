#!/usr/bin/env python3
"""Registers, spills, stack, shared memory and blocks per multiprocessor of every kernel, from the compiler's report.

No GPU is needed: nvcc compiles each chapter for each architecture, and ptxas says what each kernel takes. How many
blocks fit a multiprocessor at the same time follows from that and from the architecture's limits.

  python3 common/tools/resources.py                          all chapters, all architectures, a quarter of an hour
  python3 common/tools/resources.py --chapters 3,4 --sm 90   half a minute
  python3 common/tools/resources.py --output docs/results/resources.csv
  python3 common/tools/resources.py --show                   the committed report, without compiling
  python3 common/tools/resources.py --log build-ci/log --check   against what a build with FLASH_RESOURCE_USAGE printed
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from measuring import occupancy
from measuring.commands import run_main
from measuring.compiler import (
    ARCHITECTURES,
    Compiled,
    Job,
    chapters_here,
    compile_all,
    cores,
    find_compiler,
    shared_bytes,
)
from measuring.files import RESULTS, Failure, Row, from_repository, read_csv, write_csv
from measuring.kernels import Kernel, natural_key
from measuring.text_table import text_table

COLUMNS = (
    *Kernel.COLUMNS,
    "sm",
    "registers",
    "spill_store_bytes",
    "spill_load_bytes",
    "stack_bytes",
    "shared_bytes",
    "blocks_per_sm",
    "nvcc",
)
COMMITTED = RESULTS / "resources.csv"


@dataclass(frozen=True)
class Usage:
    """What ptxas says of one kernel. Bytes are of a thread; a spilled register is stored once and loaded once or more,
    so the two counts differ."""

    kernel: Kernel
    sm: int
    registers: int
    spill_store_bytes: int
    spill_load_bytes: int
    stack_bytes: int
    static_shared_bytes: int


_BUILDING = re.compile(r"Building CUDA object .*?chapter(\d+)")
_ENTRY = re.compile(r"Compiling entry function '([^']+)' for 'sm_(\d+)\w?'")
_MEMORY = re.compile(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads")
_REGISTERS = re.compile(r"Used (\d+) registers")
_STATIC_SHARED = re.compile(r"(\d+) bytes smem")


def parse_log(text: str, chapter: str = "") -> list[Usage]:
    """Of ptxas -v for one chapter, or of the output of a whole build, in which CMake's lines name the chapters."""
    usages = []
    kernel: Kernel | None = None
    sm = 0
    memory = (0, 0, 0)
    for line in text.splitlines():
        if match := _BUILDING.search(line):
            chapter = match[1]
        elif match := _ENTRY.search(line):
            kernel, sm = Kernel.of_name(chapter, match[1]), int(match[2])
        elif match := _MEMORY.search(line):
            stack, stores, loads = map(int, match.groups())
            memory = (stack, stores, loads)
        elif (match := _REGISTERS.search(line)) and kernel:
            static = _STATIC_SHARED.search(line)
            stack, stores, loads = memory
            usages.append(Usage(kernel, sm, int(match[1]), stores, loads, stack, int(static[1]) if static else 0))
            kernel = None
    return usages


def rows_of(usages: Sequence[Usage], dynamic_shared: dict[Kernel, int], nvcc: str) -> list[Row]:
    rows = []
    for usage in sorted(usages, key=lambda usage: (natural_key(usage.kernel.chapter), usage.kernel, usage.sm)):
        shared = dynamic_shared[usage.kernel] + usage.static_shared_bytes
        blocks = occupancy.blocks_per_sm(usage.sm, usage.registers, shared, usage.kernel.tile.warps)
        row = usage.kernel.columns() | {
            "sm": usage.sm,
            "registers": usage.registers,
            "spill_store_bytes": usage.spill_store_bytes,
            "spill_load_bytes": usage.spill_load_bytes,
            "stack_bytes": usage.stack_bytes,
            "shared_bytes": shared,
            "blocks_per_sm": blocks,
            "nvcc": nvcc,
        }
        rows.append({column: str(value) for column, value in row.items()})
    return rows


def shared_of(kernels: Iterable[Kernel]) -> dict[Kernel, int]:
    by_chapter: dict[str, list[Kernel]] = {}
    for kernel in sorted(set(kernels)):
        by_chapter.setdefault(kernel.chapter, []).append(kernel)
    return {k: v for chapter, group in by_chapter.items() for k, v in shared_bytes(chapter, group).items()}


def compile_rows(chapters: Sequence[str], architectures: Sequence[int], at_once: int) -> list[Row]:
    compiler = find_compiler()

    def take(compiled: Compiled) -> list[Usage]:
        usages = parse_log(compiled.log, compiled.job.chapter)
        if not usages:
            raise Failure(f"ptxas said nothing of a kernel of chapter {compiled.job.chapter}: {compiled.log[-500:]}")
        return usages

    jobs = [Job(chapter, sm) for chapter in chapters for sm in architectures]
    usages = [usage for group in compile_all(compiler, jobs, at_once, take) for usage in group]
    return rows_of(usages, shared_of(usage.kernel for usage in usages), compiler.version)


# --- The table -------------------------------------------------------------------------------------------------------


def spills(row: Row | None) -> bool:
    return row is not None and int(row["spill_store_bytes"]) + int(row["spill_load_bytes"]) > 0


def takes(row: Row | None) -> str:
    """ "168", or with the bytes of local memory of a kernel that spills: "255+224"."""
    if row is None:
        return "n/a"
    return row["registers"] + (f"+{row['stack_bytes']}" if spills(row) else "")


def report(rows: Sequence[Row], dtype: str, sm: int) -> str:
    """One line a head dimension and tile, chapters 3 and 4 side by side before the others."""
    by_kernel = {Kernel.of_row(row): row for row in rows if int(row["sm"]) == sm and row["dtype"] == dtype}
    present = sorted({kernel.chapter for kernel in by_kernel}, key=natural_key)
    chapters = [c for c in ("3", "4") if c in present] + [c for c in present if c not in ("3", "4")]
    lines = []
    for head_dim, tile in sorted({(kernel.head_dim, kernel.tile) for kernel in by_kernel}, reverse=True):
        found = [by_kernel.get(Kernel(chapter, dtype, head_dim, tile)) for chapter in chapters]
        some = next(row for row in found if row)
        cells = [f"{takes(row)}{' *' if spills(row) else '  '}" for row in found]
        blocks = "/".join(row["blocks_per_sm"] if row else "-" for row in found)
        lines.append([f"d{head_dim}", str(tile), *cells, some["shared_bytes"], blocks])
    header = ["", "tile", *(f"chapter {c}  " for c in chapters), "shared\nbytes", "blocks\nper SM"]
    return f"sm_{sm}, {dtype}: registers of a thread, + bytes of local memory for what they do not hold\n" + text_table(
        header, lines, left=2
    )


def conclusion(rows: Sequence[Row]) -> str:
    """Which kernels spill in chapter 3 and no longer in chapter 4, and where."""
    by_key = {(Kernel.of_row(row), int(row["sm"])): row for row in rows}
    cured: dict[str, list[int]] = {}
    for (kernel, sm), row in by_key.items():
        after = by_key.get((Kernel("4", kernel.dtype, kernel.head_dim, kernel.tile), sm))
        if kernel.chapter == "3" and spills(row) and after and not spills(after):
            cured.setdefault(f"{kernel.dtype} d{kernel.head_dim} {kernel.tile}", []).append(sm)
    lines = [f"  {kernel} on sm_{', sm_'.join(map(str, sorted(where)))}\n" for kernel, where in sorted(cured.items())]
    return "Spill in chapter 3 and not in chapter 4:\n" + "".join(lines) if lines else ""


def reports(rows: Sequence[Row]) -> str:
    architectures = sorted({int(row["sm"]) for row in rows})
    dtypes = [dtype for dtype in ("fp16", "bf16") if any(row["dtype"] == dtype for row in rows)]
    text = "\n".join(report(rows, dtype, sm) for sm in architectures for dtype in dtypes)
    return text + "* spills\n" + conclusion(rows)


def differences(rows: Sequence[Row], committed: Sequence[Row]) -> list[str]:
    """What the committed report says otherwise of the kernels and architectures in `rows`."""
    known = {(Kernel.of_row(row), row["sm"]): row for row in committed}
    complaints = []
    for row in rows:
        kernel = Kernel.of_row(row)
        before = known.get((kernel, row["sm"]))
        if before is None:
            complaints.append(f"{kernel} sm_{row['sm']} is missing")
        elif before != row:
            changed = [
                f"{column} {before[column]}, now {row[column]}" for column in row if before[column] != row[column]
            ]
            complaints.append(f"{kernel} sm_{row['sm']}: {', '.join(changed)}")
    return complaints


def check(rows: Sequence[Row], committed_file: Path) -> int:
    committed = read_csv(committed_file)
    recorded = {row["nvcc"] for row in committed}
    used = {row["nvcc"] for row in rows}
    if committed and recorded != used:
        print(f"not compared: recorded with nvcc {', '.join(recorded)}, this is {', '.join(used)}")
        return 0
    complaints = differences(rows, committed)
    for complaint in complaints:
        print(complaint)
    if complaints:
        raise Failure(f"{from_repository(committed_file)} is stale: run python3 common/tools/resources.py --output it")
    print(f"{from_repository(committed_file)} agrees in {len(rows)} kernels")
    return 0


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--chapters", metavar="LIST", help="such as 3,4 [all]")
    parser.add_argument("--sm", metavar="LIST", help="architectures, such as 80,90 [80,86,89,90,100,120]")
    parser.add_argument("--jobs", type=int, default=cores(), help="compilations at the same time [one a core]")
    parser.add_argument("--output", type=Path, metavar="FILE", help="also writes the report as CSV")
    parser.add_argument("--show", action="store_true", help="prints the committed report, compiles nothing")
    parser.add_argument("--log", type=Path, metavar="FILE", help="reads a build's output instead of compiling")
    parser.add_argument("--check", action="store_true", help="fails if the committed report says otherwise")
    return parser.parse_args()


def log_rows(file: Path) -> list[Row]:
    usages = parse_log(file.read_text(encoding="utf-8"))
    if not usages:
        raise Failure(f"{file} names no kernel: build with -DFLASH_RESOURCE_USAGE=ON")
    return rows_of(usages, shared_of(usage.kernel for usage in usages), find_compiler().version)


def main() -> int:
    arguments = parse_arguments()
    if arguments.show:
        rows = read_csv(COMMITTED)
        if not rows:
            raise Failure(f"there is no {from_repository(COMMITTED)}")
    elif arguments.log:
        rows = log_rows(arguments.log)
    else:
        chapters = arguments.chapters.split(",") if arguments.chapters else chapters_here()
        architectures = [int(sm) for sm in arguments.sm.split(",")] if arguments.sm else ARCHITECTURES
        rows = compile_rows(chapters, architectures, arguments.jobs)
    if arguments.output:
        write_csv(arguments.output, COLUMNS, rows)
    if arguments.check:
        return check(rows, COMMITTED)
    print(reports(rows), end="")
    return 0


if __name__ == "__main__":
    run_main("resources", main)
