"""No kernel computes in double precision, which a constant such as M_LOG2E would bring. nvcc compiles each chapter's
default tile as far as PTX, in which such an instruction has .f64 in its name."""

import re
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import fixture
from measuring.commands import find_tool, run
from measuring.compiler import chapters_here, cores
from measuring.kernels import program_of

SOURCE = """
#include "kernel.cuh"
namespace {{
template __global__ void attention_forward<Config<device::Half, 128, 64, 64, 4>>(const __grid_constant__
                                                                                 device::AttentionArguments);
{more}
}}
"""


def double_instructions(ptx: str) -> list[str]:
    return re.findall(r"^\s*(?:@%p\d+\s+)?(\w[\w.]*\.f64[\w.]*)", ptx, re.MULTILINE)


@unittest.skipUnless(find_tool("nvcc"), "nvcc is not installed")
class DoublePrecision(unittest.TestCase):
    def ptx(self, directory: Path, more: str = "") -> str:
        with tempfile.TemporaryDirectory() as name:
            source, target = Path(name) / "kernel.cu", Path(name) / "kernel.ptx"
            source.write_text(SOURCE.format(more=more), encoding="utf-8")
            flags = ["-std=c++20", "-I.", f"-I{directory}", "-arch=sm_80", "-ptx"]
            nvcc = find_tool("nvcc") or "nvcc"
            outcome = run([nvcc, *flags, "-o", target, source], 300, fixture.REPOSITORY)
            self.assertEqual(outcome.status, 0, outcome.text)
            return target.read_text(encoding="utf-8")

    def test_is_nowhere(self) -> None:
        directories = [Path(program_of(chapter)) for chapter in chapters_here()]
        with ThreadPoolExecutor(cores()) as pool:
            for directory, ptx in zip(directories, pool.map(self.ptx, directories), strict=True):
                self.assertIn("mma.sync", ptx, directory)
                self.assertEqual(double_instructions(ptx), [], directory)

    def test_would_be_seen(self) -> None:
        ptx = self.ptx(Path("chapter1"), "__global__ void planted(float* x) { *x = *x * 1.4426950408889634; }")
        self.assertIn("mul.f64", double_instructions(ptx))


if __name__ == "__main__":
    unittest.main()
