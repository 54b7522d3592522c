#!/usr/bin/env python3
"""Plants faults in the chapters and requires that the simulator notices each of them.

  common/tests/mutation/mutation_test.py                  after a build in build/, or in another one named by --build
  common/tests/mutation/mutation_test.py --only barrier   the faults with this word in their name
  common/tests/mutation/mutation_test.py --write          brings docs/mutations.md up to date

Each fault of operators.py is planted in a copy of each chapter, one at a time. A mutant is caught by a hazard, by a
wrong result, or by memory traffic that is not the chapter's own. The test fails if a mutant is neither caught nor
listed in equivalents.py with the reason; if a listed one is caught; and if an operator, or an entry of the list, finds
nothing.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))

from edited_chapter import ROOT, Failure, Toolchain, parallel_jobs
from equivalents import EQUIVALENTS
from operators import OPERATORS, Operator
from suite import Result, Suite, plant, read_chapters

_PAGE = ROOT / "docs" / "mutations.md"


def complaints(results: Sequence[Result], operators: Sequence[Operator]) -> Iterator[str]:
    """A sentence for each thing that is wrong with what became of the mutants of these operators."""
    for result in results:
        mutant = result.mutant
        name = f"{mutant.place()}, {mutant.operator.name}"
        if result.failure:
            yield f"{name}: {result.failure}"
        elif result.catch and mutant.equivalent():
            yield f"{name}: listed as equivalent, but caught by {result.catch}"
        elif not result.catch and not mutant.equivalent():
            yield f"{name}: nothing notices it"

    used = {result.mutant.operator.name for result in results}
    for operator in operators:
        if operator.name not in used:
            yield f"{operator.name}: there is no place for this fault in any chapter"

    listed = {(result.mutant.equivalent(), result.mutant.chapter) for result in results}
    names = {operator.name for operator in operators}
    for entry in (entry for entry in EQUIVALENTS if entry.operator in names):
        for number in entry.chapters:
            if (entry, f"chapter{number}") not in listed:
                yield f"{entry.operator}: equivalents.py has '{entry.source}' of chapter{number}, which is not there"


def table(results: Sequence[Result]) -> str:
    """A line for each mutant: where, which fault, how it was caught."""
    rows: list[tuple[str, str, str]] = []
    for result in results:
        equivalent = result.mutant.equivalent()
        fate = f"equivalent: {equivalent.reason}" if equivalent else "NOT CAUGHT"
        rows.append((result.mutant.place(), result.mutant.operator.name, str(result.catch or fate)))
    widths = [max((len(row[column]) for row in rows), default=0) for column in range(2)]
    return "\n".join(f"{place:<{widths[0]}}  {fault:<{widths[1]}}  {fate}" for place, fault, fate in rows)


_TEXT = """\
<!-- Written by common/tests/mutation/mutation_test.py --write. -->

# The mutation suite

Would the checks notice if a kernel were wrong? The mutation suite finds out: it plants one fault at a time in a copy of
a chapter, wherever the fault has a place, and runs the copy in the [simulator](simulator.md). Each copy must be caught
by a hazard, by a wrong result, or by memory traffic that is not the chapter's. Where nothing notices that a barrier is
gone, either the check is blind or the kernel has one barrier too many.

`ctest --test-dir build -L mutation` runs the suite. `common/tests/mutation/mutation_test.py` prints, for each copy, the
line that was changed and how that was noticed. The faults are patterns in
[`operators.py`](../common/tests/mutation/operators.py), so a new barrier is tried without a change there.

{copies} copies of {chapters} chapters:

| fault | copies | caught by |
|---|---:|---|
{faults}

## Changes that are no faults

These compute the same, with the same memory traffic and without a race. The suite fails if one of them is noticed after
all.

| chapters | change | line | why nothing notices it |
|---|---|---|---|
{equivalents}
"""


def page(results: Sequence[Result]) -> str:
    """docs/mutations.md. It has no line numbers: every change of a chapter would change them."""
    faults = []
    for operator in OPERATORS:
        fates = [result.catch for result in results if result.mutant.operator.name == operator.name]
        kinds = Counter(catch.kind if catch else "equivalent" for catch in fates)
        how = ", ".join(f"{kind.replace('_', ' ')} ({count})" for kind, count in kinds.most_common())
        faults.append(f"| {operator.name} | {len(fates)} | {how} |")
    equivalents = []
    for entry in EQUIVALENTS:
        chapters = ", ".join(map(str, entry.chapters))
        code = entry.source.split("  //")[0]
        equivalents.append(f"| {chapters} | {entry.operator} | `{code}` | {entry.reason} |")
    return _TEXT.format(
        copies=len(results),
        chapters=len({result.mutant.chapter for result in results}),
        faults="\n".join(faults),
        equivalents="\n".join(equivalents),
    )


def run(build: Path, operators: Sequence[Operator]) -> list[Result]:
    chapters = read_chapters()
    directory = Path(tempfile.mkdtemp(prefix="mutation_"))
    try:
        suite = Suite(Toolchain.of_build(build), chapters, directory)
        with ThreadPoolExecutor(parallel_jobs()) as pool:
            list(pool.map(suite.run_chapter, chapters))
            return list(pool.map(suite.run_mutant, plant(chapters, operators)))
    finally:
        shutil.rmtree(directory)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, default=ROOT / "build", help="a build with edited_chapter [build]")
    only = parser.add_mutually_exclusive_group()
    only.add_argument("--only", default="", metavar="WORD", help="only faults with this in their name")
    only.add_argument("--write", action="store_true", help="writes docs/mutations.md")
    options = parser.parse_args(arguments)
    operators = [operator for operator in OPERATORS if options.only in operator.name]
    try:
        results = run(options.build, operators)
    except Failure as failure:
        print(f"mutation_test: {failure}", file=sys.stderr)
        return 1

    print(table(results))
    print(f"\n{len(results)} mutants, {sum(result.catch is not None for result in results)} of them caught")
    found = list(complaints(results, operators))
    if options.write:
        _PAGE.write_text(page(results), encoding="utf-8")
    elif not options.only and (not _PAGE.exists() or _PAGE.read_text(encoding="utf-8") != page(results)):
        found.append("docs/mutations.md is out of date: run common/tests/mutation/mutation_test.py --write")
    for complaint in found:
        print(f"mutation_test: {complaint}", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
