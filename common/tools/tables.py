#!/usr/bin/env python3
"""Writes the tables of the documents from the files under docs/results.

  python3 common/tools/tables.py           all pages
  python3 common/tools/tables.py --check   changes nothing; fails and names the pages that are stale
  python3 common/tools/tables.py --print stalls gpu=h200

A table stands in a page between two lines, which stay:

  <!-- table: NAME ARGUMENTS -->
  <!-- end table -->

The arguments are words such as lang=zh (which a page README.zh.md implies), gpu=h200 (otherwise every GPU has a table
or a column), dtype=bf16, head_dim=64, tile=128x64x4, shape=16x512, shapes=16x512,8x8192 or all (of tiles), l2=cold,
of=cuDNN, sm=80, chapters=3,4.
What was not measured is n/a. docs/results/README.md has the list of tables.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from measuring import code_tables, profile_tables, record_tables, speed_tables
from measuring.commands import run_main
from measuring.files import REPOSITORY, RESULTS, Failure, write_text
from measuring.results import Results, read_results
from measuring.table_support import Arguments

KINDS: dict[str, Callable[[Results, Arguments], str]] = {
    "summary": speed_tables.summary,
    "lengths": speed_tables.lengths,
    "pairing": speed_tables.pairing,
    "tiles": speed_tables.tiles,
    "best_tiles": speed_tables.best_tiles,
    "seed": speed_tables.seed,
    "stalls": profile_tables.stalls,
    "profile": profile_tables.profile,
    "long_scoreboard": profile_tables.long_scoreboard,
    "wavefronts": profile_tables.wavefronts,
    "resources": code_tables.resources,
    "sass": code_tables.sass,
    "correctness": record_tables.correctness,
    "sanitizer": record_tables.sanitizer,
    "agreement": record_tables.agreement,
    "environment": record_tables.environment,
}
PAGES = ("*.md", "docs/**/*.md", "chapter*/*.md")
_BEGIN = re.compile(r"^<!-- table: (\w+)((?: [\w]+=[^\s]+)*) -->$")
_END = "<!-- end table -->"
_FENCE = re.compile(r"^\s*(```|~~~)")


def parse_arguments_of(text: str) -> dict[str, str]:
    return dict(pair.split("=", 1) for pair in text.split())


def render(results: Results, name: str, options: Mapping[str, str], place: str) -> str:
    if name not in KINDS:
        raise Failure(f"{place}: there is no table {name}: there are {', '.join(sorted(KINDS))}")
    try:
        return KINDS[name](results, Arguments.parse(options))
    except Failure as failure:
        raise Failure(f"{place}: {failure}") from failure


def renew(results: Results, text: str, page: str) -> str:
    """The page with its tables as they should be. What is between the fences of a code block is left alone."""
    language = "zh" if page.endswith(".zh.md") or "/zh/" in page else "en"
    lines = text.splitlines()
    renewed: list[str] = []
    fenced = False
    index = 0
    while index < len(lines):
        line = lines[index]
        fenced ^= _FENCE.match(line) is not None
        renewed.append(line)
        match = None if fenced else _BEGIN.match(line)
        index += 1
        if match is None:
            if line.startswith("<!-- table:") and not fenced:
                raise Failure(f"{page}:{index}: this is not <!-- table: NAME KEY=VALUE ... -->")
            continue
        place = f"{page}:{index}"
        table = render(results, match[1], {"lang": language} | parse_arguments_of(match[2]), place)
        try:
            index = lines.index(_END, index)
        except ValueError:
            raise Failure(f"{place}: no {_END} follows") from None
        renewed += ["", *table.splitlines(), ""]
    return "\n".join(renewed) + "\n"


def pages(root: Path) -> Iterator[Path]:
    for pattern in PAGES:
        yield from sorted(root.glob(pattern))


def renew_pages(root: Path, results: Results, check: bool) -> list[str]:
    """The pages that were stale; with `check` they still are."""
    stale = []
    for path in pages(root):
        text = path.read_text(encoding="utf-8")
        if "<!-- table:" not in text:
            continue
        name = str(path.relative_to(root))
        renewed = renew(results, text, name)
        if renewed == text:
            continue
        stale.append(name)
        if not check:
            write_text(path, renewed)
    return stale


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="changes nothing, and fails if a page is stale")
    parser.add_argument("--print", nargs="+", metavar="WORD", dest="table", help="prints one table: NAME KEY=VALUE ...")
    parser.add_argument("--results", type=Path, default=RESULTS, metavar="DIR", help="[docs/results]")
    parser.add_argument("--root", type=Path, default=REPOSITORY, metavar="DIR", help="whose pages [this repository]")
    return parser.parse_args()


def main() -> int:
    arguments = parse_arguments()
    results = read_results(arguments.results)
    if arguments.table:
        name, *words = arguments.table
        print(render(results, name, parse_arguments_of(" ".join(words)), "--print"))
        return 0
    stale: Sequence[str] = renew_pages(arguments.root, results, arguments.check)
    for name in stale:
        print(f"{name}: {'stale: run python3 common/tools/tables.py' if arguments.check else 'written'}")
    if stale and arguments.check:
        print("tables: the pages above do not show what docs/results holds", file=sys.stderr)
    return 1 if stale and arguments.check else 0


if __name__ == "__main__":
    run_main("tables", main)
