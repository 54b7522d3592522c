"""Tables of checks, and of what all results were measured on and with."""

from __future__ import annotations

from collections.abc import Iterable

from measuring.files import NOT_AVAILABLE
from measuring.kernels import DEFAULT_SHAPE, DTYPES, HEAD_DIMS, Shape, natural_key
from measuring.results import Gpu, Results
from measuring.table_support import Arguments, for_each_gpu, gpus_of, markdown, paragraphs, rounded, source


def correctness(results: Results, arguments: Arguments) -> str:
    every = {
        str(chapter["chapter"]) for gpu in results.gpus for entry in gpu.correctness for chapter in entry["chapters"]
    }

    def table(gpu: Gpu) -> str:
        entries = {
            (entry["dtype"], entry["head_dim"], Shape.of_row(entry)): [
                chapter for chapter in entry["chapters"] if str(chapter["chapter"]) in (arguments.chapters or every)
            ]
            for entry in gpu.correctness
        }
        shapes = sorted({shape for _, _, shape in entries}, key=lambda s: (s.seq_kv, s.batch)) or [DEFAULT_SHAPE]

        def cell(dtype: str, head_dim: int, shape: Shape) -> str:
            chapters = entries.get((dtype, head_dim, shape))
            if not chapters:
                return NOT_AVAILABLE
            if not all(chapter["correct"] for chapter in chapters):
                return arguments.say("wrong")
            worst = max(chapters, key=lambda chapter: chapter["max_abs_error"])
            return f"{worst['max_abs_error']:.1e} ({worst['tolerance']:.1e})"

        rows = [[t, str(d), *(cell(t, d, shape) for shape in shapes)] for t in DTYPES for d in HEAD_DIMS]
        header = [arguments.say("dtype"), arguments.say("head_dim"), *(str(shape) for shape in shapes)]
        verdicts = [chapter["correct"] for chapters in entries.values() for chapter in chapters]
        wrong = verdicts.count(False)
        said = arguments.say("some_wrong", wrong, len(verdicts)) if wrong else arguments.say("all_right", len(verdicts))
        what = f"{arguments.say('error_of_tolerance')}. {said}" if verdicts else ""
        return paragraphs(markdown(header, rows, left=2), what, source(arguments, gpu, "correctness.json"))

    return for_each_gpu(results, arguments, table)


def sanitizer(results: Results, arguments: Arguments) -> str:
    def table(gpu: Gpu) -> str:
        header = [arguments.say(key) for key in ("tool", "runs", "clean", "findings")]
        rows = []
        for tool in ("memcheck", "racecheck", "initcheck", "synccheck"):
            lines = [line for line in gpu.sanitizer if line.startswith(f"{tool} ")]
            clean = sum(": ERROR SUMMARY: 0 errors" in line or "SUMMARY: 0 hazards" in line for line in lines)
            counts = [len(lines), clean, len(lines) - clean]
            rows.append([tool, *(str(count) if lines else NOT_AVAILABLE for count in counts)])
        return paragraphs(markdown(header, rows), source(arguments, gpu, "sanitizer.txt"))

    return for_each_gpu(results, arguments, table)


def agreement(results: Results, arguments: Arguments) -> str:
    """How near the outputs of the GPU are to those of the simulator: the farthest of all kernels of a chapter."""

    def table(gpu: Gpu) -> str:
        entries = {str(entry["chapter"]): entry for entry in gpu.agreement}
        chosen = [c for c in sorted(entries, key=natural_key) if c in (arguments.chapters or (c,))]
        rows = []
        for chapter in chosen:
            distance = entries[chapter].get("largest_distance_ulp")
            passed = entries[chapter]["result"] == "passed"
            far = rounded(float(distance), 2) if distance is not None else NOT_AVAILABLE
            rows.append([chapter, far, arguments.say("yes" if passed else "no")])
        header = [arguments.say(key) for key in ("chapter", "largest_distance", "within_limit")]
        rows = rows or [[NOT_AVAILABLE] * len(header)]
        return paragraphs(markdown(header, rows), arguments.say("ulp"), source(arguments, gpu, "agreement.json"))

    return for_each_gpu(results, arguments, table)


def environment(results: Results, arguments: Arguments) -> str:
    gpus = gpus_of(results, arguments)
    keys = (
        "gpu",
        "sm",
        "driver",
        "cuda",
        "runtime",
        "nvcc",
        "compiler",
        "build",
        "architectures",
        "commit",
        "sources",
        "date",
    )

    def span(values: Iterable[float | None]) -> str:
        seen = [value for value in values if value is not None]
        return f"{min(seen):.0f} to {max(seen):.0f}" if seen else NOT_AVAILABLE

    def between_steps(gpu: Gpu, quantity: str) -> str:
        steps = [entry for entries in gpu.environment.get("steps", {}).values() for entry in entries]
        states = [state for entry in steps for state in (entry["before"], entry["after"]) if state]
        return span(state.get(quantity) for state in states)

    def limit(gpu: Gpu, quantity: str) -> str:
        value = (gpu.environment.get("limits") or {}).get(quantity)
        return NOT_AVAILABLE if value is None else f"{value:.0f}"

    rows = [[key, *(str(gpu.environment.get(key, NOT_AVAILABLE)) for gpu in gpus)] for key in keys]
    rows.append(["flags", *(f"`{' '.join(gpu.environment.get('flags', [])) or NOT_AVAILABLE}`" for gpu in gpus)])
    rows.append(["SM clock while timed, MHz", *(span(m.sm_mhz for m in gpu.measurements) for gpu in gpus)])
    rows.append(["temperature while timed, C", *(span(m.celsius for m in gpu.measurements) for gpu in gpus)])
    rows.append(["power between steps, W", *(between_steps(gpu, "power_watts") for gpu in gpus)])
    rows.append(["highest SM clock, MHz", *(limit(gpu, "sm_mhz") for gpu in gpus)])
    rows.append(["power limit, W", *(limit(gpu, "power_watts") for gpu in gpus)])
    rows.append(["matrix product 8192^3, fp16", *(gpu.ceiling for gpu in gpus)])
    return markdown(["", *(gpu.directory for gpu in gpus)], rows, left=1 + len(gpus))
