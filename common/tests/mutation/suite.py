"""Runs chapters and mutants, and tells them apart."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from edited_chapter import ROOT, Failure, Outcome, Problem, Refused, Shape, Toolchain
from equivalents import EQUIVALENTS, Equivalent
from operators import Files, Mutation, Operator

# The default tile, over four tiles of keys; then the inputs that break an online softmax; then a tile with 32 rows a
# warp, for which chapters 4 and 5 do not hold Q whole. A mutant goes on to the next run only if it was not caught.
_DEFAULT = Shape()
_STREAMED_Q = Shape(block_q=128, block_kv=32)
_RUNS = (
    (_DEFAULT, Problem()),
    (_DEFAULT, Problem(input="large-negative")),
    (_DEFAULT, Problem(input="masked-keys")),
    (_STREAMED_Q, Problem()),
)


@dataclass(frozen=True)
class Mutant:
    """A chapter with one fault."""

    chapter: str
    operator: Operator
    mutation: Mutation

    def place(self) -> str:
        return f"{self.chapter}/{self.mutation.file}:{self.mutation.line}"

    def equivalent(self) -> Equivalent | None:
        """Why it need not be caught, if that is known."""
        number = int(self.chapter.removeprefix("chapter"))
        key = (self.operator.name, self.mutation.source)
        found = (entry for entry in EQUIVALENTS if (entry.operator, entry.source) == key and number in entry.chapters)
        return next(found, None)


@dataclass(frozen=True)
class Catch:
    """How a mutant was noticed."""

    kind: str  # of the hazard, or "wrong result", "memory traffic" or "refused"
    detail: str  # where, and with which run if not the first; may be empty

    def __str__(self) -> str:
        return f"{self.kind} {self.detail}".strip()


@dataclass(frozen=True)
class Result:
    """What became of a mutant."""

    mutant: Mutant
    catch: Catch | None
    failure: str = ""  # it did not compile, or broke the simulator


def read_chapters() -> dict[str, Files]:
    """The sources of each chapter: {"chapter1": {"kernel.cuh": text, ...}, ...}."""
    paths = [path for path in ROOT.iterdir() if re.fullmatch(r"chapter\d+", path.name)]
    paths.sort(key=lambda path: int(path.name.removeprefix("chapter")))
    return {
        path.name: {file.name: file.read_text(encoding="utf-8") for file in sorted(path.glob("*.cuh"))}
        for path in paths
    }


def plant(chapters: dict[str, Files], operators: Sequence[Operator]) -> Iterator[Mutant]:
    """All their mutants of all chapters."""
    for chapter, files in chapters.items():
        for operator in operators:
            for mutation in operator.find(files):
                yield Mutant(chapter, operator, mutation)


def _difference(outcome: Outcome, golden: Outcome) -> Catch | None:
    """What gives a mutant away, beside the outcome of the same run of the chapter itself."""
    if outcome.hazards:
        hazard = outcome.hazards[0]
        tensor = f" ({hazard.tensor})" if hazard.tensor else ""
        return Catch(hazard.kind, f"at {Path(hazard.file).name}:{hazard.line}{tensor}")
    if not outcome.correct:
        return Catch("wrong result", "")
    names = sorted(golden.traffic.keys() | outcome.traffic.keys(), key=lambda name: (not name.endswith("excess"), name))
    for name in names:
        expected, found = golden.traffic.get(name, 0), outcome.traffic.get(name, 0)
        if found != expected:
            return Catch("memory traffic", f"{name} {found}, not {expected}")
    return None


def _circumstances(shape: Shape, problem: Problem) -> str:
    """What a run must be like to show a fault; "" for the first run."""
    words = [] if problem.input == "normal" else [f"with {problem.input} input"]
    words += [] if shape == _DEFAULT else [f"with tile {shape.block_q}x{shape.block_kv}"]
    return " ".join(words)


class Suite:
    """Works below one directory. The chapters themselves run before their mutants."""

    def __init__(self, toolchain: Toolchain, chapters: dict[str, Files], directory: Path) -> None:
        self._toolchain = toolchain
        self._chapters = chapters
        self._directory = directory
        self._golden: dict[str, list[Outcome]] = {}

    def run_chapter(self, chapter: str) -> None:
        """Runs the chapter itself. Throws Failure if it is not right."""
        outcomes = list(self._outcomes(chapter, self._chapters[chapter]))
        for outcome in outcomes:
            if outcome.hazards or not outcome.correct:
                raise Failure(f"{chapter} itself is not right: {outcome.message}")
        self._golden[chapter] = outcomes

    def run_mutant(self, mutant: Mutant) -> Result:
        files = self._chapters[mutant.chapter] | {mutant.mutation.file: mutant.mutation.text}
        golden = self._golden[mutant.chapter]
        try:
            for number, outcome in enumerate(self._outcomes(mutant.chapter, files)):
                catch = _difference(outcome, golden[number])
                if catch:
                    detail = f"{catch.detail} {_circumstances(*_RUNS[number])}".strip()
                    return Result(mutant, Catch(catch.kind, detail))
        except Refused as refusal:
            return Result(mutant, Catch("refused", str(refusal)))
        except Failure as failure:
            return Result(mutant, None, str(failure))
        return Result(mutant, None)

    def _outcomes(self, chapter: str, files: Files) -> Iterator[Outcome]:
        """Of each run in turn. A kernel is compiled when it is needed."""
        with tempfile.TemporaryDirectory(dir=self._directory) as name:
            copy = Path(name)
            for file, text in files.items():
                (copy / file).write_text(text, encoding="utf-8")
            libraries: dict[Shape, Path] = {}
            for shape, problem in _RUNS:
                if shape not in libraries:
                    libraries[shape] = copy / f"kernel{len(libraries)}.so"
                    self._toolchain.compile(copy, chapter, shape, libraries[shape])
                yield self._toolchain.run(libraries[shape], shape, problem)
