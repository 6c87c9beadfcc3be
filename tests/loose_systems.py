"""Random Systems of loosely coupled processes, most of whose steps commute."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from strandline.model.expression import Binary, Const, Element, Expression, Read
from strandline.model.measure import Component
from strandline.model.system import Action, Assign, Domain, Move, Process, System, Variable
from strandline.source import Source


class Loose:
    """Makes one random System: two to four processes, each with a variable of its own, shared variables and an array;
    some actions are rendezvous or have no process: `moving` is how many move, each number as often as it is drawn."""

    def __init__(self, random: Random, moving: Sequence[int] = (0, 1, 1, 1, 1, 2)) -> None:
        self.random, self.moving = random, moving
        count = random.randint(2, 4)
        self.processes = tuple(self._process(number) for number in range(count))
        self.own = [self._variable(f"own{number}", 3, f"P{number}") for number in range(count)]
        self.shared = [self._variable(f"shared{number}", 2, None) for number in range(random.randint(1, 2))]
        self.array = Variable("array", Domain(0, 1), 3, (0, 0, 0))

    def _often(self) -> bool:
        return self.random.random() < 0.6

    def _variable(self, name: str, most: int, owner: str | None) -> Variable:
        return Variable(name, Domain(0, most, wraps=self._often()), owner=owner)

    def _process(self, number: int) -> Process:
        size = self.random.randint(1, 4)
        names = tuple(f"at{place}" for place in range(size))
        committed = {size - 1} if size > 2 and self.random.random() < 0.1 else set()
        location = Variable(f"P{number}", Domain(0, size - 1), names=names, owner=f"P{number}")
        return Process(f"P{number}", location, frozenset(committed))

    def system(self) -> System:
        actions = tuple(self._action(number) for number in range(self.random.randint(5, 18)))
        variables = (*(one.location for one in self.processes), *self.own, *self.shared, self.array)
        measure = Component(Read(self.own[0]))
        return System.create("loose", Source("loose", ""), variables, self.processes, actions, measures=(measure,))

    def predicates(self) -> list[Expression]:
        return [self.condition(self.random.randrange(len(self.processes))) for _ in range(self.random.randint(0, 2))]

    def _action(self, number: int) -> Action:
        moving = self.random.sample(range(len(self.processes)), k=self.random.choice(self.moving))
        moves = tuple(self._move(process) for process in moving)
        writer = moving[0] if moving else self.random.randrange(len(self.processes))
        guard = self.condition(writer) if self._often() else None
        effects = [Assign(Read(self.processes[move.process].location), Const(move.target)) for move in moves]
        effects += [self._assign(writer) for _ in range(self.random.randint(0, 2))]
        committed = any(move.source in self.processes[move.process].committed for move in moves)
        return Action(f"a{number}", moves, guard, tuple(effects), committed)

    def _move(self, process: int) -> Move:
        size = self.processes[process].location.domain.size
        return Move(process, self.random.randrange(size), self.random.randrange(size))

    def _place(self, process: int) -> Read | Element:
        kind = self.random.random()
        if kind < 0.6:
            return Read(self.own[process])
        if kind < 0.8:
            return Read(self.random.choice(self.shared))
        index = Const(self.random.randrange(3)) if self._often() else Read(self.own[process])
        return Element(self.array, index)

    def condition(self, process: int) -> Expression:
        operator = self.random.choice(("==", "!=", "<", ">="))
        test = Binary(operator, self._place(process), Const(self.random.randint(0, 2)))
        if self.random.random() < 0.3:
            return Binary(self.random.choice(("and", "or")), test, self.condition(process))
        return test

    def _assign(self, process: int) -> Assign:
        place = self._place(process)
        if isinstance(place, Element):
            return Assign(place, Const(self.random.randint(0, 1)))
        kind = self.random.random()
        if kind < 0.5:
            return Assign(place, Binary(self.random.choice("+-"), place, Const(1)))
        return Assign(place, Const(self.random.randint(0, 2)) if kind < 0.8 else self._place(process))
