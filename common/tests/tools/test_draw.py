"""The drawings say what the code says: every lane, row, column and place in them.

python3 -m unittest discover -s common/tests/tools
"""

from __future__ import annotations

import re
import sys
import unittest
import xml.etree.ElementTree as ElementTree
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(REPOSITORY / "common" / "tools"))

from drawings import fragments, layouts, registers, sources, swizzle, tiling, timeline, traces  # noqa: E402
from drawings.layouts import Element  # noqa: E402
from drawings.svg import Drawing  # noqa: E402
from drawings.traces import Event  # noqa: E402
from drawings.words import LANGUAGES, translator  # noqa: E402

LANES = range(32)
SVG = "{http://www.w3.org/2000/svg}"

WITHOUT_BUILD: dict[str, Callable[..., Drawing]] = {
    "tiling": tiling.draw,
    "fragments-a": fragments.draw_a,
    "fragments-b": fragments.draw_b,
    "fragments-c": fragments.draw_c,
    "swizzle": swizzle.draw,
    "registers": registers.draw,
}


def documented(header: str, label: str) -> tuple[str, str]:
    """The words that a header has for a register: "row g + 8", "columns 2t, 2t+1"."""
    pattern = rf"\b{re.escape(label)}:? +(rows? [^\n]*?),? +(columns? [^\n]*?)(?= {{2,}}|\n)"
    match = re.search(pattern, sources.read(f"common/device/{header}"))
    assert match, f"{header} says nothing of {label}"
    return match[1], match[2]


