"""How Q, K, V and O are cut into tiles, over blocks and warps."""

from __future__ import annotations

from drawings import sources
from drawings.svg import Drawing
from drawings.words import Translate

HEAD_DIM = 128
QUERY_TILES = 5  # as many as are drawn
KEY_TILES = 5
BLOCK = 1  # the block that is followed
STEP = 2  # the key tile that it works on

UNIT = 0.72  # pixels an element in the upper picture


class Matrix:
    """A matrix cut into tiles: `down` tiles of `rows` rows, `across` of `columns` columns."""

    def __init__(self, place: tuple[float, float], tile: tuple[float, float], down: int, across: int) -> None:
        self.x, self.y = place
        self.tile_width, self.tile_height = tile
        self.down, self.across = down, across

    @property
    def width(self) -> float:
        return self.tile_width * self.across

    @property
    def height(self) -> float:
        return self.tile_height * self.down

    def tile(self, row: int, column: int) -> tuple[float, float, float, float]:
        x, y = self.x + column * self.tile_width, self.y + row * self.tile_height
        return x, y, self.tile_width, self.tile_height

    def draw(self, drawing: Drawing) -> None:
        for row in range(self.down):
            for column in range(self.across):
                drawing.rect(*self.tile(row, column), "edge-line none")


def draw(t: Translate) -> Drawing:
    tile = sources.default_tile()
    names = sources.config(1, tile, HEAD_DIM)
    drawing = Drawing(
        760,
        830,
        t("Q, K, V and O in tiles, over blocks and warps"),
        t(
            "A block owns {q} rows of Q and O of one head, and walks over K and V in tiles of {kv} keys. Each of its "
            "{warps} warps owns {rows} rows of Q, of the scores and of O; all warps share the tiles of K and V.",
            q=names["kBlockQ"],
            kv=names["kBlockKv"],
            warps=names["kWarps"],
            rows=names["kWarpRows"],
        ),
    )
    _one_head(drawing, names, t)
    _one_block(drawing, names, t)
    return drawing


def _one_head(drawing: Drawing, names: sources.Constants, t: Translate) -> None:
    drawing.text(16, 24, t("One head: a block for each tile of Q"), "head")
    row, key, depth = names["kBlockQ"] * UNIT, names["kBlockKv"] * UNIT, names["kHeadDim"] * UNIT
    left, top = 64, 172
    q = Matrix((left, top), (depth, row), QUERY_TILES, 1)
    k = Matrix((left + depth + 34, top - 26 - depth), (key, depth), 1, KEY_TILES)
    s = Matrix((k.x, top), (key, row), QUERY_TILES, KEY_TILES)
    v = Matrix((k.x, top + s.height + 26), (key, depth), 1, KEY_TILES)
    o = Matrix((k.x + s.width + 34, top), (depth, row), QUERY_TILES, 1)

    drawing.rect(*q.tile(BLOCK, 0), "half-q")
    drawing.rect(*o.tile(BLOCK, 0), "half-o")
    for column in range(KEY_TILES):
        tone = "tint-" if column < STEP else "half-" if column == STEP else ""
        if tone:
            drawing.rect(*k.tile(0, column), f"{tone}k")
            drawing.rect(*s.tile(BLOCK, column), f"{tone}s")
            drawing.rect(*v.tile(0, column), f"{tone}v")
    for matrix in (q, k, s, v, o):
        matrix.draw(drawing)
    for matrix, where, colour in ((q, BLOCK, "q"), (o, BLOCK, "o")):
        drawing.rect(*matrix.tile(where, 0), f"edge-{colour} none thick")
    for matrix, where, colour in ((k, 0, "k"), (s, BLOCK, "s"), (v, 0, "v")):
        drawing.rect(*matrix.tile(where, STEP), f"edge-{colour} none thick")

    drawing.text(q.x + depth / 2, top - 12, "Q", "head mid ink-q")
    drawing.text(k.x - 12, k.y + depth / 2 + 5, "Kᵀ", "head end ink-k")
    drawing.text(v.x - 12, v.y + depth / 2 + 5, "Vᵀ", "head end ink-v")
    drawing.text(o.x + depth / 2, top - 12, "O", "head mid ink-o")

    # Names of the blocks, and the way of the one that is followed.
    for index in range(QUERY_TILES):
        x, y, _, height = q.tile(index, 0)
        label = t("block {number}", number=index) if index < QUERY_TILES - 1 else "..."
        weight = " bold" if index == BLOCK else " ink-soft"
        drawing.text(x - 8, y + height / 2 + 4, label, "small end" + weight)
    y = s.y + (BLOCK + 0.5) * row
    for first, second in ((0, 1), (1, 2), (2, 3), (3, 4)):
        drawing.path([(s.x + (first + 0.62) * key, y), (s.x + (second + 0.38) * key, y)], "edge-ink", "ink")
    drawing.text(s.x - 12, s.y + s.height / 2 + 5, "S", "head end ink-s")

    # Sizes.
    _size(drawing, (k.x + STEP * key, k.x + (STEP + 1) * key), k.y - 8, str(names["kBlockKv"]))
    _size_down(drawing, k.x + k.width + 8, (k.y, k.y + depth), str(names["kHeadDim"]))
    _size(drawing, (o.x, o.x + depth), o.y + o.height + 8, str(names["kHeadDim"]), below=True)
    _size_down(drawing, o.x + depth + 8, (o.y + BLOCK * row, o.y + (BLOCK + 1) * row), str(names["kBlockQ"]))

    x = o.x + depth + 52
    remarks = t(
        "The grid has a block for\neach query tile, head and\nbatch. Blocks do not meet:\n"
        "each reads all of K and V.\n\n"
        "S, the scores, is never\nstored: the tile of this\nstep lives in registers.\n\n"
        "Keys run to the right, here\nin K and V alike. In memory\na key is a row of both."
    )
    drawing.lines(x, top + 8, remarks.split("\n"), "small ink-soft", 16)


