"""How many blocks a multiprocessor holds at the same time. (CUDA C++ Programming Guide, "Compute Capabilities")"""

from __future__ import annotations

from dataclasses import dataclass

WARP_SIZE = 32
REGISTERS = 65536  # of a multiprocessor, on all that are listed here
SUB_CORES = 4  # that share the registers, and the warps, equally
REGISTER_GRANULARITY = 256  # registers are given to a warp in units of this
SHARED_GRANULARITY = 128
RESERVED_SHARED_BYTES = 1024  # of each block, for the driver


@dataclass(frozen=True)
class Multiprocessor:
    shared_kib: int
    warps: int
    blocks: int


MULTIPROCESSORS = {
    80: Multiprocessor(164, 64, 32),
    86: Multiprocessor(100, 48, 16),
    89: Multiprocessor(100, 48, 24),
    90: Multiprocessor(228, 64, 32),
    100: Multiprocessor(228, 64, 32),
    120: Multiprocessor(100, 48, 24),
}


def round_up(value: int, unit: int) -> int:
    return -(-value // unit) * unit


def limits(sm: int, registers: int, shared_bytes: int, warps: int) -> dict[str, int]:
    """The most blocks that each resource allows. `registers` of a thread, `shared_bytes` and `warps` of a block."""
    machine = MULTIPROCESSORS[sm]
    warp_registers = round_up(registers * WARP_SIZE, REGISTER_GRANULARITY)
    warps_by_registers = REGISTERS // SUB_CORES // warp_registers * SUB_CORES
    block_bytes = round_up(shared_bytes + RESERVED_SHARED_BYTES, SHARED_GRANULARITY)
    return {
        "registers": warps_by_registers // warps,
        "shared memory": machine.shared_kib * 1024 // block_bytes,
        "warps": machine.warps // warps,
        "blocks": machine.blocks,
    }


def blocks_per_sm(sm: int, registers: int, shared_bytes: int, warps: int) -> int:
    return min(limits(sm, registers, shared_bytes, warps).values())
