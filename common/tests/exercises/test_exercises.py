#!/usr/bin/env python3
"""Every starter fails for the reason it was made for, and every solution passes."""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
import unittest
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "common" / "tools"))

import exercise  # noqa: E402
from edited_chapter import Failure, Toolchain  # noqa: E402

BUILD = ROOT / "build"


class Exercises(unittest.TestCase):
    def check(self, name: str, solution: bool) -> list[exercise.Result]:
        """What is wrong with the starter or the solution of an exercise."""
        task = exercise.Exercise.read(name)
        with tempfile.TemporaryDirectory() as directory:
            copy = Path(directory) / name
            (task.make_solution if solution else task.make_starter)(copy)
            return exercise.check(task, copy, Toolchain.of_build(BUILD))

    def test_every_starter_fails_for_its_reason(self) -> None:
        for name in exercise.names():
            with self.subTest(name):
                results = self.check(name, solution=False)
                kinds = {finding.kind for result in results for finding in result.findings}
                self.assertEqual(kinds, exercise.Exercise.read(name).starter_shows, results)

    def test_every_solution_passes(self) -> None:
        for name in exercise.names():
            with self.subTest(name):
                for result in self.check(name, solution=True):
                    self.assertEqual(result.findings, ())

    def test_every_chapter_has_two(self) -> None:
        count = Counter(exercise.Exercise.read(name).chapter for name in exercise.names())
        for chapter in ROOT.glob("chapter[0-9]*"):
            self.assertGreaterEqual(count[chapter.name], 2, chapter.name)

    def test_the_list_has_them_all(self) -> None:
        text = (exercise.EXERCISES / "README.md").read_text(encoding="utf-8")
        self.assertEqual(sorted(re.findall(r"\]\(([\w-]+)/README\.md\)", text)), exercise.names())

    def test_every_task_names_its_command(self) -> None:
        for name in exercise.names():
            text = (exercise.EXERCISES / name / "README.md").read_text(encoding="utf-8")
            self.assertIn(f"common/tools/exercise.py {name}\n", text)


class Patches(unittest.TestCase):
    def apply(self, patch: str, text: str) -> str:
        with tempfile.TemporaryDirectory() as directory:
            path = Path(directory) / "tile.cuh"
            path.write_text(text, encoding="utf-8")
            exercise.apply_patch(patch, Path(directory))
            return path.read_text(encoding="utf-8")

    PATCH = "--- a/tile.cuh\n+++ b/tile.cuh\n@@ -7,3 +7,3 @@\n one\n-two\n+2\n three\n"

    def test_apply_wherever_the_text_is(self) -> None:
        self.assertEqual(self.apply(self.PATCH, "zero\none\ntwo\nthree\nfour\n"), "zero\none\n2\nthree\nfour\n")

    def test_do_not_apply_to_other_text(self) -> None:
        with self.assertRaisesRegex(Failure, "does not fit tile.cuh"):
            self.apply(self.PATCH, "one\n2\nthree\n")

    def test_do_not_apply_where_it_is_not_clear_where(self) -> None:
        with self.assertRaisesRegex(Failure, "2 times"):
            self.apply(self.PATCH, "one\ntwo\nthree\n" * 2)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=Path, default=BUILD, help="a build with edited_chapter [build]")
    options, rest = parser.parse_known_args()
    BUILD = options.build
    unittest.main(argv=[sys.argv[0], *rest])
