import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any
from unittest import mock

import fakes
import fixture
from measuring import machine
from measuring.files import read_csv


class Recording(unittest.TestCase):
    def setUp(self) -> None:
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = Path(directory.name)
        self.build = fakes.make_build(self.directory)
        self.tools = fakes.make_tools(self.directory)
        self.output = self.directory / "results" / "fake"

    def record(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        places = ["--build", str(self.build), "--output", str(self.output)]
        command = [sys.executable, fakes.tool("record.py"), *places, *arguments]
        return subprocess.run(command, env=fakes.environment(self.tools), capture_output=True, text=True, check=False)

    def ask(self, what: str) -> None:
        (self.build / "bin" / what).touch()
        (self.tools / what).touch()

    def load(self, name: str) -> Any:
        return fixture.load(self.output / name)

    def programs_run(self) -> list[str]:
        return fakes.calls(self.build / "bin")


class Everything(Recording):
    def test_is_recorded_by_one_command(self) -> None:
        done = self.record()
        self.assertEqual(done.returncode, 0, done.stderr + done.stdout)
        variants = ("fp16_d128", "bf16_d128", "fp16_d64", "bf16_d64")
        names = (*variants, "cold_l2", *(f"tiles_{variant}" for variant in variants))
        sweeps = {f"benchmark_{name}.json" for name in names}
        others = {
            "long_scoreboard.csv",
            "environment.json",
            "correctness.json",
            "profile.csv",
            "wavefronts.csv",
            "sanitizer.txt",
            "agreement.json",
        }
        self.assertEqual({path.name for path in self.output.iterdir()}, sweeps | others)

        environment = self.load("environment.json")
        self.assertEqual((environment["gpu"], environment["driver"]), ("NVIDIA Fake", "1.2"))
        self.assertRegex(environment["sources"], "^[0-9a-f]{16}$")
        self.assertEqual(environment["steps"]["profile"][0]["before"]["temperature_celsius"], 41)
        self.assertEqual(environment["steps"]["profile"][0]["missing"], 0)

        correctness = self.load("correctness.json")
        self.assertEqual(len(correctness), 2 * 2 * 6)  # types, head dimensions, shapes
        self.assertEqual(
            [entry["problem"] for entry in correctness][:2], ["fp16 d128 (16, 512)", "fp16 d128 (16, 1024)"]
        )
        self.assertNotIn("time_ms", correctness[0]["chapters"][0])

        sanitizer = (self.output / "sanitizer.txt").read_text(encoding="utf-8").splitlines()
        self.assertEqual(
            len(sanitizer), 4 * (3 * 4 + 2)
        )  # tools; chapters and variants, and one more tile of chapter 3
        self.assertEqual(sum(" chapter3 " in line and " d128 128x64x4: " in line for line in sanitizer), 4 * 2)
        self.assertEqual({row["equal"] for row in read_csv(self.output / "wavefronts.csv")}, {"yes"})
        self.assertEqual(self.load("agreement.json")[0]["largest_distance_ulp"], "1.25")

    def test_keeps_of_a_benchmark_the_medians_and_nothing_of_the_host(self) -> None:
        self.record("--steps", "benchmark")
        report = self.load("benchmark_fp16_d128.json")
        self.assertEqual([entry["aggregate_name"] for entry in report["benchmarks"]], ["median", "cv"])
        self.assertEqual(report["context"], {"date": "today", "flags": "--dtypes fp16 --head-dims 128"})

    def test_has_all_tiles_of_all_chapters_at_all_lengths(self) -> None:
        self.record("--steps", "benchmark")
        flags = self.load("benchmark_tiles_bf16_d64.json")["context"]["flags"]
        self.assertEqual(flags, "--dtypes bf16 --head-dims 64 --tiles all --benchmark_repetitions=5")
        (call,) = [call for call in self.programs_run() if "benchmark_tiles_bf16_d64" in call]
        self.assertIn(flags, call)

    def test_has_the_instructions_that_wait_for_memory_with_their_source_lines(self) -> None:
        self.ask("waits_for_memory")
        self.record("--steps", "long_scoreboard")
        rows = read_csv(self.output / "long_scoreboard.csv")
        self.assertEqual({row["chapter"] for row in rows}, {"2", "3"})
        first = next(row for row in rows if row["chapter"] == "3")
        source = (fixture.REPOSITORY / "chapter3" / "kernel.cuh").read_text(encoding="utf-8").splitlines()[58]
        expected = {"instruction": "LDC R146, c[0x0][0x290]", "samples": "22269", "share": "59.18"}
        expected |= {"share_of_all": "24.57", "place": "chapter3/kernel.cuh:59", "source": source.strip()}
        self.assertEqual({column: first[column] for column in expected}, expected)
        self.assertEqual([row["share"] for row in rows if row["chapter"] == "3"], ["59.18", "40.82"])

    def test_has_one_instruction_of_a_kernel_that_never_waits_for_memory(self) -> None:
        self.record("--steps", "long_scoreboard")
        rows = read_csv(self.output / "long_scoreboard.csv")
        self.assertEqual([(row["chapter"], row["share"]) for row in rows], [("2", "0.00"), ("3", "0.00")])

    def test_has_waits_without_source_lines_where_there_is_no_disassembler(self) -> None:
        (self.tools / "nvdisasm").unlink()
        self.assertEqual(self.record("--steps", "long_scoreboard").returncode, 0)
        rows = read_csv(self.output / "long_scoreboard.csv")
        self.assertEqual({(row["place"], row["source"]) for row in rows}, {("n/a", "n/a")})

    def test_can_be_read_by_the_tables(self) -> None:
        self.record("--steps", "benchmark,profile")
        command = [sys.executable, fakes.tool("tables.py"), "--results", str(self.output.parent), "--print", "lengths"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        self.assertIn("NVIDIA Fake", done.stdout)
        self.assertIn("57.0", done.stdout)


class Steps(Recording):
    def test_can_be_chosen(self) -> None:
        self.record("--steps", "agreement")
        self.assertEqual({path.name for path in self.output.iterdir()}, {"environment.json", "agreement.json"})

    def test_that_do_not_exist_are_refused(self) -> None:
        done = self.record("--steps", "profile,speed")
        self.assertEqual(done.returncode, 1)
        self.assertIn("there is no step speed", done.stderr)
        self.assertFalse(self.output.exists())

    def test_go_on_where_they_stopped(self) -> None:
        self.record("--steps", "correctness")
        before = len(self.programs_run())
        correctness = self.load("correctness.json")
        (self.output / "correctness.json").write_text(fakes.json.dumps(correctness[:20]), encoding="utf-8")
        done = self.record("--steps", "correctness")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len(self.programs_run()) - before, 4)
        self.assertEqual(self.load("correctness.json"), correctness)
        self.assertIn("all is there", self.record("--steps", "correctness").stdout)

    def test_begin_nothing_when_the_time_is_up_and_say_what_is_missing(self) -> None:
        done = self.record("--seconds", "0", "--steps", "profile,agreement")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"profile: \d+ of \d+ were not begun, for the time was up")
        self.assertIn("the same command goes on where this one stopped", done.stderr)
        self.assertEqual({path.name for path in self.output.iterdir()}, {"environment.json"})

    def test_do_not_stop_each_other(self) -> None:
        self.ask("skipped")
        done = self.record("--steps", "agreement,sanitizer")
        self.assertEqual(done.returncode, 1)
        self.assertIn("skipped", done.stderr)
        self.assertTrue((self.output / "sanitizer.txt").exists())
        self.assertFalse((self.output / "agreement.json").exists())

    def test_that_need_counters_end_at_once_where_there_are_none(self) -> None:
        self.ask("not_permitted")
        done = self.record("--steps", "profile")
        self.assertEqual(done.returncode, 1)
        self.assertIn("NVreg_RestrictProfilingToAdminUsers", done.stderr)
        self.assertEqual(len([call for call in fakes.calls(self.tools) if call.startswith("ncu ")]), 1)
        self.assertIn("ERR_NVGPUCTRPERM", self.load("environment.json")["steps"]["profile"][0]["note"])


