"""What a warp did, from `chapterN --trace`."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from drawings import sources

KEY_TILES = 3  # so that the second is one like all others: neither the first nor the last


class NotBuilt(Exception):
    """The program that would say what to draw is not there."""


@dataclass(frozen=True)
class Event:
    """Neighbouring instructions of one kind. `begin` and `end` count the warp's instructions before and through it."""

    begin: int
    end: int
    name: str
    group: int | None = None  # of a copy: its commit group
    collects: int | None = None  # of a wait: the youngest group that it collects


@dataclass(frozen=True)
class Copy:
    """A commit group of copies, from the issue of the first to the wait that collects it."""

    tensor: str
    begin: int
    issued: int  # all are under way
    end: int


def program(chapter: int, binaries: Path) -> Path:
    path = binaries / f"chapter{chapter}"
    if not path.is_file():
        raise NotBuilt(f"chapter{chapter} is not built in {binaries}")
    return path


def run(chapter: int, binaries: Path) -> list[Event]:
    """The events of one warp of one block that works on a few key tiles."""
    tile = sources.default_tile()
    command = [str(program(chapter, binaries)), "--device", "sim", "--trace", "-"]
    command += ["--seq-q", str(tile.block_q), "--seq-kv", str(KEY_TILES * tile.block_kv), "--head-dim", "128"]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return parse(json.loads(done.stdout), warp=0)


def parse(trace: dict[str, Any], warp: int) -> list[Event]:
    """The slices of one warp in a file in the Trace Event Format."""
    events = []
    for entry in trace["traceEvents"]:
        if entry["ph"] == "X" and entry["tid"] == warp:
            arguments = entry["args"]
            end = entry["ts"] + entry["dur"]
            group, collects = arguments.get("group"), arguments.get("collects_up_to_group")
            events.append(Event(entry["ts"], end, entry["name"], group, collects))
    return events


def copies(events: list[Event]) -> Iterator[Copy]:
    groups: dict[int, list[Event]] = {}
    for event in events:
        if event.name.startswith("cp.async ") and event.group is not None:
            groups.setdefault(event.group, []).append(event)
        if event.name == "wait" and event.collects is not None:
            for group in sorted(number for number in groups if number <= event.collects):
                issue = groups.pop(group)
                yield Copy(issue[0].name.split()[1], issue[0].begin, issue[-1].end, event.begin)
    assert not groups, "a copy is never collected"


@dataclass(frozen=True)
class Product:
    """The fragment loads and mmas of S = Q * K^T (operand K) or O += P * V (operand V) of one key tile."""

    operand: str
    events: tuple[Event, ...]

    @property
    def begin(self) -> int:
        return self.events[0].begin

    @property
    def end(self) -> int:
        return self.events[-1].end

    def steps(self, name: str, length: int) -> list[tuple[int, int]]:
        """Its instructions `name`, "ldmatrix" or "mma", cut into pieces of `length`: one for each step of k."""
        wanted = (event for event in self.events if event.name.split()[0] == name)
        instructions = [instruction for event in wanted for instruction in range(event.begin, event.end)]
        assert instructions and len(instructions) % length == 0, f"{len(instructions)} {name} in steps of {length}"
        pieces = [instructions[i : i + length] for i in range(0, len(instructions), length)]
        assert all(piece[-1] - piece[0] == length - 1 for piece in pieces), "a step is interrupted"
        return [(piece[0], piece[-1] + 1) for piece in pieces]


def products(events: list[Event]) -> list[Product]:
    """Two for each key tile, in order."""
    found: list[Product] = []
    for event in events:
        if event.name in ("ldmatrix K", "ldmatrix V"):
            operand = event.name.split()[1]
            if not found or found[-1].operand != operand:
                found.append(Product(operand, ()))
        if event.name in ("ldmatrix K", "ldmatrix V", "mma"):
            found[-1] = Product(found[-1].operand, (*found[-1].events, event))
    return found