def _one_block(drawing: Drawing, names: sources.Constants, t: Translate) -> None:
    top = 548
    q_rows, kv_rows, depth, warps = names["kBlockQ"], names["kBlockKv"], names["kHeadDim"], names["kWarps"]
    drawing.text(
        16, top, t("One step of a block: {warps} warps, {rows} rows each", warps=warps, rows=names["kWarpRows"]), "head"
    )
    unit = 1.42
    y = top + 44
    height = q_rows * unit
    x_q = 78
    x_s = x_q + depth * unit + 58
    x_o = x_s + kv_rows * unit + 58
    for x, columns, colour, name in (
        (x_q, depth, "q", t("Q, {rows} x {columns}", rows=q_rows, columns=depth)),
        (x_s, kv_rows, "s", t("S and P, {rows} x {columns}", rows=q_rows, columns=kv_rows)),
        (x_o, depth, "o", t("O, {rows} x {columns}", rows=q_rows, columns=depth)),
    ):
        width = columns * unit
        drawing.text(x + width / 2, y - 9, name, f"bold mid ink-{colour}")
        for warp in range(warps):
            warp_y = y + warp * names["kWarpRows"] * unit
            tone = "half" if warp == 1 else "tint"
            drawing.rect(x, warp_y, width, names["kWarpRows"] * unit, f"{tone}-{colour}")
            drawing.rect(x, warp_y, width, names["kWarpRows"] * unit, f"edge-{colour} none thin")
    for warp in range(warps):
        warp_y = y + (warp + 0.5) * names["kWarpRows"] * unit
        drawing.text(
            x_q - 8, warp_y + 4, t("warp {number}", number=warp), "small end" + (" bold" if warp == 1 else " ink-soft")
        )
    middle = y + 1.5 * names["kWarpRows"] * unit
    for start, end, above in ((x_q + depth * unit, x_s, "K"), (x_s + kv_rows * unit, x_o, "V")):
        drawing.path([(start + 6, middle), (end - 6, middle)], "edge-ink", "ink")
        drawing.text((start + end) / 2, middle - 8, "× Kᵀ" if above == "K" else "× V", f"mid bold ink-{above.lower()}")
    bottom = y + height
    drawing.text(x_q, bottom + 18, t("in registers from the first step on"), "small ink-soft")
    drawing.text(x_s + kv_rows * unit / 2, bottom + 18, t("in registers, one step"), "small mid ink-soft")
    drawing.text(x_o + depth * unit, bottom + 18, t("in registers until the end"), "small end ink-soft")
    _shared_memory(drawing, names, bottom + 58, t)


def _shared_memory(drawing: Drawing, names: sources.Constants, y: float, t: Translate) -> None:
    kib = names["kSharedBytes"] / 1024
    drawing.text(16, y, t("Shared memory of the block: {kib} KiB", kib=f"{kib:g}"), "head")
    parts = (
        ("Q", "q", names["kSharedQ"], names["kSharedK"], t("Q, at the end O")),
        ("K", "k", names["kSharedK"], names["kSharedV"], t("a tile of K")),
        ("V", "v", names["kSharedV"], names["kSharedBytes"], t("a tile of V")),
    )
    left, right = 78, 744
    scale = (right - left) / names["kSharedBytes"]
    for _, colour, begin, end, label in parts:
        x, width = left + begin * scale, (end - begin) * scale
        drawing.rect(x, y + 14, width, 40, f"tint-{colour}")
        drawing.rect(x, y + 14, width, 40, f"edge-{colour} none")
        drawing.text(x + width / 2, y + 31, label, f"bold mid ink-{colour}")
        size = t("{rows} rows of {bytes} bytes", rows=(end - begin) // names["kRowBytes"], bytes=names["kRowBytes"])
        drawing.text(x + width / 2, y + 47, size, "small mid ink-soft")
        drawing.text(x, y + 70, f"{begin:,}", "tiny mono ink-soft")
    drawing.text(right, y + 70, f"{names['kSharedBytes']:,}", "tiny mono end ink-soft")


def _size(drawing: Drawing, span: tuple[float, float], y: float, text: str, below: bool = False) -> None:
    """A length, above or below what it measures."""
    first, last = span
    drawing.line(first, y, last, y, "edge-soft thin")
    drawing.line(first, y - 3, first, y + 3, "edge-soft thin")
    drawing.line(last, y - 3, last, y + 3, "edge-soft thin")
    drawing.text((first + last) / 2, y + (15 if below else -6), text, "small mono mid ink-soft")


def _size_down(drawing: Drawing, x: float, span: tuple[float, float], text: str) -> None:
    first, last = span
    drawing.line(x, first, x, last, "edge-soft thin")
    drawing.line(x - 3, first, x + 3, first, "edge-soft thin")
    drawing.line(x - 3, last, x + 3, last, "edge-soft thin")
    drawing.text(x + 7, (first + last) / 2 + 4, text, "small mono ink-soft")
