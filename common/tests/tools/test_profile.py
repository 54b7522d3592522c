import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import fakes
import fixture
from measuring import ncu, profiler
from measuring.files import Failure, read_csv
from measuring.kernels import DEFAULT_TILE, Kernel, Shape, Tile

KERNEL = Kernel("2", "fp16", 128, DEFAULT_TILE)
SHAPE = Shape.square(4, 4096)
H200 = Path(__file__).parent / "data" / "ncu_chapter4_h200.csv"


class RawOutput(unittest.TestCase):
    def setUp(self) -> None:
        (self.metrics,) = ncu.parse_raw(H200.read_text(encoding="utf-8"))
        self.row = ncu.profile_row(Kernel("4", "fp16", 128, DEFAULT_TILE), SHAPE, self.metrics)

    def test_is_read_below_the_profilers_own_lines_and_without_commas_in_numbers(self) -> None:
        self.assertEqual(self.metrics["smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ldsm.sum"], "268959744")
        self.assertIn("Config<Half, 128, 64, 64, 4>", self.metrics["Kernel Name"])

    def test_gives_a_row_of_figures_in_our_units(self) -> None:
        expected = {
            "time_ms": "1.5726",
            "sm_mhz": "1786.84",
            "tensor_percent": "55.71",
            "shared_percent": "78.27",
            "issue_percent": "34.16",
            "registers": "168",
            "dynamic_shared_bytes": "49152",
            "blocks_per_sm": "3",
            "limit_warps": "16",
            "ldmatrix_wavefronts": "268959744",
            "multiprocessors": "132",
        }
        self.assertEqual({column: self.row[column] for column in expected}, expected)

    def test_leaves_what_was_not_measured_open(self) -> None:
        self.assertEqual(self.row["dram_read_bytes"], "n/a")

    def test_gives_stalls_as_shares_that_sum_to_100(self) -> None:
        shares = ncu.stall_shares(self.metrics)
        self.assertAlmostEqual(sum(shares.values()), 100)
        self.assertAlmostEqual(shares["stall_long_scoreboard"], 100 * 0.51 / 8.57, places=1)
        self.assertEqual(set(shares), set(ncu.STALL_COLUMNS))

    def test_does_not_count_a_stall_twice(self) -> None:
        doubled = dict(self.metrics)
        for name, value in self.metrics.items():
            if "issue_stalled" in name:
                doubled[name.replace("_per_issue_active", "_not_issued_per_issue_active")] = value
        doubled["smsp__average_warps_issue_stalled_wait_not_issued_per_issue_active.ratio"] = "99"
        self.assertEqual(ncu.stall_shares(doubled), ncu.stall_shares(self.metrics))

    def test_without_stalls_has_no_shares(self) -> None:
        self.assertEqual(ncu.stall_shares({}), {})
        self.assertEqual(ncu.profile_row(KERNEL, SHAPE, {})["stall_wait"], "n/a")


class HotInstructions(unittest.TestCase):
    def test_are_those_with_the_most_samples_and_say_what_they_wait_for(self) -> None:
        text = (H200.parent / "ncu_source_chapter3_h200.csv").read_text(encoding="utf-8")
        first, second = ncu.hot_instructions(text, 2)
        self.assertEqual((first.text, first.samples, first.reason), ("LDC R146, c[0x0][0x290]", 22759, "barrier"))
        self.assertEqual((second.text, second.address), ("@P0 BRA 0x7f0e6b7a28a0", "17a0"))
        self.assertGreater(first.share, second.share)

    def test_of_another_page_are_none(self) -> None:
        self.assertEqual(ncu.hot_instructions(H200.read_text(encoding="utf-8"), 2), [])


class WithFakes(unittest.TestCase):
    def setUp(self) -> None:
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = Path(directory.name)
        self.build = fakes.make_build(self.directory)
        self.tools = fakes.make_tools(self.directory)

    def ask(self, what: str) -> None:
        (self.tools / what).touch()


