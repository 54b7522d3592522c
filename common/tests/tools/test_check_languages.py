"""Are two languages in step? On small pages of their own."""

from __future__ import annotations

import contextlib
import io
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))

import check_languages

ENGLISH = """# The step

What it is about,
in a sentence.

## The difference

<!-- table: lengths chapters=1,2 -->
| 1 |
<!-- end table -->

![A drawing](figures/tiling.svg)

```sh
build/bin/chapter1
```

### Why

$$
a + b
$$

| where | what |
|---|---|
| here | this |
"""

CHINESE = """# 这一步

一句话说明。

## 差异

<!-- table: lengths chapters=1,2 lang=zh -->
| 2 |
<!-- end table -->

![一张图](figures/tiling.zh.svg)

```sh
build/bin/chapter1
```

### 原因

$$
a + b
$$

| 位置 | 内容 |
|---|---|
| 这里 | 这个 |
"""


class TwoLanguages(unittest.TestCase):
    def setUp(self) -> None:
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.root = Path(directory.name)
        self.english = self.root / "docs" / "chapter2.md"
        self.chinese = self.root / "docs" / "zh" / "chapter2.md"
        self.chinese.parent.mkdir(parents=True)
        self.english.write_text(ENGLISH, encoding="utf-8")
        self.chinese.write_text(CHINESE, encoding="utf-8")
        for name in ("README.md", "README.zh.md"):
            (self.root / name).write_text("# Title\n", encoding="utf-8")
        self.check(write=True)

    def check(self, write: bool = False) -> list[str]:
        with contextlib.redirect_stdout(io.StringIO()):
            return check_languages.check(self.root, write)

    def replace(self, path: Path, old: str, new: str) -> None:
        text = path.read_text(encoding="utf-8")
        self.assertIn(old, text)
        path.write_text(text.replace(old, new), encoding="utf-8")

    def assert_complains(self, *words: str) -> None:
        complaints = self.check()
        self.assertEqual(len(complaints), 1, complaints)
        for word in words:
            self.assertIn(word, complaints[0])

    def test_accepts_pages_that_are_in_step(self) -> None:
        self.assertEqual(self.check(), [])

    def test_writing_twice_changes_nothing(self) -> None:
        before = self.chinese.read_text(encoding="utf-8")
        self.check(write=True)
        self.assertEqual(self.chinese.read_text(encoding="utf-8"), before)
        self.assertEqual(before.count("<!-- en: "), 3)

    def test_names_page_and_section_of_a_text_that_changed_in_english_alone(self) -> None:
        self.replace(self.english, "in a sentence", "in two sentences")
        self.assert_complains("docs/zh/chapter2.md:1", "'这一步'", "'The step'", "has changed")
        self.check(write=True)
        self.assertEqual(self.check(), [])

    def test_writes_only_the_pages_that_are_named(self) -> None:
        self.replace(self.english, "in a sentence", "in two sentences")
        with contextlib.redirect_stdout(io.StringIO()):
            check_languages.check(self.root, write=True, pages=[self.root / "README.zh.md"])
        self.assert_complains("docs/zh/chapter2.md:1", "has changed")

    def test_ignores_line_breaks_and_what_programs_write(self) -> None:
        self.replace(self.english, "about,\nin a", "about, in\na")
        self.replace(self.english, "| 1 |", "| 3 |")
        self.assertEqual(self.check(), [])

    def test_ignores_line_breaks_in_quotations(self) -> None:
        self.replace(self.english, "What it is about,\nin", "> What it is about,\n> in")
        self.check(write=True)
        self.replace(self.english, "about,\n> in a", "about, in\n> a")
        self.assertEqual(self.check(), [])

    def test_names_a_section_without_a_digest(self) -> None:
        lines = [line for line in self.chinese.read_text(encoding="utf-8").split("\n") if "en: " not in line]
        self.chinese.write_text("\n".join(lines), encoding="utf-8")
        self.assertEqual(len(self.check()), 3)

    def test_names_what_a_section_lacks(self) -> None:
        for old, new in (
            ("chapters=1,2 lang=zh", "chapters=1"),
            ("![一张图](figures/tiling.zh.svg)", ""),
            ("figures/tiling.zh.svg", "figures/swizzle.svg"),
            ("build/bin/chapter1", "build/bin/chapter2"),
            ("a + b", "a - b"),
            ("| 这里 | 这个 |\n", ""),
            ("| 这里 | 这个 |\n", "| 这里 | 这个 |\n\n<details><summary>1</summary></details>\n"),
        ):
            with self.subTest(old=old, new=new):
                before = self.chinese.read_text(encoding="utf-8")
                self.replace(self.chinese, old, new)
                self.assert_complains("docs/zh/chapter2.md", "should have")
                self.chinese.write_text(before, encoding="utf-8")

    def test_compares_the_levels_of_headings(self) -> None:
        self.replace(self.chinese, "### 原因", "## 原因")
        self.assert_complains("'原因' is of level 2", "'Why'", "of level 3")

    def test_finds_sections_of_one_language_only(self) -> None:
        self.replace(self.english, "### Why", "### What for\n\n### Why")
        self.assertTrue(any("there is no section for 'Why'" in complaint for complaint in self.check()))

    def test_does_not_take_comments_in_code_for_headings(self) -> None:
        for path in (self.english, self.chinese):
            self.replace(path, "build/bin/chapter1", "# not a heading\nbuild/bin/chapter1")
        self.assert_complains("'差异'", "has changed")

    def test_lets_words_in_drawings_of_text_be_translated(self) -> None:
        for path, word in ((self.english, "load"), (self.chinese, "加载")):
            path.write_text(path.read_text(encoding="utf-8") + f"\n```text\n{word}\n```\n", encoding="utf-8")
        self.check(write=True)
        self.assertEqual(self.check(), [])

    def test_finds_pages_of_one_language_only(self) -> None:
        self.chinese.rename(self.chinese.with_name("chapter3.md"))
        complaints = self.check()
        self.assertIn("docs/zh/chapter2.md is missing: there is docs/chapter2.md", complaints)
        self.assertIn("docs/chapter3.md is missing: there is docs/zh/chapter3.md", complaints)

    def test_pairs_the_readmes_of_the_root(self) -> None:
        self.replace(self.root / "README.md", "Title", "Name")
        self.assert_complains("README.zh.md")


if __name__ == "__main__":
    unittest.main()
