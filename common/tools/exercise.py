#!/usr/bin/env python3
"""Checks your solution of an exercise in the simulator. docs/exercises/README.md has the exercises.

  common/tools/exercise.py                             lists them
  common/tools/exercise.py chapter1-barrier            puts a copy of the chapter, with a fault, in build/exercises, if
                                                       there is none yet; says whether the copy is right, and why not
  common/tools/exercise.py chapter1-barrier --restart  throws your copy away and begins again
  common/tools/exercise.py chapter1-barrier --show     prints the solution
  common/tools/exercise.py chapter1-barrier --starter  checks the copy as it was in the beginning; yours stays
  common/tools/exercise.py chapter1-barrier --solution checks the solution; your copy stays

Exit status: 0 right, 1 not right, 2 the check could not be made.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from edited_chapter import ROOT, Failure, Outcome, Problem, Refused, Shape, Toolchain, parallel_jobs

EXERCISES = ROOT / "docs" / "exercises"
_BUILD = Path(__file__).absolute().parents[2] / "build"  # also if `common` is a link, as for check_docs.py


@dataclass(frozen=True)
class Run:
    """A kernel of the chapter and what it is run on."""

    shape: Shape
    problem: Problem

    def __str__(self) -> str:
        shape, problem = self.shape, self.problem
        return (
            f"head dimension {shape.head_dim}, tile {shape.block_q}x{shape.block_kv}, {problem.seq_kv} keys, "
            f"{problem.input} input"
        )


@dataclass(frozen=True)
class Exercise:
    """What a directory of docs/exercises holds.

    README.md is the task. starter.patch makes the starter from the chapter, solution.patch makes the solution from the
    starter. exercise.json has

      chapter         "chapter1"
      runs            [{of Shape: head_dim, block_q, block_kv, warps; of Problem: seq_q, seq_kv, input}, ...]: each must
                      give the right output, without a hazard
      at_most         {name: number, ...}, of each run: see `quantity`; may be missing
      starter_shows   [kind of finding, ...]: what is wrong with the starter
    """

    name: str
    chapter: str
    runs: tuple[Run, ...]
    at_most: dict[str, int]
    starter_shows: frozenset[str]

    @staticmethod
    def read(name: str) -> Exercise:
        data = json.loads((EXERCISES / name / "exercise.json").read_text(encoding="utf-8"))
        shape_names = Shape.__dataclass_fields__
        runs = []
        for numbers in data["runs"]:
            shape = Shape(**{key: value for key, value in numbers.items() if key in shape_names})
            runs.append(Run(shape, Problem(**{key: numbers[key] for key in numbers if key not in shape_names})))
        shows = frozenset(data["starter_shows"])
        return Exercise(name, data["chapter"], tuple(runs), data.get("at_most", {}), shows)

    def patch(self, name: str) -> str:
        return (EXERCISES / self.name / f"{name}.patch").read_text(encoding="utf-8")

    def title(self) -> str:
        return (EXERCISES / self.name / "README.md").read_text(encoding="utf-8").split("\n")[0].lstrip("# ")

    def make_starter(self, directory: Path) -> None:
        """Copies the chapter's kernel into a new directory, and plants the fault."""
        directory.mkdir(parents=True)
        for file in (ROOT / self.chapter).glob("*.cuh"):
            shutil.copy(file, directory)
        apply_patch(self.patch("starter"), directory)

    def make_solution(self, directory: Path) -> None:
        self.make_starter(directory)
        apply_patch(self.patch("solution"), directory)


def names() -> list[str]:
    return sorted(path.parent.name for path in EXERCISES.glob("*/exercise.json"))


def apply_patch(patch: str, directory: Path) -> None:
    """Applies a unified diff. Line numbers do not matter: what a hunk replaces must be in the file exactly once."""
    for part in re.split(r"^--- ", patch, flags=re.MULTILINE)[1:]:
        head, *hunks = re.split(r"^@@ .*\n", part, flags=re.MULTILINE)
        found = re.search(r"^\+\+\+ b/(\S+)", head, re.MULTILINE)
        if found is None:
            raise Failure(f"a patch has no line '+++ b/FILE': {head}")
        path = directory / found[1]
        text = path.read_text(encoding="utf-8")
        for hunk in hunks:
            lines = hunk.splitlines(keepends=True)
            old, new = ("".join(line[1:] for line in lines if line[0] in " " + sign) for sign in "-+")
            if text.count(old) != 1:
                raise Failure(f"a patch does not fit {found[1]}, which has this {text.count(old)} times:\n{old}")
            text = text.replace(old, new)
        path.write_text(text, encoding="utf-8")


# Checking ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Finding:
    """One thing that is wrong."""

    kind: str  # of the hazard, "wrong result", a name of at_most, "refused" or "does not compile"
    sentence: str


@dataclass(frozen=True)
class Result:
    """What one run showed."""

    run: Run
    findings: tuple[Finding, ...]
    counts: dict[str, int]  # of at_most; empty after a hazard


def _conflicts(outcome: Outcome) -> dict[str, int]:
    """By family and tensor."""
    counts = outcome.traffic.items()
    return {key: count for key, count in counts if key.endswith(" excess") and not key.startswith("global ")}


