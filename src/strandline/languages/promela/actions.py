"""Actions of processes: the steps of control automata, with handshakes, `else`, escapes and blocked d_steps."""

from __future__ import annotations

from collections.abc import Iterator

from strandline.languages.promela.arithmetic import binary, truncated
from strandline.languages.promela.control import Element, Transition
from strandline.languages.promela.expressions import Lowerer
from strandline.languages.promela.statements import Statements, Variant
from strandline.languages.promela.syntax import (
    Assert,
    Assignment,
    BinaryExpr,
    Condition,
    Conditional,
    Else,
    Expr,
    Receive,
    Send,
    Special,
    Statement,
    UnaryExpr,
)
from strandline.languages.promela.tokens import Token
from strandline.languages.promela.world import GONE, Channel, Instance, World
from strandline.languages.symbolic_execution.building import all_of, any_of, negate
from strandline.model.expression import FALSE, TRUE, Binary, Const, Expression, Read, Undefined
from strandline.model.expression import Element as ArrayElement
from strandline.model.system import Action, Assign, Move
from strandline.source import Span

BLOCKED = "a d_step blocks behind its first statement"


class Actions:
    """Makes the actions of all processes."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.lowerers = {one: Lowerer(world, one, self.enabled) for one in world.instances}
        self.statements = {one: Statements(world, one, self.lowerers[one]) for one in world.instances}
        self.failures: list[Action] = []
        """Steps that violate an assertion."""
        self._known: dict[tuple[Instance, Transition, bool], Expression] = {}
        self._guards: dict[tuple[Instance, Element, Transition, bool], Expression] = {}
        self._asked: set[Instance] = set()
        self._receivers = list(self._find_receivers())

    def build(self) -> Iterator[Action]:
        """Yield all actions."""
        for instance in self.world.instances:
            for state in instance.automaton.states:
                for step in instance.automaton.steps[state]:
                    yield from self._actions(instance, state, step, False)
                    if _mentions_timeout(step.element.statement):
                        yield from self._actions(instance, state, step, True)
                if state.d_step is not None:
                    yield from self._blocked(instance, state)

    # --- conditions -------------------------------------------------------------------------------------------

    def enabled(self, instance: Instance) -> Expression:
        """Return the condition that a process can make a step."""
        if instance in self._asked:
            instance.automaton.proctype.token.model_error("processes that ask for each other with 'enabled'")
        self._asked.add(instance)
        found = []
        for state in instance.automaton.states:
            if state.d_step is not None:
                continue
            steps = instance.automaton.steps[state]
            parts = [self._executable(instance, state, one, False) for one in steps]
            found.append(all_of([instance.at(state), any_of(parts)]))
        self._asked.discard(instance)
        return all_of([self._provided(instance), any_of(found)])

    def _provided(self, instance: Instance) -> Expression:
        provided = instance.automaton.proctype.provided
        return TRUE if provided is None else self.lowerers[instance].truth(provided)

    def _executable(self, instance: Instance, state: Element, step: Transition, timeout: bool) -> Expression:
        """Return the condition under which a step's statement can be executed, regardless of other steps."""
        key = (instance, step, timeout)
        if key not in self._known:
            self._known[key] = self._compute_executable(instance, state, step, timeout)
        return self._known[key]

    def _compute_executable(self, instance: Instance, state: Element, step: Transition, timeout: bool) -> Expression:
        statement = step.element.statement
        if step.target is None:
            return self._youngest(instance)
        if isinstance(statement, Else):
            # SPIN tries the steps of an escape in reverse order: nothing stands in front of `else`.
            return TRUE if step.group < 0 else self._otherwise(instance, state, step, timeout)
        lowerer = self.lowerers[instance]
        lowerer.timeout = timeout
        found = self.statements[instance].executable(statement)
        lowerer.timeout = False
        if isinstance(statement, Send):
            found = any_of([found, *(pair.guard for pair in self._handshakes(instance, statement))])
        return found

    def _youngest(self, instance: Instance) -> Expression:
        return Binary("==", self.world.process_count(), Const(instance.pid + 1))

    def _otherwise(self, instance: Instance, state: Element, step: Transition, timeout: bool) -> Expression:
        """Return the condition of `else`: no step in front of it is executable."""
        steps = instance.automaton.steps[state]
        earlier = [one for one in steps[: steps.index(step)] if one.group == step.group]
        return all_of([negate(self._executable(instance, state, one, timeout)) for one in earlier])

    def _guard(self, instance: Instance, state: Element, step: Transition, timeout: bool) -> Expression:
        """Return the condition that other steps of the process put on a step."""
        steps = instance.automaton.steps[state]
        found = [self._provided(instance)]
        position = steps.index(step)
        for one in steps:
            if one.group < step.group:
                found.append(negate(self._executable(instance, state, one, timeout)))
        for one in steps[:position]:
            if step.first and one.first and one.element.d_step is step.element.d_step and one.group == step.group:
                found.append(negate(self._executable(instance, state, one, timeout)))
        if isinstance(step.element.statement, Else) and step.group == 0:
            found.append(self._otherwise(instance, state, step, timeout))
        return all_of(found)

    # --- steps ------------------------------------------------------------------------------------------------

    def _actions(self, instance: Instance, state: Element, step: Transition, timeout: bool) -> Iterator[Action]:
        guard = self._guard(instance, state, step, timeout)
        if guard == FALSE:
            return
        statement = step.element.statement
        if step.target is None:
            yield self._death(instance, state, guard)
            return
        if isinstance(statement, Assert):
            self._add_failure(instance, state, guard, statement)
        lowerer = self.lowerers[instance]
        lowerer.timeout = timeout
        variants = self.statements[instance].variants(statement)
        lowerer.timeout = False
        for one in variants:
            yield self._action(instance, state, step, all_of([guard, one.guard]), one, timeout)
        if isinstance(statement, Send):
            yield from self._pairs(instance, state, step, guard, statement)

    def _action(
        self, instance: Instance, state: Element, step: Transition, guard: Expression, variant: Variant, timeout: bool
    ) -> Action:
        source, target = instance.places[state], instance.places[step.target] if step.target else GONE
        effects = [*variant.effects, *self._after(instance, source, target)]
        return Action(
            self._name(instance, step),
            (Move(instance.number, source, target), *variant.moves),
            None if guard == TRUE else guard,
            tuple(effects),
            span=self._span(step),
            continues=instance.number if step.continues and not variant.fault else None,
            idle=timeout,
        )

    def _after(self, instance: Instance, source: int, target: int) -> list[Assign]:
        found = [] if source == target else [Assign(Read(instance.location), Const(target))]
        if self.world.last is not None:
            found.append(Assign(Read(self.world.last), Const(instance.pid)))
        return found

    def _name(self, instance: Instance, step: Transition) -> str:
        return f"{instance.name}: {text_of(step.element)}"

    def _span(self, step: Transition) -> Span | None:
        statement = step.element.statement
        return None if statement is None else self.world.span(statement.token.span, statement.token.source)

    def _death(self, instance: Instance, state: Element, guard: Expression) -> Action:
        assert self.world.count is not None
        effects = [Assign(Read(self.world.count), Const(instance.pid))]
        for variable in self.world.of_instance(instance):
            places = (
                [Read(variable)]
                if variable.length is None
                else [ArrayElement(variable, Const(one)) for one in range(variable.length)]
            )
            effects += [Assign(place, Const(0)) for place in places]
        effects += self._after(instance, instance.places[state], GONE)
        condition = all_of([self._youngest(instance), guard])
        move = Move(instance.number, instance.places[state], GONE)
        return Action(f"{instance.name}: ends", (move,), condition, tuple(effects))

    def _add_failure(self, instance: Instance, state: Element, guard: Expression, statement: Assert) -> None:
        violated = negate(self.lowerers[instance].truth(statement.expression))
        if violated == FALSE:
            return
        location = instance.failing[statement]
        move = Move(instance.number, instance.places[state], location)
        self.failures.append(
            Action(
                f"{instance.name}: assert({statement.text}) fails",
                (move,),
                all_of([guard, violated]),
                (Assign(Read(instance.location), Const(location)),),
                span=self.world.span(statement.token.span, statement.token.source),
            )
        )

    def _blocked(self, instance: Instance, state: Element) -> Iterator[Action]:
        """Yield the fault of a d_step that blocks in a state."""
        steps = instance.automaton.steps[state]
        possible = any_of([self._executable(instance, state, one, False) for one in steps])
        if possible == TRUE:
            return
        span = self._span(steps[0]) if steps else None
        place = instance.places[state]
        assert self.world.count is not None
        effect = Assign(Read(self.world.count), Undefined(BLOCKED, span))
        move = Move(instance.number, place, place)
        yield Action(f"{instance.name}: blocks", (move,), negate(possible), (effect,), span=span)

    # --- handshakes -------------------------------------------------------------------------------------------

    def _find_receivers(self) -> Iterator[tuple[Instance, Element, Transition, Receive]]:
        for instance in self.world.instances:
            for state in instance.automaton.states:
                for step in instance.automaton.steps[state]:
                    statement = step.element.statement
                    if isinstance(statement, Receive) and not statement.keeps:
                        yield instance, state, step, statement

    def _handshakes(self, sender: Instance, send: Send) -> Iterator[_Handshake]:
        """Yield the ways in which other processes can receive what a process sends."""
        lowerer, statements = self.lowerers[sender], self.statements[sender]
        for channel, here in lowerer.channels(send.channel):
            if channel.capacity:
                continue
            values = statements.values(channel, send.arguments, send.token)
            for receiver, state, step, receive in self._receivers:
                if receiver.pid == sender.pid:
                    continue
                other = self.lowerers[receiver]
                there = next((one for made, one in other.channels(receive.channel) if made is channel), None)
                if there is None:
                    continue
                matches = self._matching(receiver, channel, receive, values)
                provided = self._provided(receiver)
                guard = all_of([receiver.at(state), here, there, provided, matches])
                if guard != FALSE:
                    yield _Handshake(guard, receiver, state, step, receive, channel, values)

    def _matching(self, receiver: Instance, channel: Channel, receive: Receive, values: list[Expression]) -> Expression:
        lowerer = self.lowerers[receiver]
        parts = []
        for argument, group in lowerer.groups(channel, receive.arguments, receive.token):
            if argument.kind == "match" and argument.expression is not None:
                value = truncated(values[group[0]], channel.simple[group[0]].domain)
                parts.append(binary("==", value, lowerer.value(argument.expression), None))
        return all_of(parts)

    def _pairs(
        self, sender: Instance, state: Element, step: Transition, guard: Expression, send: Send
    ) -> Iterator[Action]:
        for pair in self._handshakes(sender, send):
            if step.element.d_step is not None:
                send.token.model_error("a handshake cannot be sent inside a d_step")
            assert step.target is not None
            assert pair.step.target is not None
            channel, receiver = pair.channel, pair.receiver
            values = [truncated(value, part.domain) for value, part in zip(pair.values, channel.simple, strict=True)]
            source, target = sender.places[state], sender.places[step.target]
            other_source, other_target = receiver.places[pair.state], receiver.places[pair.step.target]
            stored = self.statements[receiver].store(channel, pair.receive.arguments, values, pair.receive.token)
            effects = [
                *stored,
                *self._after(sender, source, target),
                *self._after(receiver, other_source, other_target),
            ]
            moves = (Move(sender.number, source, target), Move(receiver.number, other_source, other_target))
            yield Action(
                f"{self._name(sender, step)}, {self._name(receiver, pair.step)}",
                moves,
                all_of([guard, pair.guard_without_location]),
                tuple(effects),
                span=self._span(step),
                continues=receiver.number if pair.step.continues else None,
            )


