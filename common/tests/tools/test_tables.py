import contextlib
import io
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import fixture
import tables
from measuring.files import Failure, read_csv, write_csv
from measuring.results import Results, read_results
from measuring.words import LANGUAGES, WORDS


class WithResults(unittest.TestCase):
    def setUp(self) -> None:
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.root = Path(directory.name)
        self.results_directory = self.root / "docs" / "results"

    def write(self, *gpus: str) -> None:
        speeds = {"h200": ("NVIDIA H200", 1.0), "a100": ("NVIDIA A100", 0.5)}
        fixture.write_results(self.results_directory, {gpu: speeds[gpu] for gpu in gpus})

    def results(self) -> Results:
        return read_results(self.results_directory)

    def table(self, name: str, **options: str) -> str:
        return tables.render(self.results(), name, options, "here")


def row_of(table: str, first: str) -> list[str]:
    line = next(line for line in table.splitlines() if line.startswith(f"| {first} |"))
    return [cell.strip() for cell in line.strip("|").split("|")]


class Summary(WithResults):
    def test_shows_what_each_step_brought(self) -> None:
        self.write("h200")
        table = self.table("summary")
        self.assertIn("**NVIDIA H200** (sm_90, driver 580.159.03, CUDA 13.0, 2026-11-30)", table)
        expected = [
            "2",
            "swizzled shared memory",
            "278",
            "92.9",
            "n/a",
            "168",
            "1.0",
            "21.0",
            "short scoreboard 77.0 → 30.0",
        ]
        self.assertEqual(row_of(table, "2"), expected)
        self.assertEqual(row_of(table, "1")[6], "8.0")
        self.assertEqual(row_of(table, "1")[8], "")

    def test_does_not_call_noise_a_fall(self) -> None:
        self.write("h200")
        self.assertEqual(row_of(self.table("summary"), "4")[8], "none by a point or more")

    def test_names_the_tile_type_and_shape(self) -> None:
        self.write("h200")
        text = "Measured at (16, 4096), fp16, tile 64 × 64, 4 warps, head dimension 128, 16 heads."
        self.assertIn(text, self.table("summary"))

    def test_names_the_spread_of_the_repetitions(self) -> None:
        self.write("h200")
        self.assertIn("standard deviation is at most 0.4 %", self.table("summary"))

    def test_has_na_where_nothing_was_measured(self) -> None:
        self.write()
        table = self.table("summary")
        self.assertEqual(row_of(table, "3")[2:5], ["n/a"] * 3)
        self.assertEqual(row_of(table, "3")[5:7], ["168", "1.0"])  # the compiler and the simulator need no GPU
        self.assertIn("No GPU has been recorded yet.", table)


