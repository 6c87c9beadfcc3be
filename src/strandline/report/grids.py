"""The results of a grid of parameters as a table, and as data."""

from __future__ import annotations

from typing import Any

from strandline.checker.grids import Combination, Grid
from strandline.checker.properties.selection import Kind
from strandline.checker.verdicts.verdict import Answer
from strandline.report.envelope import head
from strandline.report.exit_codes import DEADLOCK, HOLDS, LIVENESS, SAFETY, UNKNOWN, USAGE, WORST_FIRST
from strandline.report.style import Style, table

_COLOURS = {Answer.HOLDS: "green", Answer.VIOLATED: "red", Answer.UNKNOWN: "yellow"}
_CODES = {Kind.DEADLOCK: DEADLOCK, Kind.LTL: LIVENESS, Kind.CTL: LIVENESS, Kind.AUTOMATON: LIVENESS}


def grid_code(grid: Grid) -> int:
    """Return the exit code: that of the worst combination."""
    codes = {_code(one) for one in grid.rows}
    return next(code for code in WORST_FIRST if code in codes)


def _code(row: Combination) -> int:
    if row.mistake:
        return USAGE
    if row.answer is Answer.VIOLATED:
        codes = {_CODES.get(kind, SAFETY) for _, kind in row.violated}
        return next(code for code in WORST_FIRST if code in codes)
    return HOLDS if row.answer is Answer.HOLDS else UNKNOWN


def grid_text(grid: Grid, style: Style | None = None) -> str:
    """Return the table of all combinations; the first that is violated is named."""
    style = style or Style()
    names = [name for name, _ in grid.rows[0].parameters]
    rows = [(*names, "verdict", "states", "seconds", "")]
    for one in grid.rows:
        states = "" if one.states is None else f"{one.states:,}"
        remark = one.reason or ", ".join(name for name, _ in one.violated)
        rows.append(
            (*(str(value) for _, value in one.parameters), one.answer.value, states, f"{one.seconds:.2f}", remark)
        )
    lines = table(rows)
    for number, one in enumerate(grid.rows, 1):
        lines[number] = lines[number].replace(one.answer.value, style.paint(one.answer.value, _COLOURS[one.answer]), 1)
    title = style.paint(grid.answer.value, _COLOURS[grid.answer], "bold")
    first = grid.first_violated
    said = f"  the first that is violated: {first.title}" if first else ""
    return "\n".join(
        [f"{title}  {grid.model}, {len(grid.rows)} combinations", "", *lines, *(["", said] if said else [])]
    )


def grid_data(grid: Grid, code: int) -> dict[str, Any]:
    """Return the JSON object of a check with several combinations."""
    first = grid.first_violated
    return {
        **head("check", code),
        "model": grid.model,
        "verdict": grid.answer.value,
        "first_violated": None if first is None else dict(first.parameters),
        "combinations": [
            {
                "parameters": dict(one.parameters),
                "verdict": one.answer.value,
                "reason": one.reason,
                "violated": [name for name, _ in one.violated],
                "states": one.states,
                "seconds": round(one.seconds, 6),
            }
            for one in grid.rows
        ],
        "seconds": round(grid.seconds, 6),
        "error": None,
    }
