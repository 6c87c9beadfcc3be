"""Runs of the System within paths of the universal abstraction.

Every state of an abstract state has a step along each of its universal edges. So where universal edges lead through
some abstract states to others, or stay within them for ever, concrete steps do so from every state that they stand for,
and `strandline.symbolic.paths` finds a shortest path or a lasso among those states.
"""

from __future__ import annotations

from collections.abc import Sequence

from strandline.model.path import Path
from strandline.symbolic.abstraction.model import AbstractModel
from strandline.symbolic.diagrams import Function
from strandline.symbolic.paths import SymbolicPaths


class ConcreteRuns:
    """Finds paths of the System within sets of abstract states."""

    def __init__(self, model: AbstractModel, paths: SymbolicPaths) -> None:
        self._concrete, self._paths = model.concrete, paths
        self.numbered = paths.numbered

    def contains(self, states: Function, record: int) -> bool:
        return self._paths.contains(self._concrete(states), record)

    def successors(self, record: int) -> list[int]:
        """Return the successors of a state, in the order of the steps."""
        return self._paths.successors(record)

    def step_into(self, record: int, goal: Function) -> Path:
        """Return a single step into a set."""
        return self._paths.step_into(record, self._concrete(goal))

    def until(self, start: int, through: Function, goal: Function) -> Path:
        """Find a shortest path through a set to another."""
        return self._paths.until(start, self._concrete(through), self._concrete(goal))

    def always(self, start: int, inside: Function, conditions: Sequence[Function] = ()) -> Path:
        """Find a lasso inside a set that meets every condition, or a path that ends in a deadlock there."""
        return self._paths.always(start, self._concrete(inside), [self._concrete(one) for one in conditions])
