"""A step of a recording: it has units, writes its file anew after every one of them, and knows what it has."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from dataclasses import dataclass
from pathlib import Path

from measuring.files import Failure
from measuring.kernels import DTYPES, HEAD_DIMS
from measuring.machine import chapters

VARIANTS = tuple((dtype, head_dim) for dtype in DTYPES for head_dim in HEAD_DIMS)
# Other tiles than the default are profiled in the chapters whose step changes what fits the registers.
TILE_CHAPTERS = ("3", "4", "5")


@dataclass(frozen=True)
class Place:
    """Where the programs are, and where results go."""

    build: Path
    output: Path

    def program(self, name: str) -> Path:
        path = self.build / "bin" / name
        if not path.exists():
            raise Failure(f"there is no {path}")
        return path

    def chapters(self) -> list[str]:
        return chapters(self.build)


@dataclass(frozen=True)
class Result:
    """What is printed of a unit, and whether all is as it should be."""

    text: str
    good: bool = True


class Step(ABC):
    """Something to record. `unit` names a part of it that is measured at one go."""

    name: str
    seconds: float  # for one unit
    at_once = 1  # units at the same time; more than one only where nothing is timed

    def __init__(self, place: Place) -> None:
        self.place = place
        self._lock = threading.Lock()

    @abstractmethod
    def units(self) -> list[str]:
        """All of them, in order."""

    @abstractmethod
    def done(self) -> set[str]:
        """Those that the files in the output directory already hold."""

    @abstractmethod
    def measure(self, unit: str) -> Result:
        """Measures and keeps what was measured. Throws Failure where there is nothing to keep."""

    def position(self, unit: str) -> int:
        """Its place in the file."""
        units = self.units()
        return units.index(unit) if unit in units else len(units)

    def missing(self) -> list[str]:
        done = self.done()
        return [unit for unit in self.units() if unit not in done]
