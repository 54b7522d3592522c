"""Runs Nsight Compute on one launch of a kernel, and reads what it prints.

Metrics are named in the Nsight Compute documentation, "Kernel Profiling Guide". What a GPU does not have is left out.
"""

from __future__ import annotations

import csv
import re
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from measuring.commands import Outcome, find_tool, run
from measuring.files import NOT_AVAILABLE, Failure, Row
from measuring.kernels import Kernel, Shape, flags_of, program_of

KERNEL_NAME = "attention_forward"

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

PERMISSION = (
    "the driver keeps the counters for administrators (ERR_NVGPUCTRPERM): run this as root, or put the line 'options "
    "nvidia NVreg_RestrictProfilingToAdminUsers=0' into /etc/modprobe.d/nvidia-counters.conf and restart the machine; "
    "a container needs --cap-add=SYS_ADMIN besides"
)


class NoCounters(Failure):
    """Nothing can be profiled on this machine."""


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


# --- Running it ------------------------------------------------------------------------------------------------------


def unknown_metrics(log: str, metrics: Sequence[str]) -> list[str]:
    """Those that an error message names."""
    errors = "\n".join(line for line in log.splitlines() if line.startswith(("==ERROR==", "==WARNING==")))
    return [name for name in metrics if name in errors or re.search(rf"\b{re.escape(name.split('.')[0])}\b", errors)]


def explain(outcome: Outcome, log: str) -> Failure:
    text = log + outcome.text
    if "ERR_NVGPUCTRPERM" in text:
        return NoCounters(PERMISSION)
    if "LibraryNotLoaded" in text or "not supported" in text:
        return NoCounters(f"ncu cannot read counters here: {outcome.last_line() or log.strip()}")
    if outcome.timed_out:
        return Failure("ncu took too long")
    errors = [line for line in text.splitlines() if "==ERROR==" in line] or text.strip().splitlines()[-1:]
    return Failure(f"ncu gave no counters: {errors[0] if errors else f'exit status {outcome.status}'}")


class Profiler:
    """Nsight Compute and the programs of one build. It remembers what this machine refused."""

    def __init__(self, build: Path, seconds: float = 60) -> None:
        path = find_tool("ncu")
        if path is None:
            raise NoCounters("ncu is not in PATH: Nsight Compute comes with the CUDA Toolkit")
        self._path = path
        self._build = build
        self._seconds = seconds
        self._unknown: set[str] = set()
        self._kill = True

    def _command(self, log: Path, metrics: Sequence[str], sections: Sequence[str], target: Sequence[str]) -> list[str]:
        """Profiles the first launch of the kernel, which is the one whose result the program checks, at whatever clocks
        the GPU has, and ends the program then."""
        options = ["--clock-control", "none", "--kernel-name", KERNEL_NAME, "--launch-count", "1"]
        output = ["--page", "raw", "--csv", "--print-units", "base", "--log-file", str(log)]
        chosen = [word for section in sections for word in ("--section", section)]
        wanted = ["--metrics", ",".join(metrics)] if metrics else []
        end = ["--kill", "yes"] if self._kill else []
        return [self._path, *options, *output, *chosen, *wanted, *end, *target]

    def _try(self, metrics: Sequence[str], sections: Sequence[str], target: Sequence[str]) -> tuple[Outcome, str]:
        with tempfile.TemporaryDirectory() as directory:
            file = Path(directory) / "log"
            outcome = run(self._command(file, metrics, sections, target), self._seconds)
            return outcome, file.read_text(encoding="utf-8", errors="replace") if file.exists() else ""

    def measure(self, kernel: Kernel, shape: Shape, fields: Sequence[Field], sections: Sequence[str] = ()) -> Metrics:
        """The metrics of one launch of one kernel."""
        program = self._build / "bin" / program_of(kernel.chapter)
        if not program.exists():
            raise Failure(f"there is no {program}: build it first")
        target = [str(program), "--device", "gpu", *flags_of(kernel, shape)]
        while True:
            metrics = [name for field in fields for name in field.metrics if name not in self._unknown]
            outcome, log = self._try(metrics, sections, target)
            launches = parse_raw(log)
            if launches:
                return launches[0]
            unknown = unknown_metrics(log + outcome.text, metrics)
            if outcome.timed_out and self._kill:
                self._kill = False
            elif unknown:
                self._unknown.update(unknown)
            else:
                raise explain(outcome, log)

    def profile(self, kernel: Kernel, shape: Shape) -> Row:
        return profile_row(kernel, shape, self.measure(kernel, shape, FIELDS, SECTIONS))
