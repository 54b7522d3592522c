"""Tables of what Nsight Compute counted."""

from __future__ import annotations

from measuring.files import NOT_AVAILABLE, Row
from measuring.kernels import Kernel
from measuring.ncu import STALL_COLUMNS
from measuring.results import Gpu, Results
from measuring.table_support import (
    Arguments,
    chapters_of,
    for_each_gpu,
    markdown,
    number_of,
    paragraphs,
    rounded,
    source,
)


def stalls(results: Results, arguments: Arguments) -> str:
    def table(gpu: Gpu) -> str:
        header = [arguments.say("chapter"), *(arguments.say(column) for column in STALL_COLUMNS)]
        rows = []
        for chapter in chapters_of(results, arguments):
            row = gpu.profile_of(arguments.kernel(chapter))
            rows.append([chapter, *(rounded(number_of(row, column)) for column in STALL_COLUMNS)])
        return paragraphs(markdown(header, rows), source(arguments, gpu, "profile.csv"))

    return paragraphs(for_each_gpu(results, arguments, table), arguments.say("shares"))


def profile(results: Results, arguments: Arguments) -> str:
    columns = (
        "tensor_percent",
        "shared_percent",
        "issue_percent",
        "cycles_per_instruction",
        "registers",
        "blocks_per_sm",
    )

    def megabytes(row: Row | None, *names: str) -> str:
        values = [number_of(row, name) for name in names]
        return rounded(sum(v for v in values if v) / 1e6, 0) if any(v is not None for v in values) else NOT_AVAILABLE

    def table(gpu: Gpu) -> str:
        keys = ("chapter", "time", *columns, "dram_mb", "l2_mb")
        rows = []
        for chapter in chapters_of(results, arguments):
            row = gpu.profile_of(arguments.kernel(chapter))
            digits = {"registers": 0, "blocks_per_sm": 0}
            cells = [rounded(number_of(row, column), digits.get(column, 1)) for column in columns]
            traffic = [megabytes(row, "dram_read_bytes", "dram_write_bytes"), megabytes(row, "l2_bytes")]
            rows.append([chapter, rounded(number_of(row, "time_ms"), 3), *cells, *traffic])
        return paragraphs(markdown([arguments.say(k) for k in keys], rows), source(arguments, gpu, "profile.csv"))

    return for_each_gpu(results, arguments, table)


def wavefronts(results: Results, arguments: Arguments) -> str:
    def table(gpu: Gpu) -> str:
        header = [arguments.say(key) for key in ("chapter", "count", "gpu", "simulator", "equal")]
        rows = [
            [row["chapter"], arguments.say(row["count"]), row["gpu"], row["simulator"], arguments.say(row["equal"])]
            for row in gpu.wavefronts
            if Kernel.of_row(row) == arguments.kernel(row["chapter"])
        ] or [[NOT_AVAILABLE] * len(header)]
        kernels = {Kernel.of_row(row) for row in gpu.wavefronts}
        different = sum(row["equal"] != "yes" for row in gpu.wavefronts)
        verdict = (
            arguments.say("some_differ", different, len(gpu.wavefronts), len(kernels))
            if different
            else arguments.say("all_equal", len(gpu.wavefronts), len(kernels))
        )
        text = markdown(header, rows, left=2)
        return paragraphs(text, verdict if kernels else "", source(arguments, gpu, "wavefronts.csv"))

    return for_each_gpu(results, arguments, table)
