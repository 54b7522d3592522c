"""The checks of the documents, on small pages of their own."""

from __future__ import annotations

import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))

import check_docs
import edited_chapter
import trace_order
from documents import links, programs, prose, snippets
from documents.pages import Page, Problem

KERNEL = """#pragma once
void outer() {
  for (int i = 0; i < 4; ++i) {
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      wait();
    }
  }
  wait();
}
"""


class PagesTest(unittest.TestCase):
    """A repository of two chapters, and pages in it."""

    def setUp(self) -> None:
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.root = Path(directory.name)
        for chapter, text in (("chapter1", KERNEL), ("chapter2", KERNEL.replace("i < 4", "i < 8"))):
            (self.root / chapter).mkdir()
            (self.root / chapter / "kernel.cuh").write_text(text)
        (self.root / "docs").mkdir()

    def page(self, text: str, name: str = "docs/page.md") -> Page:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return Page(path, root=self.root)

    def block(self, text: str) -> list[str]:
        """The content of the only marker of a page, as it should be."""
        page = self.page(text)
        (marker,) = page.markers
        return (snippets.code if marker.name == "code" else snippets.diff)(page, marker, self.root)

    def complaints(self, text: str, write: bool = False, workplace: programs.Workplace | None = None) -> list[str]:
        page = self.page(text)
        return list(check_docs.Checker(self.root, workplace, write).check(page.path))


class SnippetTest(PagesTest):
    def code(self, arguments: str) -> list[str]:
        return self.block(f"<!-- code: chapter1/kernel.cuh {arguments} -->\n```cpp\n```\n")

    def test_shows_from_one_text_to_the_next(self) -> None:
        self.assertEqual(
            self.code('from="int j" to="wait"'), ["```cpp", "for (int j = 0; j < 4; ++j) {", "  wait();", "```"]
        )

    def test_goes_on_until_all_braces_are_closed(self) -> None:
        shown = self.code('from="int i" to="}"')
        self.assertEqual(shown[1], "for (int i = 0; i < 4; ++i) {")
        self.assertEqual(shown[2], "#pragma unroll")
        self.assertEqual(shown[-2], "}")
        self.assertEqual(len(shown), 8)

    def test_refuses_a_text_that_is_there_twice_or_never(self) -> None:
        for text in ("wait", "nowhere"):
            with self.assertRaisesRegex(Problem, "docs/page.md:1: .* one should"):
                self.code(f'from="{text}"')

    def test_refuses_an_end_that_does_not_come(self) -> None:
        with self.assertRaisesRegex(Problem, "nowhere"):
            self.code('from="int i" to="nowhere"')

    def test_refuses_a_missing_file(self) -> None:
        with self.assertRaisesRegex(Problem, "no file chapter9/kernel.cuh"):
            self.block("<!-- code: chapter9/kernel.cuh -->\n```cpp\n```\n")

    def test_shows_hunks_without_line_numbers(self) -> None:
        shown = self.block("<!-- diff: chapter1 chapter2 kernel.cuh context=0 -->\n```diff\n```\n")
        self.assertEqual(
            shown,
            ["```diff", "-  for (int i = 0; i < 4; ++i) {", "+  for (int i = 0; i < 8; ++i) {", "```"],
        )

    def test_refuses_a_difference_that_is_not_there(self) -> None:
        with self.assertRaisesRegex(Problem, "do not differ there"):
            self.block('<!-- diff: chapter1 chapter2 kernel.cuh with="nowhere" -->\n```diff\n```\n')


