"""Time lines: what one warp does, instruction by instruction, and which copies are under way meanwhile."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from drawings import sources, traces
from drawings.svg import Drawing
from drawings.traces import Copy, Event, Product
from drawings.words import Translate

HEAD_DIM = 128
WIDTH = 760
LEFT, RIGHT = 24, 744
FIRST_ZOOMED = 4  # what chapters 4 and 5 change is inside the products


@dataclass(frozen=True)
class Recording:
    """The trace of one chapter. Two key tiles of it are drawn."""

    chapter: int
    events: list[Event]

    @cached_property
    def products(self) -> list[Product]:
        return traces.products(self.events)

    @cached_property
    def copies(self) -> list[Copy]:
        return [copy for copy in traces.copies(self.events) if copy.begin < self.end]

    @property
    def end(self) -> int:
        """The end of the second key tile."""
        return self.products[3].end

    def instructions_under_way(self, tensor: str) -> int:
        """How many instructions the warp executes between a copy of a tile and its wait, in the second key tile."""
        copy = [copy for copy in traces.copies(self.events) if copy.tensor == tensor][1]
        return copy.end - copy.issued - 1  # less the commit


def record(chapter: int, binaries: Path) -> Recording:
    return Recording(chapter, traces.run(chapter, binaries))


def draw(recordings: Sequence[Recording], t: Translate) -> Drawing:
    """The time line of the last recording. The one before it, if there is one, is drawn to compare with."""
    present = recordings[-1]
    zoomed = list(recordings) if present.chapter >= FIRST_ZOOMED else []
    strips = [present] if zoomed else list(recordings)
    drawing = Drawing(WIDTH, 0, t("Time line of chapter {chapter}", chapter=present.chapter), _says(present, t))
    drawing.text(LEFT, 22, t("One warp, from its start through two key tiles"), "head")
    y = 36.0
    scale = (RIGHT - LEFT) / max(recording.end for recording in strips)
    for recording in strips:
        Strip(drawing, recording, y, scale, t).draw()
        y += Strip.HEIGHT
    if zoomed:
        drawing.text(LEFT, y + 22, t("Inside S = Q Kᵀ of the second key tile"), "head")
        y += 40
        scale = (RIGHT - LEFT) / max(_zoomed(recording).end - _zoomed(recording).begin for recording in zoomed)
        for recording in zoomed:
            zoom = Zoom(drawing, recording, y, scale, t)
            zoom.draw()
            y = zoom.bottom
        drawing.text(
            LEFT,
            y,
            t("In the boxes: the step of k. An arrow leads from a load to the mmas that use it."),
            "small ink-soft",
        )
        y += 12
    Legend(drawing, y, t).draw()
    drawing.height = y + Legend.HEIGHT
    return drawing


def _says(recording: Recording, t: Translate) -> str:
    meanings = {
        2: t("Each copy is waited for as soon as it is issued: the warp does nothing while it is under way."),
        3: t("V is under way while Q K is computed, and the next K during the softmax and P V. In chapter 2, none is."),
        4: t("The fragments of K are loaded step by step between the mmas; in chapter 3, all before the first mma."),
        5: t("The fragments of a step are loaded before the mmas of the step before; in chapter 4, after them."),
    }
    return meanings[recording.chapter] + " " + t("The axis counts the warp's instructions; it is not time.")


def _heading(drawing: Drawing, recording: Recording, y: float, remark: str, t: Translate) -> None:
    drawing.text(LEFT, y, t("Chapter {chapter}", chapter=recording.chapter), "bold")
    drawing.text(LEFT + 82, y, t(sources.title(recording.chapter)), "ink-soft")
    drawing.text(RIGHT, y, remark, "small end ink-soft")


class Strip:
    """Copies under way above, the warp's instructions below them, then what they are for, then the axis."""

    HEIGHT = 168
    TRACKS = ("Q", "K", "V")
    BOX = 28  # height of the instructions

    def __init__(self, drawing: Drawing, recording: Recording, y: float, scale: float, t: Translate) -> None:
        self.drawing, self.recording, self.y, self.scale, self.t = drawing, recording, y, scale, t
        self.box_y = y + 80

    def x(self, instruction: float) -> float:
        return LEFT + instruction * self.scale

    def draw(self) -> None:
        k, v = (self.recording.instructions_under_way(tensor) for tensor in "KV")
        remark = self.t("instructions between a copy and its wait: K {k}, V {v}", k=k, v=v)
        _heading(self.drawing, self.recording, self.y + 14, remark, self.t)
        self._copies()
        self._instructions()
        self._purposes()
        self._axis()

    def _copies(self) -> None:
        for copy in self.recording.copies:
            colour = copy.tensor.lower()
            y = self.y + 26 + 15 * self.TRACKS.index(copy.tensor)
            begin, end = self.x(copy.begin), self.x(min(copy.end + 0.5, self.recording.end))
            self.drawing.rect(begin, y, end - begin, 11, f"half-{colour}", 2)
            if copy.end < self.recording.end:
                self.drawing.path([(end, y + 11), (end, self.box_y - 3)], f"edge-{colour}", colour)
            if end - begin > 50:
                self.drawing.text((begin + end) / 2, y + 9.3, copy.tensor, "tiny bold mid")
            else:
                self.drawing.text(begin - 3, y + 9.3, copy.tensor, f"tiny bold end ink-{colour}")

    def _instructions(self) -> None:
        shown = [event for event in self.recording.events if event.begin < self.recording.end]
        for event in _joined(shown):
            style = _style(event.name)
            if style:
                width = (event.end - event.begin) * self.scale
                self.drawing.rect(self.x(event.begin), self.box_y, width, self.BOX, style)
        for event in shown:
            colour = {"wait": "x", "barrier": "ink"}.get(event.name)
            if colour:
                x = self.x(event.begin + 0.5)
                self.drawing.line(x, self.box_y - 3, x, self.box_y + self.BOX + 3, f"edge-{colour} thick")
        self.drawing.rect(LEFT, self.box_y, self.recording.end * self.scale, self.BOX, "edge-line none thin")

    def _purposes(self) -> None:
        y = self.box_y + self.BOX + 9
        products = self.recording.products[:4]
        names = {"K": "S = Q Kᵀ", "V": "O += P V"}
        spans = [(product.begin, product.end, names[product.operand]) for product in products]
        for tile in (0, 1):
            scores, output = products[2 * tile], products[2 * tile + 1]
            inside = [e for e in self.recording.events if scores.end <= e.begin < output.begin and e.name in _SOFTMAX]
            spans.append((inside[0].begin, inside[-1].end, self.t("softmax")))
        for begin, end, name in spans:
            first, last = self.x(begin) + 1, self.x(end) - 1
            self.drawing.path([(first, y - 3), (first, y), (last, y), (last, y - 3)], "edge-soft thin")
            self.drawing.text((first + last) / 2, y + 12, name, "tiny mid")

    def _axis(self) -> None:
        y = self.box_y + self.BOX + 30
        self.drawing.line(LEFT, y, self.x(self.recording.end), y, "edge-soft thin")
        for instruction in range(0, self.recording.end + 1, 100):
            x = self.x(instruction)
            self.drawing.line(x, y, x, y + 4, "edge-soft thin")
            self.drawing.text(x, y + 15, str(instruction), "tiny mono ink-soft" + (" mid" if instruction else ""))
        self.drawing.text(self.x(50), y + 15, self.t("instructions"), "tiny mid ink-soft")


