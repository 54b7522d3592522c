"""A small SVG writer. Shapes have classes, and all colours are in one style sheet, in three sets: middle tones that do
on any background, for viewers that know no media queries, and one set each for light and dark pages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from html import escape

SANS = (
    "system-ui,-apple-system,'Segoe UI',Roboto,'Noto Sans','PingFang SC','Microsoft YaHei','Noto Sans CJK SC',"
    "sans-serif"
)
MONO = "ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono','Noto Sans CJK SC',monospace"

# (name, on any background, on light, on dark). A tensor has the same colour in every drawing.
COLOURS = (
    ("ink", "#7b838d", "#1f2328", "#e6edf3"),  # text and what matters
    ("soft", "#7f8791", "#59636e", "#9aa5b1"),  # remarks, axes
    ("line", "#969da6", "#c3cad2", "#454c55"),  # frames, grids
    ("q", "#4d8fd8", "#1f6fc0", "#6bb1ff"),
    ("k", "#c47f2a", "#b05a00", "#f0a550"),
    ("v", "#2e9c82", "#0d7a61", "#4ccaa8"),
    ("o", "#b066b8", "#8a3c9e", "#d797e6"),
    ("s", "#8478c9", "#5b4db3", "#a99df2"),  # scores, probabilities, the softmax
    ("x", "#d5544e", "#c4302b", "#ff7b72"),  # waits and conflicts
)

_LAYOUT = {
    "bold": "font-weight:600",
    "head": "font-size:15px;font-weight:600",
    "small": "font-size:11.5px",
    "tiny": "font-size:10px",
    "mono": f"font-family:{MONO}",
    "mid": "text-anchor:middle",
    "end": "text-anchor:end",
    "none": "fill:none",
    "thin": "stroke-width:.75",
    "thick": "stroke-width:2",
    "dash": "stroke-dasharray:4 3",
    "round": "stroke-linecap:round;stroke-linejoin:round",
}


def number(value: float) -> str:
    """At most two decimals, and none that say nothing: the files stay small, and the same everywhere."""
    return (
        f"{value:.2f}".rstrip("0").rstrip(".").replace("-0", "0")
        if value == 0
        else f"{value:.2f}".rstrip("0").rstrip(".")
    )


def _colour_rules() -> dict[str, str]:
    """For each colour c: ink-c for text and solid shapes, tint-c for a pale area, edge-c for outlines and lines."""
    rules = {}
    for name, middle, _, _ in COLOURS:
        rules[f"ink-{name}"] = f"fill:{middle};fill:var(--{name})"
        rules[f"tint-{name}"] = f"fill:{middle};fill:var(--{name});fill-opacity:.17"
        rules[f"half-{name}"] = f"fill:{middle};fill:var(--{name});fill-opacity:.5"
        rules[f"edge-{name}"] = f"stroke:{middle};stroke:var(--{name})"
    return rules


class Drawing:
    """Collects shapes; svg() returns the file. Lengths are in pixels at the natural size."""

    def __init__(self, width: float, height: float, title: str, description: str) -> None:
        self.width = width
        self.height = height
        self.title = title
        self.description = description
        self._body: list[str] = []
        self._classes: set[str] = set()
        self._arrow_heads: set[str] = set()

    def _attributes(self, classes: str, **values: float | str) -> str:
        self._classes.update(classes.split())
        pairs = [f'class="{classes}"'] if classes else []
        for name, value in values.items():
            text = value if isinstance(value, str) else number(value)
            pairs.append(f'{name.rstrip("_").replace("_", "-")}="{text}"')
        return " ".join(pairs)

    def rect(self, x: float, y: float, width: float, height: float, classes: str, radius: float = 0) -> None:
        corner = {"rx": radius} if radius else {}
        self._body.append(f"<rect {self._attributes(classes, x=x, y=y, width=width, height=height, **corner)}/>")

    def line(self, x1: float, y1: float, x2: float, y2: float, classes: str = "edge-line") -> None:
        data = f"M{number(x1)} {number(y1)}L{number(x2)} {number(y2)}"
        self._body.append(f"<path {self._attributes(classes, d=data)}/>")

    def path(self, points: Iterable[tuple[float, float]], classes: str = "edge-line", arrow: str = "") -> None:
        """Straight pieces from point to point. `arrow`: the colour of a head at the end."""
        self.raw_path("M" + "L".join(f"{number(x)} {number(y)}" for x, y in points), classes, arrow)

    def raw_path(self, data: str, classes: str, arrow: str = "") -> None:
        extra = {"d": data}
        if arrow:
            self._arrow_heads.add(arrow)
            extra["marker_end"] = f"url(#arrow-{arrow})"
        if not any(name.startswith(("ink-", "tint-", "half-")) for name in classes.split()):
            extra["fill"] = "none"
        self._body.append(f"<path {self._attributes(classes, **extra)}/>")

    def circle(self, x: float, y: float, radius: float, classes: str) -> None:
        self._body.append(f"<circle {self._attributes(classes, cx=x, cy=y, r=radius)}/>")

    def text(self, x: float, y: float, text: str, classes: str = "", turn: float = 0) -> None:
        turned = {"transform": f"rotate({number(turn)} {number(x)} {number(y)})"} if turn else {}
        attributes = self._attributes(classes, x=x, y=y, **turned)
        self._body.append(f"<text {attributes}>{escape(text, quote=False)}</text>")

    def lines(self, x: float, y: float, lines: Iterable[str], classes: str = "", leading: float = 17) -> None:
        for index, line in enumerate(lines):
            self.text(x, y + index * leading, line, classes)

    def hint(self, text: str) -> None:
        """What a mouse that rests on the last shape is told."""
        shape = self._body.pop()
        name = shape[1 : shape.index(" ")]
        self._body.append(f"{shape[:-2]}><title>{escape(text, quote=False)}</title></{name}>")

    @contextmanager
    def group(self, classes: str) -> Iterator[None]:
        """Classes that all shapes drawn inside have in common."""
        self._body.append(f"<g {self._attributes(classes)}>")
        yield
        self._body.append("</g>")

    def _style(self) -> str:
        def variables(column: int) -> str:
            return "".join(f"--{colour[0]}:{colour[column]};" for colour in COLOURS).rstrip(";")

        rules = _colour_rules() | _LAYOUT
        used = [f".{name}{{{rule}}}" for name, rule in rules.items() if name in self._classes]
        unknown = self._classes - rules.keys()
        assert not unknown, f"classes without a rule: {sorted(unknown)}"
        ink = COLOURS[0][1]
        return "\n".join(
            [
                f":root{{{variables(1)}}}",
                f"@media (prefers-color-scheme:light){{:root{{{variables(2)}}}}}",
                f"@media (prefers-color-scheme:dark){{:root{{{variables(3)}}}}}",
                f"svg{{font:13px {SANS};fill:{ink};fill:var(--ink)}}",
                *used,
            ]
        )

    def _markers(self) -> str:
        if not self._arrow_heads:
            return ""
        heads = []
        for name in sorted(self._arrow_heads):
            self._classes.add(f"ink-{name}")
            heads.append(
                f'<marker id="arrow-{name}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" '
                f'markerUnits="userSpaceOnUse" orient="auto"><path class="ink-{name}" d="M0 .8L8 4L0 7.2z"/></marker>'
            )
        return f"<defs>{''.join(heads)}</defs>\n"

    def svg(self) -> str:
        size = f'width="{number(self.width)}" height="{number(self.height)}"'
        box = f'viewBox="0 0 {number(self.width)} {number(self.height)}"'
        markers = self._markers()
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" {size} {box} role="img" aria-labelledby="title desc">\n'
            f'<title id="title">{escape(self.title, quote=False)}</title>\n'
            f'<desc id="desc">{escape(self.description, quote=False)}</desc>\n'
            f"<style>\n{self._style()}\n</style>\n{markers}" + "\n".join(self._body) + "\n</svg>\n"
        )
