"""Mutants that compute the same, with the same accesses and no race, and why."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Equivalent:
    """Mutants of one operator that are not caught: in these chapters, where the line says `source`."""

    operator: str
    chapters: tuple[int, ...]
    source: str
    reason: str


EQUIVALENTS: list[Equivalent] = []
