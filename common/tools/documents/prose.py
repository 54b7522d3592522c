"""What must not be written by hand: code, and figures that were measured."""

from __future__ import annotations

import re
from collections.abc import Iterator

from documents.pages import Page

# Languages of blocks that come from somewhere, and the markers that say from where.
_GENERATED = {"cpp": ("code", "sketch"), "cuda": ("code", "sketch"), "diff": ("diff",), "console": ("output",)}
_MEASURED = re.compile(
    r"\d\s*(?:TFLOP|GFLOP|[TG]B/s|ms\b|µs|us\b|[GM]Hz|watts?\b|W\b|%|per cent)"
    r"|\d(?:\.\d+)?\s*(?:x|times) (?:as fast|faster)"
)
_CITED = re.compile(r"\]\(https?:|further-reading\.md#")
_CODE = re.compile(r"(`+)(.+?)\1")


def check(page: Page) -> Iterator[str]:
    yield from _unmarked_blocks(page)
    yield from _measured_figures(page)


def _unmarked_blocks(page: Page) -> Iterator[str]:
    for fence in page.fences:
        allowed = _GENERATED.get(fence.language)
        if allowed is None:
            continue
        marker = next((marker for marker in page.markers if marker.begin == fence.begin), None)
        if marker is None or marker.name not in allowed:
            names = " or ".join(f"`{name}`" for name in allowed)
            yield f"{page.place(fence.begin)}: a block of {fence.language} needs a marker {names} above it"


def _measured_figures(page: Page) -> Iterator[str]:
    """A paragraph may have figures with units if it links to where they come from."""
    inside = {
        index
        for marker in page.markers
        for index in range(marker.line - 1, marker.end)
        if marker.name in ("table", "experiment")
    }
    paragraph: list[tuple[int, str]] = []
    for index, line in [*page.prose(), (len(page.lines), "")]:
        if index not in inside and line.strip():
            paragraph.append((index, line))
            continue
        if not any(_CITED.search(text) for _, text in paragraph):
            for at, text in paragraph:
                figure = _MEASURED.search(_CODE.sub("", text))
                if figure:
                    yield (
                        f"{page.place(at)}: '{figure[0]}' is written by hand: take it from a generated table, or link "
                        "to its source"
                    )
        paragraph = []
