"""Render traces in the form of the sweep-line thesis: one state per line.

The form is that of its listings 6.1, 6.2, 6.4 and 6.5 (see docs/papers.md, 000). A state space from a file has names
for its states; a state of another model is represented by its values.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from strandline.checker.verdicts.ctl import Evidence
from strandline.checker.verdicts.verdict import PropertyVerdict
from strandline.languages.space.loading import STATE
from strandline.model.values import show
from strandline.traces.trace import Trace


def state_name(values: Mapping[str, Any]) -> str:
    """Return the name of a state: its own in a state space from a file, else its values."""
    if list(values) == [STATE]:
        return str(values[STATE])
    return "(" + ", ".join(f"{name}={show(value)}" for name, value in values.items()) + ")"


def trace_lines(one: PropertyVerdict) -> list[str]:
    """Return a property's trace as lines, and the cycle or terminal SCC to which it leads."""
    trace = one.trace
    if trace is None:
        return []
    lines = [_line("path", _path(trace))]
    if trace.loop is not None:
        lines.append(_line("cycle", _cycle(trace)))
    component = None if one.ctl is None else _component(one.ctl.evidence)
    return lines if component is None else [*lines, _line("component", component)]


def predecessor_line(name: str, predecessor: str | None) -> str:
    """Return a line of the search tree: `4 has direct predecessor: 2`; -1 for an initial state."""
    return f"{name} has direct predecessor: {-1 if predecessor is None else predecessor}"


def update_line(name: str, source: str) -> str:
    """Return a line about the value updates of a search for cycles: `3 updated by: 4`."""
    return f"{name} updated by: {source}"


def product_name(values: Mapping[str, Any]) -> str:
    """Return the name of a state of the product: the model's state and the automaton's location."""
    *own, automaton = values
    return f"{state_name({name: values[name] for name in own})}/{values[automaton]}"


def _line(what: str, names: Iterable[str]) -> str:
    return " -> ".join([f"start of {what}", *names, f"end of {what}"])


def _path(trace: Trace) -> Iterator[str]:
    """Yield the states of the path, to its end or to the state where the loop begins."""
    last = len(trace) if trace.loop is None else trace.loop
    for number, state in enumerate(trace.states()):
        if number <= last:
            yield state_name(state)


def _cycle(trace: Trace) -> list[str]:
    """Return the states of the loop, from a state back to itself; for a run that ends, its last state twice."""
    names = [state_name(state) for state in trace.states()][trace.loop :]
    return names if len(names) > 1 else names * 2


def _component(evidence: Evidence | None) -> list[str] | None:
    if evidence is None or evidence.component is None:
        return None
    return [state_name(one) for one in evidence.component.members]
