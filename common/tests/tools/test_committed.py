"""What is committed under docs/results and needs no GPU is complete and plausible."""

import unittest

import fixture  # noqa: F401  (finds the tools)
from measuring.compiler import ARCHITECTURES, chapters_here
from measuring.files import RESULTS, read_csv
from measuring.kernels import ALL_TILES, DEFAULT_TILE, DTYPES, HEAD_DIMS, Kernel
from measuring.results import read_results

KERNELS = {
    Kernel(chapter, dtype, head_dim, tile)
    for chapter in chapters_here()
    for dtype in DTYPES
    for head_dim in HEAD_DIMS
    for tile in ALL_TILES
}


class Resources(unittest.TestCase):
    def setUp(self) -> None:
        self.rows = {(Kernel.of_row(row), int(row["sm"])): row for row in read_csv(RESULTS / "resources.csv")}

    def test_are_there_for_every_kernel_and_architecture(self) -> None:
        self.assertEqual(set(self.rows), {(kernel, sm) for kernel in KERNELS for sm in ARCHITECTURES})

    def test_are_those_of_one_compiler(self) -> None:
        self.assertEqual(len({row["nvcc"] for row in self.rows.values()}), 1)

    def test_say_that_the_default_tile_does_not_spill_up_to_sm_90(self) -> None:
        for (kernel, sm), row in self.rows.items():
            if kernel.tile == DEFAULT_TILE and sm <= 90:
                self.assertEqual((row["spill_store_bytes"], row["stack_bytes"]), ("0", "0"), f"{kernel} sm_{sm}")

    def test_say_that_interleaving_cures_a_spill(self) -> None:
        cured = [
            (kernel, sm)
            for (kernel, sm), row in self.rows.items()
            if kernel.chapter == "3"
            and row["spill_store_bytes"] != "0"
            and self.rows[Kernel("4", kernel.dtype, kernel.head_dim, kernel.tile), sm]["spill_store_bytes"] == "0"
        ]
        self.assertTrue(cured)


class Sass(unittest.TestCase):
    def setUp(self) -> None:
        self.rows = {(Kernel.of_row(row), int(row["sm"])): row for row in read_csv(RESULTS / "sass.csv")}

    def test_is_there_for_every_kernel(self) -> None:
        self.assertEqual(set(self.rows), {(kernel, sm) for kernel in KERNELS for sm in (80, 90)})

    def test_has_no_double_precision(self) -> None:
        self.assertEqual({row["double"] for row in self.rows.values()}, {"0"})

    def test_has_the_products_and_copies_that_a_tile_takes(self) -> None:
        for (kernel, sm), row in self.rows.items():
            tile = kernel.tile
            products = 2 * (tile.block_q // tile.warps // 16) * (tile.block_kv // 8) * (kernel.head_dim // 16)
            copies = 2 * tile.block_kv * kernel.head_dim * 2 // 16 // (32 * tile.warps)
            self.assertEqual((int(row["HMMA"]), int(row["LDGSTS"])), (products, copies), f"{kernel} sm_{sm}")


class Simulator(unittest.TestCase):
    def test_has_counted_every_chapter(self) -> None:
        results = read_results(RESULTS)
        self.assertEqual([str(result["chapter"]) for result in results.simulator], chapters_here())
        self.assertEqual([results.wavefronts_of_ideal(chapter) for chapter in ("1", "2")], [8, 1])


if __name__ == "__main__":
    unittest.main()
