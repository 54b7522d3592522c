"""Charts, as drawings whose colours follow the page: the same figures give the same file, to the byte."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from drawings.svg import Drawing, number

WIDTH = 860.0
LEFT, RIGHT, TOP = 58.0, 18.0, 66.0
ROW = 26.0
SERIES = ("soft", "q", "k", "v", "o", "s", "x")  # colours, by index
CHARACTER = 6.6  # a letter's width, about


class Chart(Drawing):
    """A drawing with a heading, and shapes whose strength varies."""

    def __init__(self, height: float, title: str, subtitle: str) -> None:
        super().__init__(WIDTH, height, title, subtitle)
        self.text(LEFT, 22, title, "head")
        self.text(WIDTH - RIGHT, 22, subtitle, "ink-soft small end")

    def shade(self, x: float, y: float, width: float, height: float, colour: str, strength: float) -> None:
        """A rectangle that lets the background through."""
        attributes = self._attributes(f"ink-{colour}", x=x, y=y, width=width, height=height, fill_opacity=strength)
        self._body.append(f"<rect {attributes}/>")

    def legend(self, names: Sequence[tuple[str, str]], y: float = 44) -> None:
        """Each a class for the colour, and a name."""
        x = LEFT
        for classes, name in names:
            self.rect(x, y - 9, 10, 10, classes)
            self.text(x + 15, y, name, "small")
            x += 15 + CHARACTER * sum(2 if ord(letter) > 0x2E7F else 1 for letter in name) + 16


def sheet(title: str, charts: Sequence[Chart]) -> Chart:
    """Charts below each other, in one file. Without any it says so."""
    whole = Chart(sum(chart.height for chart in charts) or 40, title, "" if charts else "n/a")
    if not charts:
        return whole
    whole._body.clear()
    y = 0.0
    for chart in charts:
        whole._body += [f'<g transform="translate(0 {number(y)})">', *chart._body, "</g>"]
        whole._classes |= chart._classes
        y += chart.height
    whole.description = "; ".join(chart.description for chart in charts)
    return whole


def nice_step(largest: float, steps: int = 5) -> float:
    """1, 2, 2.5 or 5 times a power of ten, so that so many at most reach the largest."""
    if largest <= 0:
        return 1
    power = 10.0 ** math.floor(math.log10(largest / steps))
    return next(factor * power for factor in (1, 2, 2.5, 5, 10) if factor * power * steps >= largest)


@dataclass(frozen=True)
class Mark:
    """A line across a group of bars."""

    name: str
    values: Sequence[float | None]  # one a group
    classes: str


def bars(
    title: str,
    subtitle: str,
    groups: Sequence[str],
    series: Sequence[tuple[str, Sequence[float | None]]],
    marks: Sequence[Mark] = (),
) -> Chart:
    """Groups of bars, one a series. What is missing has no bar."""
    height, bottom = 400.0, 44.0
    chart = Chart(height, title, subtitle)
    values = [v for _, row in series for v in row if v] + [v for mark in marks for v in mark.values if v]
    step = nice_step(max(values, default=1))
    top_value = step * math.ceil(max(values, default=1) / step)
    base, span = height - bottom, height - bottom - TOP

    def level(value: float) -> float:
        return base - span * value / top_value

    for tick in range(round(top_value / step) + 1):
        y = level(tick * step)
        chart.line(LEFT, y, WIDTH - RIGHT, y, "edge-line thin")
        chart.text(LEFT - 6, y + 4, number(tick * step), "ink-soft small end")
    group_width = (WIDTH - LEFT - RIGHT) / max(len(groups), 1)
    bar = group_width * 0.84 / max(len(series), 1)
    for i, group in enumerate(groups):
        x = LEFT + group_width * (i + 0.08)
        chart.text(x + group_width * 0.42, base + 18, group, "small mid")
        for j, (name, row) in enumerate(series):
            value = row[i]
            if value:
                chart.rect(x + bar * j, level(value), bar * 0.9, base - level(value), f"ink-{SERIES[j]}")
                chart.hint(f"{name}, {group}: {value:.1f}")
        for mark in marks:
            value = mark.values[i]
            if value:
                chart.line(x - bar * 0.2, level(value), x + bar * len(series) + bar * 0.1, level(value), mark.classes)
                chart.hint(f"{mark.name}, {group}: {value:.1f}")
    chart.legend([(f"ink-{SERIES[j]}", name) for j, (name, _) in enumerate(series)])
    x = WIDTH - RIGHT
    for mark in reversed(marks):
        x -= CHARACTER * len(mark.name) + 4
        chart.text(x, height - 8, mark.name, "small")
        chart.line(x - 26, height - 12, x - 6, height - 12, mark.classes)
        x -= 44
    return chart


def stacked(
    title: str, subtitle: str, names: Sequence[str], parts: Sequence[tuple[str, str, Sequence[float | None]]]
) -> Chart:
    """A bar from 0 to 100 % for each name; a part is a name, a class and its share in each bar."""
    height = TOP + 22 + ROW * len(names) + 26
    chart = Chart(height, title, subtitle)
    left = LEFT + 24
    span = WIDTH - left - RIGHT
    for i, name in enumerate(names):
        y = TOP + 22 + ROW * i
        x = left
        chart.text(left - 8, y + 15, name, "small end")
        for part, classes, shares in parts:
            share = shares[i]
            if not share:
                continue
            width = span * share / 100
            chart.rect(x, y, width, ROW - 6, classes)
            chart.hint(f"{name}, {part}: {share:.1f} %")
            if width > 28:
                chart.text(x + width / 2, y + 14.5, f"{share:.0f}", "small mid")
            x += width
    for tick in range(0, 101, 20):
        x = left + span * tick / 100
        chart.text(x, height - 8, f"{tick}", "ink-soft small mid")
    half = (len(parts) + 1) // 2
    for line, chosen in enumerate((parts[:half], parts[half:])):
        chart.legend([(classes, name) for name, classes, _ in chosen], 44 + 18 * line)
    return chart


@dataclass(frozen=True)
class Band:
    """Columns of a heat map that stand beside each other. A column has a group, whose name is above those of its
    columns, and a name."""

    columns: Sequence[tuple[str, str]]
    values: Sequence[Sequence[float | None]]  # a row of the map each


def heat_map(title: str, subtitle: str, rows: Sequence[str], bands: Sequence[Band]) -> Chart:
    """A cell a row and column, stronger where the value is larger; the best of a column has a frame. Bands are below
    each other."""
    left, band_height = 150.0, 52 + ROW * len(rows)
    chart = Chart(TOP - 40 + band_height * len(bands) + 16, title, subtitle)
    known = [value for band in bands for row in band.values for value in row if value is not None]
    scale = (min(known, default=0.0), max(known, default=1.0))
    for number_of_band, band in enumerate(bands):
        _draw_band(chart, band, rows, left, TOP + 12 + band_height * number_of_band, scale)
    return chart


def _draw_band(
    chart: Chart, band: Band, rows: Sequence[str], left: float, top: float, scale: tuple[float, float]
) -> None:
    low, high = scale
    width = (WIDTH - left - RIGHT) / max(len(band.columns), 1)
    for j, (group, name) in enumerate(band.columns):
        x = left + width * j
        if j == 0 or band.columns[j - 1][0] != group:
            count = sum(other == group for other, _ in band.columns)
            chart.text(x + width * count / 2, top - 28, group, "small bold mid")
        chart.text(x + width / 2, top - 8, name, "ink-soft small mid")
        best = max((row[j] or 0 for row in band.values), default=0)
        for i, row in enumerate(band.values):
            y = top + ROW * i
            value = row[j]
            if value is None:
                chart.text(x + width / 2, y + 17, "n/a", "ink-soft small mid")
                continue
            strength = 0.08 + 0.62 * (value - low) / (high - low if high > low else 1)
            chart.shade(x + 1, y + 1, width - 2, ROW - 2, "v", strength)
            if value == best:
                chart.rect(x + 1.5, y + 1.5, width - 3, ROW - 3, "none edge-ink thick")
            chart.text(x + width / 2, y + 17, f"{value:.0f}", "small bold mid" if value == best else "small mid")
    for i, name in enumerate(rows):
        chart.text(left - 8, top + ROW * i + 17, name, "small end")


@dataclass(frozen=True)
class Roof:
    """A limit that does not depend on the memory."""

    value: float
    name: str
    classes: str


@dataclass(frozen=True)
class Point:
    name: str
    intensity: float  # operations per byte
    value: float  # TFLOP/s


def roofline(
    title: str, subtitle: str, axis: str, bandwidth: tuple[float, str], roofs: Sequence[Roof], points: Sequence[Point]
) -> Chart:
    """Logarithmic axes. `bandwidth` is in TB/s, so that intensity times it is TFLOP/s."""
    height, bottom = 420.0, 48.0
    chart = Chart(height, title, subtitle)
    slope, slope_name = bandwidth
    top_value = max(roof.value for roof in roofs)
    x_low, x_high = 10.0, 10 ** math.ceil(math.log10(max(2 * top_value / slope, *(p.intensity for p in points), 20)))
    y_low, y_high = 10.0, top_value * 1.6

    def place(intensity: float, value: float) -> tuple[float, float]:
        along = math.log(intensity / x_low) / math.log(x_high / x_low)
        up = math.log(value / y_low) / math.log(y_high / y_low)
        return LEFT + (WIDTH - LEFT - RIGHT) * along, height - bottom - (height - bottom - TOP) * up

    for exponent in range(round(math.log10(x_low)), round(math.log10(x_high)) + 1):
        x, y = place(10**exponent, y_low)
        chart.line(x, y, x, TOP, "edge-line thin")
        last = x > WIDTH - RIGHT - 1  # which would reach beyond the edge
        chart.text(x, y + 16, number(10**exponent), f"ink-soft small {'end' if last else 'mid'}")
    for exponent in range(round(math.log10(y_low)), math.floor(math.log10(y_high)) + 1):
        x, y = place(x_low, 10**exponent)
        chart.line(x, y, WIDTH - RIGHT, y, "edge-line thin")
        chart.text(x - 6, y + 4, number(10**exponent), "ink-soft small end")
    chart.text((LEFT + WIDTH - RIGHT) / 2, height - 10, axis, "ink-soft small mid")
    start = max(x_low, y_low / slope)
    chart.path([place(start, start * slope), place(top_value / slope, top_value)], "edge-x thick")
    x, y = place(start * 1.6, start * 1.6 * slope)
    chart.text(x + 10, y + 6, slope_name, "small")
    for roof in roofs:
        begin = place(roof.value / slope, roof.value)
        chart.path([begin, place(x_high, roof.value)], roof.classes)
        above = roof.value == top_value
        chart.text(WIDTH - RIGHT, begin[1] + (-6 if above else 15), roof.name, "small end")
    for index, point in enumerate(points):
        x, y = place(point.intensity, point.value)
        chart.circle(x, y, 5, f"ink-{SERIES[index]}")
        chart.hint(f"{point.name}: {point.value:.0f} TFLOP/s, {point.intensity:.0f}")
    chart.legend([(f"ink-{SERIES[i]}", f"{point.name}: {point.value:.0f}") for i, point in enumerate(points)])
    return chart