class WhatIsWrong(Recording):
    def test_with_a_result_is_recorded_and_fails(self) -> None:
        self.ask("wrong")
        done = self.record("--steps", "correctness")
        self.assertEqual(done.returncode, 1)
        self.assertIn("chapter2: row 3 is wrong", done.stderr)
        wrong = [e for e in self.load("correctness.json") if not all(c["correct"] for c in e["chapters"])]
        self.assertEqual(len(wrong), 12)

    def test_with_a_count_is_recorded_and_fails(self) -> None:
        self.ask("differs")
        done = self.record("--steps", "wavefronts")
        self.assertEqual(done.returncode, 1)
        self.assertIn("ldmatrix_wavefronts 1001 against 1000", done.stderr)
        self.assertEqual({row["equal"] for row in read_csv(self.output / "wavefronts.csv")}, {"no"})

    def test_for_a_sanitizer_is_recorded_and_fails(self) -> None:
        self.ask("leaks")
        done = self.record("--steps", "sanitizer")
        self.assertEqual(done.returncode, 1)
        self.assertIn("memcheck chapter1 fp16 d128 64x64x4: ERROR SUMMARY: 1 error", done.stderr)

    def test_between_gpu_and_simulator_is_recorded_and_fails(self) -> None:
        self.ask("disagrees")
        done = self.record("--steps", "agreement")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(self.load("agreement.json")[0]["failure"], "3 units apart")

    def test_with_the_machine_is_said_in_a_sentence(self) -> None:
        self.ask("no_gpu")
        done = self.record()
        self.assertEqual(done.returncode, 1)
        self.assertEqual(len(done.stderr.splitlines()), 1)
        self.assertIn("there is no GPU here", done.stderr)


