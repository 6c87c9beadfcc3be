"""Render states and changes as lines for people."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from strandline.model.values import Multiset, show

if TYPE_CHECKING:
    from strandline.traces.trace import Change, Step

_LINE = 100
Paint = Callable[[str, str], str]
"""Colours a text, or leaves it as it is."""


def plain(text: str, colour: str) -> str:
    return text


def state_lines(state: Mapping[str, Any], paint: Paint = plain) -> list[str]:
    """Return `name=value` pairs, as many on a line as fit."""
    lines, line, length = [], "   ", 3
    for name, value in state.items():
        shown = show(value)
        width = len(name) + len(shown) + 1
        if length + width + 1 > _LINE and length > 3:
            lines.append(line)
            line, length = "   ", 3
        line += f" {paint(name + '=', 'dim')}{shown}"
        length += width + 1
    return [*lines, line] if length > 3 else lines


def change_lines(step: Step, indent: str, paint: Paint = plain) -> list[str]:
    """Return the changes of a step, `name: old → new` or added and removed members, as many on a line as fit.

    Changes of locations that the action's name implies are left out.
    """
    lines: list[str] = []
    length = _LINE
    for change in step.changes:
        text = str(change)
        if f"{change.name}: {change.old} -> {change.new}" in step.action:
            continue
        painted = _paint(change, text, paint)
        if length + len(text) + 3 > _LINE:
            lines.append(indent + painted)
            length = len(indent) + len(text)
        else:
            lines[-1] += f"   {painted}"
            length += len(text) + 3
    return lines


def _paint(change: Change, text: str, paint: Paint) -> str:
    if isinstance(change.new, Multiset | frozenset):
        return text
    return f"{change.name}: {paint(show(change.old), 'dim')} → {show(change.new)}"
