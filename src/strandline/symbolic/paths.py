"""Paths and lassos inside sets of states, step by step by the interpreter, towards what fixpoints say.

A path into a set goes by rings: sets that grow from the goal backwards until the first state is in one of them. Then it
is walked forward, a single state at a time, each time into a smaller ring. There are two kinds. Rings by distance, the
goal itself, what leads there by one step, by two, and so on, give shortest paths. But a set of all states at just one
distance tells how far each part of the model is beside all others, and may need many more nodes than what is
reachable. Where they become large, rings are made by single steps, one after the other: those take in what a step adds
as soon as it is known, so that most models need few rounds and no set tells any distance. The path need not be a
shortest one then.

States are numbered as they turn up, so that whoever shows paths need not know what a state is.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from strandline.compile.interpret import Interpreter
from strandline.errors import InternalError
from strandline.model.path import Path
from strandline.symbolic.diagrams import Function
from strandline.symbolic.fixpoints import SymbolicSets
from strandline.symbolic.space import State
from strandline.symbolic.steps import Step

MOST_RING_NODES = 400_000
"""Nodes of all rings by distance, up to which these are made."""


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


@dataclass(frozen=True, slots=True)
class FoundPath:
    """A path from the initial state with this number among those that were given, and whether it is known to be a
    shortest one."""

    start: int
    way: Path
    shortest: bool


@dataclass(frozen=True, slots=True)
class _Rings:
    """Sets, the goal first. Without `steps` each of them is one step nearer than the next; else each is a part of the
    next, and from what that has more, the step in the same place leads into it."""

    sets: list[Function]
    steps: list[Step] | None


class _TooLarge(Exception):
    """Rings by distance need too many nodes."""


class SymbolicPaths:
    """Finds paths in the sets of a System."""

    def __init__(self, sets: SymbolicSets, numbered: Numbered) -> None:
        self._sets, self._space, self.numbered = sets, sets.space, numbered
        self._interpreter = Interpreter(sets.space.system)

    def contains(self, states: Function, record: int) -> bool:
        return self._space.contains(states, self.numbered.state(record))

    def successors(self, record: int) -> list[int]:
        """Where the steps of a state lead, in their order."""
        return [self.numbered.number(target) for target in self._targets(record)]

    def _targets(self, record: int) -> Iterator[State]:
        for step in self._interpreter.each_step(self.numbered.state(record)):
            if step.target is None:
                raise InternalError("a path leads to where the model faults")
            yield step.target

    def step_into(self, record: int, goal: Function) -> Path:
        """A single step into a set."""
        for number, target in enumerate(self._targets(record)):
            if self._space.contains(goal, target):
                return Path((record, self.numbered.number(target)), (number,))
        raise InternalError("there is no such step")

    def _step_to(self, record: int, target: State) -> Path | None:
        """A single step to a state; None where there is none."""
        for number, one in enumerate(self._targets(record)):
            if one == target:
                return Path((record, self.numbered.number(one)), (number,))
        return None

    def until(self, start: int, through: Function, goal: Function) -> Path:
        """A path through a set to another; of no steps where it begins there."""
        found = self._leading(start, through, goal)
        if found is None:
            raise InternalError("there is no such path")
        return found

    def from_any(self, states: Sequence[State], through: Function, goal: Function) -> FoundPath | None:
        """A path through a set to another from one of some states; None where there is none."""
        singles = [self._space.single(state) for state in states]
        rings = self._rings(self._space.diagrams.any_of(singles), through, goal)
        if rings is None:
            return None
        number = next(number for number, one in enumerate(singles) if self._meets(one, rings.sets[-1]))
        way = self._walked(self.numbered.number(states[number]), singles[number], rings)
        return FoundPath(number, way, rings.steps is None)

    def _leading(self, start: int, through: Function, goal: Function) -> Path | None:
        single = self._space.single(self.numbered.state(start))
        rings = self._rings(single, through, goal)
        return None if rings is None else self._walked(start, single, rings)

    def _meets(self, one: Function, other: Function) -> bool:
        return bool(self._sets.both(one, other) != self._sets.empty())

    def _rings(self, starts: Function, through: Function, goal: Function) -> _Rings | None:
        """Rings from a goal to some states; None where no path leads from these to it."""
        if self._meets(starts, goal):
            return _Rings([goal], None)
        try:
            return self._rings_by_distance(starts, through, goal)
        except _TooLarge:
            if not self._meets(starts, self._sets.until(through, goal)):
                return None
            return self._rings_by_steps(starts, through, goal)

    def _rings_by_distance(self, starts: Function, through: Function, goal: Function) -> _Rings | None:
        """Each is what leads into the one before it by a step and is in none of them. Raises `_TooLarge`."""
        sets, size = self._sets, self._space.diagrams.size
        found, known, nodes = [goal], goal, 0
        while not self._meets(starts, found[-1]):
            self._space.watch()
            nearer = sets.both(through, sets.before(found[-1]))
            fresh = sets.both(nearer, sets.denied(known))
            if fresh == sets.empty():
                return None
            nodes += size(fresh)
            if nodes > MOST_RING_NODES:
                raise _TooLarge
            known = sets.either(known, fresh)
            found.append(fresh)
        return _Rings(found, None)

    def _rings_by_steps(self, starts: Function, through: Function, goal: Function) -> _Rings:
        """Each is the one before it and what leads into that by one of the steps. The order of steps turns round in
        every round."""
        sets, order = self._sets, self._space.steps[::-1]
        bound = sets.counting(through)
        found, by, larger = [goal], [order[0]], goal
        while True:
            before = larger
            for step in order:
                self._space.watch()
                larger = sets.either(larger, sets.both(bound, step.before(larger)))
                if larger != found[-1]:
                    found.append(larger)
                    by.append(step)
                    if self._meets(starts, larger):
                        return _Rings(found, by)
            if larger == before:
                raise InternalError("what leads to a set does not lead there step by step")
            order = order[::-1]

    def _walked(self, start: int, single: Function, rings: _Rings) -> Path:
        """A path from a state in the last ring to the first one."""
        way = Path((start,), ())
        if rings.steps is None:
            for one in reversed(rings.sets[:-1]):
                way += self.step_into(way.end, one)
            return way
        last = len(rings.sets)
        while True:
            self._space.watch()
            here = single
            # Every ring is a part of the next one.
            last = bisect_left(range(last), True, key=lambda number: self._meets(here, rings.sets[number]))
            if last == 0:
                return way
            taken, single = self._taken(way.end, single, rings.steps[last], rings.sets[last - 1])
            way += taken

    def _taken(self, record: int, single: Function, step: Step, ring: Function) -> tuple[Path, Function]:
        """What a step leads to from a state, which is in a ring; also as a set."""
        reached = step.after(single)
        state = self._space.member(reached)
        taken = None if state is None else self._step_to(record, state)
        if taken is not None:
            return taken, reached
        # Of a space in which not all of a state is looked at, the step changes only that part.
        taken = self.step_into(record, ring)
        return taken, self._space.single(self.numbered.state(taken.end))

    def always(self, start: int, inside: Function, conditions: Sequence[Function] = ()) -> Path:
        """A lasso inside a set in which every state has a successor or none at all, EG's; its loop meets every
        condition. Rounds through the conditions are walked until one leads back to where it began; each that does not
        has left a component for good."""
        stem = Path((start,), ())
        while True:
            if next(self._targets(stem.end), None) is None:
                return Path(stem.records, stem.steps, len(stem.steps))
            turn = Path((stem.end,), ())
            for one in conditions:
                turn += self.until(turn.end, inside, self._sets.both(inside, one))
            first = turn if turn.steps else turn + self.step_into(turn.end, inside)
            home = self._space.single(self.numbered.state(stem.end))
            back = self._leading(first.end, inside, home)
            if back is not None:
                loop = first + back
                return stem + Path(loop.records, loop.steps, 0)
            stem += first
