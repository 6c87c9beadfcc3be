"""Encode traces compactly for a page: names and actions once, and for every step only its changes.

So a trace of ten thousand steps takes a few hundred kilobytes. The middle of a trace that is longer than the page can
hold is left out, and the page says so: the trace is cut into pieces, each with the state in which it begins.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from strandline.model.values import Multiset, RecordValue, in_stable_order
from strandline.traces.trace import Step, Trace

LARGEST_EXACT = 2**53
"""Largest integer that JavaScript represents exactly; larger ones are encoded by their digits."""


def encode_tagged(value: Any) -> Any:
    """Encode a value as JSON data that show its kind.

    Arrays and queues are lists, `{"set": [...]}` are sets and bags, `{"record": name, "fields": ...}` records,
    `{"integer": digits}` large numbers; anything else is its text.
    """
    match value:
        case RecordValue():
            return {"record": value._name, "fields": {name: encode_tagged(value[name]) for name in value}}
        case Multiset():
            return {"set": [encode_tagged(one) for one in value]}
        case frozenset():
            return {"set": [encode_tagged(one) for one in in_stable_order(value)]}
        case tuple() | list():
            return [encode_tagged(one) for one in value]
        case bool() | str() | None:
            return value
        case int():
            return value if -LARGEST_EXACT <= value <= LARGEST_EXACT else {"integer": str(value)}
    return repr(value)


_MOST_AT_AN_END = 10_000
"""Most steps at the beginning, and most at the end, of a long trace that a page shows."""


@dataclass(slots=True)
class Table:
    """A table that assigns consecutive numbers to texts."""

    texts: dict[str, int] = field(default_factory=dict)

    def number(self, text: str) -> int:
        return self.texts.setdefault(text, len(self.texts))


def run_data(trace: Trace, room: int) -> dict[str, Any]:
    """Return a trace as data of at most about `room` characters of JSON; the initial state is always included."""
    actions, names = Table(), Table()
    steps = {number: _step(trace.steps[number], actions, names) for part in _ends(len(trace)) for number in part}
    sizes = {number: len(json.dumps(one)) + 2 for number, one in steps.items()}
    kept = list(_kept_ranges(sizes, len(trace), room))
    return {
        "length": len(trace),
        "loop": trace.loop,
        "fault": None if trace.fault is None else {"words": trace.fault.words, "action": trace.fault.action},
        "actions": list(actions.texts),
        "names": list(names.texts),
        "pieces": [
            {"first": part.start, "state": _state(trace, part.start), "steps": [steps[number] for number in part]}
            for part in kept
        ],
    }


def _step(step: Step, actions: Table, names: Table) -> list[Any]:
    """Return `[action, name, value, name, value, ...]` for a step, where action and names are numbers in the tables."""
    row: list[Any] = [actions.number(step.action)]
    for change in step.changes:
        row += [names.number(change.name), encode_tagged(change.new)]
    return row


def _state(trace: Trace, number: int) -> dict[str, Any]:
    state = trace.initial if number == 0 else trace.steps[number - 1].state
    return {name: encode_tagged(value) for name, value in state.items()}


def _ends(count: int) -> tuple[range, range]:
    """Return two ranges of steps that may be shown: all steps or, for a long trace, many at each end."""
    if count <= 2 * _MOST_AT_AN_END:
        return range(count), range(0)
    return range(_MOST_AT_AN_END), range(count - _MOST_AT_AN_END, count)


def _kept_ranges(sizes: Mapping[int, int], count: int, room: int) -> Iterator[range]:
    """Yield the ranges of steps whose JSON fits into `room`: all, or as many at the beginning as at the end.

    `sizes` has the characters of each step that may be shown; `count` is the number of all steps.
    """
    if len(sizes) == count and sum(sizes.values()) <= room:
        yield range(count)
        return
    first, last, taken = 0, count, 0
    while first < last and first in sizes and last - 1 in sizes:
        taken += sizes[first] + sizes[last - 1]
        if taken > room:
            break
        first, last = first + 1, last - 1
    yield range(first)
    yield range(last, count)
