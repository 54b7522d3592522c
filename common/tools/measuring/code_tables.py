"""Tables of what the compiler made of the chapters."""

from __future__ import annotations

import itertools

from measuring.files import NOT_AVAILABLE
from measuring.kernels import Kernel
from measuring.results import Results
from measuring.sass_groups import COUNTS, same_code
from measuring.table_support import Arguments, chapters_of, markdown, paragraphs, pretty, registers_text


def resources(results: Results, arguments: Arguments) -> str:
    """Chapters 3 and 4 first: the step that makes room in the registers."""
    present = chapters_of(results, arguments)
    chapters = [c for c in ("3", "4") if c in present] + [c for c in present if c not in ("3", "4")]
    kernels = {Kernel.of_row(row) for row in results.resources if int(row["sm"]) == arguments.sm}
    shapes = sorted({(k.head_dim, k.tile) for k in kernels if k.dtype == arguments.dtype}, key=lambda x: (-x[0], x[1]))
    rows = []
    for head_dim, tile in shapes or [(arguments.head_dim, arguments.tile)]:
        found = [results.resources_of(Kernel(c, arguments.dtype, head_dim, tile), arguments.sm) for c in chapters]
        shared = next((row["shared_bytes"] for row in found if row), NOT_AVAILABLE)
        blocks = "/".join(row["blocks_per_sm"] if row else "-" for row in found)
        rows.append([str(head_dim), pretty(tile), *(registers_text(row) for row in found), shared, blocks])
    header = [
        *(arguments.say("head_dim"), arguments.say("tile"), *(arguments.say("registers_of", c) for c in chapters)),
        *(arguments.say("shared_bytes"), arguments.say("blocks_of")),
    ]
    title = f"sm_{arguments.sm}, {arguments.dtype}. {arguments.say('spills_bold')}"
    return paragraphs(
        markdown(header, rows, left=2), f"{title} {arguments.say('source', 'docs/results/resources.csv')}"
    )


def sass(results: Results, arguments: Arguments) -> str:
    by_chapter = {
        row["chapter"]: row
        for row in results.sass
        if int(row["sm"]) == arguments.sm and Kernel.of_row(row) == arguments.kernel(row["chapter"])
    }
    chapters = chapters_of(results, arguments)

    def cell(chapter: str, name: str) -> str:
        return by_chapter[chapter][name] if chapter in by_chapter else NOT_AVAILABLE

    def change(before: str, after: str, name: str) -> str:
        old, new = cell(before, name), cell(after, name)
        return NOT_AVAILABLE if NOT_AVAILABLE in (old, new) else f"{int(new) - int(old):+d}" if new != old else "0"

    rows = [[chapter, *(cell(chapter, name) for name in COUNTS)] for chapter in chapters]
    for before, after in itertools.pairwise(chapters):
        row = [change(before, after, name) for name in COUNTS]
        rows.append([arguments.say("difference", before, after), *row])
    header = [arguments.say("chapter"), *(arguments.say(name) for name in COUNTS)]
    what = f"sm_{arguments.sm}, {arguments.dtype}, {pretty(arguments.tile)}. {arguments.say('loop_count')}"
    same = [arguments.say("same_code", ", ".join(group)) for group in same_code(by_chapter, chapters)]
    source = arguments.say("source", "docs/results/sass.csv")
    return paragraphs(markdown(header, rows), *same, f"{what} {source}")