class OtherTables(WithResults):
    def setUp(self) -> None:
        super().setUp()
        self.write("h200")

    def test_lengths_have_all_shapes_and_the_harmonic_mean(self) -> None:
        table = self.table("lengths")
        self.assertIn("| TFLOP/s | (16, 512) | (16, 1024) | (16, 2048) | (16, 4096) | (8, 8192) | (4, 16384) |", table)
        self.assertEqual(row_of(table, "FlashAttention-2 alone")[-1], "285")
        self.assertEqual(row_of(table, "cuDNN alone")[1:], ["n/a"] * 7)

    def test_lengths_can_be_in_per_cent_of_a_reference(self) -> None:
        table = self.table("lengths", of="FlashAttention-2")
        self.assertEqual(row_of(table, "4 fragments loaded between the mmas")[1], "99.4")

    def test_lengths_of_another_type_are_not_those_of_this_one(self) -> None:
        table = self.table("lengths", dtype="bf16")
        self.assertEqual(row_of(table, "2 swizzled shared memory")[1:], ["n/a"] * 4)

    def test_tiles_mark_the_best_of_each_column(self) -> None:
        table = self.table("tiles")
        self.assertEqual(table.count("**1"), 4)  # two chapters at two shapes, all above 100 %
        self.assertEqual(row_of(table, "128 × 128, 8")[1], "**113.0**")

    def test_tiles_are_at_the_lengths_asked_for(self) -> None:
        self.assertNotIn("(16, 1024)", self.table("tiles"))
        self.assertIn("(16, 1024)", self.table("tiles", shapes="all"))
        only = self.table("tiles", shapes="16x1024", chapters="4")
        self.assertIn("| tile (queries × keys, warps) | (16, 1024) chapter 4 |", only)

    def test_tiles_of_another_type_are_not_those_of_this_one(self) -> None:
        table = self.table("tiles", dtype="bf16", head_dim="64")
        self.assertEqual(row_of(table, "64 × 32, 4")[1], "**113.0**")
        self.assertIn("Medians of 10 repetitions", table)

    def test_best_tiles_have_a_line_for_each_type_head_dimension_and_length(self) -> None:
        lines = self.table("best_tiles").splitlines()
        self.assertIn("| fp16 | 128 | (16, 4096) | 128 × 128, 8: 113.0 | 128 × 128, 8: 114.0 |", lines)
        self.assertIn("| bf16 | 64 | (16, 1024) | 64 × 32, 4: 113.0 | 64 × 32, 4: 114.0 |", lines)
        self.assertEqual(sum(line.startswith(("| fp16", "| bf16")) for line in lines), 2 * 2 * 3)

    def test_agreement_shows_how_near_and_what_is_too_far(self) -> None:
        table = self.table("agreement")
        self.assertEqual(row_of(table, "1"), ["1", "1.23", "yes"])
        self.assertEqual(row_of(table, "2"), ["2", "2.50", "**no**"])

    def test_long_scoreboard_shows_where_and_how_much(self) -> None:
        table = self.table("long_scoreboard", chapters="2,3")
        line = r"| 2 | 80.00 | `LDGDEPBAR` | `chapter2/kernel.cuh:59` | `a \|\| b;` |".replace(r"\\", "\\")
        self.assertIn(line, table.splitlines())
        self.assertIn("Chapter 2: 25.0 % of all samples", table)
        self.assertIn("Chapter 3: 2.0 % of all samples", table)

    def test_resources_have_chapter_3_beside_chapter_4_and_spills_in_bold(self) -> None:
        table = self.table("resources")
        self.assertLess(table.index("chapter 3"), table.index("chapter 4"))
        self.assertLess(table.index("chapter 4"), table.index("chapter 1"))
        spilling = next(line for line in table.splitlines() if "128 × 64, 4" in line)
        self.assertIn("| **255 + 224** | 255 |", spilling)

    def test_a_chapter_alone_is_still_compared_with_the_one_before(self) -> None:
        self.assertEqual(row_of(self.table("summary", chapters="3"), "3")[8], "long scoreboard 21.0 → 6.0")

    def test_correctness_is_that_of_the_chapters_asked_for(self) -> None:
        self.assertIn("All 1 results are right.", self.table("correctness", chapters="2"))

    def test_pairing_shows_the_reference_beside_each_chapter(self) -> None:
        table = self.table("pairing")
        self.assertEqual(row_of(table, "FlashAttention-2 alone")[4], "299")
        self.assertEqual(row_of(table, "FlashAttention-2 in turn with chapter 1")[4], "299")
        file = self.results_directory / "h200" / "benchmark_fp16_d128.json"
        text = file.read_text(encoding="utf-8")
        file.write_text(text.replace(f'"% of FlashAttention-2": {100 * 57 / 340}', '"% of FlashAttention-2": 16'))
        self.assertEqual(row_of(self.table("pairing"), "FlashAttention-2 in turn with chapter 1")[4], "314")

    def test_environment_shows_the_span_of_clocks_and_power(self) -> None:
        table = self.table("environment")
        self.assertEqual(row_of(table, "power between steps, W")[1], "78 to 405")
        self.assertEqual(row_of(table, "SM clock while timed, MHz")[1], "1592 to 1940")

    def test_wavefronts_say_whether_all_are_equal(self) -> None:
        self.assertIn("All 4 counts of 4 kernels are equal.", self.table("wavefronts"))
        file = self.results_directory / "h200" / "wavefronts.csv"
        rows = read_csv(file)
        rows[0] |= {"gpu": "8001", "equal": "no"}
        write_csv(file, list(rows[0]), rows)
        table = self.table("wavefronts")
        self.assertIn("1 of 4 counts of 4 kernels differ.", table)
        self.assertIn("| 8001 | 8000 | **no** |", table)

    def test_correctness_shows_errors_and_their_tolerance(self) -> None:
        table = self.table("correctness")
        self.assertIn("2.0e-04 (3.3e-04)", table)
        self.assertIn("All 2 results are right.", table)

    def test_sanitizer_counts_findings(self) -> None:
        table = self.table("sanitizer")
        self.assertEqual(row_of(table, "memcheck"), ["memcheck", "1", "1", "0"])
        self.assertEqual(row_of(table, "racecheck"), ["racecheck", "1", "0", "1"])
        self.assertEqual(row_of(table, "synccheck"), ["synccheck", "n/a", "n/a", "n/a"])

    def test_seed_stands_beside_ours(self) -> None:
        table = self.table("seed")
        self.assertEqual(row_of(table, "2"), ["2", "98.3", "15.15", "92.9", "21.00"])
        self.assertEqual(row_of(table, "3")[1:3], ["99.4", "0.95"])
        self.assertEqual(row_of(table, "4")[1:3], ["100.0", "n/a"])
        self.assertEqual(row_of(table, "5")[1:3], ["99.6", "n/a"])

    def test_a_second_gpu_appears_by_itself(self) -> None:
        one = {name: self.table(name) for name in tables.KINDS}
        self.write("h200", "a100")
        for name in (
            "summary",
            "lengths",
            "tiles",
            "stalls",
            "profile",
            "best_tiles",
            "long_scoreboard",
            "agreement",
            "wavefronts",
            "correctness",
            "seed",
            "environment",
        ):
            table = self.table(name)
            self.assertIn("A100" if name != "environment" else "a100", table, name)
            self.assertIn("H200" if name != "environment" else "h200", table, name)
            self.assertEqual(self.table(name, gpu="h200"), one[name], name)

    def test_are_in_both_languages_with_the_same_figures(self) -> None:
        for name in tables.KINDS:
            english, chinese = self.table(name), self.table(name, lang="zh")
            self.assertEqual(
                [line.count("|") for line in english.splitlines()],
                [line.count("|") for line in chinese.splitlines()],
                name,
            )
            if name != "environment":
                self.assertNotEqual(english, chinese, name)
        self.assertIn("| 章 | 新增内容 |", self.table("summary", lang="zh"))

    def test_words_take_the_same_values_in_both_languages(self) -> None:
        for key, words in WORDS.items():
            self.assertEqual(len(words), len(LANGUAGES), key)
            self.assertEqual(len({text.count("{}") for text in words}), 1, key)


