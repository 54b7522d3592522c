"""The banks that one instruction uses, as `chapterN --banks` draws them from the simulator's addresses."""

from __future__ import annotations

import re
import subprocess
import tempfile
from pathlib import Path

from drawings import sources
from drawings.traces import program
from drawings.words import translator

INSTRUCTION = "ldmatrix-k"

# What the program writes, and the same in Chinese.
_CHINESE = (
    (
        r"ldmatrix of (\w): (\d+) wavefronts?, where (\d+) would do",
        r"用 ldmatrix 读 \1：\2 个 wavefront，本来 \3 个就够",
    ),
    (r"ldmatrix of (\w): (\d+) wavefronts?, the fewest possible", r"用 ldmatrix 读 \1：\2 个 wavefront，已是最少"),
    (r"lanes (\d+) to (\d+)", r"lane \1-\2"),
    (
        r"In the cells: the lane\. A line is a wavefront, one pass over the 32 banks\.",
        "格子里是 lane 编号。一行是一个 wavefront，即访问一遍 32 个 bank。",
    ),
    (r" Red: what other banks would have saved\.", "红色的换个 bank 就能省掉。"),
    (r": the banks of shared memory", "：shared memory 的 bank"),
    (
        r"\. A line for each wavefront, a column for each bank; in the cells, the lane that the bank serves\.",
        "。一行一个 wavefront，一列一个 bank，格子里是该 bank 服务的 lane。",
    ),
)


def draw(chapter: int, binaries: Path, language: str) -> str:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "banks.svg"
        command = [str(program(chapter, binaries)), "--device", "sim"]
        command += ["--banks", INSTRUCTION, "--banks-svg", str(path)]
        subprocess.run(command, check=True, capture_output=True, text=True)
        svg = path.read_text(encoding="utf-8")
    if language == "zh":
        title = sources.title(chapter)
        svg = svg.replace(f"chapter{chapter}: {title}", f"第 {chapter} 章：{translator('zh')(title)}")
        for pattern, chinese in _CHINESE:
            svg = re.sub(pattern, chinese, svg)
    return svg
