#!/usr/bin/env python3
"""Instruction counts of each kernel's main loop, from the disassembler, and the difference between two chapters.

No GPU is needed: nvcc compiles, cuobjdump disassembles. Counted is one pass through the loop over the keys, once for
each instruction in it, also where a branch may skip one. Fails if any kernel has a double-precision instruction.

  python3 common/tools/sass.py --chapters 3,4 --sm 90     half a minute; the difference is below the table
  python3 common/tools/sass.py --output docs/results/sass.csv   all chapters, sm_80 and sm_90
  python3 common/tools/sass.py --show                     the committed counts, without compiling
"""

from __future__ import annotations

import argparse
import hashlib
import itertools
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from measuring.commands import find_tool, run, run_main
from measuring.compiler import Compiled, Job, chapters_here, compile_all, cores, find_compiler
from measuring.files import RESULTS, Failure, Row, from_repository, read_csv, write_csv
from measuring.kernels import DEFAULT_TILE, DTYPES, HEAD_DIMS, Kernel, Tile, natural_key
from measuring.sass_groups import COUNTS, group_of, same_code
from measuring.text_table import text_table

COMMITTED = RESULTS / "sass.csv"

COLUMNS = (*Kernel.COLUMNS, "sm", *COUNTS, "double", "code", "nvcc")

DOUBLE_PRECISION = re.compile(
    r"^(DADD|DMUL|DFMA|DMMA|DSETP|DMNMX|F2F\.F64.*|F2F\.\w+\.F64|I2F\.F64.*|F2I\.\w*\.?F64.*)\b"
)


@dataclass(frozen=True)
class Instruction:
    address: int
    opcode: str  # with its modifiers: "HMMA.16816.F32"; "NOP" for one that is predicated off for good
    target: int | None  # of a branch


_FUNCTION = re.compile(r"^\s*Function : (\S+)", re.MULTILINE)
_INSTRUCTION = re.compile(r"/\*([0-9a-f]{4,6})\*/\s+(?:@(!?U?P\w+)\s+)?([A-Z][\w.]*)([^;]*);")
_TARGET = re.compile(r"0x([0-9a-f]+)")
_ENCODING = re.compile(r"/\* 0x([0-9a-f]{16}) \*/")


def functions(text: str) -> dict[str, str]:
    """What cuobjdump prints of each function."""
    parts = _FUNCTION.split(text)[1:]
    return dict(zip(parts[::2], parts[1::2], strict=True))


def digest(text: str) -> str:
    """Of the machine code of a function: equal for kernels that are the same to the byte."""
    return hashlib.sha256("".join(_ENCODING.findall(text)).encode()).hexdigest()[:12]


def parse_instructions(text: str) -> list[Instruction]:
    instructions = []
    for address, predicate, opcode, operands in _INSTRUCTION.findall(text):
        target = _TARGET.search(operands) if opcode.split(".")[0] == "BRA" else None
        opcode = "NOP" if predicate == "!PT" else opcode
        instructions.append(Instruction(int(address, 16), opcode, int(target[1], 16) if target else None))
    return instructions


def main_loop(instructions: Sequence[Instruction]) -> list[Instruction]:
    """From the target of a branch back to that branch: of all such, the one with the most HMMA, and of those the
    shortest. Empty if no loop has an HMMA."""
    best: list[Instruction] = []
    most = 0
    for branch in instructions:
        if branch.target is None or branch.target > branch.address:
            continue
        body = [i for i in instructions if branch.target <= i.address <= branch.address]
        products = sum(i.opcode.startswith("HMMA") for i in body)
        if products > most or (products == most > 0 and len(body) < len(best)):
            best, most = body, products
    return best


def count(instructions: Sequence[Instruction]) -> dict[str, int]:
    counter = Counter(group_of(instruction.opcode) for instruction in instructions)
    return {name: counter[name] for name in COUNTS[:-1]} | {"all": len(instructions)}


def count_double(instructions: Sequence[Instruction]) -> int:
    return sum(DOUBLE_PRECISION.match(instruction.opcode) is not None for instruction in instructions)


def rows_of(disassembly: str, chapter: str, sm: int, nvcc: str) -> list[Row]:
    rows = []
    for name, text in functions(disassembly).items():
        kernel = Kernel.of_name(chapter, name)
        if kernel is None:
            continue
        instructions = parse_instructions(text)
        loop = main_loop(instructions)
        if not loop:
            raise Failure(f"{kernel} for sm_{sm} has no loop with an HMMA")
        whole = {"double": count_double(instructions), "code": digest(text), "nvcc": nvcc}
        row = kernel.columns() | {"sm": sm} | count(loop) | whole
        rows.append({column: str(value) for column, value in row.items()})
    if not rows:
        raise Failure(f"the disassembly of chapter {chapter} for sm_{sm} has no kernel")
    return rows


