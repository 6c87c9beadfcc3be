"""Which questions can be asked of a model in which ways, as a table and as data."""

from __future__ import annotations

from itertools import groupby
from typing import Any

from strandline.checker.combinations import WAYS, Combination, combinations_of
from strandline.model.system import System
from strandline.report.style import table


def combinations_text(system: System) -> str:
    """Return the table of combinations as text.

    It has a row for each kind of property, a column for each way, and numbered reasons below.
    """
    reasons: dict[str, int] = {}
    rows: list[list[str]] = [["", *WAYS]]
    for question, row in groupby(combinations_of(system), key=lambda one: one.question):
        cells = ["yes" if one.refusal is None else _number(one.refusal.on_command_line(), reasons) for one in row]
        rows.append([question, *cells])
    told = [f"  {number}  {reason}" for reason, number in reasons.items()]
    return "\n".join([*table(rows), "", *told])


def _number(reason: str, reasons: dict[str, int]) -> str:
    return f"no {reasons.setdefault(reason, len(reasons) + 1)}"


def _why(one: Combination) -> str | None:
    return None if one.refusal is None else one.refusal.on_command_line()


def combinations_data(system: System) -> list[dict[str, Any]]:
    """Return the table of combinations, cell by cell."""
    return [
        {"question": one.question, "way": one.way, "possible": one.refusal is None, "reason": _why(one)}
        for one in combinations_of(system)
    ]
