"""The registers of a thread: what the source of a chapter keeps in them, and what the compiler takes."""

from __future__ import annotations

import csv
from dataclasses import dataclass

from drawings import sources
from drawings.sources import Constants, Tile
from drawings.svg import Drawing
from drawings.words import Translate

HEAD_DIM = 128
SM = "90"
LIMIT = 255  # of a thread
FILE = 65536  # of a multiprocessor
UNIT = 8  # registers of a thread come in eights: a warp gets 256 at a time

LEFT, RIGHT = 176, 700
SCALE = (RIGHT - LEFT) / 296
BAR, GAP = 20, 30


@dataclass(frozen=True)
class Part:
    name: str
    registers: int
    style: str


def live(names: Constants) -> list[Part]:
    """What stays in registers through a key tile: the accumulators, fp32, and Q, 16 bits, of the warp's rows."""
    rows = names["kWarpRows"]
    q = rows * names["kHeadDim"] // 64
    if not names.get("kWholeQ", 1):
        q = names.get("kStagesQ", 1) * rows // 8 * 2
    return [
        Part("O", rows * names["kHeadDim"] // 32, "half-o"),
        Part("S", rows * names["kBlockKv"] // 32, "half-s"),
        Part("Q", q, "half-q"),
    ]


def fragments(names: Constants) -> Part:
    """Of K or of V, whichever is larger, as the arrays in tile.cuh are declared: 8x8 matrices, a register each."""

    def held(matrices_down: int, matrices_along: int, whole: int, stages: int) -> int:
        return matrices_down * (matrices_along if whole else 2 * stages)

    key_blocks, depth_blocks = names["kBlockKv"] // 8, names["kHeadDim"] // 8
    k = held(key_blocks, depth_blocks, names.get("kWholeK", 1), names.get("kStagesK", 1))
    v = held(depth_blocks, key_blocks, names.get("kWholeV", 1), names.get("kStagesV", 1))
    return Part("K, V", max(k, v), "half-k")


def rest(names: Constants) -> Part:
    """Fragments, addresses and the softmax, as config.cuh reckons with them."""
    expression = sources.read("chapter1/config.cuh")
    reserve = int(expression.partition("kLiveRegisters + ")[2].split()[0])
    assert names["kRegisters"] == min(names["kLiveRegisters"] + reserve, LIMIT)
    return Part("rest", reserve, "tint-soft")


def compiled(chapter: int, tile: Tile, head_dim: int) -> int | None:
    """Registers that ptxas gave the fp16 kernel, if that is recorded."""
    path = sources.REPOSITORY / "docs/results/resources.csv"
    if not path.exists():
        return None
    wanted = {
        "chapter": str(chapter),
        "dtype": "fp16",
        "head_dim": str(head_dim),
        "block_q": str(tile.block_q),
        "block_kv": str(tile.block_kv),
        "warps": str(tile.warps),
        "sm": SM,
    }
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            if all(row[column] == value for column, value in wanted.items()):
                return int(row["registers"])
    return None


def most_for(blocks: int, threads: int) -> int:
    """Registers that a thread may have if so many blocks are to fit a multiprocessor."""
    return min(FILE // (blocks * threads) // UNIT * UNIT, LIMIT)


def draw(t: Translate) -> Drawing:
    tiles = sources.tiles()
    shown = [chapter for chapter in sources.chapters() if chapter >= 3]
    drawing = Drawing(
        760,
        0,
        t("Registers of a thread"),
        t(
            "Bars of registers: the accumulators of O and of S, Q, and the fragments of K or V. Above for the default "
            "tile as chapters 3, 4 and 5 are written, below for all tiles. Marks show what the compiler gave."
        ),
    )
    default = sources.default_tile()
    y = 24.0
    drawing.text(
        16, y, t("Tile {tile}, {warps} warps, as the chapters are written", tile=default, warps=default.warps), "head"
    )
    top = y + 34
    y = top
    for chapter in shown:
        names = sources.config(chapter, default, HEAD_DIM)
        label = t("Chapter {chapter}", chapter=chapter) if chapter > 3 else t("Chapters 1 to 3")
        taken = compiled(chapter, default, HEAD_DIM)
        _bar(drawing, y, label, [*live(names), fragments(names)], taken)
        y += GAP
    threads = names["kThreads"]
    lines = [(most_for(blocks, threads), t("{blocks} blocks", blocks=blocks)) for blocks in (4, 3)]
    _limits(drawing, top, y, [*lines, (LIMIT, str(LIMIT))], t)
    y += 28

    last = shown[-1]
    drawing.text(16, y, t("All tiles, chapter {chapter}", chapter=last), "head")
    top = y + 34
    y = top
    for tile in sorted(tiles, key=lambda tile: (tile.block_q // tile.warps, tile.warps, tile.block_kv)):
        names = sources.config(last, tile, HEAD_DIM)
        label = t("{tile}, {warps} warps", tile=tile, warps=tile.warps)
        parts = [*live(names), rest(sources.config(1, tile, HEAD_DIM))]
        _bar(drawing, y, label, parts, compiled(last, tile, HEAD_DIM))
        blocks = names["kMinBlocksPerSm"]
        drawing.text(744, y + 14, str(blocks), "small mono end ink-soft")
        y += GAP
    drawing.text(744, top - 10, t("blocks an SM"), "tiny end ink-soft")
    _limits(drawing, top, y, [(LIMIT, str(LIMIT))], t)
    drawing.height = _legend(drawing, y + 24, compiled(last, default, HEAD_DIM) is not None, t)
    return drawing


def _bar(drawing: Drawing, y: float, label: str, parts: list[Part], taken: int | None) -> None:
    drawing.text(LEFT - 10, y + 14, label, "small end")
    begin = 0
    for part in parts:
        x, width = LEFT + begin * SCALE, part.registers * SCALE
        drawing.rect(x, y, width, BAR, part.style)
        if width > 16:
            drawing.text(x + width / 2, y + 14, str(part.registers), "tiny mono mid")
        begin += part.registers
    drawing.rect(LEFT, y, begin * SCALE, BAR, "edge-soft none thin")
    if taken is not None:
        x = LEFT + taken * SCALE
        drawing.line(x, y - 4, x, y + BAR + 4, "edge-ink thick")


def _limits(drawing: Drawing, top: float, bottom: float, lines: list[tuple[int, str]], t: Translate) -> None:
    for registers, label in lines:
        x = LEFT + registers * SCALE
        drawing.line(x, top - 6, x, bottom - GAP + BAR + 6, "edge-x dash thin")
        drawing.text(x, top - 10, label, "tiny mid ink-x")


def _legend(drawing: Drawing, y: float, has_marks: bool, t: Translate) -> float:
    rows = [
        [
            ("half-o", t("O, fp32")),
            ("half-s", t("S, fp32")),
            ("half-q", t("Q, 16 bits")),
            ("half-k", t("fragments of K or V, as declared")),
        ],
        [("tint-soft", t("the rest, as config.cuh reckons: fragments, addresses, softmax"))],
    ]
    for row in rows:
        x = 16.0
        for style, text in row:
            drawing.rect(x, y - 10, 13, 11, style, 2)
            drawing.text(x + 19, y, text, "small")
            x += 120
        y += 22
    drawing.line(14, y - 4, 31, y - 4, "edge-x dash thin")
    drawing.text(35, y, t("the most for a thread, and for so many blocks an SM"), "small")
    if has_marks:
        drawing.line(389, y - 12, 389, y + 2, "edge-ink thick")
        drawing.text(395, y, t("what the compiler gave the fp16 kernel for sm_{sm}", sm=SM), "small")
    return y + 14
