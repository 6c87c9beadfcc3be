"""Processes that can be exchanged for each other: what goes with each of them, and the proof that nothing changes.

Two processes are exchanged by exchanging their locations, their own variables and, in arrays with an element for each
process, their elements. If that makes of a System's actions the same actions, up to the order in which parts
stand that commute, then states that differ by such an exchange have the same future (Ip and Dill, Better verification
through symmetry, FMSD 9, 1996; Clarke, Enders, Filkorn and Jha, FMSD 9, 1996). It is enough to look at neighbours:
their exchanges generate all others.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from strandline.model.expression import (
    Binary,
    Const,
    Element,
    Expression,
    Lookup,
    Read,
    Unary,
    Undefined,
    children,
    rebuilt,
    upwards,
    variables_read,
    walk,
)
from strandline.model.system import Action, Assign, Process, System, Variable

Slot = tuple[Variable, int]
"""An entry of a valuation: of a variable, or of an array the element."""

_ORDERED = {">": "<", ">=": "<="}
_ASSOCIATIVE = frozenset({"and", "or", "+", "*", "&", "|", "^"})
_SYMMETRIC = frozenset({"==", "!="})
_FAULTING = frozenset({"/", "%", "//", "mod", "<<", ">>"})


@dataclass(frozen=True, slots=True)
class Exchange:
    """Processes that can be exchanged. Of each of them, `blocks` has the entries that go with it, its location first,
    in corresponding order."""

    processes: tuple[Process, ...]
    blocks: tuple[tuple[Slot, ...], ...]

    @property
    def names(self) -> str:
        return ", ".join(process.name for process in self.processes)


class Broken(Exception):
    """Why processes cannot be exchanged, in words."""


@dataclass(slots=True)
class Found:
    """What can be exchanged, and of other processes that look alike, why not."""

    exchanges: list[Exchange] = field(default_factory=list)
    broken: list[str] = field(default_factory=list)


def find_exchanges(system: System, seen: Iterable[Expression]) -> Found:
    """Groups of processes of which any two can be exchanged, so that actions and the truth of these expressions stay
    what they are."""
    found, watched = Found(), [*seen, *([] if system.ends is None else [system.ends])]
    for group in _alike(system):
        try:
            found.exchanges.append(_proved(system, group, watched))
        except Broken as reason:
            names = ", ".join(system.processes[number].name for number in group)
            found.broken.append(f"{names} cannot be exchanged: {reason}")
    return found


def _alike(system: System) -> Iterator[tuple[int, ...]]:
    """The numbers of processes with the same locations and the same variables of their own."""
    groups: dict[object, list[int]] = defaultdict(list)
    for number, process in enumerate(system.processes):
        own = [(_local_name(one, process), one.domain, one.length) for one in _owned(system, process)[1:]]
        groups[process.locations, process.committed, process.jumps, tuple(own)].append(number)
    yield from (tuple(group) for group in groups.values() if len(group) > 1)


def _owned(system: System, process: Process) -> list[Variable]:
    """The location of a process, and its own variables."""
    own = [one for one in system.variables if one.owner == process.name and one is not process.location]
    return [process.location, *own]


def _local_name(variable: Variable, process: Process) -> str:
    return variable.name.removeprefix(f"{process.name}.")


def _proved(system: System, group: tuple[int, ...], watched: Sequence[Expression]) -> Exchange:
    if system.synchronous:
        raise Broken("in a synchronous system processes take their steps in a fixed order")
    if system.observer is not None:
        raise Broken("a property process watches them")
    written = {expression for action in system.actions for expression in _parts(action)}
    indexed = _indexed(system, len(group), [*written, *watched])
    for first, second in pairwise(range(len(group))):
        _Swap(system, group, indexed, first, second).prove(watched)
    blocks = []
    for rank, number in enumerate(group):
        owned = _owned(system, system.processes[number])
        own = [(variable, index) for variable in owned for index in range(variable.slots)]
        blocks.append((*own, *((variable, rank) for variable in indexed)))
    return Exchange(tuple(system.processes[number] for number in group), tuple(blocks))


def _indexed(system: System, size: int, expressions: Iterable[Expression]) -> list[Variable]:
    """Arrays of nobody's with an element for each of so many processes, of which only single elements are named."""
    candidates = {one: None for one in system.variables if one.owner is None and one.length == size}
    for expression in expressions:
        for node in walk(expression):
            if isinstance(node, Element) and not isinstance(node.index, Const):
                candidates.pop(node.variable, None)
    return list(candidates)


def _parts(action: Action) -> Iterator[Expression]:
    if action.guard is not None:
        yield action.guard
    for effect in action.effects:
        yield effect.target
        yield effect.value


