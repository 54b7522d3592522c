"""Code and diffs that pages show, taken from the source.

<!-- code: chapter1/kernel.cuh from="q_tile.copy" to="q.copy" -->    the lines from the one that has the first text, of
                                                                     which there must be one only, to the next one that
                                                                     has the second; without them, the whole file
<!-- diff: chapter2 chapter3 kernel.cuh with="softmax" context=2 --> the hunks of `git diff --no-index` that have the
                                                                     text; without it, all
"""

from __future__ import annotations

import os
import shlex
import subprocess
from pathlib import Path

from documents.pages import Marker, Page, Problem, fenced

_LANGUAGES = {
    ".cuh": "cpp",
    ".cu": "cpp",
    ".h": "cpp",
    ".cpp": "cpp",
    ".py": "python",
    ".cmake": "cmake",
    ".txt": "cmake",
    ".json": "json",
}


def _parse(page: Page, marker: Marker, words: int, allowed: tuple[str, ...]) -> tuple[list[str], dict[str, str]]:
    """`NAME: a b key="c"` as ["a", "b"] and {"key": "c"}."""
    place = page.place(marker.line - 1)
    positional: list[str] = []
    named: dict[str, str] = {}
    for word in shlex.split(marker.arguments.removeprefix(":")):
        key, equals, value = word.partition("=")
        if equals and key in allowed:
            named[key] = value
        else:
            positional.append(word)
    if len(positional) != words:
        raise Problem(place, f"the marker `{marker.name}` takes {words} words, and {', '.join(allowed)}")
    return positional, named


def code(page: Page, marker: Marker, root: Path) -> list[str]:
    """The fenced block for a `code` marker."""
    (name,), named = _parse(page, marker, 1, ("from", "to"))
    place = page.place(marker.line - 1)
    path = root / name
    if not path.is_file():
        raise Problem(place, f"there is no file {name}")
    lines = path.read_text(encoding="utf-8").rstrip("\n").split("\n")
    begin, end = 0, len(lines)
    if "from" in named:
        found = [index for index, line in enumerate(lines) if named["from"] in line]
        if len(found) != 1:
            raise Problem(place, f"{len(found)} lines of {name} have '{named['from']}', and one should")
        begin, end = found[0], found[0] + 1
    if "to" in named:
        last = _closing_brace(lines, begin) if named["to"] == "}" else _first_with(lines, begin, named["to"])
        if last is None:
            raise Problem(place, f"no line of {name} after the first one shown has '{named['to']}'")
        end = last + 1
    return fenced(_LANGUAGES.get(path.suffix, "text"), _dedent(lines[begin:end]))


def _dedent(lines: list[str]) -> list[str]:
    """Moved to the left margin, but for preprocessor lines such as `#pragma unroll`, which are there already."""
    texts = [line for line in lines if line.strip() and not line.startswith("#")]
    margin = min((len(line) - len(line.lstrip()) for line in texts), default=0)
    return [line if line.startswith("#") else line[margin:] for line in lines]


def _first_with(lines: list[str], begin: int, text: str) -> int | None:
    return next((index for index in range(begin, len(lines)) if text in lines[index]), None)


def _closing_brace(lines: list[str], begin: int) -> int | None:
    """The line on which the braces that were opened from `begin` on are closed again."""
    depth = 0
    for index in range(begin, len(lines)):
        depth += lines[index].count("{")
        closed = lines[index].count("}")
        depth -= closed
        if closed and depth == 0:
            return index
    return None


def _git_diff(before: Path, after: Path, context: str) -> list[str]:
    options = ["--no-index", "--no-color", "--no-ext-diff", f"-U{context}"]
    command = ["git", "diff", *options, "--", str(before), str(after)]
    environment = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False, cwd=before.parent)
    return done.stdout.rstrip("\n").split("\n")


def hunks(diff: list[str]) -> list[list[str]]:
    """The hunks of a unified diff, without their headers."""
    found: list[list[str]] = []
    for line in diff:
        if line.startswith("@@"):
            found.append([])
        elif found:
            found[-1].append(line)
    return found


def diff(page: Page, marker: Marker, root: Path) -> list[str]:
    """The fenced block for a `diff` marker. Line numbers are left out: they would change with every comment above."""
    (before, after, name), named = _parse(page, marker, 3, ("with", "context"))
    place = page.place(marker.line - 1)
    for chapter in (before, after):
        if not (root / chapter / name).is_file():
            raise Problem(place, f"there is no file {chapter}/{name}")
    shown = hunks(_git_diff(root / before / name, root / after / name, named.get("context", "3")))
    if "with" in named:
        text = named["with"]
        shown = [hunk for hunk in shown if any(text in line for line in hunk)]
    if not shown:
        raise Problem(place, f"{before}/{name} and {after}/{name} do not differ there")
    lines: list[str] = []
    for hunk in shown:
        lines += (["@@"] if lines else []) + hunk
    return fenced("diff", lines)