class _Handshake:
    def __init__(
        self,
        guard: Expression,
        receiver: Instance,
        state: Element,
        step: Transition,
        receive: Receive,
        channel: Channel,
        values: list[Expression],
    ) -> None:
        self.guard, self.receiver, self.state, self.step = guard, receiver, state, step
        self.receive, self.channel, self.values = receive, channel, values

    @property
    def guard_without_location(self) -> Expression:
        return self.guard


def text_of(element: Element) -> str:
    """Return the text of a statement, for traces."""
    statement = element.statement
    if statement is None or element.kind == "pass":
        return "goes on"
    text = " ".join(_slice(statement.token, statement.last).split())
    return text if len(text) <= 60 else f"{text[:57]}..."


def _slice(first: Token, last: Token | None) -> str:
    """Return the text from one token to another: where they stand, or in the inline that both come from."""
    if last is not None and first.source is last.source and first.span.start < last.span.start:
        return first.source.text[first.span.start : last.span.end]
    if last is not None and first.origins and last.origins:
        begin, end = first.origins[0], last.origins[0]
        if begin.source is end.source and begin.span.start <= end.span.start:
            return begin.source.text[begin.span.start : end.span.end]
    return first.text if first.kind != "string" else "step"


def _mentions_timeout(statement: Statement | None) -> bool:
    match statement:
        case Condition(expression=expression) | Assignment(value=expression) | Assert(expression=expression):
            return _in_expression(expression)
    return False


def _in_expression(expression: Expr) -> bool:
    match expression:
        case Special(name="timeout"):
            return True
        case UnaryExpr(operand=operand):
            return _in_expression(operand)
        case BinaryExpr(left=left, right=right):
            return _in_expression(left) or _in_expression(right)
        case Conditional(condition=condition, then=then, otherwise=otherwise):
            return any(map(_in_expression, (condition, then, otherwise)))
    return False
