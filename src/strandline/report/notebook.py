"""Render results in notebooks: HTML without scripts, which every notebook and every export of one can show.

The complete report of a verdict is `verdict.report()`.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Sequence
from html import escape
from importlib import import_module
from typing import Any

from strandline.checker.limits.progress import Progress
from strandline.checker.verdicts.statistics import Statistics
from strandline.checker.verdicts.verdict import Answer, Exploration, Verdict
from strandline.errors import UsageError
from strandline.model.system import System
from strandline.model.values import show
from strandline.properties.automata.automaton import Automaton
from strandline.report.facts import facts_data
from strandline.report.html.basis import grounds
from strandline.report.pictures.plots import profile_svg
from strandline.report.pictures.svg import automaton_svg
from strandline.report.progress import progress_text
from strandline.report.style import Style, with_noun
from strandline.report.text import exploration_text, remark, statistics_rows, verdict_text, with_distinct_traces
from strandline.traces.text import change_lines
from strandline.traces.trace import Trace

_COLOURS = {Answer.HOLDS: "#137a3b", Answer.VIOLATED: "#b3261e", Answer.UNKNOWN: "#8a5a00"}
_MOST_STEPS, _MOST_VARIABLES = 100, 60
_PATIENCE, _EVERY = 0.4, 0.2
"""Seconds before any progress is shown, and seconds between two updates."""
_LOOP = "border-left: 3px solid #8a5a00"


def html_of(value: Any) -> str:
    """Return the HTML of a result, trace, System or automaton. Raises `UsageError` for other objects."""
    for kind, picture in _PICTURES.items():
        if isinstance(value, kind):
            return picture(value)
    raise UsageError(f"a {type(value).__name__} has no picture")


def _verdict(verdict: Verdict) -> str:
    rows = [
        (_answer(one.answer, one.answer.value.lower()), f"{escape(one.kind.value)} <code>{escape(one.name)}</code>",
         escape(remark(one)))
        for one in verdict.properties
    ]  # fmt: skip
    title = f"{_answer(verdict.answer, verdict.answer.value)} <b>{escape(verdict.system.title)}</b>"
    parts = [f"<p>{title}</p>", _rows(rows), _list(one.text for one in grounds(verdict))]
    for one in with_distinct_traces(verdict):
        if one.trace is not None:
            parts.append(_fold(f"{one.name}: {with_noun(len(one.trace), 'step')}", _trace(one.trace)))
    figures = _rows([(escape(name), escape(text)) for name, text in statistics_rows(verdict.exploration)])
    return _box("".join([*parts, _fold("figures", figures + _statistics(verdict.statistics))]))


def _exploration(exploration: Exploration) -> str:
    rows = [(escape(name), escape(text)) for name, text in statistics_rows(exploration)]
    words = {Answer.HOLDS: "EXPLORED", Answer.VIOLATED: "FAULT", Answer.UNKNOWN: "INCOMPLETE"}
    title = f"{_answer(exploration.answer, words[exploration.answer])} <b>{escape(exploration.system.title)}</b>"
    return _box(f"<p>{title}</p>{_rows(rows)}{_statistics(exploration.statistics)}")


def _statistics(statistics: Statistics) -> str:
    if len(statistics.profile) < 2:
        states = "not known" if statistics.states is None else f"{statistics.states:,}"
        return f"<p>{states} states, {statistics.visited:,} visited, {statistics.seconds:.3f} s</p>"
    return profile_svg(statistics)


def _trace(trace: Trace) -> str:
    rows = [("0", "initial state", escape("  ".join(f"{name}={show(value)}" for name, value in trace.initial.items())))]
    ends = _MOST_STEPS // 2
    shown = [number for number in range(len(trace)) if number < ends or number >= len(trace) - ends]
    before = -1
    for number in shown:
        if number != before + 1:
            rows.append(("", f"... {with_noun(number - before - 1, 'step')} ...", ""))
        step = trace[number]
        rows.append((str(number + 1), escape(step.action), escape("  ".join(change_lines(step, "")))))
        before = number
    if trace.fault is not None:
        rows.append(("!", escape(trace.fault.action or ""), escape(trace.fault.words)))
    table = _rows(rows, marked=None if trace.loop is None or trace.loop == len(trace) else trace.loop)
    if trace.loop is None:
        return table
    stays = trace.loop == len(trace)
    back = "the run stays in its last state" if stays else f"then back to state {trace.loop}, for ever"
    return f"{table}<p>{back}</p>"


def _system(system: System) -> str:
    facts = facts_data(system)
    size = f"{with_noun(len(system.actions), 'action')}, {facts['bits']:,} bits a state"
    title = f"<p><b>{escape(system.title)}</b>: {size}</p>"
    variables = [
        (f"<code>{escape(one['name'])}{'' if one['length'] is None else '[' + str(one['length']) + ']'}</code>",
         f"{one['narrowed'][0]}..{one['narrowed'][1]}")
        for one in facts["variables"]
    ]  # fmt: skip
    rest = f"<p>and {len(variables) - _MOST_VARIABLES:,} more</p>" if len(variables) > _MOST_VARIABLES else ""
    processes = [(f"<code>{escape(one['name'])}</code>", escape(", ".join(one["locations"][:20]) or "has no locations"))
                 for one in facts["processes"][:_MOST_VARIABLES]]  # fmt: skip
    claims = [(escape(kind), escape(str(one if isinstance(one, str) else one["name"])))
              for kind in ("assertions", "invariants", "reachable", "formulas", "labels", "measures")
              for one in facts[kind]]  # fmt: skip
    sections = {"variables": _rows(variables[:_MOST_VARIABLES]) + rest, "processes": _rows(processes),
                "properties": _rows(claims)}  # fmt: skip
    return _box(title + "".join(_fold(name, table) for name, table in sections.items() if "<td" in table))


def _automaton(automaton: Automaton) -> str:
    return automaton_svg(automaton)


_PICTURES: dict[type, Callable[[Any], str]] = {
    Verdict: _verdict,
    Exploration: _exploration,
    Statistics: _statistics,
    Trace: _trace,
    System: _system,
    Automaton: _automaton,
}


def _answer(answer: Answer, text: str) -> str:
    return f'<b style="color: {_COLOURS[answer]}">{text}</b>'


def _box(inner: str) -> str:
    return f'<div style="border-left: 4px solid #8886; padding-left: 12px; max-width: 900px">{inner}</div>'


def _list(texts: Iterable[str]) -> str:
    return f"<ul>{''.join(f'<li>{escape(one)}</li>' for one in texts)}</ul>"


def _fold(title: str, inner: str) -> str:
    return f"<details><summary>{escape(title)}</summary>{inner}</details>"


def _rows(rows: Sequence[Sequence[str]], marked: int | None = None) -> str:
    """Return an HTML table; rows after the index `marked` have a line at their left, for the loop of a lasso."""
    cell = 'style="text-align: left; vertical-align: top"'
    found = []
    for number, row in enumerate(rows):
        line = f' style="{_LOOP}"' if marked is not None and number > marked else ""
        found.append(f"<tr{line}>{''.join(f'<td {cell}>{one}</td>' for one in row)}</tr>")
    return f"<table>{''.join(found)}</table>"


class CellProgress:
    """Shows the progress of a search in the notebook cell that runs it.

    It is a `strandline.checker.limits.progress.ProgressCallback`.
    """

    def __init__(self) -> None:
        self._display: Any = None
        self._next = _PATIENCE
        self._last = (0.0, 0)
        self._stage = ""

    def stage(self, text: str) -> None:
        self._stage = text

    def progress(self, progress: Progress) -> None:
        if progress.seconds < self._next:
            return
        self._next = progress.seconds + _EVERY
        then, visited = self._last
        rate = (progress.visited - visited) / max(progress.seconds - then, 1e-9)
        if progress.seconds - then > 1.0:
            self._last = (progress.seconds, progress.visited)
        self._show(progress_text(progress, rate))

    def clear(self) -> None:
        """Clear the progress when the search has ended; its result is shown instead."""
        if self._display is not None:
            self._display.update({"text/plain": ""}, raw=True)

    def _show(self, text: str) -> None:
        shown = {"text/plain": text, "text/html": f"<code>{escape(text)}</code>"}
        if self._display is None:
            display = import_module("IPython.display").display
            self._display = display(shown, raw=True, display_id=f"strandline-{time.monotonic_ns()}")
        else:
            self._display.update(shown, raw=True)


def interrupted_lines(result: Exploration | Verdict) -> list[str]:
    """Return the partial result of an interrupted search as lines, to be shown instead of a traceback.

    In a notebook the result is displayed as HTML, too.
    """
    text = verdict_text(result, Style()) if isinstance(result, Verdict) else exploration_text(result, Style())
    if "IPython" in sys.modules:
        import_module("IPython.display").display(result)
    return ["interrupted; what was known by then is sys.last_value.result:", "", *text.splitlines()]