class CheckTest(PagesTest):
    stale = '# Page\n\n<!-- code: chapter1/kernel.cuh from="int i" -->\n```cpp\nold\n```\n'

    def test_names_the_page_and_line_of_stale_code(self) -> None:
        (complaint,) = self.complaints(self.stale)
        self.assertTrue(complaint.startswith("docs/page.md:3: this code is not up to date"), complaint)
        self.assertIn("old", complaint)

    def test_writes_what_should_be_there(self) -> None:
        self.assertEqual(self.complaints(self.stale, write=True), [])
        self.assertEqual(self.complaints((self.root / "docs/page.md").read_text()), [])

    def test_notices_changed_source(self) -> None:
        self.complaints(self.stale, write=True)
        text = (self.root / "docs/page.md").read_text()
        (self.root / "chapter1/kernel.cuh").write_text(KERNEL.replace("i < 4", "i < 5"))
        self.assertEqual(len(self.complaints(text)), 1)

    def test_refuses_code_without_a_marker(self) -> None:
        (complaint,) = self.complaints("```cpp\nint x;\n```\n")
        self.assertIn("needs a marker `code` or `sketch`", complaint)
        self.assertEqual(self.complaints("<!-- sketch -->\n```cpp\nint x;\n```\n"), [])
        self.assertEqual(self.complaints("```sh\nls\n```\n"), [])

    def test_refuses_markers_without_a_block(self) -> None:
        for text in ("<!-- output -->\ntext\n", "<!-- table: lengths -->\ntext\n", "<!-- end table -->\n", "```\n"):
            self.assertEqual(len(self.complaints(text)), 1, text)

    def test_ignores_markers_in_fenced_blocks(self) -> None:
        self.assertEqual(self.complaints("```text\n<!-- output -->\n```\n"), [])

    def test_refuses_measured_figures_in_prose(self) -> None:
        for figure in ("57 TFLOP/s", "by 3 %", "1.4 times as fast", "0.25 ms", "at 1.7 GHz"):
            (complaint,) = self.complaints(f"It runs {figure}.\n")
            self.assertIn("docs/page.md:1", complaint)
        self.assertEqual(self.complaints("[It](https://example.org) has 4.8 TB/s.\n"), [])
        self.assertEqual(self.complaints("It has 32 banks, and `57 ms` is code.\n"), [])
        self.assertEqual(self.complaints("<!-- table: lengths -->\n\n57 TFLOP/s\n\n<!-- end table -->\n"), [])

    def test_leaves_generated_pages_alone(self) -> None:
        page = self.page("57 TFLOP/s\n", "docs/results/README.md")
        self.assertEqual(list(check_docs.Checker(self.root, None, False).check(page.path)), [])


class LinkTest(PagesTest):
    def links(self, text: str) -> list[str]:
        return list(links.check(self.page(text)))

    def test_finds_what_is_there(self) -> None:
        self.page("# Some `code`, and *more*!\n\n## Twice\n\n## Twice\n", "docs/other.md")
        (self.root / "docs/a.svg").touch()
        good = ("other.md", "other.md#some-code-and-more", "other.md#twice-1", "#here", "../chapter1", "a.svg")
        text = "# Here\n\n" + "".join(f"[link]({target})\n" for target in good) + "![figure](a.svg)\n"
        self.assertEqual(self.links(text + "[outside](https://example.org/nowhere)\n"), [])

    def test_names_what_is_not(self) -> None:
        self.page("# Title\n", "docs/other.md")
        for target in ("missing.md", "other.md#nowhere", "#nowhere", "../../outside", "figures/a.svg"):
            (complaint,) = self.links(f"text\n[link]({target})\n")
            self.assertTrue(complaint.startswith("docs/page.md:2: "), complaint)
        self.assertIn("no figure", self.links("![figure](figures/a.svg)\n")[0])

    def test_checks_line_numbers_of_sources(self) -> None:
        self.assertEqual(self.links("[line](../chapter1/kernel.cuh#L10)\n"), [])
        self.assertEqual(len(self.links("[line](../chapter1/kernel.cuh#L11)\n")), 1)

    def test_knows_anchors_in_html_and_other_scripts(self) -> None:
        self.assertEqual(self.links('<a id="x"></a>\n\n## 寄存器 与 spill\n\n[a](#x) [b](#寄存器-与-spill)\n'), [])

    def test_ignores_links_in_code(self) -> None:
        self.assertEqual(self.links("`[a](b)`\n\n```text\n[a](b)\n```\n"), [])


class OutputTest(PagesTest):
    def setUp(self) -> None:
        super().setUp()
        (self.root / "build" / "bin").mkdir(parents=True)
        (self.root / "build" / "bin" / "compare").touch()

    def output(self, text: str) -> list[str]:
        with programs.Workplace(self.root, self.root / "build") as workplace:
            return self.complaints(text, workplace=workplace)

    def test_accepts_what_the_commands_print(self) -> None:
        text = "<!-- output -->\n```console\n$ echo 'a  1.0000'\na 1.001\n$ ls build/bin\ncompare\n```\n"
        self.assertEqual(self.output(text), [])

    def test_refuses_anything_else(self) -> None:
        (complaint,) = self.output("<!-- output -->\n```console\n$ echo 5\n4\n```\n")
        self.assertIn("page:   4", complaint)
        self.assertIn("should: 5", complaint)

    def test_refuses_commands_that_do_not_exist(self) -> None:
        (complaint,) = self.output("<!-- output -->\n```console\n$ build/bin/nothing\n```\n")
        self.assertIn("cannot be run", complaint)

    def test_compares_chapters_and_throws_away_what_is_written(self) -> None:
        text = "<!-- output -->\n```console\n$ git diff --no-index --shortstat chapter1 chapter2; touch file\n"
        self.assertEqual(self.output(text + " 1 file changed, 1 insertion(+), 1 deletion(-)\n```\n"), [])
        self.assertFalse((self.root / "file").exists())

    def test_whole_numbers_are_compared_exactly_and_fractions_roughly(self) -> None:
        same = programs.same_output
        self.assertTrue(same(["error 1.36e-04,", "x 8.00x"], ["error 1.37e-04,", "x 8.01x"]))
        self.assertTrue(same(["took 12 ms", "-----  ---"], ["took 1.5 s", "---  ----"]))
        self.assertFalse(same(["512"], ["513"]))
        self.assertFalse(same(["8.00x"], ["9.00x"]))
        self.assertFalse(same(["a"], ["a", "b"]))
        self.assertFalse(same(["a b"], ["a"]))


