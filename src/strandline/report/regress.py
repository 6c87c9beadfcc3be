"""Render the regress edges of a search, by their actions, as text and as plain data."""

from __future__ import annotations

from typing import Any

from strandline.checker.diagnosis.regress_edges import Regress, RegressEdge, speaks_of
from strandline.checker.measures.notation import component_text
from strandline.model.system import System
from strandline.traces.encoding import encode_value

_SHOWN_ACTIONS, _SHOWN_VARIABLES = 3, 4
_LISTED_ACTIONS, _LISTED_VARIABLES = 20, 50
_LONGEST_MEASURE = 40


def regress_lines(regress: Regress | None) -> list[str]:
    """Return the actions with most regress edges, each with an example, and the variables that change there."""
    if regress is None:
        return []
    lines = []
    for one in regress.actions[:_SHOWN_ACTIONS]:
        lines += [f"{one.share:4.0%}  {one.action}", f"      e.g. {_example(one.example, regress.system)}"]
    if len(regress.actions) > _SHOWN_ACTIONS:
        rest = sum(one.share for one in regress.actions[_SHOWN_ACTIONS:])
        lines.append(f"{rest:4.0%}  {len(regress.actions) - _SHOWN_ACTIONS} other actions")
    if regress.variables:
        shown = ", ".join(f"{name} {share:.0%}" for name, share in regress.variables[:_SHOWN_VARIABLES])
        lines.append(f"by a change of {shown}{', ...' if len(regress.variables) > _SHOWN_VARIABLES else ''}")
    return lines


def _example(edge: RegressEdge, system: System) -> str:
    """Render the values of the measure along an edge: `sent + data.length 5 → 4 (data.length: 1 → 0)`."""
    measures = ", ".join(
        f"{_shorten(component_text(one.component, system))} {one.old} → {one.new}" for one in edge.measures
    )
    named = [one for one in edge.changes if any(speaks_of(one.name, name) for name in edge.variables)]
    changes = ", ".join(str(one) for one in named or edge.changes)
    repeated = not changes or [str(one).replace(":", "", 1) for one in named] == [measures]
    return measures if repeated else f"{measures} ({changes})"


def _shorten(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= _LONGEST_MEASURE else f"{text[: _LONGEST_MEASURE - 4]} ..."


def regress_data(regress: Regress | None) -> dict[str, Any] | None:
    """Return the regress edges as plain data for `--json`; None if there are none."""
    if regress is None:
        return None
    return {
        "sampled": regress.sampled,
        "actions": [
            {
                "action": one.action,
                "share": round(one.share, 6),
                "example": _edge_data(one.example, regress.system),
            }
            for one in regress.actions[:_LISTED_ACTIONS]
        ],
        "variables": {name: round(share, 6) for name, share in regress.variables[:_LISTED_VARIABLES]},
    }


def _edge_data(edge: RegressEdge, system: System) -> dict[str, Any]:
    return {
        "changes": {one.name: [encode_value(one.old), encode_value(one.new)] for one in edge.changes},
        "measures": [
            {"measure": component_text(one.component, system), "old": one.old, "new": one.new} for one in edge.measures
        ],
    }
