"""Render the values of expressions along a trace as a table, and traces as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from strandline.model.values import parts, show
from strandline.report.style import Style, table
from strandline.traces.evaluate import render_answer
from strandline.traces.trace import Trace


@dataclass(frozen=True, slots=True)
class Evaluation:
    """An expression as the user wrote it, and its value in every state of a trace."""

    expression: str
    values: tuple[Any, ...]


def evaluation_lines(trace: Trace, evaluations: Sequence[Evaluation], style: Style) -> list[str]:
    """Return a table with a line for each state: its number, the values, and the action that led to it."""
    rows = [["step", *(one.expression for one in evaluations), "action"]]
    rows += _rows(trace, [[render_answer(value) for value in one.values] for one in evaluations])
    lines = table(rows, indent="")
    return [style.paint(lines[0], "bold"), *lines[1:]]


def trace_csv(trace: Trace, evaluations: Sequence[Evaluation]) -> str:
    """Return a trace as comma-separated values with a header: step, action, all variables, then the expressions.

    Elements of arrays and fields of records have columns of their own.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    columns = [name + path for name, value in trace.initial.items() for path, _ in parts(value)]
    writer.writerow(["step", "action", *columns, *(one.expression for one in evaluations)])
    actions = ["", *(step.action for step in trace.steps)]
    for number, (action, state) in enumerate(zip(actions, trace.states(), strict=True)):
        values = [show(inner) for value in state.values() for _, inner in parts(value)]
        writer.writerow([number, action, *values, *(render_answer(one.values[number]) for one in evaluations)])
    return text.getvalue()


def _rows(trace: Trace, columns: Sequence[Sequence[str]]) -> list[list[str]]:
    actions = ["", *(step.action for step in trace.steps)]
    return [[str(number), *(column[number] for column in columns), action] for number, action in enumerate(actions)]
