#!/usr/bin/env python3
"""Prints the order of one warp's instructions from a trace of the simulator, as text.

  build/bin/chapter3 --device sim --trace trace.json
  common/tools/trace_order.py trace.json --warp 0 --first 24

Neighbouring instructions of the same kind are counted together, as the simulator records them.
"""

from __future__ import annotations

import argparse
import json
import sys
import textwrap
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any


def order(events: Iterable[dict[str, Any]], warp: int) -> list[str]:
    """What the warp does, in the order of the program: "ldmatrix K x 32", "mma x 64", ..."""
    mine = [event for event in events if event["ph"] == "X" and event["tid"] == warp]
    mine.sort(key=lambda event: event["ts"])
    counts = [(event["name"], event["args"]["instructions"]) for event in mine]
    return [name if count == 1 else f"{name} x {count}" for name, count in counts]


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("trace", type=Path, help="a file that --trace wrote")
    parser.add_argument("--warp", type=int, default=0, metavar="N", help="[0]")
    parser.add_argument("--first", type=int, metavar="N", help="how many entries [all]")
    options = parser.parse_args(arguments)
    try:
        events = json.loads(options.trace.read_text(encoding="utf-8"))["traceEvents"]
        entries = order(events, options.warp)
    except (OSError, ValueError, LookupError, TypeError) as error:
        print(f"trace_order: {options.trace} is no trace of the simulator ({error})", file=sys.stderr)
        return 2
    if not entries:
        print(f"trace_order: {options.trace} has no warp {options.warp}", file=sys.stderr)
        return 2
    unbroken = [entry.replace(" ", "\u00a0") for entry in entries[: options.first]]  # lines break between entries
    print(textwrap.fill(", ".join(unbroken), 100, break_on_hyphens=False).replace("\u00a0", " "))
    return 0


if __name__ == "__main__":
    sys.exit(main())
