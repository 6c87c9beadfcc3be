"""Render the profile of a search as a chart for the terminal: states stored and visits per layer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from typing import Any

from strandline.checker.verdicts.statistics import Statistics
from strandline.checker.verdicts.verdict import Exploration
from strandline.engine.parts.profile import LayerFigures, coarser
from strandline.report.style import Style, sparkline

_MOST_LAYERS = 1_000
"""Most layers that `--json` lists separately; more are combined to as many groups."""
_HEIGHT = 8
_WIDEST, _NARROWEST = 100, 20
_EIGHTHS = " ▁▂▃▄▅▆▇█"


def profile_chart(exploration: Exploration, style: Style, width: int = 80) -> list[str]:
    """Return a chart of the states stored per layer, and below of the visits, at most `width` columns wide.

    Visits have a scale of their own and a line for each kind: all, those when the sweep-line passed a layer again, and
    those of persistent states.
    """
    layers = exploration.statistics.profile
    if not layers:
        return ["", style.paint(f"  there are no layers with --order {exploration.options.order}", "dim")]
    peak = max(one.stored for one in layers)
    kinds = _kinds(layers)
    margin = 2 + max(len(label) for label in (f"{peak:,}", *kinds))
    parts = coarser(layers, max(_NARROWEST, min(width - margin - 3, _WIDEST)))
    name = "distance" if exploration.options.order == "bfs" else "layer"
    lines = ["", style.paint(f"  {_title(layers, parts, name)}", "bold")]
    lines += _bars([one.stored for one in parts], peak, margin)
    lines.append(style.paint(f"{'':{margin}} {_axis(layers, name, len(parts))}", "dim"))
    most = max(one.visited for one in parts)
    for label, figure in kinds.items():
        values = [getattr(one, figure) for one in parts]
        lines.append(f"{label:>{margin}} │{sparkline(values, len(values), most)}".rstrip())
    return lines


def profile_line(now: Statistics, style: Style) -> list[str]:
    """Return the profile in one line: states per distance for breadth-first search, states stored for a sweep.

    Returns nothing if there are fewer than two layers.
    """
    if len(now.profile) < 2:
        return []
    values = now.levels or [one.stored for one in now.profile]
    title = "states by distance from the start" if now.levels else "states stored, layer by layer"
    return ["", f"  {sparkline(values)}", style.paint(f"  {title}", "dim")]


def profile_data(layers: Sequence[LayerFigures]) -> dict[str, list[Any]] | None:
    """Return the profile for `--json`: lists of the same length, one for each figure; None without layers."""
    parts = coarser(layers, _MOST_LAYERS)
    if not parts:
        return None
    return {field.name: [getattr(one, field.name) for one in parts] for field in fields(LayerFigures)}


def _kinds(layers: Sequence[LayerFigures]) -> dict[str, str]:
    """Return the kinds of visits that occur: a label with the count, and the attribute of `LayerFigures`."""
    words = {"visited": "visits", "revisited": "passed again", "persistent": "persistent"}
    totals = {figure: sum(getattr(one, figure) for one in layers) for figure in words}
    return {f"{words[figure]} {total:,}": figure for figure, total in totals.items() if total}


def _title(layers: Sequence[LayerFigures], parts: Sequence[LayerFigures], name: str) -> str:
    highest = max(layers, key=lambda one: one.stored)
    where = _key(layers, highest.first, name)
    if highest.layers > 1:
        where += f" to {_key(layers, highest.last, name)}"
    total = sum(one.layers for one in layers)
    each = f"; {total:,} {name}s, {total / len(parts):.3g} a bar" if len(parts) < total else ""
    return f"states stored, at most {highest.stored:,} at {where}{each}"


def _bars(heights: Sequence[int], peak: int, margin: int) -> list[str]:
    """Return rows of block characters, the top row first, with the scale at the left."""
    top = max(peak, 1)
    eighths = [-(-height * 8 * _HEIGHT // top) for height in heights]
    lines = []
    for row in range(_HEIGHT - 1, -1, -1):
        label = {_HEIGHT - 1: f"{peak:,}", _HEIGHT // 2 - 1: f"{peak // 2:,}"}.get(row, "")
        blocks = "".join(_EIGHTHS[min(max(height - 8 * row, 0), 8)] for height in eighths)
        lines.append(f"{label:>{margin}} {'┤' if label else '│'}{blocks}".rstrip())
    return [*lines, f"{'0':>{margin}} ┼{'─' * len(heights)}"]


def _axis(layers: Sequence[LayerFigures], name: str, width: int) -> str:
    first, last = _key(layers, layers[0].first, name), _key(layers, layers[-1].last, name)
    if first == last:
        return f" {first}"
    return f" {first}{' ' * max(2, width - len(first) - len(last))}{last}"


def _key(layers: Sequence[LayerFigures], key: tuple[int, int], name: str) -> str:
    """Return the name of a layer: `layer 3`, or `column 1, layer 3` if there are several columns."""
    if layers[0].first[0] == layers[-1].last[0]:
        return f"{name} {key[1]:,}"
    if all(one.first[1] == one.last[1] == layers[0].first[1] for one in layers):
        return f"column {key[0]:,}"
    return f"column {key[0]:,}, {name} {key[1]:,}"