class Running(WithFakes):
    def setUp(self) -> None:
        super().setUp()
        patch = mock.patch.dict("os.environ", {"PATH": f"{self.tools}:/usr/bin:/bin"})
        patch.start()
        self.addCleanup(patch.stop)

    def test_profiles_one_launch_with_the_clocks_as_they_are(self) -> None:
        row = profiler.Profiler(self.build).profile(Kernel("2", "bf16", 64, Tile(128, 64, 8)), SHAPE)
        self.assertEqual((row["chapter"], row["registers"], row["stall_wait"]), ("2", "1000", "60"))
        (call,) = fakes.calls(self.tools)
        self.assertIn("--clock-control none", call)
        self.assertIn("--kernel-name attention_forward --launch-count 1", call)
        self.assertIn("bin/chapter2 --device gpu --batch 4 --heads 16 --seq-q 4096 --seq-kv 4096 --head-dim 64", call)

    def test_does_without_a_metric_that_the_gpu_does_not_know_and_remembers(self) -> None:
        self.ask("unknown_metric")
        remembering = profiler.Profiler(self.build)
        for _ in range(2):
            self.assertEqual(remembering.profile(KERNEL, SHAPE)["tensor_instructions"], "1000")
        self.assertEqual(len(fakes.calls(self.tools)), 3)

    def test_tries_without_ending_the_program_where_that_hangs(self) -> None:
        self.ask("hangs_with_kill")
        self.assertEqual(profiler.Profiler(self.build, seconds=2).profile(KERNEL, SHAPE)["registers"], "1000")

    def test_says_how_counters_are_permitted(self) -> None:
        self.ask("not_permitted")
        with self.assertRaisesRegex(profiler.NoCounters, "NVreg_RestrictProfilingToAdminUsers=0"):
            profiler.Profiler(self.build).profile(KERNEL, SHAPE)

    def test_passes_on_what_the_profiler_complains_of(self) -> None:
        self.ask("broken")
        with self.assertRaisesRegex(Failure, "The device is on fire"):
            profiler.Profiler(self.build).profile(KERNEL, SHAPE)

    def test_says_that_a_program_is_not_built(self) -> None:
        with self.assertRaisesRegex(Failure, "chapter9: build it first"):
            profiler.Profiler(self.build).profile(Kernel("9", "fp16", 128, DEFAULT_TILE), SHAPE)


class CommandLine(WithFakes):
    def profile(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, fakes.tool("profile_kernels.py"), "--build", str(self.build), *arguments]
        return subprocess.run(command, env=fakes.environment(self.tools), capture_output=True, text=True, check=False)

    def test_prints_tables_and_writes_csv_for_all_that_was_asked(self) -> None:
        file = self.directory / "profile.csv"
        done = self.profile("--tiles", "64x64x4,128x64x4", "--shapes", "4x512,2x1024", "--output", str(file))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("scoreb.", done.stdout)
        rows = read_csv(file)
        self.assertEqual(len(rows), 3 * 2 * 2)  # chapters, tiles, shapes
        self.assertEqual({row["block_q"] for row in rows}, {"64", "128"})

    def test_shows_where_warps_wait(self) -> None:
        done = self.profile("--chapters", "1", "--instructions", "1")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("LDC R146, c[0x0][0x290]", done.stdout)
        self.assertIn("barrier", done.stdout)

    def test_shows_the_committed_profiles_where_nothing_can_be_measured(self) -> None:
        (self.tools / "ncu").unlink()
        done = self.profile()
        self.assertEqual(done.returncode, 1)
        self.assertIn("ncu is not in PATH", done.stderr)
        for file in (fixture.REPOSITORY / "docs" / "results").glob("*/profile.csv"):
            self.assertIn(f"docs/results/{file.parent.name}/profile.csv", done.stdout)

    def test_refuses_a_tile_that_is_none_in_one_sentence(self) -> None:
        done = self.profile("--tiles", "64")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(len(done.stderr.splitlines()), 1)
        self.assertIn("64 is not a tile", done.stderr)


if __name__ == "__main__":
    unittest.main()
