import contextlib
import io
import tempfile
import unittest
from pathlib import Path
from unittest import mock
from xml.etree import ElementTree

import fixture
import plot
from measuring.charts import nice_step
from measuring.files import Failure
from measuring.kernels import SHAPES
from measuring.results import read_results


class Figures(unittest.TestCase):
    def setUp(self) -> None:
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.root = Path(directory.name)
        self.write("h200")

    def write(self, *gpus: str) -> None:
        fixture.write_results(self.root / "docs" / "results", {gpu: (f"NVIDIA {gpu.upper()}", 1) for gpu in gpus})

    def figures(self) -> dict[str, str]:
        return {str(path): svg for path, svg in plot.figures(read_results(self.root / "docs" / "results"))}

    def run_plot(self, *arguments: str) -> int:
        words = ["plot", "--results", str(self.root / "docs" / "results"), "--root", str(self.root), *arguments]
        with mock.patch("sys.argv", words), contextlib.redirect_stdout(io.StringIO()):
            return plot.main()

    def test_are_there_in_both_languages(self) -> None:
        names = ("tflops", "percent", "stalls", "roofline", "tiles")
        names += ("tiles-fp16-d64", "tiles-bf16-d128", "tiles-bf16-d64")
        expected = {f"docs/{directory}{name}.svg" for directory in ("figures/", "zh/figures/") for name in names}
        self.assertEqual(set(self.figures()), expected)
        self.assertIn("第 3 章", self.figures()["docs/zh/figures/tflops.svg"])

    def test_are_well_formed_with_a_title_and_a_colour_scheme(self) -> None:
        for name, svg in self.figures().items():
            root = ElementTree.fromstring(svg)
            self.assertIsNotNone(root.find("{http://www.w3.org/2000/svg}title"), name)
            self.assertIn("prefers-color-scheme:dark", svg, name)
            for word in ("nan", "inf", "None"):
                self.assertNotIn(f'"{word}', svg, name)

    def test_are_the_same_to_the_byte(self) -> None:
        self.assertEqual(self.figures(), self.figures())

    def test_show_the_figures_that_were_measured(self) -> None:
        figures = self.figures()
        self.assertIn("chapter 3, (16, 4096): 295.7", figures["docs/figures/tflops.svg"])
        self.assertIn("FlashAttention-2 alone, (16, 4096): 299.2", figures["docs/figures/tflops.svg"])
        self.assertIn("chapter 2, (16, 512): 92.9", figures["docs/figures/percent.svg"])
        self.assertIn("chapter 2, long scoreboard: 21.0 %", figures["docs/figures/stalls.svg"])
        self.assertIn(">113<", figures["docs/figures/tiles.svg"])
        self.assertIn("1071 TFLOP/s", figures["docs/figures/roofline.svg"])  # 4096 * 132 * 1.98 GHz
        self.assertIn("4.8 TB/s", figures["docs/figures/roofline.svg"])

    def test_draw_a_second_gpu_below_the_first(self) -> None:
        one = self.figures()
        self.write("h200", "a100")
        for name, svg in self.figures().items():
            for gpu in ("A100", "H200"):
                self.assertEqual(svg.count(f"NVIDIA {gpu}, "), 2, name)  # in the description and above the chart
            heights = [float(ElementTree.fromstring(text).get("height", "0")) for text in (one[name], svg)]
            self.assertEqual(heights[1], 2 * heights[0], name)

    def test_say_so_where_nothing_was_measured(self) -> None:
        (self.root / "docs" / "results" / "h200" / "profile.csv").unlink()
        figures = self.figures()
        for name in ("stalls", "roofline"):
            self.assertIn(">n/a<", figures[f"docs/figures/{name}.svg"])
        self.assertNotIn(">n/a<", figures["docs/figures/tflops.svg"])

    def test_that_are_stale_fail_the_check_and_stay(self) -> None:
        self.assertEqual(self.run_plot(), 0)
        self.assertEqual(self.run_plot("--check"), 0)
        figure = self.root / "docs" / "figures" / "tiles.svg"
        figure.write_text("<svg/>", encoding="utf-8")
        with self.assertRaisesRegex(Failure, "stale: docs/figures/tiles.svg; run"):
            self.run_plot("--check")
        self.assertEqual(figure.read_text(encoding="utf-8"), "<svg/>")
        self.run_plot()
        self.assertEqual(self.run_plot("--check"), 0)

    def test_of_tiles_have_the_best_of_each_type_and_head_dimension(self) -> None:
        figures = self.figures()
        for name, best in (("tiles", "128 × 128, 8"), ("tiles-bf16-d64", "64 × 32, 4")):
            svg = figures[f"docs/figures/{name}.svg"]
            root = ElementTree.fromstring(svg)
            frames = [e for e in root.iter() if e.get("class", "").startswith("none edge-ink")]
            rows = {e.text: float(e.get("y", "0")) for e in root.iter() if e.text and "×" in e.text}
            self.assertEqual(len(frames), 6, name)  # two chapters at three lengths
            self.assertEqual({float(e.get("y", "0")) + 15.5 for e in frames}, {rows[best]}, name)

    def test_of_tiles_go_into_bands_of_lengths_that_are_about_as_wide(self) -> None:
        self.assertEqual([len(band) for band in plot.in_bands(SHAPES, 5)], [3, 3])
        self.assertEqual([len(band) for band in plot.in_bands(SHAPES[:4], 5)], [2, 2])
        self.assertEqual([len(band) for band in plot.in_bands(SHAPES[:3], 3)], [3])
        self.assertEqual([len(band) for band in plot.in_bands(SHAPES, 20)], [1] * 6)


class Axes(unittest.TestCase):
    def test_have_round_steps(self) -> None:
        self.assertEqual([nice_step(value) for value in (340, 112, 9.9, 0)], [100, 25, 2, 1])


if __name__ == "__main__":
    unittest.main()
