#!/usr/bin/env python3
"""Draws the figures of the documents: docs/figures, and with Chinese words docs/zh/figures.

  python3 common/tools/draw.py             all; those that show what the simulator does need the chapters, built
  python3 common/tools/draw.py tiling      one
  python3 common/tools/draw.py --check     fails if a committed figure is not what would be drawn

The numbers in them come from the source of the chapters, from docs/results, and from the simulator."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from drawings.figures import FIGURES, Workshop
from drawings.sources import REPOSITORY
from drawings.traces import NotBuilt
from drawings.words import LANGUAGES

LARGEST = 60_000  # bytes of a figure
BUILDS = ("build/bin", "build-cpu/bin", "build-gpu/bin")


def folder(language: str) -> Path:
    return REPOSITORY / ("docs/figures" if language == "en" else f"docs/{language}/figures")


def find_binaries() -> Path:
    """The first build that has a chapter."""
    found = [REPOSITORY / build for build in BUILDS if (REPOSITORY / build / "chapter1").is_file()]
    return found[0] if found else REPOSITORY / BUILDS[0]


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="FIGURE", help=f"of {', '.join(FIGURES)}; all if none is named")
    parser.add_argument("--check", action="store_true", help="compare with the committed figures, write nothing")
    parser.add_argument("--binaries", type=Path, default=find_binaries(), help="where the built chapters are")
    parser.add_argument("--require-binaries", action="store_true", help="with --check: fail if they are not built")
    parsed = parser.parse_args()
    unknown = [name for name in parsed.names if name not in FIGURES]
    if unknown:
        parser.error(f"there is no figure {unknown[0]}: there are {', '.join(FIGURES)}")
    return parsed


def main() -> int:
    options = arguments()
    shop = Workshop(options.binaries)
    stale: list[str] = []
    missing: list[str] = []
    for name in options.names or FIGURES:
        for language in LANGUAGES:
            path = folder(language) / f"{name}.svg"
            try:
                svg = FIGURES[name](shop, language)
            except NotBuilt as reason:
                missing.append(f"{name}: {reason}")
                break
            assert len(svg.encode()) <= LARGEST, f"{name} has {len(svg.encode())} bytes"
            old = path.read_text(encoding="utf-8") if path.exists() else None
            if options.check and old != svg:
                stale.append(str(path.relative_to(REPOSITORY)))
            elif not options.check and old != svg:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(svg, encoding="utf-8")
                print(f"wrote {path.relative_to(REPOSITORY)}")
    for sentence in missing:
        print(f"draw: not {'checked' if options.check else 'drawn'}: {sentence}", file=sys.stderr)
    for name in stale:
        print(f"draw: {name} is not what the code says: run common/tools/draw.py", file=sys.stderr)
    return 1 if stale or (missing and (options.require_binaries or not options.check)) else 0


if __name__ == "__main__":
    sys.exit(main())
