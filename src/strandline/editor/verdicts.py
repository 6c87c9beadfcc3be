"""Check a model for a code lens: the verdict in a line, the trace as text, and the places of its steps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from strandline.agents.processes import Budget, OverBudget, run_command
from strandline.checker.api import check
from strandline.editor.outlines import Outline
from strandline.errors import StrandlineError
from strandline.report.codes import exit_code
from strandline.report.data import result_data
from strandline.source import Span


@dataclass(frozen=True, slots=True)
class Found:
    """The verdict on one property, or on all of them, as an editor shows it."""

    answer: str
    title: str
    trace: str | None = None
    """The trace as text; None if there is none."""
    steps: tuple[tuple[str, Span | None], ...] = ()
    """The actions of the trace, with their places in the model."""


def check_claim(path: Path, outline: Outline, name: str, budget: Budget) -> Found:
    """Check the property with this name, or all that the model declares if the name is empty.

    A Python model is checked in a process of its own, as it was saved; a model in another language as it stands in the
    editor.
    """
    try:
        if outline.system is None:
            chosen = ["--property", name] if name else []
            command = ["check", *chosen, *budget.limits, "--json", "--", str(path)]
            data = run_command(command, budget, {}, path.parent)
        else:
            chosen_names = (name,) if name else ()
            verdict = check(
                outline.system, property=chosen_names, max_seconds=budget.seconds, memory=f"{budget.megabytes}M"
            )
            data = result_data(verdict, exit_code(verdict))
    except OverBudget as limit:
        return Found("UNKNOWN", f"unknown: {limit}")
    except StrandlineError as error:
        return Found("UNKNOWN", f"error: {str(error).splitlines()[0]}")
    return _found(data, outline)


def _found(data: Mapping[str, Any], outline: Outline) -> Found:
    if data["error"] is not None:
        return Found("UNKNOWN", f"error: {data['error']['message'].splitlines()[0]}")
    trace, answer = data["trace"], str(data["verdict"])
    reason = f": {data['reason']}" if answer == "UNKNOWN" and data["reason"] else ""
    states = "" if data["states"] is None else f", {data['states']:,} states"
    evidence = "" if trace is None else f", trace of {trace['length']} steps"
    title = f"{answer.lower()}{reason}{evidence or states}"
    if trace is None:
        return Found(answer, title)
    places = _places(outline)
    steps = tuple((step["action"], places.get(step["action"].partition("(")[0])) for step in trace["steps"])
    return Found(answer, title, "\n".join(_lines(data, trace)) + "\n", steps)


def _places(outline: Outline) -> dict[str, Span]:
    """Return the place of each action of a model, by its name without parameters."""
    if outline.system is None:
        return {one.short: one.span for one in outline.symbols if one.span is not None}
    return {one.name.partition("(")[0]: one.span for one in outline.system.actions if one.span is not None}


def _lines(data: Mapping[str, Any], trace: Mapping[str, Any]) -> Iterator[str]:
    for one in data["properties"]:
        reason = f": {one['reason']}" if one["reason"] else ""
        yield f"{one['verdict'].lower():9} {one['kind']} {one['name']}{reason}"
    yield ""
    yield "initial state"
    for name, value in trace["initial"].items():
        yield f"    {name} = {value}"
    for number, step in enumerate(trace["steps"], 1):
        yield f"{number}  {step['action']}"
        yield from (f"    {name}: {old} → {new}" for name, (old, new) in step["changes"].items())
    if trace["loop"] is not None:
        yield f"and back to state {trace['loop']}, for ever"
    if trace["fault"] is not None:
        yield f"fault: {trace['fault']['kind']}"
