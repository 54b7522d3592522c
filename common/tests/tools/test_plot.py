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
from measuring.results import read_results


class Figures(unittest.TestCase):
    def setUp(self) -> None:
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.root = Path(directory.name)
        self.output = self.root / "figures"
        self.write("h200")

    def write(self, *gpus: str) -> None:
        fixture.write_results(self.root / "results", {gpu: (f"NVIDIA {gpu.upper()}", 1) for gpu in gpus})

    def figures(self) -> dict[str, str]:
        return dict(plot.figures(read_results(self.root / "results")))

    def run_plot(self, *arguments: str) -> int:
        words = ["plot", "--results", str(self.root / "results"), "--output", str(self.output), *arguments]
        with mock.patch("sys.argv", words), contextlib.redirect_stdout(io.StringIO()):
            return plot.main()

    def test_are_there_in_both_languages_for_each_gpu(self) -> None:
        self.write("h200", "a100")
        expected = {
            f"results_{gpu}_{chart}{suffix}.svg"
            for gpu in ("h200", "a100")
            for chart in plot.CHARTS
            for suffix in ("", ".zh")
        }
        self.assertEqual(set(self.figures()), expected)

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
        self.assertIn("chapter 3, (16, 4096): 295.7", figures["results_h200_tflops.svg"])
        self.assertIn("FlashAttention-2, (16, 4096): 299.2", figures["results_h200_tflops.svg"])
        self.assertIn("chapter 2, long scoreboard: 21.0 %", figures["results_h200_stalls.svg"])
        self.assertIn("1071 TFLOP/s", figures["results_h200_roofline.svg"])  # 4096 * 132 * 1.98 GHz
        self.assertIn("4.8 TB/s", figures["results_h200_roofline.svg"])

    def test_of_what_was_not_measured_are_left_out(self) -> None:
        (self.root / "results" / "h200" / "profile.csv").unlink()
        self.assertEqual({name for name in self.figures() if "stalls" in name or "roofline" in name}, set())
        self.assertIn("results_h200_tflops.svg", self.figures())

    def test_that_are_stale_or_of_a_gpu_that_is_gone_fail_the_check(self) -> None:
        self.assertEqual(self.run_plot(), 0)
        self.assertEqual(self.run_plot("--check"), 0)
        figure = self.output / "results_h200_tiles.svg"
        figure.write_text("<svg/>", encoding="utf-8")
        with self.assertRaisesRegex(Failure, "stale: .*results_h200_tiles.svg; run"):
            self.run_plot("--check")
        self.run_plot()
        gone = self.output / "results_v100_tiles.svg"
        gone.write_text("<svg/>", encoding="utf-8")
        with self.assertRaisesRegex(Failure, "results_v100_tiles.svg"):
            self.run_plot("--check")
        self.run_plot()
        self.assertFalse(gone.exists())


class Axes(unittest.TestCase):
    def test_have_round_steps(self) -> None:
        self.assertEqual([nice_step(value) for value in (340, 112, 9.9, 0)], [100, 50, 2, 1])


if __name__ == "__main__":
    unittest.main()
