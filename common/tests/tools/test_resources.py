import tempfile
import unittest
from pathlib import Path

import fixture
import resources
from measuring import occupancy
from measuring.compiler import shared_bytes
from measuring.files import Failure, Row, write_csv
from measuring.kernels import DEFAULT_TILE, Kernel, Tile


def ptxas(kernel: str, sm: str, registers: int, stack: int = 0, spill: int = 0) -> str:
    name = f"_ZN4_GLOB17attention_forwardINS_6ConfigIN6device{kernel}EEEEvNS2_18AttentionArgumentsE"
    return f"""ptxas info    : Compiling entry function '{name}' for '{sm}'
ptxas info    : Function properties for {name}
    {stack} bytes stack frame, {spill} bytes spill stores, {spill + 4} bytes spill loads
ptxas info    : Used {registers} registers, used 1 barriers, 16 bytes smem
"""


HALF = "4HalfELi128ELi128ELi64ELi4E"
BFLOAT = "8BFloat16ELi64ELi64ELi64ELi4E"


class Occupancy(unittest.TestCase):
    def test_gives_the_blocks_that_an_h200_was_seen_to_hold(self) -> None:
        # cudaOccupancyMaxActiveBlocksPerMultiprocessor: registers of a thread, shared bytes and warps of a block.
        seen = {(168, 49152, 4): 3, (255, 65536, 4): 2, (231, 98304, 8): 1, (128, 24576, 4): 4, (116, 24576, 8): 2}
        for (registers, shared, warps), blocks in seen.items():
            self.assertEqual(occupancy.blocks_per_sm(90, registers, shared, warps), blocks, (registers, shared, warps))

    def test_shared_memory_decides_where_it_is_scarce(self) -> None:
        self.assertEqual(occupancy.limits(89, 168, 49152, 4)["shared memory"], 2)
        self.assertEqual(occupancy.blocks_per_sm(89, 168, 49152, 4), 2)
        self.assertEqual(occupancy.blocks_per_sm(80, 168, 49152, 4), 3)

    def test_a_block_that_does_not_fit_at_all_is_none(self) -> None:
        self.assertEqual(occupancy.blocks_per_sm(86, 32, 101 * 1024, 4), 0)


class Log(unittest.TestCase):
    def test_reads_registers_spills_stack_and_static_shared_memory(self) -> None:
        (usage,) = resources.parse_log(ptxas(HALF, "sm_90", 255, stack=224, spill=408), "3")
        kernel = Kernel("3", "fp16", 128, Tile(128, 64, 4))
        self.assertEqual(usage, resources.Usage(kernel, 90, 255, 408, 412, 224, 16))

    def test_reads_the_output_of_a_build_with_several_chapters_and_architectures(self) -> None:
        log = (
            "[3/9] Building CUDA object CMakeFiles/chapter3_gpu.dir/chapter3/chapter.cu.o\n"
            + ptxas(HALF, "sm_80", 200)
            + ptxas(HALF, "sm_90a", 201)
            + "[4/9] Building CXX object CMakeFiles/harness.dir/common/harness/registry.cpp.o\n"
            + "[5/9] Building CUDA object CMakeFiles/chapter12_gpu.dir/chapter12/chapter.cu.o\n"
            + ptxas(BFLOAT, "sm_80", 99)
        )
        found = [(u.kernel.chapter, u.kernel.dtype, u.sm, u.registers) for u in resources.parse_log(log)]
        self.assertEqual(found, [("3", "fp16", 80, 200), ("3", "fp16", 90, 201), ("12", "bf16", 80, 99)])

    def test_leaves_out_functions_that_are_no_kernel_of_ours(self) -> None:
        log = ptxas(HALF, "sm_90", 200).replace("6ConfigIN6device", "5Other")
        self.assertEqual(resources.parse_log(log, "3"), [])


def rows() -> list[Row]:
    return [{column: str(value) for column, value in row.items()} for row in fixture.resource_rows()]


class Report(unittest.TestCase):
    def test_shows_chapter_3_beside_chapter_4_first_and_marks_spills(self) -> None:
        lines = resources.report(rows(), "fp16", 90).splitlines()
        heading = next(line for line in lines if "tile" in line)
        self.assertLess(heading.index("chapter 3"), heading.index("chapter 4"))
        self.assertLess(heading.index("chapter 4"), heading.index("chapter 1"))
        spilling = next(line for line in lines if "128x64x4" in line)
        self.assertIn("255+224 *", spilling)
        self.assertEqual(spilling.count("*"), 1)

    def test_names_the_kernels_that_chapter_4_cured(self) -> None:
        text = resources.reports(rows())
        self.assertTrue(
            text.endswith("Spill in chapter 3 and not in chapter 4:\n  fp16 d128 128x64x4 on sm_90\n"), text
        )

    def test_does_not_call_a_kernel_cured_that_still_spills(self) -> None:
        spilling = [row | {"spill_store_bytes": "8"} if row["chapter"] == "4" else row for row in rows()]
        self.assertNotIn("not in chapter 4", resources.reports(spilling))


class Check(unittest.TestCase):
    def setUp(self) -> None:
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.file = Path(directory.name) / "resources.csv"
        write_csv(self.file, resources.COLUMNS, rows())

    def test_agrees_with_the_same(self) -> None:
        self.assertEqual(resources.check(rows()[:3], self.file), 0)

    def test_fails_on_a_change_and_names_it(self) -> None:
        changed = rows()
        changed[0]["registers"] = "170"
        self.assertEqual(
            resources.differences(changed, rows()), ["chapter1 fp16 d128 64x64x4 sm_90: registers 168, now 170"]
        )
        with self.assertRaisesRegex(Failure, "is stale"):
            resources.check(changed, self.file)

    def test_fails_on_a_kernel_that_is_not_recorded(self) -> None:
        write_csv(self.file, resources.COLUMNS, rows()[1:])
        with self.assertRaisesRegex(Failure, "is stale"):
            resources.check(rows(), self.file)

    def test_does_not_compare_compilers(self) -> None:
        changed = [row | {"registers": "1", "nvcc": "12.9.41"} for row in rows()]
        self.assertEqual(resources.check(changed, self.file), 0)


class SharedMemory(unittest.TestCase):
    def test_is_what_the_chapters_configuration_says(self) -> None:
        kernels = [Kernel("1", "fp16", 128, DEFAULT_TILE), Kernel("1", "bf16", 64, Tile(128, 64, 4))]
        self.assertEqual(list(shared_bytes("1", kernels).values()), [49152, 32768])


if __name__ == "__main__":
    unittest.main()