def numbers(words: str, lane: int) -> list[int]:
    """The rows or columns that such words name for a lane."""
    names = {"g": lane // 4, "t": lane % 4, "l": lane}
    listed = re.split(r",| and ", re.sub(r"^(rows?|columns?) ", "", words))
    python = (re.sub(r"(\d)([a-z])", r"\1*\2", item.strip()).replace("/", "//") for item in listed if item.strip())
    return [eval(item, {"__builtins__": {}}, names) for item in python]


def elements(words: tuple[str, str], lane: int) -> tuple[Element, Element]:
    rows, columns = numbers(words[0], lane), numbers(words[1], lane)
    first, second = [(row, column) for row in rows for column in columns]
    return first, second


class LayoutsAreThoseOfTheHeaders(unittest.TestCase):
    def check(self, header: str, label: str, layout: Callable[[int], tuple[Element, Element]]) -> None:
        words = documented(header, label)
        for lane in LANES:
            with self.subTest(label=label, lane=lane):
                self.assertEqual(layout(lane), elements(words, lane))

    def test_a(self) -> None:
        for register in range(4):
            self.check("mma.cuh", f"a{register}", lambda lane, r=register: layouts.a_fragment(lane, r))

    def test_b(self) -> None:
        for register in range(2):
            self.check("mma.cuh", f"b{register}", lambda lane, r=register: layouts.b_fragment(lane, r))

    def test_c(self) -> None:
        for half, label in enumerate(("upper[2]", "lower[2]")):
            self.check("mma.cuh", label, lambda lane, h=half: layouts.c_fragment(lane, h))

    def test_ldmatrix(self) -> None:
        self.check("ldmatrix.cuh", "ldmatrix_x4", lambda lane: layouts.ldmatrix(lane, False))
        self.check("ldmatrix.cuh", "ldmatrix_x4_trans", lambda lane: layouts.ldmatrix(lane, True))


class FragmentsFitTogether(unittest.TestCase):
    def test_each_element_is_held_once(self) -> None:
        for fragment in (fragments.A, fragments.B, fragments.C, *map(fragments.tile_piece, ("kA", "kB", "kBTrans"))):
            held = Counter(
                element
                for register in range(len(fragment.registers))
                for lane in LANES
                for element in fragment.holds(lane, register)
            )
            self.assertEqual(set(held.values()), {1})
            self.assertEqual(set(held), {(r, c) for r in range(fragment.rows) for c in range(fragment.columns)})

    def test_ldmatrix_brings_q_to_where_mma_wants_a(self) -> None:
        piece = fragments.tile_piece("kA")
        # matmul.cuh: a0 to a3 are (m, k), (m + 1, k), (m, k + 1), (m + 1, k + 1)
        self.assertEqual(sources.operand_registers("kA"), [(0, 0), (1, 0), (0, 1), (1, 1)])
        for register in range(4):
            for lane in LANES:
                self.assertEqual(piece.holds(lane, register), layouts.a_fragment(lane, register))

    def test_ldmatrix_brings_k_and_v_to_where_mma_wants_b(self) -> None:
        for kind in ("kB", "kBTrans"):
            piece = fragments.tile_piece(kind)
            for matrix, (n, register) in enumerate(sources.operand_registers(kind)):
                for lane in LANES:
                    expected = []
                    for step, column in layouts.b_fragment(lane, register):
                        key_major = (column + 8 * n, step)  # K: a row of the tile is a column of B
                        expected.append(key_major if kind == "kB" else key_major[::-1])
                    self.assertEqual(piece.holds(lane, matrix), tuple(expected), (kind, matrix, lane))

    def test_scores_stay_where_they_are(self) -> None:
        for block in range(2):  # c[m][n + block] becomes columns 8 * block to 8 * block + 7 of A
            for half in range(2):
                for lane in LANES:
                    moved = tuple((row, column + 8 * block) for row, column in layouts.c_fragment(lane, half))
                    self.assertEqual(moved, layouts.a_fragment(lane, half + 2 * block))

    def test_all_chapters_load_alike(self) -> None:
        for chapter in sources.chapters():
            for kind in ("kA", "kB", "kBTrans"):
                self.assertEqual(sources.operand_registers(kind, chapter), sources.operand_registers(kind))
                for lane in LANES:
                    self.assertEqual(sources.operand_start(kind, lane, chapter), sources.operand_start(kind, lane))


def texts(drawing: Drawing) -> Iterator[tuple[float, float, str]]:
    for node in ElementTree.fromstring(drawing.svg()).iter(f"{SVG}text"):
        yield float(node.attrib["x"]), float(node.attrib["y"]), node.text or ""


class DrawnLanesAreRight(unittest.TestCase):
    """Reads the numbers back out of the drawing."""

    def check(self, drawing: Drawing, grid: fragments.Grid) -> None:
        at = {(round(x, 1), round(y, 1)): text for x, y, text in texts(drawing)}
        for register in range(len(grid.fragment.registers)):
            for lane in LANES:
                (row0, column0), (row1, column1) = grid.fragment.holds(lane, register)
                x, y = grid.place((row0 + row1 + 1) / 2, (column0 + column1 + 1) / 2)
                self.assertEqual(at.get((round(x, 1), round(y + 4, 1))), str(lane), (register, lane))

    def test_cells(self) -> None:
        drawn: list[fragments.Grid] = []
        original = fragments.Grid.draw

        def remember(grid: fragments.Grid) -> None:
            drawn.append(grid)
            original(grid)

        fragments.Grid.draw = remember  # type: ignore[method-assign]
        try:
            pictures = [draw(translator("en")) for draw in (fragments.draw_a, fragments.draw_b, fragments.draw_c)]
        finally:
            fragments.Grid.draw = original  # type: ignore[method-assign]
        self.assertEqual(len(drawn), 1 + 3 + 3)
        for grid in drawn:
            self.check(grid.drawing, grid)
        self.assertEqual({id(grid.drawing) for grid in drawn}, set(map(id, pictures)))

    def test_lanes_that_pass_addresses(self) -> None:
        """Beside each row stands the lane that passes its address: lane 8 * i + r, row r of matrix i."""
        drawing = Drawing(760, 470, "", "")
        for kind in ("kA", "kB", "kBTrans"):
            piece = fragments.tile_piece(kind)
            for lane in LANES:
                matrix, row = layouts.ldmatrix_row(lane)
                self.assertEqual(
                    sources.operand_start(kind, lane),
                    (sources.operand_start(kind, 8 * matrix)[0] + row, sources.operand_start(kind, 8 * matrix)[1]),
                )
            grid = fragments.Grid(drawing, piece, 78, 84, (21.5, 21.5), "q")
            before = len(list(texts(drawing)))
            grid.row_addresses(kind, "lane")
            labels = [entry for entry in list(texts(drawing))[before:] if entry[2] != "lane"]
            self.assertEqual(len(labels), 32)
            for x, y, lane in labels:
                row, column = sources.operand_start(kind, int(lane))
                self.assertAlmostEqual(y, grid.place(row + 0.5, 0)[1] + 3.5, places=2)
                self.assertEqual(x > grid.right, column == 8)


class PlacesOfChunks(unittest.TestCase):
    def test_a_column_lies_in_four_banks_without_the_swizzle_and_in_all_with_it(self) -> None:
        for chunk in range(8):
            self.assertEqual({swizzle.place(1, row, chunk)[1] for row in range(8)}, {chunk})
            self.assertEqual({swizzle.place(2, row, chunk)[1] for row in range(8)}, set(range(8)))

    def test_a_row_stays_in_its_lines(self) -> None:
        for chapter in (1, 2):
            for row in range(8):
                self.assertEqual({swizzle.place(chapter, row, c)[1] for c in range(8)}, set(range(8)))
                self.assertEqual({swizzle.place(chapter, row, c)[0] for c in range(8)}, {2 * row})


class Numbers(unittest.TestCase):
    def test_config_is_read_as_the_compiler_reads_it(self) -> None:
        for chapter in sources.chapters():
            names = sources.config(chapter, sources.default_tile(), 128)
            self.assertEqual(names["kThreads"], 128)
            self.assertEqual(names["kWarpRows"], 16)
            self.assertEqual(names["kSharedBytes"], 49152)
            self.assertEqual(names["kLiveRegisters"], 128)
            self.assertEqual(names["kMinBlocksPerSm"], 3)

    def test_conditionals_and_casts(self) -> None:
        self.assertEqual(sources.evaluate("kA + 40 < 255 ? kA + 40 : 255", {"kA": 300}), 255)
        self.assertEqual(sources.evaluate("kA * static_cast<int>(sizeof(Element))", {"kA": 3}), 6)
        self.assertEqual(sources.evaluate("kA == kB ? 7 / 2 : 0", {"kA": 1, "kB": 1}), 3)

    def test_live_registers_are_those_of_config(self) -> None:
        for tile in sources.tiles():
            names = sources.config(1, tile, 128)
            self.assertEqual(sum(part.registers for part in registers.live(names)), names["kLiveRegisters"])

    def test_fragments_as_declared(self) -> None:
        """Operand::fragments of the default tile: 8 x 16 of K whole, 16 x 2 of V between the mmas, twice that ahead."""
        held = {c: registers.fragments(sources.config(c, sources.default_tile(), 128)).registers for c in range(1, 6)}
        self.assertEqual(held, {1: 128, 2: 128, 3: 128, 4: 32, 5: 64})


def event(begin: int, length: int, name: str, group: int | None = None, collects: int | None = None) -> Event:
    return Event(begin, begin + length, name, group, collects)


class TimeLines(unittest.TestCase):
    EVENTS = [
        event(0, 4, "cp.async K", group=0),
        event(4, 1, "commit", group=0),
        event(5, 4, "cp.async V", group=1),
        event(9, 1, "commit", group=1),
        event(10, 1, "wait", collects=0),
        event(11, 8, "ldmatrix K"),
        event(19, 8, "mma"),
        event(27, 1, "wait", collects=1),
        event(28, 4, "ldmatrix V"),
        event(32, 8, "mma"),
    ]

    def test_a_copy_lasts_from_its_issue_to_the_wait_that_collects_it(self) -> None:
        copies = list(traces.copies(self.EVENTS))
        self.assertEqual([(c.tensor, c.begin, c.issued, c.end) for c in copies], [("K", 0, 4, 10), ("V", 5, 9, 27)])

    def test_a_wait_collects_all_groups_up_to_one(self) -> None:
        events = [*self.EVENTS[:4], event(10, 1, "wait", collects=1)]
        self.assertEqual([(c.tensor, c.end) for c in traces.copies(events)], [("K", 10), ("V", 10)])

    def test_products_and_their_steps(self) -> None:
        scores, output = traces.products(self.EVENTS)
        self.assertEqual((scores.operand, scores.begin, scores.end), ("K", 11, 27))
        self.assertEqual((output.operand, output.begin, output.end), ("V", 28, 40))
        self.assertEqual(scores.steps("ldmatrix", 4), [(11, 15), (15, 19)])
        self.assertEqual(scores.steps("mma", 4), [(19, 23), (23, 27)])

    def test_slices_are_read_from_a_trace_file(self) -> None:
        slice_ = {"ph": "X", "tid": 2, "ts": 5, "dur": 3, "name": "wait", "args": {"collects_up_to_group": 4}}
        other = {"ph": "M", "tid": 2, "name": "thread_name"}
        self.assertEqual(traces.parse({"traceEvents": [other, slice_]}, 2), [Event(5, 8, "wait", None, 4)])
        self.assertEqual(traces.parse({"traceEvents": [slice_]}, 0), [])

    def test_what_looks_the_same_is_one_box(self) -> None:
        joined = timeline._joined([event(0, 4, "exp2"), event(4, 2, "pack"), event(6, 1, "mma"), event(8, 1, "mma")])
        self.assertEqual([(box.begin, box.end) for box in joined], [(0, 6), (6, 7), (8, 9)])


class Files(unittest.TestCase):
    def test_drawings_are_the_same_every_time_and_have_all_words(self) -> None:
        for name, draw in WITHOUT_BUILD.items():
            for language in LANGUAGES:
                with self.subTest(name=name, language=language):
                    self.assertEqual(draw(translator(language)).svg(), draw(translator(language)).svg())

    def test_committed_drawings_are_sound(self) -> None:
        paths = [*REPOSITORY.glob("docs/figures/*.svg"), *REPOSITORY.glob("docs/zh/figures/*.svg")]
        names = {*WITHOUT_BUILD, "banks-chapter1", "banks-chapter2", *(f"timeline-chapter{n}" for n in (2, 3, 4, 5))}
        for path in (path for path in paths if path.stem in names):
            with self.subTest(path=path.name):
                text = path.read_text(encoding="utf-8")
                root = ElementTree.fromstring(text)
                self.assertLess(len(text.encode()), 60_000)
                for part in ("title", "desc"):
                    node = root.find(f"{SVG}{part}")
                    self.assertTrue(node is not None and node.text)
                for scheme in ("light", "dark"):
                    self.assertIn(f"@media (prefers-color-scheme:{scheme})", text)
                self.assertNotIn("http://", text.replace("http://www.w3.org/2000/svg", ""))

    def test_chinese_bank_maps_have_no_english_sentence(self) -> None:
        for path in REPOSITORY.glob("docs/zh/figures/banks-*.svg"):
            text = path.read_text(encoding="utf-8")
            for words in ("would", "In the cells", "lanes", "wavefronts", "Red"):
                self.assertFalse(words in text, f"{path.name} says {words}")

    def test_nothing_is_drawn_outside(self) -> None:
        for name, draw in WITHOUT_BUILD.items():
            drawing = draw(translator("en"))
            for x, y, text in texts(drawing):
                with self.subTest(name=name, text=text):
                    self.assertTrue(0 <= x <= drawing.width and 0 <= y <= drawing.height)


if __name__ == "__main__":
    unittest.main()
