"""What the programs print, and what the simulator finds in edited chapters.

  <!-- output -->                a fenced block follows, in which each line `$ COMMAND` is followed by what it prints

  <!-- experiment: chapter3      a table follows, up to <!-- end experiment -->: one row for each change to the chapter
  kernel.cuh: a_line(); #2       takes the second such text out of the file
  tile.cuh: old => new           puts another in its place; the text must be there once
  -->                            `chapter3 messages` adds the simulator's sentences

A command sees the repository as its working directory, with the build as `build`; what it writes there is thrown away.
"""

from __future__ import annotations

import math
import os
import re
import shutil
import subprocess
import tempfile
import textwrap
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import edited_chapter
from documents.pages import Marker, Page, Problem, fenced

SECONDS = 120  # that a command may take
_SHAPE = edited_chapter.Shape()  # the default tile
_PROBLEM = edited_chapter.Problem(seq_q=64, seq_kv=192)  # one block and three key tiles

_TIME = re.compile(r"\b\d+(?:\.\d+)?\s?(?:ms|us|s)\b")
_COPY = re.compile(r"[^\s`\"]*/(chapter\d+/)")  # an edited chapter lies elsewhere


# Comparing -----------------------------------------------------------------------------------------------------------


def _number(word: str) -> float | None:
    """The value of a word that is a number with a fraction or an exponent; whole numbers are compared as text."""
    if not re.fullmatch(r"[-+]?\d+(\.\d+)?(e[-+]?\d+)?[x,;)]*", word, re.IGNORECASE) or not re.search(r"[.e]", word):
        return None
    return float(word.rstrip("x,;)"))


def same_word(a: str, b: str) -> bool:
    """Fractions may differ in the last digits, and rules may be longer: both depend on the machine."""
    if a == b or (set(a) == set(b) == {"-"}):
        return True
    first, second = _number(a), _number(b)
    return first is not None and second is not None and math.isclose(first, second, rel_tol=0.02)


def same_output(a: Sequence[str], b: Sequence[str]) -> bool:
    """Whether two outputs say the same. Times are not compared, nor is the space between words."""
    if len(a) != len(b):
        return False
    for line_a, line_b in zip(a, b, strict=True):
        words_a, words_b = (_TIME.sub("TIME", line).split() for line in (line_a, line_b))
        if len(words_a) != len(words_b) or not all(map(same_word, words_a, words_b)):
            return False
    return True


# Running -------------------------------------------------------------------------------------------------------------


