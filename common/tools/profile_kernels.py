#!/usr/bin/env python3
"""Profiles chapters with Nsight Compute: why warps wait, and what the kernel does to the tensor cores and memories.

Clocks are left as they are. On a machine without a GPU, or without permission to read its counters, it says so and
shows the profiles that are committed under docs/results.

  python3 common/tools/profile_kernels.py               all chapters at 16 x 4096, fp16, head dimension 128
  python3 common/tools/profile_kernels.py --chapters 3,4 --tiles 64x64x4,128x64x4 --shapes 16x512,16x4096
  python3 common/tools/profile_kernels.py --chapters 4 --dtype bf16 --output profile.csv
  python3 common/tools/profile_kernels.py --chapters 3 --instructions 10    where in the machine code warps wait
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from measuring.commands import run_main
from measuring.files import RESULTS, Failure, Row, from_repository, read_csv, write_csv
from measuring.kernels import DEFAULT_TILE, DTYPES, HEAD_DIMS, Kernel, Shape, Tile
from measuring.machine import chapters as built_chapters
from measuring.ncu import PROFILE_COLUMNS, STALL_COLUMNS
from measuring.profiler import Profiler
from measuring.text_table import text_table

STALL_HEADINGS = (
    "long\nscoreb.",
    "short\nscoreb.",
    "barrier",
    "math\npipe",
    "MIO",
    "wait",
    "not\nselected",
    "selected",
    "other",
)
WHAT = (
    "ms",
    "MHz",
    "tensor\npipe %",
    "shared\npipe %",
    "issue\nslots %",
    "registers",
    "shared\nbytes",
    "blocks\nper SM",
)
WHAT_COLUMNS = (
    "time_ms",
    "sm_mhz",
    "tensor_percent",
    "shared_percent",
    "issue_percent",
    "registers",
    "dynamic_shared_bytes",
    "blocks_per_sm",
)
TRAFFIC = ("ldmatrix", "loads", "stores", "mma", "DRAM read", "written", "L2", "L2 hits %")
TRAFFIC_COLUMNS = (
    "ldmatrix_wavefronts",
    "load_wavefronts",
    "store_wavefronts",
    "tensor_instructions",
    "dram_read_bytes",
    "dram_write_bytes",
    "l2_bytes",
    "l2_hit_percent",
)


def in_megabytes(column: str, value: str) -> str:
    if not column.endswith("_bytes") or column == "dynamic_shared_bytes" or not value.replace(".", "").isdigit():
        return value
    return f"{float(value) / 1e6:.0f} MB"


def report(rows: Sequence[Row]) -> str:
    """Three tables with a line for each launch."""

    def table(headings: Sequence[str], columns: Sequence[str]) -> str:
        lines = [
            [str(Kernel.of_row(row)), str(Shape.of_row(row)), *(in_megabytes(c, row.get(c, "n/a")) for c in columns)]
            for row in rows
        ]
        return text_table(["kernel", "problem", *headings], lines, left=2)

    return (
        table(WHAT, WHAT_COLUMNS)
        + "\nShares of what warps did, per cent: for which reason they did not issue, or that they did (selected)\n"
        + table(STALL_HEADINGS, STALL_COLUMNS)
        + "\nWavefronts of shared memory by instruction, tensor instructions, and traffic\n"
        + table(TRAFFIC, TRAFFIC_COLUMNS)
    )


def show_committed(chapters: Sequence[str]) -> None:
    for file in sorted(RESULTS.glob("*/profile.csv")):
        rows = [row for row in read_csv(file) if not chapters or row["chapter"] in chapters]
        print(f"\nThe profile in {from_repository(file)}:\n\n{report(rows)}", end="")


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--build", type=Path, default=Path("build"), metavar="DIR", help="with bin/chapterN in it [build]"
    )
    parser.add_argument("--chapters", metavar="LIST", help="such as 2,3 [all that are built]")
    parser.add_argument(
        "--tiles", default=str(DEFAULT_TILE), metavar="LIST", help="query rows x key rows x warps [64x64x4]"
    )
    parser.add_argument("--shapes", default="16x4096", metavar="LIST", help="batches x length [16x4096]")
    parser.add_argument("--heads", type=int, default=16, help="[16]")
    parser.add_argument("--dtype", choices=DTYPES, default=DTYPES[0], help="[fp16]")
    parser.add_argument("--head-dim", type=int, choices=HEAD_DIMS, default=HEAD_DIMS[0], help="[128]")
    parser.add_argument("--output", type=Path, metavar="FILE", help="also writes the figures as CSV")
    parser.add_argument("--instructions", type=int, metavar="N", help="shows the N instructions where warps wait most")
    return parser.parse_args()


def targets(arguments: argparse.Namespace) -> list[tuple[Kernel, Shape]]:
    chapters = arguments.chapters.split(",") if arguments.chapters else built_chapters(arguments.build)
    tiles = [Tile.parse(text) for text in arguments.tiles.split(",")]
    shapes = [Shape.parse(text, arguments.heads) for text in arguments.shapes.split(",")]
    return [
        (Kernel(chapter, arguments.dtype, arguments.head_dim, tile), shape)
        for shape in shapes
        for tile in tiles
        for chapter in chapters
    ]


def measure(build: Path, wanted: Sequence[tuple[Kernel, Shape]]) -> list[Row]:
    profiler = Profiler(build)
    rows = []
    for kernel, shape in wanted:
        print(f"profiling {kernel} at {shape}", file=sys.stderr, flush=True)
        rows.append(profiler.profile(kernel, shape))
    return rows


def show_instructions(build: Path, wanted: Sequence[tuple[Kernel, Shape]], count: int) -> None:
    profiler = Profiler(build)
    for kernel, shape in wanted:
        found = profiler.hot_instructions(kernel, shape, count)
        lines = [[hot.address, hot.text, hot.reason, f"{hot.share:.1f}"] for hot in found]
        print(
            f"{kernel} at {shape}\n{text_table(['address', 'instruction', 'waits for', '% of samples'], lines, left=3)}"
        )


def main() -> int:
    arguments = parse_arguments()
    wanted = targets(arguments)
    try:
        if arguments.instructions:
            show_instructions(arguments.build, wanted, arguments.instructions)
            return 0
        rows = measure(arguments.build, wanted)
    except Failure as reason:
        print(f"profile_kernels: {reason}", file=sys.stderr, flush=True)
        show_committed(arguments.chapters.split(",") if arguments.chapters else [])
        return 1
    if arguments.output:
        write_csv(arguments.output, PROFILE_COLUMNS, rows)
    print(report(rows), end="")
    return 0


if __name__ == "__main__":
    run_main("profile_kernels", main)
