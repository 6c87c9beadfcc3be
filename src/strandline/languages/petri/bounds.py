"""Structural bounds on the tokens of places.

They rest on two arguments, which are sound without exploring the reachable markings:

- Transitions that stay disabled even if no token is ever removed never fire.
- Weights `y >= 0` of places whose sum `y . m` no transition increases: it is never more than initially, so a place `p`
  has at most `y . m0 / y(p)` tokens. Such *sub-invariants* are the solutions of `y . C <= 0` for the incidence matrix
  `C` (Murata, Petri nets: properties, analysis and applications, 1989); they are enumerated by eliminating one
  transition after the other (Fourier and Motzkin, Farkas). Their number can grow without end, so only short ones are
  kept when there are many: a bound is then not found, or not the least.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from heapq import heapify, heappop, heappush
from math import gcd

from strandline.languages.petri.net import Net, Transition

_MOST_ROWS, _MOST_PAIRS, _LONGEST = 60, 400, 400
"""Limits for eliminating a transition: rows that it increases or decreases, pairs, places of a sub-invariant."""
_BUDGET = 400_000
"""Work budget: the most numbers added in all eliminations."""
_PATIENCE, _HEAVIEST = 200, 1 << 16
"""Limits of `_raised_weights`: increases of weights per transition, and the largest weight."""


def possible_transitions(net: Net) -> list[int]:
    """Return the transitions that can fire if no token is ever removed; no other ever fires."""
    unlimited = [False] * len(net.places)
    missing = [
        sum(net.places[place].initial < weight for place, weight in one.consumes.items()) for one in net.transitions
    ]
    wanting: dict[int, list[int]] = {}
    for number, one in enumerate(net.transitions):
        for place, weight in one.consumes.items():
            if net.places[place].initial < weight:
                wanting.setdefault(place, []).append(number)
    waiting = [number for number, count in enumerate(missing) if count == 0]
    possible = set(waiting)
    while waiting:
        for place, amount in net.transitions[waiting.pop()].changes().items():
            # A place that can receive tokens receives any number of them, because none is ever removed.
            if amount > 0 and not unlimited[place]:
                unlimited[place] = True
                for number in wanting.get(place, ()):
                    missing[number] -= 1
                    if missing[number] == 0:
                        possible.add(number)
                        waiting.append(number)
    return sorted(possible)


def structural_bounds(net: Net) -> list[int | None]:
    """Return by place number an upper bound on its tokens; None where no bound was found."""
    transitions = [net.transitions[number] for number in possible_transitions(net)]
    initial = [place.initial for place in net.places]
    bounds: list[int | None] = [None] * len(initial)
    for weights in _Elimination(len(initial), transitions).sub_invariants():
        _apply(weights, initial, bounds)
    if None in bounds:
        _apply(_raised_weights(bounds, transitions), initial, bounds)
    return bounds


def _apply(weights: Mapping[int, int], initial: Sequence[int], bounds: list[int | None]) -> None:
    """Tighten the entries of `bounds` for the places of the sub-invariant `weights`."""
    total = sum(weight * initial[place] for place, weight in weights.items())
    for place, weight in weights.items():
        known = bounds[place]
        bounds[place] = total // weight if known is None else min(known, total // weight)


def _raised_weights(bounds: Sequence[int | None], transitions: Sequence[Transition]) -> dict[int, int]:
    """Search for one sub-invariant over all places without a bound; return an empty one if there is none.

    All weights are 1 at first; a transition that would increase the sum makes one of its input places heavier, until no
    transition does or a weight becomes too large.
    """
    changes = [one.changes() for one in transitions]
    giving: dict[int, list[int]] = {}
    for number, amounts in enumerate(changes):
        for place, amount in amounts.items():
            if amount > 0:
                giving.setdefault(place, []).append(number)
    weights = [int(bound is None) for bound in bounds]
    waiting = deque(range(len(changes)))
    queued = set(waiting)
    # Where no sub-invariant exists the weights grow for ever.
    patience = _PATIENCE * len(changes)
    while waiting:
        number = waiting.popleft()
        queued.discard(number)
        excess = sum(weights[place] * amount for place, amount in changes[number].items())
        if excess <= 0:
            continue
        taken = [place for place, amount in changes[number].items() if amount < 0]
        patience -= 1
        if not taken or not patience:
            return {}
        # The fewest producers: a heavier place makes each of its producers increase the sum more.
        blamed = min(taken, key=lambda place: (len(giving.get(place, ())), place))
        # Rounded up: the least weight with which this transition increases the sum no more.
        weights[blamed] += -(excess // changes[number][blamed])
        if weights[blamed] > _HEAVIEST:
            return {}
        for other in giving.get(blamed, ()):
            if other not in queued:
                queued.add(other)
                waiting.append(other)
    return {place: weight for place, weight in enumerate(weights) if weight}


class _Row:
    """Weights by place, and the change of the weighted sum of tokens by transition."""

    __slots__ = ("changes", "weights")

    def __init__(self, weights: dict[int, int], changes: dict[int, int]) -> None:
        self.weights, self.changes = weights, changes


class _Elimination:
    """Fourier-Motzkin elimination of transitions: the rows kept are those that no eliminated transition increases."""

    def __init__(self, places: int, transitions: Sequence[Transition]) -> None:
        self.rows: dict[int, _Row] = {}
        self.raising: list[set[int]] = [set() for _ in transitions]
        self.lowering: list[set[int]] = [set() for _ in transitions]
        self.seen: set[tuple[tuple[int, int], ...]] = set()
        self.added = 0
        self.budget = _BUDGET
        columns: list[dict[int, int]] = [{} for _ in range(places)]
        for number, one in enumerate(transitions):
            for place, amount in one.changes().items():
                columns[place][number] = amount
        for place, changes in enumerate(columns):
            self._add(_Row({place: 1}, changes))

    def sub_invariants(self) -> list[dict[int, int]]:
        queue = [(self._cost(number), number) for number in range(len(self.raising))]
        heapify(queue)
        while queue and self.budget > 0:
            cost, number = heappop(queue)
            now = self._cost(number)
            if now != cost:
                heappush(queue, (now, number))
            else:
                self._eliminate(number)
        return [row.weights for row in self.rows.values() if not any(amount > 0 for amount in row.changes.values())]

    def _cost(self, transition: int) -> int:
        return len(self.raising[transition]) * len(self.lowering[transition])

    def _eliminate(self, transition: int) -> None:
        """Replace each row that the transition increases by sums with rows that it decreases, to a change of 0."""
        raised = sorted(self.raising[transition], key=self._length)
        lowered = sorted(self.lowering[transition], key=self._length)
        pairs = [(one, other) for one in raised[:_MOST_ROWS] for other in lowered[:_MOST_ROWS]]
        if len(pairs) > _MOST_PAIRS:
            pairs = sorted(pairs, key=lambda pair: (self._length(pair[0]) + self._length(pair[1]), pair))[:_MOST_PAIRS]
        for one, other in pairs:
            joined = self._combine(self.rows[one], self.rows[other], transition)
            if joined is not None:
                self._add(joined)
        for one in raised:
            self._remove(one)
        for other in lowered:
            # The transition only decreases this row, which keeps the bound valid.
            del self.rows[other].changes[transition]
        self.lowering[transition].clear()

    def _length(self, row: int) -> int:
        return len(self.rows[row].weights)

    def _combine(self, one: _Row, other: _Row, transition: int) -> _Row | None:
        first, second = -other.changes[transition], one.changes[transition]
        self.budget -= len(one.weights) + len(one.changes) + len(other.weights) + len(other.changes)
        weights = _sum(one.weights, first, other.weights, second)
        if len(weights) > _LONGEST:
            return None
        changes = _sum(one.changes, first, other.changes, second)
        common = gcd(*weights.values(), *changes.values())
        if common > 1:
            weights = {place: weight // common for place, weight in weights.items()}
            changes = {number: amount // common for number, amount in changes.items()}
        return _Row(weights, changes)

    def _add(self, row: _Row) -> None:
        key = tuple(sorted(row.weights.items()))
        if key in self.seen:
            return
        self.seen.add(key)
        self.rows[self.added] = row
        for transition, amount in row.changes.items():
            (self.raising if amount > 0 else self.lowering)[transition].add(self.added)
        self.added += 1

    def _remove(self, number: int) -> None:
        for transition, amount in self.rows.pop(number).changes.items():
            (self.raising if amount > 0 else self.lowering)[transition].discard(number)


def _sum(one: dict[int, int], first: int, other: dict[int, int], second: int) -> dict[int, int]:
    """Return `first * one + second * other` for sparse vectors, without zero entries."""
    result = {key: first * value for key, value in one.items()}
    for key, value in other.items():
        total = result.get(key, 0) + second * value
        if total:
            result[key] = total
        else:
            del result[key]
    return result