class _Swap:
    """The exchange of two processes of a group, by their ranks in it."""

    def __init__(
        self, system: System, group: tuple[int, ...], indexed: Sequence[Variable], first: int, second: int
    ) -> None:
        self._system, self._indexed = system, set(indexed)
        self._processes = {group[first]: group[second], group[second]: group[first]}
        self._ranks = {first: second, second: first}
        one, other = (_owned(system, system.processes[group[rank]]) for rank in (first, second))
        self._variables = dict(zip([*one, *other], [*other, *one], strict=True))
        self._made: dict[int, Expression] = {}
        self._kept_alive: list[Expression] = []
        self._forms = _Forms()

    def prove(self, watched: Sequence[Expression]) -> None:
        """Raise `Broken` where something is not the same after the exchange."""
        before = Counter(self._form(action) for action in self._system.actions)
        for action in self._system.actions:
            form = self._form(self._exchanged(action))
            if not before[form]:
                raise Broken(f"no action does for the other what '{action.name}' does for one")
            before[form] -= 1
        for expression in watched:
            if self._forms.of(expression) != self._forms.of(self._swapped(expression)):
                raise Broken(f"'{self._system.scope.render(_unnegated(expression))}' tells them apart")

    def _exchanged(self, action: Action) -> Action:
        moves = tuple(
            type(move)(self._processes.get(move.process, move.process), move.source, move.target)
            for move in action.moves
        )
        guard = None if action.guard is None else self._swapped(action.guard)
        effects = tuple(
            Assign(self._target(effect), self._swapped(effect.value), together=effect.together)
            for effect in action.effects
        )
        return Action(action.name, moves, guard, effects, action.committed)

    def _target(self, effect: Assign) -> Read | Element:
        target = self._swapped(effect.target)
        assert isinstance(target, Read | Element)
        return target

    def _swapped(self, expression: Expression) -> Expression:
        for node in upwards(expression, self._made):
            self._made[id(node)] = self._replaced(node)
            self._kept_alive.append(node)
        return self._made[id(expression)]

    def _replaced(self, node: Expression) -> Expression:
        match node:
            case Read(variable=variable):
                return Read(self._variables.get(variable, variable))
            case Element(variable=variable, index=Const(value=index)) if variable in self._indexed:
                return Element(variable, Const(self._ranks.get(index, index)))
            case Element(variable=variable, index=index):
                return Element(self._variables.get(variable, variable), self._made[id(index)])
            case _:
                return rebuilt(node, [self._made[id(child)] for child in children(node)])

    def _form(self, action: Action) -> object:
        moves = tuple(sorted((move.process, move.source, move.target) for move in action.moves))
        guard = None if action.guard is None else self._forms.of(action.guard)
        effects = [(self._forms.of(one.target), self._forms.of(one.value), one.together) for one in action.effects]
        return moves, guard, tuple(sorted(effects) if _commute(action.effects) else effects), action.committed


def _unnegated(expression: Expression) -> Expression:
    """What is asked of states is where an invariant does not hold."""
    return expression.operand if isinstance(expression, Unary) and expression.operator == "not" else expression


def _commute(effects: Sequence[Assign]) -> bool:
    """Whether it does not matter in which order the effects are made."""
    written: set[object] = set()
    for effect in effects:
        target = effect.target
        if isinstance(target, Element) and not isinstance(target.index, Const):
            return False
        place = (target.variable, target.index if isinstance(target, Element) else None)
        if place in written or effect.together:
            return False
        written.add(place)
    variables = {effect.target.variable for effect in effects}
    return not any(_faults(one.value) or variables & variables_read(one.value) for one in effects)


def _faults(expression: Expression) -> bool:
    """Whether evaluating it can be a fault of a kind that depends on the state, overflows aside."""
    return any(
        isinstance(node, Undefined)
        or (isinstance(node, Element) and not isinstance(node.index, Const))
        or (isinstance(node, Binary) and node.operator in _FAULTING)
        for node in walk(expression)
    )


class _Forms:
    """Numbers of expressions: two have the same number where they are the same up to the order of what commutes."""

    def __init__(self) -> None:
        self._numbers: dict[object, int] = {}
        self._rows: dict[int, tuple[str, list[int]]] = {}
        """Of the numbers of rows, such as a + b + c: the operator, and the numbers of the parts."""
        self._known: dict[int, int] = {}
        self._kept_alive: list[Expression] = []

    def of(self, expression: Expression) -> int:
        for node in upwards(expression, self._known):
            self._known[id(node)] = self._number(node)
            self._kept_alive.append(node)
        return self._known[id(expression)]

    def _number(self, node: Expression) -> int:
        below = [self._known[id(child)] for child in children(node)]
        match node:
            case Const(value=value):
                return self._interned("const", value)
            case Read(variable=variable):
                return self._interned("read", variable)
            case Element(variable=variable):
                return self._interned("element", variable, *below)
            case Unary(operator=operator):
                return self._interned("unary", operator, *below)
            case Binary(operator=operator):
                return self._binary(node, operator, below)
            case Lookup(table=table):
                return self._interned("lookup", table, *below)
            case Undefined(reason=reason):
                return self._interned("undefined", reason)
            case _:
                return self._interned("choice", *below)

    def _binary(self, node: Binary, operator: str, below: list[int]) -> int:
        if operator in _ORDERED:
            return self._interned("binary", _ORDERED[operator], *reversed(below))
        if operator in _SYMMETRIC:
            return self._interned("binary", operator, *sorted(below))
        if operator not in _ASSOCIATIVE or _faults(node):
            return self._interned("binary", operator, *below)
        parts = sorted(part for one in below for part in self._parts(one, operator))
        number = self._interned("row", operator, *parts)
        self._rows[number] = operator, parts
        return number

    def _parts(self, number: int, operator: str) -> list[int]:
        row = self._rows.get(number)
        return row[1] if row is not None and row[0] == operator else [number]

    def _interned(self, *what: object) -> int:
        return self._numbers.setdefault(what, len(self._numbers))