_SOFTMAX = ("exp2", "pack", "shuffle", "vote")


def _style(name: str) -> str:
    """How an instruction is painted."""
    first, _, tensor = name.partition(" ")
    styles: dict[str, Callable[[str], str]] = {
        "cp.async": lambda tensor: f"tint-{tensor}",
        "ldmatrix": lambda tensor: f"ink-{tensor}",
        "mma": lambda _: "half-soft",
    }
    if first in styles:
        return styles[first](tensor.lower())
    return "half-s" if first in _SOFTMAX else ""


def _joined(events: list[Event]) -> list[Event]:
    """Neighbours that look the same, as one."""
    joined: list[Event] = []
    for event in events:
        last = joined[-1] if joined else None
        if last and _style(last.name) == _style(event.name) and last.end == event.begin:
            joined[-1] = Event(last.begin, event.end, last.name)
        else:
            joined.append(event)
    return joined


def _zoomed(recording: Recording) -> Product:
    """S = Q K^T of the second key tile."""
    return recording.products[2]


class Zoom:
    """One product, step by step of k, with an arrow from each step's fragment loads to the mmas that use them."""

    BOX = 26

    def __init__(self, drawing: Drawing, recording: Recording, y: float, scale: float, t: Translate) -> None:
        self.drawing, self.recording, self.y, self.scale, self.t = drawing, recording, y, scale, t
        self.product = _zoomed(recording)
        names = sources.config(recording.chapter, sources.default_tile(), HEAD_DIM)
        self.loads = self.product.steps("ldmatrix", names["kBlockKv"] // 16)
        self.mmas = self.product.steps("mma", names["kBlockKv"] // 8 * names["kWarpRows"] // 16)
        self.registers = self._most_held() * names["kBlockKv"] // 8 * 2
        assert len(self.loads) == len(self.mmas) == names["kHeadDim"] // 16
        self.box_y = y + 34 + max(self._rise(*span) for span in zip(self.loads, self.mmas, strict=True))

    @property
    def bottom(self) -> float:
        return self.box_y + self.BOX + 24

    def _most_held(self) -> int:
        """Steps whose fragments are in registers at once: loaded, and their mmas not yet issued."""
        return max(
            sum(load[0] < moment <= mma[1] for load, mma in zip(self.loads, self.mmas, strict=True))
            for moment in range(self.product.begin, self.product.end + 1)
        )

    def x(self, instruction: float) -> float:
        return LEFT + (instruction - self.product.begin) * self.scale

    def draw(self) -> None:
        t = self.t
        remark = t("fragments of K held at once, as written: {registers} registers", registers=self.registers)
        _heading(self.drawing, self.recording, self.y + 14, remark, t)
        for step, (load, mma) in enumerate(zip(self.loads, self.mmas, strict=True)):
            self._box(load, f"{step}", "half-k", "edge-k")
            self._box(mma, f"{step}", "tint-soft", "edge-soft")
            self._arrow(load, mma)

    def _box(self, span: tuple[int, int], text: str, area: str, edge: str) -> None:
        x, width = self.x(span[0]), (span[1] - span[0]) * self.scale
        self.drawing.rect(x + 0.5, self.box_y, width - 1, self.BOX, area, 2)
        self.drawing.rect(x + 0.5, self.box_y, width - 1, self.BOX, f"{edge} none thin", 2)
        self.drawing.text(x + width / 2, self.box_y + self.BOX / 2 + 4, text, "small mono mid")

    def _rise(self, load: tuple[int, int], mma: tuple[int, int]) -> float:
        return min(36.0, 8 + (mma[0] - sum(load) / 2) * self.scale * 0.1)

    def _arrow(self, load: tuple[int, int], mma: tuple[int, int]) -> None:
        begin, end, y = self.x(sum(load) / 2), self.x(mma[0]) + 5, self.box_y - 2
        rise = self._rise(load, mma) / 0.75  # a Bézier curve goes three quarters of the way to its handles
        bend = f"C{begin:.1f} {y - rise:.1f} {end:.1f} {y - rise:.1f} {end:.1f} {y:.1f}"
        self.drawing.raw_path(f"M{begin:.1f} {y:.1f}{bend}", "edge-k", "k")


class Legend:
    HEIGHT = 74

    def __init__(self, drawing: Drawing, y: float, t: Translate) -> None:
        self.drawing, self.y, self.t = drawing, y, t

    def draw(self) -> None:
        t = self.t
        first = self.y + 16
        self._swatches(
            LEFT, first, ("half-q", "half-k", "half-v"), t("copy of Q, K, V under way, to the wait that collects it")
        )
        self._line(LEFT + 424, first, "x", t("wait"))
        self._line(LEFT + 500, first, "ink", t("barrier"))
        self._swatches(LEFT + 590, first, ("half-s",), t("softmax"))
        second = first + 22
        self._swatches(LEFT, second, ("tint-q", "tint-k", "tint-v"), t("cp.async issued"))
        self._swatches(LEFT + 190, second, ("ink-q", "ink-k", "ink-v"), t("ldmatrix of Q, K, V"))
        self._swatches(LEFT + 424, second, ("half-soft",), t("mma"))
        self.drawing.text(RIGHT, second + 24, t("The axis counts instructions, not time."), "small end bold")

    def _swatches(self, x: float, y: float, styles: Sequence[str], text: str) -> None:
        for index, style in enumerate(styles):
            self.drawing.rect(x + 15 * index, y - 10, 13, 11, style, 2)
        self.drawing.text(x + 15 * len(styles) + 5, y, text, "small")

    def _line(self, x: float, y: float, colour: str, text: str) -> None:
        self.drawing.line(x + 6, y - 12, x + 6, y + 2, f"edge-{colour} thick")
        self.drawing.text(x + 16, y, text, "small")
