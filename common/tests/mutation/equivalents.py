"""Mutants that compute the same, with the same memory traffic and without a race, and why."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Equivalent:
    """Mutants of one operator that are not caught: in these chapters, where the line says `source`."""

    operator: str
    chapters: tuple[int, ...]
    source: str
    reason: str


EQUIVALENTS = [
    Equivalent(
        "wait for one group more",
        (3, 4, 5),
        "device::cp_async_wait<1>();  // for Q; the first K may still be on its way",
        "Waits for the first K too, earlier than needed. That costs time, of which the simulator has none.",
    ),
    Equivalent(
        "no swizzle in one address",
        (2, 3, 4, 5),
        "device::cp_async_16(step_address<Config>(destination, pass * kRowsPerPass, column), source + column);",
        "A thread's copies are multiples of 8 rows and of 8 chunks apart. Such steps change none of the bits that the "
        "swizzle changes.",
    ),
    Equivalent(
        "no vote on the rescale",
        (1, 2, 3, 4, 5),
        "if (device::any(largest > maximum[row])) {",
        "The four lanes of a row agree without a vote, and where the maximum stays, scaling by exp2(0) = 1 is exact. "
        "The vote keeps the lanes of the warp together.",
    ),
    *(
        Equivalent(
            "fragments not loaded",
            (4, 5),
            f"{operand}.copy_shared_to_registers();",
            f"{operand.upper()} is not held whole here, so the call is not compiled: matmul loads what it uses.",
        )
        for operand in "kv"
    ),
]
