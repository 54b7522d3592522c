"""How machine instructions are counted together. (CUDA Binary Utilities, "Instruction Set Reference")"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence

from measuring.files import Row

# Those with a column of their own.
SINGLE = ("HMMA", "LDSM", "LDGSTS", "FFMA", "FMUL", "FADD", "FMNMX", "MUFU", "F2FP")
GROUPS = {
    "integer": "IADD IADD3 IMAD ISETP IABS IMNMX LEA LOP3 SHF SHL SHR PRMT SEL VIADD VIMNMX VIADDMNMX "
    "UIADD3 UIMAD UISETP ULEA ULOP3 USHF USEL UPRMT PLOP3 UPLOP3 P2R R2P",
    "moves": "MOV UMOV CS2R S2R S2UR R2UR R2UP LDC ULDC ULDC64 LDCU UP2UR",
    "shuffle": "SHFL VOTE",
    "waits": "BAR DEPBAR LDGDEPBAR WARPSYNC BSSY BSYNC YIELD ERRBAR MEMBAR",
    "branches": "BRA BRX CALL RET EXIT JMP BREAK",
    "local": "LDL STL",  # what does not fit the registers comes and goes
    "no-ops": "NOP",  # and whatever is under @!PT, which is never: ptxas puts three of them before an LDGSTS
}
_GROUP_OF = {name: group for group, names in GROUPS.items() for name in names.split()}
COUNTS = (*SINGLE, *GROUPS, "other", "all")


def group_of(opcode: str) -> str:
    """Of an opcode with its modifiers, such as HMMA.16816.F32."""
    name = opcode.split(".")[0]
    if name in SINGLE:
        return name
    if opcode.startswith("IMAD.MOV"):  # a move that goes through the multiplier
        return "moves"
    return _GROUP_OF.get(name, "other")


def same_code(rows: Mapping[str, Row], chapters: Sequence[str]) -> list[list[str]]:
    """Of one kernel's row in each chapter: the neighbours among the chapters that are the same to the byte, together."""
    groups: list[list[str]] = []
    for before, after in itertools.pairwise(chapter for chapter in chapters if chapter in rows):
        if rows[before]["code"] != rows[after]["code"]:
            continue
        if groups and groups[-1][-1] == before:
            groups[-1].append(after)
        else:
            groups.append([before, after])
    return groups
