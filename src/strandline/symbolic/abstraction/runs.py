"""Runs of the System in what the universal abstraction says.

Every state of an abstract state has a step along each of its universal edges. So where these lead through some abstract
states to others, or stay in them for ever, steps do so from any state that they stand for, and a shortest path, or a
lasso, is found among those states (`strandline.symbolic.paths`).
"""

from __future__ import annotations

from collections.abc import Sequence

from strandline.model.path import Path
from strandline.symbolic.abstraction.model import AbstractModel
from strandline.symbolic.diagrams import Function
from strandline.symbolic.paths import SymbolicPaths


class ConcreteRuns:
    """Finds paths of the System by sets of abstract states."""

    def __init__(self, model: AbstractModel, paths: SymbolicPaths) -> None:
        self._concrete, self._paths = model.concrete, paths
        self.numbered = paths.numbered

    def contains(self, states: Function, record: int) -> bool:
        return self._paths.contains(self._concrete(states), record)

    def successors(self, record: int) -> list[int]:
        """Where the steps of a state lead, in their order."""
        return self._paths.successors(record)

    def step_into(self, record: int, goal: Function) -> Path:
        """A single step into a set."""
        return self._paths.step_into(record, self._concrete(goal))

    def until(self, start: int, through: Function, goal: Function) -> Path:
        """A shortest path through a set to another."""
        return self._paths.until(start, self._concrete(through), self._concrete(goal))

    def always(self, start: int, inside: Function, conditions: Sequence[Function] = ()) -> Path:
        """A lasso inside a set, or a path that ends there, which meets every condition."""
        return self._paths.always(start, self._concrete(inside), [self._concrete(one) for one in conditions])
