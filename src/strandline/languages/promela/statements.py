"""Lowering of single statements: when they are executable, and their effects."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from strandline.languages.promela.arithmetic import binary, truncated, unwrapped
from strandline.languages.promela.expressions import UNINITIALISED, Lowerer
from strandline.languages.promela.instances import run_of
from strandline.languages.promela.storage import Leaf, structure_parts
from strandline.languages.promela.syntax import (
    Argument,
    Assignment,
    Condition,
    Declaration,
    Declare,
    Expr,
    Number,
    Receive,
    Reference,
    Run,
    Send,
    Statement,
)
from strandline.languages.promela.tokens import Token
from strandline.languages.promela.world import GONE, Channel, Instance, World
from strandline.languages.symbolic_execution.building import all_of, any_of, negate
from strandline.model.expression import FALSE, TRUE, Binary, Const, Element, Expression, Read, Undefined, variables_read
from strandline.model.system import Assign, Move, Variable

TOO_MANY = "more processes than expected; give their number by -D processes=N"


@dataclass(slots=True)
class Variant:
    """One way to execute a statement: its condition, its effects, and processes that it starts."""

    guard: Expression
    effects: list[Assign]
    moves: tuple[Move, ...] = ()
    fault: bool = False
    """True if its effects are a fault of the model."""


class Statements:
    """Lowers the statements of one process."""

    def __init__(self, world: World, instance: Instance, lowerer: Lowerer) -> None:
        self.world, self.instance, self.lowerer = world, instance, lowerer

    def variants(self, statement: Statement | None) -> list[Variant]:
        """Return the ways to execute a statement, without handshakes."""
        run = run_of(statement)
        if run is not None and statement is not None:
            return list(self._run(statement, run))
        match statement:
            case Condition(expression=expression):
                guard = self.lowerer.truth(expression)
                return [] if guard == FALSE else [Variant(guard, [])]
            case Assignment(target=target) if self._is_never_read(target.declaration):
                return [Variant(TRUE, [])]
            case Assignment(target=target, value=value):
                return [Variant(TRUE, [self.assign(target, self.lowerer.value(value))])]
            case Declare(declaration=declaration):
                return [Variant(TRUE, list(self.declare(declaration)))]
            case Send():
                return list(self._send(statement))
            case Receive():
                return list(self._receive(statement))
        return [Variant(TRUE, [])]

    def _is_never_read(self, declaration: Declaration) -> bool:
        """Return True for a hidden variable that is only assigned, which no state shows."""
        return declaration.hidden and declaration not in self.world.program.read

    def executable(self, statement: Statement | None) -> Expression:
        """Return the condition under which a statement can be executed, handshakes apart."""
        match statement:
            case Condition() if run_of(statement) is not None:
                return TRUE
        return any_of([one.guard for one in self.variants(statement) if not one.fault])

    def assign(self, target: Reference, value: Expression) -> Assign:
        place = self.lowerer.place(target)
        return Assign(place, unwrapped(value), self.lowerer.span(target.token))

    def declare(self, declaration: Declaration) -> Iterator[Assign]:
        """Yield the assignments that a declaration behind the first statement makes."""
        if declaration.channel is not None or declaration in self.instance.constants:
            return
        if declaration.structure is not None:
            return
        reference = Reference(declaration, None, [], declaration.token)
        if declaration.initial_list is not None:
            yield self.assign(reference, self.lowerer.value(declaration.initial_list[0]))
            return
        value = FALSE if declaration.initial is None else self.lowerer.value(declaration.initial)
        yield self.assign(reference, value)

    # --- processes --------------------------------------------------------------------------------------------

    def _run(self, statement: Statement, run: Run) -> Iterator[Variant]:
        world = self.world
        parameters = world.automata[run.name].proctype.parameters
        if len(parameters) != len(run.arguments):
            wanted = f"{len(parameters)} arguments, not {len(run.arguments)}"
            run.token.model_error(f"the proctype '{run.name}' takes {wanted}")
        count = world.process_count()
        known = []
        for instance in world.instances:
            if instance.automaton.proctype.name != run.name or instance.pid == self.instance.pid:
                continue
            here = Binary("==", count, Const(instance.pid))
            known.append(here)
            effects = [*self._create(instance, run)]
            if isinstance(statement, Assignment):
                self.lowerer.run_value = Const(instance.pid)
                effects.append(self.assign(statement.target, self.lowerer.value(statement.value)))
                self.lowerer.run_value = None
            elif isinstance(statement, Condition) and not isinstance(statement.expression, Run):
                run.token.model_error("'run' cannot be part of a condition")
            initial = instance.places[instance.automaton.states[0]]
            effects.append(Assign(Read(instance.location), Const(initial)))
            effects.append(Assign(Read(_variable(count)), Const(instance.pid + 1)))
            yield Variant(here, effects, (Move(instance.number, GONE, initial),))
        beyond = all_of([negate(one) for one in known])
        yield Variant(
            beyond, [Assign(Read(_variable(count)), Undefined(TOO_MANY, self.lowerer.span(run.token)))], (), True
        )

    def _create(self, instance: Instance, run: Run) -> Iterator[Assign]:
        """Yield the assignments that start a process: its parameters, then its variables."""
        proctype = instance.automaton.proctype
        other = Lowerer(self.world, instance, self.lowerer.enabled)
        span = self.lowerer.span(run.token)
        for parameter, argument in zip(proctype.parameters, run.arguments, strict=True):
            if parameter in instance.constants:
                continue
            if parameter.structure is not None:
                if not isinstance(argument, Reference) or not self.lowerer.is_structure(argument):
                    argument.token.model_error("this argument must be a structure")
                targets = Statements(self.world, instance, other).places(
                    Reference(parameter, None, [], parameter.token)
                )
                sources = self.places(argument)
                yield from (Assign(target, source, span) for target, source in zip(targets, sources, strict=True))
                continue
            place = other.place(Reference(parameter, None, [], parameter.token))
            yield Assign(place, unwrapped(self.lowerer.value(argument)), span)
        yield from creation(other, instance)

    # --- buffered channels ------------------------------------------------------------------------------------

    def unusable(self, reference: Reference, token: Token) -> Iterator[Variant]:
        """Yield the fault of using a channel variable that holds no channel."""
        if not self.lowerer.is_fixed(reference):
            number = self.lowerer.read(reference)
            fault = Undefined(UNINITIALISED, self.lowerer.span(token))
            yield Variant(Binary("==", number, Const(0)), [Assign(Read(_count(self.world)), fault)], (), True)

    def _send(self, send: Send) -> Iterator[Variant]:
        for channel, here in self.lowerer.channels(send.channel):
            if channel.length is None:
                continue
            values = self.values(channel, send.arguments, send.token)
            room = Binary("<", Read(channel.length), Const(channel.capacity))
            if not send.is_sorted:
                position: Expression = Read(channel.length) if channel.capacity > 1 else Const(0)
                yield Variant(all_of([here, room]), self._put(channel, values, position, send.token))
                continue
            for number in range(channel.capacity):
                guard = all_of([here, room, self._belongs(channel, values, number)])
                yield Variant(guard, self._insert(channel, values, number, send.token))
        yield from self.unusable(send.channel, send.token)

    def values(self, channel: Channel, arguments: Sequence[Expr], token: Token) -> list[Expression]:
        """Return the values of the simple parts of a message; a structure is all of its parts."""
        found: list[Expression] = []
        for argument in arguments:
            if isinstance(argument, Reference) and self.lowerer.is_structure(argument):
                found += self.places(argument)
            else:
                found.append(self.lowerer.value(argument))
        self.lowerer.check_count(channel, len(found), token)
        return found

    def places(self, reference: Reference) -> Iterator[Read | Element]:
        """Yield the places of all simple parts of a structure, in the order of a message."""
        declaration = reference.declaration
        storage = self.lowerer._storage(declaration, reference.token)
        prefix = tuple(name for name, _, _ in reference.fields)
        given = [reference.index, *(index for _, index, _ in reference.fields)]
        yield from _structure_places(self.lowerer, reference, storage, prefix, given)

    def _put(self, channel: Channel, values: Sequence[Expression], position: Expression, token: Token) -> list[Assign]:
        assert channel.length is not None
        span = self.lowerer.span(token)
        effects = [
            Assign(Element(field, position), unwrapped(value), span)
            for field, value in zip(channel.fields, values, strict=True)
        ]
        return [*effects, Assign(Read(channel.length), Binary("+", Read(channel.length), Const(1)), span)]

    def _belongs(self, channel: Channel, values: Sequence[Expression], number: int) -> Expression:
        """Return the condition that a sorted message is inserted at a position."""
        assert channel.length is not None
        length = Read(channel.length)
        before = [negate(self._larger(channel, values, one)) for one in range(number)]
        end = Binary("==", length, Const(number))
        here = all_of([Binary(">", length, Const(number)), self._larger(channel, values, number)])
        return all_of([Binary(">=", length, Const(number)), *before, any_of([end, here])])

    def _larger(self, channel: Channel, values: Sequence[Expression], number: int) -> Expression:
        """Return the condition that the message at a position is larger than a new one, field by field."""
        result: Expression = FALSE
        for part in reversed(range(len(values))):
            stored = channel.message(part, Const(number))
            new = truncated(values[part], channel.simple[part].domain)
            equal = all_of([binary("==", stored, new, None), result])
            result = any_of([binary(">", stored, new, None), equal])
        return result

    def _insert(self, channel: Channel, values: Sequence[Expression], number: int, token: Token) -> list[Assign]:
        assert channel.length is not None
        effects = []
        for field, value in zip(channel.fields, values, strict=True):
            for place in range(channel.capacity - 1, number, -1):
                effects.append(Assign(Element(field, Const(place)), Element(field, Const(place - 1))))
            effects.append(Assign(Element(field, Const(number)), unwrapped(value), self.lowerer.span(token)))
        return [*effects, Assign(Read(channel.length), Binary("+", Read(channel.length), Const(1)))]

    def _receive(self, receive: Receive) -> Iterator[Variant]:
        for channel, here in self.lowerer.channels(receive.channel):
            if channel.length is None:
                continue
            earlier: list[Expression] = []
            for position in range(channel.capacity if receive.random else 1):
                there = Binary(">", Read(channel.length), Const(position))
                matches = self.lowerer.matches(channel, receive.arguments, Const(position), receive.token)
                yield Variant(all_of([here, there, *earlier, matches]), self._take(channel, receive, position))
                earlier.append(negate(matches))
        yield from self.unusable(receive.channel, receive.token)

    def _take(self, channel: Channel, receive: Receive, position: int) -> list[Assign]:
        assert channel.length is not None
        values = [channel.message(part, Const(position)) for part in range(len(channel.fields))]
        effects = self.store(channel, receive.arguments, values, receive.token)
        if receive.keeps:
            return effects
        last = channel.capacity - 1
        for field in channel.fields:
            for place in range(position, last):
                effects.append(Assign(Element(field, Const(place)), Element(field, Const(place + 1))))
            effects.append(Assign(Element(field, Const(last)), Const(0)))
        return [*effects, Assign(Read(channel.length), Binary("-", Read(channel.length), Const(1)))]

    def store(
        self, channel: Channel, arguments: Sequence[Argument], values: Sequence[Expression], token: Token
    ) -> list[Assign]:
        """Return the assignments of the parts of a message to the variables of a receive, from left to right."""
        targets: list[tuple[Read | Element, Expression]] = []
        for argument, group in self.lowerer.groups(channel, arguments, token):
            if argument.kind == "set" and isinstance(argument.expression, Reference):
                if self._is_never_read(argument.expression.declaration):
                    continue
                targets += zip(self.places(argument.expression), (values[one] for one in group), strict=True)
        together = _is_simultaneous(targets)
        span = self.lowerer.span(token)
        return [
            Assign(place, unwrapped(value), span, together=together and number > 0)
            for number, (place, value) in enumerate(targets)
        ]


def creation(lowerer: Lowerer, instance: Instance) -> Iterator[Assign]:
    """Yield the assignments of the initial values of a process's variables."""
    proctype = instance.automaton.proctype
    for declaration in proctype.variables:
        leading = declaration in proctype.leading
        channels = lowerer.world.by_place.get((declaration, instance))
        for path, leaf in instance.storage.get(declaration, {}).items():
            inner = leaf.declaration
            for number in range(leaf.slots):
                if channels is not None and not path:
                    value: Expression = Const(channels[number].number)
                elif (one := initial_of(inner, number)) is not None and (leading or path):
                    value = unwrapped(lowerer.value(one))
                else:
                    continue
                place = Read(leaf.variable) if leaf.variable.length is None else Element(leaf.variable, Const(number))
                yield Assign(place, value, lowerer.span(declaration.token))