def quantity(outcome: Outcome, name: str) -> int:
    """What a limit is about: "shared bytes" of a block; "bank conflicts", the wavefronts beyond the fewest possible of
    all accesses to shared memory; "sync_threads a key tile" and the like, in all warps of a block; or a name of
    Outcome.traffic.
    """
    if name == "shared bytes":
        return outcome.shared_bytes
    if name == "bank conflicts":
        return sum(_conflicts(outcome).values())
    if name.endswith(" a key tile"):
        return outcome.per_key_tile[name.removesuffix(" a key tile")]
    return outcome.traffic[name]


def judge(outcome: Outcome, at_most: dict[str, int]) -> Iterator[Finding]:
    """What is wrong. After a hazard neither numbers nor counts mean anything."""
    for hazard in outcome.hazards:
        yield Finding(hazard.kind, hazard.message)
    if outcome.hazards:
        return
    if not outcome.correct:
        yield Finding("wrong result", outcome.message)
    for name, limit in at_most.items():
        found = quantity(outcome, name)
        if found > limit:
            yield Finding(name, f"{found}, and {limit} can be had{_parts(outcome, name)}")


def _parts(outcome: Outcome, name: str) -> str:
    """Where bank conflicts are."""
    if name != "bank conflicts":
        return ""
    parts = [f"{key.removesuffix(' excess')} {count}" for key, count in _conflicts(outcome).items() if count > 0]
    return f" ({', '.join(parts)})"


def check(exercise: Exercise, copy: Path, toolchain: Toolchain) -> list[Result]:
    """Runs a copy in all the ways that the exercise asks for."""

    def result(run: Run) -> Result:
        library = directory / f"{exercise.runs.index(run)}.so"
        try:
            toolchain.compile(copy, exercise.chapter, run.shape, library)
        except Failure as failure:
            return Result(run, (Finding("does not compile", str(failure)),), {})
        try:
            outcome = toolchain.run(library, run.shape, run.problem)
        except Refused as refusal:
            return Result(run, (Finding("refused", str(refusal)),), {})
        counts = {} if outcome.hazards else {name: quantity(outcome, name) for name in exercise.at_most}
        return Result(run, tuple(judge(outcome, exercise.at_most)), counts)

    with tempfile.TemporaryDirectory(prefix="exercise_") as name, ThreadPoolExecutor(parallel_jobs()) as pool:
        directory = Path(name)
        return list(pool.map(result, exercise.runs))


def report(exercise: Exercise, copy: Path, place: str, toolchain: Toolchain) -> bool:
    """Checks a copy and prints what was found. `place` is what the copy is called. Returns whether all is right."""
    results = check(exercise, copy, toolchain)
    for result in results:
        counts = "".join(f", {name}: {count}" for name, count in result.counts.items())
        print(f"{result.run}: {'not right' if result.findings else 'right'}{counts}")
        for finding in result.findings:
            print(f"  {finding.kind}: {finding.sentence}".replace(f"{copy}/", f"{place}/").rstrip())
    right = not any(result.findings for result in results)
    print(f"{exercise.name}: {'solved' if right else 'not yet solved'}")
    return right


# The command line ----------------------------------------------------------------------------------------------------


def build_program(build: Path) -> None:
    """Builds the simulator, the first time and after changes. Throws Failure with what CMake says."""
    commands = [["cmake", "--build", str(build), "--target", "edited_chapter"]]
    if not (build / "CMakeCache.txt").exists():
        commands.insert(0, ["cmake", "--preset", "default", "-B", str(build)])
    if not (build / "bin" / "edited_chapter").exists():
        print("Builds the simulator. That takes a minute, once.", flush=True)
    for command in commands:
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise Failure(done.stdout + done.stderr)


def work(exercise: Exercise, build: Path, restart: bool) -> bool:
    """Checks the reader's copy, which is made if there is none."""
    copy = build / "exercises" / exercise.name
    place = str(copy.relative_to(ROOT)) if copy.is_relative_to(ROOT) else str(copy)
    if restart and copy.exists():
        shutil.rmtree(copy)
    if not copy.exists():
        exercise.make_starter(copy)
        print(f"{place} is new: a copy of {exercise.chapter} for you to edit.")
    return report(exercise, copy, place, Toolchain.of_build(build))


def check_given(exercise: Exercise, build: Path, solution: bool) -> bool:
    """Checks the starter or the solution, beside the reader's copy."""
    with tempfile.TemporaryDirectory(prefix="exercise_") as directory:
        copy = Path(directory) / exercise.name
        (exercise.make_solution if solution else exercise.make_starter)(copy)
        return report(exercise, copy, exercise.name, Toolchain.of_build(build))


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", nargs="?", choices=names(), metavar="NAME", help="of the exercise")
    parser.add_argument("--build", type=Path, default=_BUILD, metavar="DIRECTORY", help="[build]")
    action = parser.add_mutually_exclusive_group()
    for option in ("restart", "show", "starter", "solution"):
        action.add_argument(f"--{option}", action="store_true")
    options = parser.parse_args(arguments)
    if options.name is None:
        for name in names():
            print(f"{name:<24} {Exercise.read(name).title()}")
        return 0
    exercise = Exercise.read(options.name)
    if options.show:
        print(exercise.patch("solution"), end="")
        return 0
    build = options.build.resolve()
    try:
        build_program(build)
        if options.starter or options.solution:
            return 0 if check_given(exercise, build, options.solution) else 1
        return 0 if work(exercise, build, options.restart) else 1
    except Failure as failure:
        print(f"exercise: {failure}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
