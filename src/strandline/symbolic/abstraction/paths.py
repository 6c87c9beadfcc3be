"""Paths of an abstraction, each abstract state as a singleton set: counterexamples and witnesses."""

from __future__ import annotations

from collections.abc import Sequence

from strandline.symbolic.abstraction.model import AbstractSets
from strandline.symbolic.diagrams import Function


class AbstractPaths:
    """Finds paths along the relation of some sets.

    A path is the list of its abstract states; a lasso repeats the state to which it returns at its end.
    """

    def __init__(self, sets: AbstractSets) -> None:
        self._sets, self._model = sets, sets.model

    def step_into(self, start: Function, goal: Function) -> list[Function]:
        """Return a single step into a set."""
        reached = self._sets.and_(self._model.image(self._sets.relation, start), goal)
        return [start, self._model.single(reached)]

    def until(self, start: Function, through: Function, goal: Function) -> list[Function] | None:
        """Find a shortest path through a set to another; None if there is none."""
        sets = self._sets
        distances, known = [goal], goal
        while sets.and_(start, distances[-1]) == sets.empty():
            fresh = sets.and_(sets.and_(through, sets.next(distances[-1])), sets.not_(known))
            if fresh == sets.empty():
                return None
            known = sets.or_(known, fresh)
            distances.append(fresh)
        path = [start]
        for one in reversed(distances[:-1]):
            path.append(self.step_into(path[-1], one)[1])
        return path

    def always(self, start: Function, inside: Function, conditions: Sequence[Function]) -> list[Function]:
        """Find a lasso inside a set computed by EG.

        Walks rounds through the conditions until one can return to where it began.
        """
        sets, path = self._sets, [start]
        while True:
            home, turn = path[-1], [path[-1]]
            for one in conditions:
                turn += (self.until(turn[-1], inside, sets.and_(inside, one)) or [turn[-1]])[1:]
            if len(turn) == 1:
                turn = self.step_into(home, inside)
            back = self.until(turn[-1], inside, home)
            if back is not None:
                return path + turn[1:] + back[1:]
            path += turn[1:]
