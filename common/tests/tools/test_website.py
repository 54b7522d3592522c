"""What the site adds to the documents. Parts that need packages of docs/requirements.txt are skipped without them."""

from __future__ import annotations

import sys
import tempfile
import unittest
from importlib.util import find_spec
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(REPOSITORY / "common" / "tools"))

from website import figures  # noqa: E402

if find_spec("pygments"):
    from website import code_html, diff_pages, links
if find_spec("mkdocs"):
    from website import languages


class Drawings(unittest.TestCase):
    SVG = (
        "<style>a{b}\n"
        "@media (prefers-color-scheme:light){:root{c}}\n"
        "@media (prefers-color-scheme:dark){:root{d}}\n"
        "</style>"
    )

    def test_one_scheme_is_fixed(self) -> None:
        self.assertEqual(figures.fixed(self.SVG, "light"), "<style>a{b}\n:root{c}\n\n</style>")
        self.assertEqual(figures.fixed(self.SVG, "dark"), "<style>a{b}\n\n:root{d}\n</style>")

    def test_a_drawing_that_does_not_follow_the_system_stays(self) -> None:
        self.assertFalse(figures.follows_system("<style>a{b}</style>"))
        self.assertTrue(figures.follows_system(self.SVG))

    def test_both_schemes_are_in_the_page(self) -> None:
        html = figures.show_both('<p><img alt="a" src="../figures/x.svg" /></p>', frozenset(["x"]))
        self.assertIn('src="../figures/x.light.svg#only-light"', html)
        self.assertIn('src="../figures/x.dark.svg#only-dark"', html)
        self.assertIn('<a href="../figures/x.svg">', html)

    def test_other_drawings_are_framed_and_other_images_left_alone(self) -> None:
        self.assertEqual(figures.show_both('<img src="x.png">', frozenset()), '<img src="x.png">')
        self.assertIn('<img src="x.svg">', figures.show_both('<img src="x.svg">', frozenset()))


@unittest.skipUnless(find_spec("pygments"), "Pygments is not installed")
class Differences(unittest.TestCase):
    def test_words_that_differ_are_marked(self) -> None:
        before, after = diff_pages.word_marks("wait<0>();  // all", "wait<1>();")
        self.assertEqual(before, ((5, 6), (10, 18)))
        self.assertEqual(after, ((5, 6),))

    def test_like_lines_stand_side_by_side(self) -> None:
        rows = list(diff_pages.rows(["a();", "wait<0>();", "b();"], ["a();", "commit();", "wait<1>();", "b();"]))
        self.assertEqual([(row.before, row.after) for row in rows], [(1, 1), (None, 2), (2, 3), (3, 4)])
        self.assertEqual([row.changed for row in rows], [False, True, True, False])

    def test_every_line_of_every_step_is_there_once(self) -> None:
        for step in diff_pages.steps(REPOSITORY):
            for change in step.changes:
                rows = list(diff_pages.rows(change.before.splitlines(), change.after.splitlines()))
                old = [row.before for row in rows if row.before]
                new = [row.after for row in rows if row.after]
                self.assertEqual(old, list(range(1, len(change.before.splitlines()) + 1)))
                self.assertEqual(new, list(range(1, len(change.after.splitlines()) + 1)))

    def test_code_keeps_its_characters(self) -> None:
        text = 'int a = b < c && d;\n\n// "x"\n'
        lines = code_html.coloured_lines(text, "a.cuh")
        self.assertEqual([line.text for line in lines], text.splitlines())
        self.assertIn("&lt;", lines[0].html())
        self.assertIn("<ins>", lines[0].html([(4, 5)], "ins"))

    def test_pages_have_no_blank_line_within_code(self) -> None:
        html = diff_pages.file_html("a\n\nb\n", "a\n\nc\n", "x.cuh", "en")
        self.assertNotIn("\n", html)


@unittest.skipUnless(find_spec("pygments"), "Pygments is not installed")
class Links(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        for path, text in {
            "docs/a.md": "[k](../c/k.cuh#L3-L5) [r](../c) [b](b.md) `[x](../c/k.cuh)` [w](https://x.org)\n",
            "c/k.cuh": "int a;\n",
            "c/README.md": "[a](../docs/a.md#top) [k](k.cuh)\n",
        }.items():
            (self.root / path).parent.mkdir(exist_ok=True)
            (self.root / path).write_text(text, encoding="utf-8")
        self.pages = links.SourcePages(self.root)
        self.pages.collect("docs/a.md", (self.root / "docs/a.md").read_text(encoding="utf-8"))

    def test_files_outside_docs_get_pages(self) -> None:
        expected = {"c/k.cuh": "source/c/k-cuh.md", "c": "source/c/README.md", "c/README.md": "source/c/README.md"}
        self.assertEqual(self.pages.pages, expected)

    def test_links_lead_to_them(self) -> None:
        text = self.pages.rewrite("docs/a.md", "a.md", (self.root / "docs/a.md").read_text(encoding="utf-8"))
        self.assertEqual(
            text,
            "[k](source/c/k-cuh.md#L3) [r](source/c/README.md) [b](b.md) `[x](../c/k.cuh)` [w](https://x.org)\n",
        )

    def test_and_back(self) -> None:
        text = self.pages.rewrite("c/README.md", "source/c/README.md", "[a](../docs/a.md#top) [k](k.cuh)")
        self.assertEqual(text, "[a](../../a.md#top) [k](k-cuh.md)")

    def test_links_in_code_are_left_alone(self) -> None:
        markdown = "```\n[k](../c/k.cuh)\n```\n[k](../c/k.cuh)"
        text = self.pages.rewrite("docs/a.md", "a.md", markdown)
        self.assertEqual(text, "```\n[k](../c/k.cuh)\n```\n[k](source/c/k-cuh.md)")

    def test_lines_have_anchors(self) -> None:
        self.assertIn('<span id="L1">', self.pages.markdown("c/k.cuh"))


@unittest.skipUnless(find_spec("mkdocs"), "MkDocs is not installed")
class Languages(unittest.TestCase):
    def test_lines_are_joined_without_a_blank(self) -> None:
        for before, after in {
            "先读\n背景": "先读背景",
            "和\n[指令](x.md)。\n**问题**": "和[指令](x.md)。**问题**",
            "里，\nshared 内存": "里，shared 内存",
            "用 kernel\n写": "用 kernel\n写",
            "- 第一，\n- 第二，\n  继续": "- 第一，\n- 第二，继续",
            "1. 甲，\n2. 乙": "1. 甲，\n2. 乙",
            "```\n中\n文\n```\n": "```\n中\n文\n```\n",
            "# 标题\n正文": "# 标题\n正文",
            "| 甲，\n| 乙": "| 甲，\n| 乙",
        }.items():
            self.assertEqual(languages.join_chinese_lines(before), after)

    def test_counterparts(self) -> None:
        self.assertEqual(languages.counterpart("chapter1.md", "zh"), "zh/chapter1.md")
        self.assertEqual(languages.counterpart("zh/chapter1.md", "en"), "chapter1.md")


if __name__ == "__main__":
    unittest.main()