class Workplace:
    """A directory that looks like the repository after a build, for as long as it is open."""

    def __init__(self, root: Path, build: Path) -> None:
        self.root = root
        self.build = build
        self._directory: Path | None = None
        self._outputs: dict[str, list[str]] = {}
        self._findings: dict[tuple[str, Change], Findings] = {}

    def __enter__(self) -> Workplace:
        self._directory = Path(tempfile.mkdtemp(prefix="check_docs_"))
        for entry in self.root.iterdir():
            if entry.name.startswith("build") or entry.name == ".git":
                continue
            if re.fullmatch(r"chapter\d+", entry.name):  # git diff --no-index does not look behind links
                shutil.copytree(entry, self.directory / entry.name)
            else:
                (self.directory / entry.name).symlink_to(entry)
        (self.directory / "build").symlink_to(self.build.resolve())
        return self

    def __exit__(self, *_: object) -> None:
        shutil.rmtree(self.directory)
        self._directory = None

    @property
    def directory(self) -> Path:
        assert self._directory is not None
        return self._directory

    def run(self, command: str) -> subprocess.CompletedProcess[str]:
        environment = {**os.environ, "LC_ALL": "C.UTF-8", "TERM": "dumb"}
        return subprocess.run(
            ["bash", "-o", "pipefail", "-c", command],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            text=True,
            cwd=self.directory,
            env=environment,
            timeout=SECONDS,
            check=False,
        )

    def output(self, command: str, place: str) -> list[str]:
        """What the command prints. The same command is run once."""
        if command not in self._outputs:
            try:
                done = self.run(command)
            except subprocess.TimeoutExpired:
                raise Problem(place, f"`{command}` takes more than {SECONDS} seconds") from None
            if done.returncode in (126, 127):
                raise Problem(place, f"`{command}` cannot be run: {done.stdout.strip()}")
            text = _COPY.sub(r"\1", done.stdout).rstrip("\n")
            self._outputs[command] = [line.rstrip() for line in text.split("\n")] if text else []
        return self._outputs[command]

    # Edited chapters ---------------------------------------------------------------------------------------------

    def findings(self, chapter: str, changes: Sequence[Change], place: str) -> list[Findings]:
        """What the simulator finds in the chapter with each of the changes alone."""
        try:
            tools = edited_chapter.Toolchain.of_build(self.build)
        except edited_chapter.Failure as failure:
            raise Problem(place, str(failure)) from None
        if not tools.program.exists():
            raise Problem(place, "the build has no program edited_chapter")

        def find(change: Change) -> Findings:
            key = (chapter, change)
            if key not in self._findings:
                self._findings[key] = self._try(tools, chapter, change, place)
            return self._findings[key]

        with ThreadPoolExecutor(edited_chapter.parallel_jobs()) as pool:
            return list(pool.map(find, changes))

    def _try(self, tools: edited_chapter.Toolchain, chapter: str, change: Change, place: str) -> Findings:
        directory = Path(tempfile.mkdtemp(dir=self.directory, prefix="edited_"))
        copy = directory / chapter
        shutil.copytree(self.directory / chapter, copy)
        path = copy / change.file
        text, line = change.apply(path.read_text(encoding="utf-8"), place)
        path.write_text(text, encoding="utf-8")
        library = directory / "edited.so"
        try:
            tools.compile(copy, chapter, _SHAPE, library)
            return Findings(line, tools.run(library, _SHAPE, _PROBLEM))
        except edited_chapter.Failure as failure:
            raise Problem(place, f"{chapter} with the change '{change}': {str(failure)[:600]}") from None


@dataclass(frozen=True)
class Change:
    """A text of a file that is replaced by another one, or taken out."""

    file: str
    old: str
    new: str
    occurrence: int  # from 1; 0: there is one only

    @staticmethod
    def parse(line: str, place: str) -> Change:
        found = re.fullmatch(r"([\w.]+): (.+?)(?: => (.+?))?(?: #(\d+))?", line)
        if found is None:
            raise Problem(place, f"'{line}' is not of the form `FILE: OLD` or `FILE: OLD => NEW`")
        return Change(found[1], found[2], found[3] or "", int(found[4] or 0))

    def __str__(self) -> str:
        return f"{self.file}: {self.old} => {self.new} #{self.occurrence}"

    def apply(self, text: str, place: str) -> tuple[str, int]:
        """The changed text, and the number of the line that changed."""
        count = text.count(self.old)
        if count < max(self.occurrence, 1) or (self.occurrence == 0 and count > 1):
            raise Problem(place, f"'{self.old}' is {count} times in {self.file}")
        at = -1
        for _ in range(max(self.occurrence, 1)):
            at = text.index(self.old, at + 1)
        return text[:at] + self.new + text[at + len(self.old) :], text.count("\n", 0, at) + 1


_NO_CHANGE = Change("kernel.cuh", "", "", 1)


@dataclass(frozen=True)
class Findings:
    line: int
    outcome: edited_chapter.Outcome


# Blocks --------------------------------------------------------------------------------------------------------------


def commands(page: Page, marker: Marker) -> list[str]:
    found = [line[2:] for line in page.content(marker) if line.startswith("$ ")]
    if not found:
        raise Problem(page.place(marker.line - 1), "the block has no line that begins with `$ `")
    return found


def output(page: Page, marker: Marker, workplace: Workplace) -> list[str]:
    """The fenced block for an `output` marker."""
    lines: list[str] = []
    for command in commands(page, marker):
        lines += [f"$ {command}", *workplace.output(command, page.place(marker.line - 1))]
    return fenced("console", lines)