def compile_rows(chapters: Sequence[str], architectures: Sequence[int], at_once: int, cuobjdump: str) -> list[Row]:
    compiler = find_compiler()

    def take(compiled: Compiled) -> list[Row]:
        outcome = run([cuobjdump, "--dump-sass", compiled.cubin], 300)
        if outcome.status != 0:
            raise Failure(f"{cuobjdump} failed: {outcome.last_line()}")
        return rows_of(outcome.output, compiled.job.chapter, compiled.job.sm, compiler.version)

    jobs = [Job(chapter, sm) for chapter in chapters for sm in architectures]
    rows = [row for group in compile_all(compiler, jobs, at_once, take) for row in group]
    return sorted(rows, key=lambda row: (natural_key(row["chapter"]), Kernel.of_row(row), int(row["sm"])))


# --- The table -------------------------------------------------------------------------------------------------------


def signed(value: int) -> str:
    return f"{value:+d}" if value else "0"


def report(rows: Sequence[Row], sm: int, dtype: str, head_dim: int, tile: Tile) -> str:
    """One line a chapter, and one for each step from a chapter to the next."""
    by_chapter = {
        row["chapter"]: row
        for row in rows
        if int(row["sm"]) == sm and Kernel.of_row(row) == Kernel(row["chapter"], dtype, head_dim, tile)
    }
    chapters = sorted(by_chapter, key=natural_key)
    if not chapters:
        return ""
    lines = [[f"chapter {c}", *(by_chapter[c][name] for name in COUNTS)] for c in chapters]
    for before, after in itertools.pairwise(chapters):
        changes = [signed(int(by_chapter[after][name]) - int(by_chapter[before][name])) for name in COUNTS]
        lines.append([f"{before} -> {after}", *changes])
    same = [f"the same machine code: chapters {', '.join(group)}\n" for group in same_code(by_chapter, chapters)]
    title = f"sm_{sm}, {dtype}, d{head_dim}, tile {tile}: instructions of the main loop\n"
    return title + text_table(["", *COUNTS], lines) + "".join(same)


def complain_of_double(rows: Sequence[Row]) -> None:
    guilty = [f"{Kernel.of_row(row)} sm_{row['sm']}" for row in rows if row["double"] != "0"]
    if guilty:
        raise Failure(f"double-precision instructions in {'; '.join(guilty)}")


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--chapters", metavar="LIST", help="such as 3,4 [all]")
    parser.add_argument("--sm", metavar="LIST", default="80,90", help="architectures [80,90]")
    parser.add_argument("--dtype", choices=DTYPES, default=DTYPES[0], help="of the kernels that are printed [fp16]")
    parser.add_argument("--head-dim", type=int, choices=HEAD_DIMS, default=128, help="likewise [128]")
    parser.add_argument("--tile", type=Tile.parse, default=DEFAULT_TILE, help="likewise [64x64x4]")
    parser.add_argument("--jobs", type=int, default=cores(), help="compilations at the same time [one a core]")
    parser.add_argument("--cuobjdump", default=find_tool("cuobjdump"), help="[looked for in PATH and /usr/local/cuda]")
    parser.add_argument("--output", type=Path, metavar="FILE", help="also writes the counts of all kernels as CSV")
    parser.add_argument("--show", action="store_true", help="prints the committed counts, compiles nothing")
    return parser.parse_args()


def main() -> int:
    arguments = parse_arguments()
    architectures = [int(sm) for sm in arguments.sm.split(",")]
    if arguments.show:
        rows = read_csv(COMMITTED)
    elif arguments.cuobjdump is None:
        raise Failure("cuobjdump is not in PATH: it comes with the CUDA Toolkit; --show prints the committed counts")
    else:
        chapters = arguments.chapters.split(",") if arguments.chapters else chapters_here()
        rows = compile_rows(chapters, architectures, arguments.jobs, arguments.cuobjdump)
    if not rows:
        raise Failure(f"there is no {from_repository(COMMITTED)}")
    if arguments.output:
        write_csv(arguments.output, COLUMNS, rows)
    for sm in architectures:
        print(report(rows, sm, arguments.dtype, arguments.head_dim, arguments.tile))
    complain_of_double(rows)
    return 0


if __name__ == "__main__":
    run_main("sass", main)
