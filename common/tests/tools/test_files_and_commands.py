import sys
import tempfile
import time
import unittest
from pathlib import Path
from unittest import mock

import fixture
from measuring.commands import run
from measuring.files import Failure, read_json, write_csv, write_text
from measuring.text_table import text_table


class Names(unittest.TestCase):
    def test_no_tool_hides_a_module_of_python(self) -> None:
        """Modules are looked for beside a tool first: a profile.py there is what cProfile would get."""
        tools = (fixture.REPOSITORY / "common" / "tools").iterdir()
        self.assertEqual({path.stem for path in tools if path.suffix in ("", ".py")} & sys.stdlib_module_names, set())


class Files(unittest.TestCase):
    def setUp(self) -> None:
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = Path(directory.name)

    def test_a_write_that_breaks_off_leaves_the_old_file_and_nothing_else(self) -> None:
        file = self.directory / "result.json"
        write_text(file, "old")
        with mock.patch.object(Path, "replace", side_effect=OSError("disk full")), self.assertRaises(OSError):
            write_text(file, "new")
        self.assertEqual(file.read_text(encoding="utf-8"), "old")
        self.assertEqual(list(self.directory.iterdir()), [file])

    def test_says_which_file_is_not_json(self) -> None:
        file = self.directory / "broken.json"
        file.write_text("{", encoding="utf-8")
        with self.assertRaisesRegex(Failure, "broken.json is not JSON"):
            read_json(file)

    def test_refuses_a_row_with_a_column_that_the_file_has_not(self) -> None:
        with self.assertRaises(ValueError):
            write_csv(self.directory / "a.csv", ["a"], [{"a": 1, "b": 2}])
        self.assertEqual(list(self.directory.iterdir()), [])


class Commands(unittest.TestCase):
    def test_keeps_both_outputs_and_the_status(self) -> None:
        outcome = run(["sh", "-c", "echo out; echo problem >&2; exit 3"], 10)
        self.assertEqual((outcome.status, outcome.output, outcome.errors), (3, "out\n", "problem\n"))
        self.assertEqual(outcome.last_line(), "problem")

    def test_ends_what_takes_too_long_and_what_that_started(self) -> None:
        begin = time.monotonic()
        outcome = run(["sh", "-c", "echo begun; sleep 60 & wait"], 0.5)
        self.assertTrue(outcome.timed_out)
        self.assertEqual(outcome.output, "begun\n")
        self.assertLess(time.monotonic() - begin, 20)


class Tables(unittest.TestCase):
    def test_aligns_columns_below_headings_of_several_lines(self) -> None:
        text = text_table(["name", "long\nheading"], [["a", "1"], ["bbbbb", "22"]])
        self.assertEqual(text, "          long\nname   heading\n-----  -------\na            1\nbbbbb       22\n")


if __name__ == "__main__":
    unittest.main()