class OtherPrograms(Recording):
    def test_do_not_add_to_earlier_results(self) -> None:
        self.record("--steps", "agreement")
        with (self.build / "bin" / "chapter2").open("a", encoding="utf-8") as file:
            file.write("# rebuilt\n")
        done = self.record("--steps", "sanitizer")
        self.assertEqual(done.returncode, 1)
        self.assertIn("recorded with other programs", done.stderr)
        self.assertFalse((self.output / "sanitizer.txt").exists())
        self.assertEqual(self.record("--steps", "sanitizer", "--fresh").returncode, 0)
        self.assertFalse((self.output / "agreement.json").exists())

    def test_are_told_apart_by_those_that_are_measured(self) -> None:
        for name in ("chapter2", "chapter_tests", "compare", "benchmark"):
            self.record("--steps", "agreement", "--fresh")
            with (self.build / "bin" / name).open("a", encoding="utf-8") as file:
                file.write("# rebuilt\n")
            self.assertIn("recorded with other programs", self.record("--steps", "sanitizer").stderr, name)


class Sources(unittest.TestCase):
    def test_without_a_history_have_a_digest_and_no_commit(self) -> None:
        with mock.patch("measuring.machine.find_tool", return_value=None):
            self.assertEqual(machine.commit(), "n/a")
        self.assertRegex(machine.sources(), "^[0-9a-f]{16}$")

    def test_that_changed_have_another_digest(self) -> None:
        with tempfile.TemporaryDirectory() as name, mock.patch("measuring.machine.REPOSITORY", Path(name)):
            digests = set()
            for file in ("chapter1/kernel.cuh", "common/device/mma.cuh", "chapter2/notes.md"):
                (Path(name) / file).parent.mkdir(parents=True, exist_ok=True)
                (Path(name) / file).write_text(file, encoding="utf-8")
                digests.add(machine.sources())
        self.assertEqual(len(digests), 2)  # notes are not compiled


class Flags(Recording):
    def test_come_from_the_build_without_its_paths(self) -> None:
        command = (
            "nvcc -I/home/me/project -ccbin=/opt/gcc/bin/g++ -Xcompiler=-Wall,-fdebug-prefix-map=/home/me=/src -O3 "
            "--generate-code=arch=compute_90,code=[sm_90] -o a.o -c chapter1/chapter.cu"
        )
        entry = {"file": "/home/me/project/chapter1/chapter.cu", "command": command}
        (self.build / "compile_commands.json").write_text(fakes.json.dumps([entry]), encoding="utf-8")
        self.record("--steps", "agreement")
        expected = ["-ccbin=g++", "-Xcompiler=-Wall,-fdebug-prefix-map=me=src", "-O3"]
        expected.append("--generate-code=arch=compute_90,code=[sm_90]")
        self.assertEqual(self.load("environment.json")["flags"], expected)


if __name__ == "__main__":
    os.chdir(fixture.REPOSITORY)
    unittest.main()
