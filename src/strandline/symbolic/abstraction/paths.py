"""Paths of an abstraction, as sets of one abstract state each: towards what shows that a formula fails, or holds."""

from __future__ import annotations

from collections.abc import Sequence

from strandline.symbolic.abstraction.model import AbstractSets
from strandline.symbolic.diagrams import Function


class AbstractPaths:
    """Finds paths by the relation of some sets. A path is its abstract states; of a lasso the one to which it returns
    stands at its end again."""

    def __init__(self, sets: AbstractSets) -> None:
        self._sets, self._model = sets, sets.model

    def step_into(self, start: Function, goal: Function) -> list[Function]:
        """One step into a set."""
        reached = self._sets.both(self._model.after(self._sets.relation, start), goal)
        return [start, self._model.single(reached)]

    def until(self, start: Function, through: Function, goal: Function) -> list[Function] | None:
        """A shortest path through a set to another; None where there is none."""
        sets = self._sets
        distances, known = [goal], goal
        while sets.both(start, distances[-1]) == sets.empty():
            fresh = sets.both(sets.both(through, sets.next(distances[-1])), sets.denied(known))
            if fresh == sets.empty():
                return None
            known = sets.either(known, fresh)
            distances.append(fresh)
        path = [start]
        for one in reversed(distances[:-1]):
            path.append(self.step_into(path[-1], one)[1])
        return path

    def always(self, start: Function, inside: Function, conditions: Sequence[Function]) -> list[Function]:
        """A lasso inside a set that EG has found: rounds through the conditions, until one leads back."""
        sets, path = self._sets, [start]
        while True:
            home, turn = path[-1], [path[-1]]
            for one in conditions:
                turn += (self.until(turn[-1], inside, sets.both(inside, one)) or [turn[-1]])[1:]
            if len(turn) == 1:
                turn = self.step_into(home, inside)
            back = self.until(turn[-1], inside, home)
            if back is not None:
                return path + turn[1:] + back[1:]
            path += turn[1:]
