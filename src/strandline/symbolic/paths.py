"""Paths and lassos inside sets of states, step by step by the interpreter, towards what fixpoints say.

A shortest path into a set goes by its distances: the set itself, what leads there by one step, by two, and so on until
the first state is among them; then each step leads one distance nearer. States are numbered as they turn up, so that
whoever shows paths need not know what a state is.
"""

from __future__ import annotations

from collections.abc import Sequence

from strandline.compile.interpret import Interpreter
from strandline.errors import InternalError
from strandline.model.path import Path
from strandline.symbolic.diagrams import Function
from strandline.symbolic.fixpoints import SymbolicSets
from strandline.symbolic.space import State


class Numbered:
    """States by the order in which they turned up."""

    def __init__(self) -> None:
        self._numbers: dict[State, int] = {}
        self._states: list[State] = []

    def number(self, state: State) -> int:
        if state not in self._numbers:
            self._numbers[state] = len(self._states)
            self._states.append(state)
        return self._numbers[state]

    def state(self, number: int) -> State:
        return self._states[number]


class SymbolicPaths:
    """Finds paths in the sets of a System."""

    def __init__(self, sets: SymbolicSets, numbered: Numbered) -> None:
        self._sets, self._space, self.numbered = sets, sets.space, numbered
        self._interpreter = Interpreter(sets.space.system)

    def contains(self, states: Function, record: int) -> bool:
        return self._space.contains(states, self.numbered.state(record))

    def successors(self, record: int) -> list[int]:
        """Where the steps of a state lead, in their order."""
        found = []
        for step in self._interpreter.steps(self.numbered.state(record)):
            if step.target is None:
                raise InternalError("a path leads to where the model faults")
            found.append(self.numbered.number(step.target))
        return found

    def step_into(self, record: int, goal: Function) -> Path:
        """A single step into a set."""
        for step, target in enumerate(self.successors(record)):
            if self.contains(goal, target):
                return Path((record, target), (step,))
        raise InternalError("there is no such step")

    def until(self, start: int, through: Function, goal: Function) -> Path:
        """A shortest path through a set to another; of no steps where it begins there."""
        found = self._shortest(start, through, goal)
        if found is None:
            raise InternalError("there is no such path")
        return found

    def _shortest(self, start: int, through: Function, goal: Function) -> Path | None:
        sets = self._sets
        distances, known = [goal], goal
        while not self.contains(distances[-1], start):
            self._space.watch()
            nearer = sets.both(through, sets.before(distances[-1]))
            fresh = sets.both(nearer, sets.denied(known))
            if fresh == sets.empty():
                return None
            known = sets.either(known, fresh)
            distances.append(fresh)
        way = Path((start,), ())
        for one in reversed(distances[:-1]):
            way += self.step_into(way.end, one)
        return way

    def always(self, start: int, inside: Function, conditions: Sequence[Function] = ()) -> Path:
        """A lasso inside a set in which every state has a successor or none at all, EG's; its loop meets every
        condition. Rounds through the conditions are walked until one leads back to where it began; each that does not
        has left a component for good."""
        stem = Path((start,), ())
        while True:
            if not self.successors(stem.end):
                return Path(stem.records, stem.steps, len(stem.steps))
            turn = Path((stem.end,), ())
            for one in conditions:
                turn += self.until(turn.end, inside, self._sets.both(inside, one))
            first = turn if turn.steps else turn + self.step_into(turn.end, inside)
            home = self._space.single(self.numbered.state(stem.end))
            back = self._shortest(first.end, inside, home)
            if back is not None:
                loop = first + back
                return stem + Path(loop.records, loop.steps, 0)
            stem += first
