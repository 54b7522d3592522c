"""Tables of what Nsight Compute counted."""

from __future__ import annotations

from measuring.files import NOT_AVAILABLE, Row
from measuring.kernels import Kernel, natural_key
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


def long_scoreboard(results: Results, arguments: Arguments) -> str:
    """The instructions at which most of the waits for memory are, with the line that they come from."""
    most = 5

    def code(text: str) -> str:
        return NOT_AVAILABLE if text == NOT_AVAILABLE else f"`{text.replace('|', chr(92) + '|')}`"

    def table(gpu: Gpu) -> str:
        header = [arguments.say(k) for k in ("chapter", "share_of_long_scoreboard", "instruction", "source_line")]
        header.append("")
        lines, totals = [], []
        for chapter in arguments.chapters or sorted({row["chapter"] for row in gpu.long_scoreboard}, key=natural_key):
            rows = [row for row in gpu.long_scoreboard if Kernel.of_row(row) == arguments.kernel(chapter)]
            lines += [
                [chapter, row["share"], code(row["instruction"]), code(row["place"]), code(row["source"])]
                for row in rows[:most]
            ] or [[chapter, *[NOT_AVAILABLE] * 4]]
            first = rows[0] if rows else None
            share, of_all = number_of(first, "share"), number_of(first, "share_of_all")
            if share and of_all is not None:
                totals.append(arguments.say("long_scoreboard_of_samples", chapter, rounded(100 * of_all / share)))
        lines = lines or [[NOT_AVAILABLE] * len(header)]
        where = source(arguments, gpu, "long_scoreboard.csv")
        return paragraphs(markdown(header, lines, left=len(header)), " ".join(totals), where)

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
