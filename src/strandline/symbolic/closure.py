"""Least fixpoints over steps by saturation (Ciardo, Lüttgen, Siminiescu 2001).

A step changes nothing above the topmost bit that it touches. So a BDD is saturated bottom-up: first the children of a
node, under the steps that touch nothing above them, then the node itself under the steps whose topmost bit it has;
their results are saturated below again. A step is only ever applied to the part of a BDD that it can change, which
makes its cost independent of the levels above. The states to be added can be bounded by a set, which is traversed
together with the BDD (Zhao, Ciardo 2009).
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


class Saturation:
    """Saturates sets under steps. `apply` is the image or preimage of a step."""

    def __init__(
        self,
        diagrams: Diagrams,
        steps: Sequence[Step],
        apply: Callable[[Step, Function], Function],
        watch: Callable[[], None],
    ) -> None:
        self._diagrams, self._apply, self._poll = diagrams, apply, watch
        groups: dict[int, list[Step]] = {}
        for step in steps:
            groups.setdefault(step.top, []).append(step)
        self._tops = sorted(groups)
        self._groups = [groups[top] for top in self._tops]
        self._known: dict[tuple[Function, Function, int], Function] = {}

    def saturate(self, states: Function, within: Function) -> Function:
        """Return the least superset of `states` to which no step adds a state of `within`."""
        with _raised_recursion_limit(2 * len(self._tops) + (self._tops[-1] if self._tops else 0)):
            found = self._saturate(states, within, 0)
        self._known.clear()
        return found

    def _saturate(self, states: Function, within: Function, first: int) -> Function:
        """Saturate under the steps of all groups from `first` on."""
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
            # No step from here on touches the top bit, so the cofactors do not depend on each other.
            if bit < self._tops[first]:
                found = self._split(states, bit, _cofactors(states, node, bit), _cofactors(within, bound, bit), first)
            else:
                found = self._iterate_group(states, within, first)
            # A saturated set is its own result; it comes back as an argument in the next round.
            self._known[key] = self._known[found, within, first] = found
        return found

    def _split(self, states: Function, bit: int, parts: _Sides, bounds: _Sides, first: int) -> Function:
        """Saturate both cofactors separately, where no group touches the top bit."""
        first = bisect_left(self._tops, bit + 1, lo=first)
        high, low = self._saturate(parts[0], bounds[0], first), self._saturate(parts[1], bounds[1], first)
        return states if (high, low) == parts else self._diagrams.ite(bit, high, low)

    def _iterate_group(self, states: Function, within: Function, first: int) -> Function:
        """Apply the steps of the first group until they add nothing, saturating below after each round.

        The group touches the top bit, or one above it. Each step is applied to what the earlier ones have added. Models
        often process things in order, forwards or backwards, so the order of the steps is reversed after every round.
        """
        order, both, either = self._groups[first], self._diagrams.and_, self._diagrams.or_
        while True:
            states = self._saturate(states, within, first + 1)
            before = states
            for step in order:
                self._poll()
                states = either(states, both(self._apply(step, states), within))
            if states == before:
                return states
            order = order[::-1]


def _cofactors(one: Function, node: tuple[int, Function, Function] | None, bit: int) -> _Sides:
    """Return the cofactors of a function by a bit that is not below its top bit."""
    return (one, one) if node is None or node[0] != bit else (node[1], node[2])


@contextmanager
def _raised_recursion_limit(levels: int) -> Iterator[None]:
    """Raise the recursion limit for functions that recurse once per bit."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, 2000 + _FRAMES_PER_BIT * levels))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)