PAGE = """# Title

<!-- table: summary -->
old
<!-- end table -->

```
<!-- table: summary -->
```

The end.
"""


class Pages(WithResults):
    def setUp(self) -> None:
        super().setUp()
        self.write("h200")
        self.page = self.root / "README.md"
        self.page.write_text(PAGE, encoding="utf-8")

    def run_tables(self, *arguments: str) -> tuple[int, str]:
        words = ["tables", "--root", str(self.root), "--results", str(self.results_directory), *arguments]
        hidden = contextlib.redirect_stderr(io.StringIO())
        with mock.patch("sys.argv", words), hidden, contextlib.redirect_stdout(io.StringIO()) as out:
            return tables.main(), out.getvalue()

    def test_are_renewed_between_the_markers_only(self) -> None:
        self.assertEqual(self.run_tables(), (0, "README.md: written\n"))
        text = self.page.read_text(encoding="utf-8")
        self.assertNotIn("old", text)
        self.assertEqual(text.count("| 2 | swizzled shared memory |"), 1)
        self.assertTrue(text.startswith("# Title\n\n<!-- table: summary -->\n"))
        self.assertTrue(text.endswith("<!-- end table -->\n\n```\n<!-- table: summary -->\n```\n\nThe end.\n"))

    def test_do_not_change_a_second_time(self) -> None:
        self.run_tables()
        self.assertEqual(self.run_tables(), (0, ""))

    def test_that_are_stale_fail_the_check_and_stay(self) -> None:
        status, text = self.run_tables("--check")
        self.assertEqual((status, text), (1, "README.md: stale: run python3 common/tools/tables.py\n"))
        self.assertEqual(self.page.read_text(encoding="utf-8"), PAGE)
        self.run_tables()
        self.assertEqual(self.run_tables("--check"), (0, ""))

    def test_become_stale_when_results_change(self) -> None:
        self.run_tables()
        self.write("h200", "a100")
        self.assertEqual(self.run_tables("--check")[0], 1)

    def test_in_chinese_have_chinese_tables(self) -> None:
        for name in ("README.zh.md", "docs/zh/page.md"):
            page = self.root / name
            page.parent.mkdir(parents=True, exist_ok=True)
            page.write_text(PAGE, encoding="utf-8")
        self.run_tables()
        for name in ("README.zh.md", "docs/zh/page.md"):
            self.assertIn("新增内容", (self.root / name).read_text(encoding="utf-8"))

    def test_with_a_mistake_in_a_marker_are_named_with_the_line(self) -> None:
        mistakes = {
            "<!-- table: sumary -->": "README.md:3: there is no table sumary",
            "<!-- table: summary colour=red -->": "README.md:3: a table has no argument colour",
            "<!-- table: summary tile=64 -->": "README.md:3: 64 is not a tile",
            "<!-- table: summary lang=fr -->": "README.md:3: there is no language fr",
            "<!-- table: summary zh -->": "README.md:3: this is not <!-- table: NAME KEY=VALUE ... -->",
        }
        for marker, sentence in mistakes.items():
            self.page.write_text(PAGE.replace("<!-- table: summary -->", marker, 1), encoding="utf-8")
            with self.assertRaisesRegex(Failure, sentence):
                self.run_tables()

    def test_without_an_end_are_refused(self) -> None:
        self.page.write_text(PAGE.replace("<!-- end table -->", ""), encoding="utf-8")
        with self.assertRaisesRegex(Failure, "README.md:3: no <!-- end table --> follows"):
            self.run_tables()


if __name__ == "__main__":
    unittest.main()