_WORDS: dict[str, dict[str, str]] = {
    "en": {
        "head": "| where | change | the simulator finds | result |",
        "without": "without",
        "to": "becomes",
        "nothing": "nothing",
        "right": "right",
        "wrong": "wrong",
        "of": " of {names}",
        "conflicts": "{ratio} times the fewest wavefronts for `{family}`",
        "comma": ", ",
    },
    "zh": {
        "head": "| 位置 | 改动 | 模拟器的发现 | 结果 |",
        "without": "去掉",
        "to": "改为",
        "nothing": "无",
        "right": "正确",
        "wrong": "错误",
        "of": "：{names}",
        "conflicts": "`{family}` 的 wavefront 是最少数的 {ratio} 倍",
        "comma": "、",
    },
}


def _found(outcome: edited_chapter.Outcome, before: edited_chapter.Outcome, words: dict[str, str]) -> str:
    """The hazards, by kind, and what takes more wavefronts than before."""
    tensors: dict[str, set[str]] = {}
    for hazard in outcome.hazards:
        tensors.setdefault(f"`{hazard.kind}`", set()).update({hazard.tensor} - {""})
    for name, excess in outcome.traffic.items():
        family, _, rest = name.partition(" ")
        if not rest.endswith(" excess") or family == "global" or excess <= before.traffic.get(name, 0):
            continue
        tensor = rest.removesuffix(" excess")
        wavefronts = outcome.traffic[f"{family} {tensor} wavefronts"]
        ratio = f"{wavefronts / (wavefronts - excess):.1f}"
        tensors.setdefault(words["conflicts"].format(family=family, ratio=ratio), set()).add(tensor)
    found = []
    for what, names in tensors.items():
        of = words["of"].format(names=words["comma"].join(sorted(names))) if names else ""
        found.append(what + of)
    return "; ".join(found) or words["nothing"]


def _quoted(text: str) -> str:
    return f"`{text.replace('|', chr(92) + '|')}`"


def experiment(page: Page, marker: Marker, workplace: Workplace) -> list[str]:
    """The table for an `experiment` marker."""
    place = page.place(marker.line - 1)
    first, *lines = marker.arguments.removeprefix(":").strip().split("\n")
    chapter, _, extra = first.partition(" ")
    if not re.fullmatch(r"chapter\d+", chapter) or extra not in ("", "messages"):
        raise Problem(place, f"'{first}' is not of the form `chapterN` or `chapterN messages`")
    changes = [Change.parse(line, place) for line in lines if line]
    words = _WORDS["zh" if "/zh/" in f"/{page.name}" else "en"]
    up = "/".join([".."] * (len(page.path.relative_to(page.root).parts) - 1)) or "."
    table = [words["head"], "|---|---|---|---|"]
    before, *findings = workplace.findings(chapter, [_NO_CHANGE, *changes], place)
    for change, found in zip(changes, findings, strict=True):
        where = f"[{change.file}:{found.line}]({up}/{chapter}/{change.file}#L{found.line})"
        what = f"{_quoted(change.old)} {words['to']} {_quoted(change.new)}"
        if not change.new:
            what = f"{words['without']} {_quoted(change.old)}"
        result = words["right" if found.outcome.correct else "wrong"]
        table.append(f"| {where} | {what} | {_found(found.outcome, before.outcome, words)} | {result} |")
    if not extra:
        return ["", *table, ""]
    messages = [_COPY.sub(r"\1", hazard.message) for found in findings for hazard in found.outcome.hazards]
    return ["", *table, "", *fenced("text", [line for text in messages for line in textwrap.wrap(text, 116)]), ""]


Generator = Callable[[Page, Marker, Workplace], list[str]]
GENERATORS: dict[str, Generator] = {"output": output, "experiment": experiment}

__all__ = ["GENERATORS", "Change", "Workplace", "same_output"]
