"""Render the tables of methods by kind of property: for a model as text and data, for options as documentation."""

from __future__ import annotations

from itertools import groupby
from typing import Any

from strandline.checker.combinations import WAYS, Combination, combinations_of
from strandline.checker.options import effects
from strandline.model.system import System
from strandline.report.style import table


def combinations_text(system: System) -> str:
    """Return the table of kinds of properties and methods as text.

    It has a row for each kind of property, a column for each method, and numbered reasons for refusals below.
    """
    reasons: dict[str, int] = {}
    rows: list[list[str]] = [["", *WAYS]]
    for question, row in groupby(combinations_of(system), key=lambda one: one.question):
        cells = ["yes" if one.refusal is None else _number(one.refusal.on_command_line(), reasons) for one in row]
        rows.append([question, *cells])
    footnotes = [f"  {number}  {reason}" for reason, number in reasons.items()]
    return "\n".join([*table(rows), "", *footnotes])


def _number(reason: str, reasons: dict[str, int]) -> str:
    return f"no {reasons.setdefault(reason, len(reasons) + 1)}"


def _why(one: Combination) -> str | None:
    return None if one.refusal is None else one.refusal.on_command_line()


def combinations_data(system: System) -> list[dict[str, Any]]:
    """Return the table of kinds of properties and methods as plain data, one object for each combination."""
    return [
        {"question": one.question, "way": one.way, "possible": one.refusal is None, "reason": _why(one)}
        for one in combinations_of(system)
    ]


def effects_table() -> str:
    """Return a Markdown table of the methods on which each option takes effect, by kind of property."""
    kinds = (effects.STATES, effects.LTL, effects.CTL)
    rows = ["| option | " + " | ".join(kinds) + " |", "|---" * (len(kinds) + 1) + "|"]
    for fact in effects.FACTS:
        rows.append("| " + " | ".join([f"`{_flag(fact.name)}`", *(_methods(fact, kind) for kind in kinds)]) + " |")
    return "\n".join(rows)


def _flag(name: str) -> str:
    option, _, value = name.partition("=")
    return "--" + option.replace("_", "-") + (f" {value}" if value else "")


def _methods(fact: effects.Fact, kind: str) -> str:
    every = [one.strategy for one in effects.WAYS if one.kind == kind]
    some = [one.strategy for one in effects.WAYS if one.kind == kind and one in fact.effective]
    return "all" if some == every else ", ".join(some)
