"""The mutation suite: plants faults in the chapters and requires that the simulator notices each of them.

Each fault of operators.py is planted in a copy of each chapter, one at a time. A mutant is caught by a hazard, by a
wrong result, or by memory traffic that differs from the chapter's own. The test fails if a mutant is not caught and not
listed in equivalents.py with the reason, if a listed one is caught, and if an operator or a list entry finds nothing.
"""

import argparse
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))

from edited_chapter import ROOT, Failure, Outcome, Problem, Shape, Toolchain, parallel_jobs  # noqa: E402
from equivalents import EQUIVALENTS, Equivalent  # noqa: E402
from operators import OPERATORS, Files, Mutation, Operator  # noqa: E402

# The default tile, over four tiles of keys; then the inputs that break an online softmax; then a tile with 32 rows a
# warp, for which chapters 4 and 5 do not hold Q whole. A mutant goes on to the next only if it was not caught.
_SHAPES = (Shape(), Shape(block_q=128, block_kv=32))
_INPUTS = ("normal", "dominant-key", "large-negative", "masked-keys")
_RUNS = [(_SHAPES[0], Problem(heads=2, input=kind)) for kind in _INPUTS] + [(_SHAPES[1], Problem(heads=2))]


@dataclass(frozen=True)
class Mutant:
    """A chapter with one fault."""

    chapter: str
    operator: Operator
    mutation: Mutation

    def place(self) -> str:
        return f"{self.chapter}/{self.mutation.file}:{self.mutation.line}"

    def equivalent(self) -> Equivalent | None:
        for entry in EQUIVALENTS:
            if (entry.operator == self.operator.name and int(self.chapter.removeprefix("chapter")) in entry.chapters
                    and entry.source == self.mutation.source):  # fmt: skip
                return entry
        return None


@dataclass(frozen=True)
class Result:
    """What became of a mutant."""

    mutant: Mutant
    caught_by: str  # or "", if nothing noticed it
    failure: str = ""  # it did not compile, or broke the simulator


def read_chapters() -> dict[str, Files]:
    """The sources of each chapter: {"chapter1": {"kernel.cuh": text, ...}, ...}."""
    directories = sorted(ROOT.glob("chapter[0-9]*"), key=lambda path: int(path.name.removeprefix("chapter")))
    return {path.name: {file.name: file.read_text() for file in sorted(path.glob("*.cuh"))} for path in directories}


def plant(chapters: dict[str, Files]) -> Iterator[Mutant]:
    for name, files in chapters.items():
        for operator in OPERATORS:
            for mutation in operator.find(files):
                yield Mutant(name, operator, mutation)


def difference(outcome: Outcome, golden: Outcome) -> str:
    """What gives the mutant away, beside what the same run of the chapter itself shows; "" if nothing does."""
    if outcome.hazards:
        hazard = outcome.hazards[0]
        where = f"{Path(hazard.file).name}:{hazard.line}"
        return f"{hazard.kind} at {where}" + (f" ({hazard.tensor})" if hazard.tensor else "")
    if not outcome.correct:
        return "wrong result"
    for name in sorted(golden.traffic.keys() | outcome.traffic.keys(), key=lambda name: not name.endswith("excess")):
        expected, found = golden.traffic.get(name, 0), outcome.traffic.get(name, 0)
        if found != expected:
            return f"{name} {found}, not {expected}"
    return ""


