"""Plot runs as SVG: the profile of a search by layers, and memory over time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from itertools import accumulate

from strandline.checker.limits.memory import shown_bytes
from strandline.checker.limits.progress import Progress
from strandline.checker.verdicts.statistics import Statistics
from strandline.engine.parts.profile import LayerFigures, coarser

_WIDTH, _HEIGHT, _LEFT, _TOP, _BOTTOM = 640, 200, 8, 26, 24
_MOST = 320
"""Most layers that a plot shows separately; more are combined."""
_ALL, _LIVE, _TEXT = "#b9c3cf", "#2c7fd6", "#6b7480"
_FONT = 'font-family="system-ui, sans-serif" font-size="12"'


def profile_svg(statistics: Statistics) -> str:
    """Return a plot of the states stored in each layer, beside the number of states found until then."""
    layers = coarser(statistics.profile, _MOST)
    stored = [one.stored for one in layers]
    # Stored states count as found, though they may not be expanded yet.
    found = [max(pair) for pair in zip(accumulate(one.visited for one in layers), stored, strict=True)]
    peak, total = max(stored, default=0), max([*found, *stored, 1])
    title = f"stored at most {peak:,} of {found[-1] if found else 0:,}, layer by layer"
    ends = (_key(layers[0].first, layers), _key(layers[-1].last, layers)) if layers else ("", "")
    return _plot(title, [(_ALL, "found so far", found), (_LIVE, "stored", stored)], total, ends)


def _key(key: tuple[int, int], layers: Sequence[LayerFigures]) -> str:
    return f"layer {key[1]:,}" if layers[0].first[0] == layers[-1].last[0] else f"column {key[0]:,}"


@dataclass(frozen=True, slots=True)
class RunProgress:
    """The progress reports of a run over time, with the name of the run."""

    name: str
    reports: Sequence[Progress]


def memory_svg(runs: Sequence[RunProgress]) -> str:
    """Return a plot of the engine's memory over time, one line for each run."""
    longest = max((one.seconds for course in runs for one in course.reports), default=0.0) or 1.0
    most = max((one.bytes for course in runs for one in course.reports), default=0) or 1
    colours = (_LIVE, "#e08a1e", "#137a3b", "#8a3ffc")
    parts, keys = [], []
    for number, course in enumerate(runs):
        colour = colours[number % len(colours)]
        points = " ".join(f"{_x(one.seconds / longest):.1f},{_y(one.bytes / most):.1f}" for one in course.reports)
        parts.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>')
        top = max((one.bytes for one in course.reports), default=0)
        keys.append((colour, f"{course.name}, at most {shown_bytes(top)}"))
    return _frame("memory of the engine over time", "".join(parts), keys, ("0 s", f"{longest:.1f} s"))


def _plot(title: str, series: Sequence[tuple[str, str, Sequence[int]]], most: int, ends: tuple[str, str]) -> str:
    parts = []
    for colour, _, values in series:
        step = 1 / max(len(values), 1)
        corners = [
            f"{_x((place + side) * step):.1f},{_y(value / most):.1f}"
            for place, value in enumerate(values)
            for side in (0, 1)
        ]
        floor = f"{_x(0):.1f},{_y(0):.1f}", f"{_x(1):.1f},{_y(0):.1f}"
        parts.append(f'<polygon points="{floor[0]} {" ".join(corners)} {floor[1]}" fill="{colour}"/>')
    return _frame(title, "".join(parts), [(colour, name) for colour, name, _ in series], ends)


def _frame(title: str, inner: str, keys: Sequence[tuple[str, str]], ends: tuple[str, str]) -> str:
    height = _TOP + _HEIGHT + _BOTTOM + 18 * len(keys)
    bottom, size = _TOP + _HEIGHT, f'width="{_WIDTH}" height="{height}"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" {size} {_FONT}>',
        f"<title>{escape(title)}</title>",
        f'<text x="{_LEFT}" y="16" fill="{_TEXT}">{escape(title)}</text>',
        inner,
        f'<path d="M{_LEFT} {bottom}H{_WIDTH - _LEFT}" stroke="{_TEXT}"/>',
        f'<text x="{_LEFT}" y="{bottom + 16}" fill="{_TEXT}">{escape(ends[0])}</text>',
        f'<text x="{_WIDTH - _LEFT}" y="{bottom + 16}" fill="{_TEXT}" text-anchor="end">{escape(ends[1])}</text>',
    ]
    for number, (colour, name) in enumerate(keys):
        y = bottom + _BOTTOM + 18 * number + 8
        parts.append(f'<rect x="{_LEFT}" y="{y - 9}" width="10" height="10" fill="{colour}"/>')
        parts.append(f'<text x="{_LEFT + 16}" y="{y}" fill="{_TEXT}">{escape(name)}</text>')
    return "".join([*parts, "</svg>"])


def _x(share: float) -> float:
    return _LEFT + share * (_WIDTH - 2 * _LEFT)


def _y(share: float) -> float:
    return _TOP + (1 - share) * _HEIGHT
