#!/usr/bin/env python3
"""Keeps the documents true: code, diffs and outputs that they show, links, anchors and figures.

  common/tools/check_docs.py                 checks all; names each page that is wrong, and the line
  common/tools/check_docs.py --write         brings code, diffs, outputs and experiments up to date
  common/tools/check_docs.py --text          without running any program
  common/tools/check_docs.py docs/chapter3.md    one page

Outputs need the programs of a build: that in build/, or another one named by --build. What the markers in a page mean
is told in documents/snippets.py and documents/programs.py, and in CONTRIBUTING.md.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from documents import links, programs, prose, snippets
from documents.pages import REPOSITORY, Marker, Page, Problem

# Pages whose text is written by a program, or that belong to test data.
_NOT_PROSE = ("docs/results/", "common/tests/")


def all_pages(root: Path) -> list[Path]:
    """The Markdown files of the repository, those that are not committed yet among them."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z", "*.md"],
        cwd=root,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    paths = {root / name for name in listed.split("\0") if name and not name.startswith(".")}
    return sorted(path for path in paths if path.exists())


def find_build(root: Path, named: Path | None) -> Path:
    candidates = [named] if named else [root / "build", root / "build-cpu"]
    for build in candidates:
        if (build / "bin" / "compare").exists():
            return build
    raise Problem("check_docs", f"no programs in {candidates[0]}/bin: build first, name a --build, or check the --text")


class Checker:
    """Goes through pages. `workplace` is missing if no program is to be run."""

    def __init__(self, root: Path, workplace: programs.Workplace | None, write: bool) -> None:
        self.root = root
        self.workplace = workplace
        self.write = write

    def check(self, path: Path) -> Iterator[str]:
        """A sentence for each thing that is wrong with a page."""
        page = Page(path, root=self.root)
        try:
            changed: dict[Marker, list[str]] = {}
            for marker in page.markers:
                yield from self._check_marker(page, marker, changed)
            if changed:
                path.write_text(page.with_contents(changed), encoding="utf-8")
                print(f"wrote {page.name}")
                page = Page(path, root=self.root)
            yield from links.check(page)
            if not page.name.startswith(_NOT_PROSE):
                yield from prose.check(page)
        except Problem as problem:
            yield str(problem)

    def _check_marker(self, page: Page, marker: Marker, changed: dict[Marker, list[str]]) -> Iterator[str]:
        try:
            wanted = self._wanted(page, marker)
        except Problem as problem:
            yield str(problem)
            return
        content = page.content(marker)
        if wanted is None or wanted == content:
            return
        if marker.name == "output" and programs.same_output(content, wanted):
            return
        if self.write:
            changed[marker] = wanted
            return
        stale = f"{page.place(marker.line - 1)}: this {marker.name} is not up to date"
        yield f"{stale} (common/tools/check_docs.py --write){difference(content, wanted)}"

    def _wanted(self, page: Page, marker: Marker) -> list[str] | None:
        """What the marker's content should be; none if it is not known here."""
        if marker.name == "code":
            return snippets.code(page, marker, self.root)
        if marker.name == "diff":
            return snippets.diff(page, marker, self.root)
        if marker.name in programs.GENERATORS and self.workplace is not None:
            return programs.GENERATORS[marker.name](page, marker, self.workplace)
        return None


def difference(content: Sequence[str], wanted: Sequence[str]) -> str:
    """The first line that differs, for a message."""
    for index in range(max(len(content), len(wanted))):
        old = content[index] if index < len(content) else "(nothing)"
        new = wanted[index] if index < len(wanted) else "(nothing)"
        if not programs.same_output([old], [new]):
            return f"\n    page:   {old}\n    should: {new}"
    return ""


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="bring the pages up to date")
    parser.add_argument("--text", action="store_true", help="run no program")
    parser.add_argument("--build", type=Path, help="the build directory with the programs [build, build-cpu]")
    parser.add_argument("pages", nargs="*", type=Path, help="Markdown files [all]")
    options = parser.parse_args(arguments)

    paths = [path.resolve() for path in options.pages] or all_pages(REPOSITORY)
    complaints: list[str] = []
    try:
        if options.text:
            complaints = _check_all(paths, None, options.write)
        else:
            with programs.Workplace(REPOSITORY, find_build(REPOSITORY, options.build)) as workplace:
                complaints = _check_all(paths, workplace, options.write)
    except Problem as problem:
        complaints.append(str(problem))
    for complaint in complaints:
        print(complaint, file=sys.stderr)
    print(f"{len(paths)} pages, {len(complaints)} complaints")
    return 1 if complaints else 0


def _check_all(paths: Sequence[Path], workplace: programs.Workplace | None, write: bool) -> list[str]:
    checker = Checker(REPOSITORY, workplace, write)
    return [complaint for path in paths for complaint in checker.check(path)]


if __name__ == "__main__":
    sys.exit(main())