class Suite:
    """Compiles and runs chapters and mutants, below one temporary directory."""

    def __init__(self, toolchain: Toolchain, chapters: dict[str, Files], directory: Path) -> None:
        self._toolchain = toolchain
        self._chapters = chapters
        self._directory = directory
        self._precompiled = toolchain.precompile(directory)
        self._golden: dict[str, list[Outcome]] = {}

    def _outcomes(self, chapter: str, files: Files) -> Iterator[Outcome]:
        """Of each run in turn. A kernel is compiled when it is first needed."""
        with tempfile.TemporaryDirectory(dir=self._directory) as name:
            copy = Path(name)
            for file, text in files.items():
                (copy / file).write_text(text)
            compiled = None
            for shape, problem in _RUNS:
                library = copy / "kernel.so"
                if compiled != shape:
                    self._toolchain.compile(copy, chapter, shape, library, self._precompiled)
                    compiled = shape
                outcome = self._toolchain.run(library, shape, problem)
                if not outcome.correct and not outcome.hazards and problem.input != "normal":
                    pass
                yield outcome

    def run_chapter(self, chapter: str) -> None:
        """Runs the chapter itself, which must be right."""
        outcomes = list(self._outcomes(chapter, self._chapters[chapter]))
        for outcome in outcomes:
            if outcome.hazards or not outcome.correct:
                raise Failure(f"{chapter} itself is wrong: {outcome.message}")
        self._golden[chapter] = outcomes

    def run_mutant(self, mutant: Mutant) -> Result:
        files = self._chapters[mutant.chapter] | {mutant.mutation.file: mutant.mutation.text}
        try:
            for outcome, golden, (shape, problem) in zip(
                self._outcomes(mutant.chapter, files), self._golden[mutant.chapter], _RUNS, strict=False
            ):
                found = difference(outcome, golden)
                if found:
                    return Result(mutant, found + circumstances(shape, problem))
        except Failure as failure:
            return Result(mutant, "", str(failure))
        return Result(mutant, "")


def circumstances(shape: Shape, problem: Problem) -> str:
    """What a run had to be like to show a fault; "" for the first run."""
    words = []
    if problem.input != "normal":
        words.append(f"{problem.input} input")
    if shape != _SHAPES[0]:
        words.append(f"tile {shape.block_q}x{shape.block_kv}")
    return ", with " + " and ".join(words) if words else ""


def complaints(results: list[Result]) -> list[str]:
    """What is wrong with the suite's result, in sentences."""
    found = []
    for result in results:
        mutant = result.mutant
        name = f"{mutant.place()}, {mutant.operator.name}"
        if result.failure:
            found.append(f"{name}: {result.failure}")
        elif result.caught_by and mutant.equivalent():
            found.append(f"{name}: is listed as equivalent, but was caught by {result.caught_by}")
        elif not result.caught_by and not mutant.equivalent():
            found.append(f"{name}: nothing noticed it")
    used = {result.mutant.operator.name for result in results}
    found += [f"the operator '{operator.name}' finds nothing" for operator in OPERATORS if operator.name not in used]
    listed = {(result.mutant.equivalent(), result.mutant.chapter) for result in results}
    for entry in EQUIVALENTS:
        for number in entry.chapters:
            if (entry, f"chapter{number}") not in listed:
                found.append(f"equivalents.py lists '{entry.operator}' at '{entry.source}', not in chapter{number}")
    return found


def table(results: list[Result]) -> str:
    rows = [("place", "fault", "caught by")]
    for result in results:
        equivalent = result.mutant.equivalent()
        how = result.caught_by or ("equivalent: " + equivalent.reason if equivalent else "NOTHING")
        rows.append((result.mutant.place(), result.mutant.operator.name, how))
    widths = [max(len(row[column]) for row in rows) for column in range(2)]
    return "\n".join(f"{place:<{widths[0]}}  {fault:<{widths[1]}}  {how}" for place, fault, how in rows)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--compiler", default=os.environ.get("CXX", "c++"))
    parser.add_argument("--flags", default="", help="the build's C++ flags")
    parser.add_argument("--program", type=Path, default=ROOT / "build/bin/edited_chapter")
    arguments = parser.parse_args()

    chapters = read_chapters()
    directory = Path(tempfile.mkdtemp(prefix="mutation-"))
    try:
        suite = Suite(Toolchain(arguments.compiler, arguments.flags, arguments.program), chapters, directory)
        with ThreadPoolExecutor(parallel_jobs()) as pool:
            list(pool.map(suite.run_chapter, chapters))
            results = list(pool.map(suite.run_mutant, plant(chapters)))
    except Failure as failure:
        print(failure, file=sys.stderr)
        return 1
    finally:
        shutil.rmtree(directory)

    print(table(results))
    found = complaints(results)
    caught = sum(bool(result.caught_by) for result in results)
    print(f"\n{len(results)} mutants, {caught} caught, {len(EQUIVALENTS)} kinds of equivalent ones, {len(found)} complaints")
    for complaint in found:
        print(f"mutation_test: {complaint}", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
