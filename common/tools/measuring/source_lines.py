"""Which line of a chapter a machine instruction comes from: -lineinfo leaves the line numbers in the program."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path

from measuring.commands import find_tool, run
from measuring.files import NOT_AVAILABLE, REPOSITORY
from measuring.kernels import Kernel

_FUNCTION = re.compile(r"^\s*\.section\s+\.text\.(\w+)")
_PLACE = re.compile(r'^\s*//## File "([^"]+)", line (\d+)(?: inlined at "[^"]+", line \d+)?')
_INSTRUCTION = re.compile(r"^\s*/\*([0-9a-f]{4,6})\*/\s")
_DIRECTORY = re.compile(r"(?:^|/)((?:chapter\d+|common)/.*)$")

SECONDS = 120


def parse_disassembly(text: str, kernel: Kernel) -> dict[int, str]:
    """Of `nvdisasm --print-line-info-inline`: for each address from the beginning of the kernel, the place, as in
    "chapter3/kernel.cuh:45". Of a chain of inlined functions the last is taken, which is the kernel's own line."""
    lines: dict[int, str] = {}
    inside = False
    place = NOT_AVAILABLE
    for line in text.splitlines():
        if function := _FUNCTION.match(line):
            inside = Kernel.of_name(kernel.chapter, function[1]) == kernel
            place = NOT_AVAILABLE
        elif inside and (found := _PLACE.match(line)):
            file = _DIRECTORY.search(found[1])
            place = f"{file[1]}:{found[2]}" if file else NOT_AVAILABLE
        elif inside and (instruction := _INSTRUCTION.match(line)):
            lines[int(instruction[1], 16)] = place
    return lines


def architecture_of(cubin: Path) -> int:
    match = re.search(r"sm_(\d+)", cubin.name)
    return int(match[1]) if match else 0


def source_lines(program: Path, kernel: Kernel, sm: int) -> dict[int, str]:
    """Empty where the CUDA Toolkit's cuobjdump and nvdisasm are missing, or the program has no line numbers."""
    extract, disassemble = find_tool("cuobjdump"), find_tool("nvdisasm")
    if extract is None or disassemble is None:
        return {}
    with tempfile.TemporaryDirectory() as name:
        run([extract, "--extract-elf", "all", program.resolve()], SECONDS, Path(name))
        cubins = [file for file in Path(name).glob("*.cubin") if architecture_of(file) <= sm]
        for cubin in sorted(cubins, key=architecture_of, reverse=True):
            listing = run([disassemble, "--print-line-info-inline", "--print-code", cubin], SECONDS)
            if lines := parse_disassembly(listing.output, kernel):
                return lines
    return {}


def text_of_line(place: str) -> str:
    """The source line itself, if it is here."""
    file, _, number = place.rpartition(":")
    path = REPOSITORY / file
    if not file or not path.is_file():
        return NOT_AVAILABLE
    lines = path.read_text(encoding="utf-8").splitlines()
    return lines[int(number) - 1].strip() if 0 < int(number) <= len(lines) else NOT_AVAILABLE
