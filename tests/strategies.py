"""Random Systems in the model's own vocabulary, for differential tests.

The generator draws from a `random.Random`. Tests give it Hypothesis's, whose draws shrink; `bench/differential.py`
gives it a seeded one. Systems are small, but every kind of thing occurs: faulting operators, huge constants, negative
and wrapping ranges, arrays over several words, rendezvous, committed locations, observers, synchronous systems,
several initial states.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import TypeVar

from hypothesis import strategies as st

from strandline.model.expression import (
    ARITHMETIC,
    BINARY_OPERATORS,
    COMPARISONS,
    UNARY_OPERATORS,
    Binary,
    Choice,
    Const,
    Element,
    Expression,
    Read,
    Unary,
    Undefined,
)
from strandline.model.measure import Measure
from strandline.model.system import (
    Action,
    Assign,
    Domain,
    Move,
    Observer,
    Predicate,
    Process,
    System,
    Variable,
)
from strandline.model.validate import validate
from strandline.source import Source, Span

INT64_LEAST, INT64_MOST = -(2**63), 2**63 - 1

_SMALL_DOMAINS = (
    Domain(0, 1),
    Domain(0, 3),
    Domain(0, 4),
    Domain(-3, 2),
    Domain(5, 5),
    Domain(0, 2, wraps=True),
    Domain(-5, 4, wraps=True),
    Domain(-4, 3, wraps=True),
    Domain(0, 255, wraps=True),
    Domain(-(2**15), 2**15 - 1, wraps=True),
)
_WIDE_DOMAINS = (
    Domain(INT64_LEAST, INT64_MOST),
    Domain(INT64_LEAST, 2**62, wraps=True),
    Domain(-7, INT64_MOST, wraps=True),
    Domain(2**40, 2**40 + 5),
    Domain(0, 2**63 - 1),
    Domain(-(2**62), 2**62 - 1, wraps=True),
)
_CONSTANTS = (0, 0, 1, 1, 2, 3, 4, 5, -1, -2, -3)
_EXTREME_CONSTANTS = (7, 63, 64, 255, 256, 2**31, 2**62, -(2**62), INT64_MOST, INT64_LEAST)
_COMPARISONS = tuple(sorted(COMPARISONS))
_BINARY = tuple(sorted(BINARY_OPERATORS))
_UNARY = tuple(sorted(UNARY_OPERATORS))
_CALM = ("+", "-", "*", "&", "|", "^")

_Item = TypeVar("_Item")


@dataclass(frozen=True, slots=True)
class Case:
    """A System with everything a search may want compiled into it."""

    system: System
    predicates: tuple[Expression, ...]
    measure: Measure | None


class Generator:
    """Makes one random case. `wild` is how often a thing that tends to fault is drawn, from 0 to 1, `at_once` how often
    an assignment is made together with the one in front of it."""

    def __init__(self, random: Random, *, wild: float = 0.3, at_once: float = 0.0) -> None:
        self.random = random
        self.wild = wild
        self.at_once = at_once
        self.spans = 0
        self.globals: list[Variable] = []
        self.locations: list[Variable] = []
        self.synchronous = False

    # --- drawing ----------------------------------------------------------------------------------------------

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def pick(self, items: Sequence[_Item]) -> _Item:
        return items[self.random.randint(0, len(items) - 1)]

    def several(self, least: int, most: int, make: Callable[[], _Item]) -> list[_Item]:
        return [make() for _ in range(self.random.randint(least, most))]

    def span(self) -> Span:
        """A place that no other node has, so that two faults are told apart."""
        self.spans += 1
        return Span(self.spans, self.spans + 1)

    # --- variables and processes --------------------------------------------------------------------------------

    def value(self, domain: Domain) -> int:
        """Mostly near the ends of the domain or near zero, where things happen."""
        if self.chance(0.4) and 0 in domain:
            return 0
        low, high = domain.low, domain.high
        near = (low, high, min(low + 1, high), max(high - 1, low), max(low, min(high, self.random.randint(-3, 3))))
        return self.pick(near)

    def variable(self, name: str, owner: str | None = None) -> Variable:
        domain = self.pick(_WIDE_DOMAINS if self.chance(self.wild / 5) else _SMALL_DOMAINS)
        length = None
        if self.chance(0.35):
            length = self.random.randint(17, 40) if self.chance(0.2) else self.random.randint(1, 5)
        initial = tuple(self.value(domain) for _ in range(length or 1))
        return Variable(name, domain, length, initial, owner=owner)

    def location(self, name: str) -> Variable:
        names = tuple(f"{name}{number}" for number in range(self.random.randint(1, 5)))
        domain = Domain(0, len(names) - 1)
        start = (self.random.randint(0, len(names) - 1),)
        return Variable(name, domain, None, start, names, owner=name)

    def process(self, number: int) -> Process:
        location = self.location("PQR"[number])
        self.locations.append(location)
        places = range(location.domain.size)
        committed = frozenset(place for place in places if self.chance(0.15))
        jumps = not self.synchronous and self.chance(0.2)
        return Process(location.name, location, committed if self.chance(0.4) else frozenset(), jumps=jumps)

    def jump(self, process: Process) -> Assign:
        """Where a process goes without a move."""
        size = process.location.domain.size
        target = Const(self.random.randint(0, size - 1))
        value = target if self.chance(0.5) else Binary("mod", self.expression(2), Const(size), self.span())
        return Assign(Read(process.location), value, self.span())

    # --- expressions --------------------------------------------------------------------------------------------

    def constant(self) -> Const:
        return Const(self.pick(_EXTREME_CONSTANTS if self.chance(self.wild / 3) else _CONSTANTS))

    def place(self, depth: int) -> Read | Element:
        """Something that can be assigned to."""
        variable = self.pick(self.globals)
        if variable.length is None:
            return Read(variable, self.span())
        return Element(variable, self.index(variable.length, depth), self.span())

    def index(self, length: int, depth: int) -> Expression:
        if depth <= 0 or self.chance(0.3):
            within = self.random.randint(0, length - 1)
            return Const(length + self.random.randint(-9, 9) if self.chance(self.wild / 4) else within)
        inner = self.expression(depth - 1)
        if self.chance(self.wild):
            return inner
        return Binary("mod", inner, Const(length), self.span())

    def leaf(self) -> Expression:
        if self.locations and self.chance(0.15):
            return Read(self.pick(self.locations), self.span())
        return self.constant() if self.chance(0.35) else self.place(1)

    def expression(self, depth: int = 3) -> Expression:
        if depth <= 0 or self.chance(0.25):
            return Undefined("undefined", self.span()) if self.chance(self.wild / 20) else self.leaf()
        if self.chance(0.12):
            return Unary(self.pick(_UNARY), self.expression(depth - 1), self.span())
        if self.chance(0.1):
            return Choice(*(self.expression(depth - 1) for _ in range(3)))
        operators = _BINARY if self.chance(self.wild) else _COMPARISONS + _CALM + ("and", "or", "imply")
        return Binary(self.pick(operators), self.expression(depth - 1), self.expression(depth - 1), self.span())

    def guard(self) -> Expression | None:
        if self.chance(0.45):
            return None
        place = self.place(1)
        bound = Const(self.value(place.variable.domain))
        test: Expression = Binary(self.pick(_COMPARISONS), place, bound, self.span())
        if self.chance(0.4):
            joined = self.pick(("and", "or", "imply"))
            test = Binary(joined, test, self.expression(2), self.span())
        return self.expression(3) if self.chance(0.25) else test

    # --- commands -----------------------------------------------------------------------------------------------

    def effect(self) -> Assign:
        target = self.place(2)
        if self.chance(0.5):
            operator = self.pick(tuple(sorted(ARITHMETIC)) if self.chance(self.wild) else ("+", "-", "^"))
            value: Expression = Binary(operator, target, self.constant(), self.span())
            if self.chance(0.4):
                value = Binary("mod", value, Const(self.random.randint(1, 6)), self.span())
        else:
            value = self.expression(2)
        return Assign(target, self.tamed(value, target.variable.domain), self.span())

    def tamed(self, value: Expression, domain: Domain) -> Expression:
        """The value brought into a domain that does not wrap, so that most models run on."""
        if domain.wraps or domain.size > 1000 or self.chance(self.wild):
            return value
        return Binary("+", Binary("mod", value, Const(domain.size), self.span()), Const(domain.low), self.span())

    def action(self, processes: Sequence[Process], moving: Sequence[int]) -> Action:
        moves, shifts = [], []
        for number in moving:
            size = processes[number].location.domain.size
            source = processes[number].location.initial[0] if self.chance(0.4) else self.random.randint(0, size - 1)
            move = Move(number, source, self.random.randint(0, size - 1))
            moves.append(move)
            if move.source != move.target or self.chance(0.5):
                shifts.append(Assign(Read(processes[number].location), Const(move.target), self.span()))
        effects = self.several(0, 2, self.effect)
        jumping = [one for number, one in enumerate(processes) if one.jumps and number not in moving]
        effects += [self.jump(one) for one in jumping if self.chance(0.5)]
        ordered = [*shifts, *effects] if self.chance(0.5) else [*effects, *shifts]
        if self.at_once:
            ordered += self.several(0, 2, self.effect)
            ordered = [
                replace(one, together=number > 0 and self.chance(self.at_once)) for number, one in enumerate(ordered)
            ]
        committed = any(move.source in processes[move.process].committed for move in moves)
        name = f"a{self.spans}"
        return Action(name, tuple(moves), self.guard(), tuple(ordered), committed, self.span())

    def moving(self, processes: Sequence[Process]) -> list[int]:
        """Which processes an action of an asynchronous system moves."""
        if not processes or self.chance(0.1):
            return []
        if len(processes) > 1 and self.chance(0.25):
            return self.random.sample(range(len(processes)), 2)
        return [self.random.randint(0, len(processes) - 1)]

    def observer(self, index: int) -> Observer:
        location = self.location("Watch")
        edges = []
        for _ in range(self.random.randint(0, 6)):
            size = location.domain.size
            move = Move(index, self.random.randint(0, size - 1), self.random.randint(0, size - 1))
            effects = [Assign(Read(location), Const(move.target), self.span())]
            if self.chance(0.2):
                effects.append(self.effect())
            edges.append(Action(f"w{self.spans}", (move,), self.guard(), tuple(effects), span=self.span()))
        accepting = frozenset(place for place in range(location.domain.size) if self.chance(0.5))
        return Observer(location.name, location, tuple(edges), accepting)

    # --- whole systems --------------------------------------------------------------------------------------------

    def system(self) -> System:
        synchronous = self.synchronous = self.chance(0.15)
        processes = [self.process(number) for number in range(self.random.randint(int(synchronous), 3))]
        for number in range(self.random.randint(1, 3)):
            owner = self.pick(processes).name if processes and self.chance(0.4) else None
            self.globals.append(self.variable("xyz"[number], owner))
        if synchronous:
            moved = [number for number in range(len(processes)) for _ in range(self.random.randint(1, 3))]
            actions = [self.action(processes, [number]) for number in moved]
        else:
            actions = [self.action(processes, self.moving(processes)) for _ in range(self.random.randint(2, 12))]
        observer = self.observer(len(processes)) if self.chance(0.25) else None
        variables = [*self.locations, *self.globals, *([observer.location] if observer else [])]
        if self.chance(0.5):
            self.random.shuffle(variables)
        labels = tuple(Predicate(f"p{number}", self.expression(2)) for number in range(self.random.randint(0, 1)))
        return validate(
            System.create(
                "random",
                Source("random", ""),
                tuple(variables),
                tuple(processes),
                tuple(actions),
                synchronous=synchronous,
                observer=observer,
                labels=labels,
                initial=self.initial(variables),
            )
        )

    def initial(self, variables: Sequence[Variable]) -> tuple[tuple[int, ...], ...] | None:
        if self.chance(0.7):
            return None
        states = self.several(
            1,
            4,
            lambda: tuple(self.value(v.domain) for v in variables for _ in range(v.slots)),
        )
        return tuple(states)

    def measure(self) -> Measure | None:
        if self.chance(0.5):
            return None
        return Measure(self.pick((Const(0), self.expression(2))), self.expression(2))

    def case(self) -> Case:
        system = self.system()
        predicates = tuple(label.expression for label in system.labels) + tuple(
            self.expression(2) for _ in range(self.random.randint(0, 2))
        )
        return Case(system, predicates, self.measure())


def random_case(random: Random, *, wild: float = 0.3, at_once: float = 0.0) -> Case:
    """A System with predicates and perhaps a measure."""
    return Generator(random, wild=wild, at_once=at_once).case()


@st.composite
def cases(draw: st.DrawFn, at_once: float = 0.0) -> Case:
    """Random cases, from calm ones (whose state spaces are worth a search) to wild ones (full of faults)."""
    wild = draw(st.sampled_from((0.0, 0.1, 0.3, 0.6)))
    return random_case(draw(st.randoms(use_true_random=False)), wild=wild, at_once=at_once)


@st.composite
def systems(draw: st.DrawFn, at_once: float = 0.0) -> System:
    """The System of a random case alone."""
    case: Case = draw(cases(at_once))
    return case.system
