"""What Nsight Compute is asked for, and what its output means. measuring/profiler.py runs it.

Metrics are named in the Nsight Compute documentation, "Kernel Profiling Guide". What a GPU does not have is left out.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from measuring.files import NOT_AVAILABLE, Row
from measuring.kernels import Kernel, Shape

# The reasons that are told apart; all others are "other".
STALLS = (
    "long_scoreboard",
    "short_scoreboard",
    "barrier",
    "math_pipe_throttle",
    "mio_throttle",
    "wait",
    "not_selected",
    "selected",
)
STALL_COLUMNS = tuple(f"stall_{reason}" for reason in (*STALLS, "other"))


@dataclass(frozen=True)
class Field:
    """A column, the metrics that may fill it, the first that there is, and by what its value is divided."""

    column: str
    metrics: tuple[str, ...]
    divisor: float = 1


# Which of these a GPU has differs between generations.
TENSOR_INSTRUCTIONS = (
    "sm__inst_executed_pipe_tensor_op_hmma.sum",
    "sm__inst_executed_pipe_tensor.sum",
    "smsp__inst_executed_pipe_tensor_op_hmma.sum",
    "smsp__inst_executed_pipe_tensor.sum",
)
WAVEFRONTS = "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_"
COUNTS = (
    Field("ldmatrix_wavefronts", (f"{WAVEFRONTS}ldsm.sum",)),
    Field("load_wavefronts", (f"{WAVEFRONTS}ld.sum",)),
    Field("store_wavefronts", (f"{WAVEFRONTS}st.sum",)),
    Field("tensor_instructions", TENSOR_INSTRUCTIONS),
)
# What the GPU is, for its roofline.
DEVICE = (
    Field("multiprocessors", ("device__attribute_multiprocessor_count",)),
    Field("max_sm_mhz", ("device__attribute_max_gpu_frequency_khz",), 1e3),
    Field("dram_bus_bits", ("device__attribute_global_memory_bus_width",)),
    Field("max_dram_mhz", ("device__attribute_max_mem_frequency_khz",), 1e3),
)
LAUNCH = (
    Field("registers", ("launch__registers_per_thread",)),
    Field("dynamic_shared_bytes", ("launch__shared_mem_per_block_dynamic",)),
)
RATES = (
    Field("time_ms", ("gpu__time_duration.sum",), 1e6),
    Field("sm_mhz", ("gpc__cycles_elapsed.avg.per_second", "sm__cycles_elapsed.avg.per_second"), 1e6),
    Field(
        "tensor_percent",
        (
            "sm__pipe_tensor_op_hmma_cycles_active.avg.pct_of_peak_sustained_active",
            "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active",
        ),
    ),
    Field(
        "shared_percent",  # of the pipe that every access to shared memory goes through
        (
            "l1tex__data_pipe_lsu_wavefronts.avg.pct_of_peak_sustained_elapsed",
            "l1tex__data_pipe_lsu_wavefronts_mem_shared.avg.pct_of_peak_sustained_elapsed",
        ),
    ),
    Field("issue_percent", ("smsp__issue_active.avg.pct_of_peak_sustained_active",)),
    Field("warps_per_sm", ("sm__warps_active.avg.per_cycle_active",)),
)
TRAFFIC = (
    Field("dram_read_bytes", ("dram__bytes_read.sum",)),
    Field("dram_write_bytes", ("dram__bytes_write.sum",)),
    Field("l2_bytes", ("lts__t_bytes.sum",)),
    Field("l2_hit_percent", ("lts__t_sector_hit_rate.pct",)),
)
FIELDS = (*RATES, *LAUNCH, *COUNTS, *TRAFFIC)
SECTIONS = ("LaunchStats", "Occupancy", "WarpStateStats")
# The blocks that a multiprocessor can hold, by what they need of each resource. The limit by shared memory follows from
# how much of the L1 cache the driver made shared memory for this launch: often no more than the other limits ask for.
LIMITS = (
    Field("limit_registers", ("launch__occupancy_limit_registers",)),
    Field("limit_shared", ("launch__occupancy_limit_shared_mem",)),
    Field("limit_warps", ("launch__occupancy_limit_warps",)),
    Field("limit_blocks", ("launch__occupancy_limit_blocks",)),
)

PROFILE_COLUMNS = (
    *Kernel.COLUMNS,
    *Shape.COLUMNS,
    *(field.column for field in (*RATES, *LAUNCH)),
    "blocks_per_sm",
    *(field.column for field in LIMITS),
    *(field.column for field in (*COUNTS, *TRAFFIC)),
    "cycles_per_instruction",
    *STALL_COLUMNS,
    *(field.column for field in DEVICE),
)

Metrics = dict[str, str]


def parse_raw(text: str) -> list[Metrics]:
    """Of `--page raw --csv`: the metrics of each launch. Numbers have no commas any more."""
    lines = [line for line in text.splitlines() if line.startswith('"')]
    table = list(csv.reader(lines))
    if len(table) < 3:  # names, units, and a line a launch
        return []
    names = table[0]
    return [
        {name: re.sub(r"(?<=\d),(?=\d{3})", "", value) for name, value in zip(names, values, strict=False)}
        for values in table[2:]
    ]


def number(metrics: Mapping[str, str], names: Sequence[str]) -> float | None:
    """The value of the first metric that there is."""
    for name in names:
        try:
            return float(metrics[name])
        except (KeyError, ValueError):
            continue
    return None


def stall_shares(metrics: Mapping[str, str]) -> dict[str, float]:
    """The share in per cent of each reason why warps did not issue, and of `selected`, in which they did.

    The metric counts, for each issued instruction, the warps that were in this state; it is also measured over cycles
    without an issue, as ..._not_issued, which counts the same stalls once more and is left out. Empty without metrics.
    """
    values = {}
    for name in metrics:
        match = re.fullmatch(r"smsp__average_warps_issue_stalled_(\w+)_per_issue_active\.ratio", name)
        value = number(metrics, [name])
        if match and not match[1].endswith("_not_issued") and value is not None:
            values[match[1]] = value
    total = sum(values.values())
    if total == 0:
        return {}
    shares = {f"stall_{reason}": 100 * values.get(reason, 0) / total for reason in STALLS}
    shares["stall_other"] = 100 - sum(shares.values())
    return shares


def cycles_per_instruction(metrics: Mapping[str, str]) -> float | None:
    """How long a warp takes from one instruction to the next."""
    return number(metrics, ["smsp__average_warp_latency_per_inst_issued.ratio"])


def text_of(value: float | None, digits: int = 2) -> str:
    if value is None:
        return NOT_AVAILABLE
    return str(int(value)) if value == int(value) else f"{value:.{digits}f}"


def profile_row(kernel: Kernel, shape: Shape, metrics: Mapping[str, str]) -> Row:
    row = {name: str(value) for name, value in (kernel.columns() | shape.columns()).items()}
    for field in (*FIELDS, *LIMITS, *DEVICE):
        value = number(metrics, field.metrics)
        digits = 4 if field.column == "time_ms" else 2
        row[field.column] = text_of(None if value is None else value / field.divisor, digits)
    limits = [int(row[field.column]) for field in LIMITS if row[field.column] != NOT_AVAILABLE]
    row["blocks_per_sm"] = str(min(limits)) if limits else NOT_AVAILABLE
    row["cycles_per_instruction"] = text_of(cycles_per_instruction(metrics))
    shares = stall_shares(metrics)
    row |= {column: text_of(shares.get(column)) for column in STALL_COLUMNS}
    return {column: row[column] for column in PROFILE_COLUMNS}


@dataclass(frozen=True)
class Hot:
    """An instruction at which warps were found waiting."""

    address: str  # from the beginning of the kernel
    text: str
    samples: int
    share: float  # of all samples, per cent
    reason: str  # what most of the samples waited for


@dataclass(frozen=True)
class Sampled:
    """An instruction, and how often warps were found at it: in all, and for each reason why they waited."""

    address: int  # from the beginning of the kernel
    text: str
    samples: int
    reasons: dict[str, int]

    def waiting_for(self, reason: str) -> int:
        """`reason` may be abbreviated: versions of the profiler shorten the names in different ways."""
        return sum(samples for name, samples in self.reasons.items() if name.startswith(reason))


def sampled_instructions(text: str) -> list[Sampled]:
    """Of `--page source --csv`, in the order of the machine code."""
    table = list(csv.reader(line for line in text.splitlines() if line.startswith('"')))
    header = next((row for row in table if row[:2] == ["Address", "Source"]), None)
    if header is None:
        return []
    samples = header.index("# Samples")
    reasons = [i for i, name in enumerate(header) if name.startswith("stall_") and "Not Issued" not in name]
    lines = [row for row in table if len(row) == len(header) and row[0].startswith("0x")]
    start = min((int(row[0], 16) for row in lines), default=0)

    def number_in(cell: str) -> int:
        return int(cell.replace(",", "") or 0)

    return [
        Sampled(
            address=int(row[0], 16) - start,
            text=" ".join(row[1].split()),
            samples=number_in(row[samples]),
            reasons={header[i].removeprefix("stall_"): number_in(row[i]) for i in reasons},
        )
        for row in lines
    ]


def hot_instructions(text: str, count: int) -> list[Hot]:
    """Of `--page source --csv`: the instructions with the most samples, those first."""
    everything = sampled_instructions(text)
    total = sum(instruction.samples for instruction in everything) or 1

    def hot(found: Sampled) -> Hot:
        reason = max(found.reasons, key=lambda name: found.reasons[name])
        return Hot(f"{found.address:04x}", found.text, found.samples, 100 * found.samples / total, reason)

    return sorted(map(hot, everything), key=lambda instruction: -instruction.samples)[:count]
