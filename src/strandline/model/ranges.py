"""Range analysis: a box for every variable that no reachable state leaves.

A DVE `byte` that only ever holds 0..4 needs three bits, not eight. The analysis is flow-insensitive: one interval
per variable, grown by every action under what its guard says, until nothing grows. Growth jumps to the next
constant that the model mentions (widening), a few shrinking rounds give back what a jump overshot.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import deque
from collections.abc import Iterator

from strandline.model.expression import Const, variables_read, walk
from strandline.model.intervals import Contradiction, Environment, Interval, join, within
from strandline.model.system import Action, System, Variable

_PATIENCE = 4
"""How often an interval may grow by its exact amount before growth jumps to a threshold."""
_SHRINKING_ROUNDS = 3


def variable_ranges(system: System) -> dict[Variable, Interval]:
    """For every variable an interval that holds all values it takes in any reachable state."""
    analysis = _Analysis(system)
    analysis.grow()
    for _ in range(_SHRINKING_ROUNDS):
        if not analysis.shrink():
            break
    return analysis.ranges


class _Analysis:
    def __init__(self, system: System) -> None:
        self.system = system
        self.initial = _initial_ranges(system)
        self.ranges = dict(self.initial)
        self.actions = [*system.actions, *(system.observer.edges if system.observer else ())]
        self.thresholds = _thresholds(system, self.actions)
        self.growths: dict[Variable, int] = {}

    def grow(self) -> None:
        readers = self._readers()
        waiting = deque(range(len(self.actions)))
        queued = set(waiting)
        while waiting:
            index = waiting.popleft()
            queued.discard(index)
            for variable, stored in self._stores(index):
                if not within(stored, self.ranges[variable]):
                    self.ranges[variable] = self._widened(variable, join(stored, self.ranges[variable]))
                    news = [reader for reader in readers.get(variable, ()) if reader not in queued]
                    waiting.extend(news)
                    queued.update(news)

    def shrink(self) -> bool:
        """One decreasing step: what all actions store under the present boxes, which is sound and no larger."""
        smaller = dict(self.initial)
        for index in range(len(self.actions)):
            for variable, stored in self._stores(index):
                smaller[variable] = join(smaller[variable], stored)
        changed = smaller != self.ranges
        self.ranges = smaller
        return changed

    def _stores(self, index: int) -> Iterator[tuple[Variable, Interval]]:
        """The intervals an action stores under the present boxes; nothing when its guard cannot be true.

        In a synchronous system, and for an observer, effects run on a state that others have changed already, so
        the guard's knowledge does not carry over to them."""
        action = self.actions[index]
        environment = Environment(self.ranges)
        try:
            if action.guard is not None:
                environment.assume(action.guard)
        except Contradiction:
            return
        if self.system.synchronous or index >= len(self.system.actions):
            environment = Environment(self.ranges)
        for effect in action.effects:
            yield effect.target.variable, environment.assign(effect)

    def _readers(self) -> dict[Variable, list[int]]:
        readers: dict[Variable, list[int]] = {}
        for index, action in enumerate(self.actions):
            read: set[Variable] = set() if action.guard is None else variables_read(action.guard)
            for effect in action.effects:
                read |= variables_read(effect.value) | variables_read(effect.target)
            for variable in read:
                readers.setdefault(variable, []).append(index)
        return readers

    def _widened(self, variable: Variable, wanted: Interval) -> Interval:
        count = self.growths[variable] = self.growths.get(variable, 0) + 1
        if count <= _PATIENCE:
            return wanted
        low, high = self.ranges[variable]
        domain = variable.domain
        if wanted[0] < low:
            position = bisect_right(self.thresholds, wanted[0]) - 1
            low = max(domain.low, self.thresholds[position]) if position >= 0 else domain.low
        if wanted[1] > high:
            position = bisect_left(self.thresholds, wanted[1])
            high = min(domain.high, self.thresholds[position]) if position < len(self.thresholds) else domain.high
        return low, high


def _initial_ranges(system: System) -> dict[Variable, Interval]:
    ranges: dict[Variable, Interval] = {}
    for variable, offset in system.offsets.items():
        values = [value for state in system.initial for value in state[offset : offset + variable.slots]]
        ranges[variable] = (min(values), max(values))
    return ranges


def _thresholds(system: System, actions: list[Action]) -> list[int]:
    """Every constant of the model and its neighbours: where a guard would stop a counter."""
    found = {0, 1}
    for action in actions:
        expressions = [effect.value for effect in action.effects]
        if action.guard is not None:
            expressions.append(action.guard)
        for expression in expressions:
            for node in walk(expression):
                if isinstance(node, Const):
                    found |= {node.value - 1, node.value, node.value + 1}
    for variable in system.variables:
        if variable.length is not None:
            found |= {variable.length - 1, variable.length}
    return sorted(found)
