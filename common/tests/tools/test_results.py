import tempfile
import unittest
from pathlib import Path

import fixture
from measuring.files import write_json
from measuring.kernels import DEFAULT_TILE, Kernel, Shape, Tile
from measuring.results import harmonic_mean, read_benchmark, read_results

SHAPE = Shape.square(16, 4096)


class Reading(unittest.TestCase):
    def setUp(self) -> None:
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.root = Path(directory.name)

    def test_an_empty_directory_gives_no_results(self) -> None:
        results = read_results(self.root)
        self.assertEqual((results.gpus, results.resources, results.chapters()), ([], [], []))

    def test_a_benchmark_gives_the_median_and_its_spread(self) -> None:
        name = fixture.benchmark_name("chapter3", "bf16", 64, Tile(128, 64, 8), SHAPE)
        entries = fixture.benchmark_entries(name, 7.5, 300, {"% of FlashAttention-2": 98.5, "% of matmul": 45})
        entries.append({**entries[0], "aggregate_name": "mean", "real_time": 100})
        file = self.root / "benchmark_tiles_bf16_d64.json"
        write_json(file, {"context": {}, "benchmarks": entries})
        (measured,) = read_benchmark(file)
        self.assertEqual((measured.who, measured.dtype, measured.head_dim), ("3", "bf16", 64))
        self.assertEqual((measured.tile, measured.shape, measured.sweep), (Tile(128, 64, 8), SHAPE, "tiles_bf16_d64"))
        self.assertEqual((measured.over_tiles, measured.repetitions), (True, 10))
        self.assertEqual((measured.milliseconds, measured.tflops, measured.variation), (7.5, 300, 0.004))
        self.assertEqual(measured.percent_of, {"FlashAttention-2": 98.5})

    def test_a_benchmark_that_failed_is_left_out(self) -> None:
        name = fixture.benchmark_name("cuDNN", "fp16", 128, None, SHAPE)
        wrong = {"run_name": name, "error_occurred": True, "error_message": "no such reference", "real_time": 0}
        write_json(self.root / "benchmark_x.json", {"context": {}, "benchmarks": [wrong]})
        self.assertEqual(read_benchmark(self.root / "benchmark_x.json"), [])

    def test_a_measurement_is_found_in_the_sweep_over_lengths_before_that_over_tiles(self) -> None:
        fixture.write_results(self.root, {"h200": ("NVIDIA H200", 1)})
        (gpu,) = read_results(self.root).gpus
        found = gpu.find("3", SHAPE)
        assert found is not None
        self.assertEqual((found.sweep, found.tile), ("fp16_d128", DEFAULT_TILE))
        best = gpu.find("3", SHAPE, tile=Tile(128, 64, 4))
        assert best is not None
        self.assertEqual(best.sweep, "tiles_fp16_d128")
        self.assertIsNone(gpu.find("2", SHAPE, dtype="bf16"))
        self.assertIsNone(gpu.find("3", SHAPE, cold_l2=True))

    def test_gpus_chapters_and_titles_come_from_what_is_there(self) -> None:
        fixture.write_results(self.root, {"h200": ("NVIDIA H200", 1), "a100": ("NVIDIA A100", 0.5)})
        results = read_results(self.root)
        self.assertEqual([gpu.name for gpu in results.gpus], ["NVIDIA A100", "NVIDIA H200"])
        self.assertEqual(results.chapters(), ["1", "2", "3", "4"])
        self.assertEqual((results.title("2"), results.title("9")), ("Swizzled shared memory", "n/a"))
        self.assertEqual(results.wavefronts_of_ideal("1"), 8)
        row = results.resources_of(Kernel("3", "fp16", 128, Tile(128, 64, 4)), 90)
        assert row is not None
        self.assertEqual(row["stack_bytes"], "224")


class Means(unittest.TestCase):
    def test_of_rates_are_harmonic_and_need_all_of_them(self) -> None:
        self.assertEqual(harmonic_mean([100, 300]), 150)
        self.assertIsNone(harmonic_mean([100, None]))
        self.assertIsNone(harmonic_mean([]))


if __name__ == "__main__":
    unittest.main()
