"""Plots as SVG: panels with points and lines, a linear axis to the right and a logarithmic one upwards."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from itertools import cycle
from math import ceil, floor, log10

WIDTH, HEIGHT = 360, 300
_LEFT, _RIGHT, _TOP, _BOTTOM = 56, 14, 30, 44
_LINES = ("#0b3d63", "#1b6ca8", "#4d94c9", "#15803d", "#7fb98f", "#7c3aed")
_MARKS = ("#c2410c", "#f59e0b", "#be185d", "#7f1d1d")


@dataclass(frozen=True, slots=True)
class Series:
    """Points of one kind, in order. Joined by a line, or else drawn as large marks."""

    name: str
    points: tuple[tuple[float, float], ...]
    joined: bool = True


@dataclass(frozen=True, slots=True)
class Panel:
    """One diagram; x runs from 0 to `most`, which is 100 for percent."""

    title: str
    x_title: str
    y_title: str
    series: tuple[Series, ...]
    most: int = 100


def svg(panels: Sequence[Panel]) -> str:
    """All panels side by side, as the text of an SVG file."""
    width = WIDTH * len(panels)
    size = f'viewBox="0 0 {width} {HEIGHT}" width="{width}" height="{HEIGHT}"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="sans-serif" font-size="11">',
        f'<rect width="{width}" height="{HEIGHT}" fill="white"/>',
    ]
    for number, panel in enumerate(panels):
        parts += [f'<g transform="translate({WIDTH * number} 0)">', *_Drawing(panel).lines(), "</g>"]
    return "\n".join([*parts, "</svg>"]) + "\n"


def _radius(series: Series) -> float:
    return 2.5 if series.joined else 5


class _Drawing:
    def __init__(self, panel: Panel) -> None:
        self.panel = panel
        lines, marks = cycle(_LINES), cycle(_MARKS)
        self.colours = [next(lines if series.joined else marks) for series in panel.series]
        values = [y for series in panel.series for _, y in series.points if y > 0] or [1.0]
        self.low = floor(log10(min(values)))
        self.high = max(ceil(log10(max(values))), self.low + 1)

    def x(self, value: float) -> float:
        return _LEFT + (WIDTH - _LEFT - _RIGHT) * value / self.panel.most

    def y(self, value: float) -> float:
        share = (log10(max(value, 10.0**self.low)) - self.low) / (self.high - self.low)
        return HEIGHT - _BOTTOM - (HEIGHT - _TOP - _BOTTOM) * share

    def lines(self) -> list[str]:
        return [*self._axes(), *self._marks(), *self._legend()]

    def _axes(self) -> list[str]:
        panel, middle = self.panel, (_LEFT + WIDTH - _RIGHT) / 2
        found = [f'<text x="{middle}" y="18" text-anchor="middle" font-weight="bold">{escape(panel.title)}</text>']
        for place in range(0, panel.most + 1, panel.most // 5):
            x = self.x(place)
            found.append(f'<line x1="{x:.1f}" y1="{_TOP}" x2="{x:.1f}" y2="{HEIGHT - _BOTTOM}" stroke="#e5e5e5"/>')
            found.append(f'<text x="{x:.1f}" y="{HEIGHT - _BOTTOM + 14}" text-anchor="middle">{place}</text>')
        for power in range(self.low, self.high + 1):
            y = self.y(10.0**power)
            found.append(f'<line x1="{_LEFT}" y1="{y:.1f}" x2="{WIDTH - _RIGHT}" y2="{y:.1f}" stroke="#e5e5e5"/>')
            found.append(f'<text x="{_LEFT - 5}" y="{y + 4:.1f}" text-anchor="end">{10.0**power:g}</text>')
        found.append(f'<text x="{middle}" y="{HEIGHT - 12}" text-anchor="middle">{escape(panel.x_title)}</text>')
        up = (_TOP + HEIGHT - _BOTTOM) / 2
        turned = f'transform="rotate(-90 14 {up})" text-anchor="middle"'
        found.append(f'<text x="14" y="{up}" {turned}>{escape(panel.y_title)}</text>')
        return found

    def _marks(self) -> list[str]:
        found = []
        for number, series in enumerate(self.panel.series):
            colour = self.colours[number]
            places = [(self.x(x), self.y(y)) for x, y in series.points]
            if series.joined:
                path = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
                found.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="1.5"/>')
            dot = f'r="{_radius(series)}" fill="{colour}"'
            found += [f'<circle cx="{x:.1f}" cy="{y:.1f}" {dot}/>' for x, y in places]
        return found

    def _legend(self) -> list[str]:
        found = []
        for number, series in enumerate(self.panel.series):
            y = _TOP + 12 + 14 * number
            colour = self.colours[number]
            found.append(f'<circle cx="{_LEFT + 12}" cy="{y - 4}" r="{_radius(series)}" fill="{colour}"/>')
            found.append(f'<text x="{_LEFT + 22}" y="{y}">{escape(series.name)}</text>')
        return found