def outcome(hazards: list[tuple[str, str]], excess: int = 0, correct: bool = True) -> edited_chapter.Outcome:
    found = [edited_chapter.Hazard(kind, "chapter1/kernel.cuh", 6, tensor, "a sentence") for kind, tensor in hazards]
    traffic = {"ldmatrix K requests": 4, "ldmatrix K wavefronts": 16 + excess, "ldmatrix K excess": excess}
    return edited_chapter.Outcome(correct, "", found, 0, traffic)


class FakeWorkplace(programs.Workplace):
    """Finds what the test says, whatever the change."""

    def __init__(self, root: Path, found: edited_chapter.Outcome) -> None:
        super().__init__(root, root)
        self.found = found

    def findings(self, chapter: str, changes: Any, place: str) -> list[programs.Findings]:
        return [programs.Findings(6, outcome([]) if not change.old else self.found) for change in changes]


class ExperimentTest(PagesTest):
    marker = "<!-- experiment: chapter1\nkernel.cuh: wait(); #2\n-->\n<!-- end experiment -->\n"

    def row(self, found: edited_chapter.Outcome, name: str = "docs/page.md") -> str:
        page = self.page(self.marker, name)
        return programs.experiment(page, page.markers[0], FakeWorkplace(self.root, found))[3]

    def test_says_what_was_found(self) -> None:
        found = outcome([("read_before_wait", "Q"), ("read_before_wait", "K")], correct=False)
        self.assertEqual(
            self.row(found),
            "| [kernel.cuh:6](../chapter1/kernel.cuh#L6) | without `wait();` | `read_before_wait` of K, Q | wrong |",
        )

    def test_says_what_takes_more_wavefronts(self) -> None:
        self.assertIn("2.0 times the fewest wavefronts for `ldmatrix` of K | right", self.row(outcome([], excess=16)))
        self.assertIn("| nothing | right |", self.row(outcome([])))

    def test_speaks_chinese_on_chinese_pages(self) -> None:
        row = self.row(outcome([], correct=False), "docs/zh/page.md")
        self.assertIn("(../../chapter1/kernel.cuh#L6) | 去掉 `wait();` | 无 | 错误 |", row)

    def test_changes_the_text_that_is_meant(self) -> None:
        change = programs.Change.parse("kernel.cuh: wait(); => stop(); #2", "here")
        text, line = change.apply(KERNEL, "here")
        self.assertEqual(line, 9)
        self.assertEqual(text.split("\n")[8], "  stop();")
        self.assertEqual(text.count("wait();"), 1)

    def test_refuses_a_text_that_is_not_there_or_not_the_only_one(self) -> None:
        for line in ("kernel.cuh: nowhere", "kernel.cuh: wait();", "kernel.cuh: wait(); #3"):
            with self.assertRaises(Problem):
                programs.Change.parse(line, "here").apply(KERNEL, "here")
        with self.assertRaises(Problem):
            programs.Change.parse("no colon", "here")


class TraceOrderTest(unittest.TestCase):
    def test_counts_neighbours_and_sorts_by_time(self) -> None:
        def event(time: int, name: str, count: int, warp: int = 0) -> dict[str, Any]:
            return {"ph": "X", "tid": warp, "ts": time, "name": name, "args": {"instructions": count}}

        events = [event(3, "mma", 64), event(0, "wait", 1), event(1, "ldmatrix K", 2), event(0, "wait", 1, 1)]
        events.append({"ph": "s", "tid": 0, "ts": 0, "name": "copy"})
        self.assertEqual(trace_order.order(events, 0), ["wait", "ldmatrix K x 2", "mma x 64"])


class ProseTest(PagesTest):
    def test_a_source_in_the_same_paragraph_is_enough(self) -> None:
        page = self.page("One is 5 ms,\nsays [the source](further-reading.md#papers).\n\nTwo is 6 ms.\n")
        (complaint,) = prose.check(page)
        self.assertIn("docs/page.md:4", complaint)


if __name__ == "__main__":
    unittest.main()
