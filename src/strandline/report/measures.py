"""Render automatically found measures as text and as plain data."""

from __future__ import annotations

from textwrap import wrap
from typing import Any

from strandline.checker.diagnosis.regress_edges import Regress, regress_of
from strandline.checker.measures.notation import measure_texts
from strandline.model.system import System
from strandline.progress.finding import Found, Trial
from strandline.report.envelope import head
from strandline.report.regress import regress_data, regress_lines
from strandline.report.style import with_noun

_WIDTH = 100
_LONGEST_TEXT = 90
"""Most characters of a measure that are shown without `--full`."""


def measures_text(system: System, found: Found, top: int, *, full: bool = False) -> str:
    """Return a table of the best `top` measures, then each one's figures, regressing actions and expressions.

    With `full`, long expressions are not cut off.
    """
    lines = [system.name, "", *_introduction(found)]
    trials = _select_shown(found, top)
    if not trials:
        return "\n".join([*lines, "", "  no progress measure was found"])
    lines += ["", "       peak   time  product"]
    for number, trial in trials:
        reason = wrap(trial.measure.reason, _WIDTH - 30)
        lines.append(f"  {number:2}  {trial.peak:5.1%}  {trial.visits:5.2f}  {trial.cost:7.4f}  {reason[0]}")
        lines += [f"{'':30}{line}" for line in reason[1:]]
    if found.best() is None:
        lines += ["", "  none saves more than it costs: `--measure auto` would keep all states"]
    for number, trial in trials:
        lines += ["", *_details(system, found, number, trial, full)]
    return "\n".join(lines)


def _introduction(found: Found) -> list[str]:
    seen = "all of them" if found.whole else "the first ones"
    legend = "A sweep will store at most `peak` of the states at a time and visit each of them `time` times."
    if not found.whole:
        legend = (
            "Predicted: a sweep stores at most `peak` of the states at a time and visits each of them `time` times."
        )
    tried = f"tried {with_noun(found.tried, 'measure')} in {found.seconds:.1f} s"
    lines = [f"  Looked at {with_noun(found.states, 'state')}, {seen}; {tried}.", f"  {legend}"]
    if found.whole and found.rate:
        lines.append(f"  One visit of every state took {found.states / found.rate:.2g} s.")
    return lines


def _select_shown(found: Found, top: int) -> list[tuple[int, Trial]]:
    """Return the best measures and those that the model or the user gave, each with its rank from 1."""
    numbered = list(enumerate(found.trials, 1))
    return [(number, trial) for number, trial in numbered if number <= top or trial.given]


def _details(system: System, found: Found, number: int, trial: Trial, full: bool) -> list[str]:
    figures, measure = trial.figures, trial.measure
    rising = sum(one.monotone for one in measure.components)
    kind = f"{with_noun(rising, 'part')} of it monotone, " if rising else ""
    if measure.components and measure.monotone:
        kind = "monotone, "
    layers = f"{with_noun(figures.layers, 'layer')} in {with_noun(figures.sweeps, 'sweep')}"
    edges = f"{with_noun(figures.regress_edges, 'regress edge')}, {with_noun(figures.persistent, 'persistent state')}"
    lines = [f"  {number:2}  {kind}{layers}, {edges}"]
    lines += [f"      {line}" for line in regress_lines(_regress(system, found, trial))]
    texts = measure_texts(measure, system)
    shortened = [text if full or len(text) <= _LONGEST_TEXT else f"{text[:_LONGEST_TEXT]} ..." for text in texts]
    lines += [f'      --measure "{text}"' for text in shortened]
    if any(text.endswith(" ...") for text in shortened):
        lines.append("      (--full shows all of it)")
    return lines


def _regress(system: System, found: Found, trial: Trial) -> Regress | None:
    if found.reference is None or not trial.regress_sample:
        return None
    return regress_of(system, found.reference, trial.measure, trial.regress_sample)


def measures_data(system: System, found: Found, top: int) -> dict[str, Any]:
    """Return the best `top` measures as plain data for `--json`."""
    return {
        **head("measures", 0),
        "model": system.name,
        "sampled": found.states,
        "whole": found.whole,
        "tried": found.tried,
        "seconds": round(found.seconds, 6),
        "measures": [_trial_data(system, found, trial) for _, trial in _select_shown(found, top)],
    }


def _trial_data(system: System, found: Found, trial: Trial) -> dict[str, Any]:
    figures = trial.figures
    seconds = figures.visited / found.rate if found.whole and found.rate else None
    return {
        "measure": list(measure_texts(trial.measure, system)),
        "reason": trial.measure.reason,
        "given": trial.given,
        "exact": trial.exact,
        "peak": round(trial.peak, 6),
        "visits": round(trial.visits, 6),
        "product": round(trial.cost, 6),
        "seconds": None if seconds is None else round(seconds, 6),
        "persistent": figures.persistent,
        "regress_edges": figures.regress_edges,
        "layers": figures.layers,
        "sweeps": figures.sweeps,
        "regress": regress_data(_regress(system, found, trial)),
    }
