"""Least fixpoints over steps by saturation (Ciardo, Lüttgen, Siminiescu 2001).

A step changes nothing above the first bit that it touches. So a diagram is closed from below: first the parts of a
node, under the steps that touch nothing above them, then the node itself under those that begin there, whose results
are closed below again. A step is only ever applied to the part of a diagram that it can change, which makes the work of
one step independent of how much lies above.
"""

from __future__ import annotations

import sys
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from strandline.symbolic.diagrams import Diagrams, Function
from strandline.symbolic.steps import Step

_FRAMES_PER_BIT = 8


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
        self._known: dict[tuple[Function, int], Function] = {}

    def closed(self, states: Function) -> Function:
        """The least set with these in it that no step adds to."""
        with _deep(2 * len(self._tops) + (self._tops[-1] if self._tops else 0)):
            found = self._closed(states, 0)
        self._known.clear()
        return found

    def _closed(self, states: Function, first: int) -> Function:
        """Under the steps of all groups from a number on."""
        if first == len(self._tops):
            return states
        key = (states, first)
        found = self._known.get(key)
        if found is None:
            node = self._diagrams.children(states)
            if node is None:
                return states
            found = self._split(states, node, first) if node[0] < self._tops[first] else self._repeated(states, first)
            self._known[key] = self._known[found, first] = found
        return found

    def _split(self, states: Function, node: tuple[int, Function, Function], first: int) -> Function:
        """No group touches the first bit: both sides are closed by themselves."""
        bit, high, low = node
        first = bisect_left(self._tops, bit + 1, lo=first)
        closed_high, closed_low = self._closed(high, first), self._closed(low, first)
        if closed_high == high and closed_low == low:
            return states
        return self._diagrams.chosen(bit, closed_high, closed_low)

    def _repeated(self, states: Function, first: int) -> Function:
        """The first group touches this bit, or one above it: its steps are applied until they add nothing, each to what
        those before it have added. Models often say in which order things happen, forwards or backwards; so the order
        of steps turns round every time."""
        order = self._groups[first]
        while True:
            states = self._closed(states, first + 1)
            before = states
            for step in order:
                self._watch()
                states = self._diagrams.either(states, self._apply(step, states))
            if states == before:
                return states
            order = order[::-1]


@contextmanager
def _deep(levels: int) -> Iterator[None]:
    """Lets functions call themselves for each bit."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, 2000 + _FRAMES_PER_BIT * levels))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)
