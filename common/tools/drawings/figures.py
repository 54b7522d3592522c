"""All drawings by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from drawings import banks, fragments, registers, swizzle, tiling, timeline
from drawings.words import translator


@dataclass
class Workshop:
    """What drawings need: the built programs, and what they said before."""

    binaries: Path
    recordings: dict[int, timeline.Recording] = field(default_factory=dict)

    def record(self, chapter: int) -> timeline.Recording:
        if chapter not in self.recordings:
            self.recordings[chapter] = timeline.record(chapter, self.binaries)
        return self.recordings[chapter]


Figure = Callable[[Workshop, str], str]  # the SVG in a language


def _time_line(*chapters: int) -> Figure:
    return lambda shop, language: timeline.draw(
        [shop.record(chapter) for chapter in chapters], translator(language)
    ).svg()


def _banks(chapter: int) -> Figure:
    return lambda shop, language: banks.draw(chapter, shop.binaries, language)


FIGURES: dict[str, Figure] = {
    "tiling": lambda _, language: tiling.draw(translator(language)).svg(),
    "fragments-a": lambda _, language: fragments.draw_a(translator(language)).svg(),
    "fragments-b": lambda _, language: fragments.draw_b(translator(language)).svg(),
    "fragments-c": lambda _, language: fragments.draw_c(translator(language)).svg(),
    "swizzle": lambda _, language: swizzle.draw(translator(language)).svg(),
    "registers": lambda _, language: registers.draw(translator(language)).svg(),
    "banks-chapter1": _banks(1),
    "banks-chapter2": _banks(2),
    "timeline-chapter2": _time_line(2),
    "timeline-chapter3": _time_line(2, 3),
    "timeline-chapter4": _time_line(3, 4),
    "timeline-chapter5": _time_line(4, 5),
}
