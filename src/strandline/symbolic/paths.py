"""Find paths and lassos inside BDDs, guided by fixpoints and executed step by step by the interpreter.

A path into a set follows onion rings: sets that grow backwards from the goal until one of them contains the first
state. The path then walks forward, one state at a time, each time into a smaller ring. There are two kinds of rings.
Rings by distance (the goal, its preimage, the preimage of that, and so on) give shortest paths. But a set of all states
at exactly one distance relates the progress of all parts of the model, and its BDD may be much larger than that of the
reachable states. Where rings by distance become too large, rings are made by single steps, one after the other, each
adding to the union so far; most models then need few rounds, but the path need not be shortest.

States are numbered in the order of their discovery, so that callers which show paths need not know what a state is.
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
"""Most nodes of all rings by distance together."""


class StateNumbering:
    """Numbers states in the order of their discovery."""

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
    """A path, the index of the initial state at which it starts, and whether it is known to be shortest."""

    start: int
    way: Path
    shortest: bool


@dataclass(frozen=True, slots=True)
class _Rings:
    """Onion rings, the goal first.

    Without `steps` each set is one step nearer to the goal than the next. Otherwise each set is a subset of the next,
    and the step at the same index leads from the states that a ring adds into the ring before it.
    """

    sets: list[Function]
    steps: list[Step] | None


class _TooLarge(Exception):
    """Raised when rings by distance need too many nodes."""


class SymbolicPaths:
    """Finds paths inside sets of states of a System."""

    def __init__(self, sets: SymbolicSets, numbered: StateNumbering) -> None:
        self._sets, self._space, self.numbered = sets, sets.space, numbered
        self._interpreter = Interpreter(sets.space.system)

    def contains(self, states: Function, record: int) -> bool:
        return self._space.contains(states, self.numbered.state(record))

    def successors(self, record: int) -> list[int]:
        """Return the successors of a state, in the order of the steps."""
        return [self.numbered.number(target) for target in self._targets(record)]

    def _targets(self, record: int) -> Iterator[State]:
        for step in self._interpreter.each_step(self.numbered.state(record)):
            if step.target is None:
                raise InternalError("a symbolic path leads to a fault")
            yield step.target

    def step_into(self, record: int, goal: Function) -> Path:
        """Return a single step into a set."""
        for number, target in enumerate(self._targets(record)):
            if self._space.contains(goal, target):
                return Path((record, self.numbered.number(target)), (number,))
        raise InternalError("no step leads into the given set")

    def _step_to(self, record: int, target: State) -> Path | None:
        """Return a single step to a state; None if there is none."""
        for number, one in enumerate(self._targets(record)):
            if one == target:
                return Path((record, self.numbered.number(one)), (number,))
        return None

    def until(self, start: int, through: Function, goal: Function) -> Path:
        """Find a path through a set to another; it has no steps if it begins there."""
        found = self._find_path(start, through, goal)
        if found is None:
            raise InternalError("no path leads into the given set")
        return found

    def from_any(self, states: Sequence[State], through: Function, goal: Function) -> FoundPath | None:
        """Find a path through a set to another from one of some states; None if there is none."""
        singles = [self._space.single(state) for state in states]
        rings = self._rings(self._space.diagrams.any_of(singles), through, goal)
        if rings is None:
            return None
        number = next(number for number, one in enumerate(singles) if self._intersects(one, rings.sets[-1]))
        way = self._walk_rings(self.numbered.number(states[number]), singles[number], rings)
        return FoundPath(number, way, rings.steps is None)

    def _find_path(self, start: int, through: Function, goal: Function) -> Path | None:
        single = self._space.single(self.numbered.state(start))
        rings = self._rings(single, through, goal)
        return None if rings is None else self._walk_rings(start, single, rings)

    def _intersects(self, one: Function, other: Function) -> bool:
        return bool(self._sets.and_(one, other) != self._sets.empty())

    def _rings(self, starts: Function, through: Function, goal: Function) -> _Rings | None:
        """Make rings from a goal back to some states; None if no path leads from these to the goal."""
        if self._intersects(starts, goal):
            return _Rings([goal], None)
        try:
            return self._rings_by_distance(starts, through, goal)
        except _TooLarge:
            if not self._intersects(starts, self._sets.until(through, goal)):
                return None
            return self._rings_by_steps(starts, through, goal)

    def _rings_by_distance(self, starts: Function, through: Function, goal: Function) -> _Rings | None:
        """Make rings by distance; each is the preimage of the previous one without all earlier rings.

        Raises `_TooLarge` if they need too many nodes. Returns None if no path exists.
        """
        sets, size = self._sets, self._space.diagrams.size
        found, known, nodes = [goal], goal, 0
        while not self._intersects(starts, found[-1]):
            self._space.watch()
            nearer = sets.and_(through, sets.preimage(found[-1]))
            fresh = sets.and_(nearer, sets.not_(known))
            if fresh == sets.empty():
                return None
            nodes += size(fresh)
            if nodes > MOST_RING_NODES:
                raise _TooLarge
            known = sets.or_(known, fresh)
            found.append(fresh)
        return _Rings(found, None)

    def _rings_by_steps(self, starts: Function, through: Function, goal: Function) -> _Rings:
        """Make cumulative rings: each adds to the previous one its preimage by a single step.

        The order of the steps is reversed after every round.
        """
        sets, order = self._sets, self._space.steps[::-1]
        bound = sets.restrict(through)
        # A ring for each step, not for each round: the walk forwards then knows the step into it.
        found, by, larger = [goal], [order[0]], goal
        while True:
            before = larger
            for step in order:
                self._space.watch()
                larger = sets.or_(larger, sets.and_(bound, step.preimage(larger)))
                if larger != found[-1]:
                    found.append(larger)
                    by.append(step)
                    if self._intersects(starts, larger):
                        return _Rings(found, by)
            if larger == before:
                raise InternalError("backward rings do not reach the states that EU found")
            order = order[::-1]

    def _walk_rings(self, start: int, single: Function, rings: _Rings) -> Path:
        """Walk from a state in the last ring to the first one."""
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
            last = bisect_left(range(last), True, key=lambda number: self._intersects(here, rings.sets[number]))
            if last == 0:
                return way
            taken, single = self._take_step(way.end, single, rings.steps[last], rings.sets[last - 1])
            way += taken

    def _take_step(self, record: int, single: Function, step: Step, ring: Function) -> tuple[Path, Function]:
        """Execute a step that leads into a ring; return the path of one step, and its end as a set."""
        reached = step.image(single)
        state = self._space.member(reached)
        taken = None if state is None else self._step_to(record, state)
        if taken is not None:
            return taken, reached
        # In a space restricted to a cone the image changes only the slots of the cone.
        taken = self.step_into(record, ring)
        return taken, self._space.single(self.numbered.state(taken.end))

    def always(self, start: int, inside: Function, conditions: Sequence[Function] = ()) -> Path:
        """Find a lasso whose loop meets every condition, or a path to a deadlock, inside a set computed by EG.

        Walks rounds through the conditions until one can return to where it began; each round that cannot has left an
        SCC for good.
        """
        stem = Path((start,), ())
        while True:
            if next(self._targets(stem.end), None) is None:
                return Path(stem.records, stem.steps, len(stem.steps))
            turn = Path((stem.end,), ())
            for one in conditions:
                turn += self.until(turn.end, inside, self._sets.and_(inside, one))
            first = turn if turn.steps else turn + self.step_into(turn.end, inside)
            home = self._space.single(self.numbered.state(stem.end))
            back = self._find_path(first.end, inside, home)
            if back is not None:
                loop = first + back
                return stem + Path(loop.records, loop.steps, 0)
            stem += first
