"""Invented results of two GPUs, in the form in which record.py writes them."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

REPOSITORY = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(REPOSITORY / "common" / "tools"))

from measuring.files import write_csv, write_json, write_text  # noqa: E402
from measuring.kernels import ALL_TILES, DEFAULT_TILE, SHAPES, Kernel, Shape, Tile  # noqa: E402
from measuring.ncu import PROFILE_COLUMNS, STALL_COLUMNS  # noqa: E402

TITLES = ("Base kernel", "Swizzled shared memory", "K and V loaded ahead", "Fragments loaded between the mmas")
RATES = (57.0, 316.0, 336.0, 338.0)  # TFLOP/s at 16 x 4096, of chapters 1 to 4
FLASH_ATTENTION_2 = 340.0
STALLS = (  # of chapters 1 to 4, as in STALL_COLUMNS
    (4, 77, 1, 0, 12, 3, 0, 2, 1),
    (21, 30, 4, 5, 2, 21, 3, 11, 3),
    (6, 32, 5, 6, 5, 25, 5, 12, 4),
    (6, 32, 5, 6, 5, 25, 5, 12, 4),
)


def benchmark_name(who: str, dtype: str, head_dim: int, tile: Tile | None, shape: Shape) -> str:
    tile_part = f"q{tile.block_q}_kv{tile.block_kv}_w{tile.warps}/" if tile else ""
    return f"{who}/{dtype}/d{head_dim}/{tile_part}b{shape.batch}_s{shape.seq_q}_h{shape.heads}/l2_warm/manual_time"


def benchmark_entries(
    name: str, milliseconds: float, tflops: float, counters: dict[str, float]
) -> list[dict[str, Any]]:
    common = {"run_name": name, "run_type": "aggregate", "repetitions": 10, "time_unit": "ms"}
    seen = {"sm_mhz": 1980 - tflops, "celsius": 50}
    median = {"aggregate_name": "median", "real_time": milliseconds, "TFLOP/s": tflops, **seen, **counters}
    cv = {"aggregate_name": "cv", "real_time": 0.004, "TFLOP/s": 0.004}
    return [
        {"name": f"{name}_median", **common, **median},
        {"name": f"{name}_cv", **common, **cv},
    ]


def write_benchmarks(directory: Path, speed: float) -> None:
    sweep = []
    for i, shape in enumerate(SHAPES):
        factor = speed * (0.7 + 0.06 * i)
        reference = benchmark_name("FlashAttention-2", "fp16", 128, None, shape)
        sweep += benchmark_entries(reference, 1, FLASH_ATTENTION_2 * factor, {})
        for chapter, rate in enumerate(RATES, start=1):
            name = benchmark_name(f"chapter{chapter}", "fp16", 128, DEFAULT_TILE, shape)
            percents = {"% of FlashAttention-2": 100 * rate / FLASH_ATTENTION_2}
            sweep += benchmark_entries(name, 2, rate * factor, percents)
    context = {"date": "2026-11-30T00:00:00+00:00", "matrix product 8192^3 fp16": "737.0 TFLOP/s"}
    write_json(directory / "benchmark_fp16_d128.json", {"context": context, "benchmarks": sweep})
    for dtype, head_dim in (("fp16", 128), ("fp16", 64), ("bf16", 128), ("bf16", 64)):
        tiles = tile_entries(dtype, head_dim, speed)
        write_json(directory / f"benchmark_tiles_{dtype}_d{head_dim}.json", {"context": context, "benchmarks": tiles})


def tile_entries(dtype: str, head_dim: int, speed: float) -> list[dict[str, Any]]:
    """Of chapters 3 and 4 at three lengths. With bf16 the order of the tiles is the reverse."""
    entries = benchmark_entries(benchmark_name("FlashAttention-2", dtype, head_dim, None, SHAPES[0]), 1, 340, {})
    for shape in (SHAPES[0], SHAPES[1], SHAPES[3]):
        for chapter in (3, 4):
            for i, tile in enumerate(ALL_TILES if dtype == "fp16" else reversed(ALL_TILES)):
                name = benchmark_name(f"chapter{chapter}", dtype, head_dim, tile, shape)
                percent = 70 + 5 * i + chapter
                entries += benchmark_entries(name, 2, 3.4 * percent * speed, {"% of FlashAttention-2": percent})
    return entries


def profile_rows() -> list[dict[str, object]]:
    rows = []
    for chapter, shares in enumerate(STALLS, start=1):
        row: dict[str, object] = dict.fromkeys(PROFILE_COLUMNS, "1")
        row |= Kernel(str(chapter), "fp16", 128, DEFAULT_TILE).columns() | Shape.square(16, 4096).columns()
        row |= dict(zip(STALL_COLUMNS, shares, strict=True))
        row |= {"dram_read_bytes": 8e8, "dram_write_bytes": 3e8, "registers": 168, "blocks_per_sm": 3}
        row |= {"multiprocessors": 132, "max_sm_mhz": 1980, "dram_bus_bits": 6016, "max_dram_mhz": 3201}
        rows.append(row)
    return rows


def wavefront_rows() -> list[dict[str, object]]:
    rows = []
    for chapter in range(1, 5):
        kernel = Kernel(str(chapter), "fp16", 128, DEFAULT_TILE)
        counted = 8000 if chapter == 1 else 1000
        values = {"count": "ldmatrix_wavefronts", "gpu": counted, "simulator": counted, "ideal": 1000, "equal": "yes"}
        rows.append(kernel.columns() | Shape(1, 2, 256, 512).columns() | values)
    return rows


def wait_rows() -> list[dict[str, object]]:
    """Chapter 2 waits for the copies at one place, with a quarter of all samples."""
    rows = []
    for chapter, share in (("2", "80.00"), ("2", "20.00"), ("3", "100.00")):
        of_all = float(share) / 100 * (25 if chapter == "2" else 2)
        row = Kernel(chapter, "fp16", 128, DEFAULT_TILE).columns() | Shape.square(16, 4096).columns()
        row |= {"address": "0f00", "instruction": "LDGDEPBAR", "samples": "1", "share": share}
        row |= {"share_of_all": f"{of_all:.2f}", "place": f"chapter{chapter}/kernel.cuh:59", "source": "a || b;"}
        rows.append(row)
    return rows


def write_gpu(directory: Path, name: str, speed: float) -> None:
    before, after = {"sm_mhz": 345, "power_watts": 78.3}, {"sm_mhz": 1980, "power_watts": 404.9}
    entry = {"date": "2026-11-30T00:00:00Z", "seconds": 60, "before": before, "after": after, "missing": 0}
    facts = {"gpu": name, "sm": 90, "driver": "580.159.03", "runtime": "13.0", "date": "2026-11-30T00:00:00Z"}
    write_json(
        directory / "environment.json", facts | {"flags": ["-O3"], "steps": {"benchmark": [entry]}, "programs": {}}
    )
    write_benchmarks(directory, speed)
    write_csv(directory / "profile.csv", PROFILE_COLUMNS, profile_rows())
    rows = wavefront_rows()
    write_csv(directory / "wavefronts.csv", list(rows[0]), rows)
    verdict = {"correct": True, "message": "", "tolerance": 3.3e-4}
    chapters = [{"chapter": i, "max_abs_error": error, **verdict} for i, error in enumerate((1.5e-4, 2e-4), start=1)]
    entry = {"problem": "p", "dtype": "fp16", "head_dim": 128, **SHAPES[0].columns(), "chapters": chapters}
    write_json(directory / "correctness.json", [entry])
    write_csv(directory / "long_scoreboard.csv", list(wait_rows()[0]), wait_rows())
    agreement = [{"name": f"Agrees/chapter{i}", "chapter": str(i), "result": "passed"} for i in (1, 2)]
    agreement[0] |= {"largest_distance_ulp": "1.234567"}
    agreement[1] |= {"largest_distance_ulp": "2.5", "result": "failed"}
    write_json(directory / "agreement.json", agreement)
    lines = ["memcheck chapter1 fp16 d128 64x64x4: ERROR SUMMARY: 0 errors"]
    lines.append("racecheck chapter1 fp16 d128 64x64x4: RACECHECK SUMMARY: 1 hazard displayed (1 error, 0 warnings)")
    write_text(directory / "sanitizer.txt", "\n".join(lines) + "\n")


def resource_rows() -> list[dict[str, object]]:
    """Chapter 3 spills with 128 query rows, chapter 4 does not."""
    rows = []
    for chapter in ("1", "2", "3", "4"):
        for tile in (DEFAULT_TILE, Tile(128, 64, 4)):
            spilled = 224 if chapter == "3" and tile.block_q == 128 else 0
            row = Kernel(chapter, "fp16", 128, tile).columns() | {
                "sm": 90,
                "registers": 255 if tile.block_q == 128 else 168,
                "spill_store_bytes": 2 * spilled,
                "spill_load_bytes": 2 * spilled,
                "stack_bytes": spilled,
                "shared_bytes": 49152,
                "blocks_per_sm": 2,
                "nvcc": "13.0.88",
            }
            rows.append(row)
    return rows


def write_results(root: Path, gpus: dict[str, tuple[str, float]]) -> None:
    """`gpus`: for each directory the name of the GPU, and how fast it is."""
    simulator = [
        {
            "chapter": number,
            "title": title,
            "counters": {"ldmatrix": {"wavefronts": 8 if number == 1 else 1, "ideal_wavefronts": 1}},
        }
        for number, title in enumerate(TITLES, start=1)
    ]
    write_json(root / "simulator.json", simulator)
    rows = resource_rows()
    write_csv(root / "resources.csv", list(rows[0]), rows)
    for directory, (name, speed) in gpus.items():
        write_gpu(root / directory, name, speed)


def load(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))
