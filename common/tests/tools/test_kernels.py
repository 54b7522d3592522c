import unittest

import fixture
from measuring.files import Failure
from measuring.kernels import ALL_TILES, DEFAULT_TILE, Kernel, Shape, Tile, flags_of, natural_key

MANGLED = (
    "_ZN48_GLOBAL__N__c74dcdb5_10_chapter_cu_c349e6f9_830217attention_forwardINS_6ConfigIN6device8BFloat16E"
    "Li64ELi128ELi32ELi8EEEEEvNS2_18AttentionArgumentsE"
)


class Names(unittest.TestCase):
    def test_reads_a_mangled_name(self) -> None:
        self.assertEqual(Kernel.of_name("3", MANGLED), Kernel("3", "bf16", 64, Tile(128, 32, 8)))

    def test_reads_what_a_profiler_prints(self) -> None:
        printed = (
            "void <unnamed>::attention_forward<<unnamed>::Config<Half, 128, 64, 64, 4>>(AttentionArguments)",
            "attention_forward<Config<device::Half, (int)128, (int)64, (int)64, (int)4>>",
        )
        for name in printed:
            self.assertEqual(Kernel.of_name("4", name), Kernel("4", "fp16", 128, DEFAULT_TILE))

    def test_finds_no_kernel_in_other_names(self) -> None:
        self.assertIsNone(Kernel.of_name("4", "void flash_fwd_kernel<Flash_fwd_kernel_traits<128, 128, 64, 4>>"))

    def test_goes_to_columns_and_back(self) -> None:
        kernel = Kernel("10", "bf16", 64, Tile(128, 64, 8))
        row = {column: str(value) for column, value in kernel.columns().items()}
        self.assertEqual(Kernel.of_row(row), kernel)

    def test_refuses_what_is_no_tile_or_shape(self) -> None:
        for text in ("64x64", "64x64xfour", ""):
            with self.assertRaisesRegex(Failure, "is not a tile"):
                Tile.parse(text)
        with self.assertRaisesRegex(Failure, "is not a shape"):
            Shape.parse("4096", 16)

    def test_sorts_numbers_by_size_and_words_last(self) -> None:
        self.assertEqual(sorted(["other", "10", "2"], key=natural_key), ["2", "10", "other"])

    def test_knows_the_tiles_that_are_built(self) -> None:
        text = (fixture.REPOSITORY / "common/harness/tiles.cuh").read_text(encoding="utf-8")
        for tile in ALL_TILES:
            self.assertIn(f"for_each_type<{tile.block_q}, {tile.block_kv}, {tile.warps}>", text)
        self.assertEqual(text.count("for_each_type<"), len(ALL_TILES))

    def test_gives_the_flags_of_a_program(self) -> None:
        flags = flags_of(Kernel("1", "bf16", 64, Tile(128, 32, 8)), Shape(2, 3, 256, 512))
        pairs = dict(zip(flags[::2], flags[1::2], strict=True))
        self.assertEqual(pairs["--seq-q"], "256")
        self.assertEqual(pairs["--seq-kv"], "512")
        self.assertEqual(pairs["--warps"], "8")
        self.assertEqual(pairs["--dtype"], "bf16")


if __name__ == "__main__":
    unittest.main()
