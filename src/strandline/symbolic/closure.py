"""Least fixpoints over steps by saturation (Ciardo, Lüttgen, Siminiescu 2001).

A step changes nothing above the first bit that it touches. So a diagram is closed from below: first the parts of a
node, under the steps that touch nothing above them, then the node itself under those that begin there, whose results
are closed below again. A step is only ever applied to the part of a diagram that it can change, which makes the work of
one step independent of how much lies above. What may be added can be bounded by a set, which is gone down together with
the diagram (Zhao, Ciardo 2009).
"""

from __future__ import annotations

import sys
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from strandline.symbolic.diagrams import Diagrams, Function
from strandline.symbolic.steps import Step

_FRAMES_PER_BIT = 8
_Sides = tuple[Function, Function]


class Closing:
    """Closes sets under steps. `apply` is what a step adds to a set."""

    def __init__(
        self,
        diagrams: Diagrams,
        steps: Sequence[Step],
        apply: Callable[[Step, Function], Function],
        watch: Callable[[], None],
    ) -> None:
        self._diagrams, self._apply, self._watch = diagrams, apply, watch
        groups: dict[int, list[Step]] = {}
        for step in steps:
            groups.setdefault(step.top, []).append(step)
        self._tops = sorted(groups)
        self._groups = [groups[top] for top in self._tops]
        self._known: dict[tuple[Function, Function, int], Function] = {}

    def closed(self, states: Function, within: Function) -> Function:
        """The least set with these in it to which no step adds a state of `within`."""
        with _deep(2 * len(self._tops) + (self._tops[-1] if self._tops else 0)):
            found = self._closed(states, within, 0)
        self._known.clear()
        return found

    def _closed(self, states: Function, within: Function, first: int) -> Function:
        """Under the steps of all groups from a number on."""
        if first == len(self._tops):
            return states
        key = (states, within, first)
        found = self._known.get(key)
        if found is None:
            node = self._diagrams.children(states)
            if node is None or within == self._diagrams.false:
                return states
            bound = self._diagrams.children(within)
            bit = node[0] if bound is None else min(node[0], bound[0])
            if bit < self._tops[first]:
                found = self._split(states, bit, _sides(states, node, bit), _sides(within, bound, bit), first)
            else:
                found = self._repeated(states, within, first)
            self._known[key] = self._known[found, within, first] = found
        return found

    def _split(self, states: Function, bit: int, parts: _Sides, bounds: _Sides, first: int) -> Function:
        """No group touches the first bit: both sides are closed by themselves."""
        first = bisect_left(self._tops, bit + 1, lo=first)
        high, low = self._closed(parts[0], bounds[0], first), self._closed(parts[1], bounds[1], first)
        return states if (high, low) == parts else self._diagrams.chosen(bit, high, low)

    def _repeated(self, states: Function, within: Function, first: int) -> Function:
        """The first group touches this bit, or one above it: its steps are applied until they add nothing, each to what
        those before it have added. Models often say in which order things happen, forwards or backwards; so the order
        of steps turns round every time."""
        order, both, either = self._groups[first], self._diagrams.both, self._diagrams.either
        while True:
            states = self._closed(states, within, first + 1)
            before = states
            for step in order:
                self._watch()
                states = either(states, both(self._apply(step, states), within))
            if states == before:
                return states
            order = order[::-1]


def _sides(one: Function, node: tuple[int, Function, Function] | None, bit: int) -> _Sides:
    """What a function is where a bit is set, and where not; it depends on none before that."""
    return (one, one) if node is None or node[0] != bit else (node[1], node[2])


@contextmanager
def _deep(levels: int) -> Iterator[None]:
    """Lets functions call themselves for each bit."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, 2000 + _FRAMES_PER_BIT * levels))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)