def initial_of(declaration: Declaration, number: int) -> Expr | None:
    """Return the initial value of an element; None for 0."""
    if declaration.initial_list is None:
        return declaration.initial
    return declaration.initial_list[number] if number < len(declaration.initial_list) else None


def _is_simultaneous(targets: Sequence[tuple[Read | Element, Expression]]) -> bool:
    """Return True unless a place depends on what is assigned before it."""
    written: set[object] = set()
    for place, _ in targets:
        if isinstance(place, Element) and variables_read(place.index) & written:
            return False
        written.add(place.variable)
    return True


def _structure_places(
    lowerer: Lowerer,
    reference: Reference,
    storage: dict[tuple[str, ...], Leaf],
    prefix: tuple[str, ...],
    given: list[Expr | None],
) -> Iterator[Read | Element]:
    declaration = reference.declaration
    for name in prefix:
        assert declaration.structure is not None
        declaration = next(one for one in declaration.structure.fields if one.name == name)
    if declaration.structure is None:
        yield lowerer.place(reference)
        return
    for path, numbers in structure_parts(declaration.structure):
        leaf = storage[(*prefix, *path)]
        indices = [*given, *(Number(one, reference.token) for one in numbers)]
        wanted = [None if length is None else one for one, length in zip(indices, leaf.lengths, strict=True)]
        yield lowerer.element(leaf, wanted, reference.token)


def _variable(count: Expression) -> Variable:
    assert isinstance(count, Read)
    return count.variable


def _count(world: World) -> Variable:
    assert world.count is not None
    return world.count
