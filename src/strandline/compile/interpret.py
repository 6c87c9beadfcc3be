"""The definition of the semantics: a System run step by step in plain Python.

Slow on purpose and written to be read; everything fast is compared with it, and every trace is replayed by it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

from strandline.model.expression import (
    DIVISION_FAULT,
    INDEX_FAULT,
    OVERFLOW_FAULT,
    RANGE_FAULT,
    SHIFT_FAULT,
    Binary,
    Choice,
    Const,
    Element,
    Expression,
    Lookup,
    Read,
    Unary,
    Undefined,
    deep_recursion,
    size,
)
from strandline.model.system import Action, Assign, System, Variable, rows
from strandline.source import Span

INT64_MIN, INT64_MAX = -(2**63), 2**63 - 1

Valuation = tuple[int, ...]

_SMALL = 200
"""Nodes of an expression, as a tree, that is evaluated without remembering its parts."""


class Fault(Exception):
    """The model cannot be evaluated here; `kind` is a sentence for people, `span` the place in the model. Of a value or
    an index that does not fit, `about` is the variable and what it was."""

    def __init__(self, kind: str, span: Span | None, about: tuple[Variable, int] | None = None) -> None:
        super().__init__(kind)
        self.kind = kind
        self.span = span
        self.about = about


@dataclass(frozen=True, slots=True)
class Step:
    """One step: the actions taken together (several in a synchronous system, the observer's edge last), and the
    state reached or the fault met instead."""

    actions: tuple[Action, ...]
    target: Valuation | None
    fault: Fault | None = None


def evaluate(expression: Expression, values: Sequence[int], offsets: dict[Variable, int]) -> int:
    """The expression's value in a valuation; raises `Fault` where it has none."""
    if size(expression) <= _SMALL:
        return _value(expression, values, offsets, None)
    with deep_recursion():
        return _value(expression, values, offsets, {})


def _value(
    expression: Expression, values: Sequence[int], offsets: dict[Variable, int], known: dict[int, int] | None
) -> int:
    """As `evaluate`; `known` holds the values of parts by their `id`, so that shared ones are evaluated once."""
    match expression:
        case Const(value=value):
            return value
        case Read(variable=variable):
            return values[offsets[variable]]
        case _ if known is not None and id(expression) in known:
            return known[id(expression)]
        case Element(index=index):
            result = values[_slot(expression, _value(index, values, offsets, known), offsets)]
        case Unary(operator=operator, operand=operand):
            result = apply_unary(operator, _value(operand, values, offsets, known), expression.span)
        case Binary(operator="and", left=left, right=right):
            result = int(bool(_value(left, values, offsets, known)) and bool(_value(right, values, offsets, known)))
        case Binary(operator="or", left=left, right=right):
            result = int(bool(_value(left, values, offsets, known)) or bool(_value(right, values, offsets, known)))
        case Binary(operator="imply", left=left, right=right):
            result = int(not _value(left, values, offsets, known) or bool(_value(right, values, offsets, known)))
        case Binary(operator=operator, left=left, right=right):
            first, second = _value(left, values, offsets, known), _value(right, values, offsets, known)
            result = apply_binary(operator, first, second, expression.span)
        case Choice(condition=condition, then=then, otherwise=otherwise):
            chosen = then if _value(condition, values, offsets, known) else otherwise
            result = _value(chosen, values, offsets, known)
        case Lookup(table=table, index=index):
            place = _value(index, values, offsets, known)
            result = table.values[place] if 0 <= place < len(table.values) else 0
        case Undefined(reason=reason, span=span):
            raise Fault(reason, span)
    if known is not None:
        known[id(expression)] = result
    return result


def _slot(element: Element, index: int, offsets: dict[Variable, int]) -> int:
    """Which entry of the valuation an array element is; faults when the index is outside the array."""
    if not 0 <= index < element.variable.slots:
        raise Fault(INDEX_FAULT, element.span, (element.variable, index))
    return offsets[element.variable] + index


def apply_unary(operator: str, value: int, span: Span | None = None) -> int:
    """An operator's value; raises `Fault` where it has none."""
    if operator == "not":
        return int(value == 0)
    return _fitting(-value if operator == "-" else ~value, span)


def apply_binary(operator: str, left: int, right: int, span: Span | None = None) -> int:
    """The value of an operator that evaluates both its operands; raises `Fault` where it has none."""
    match operator:
        case "+":
            return _fitting(left + right, span)
        case "-":
            return _fitting(left - right, span)
        case "*":
            return _fitting(left * right, span)
        case "/" | "%" | "//" | "mod":
            return _divide(operator, left, right, span)
        case "&":
            return left & right
        case "|":
            return left | right
        case "^":
            return left ^ right
        case "<<" | ">>":
            if not 0 <= right <= 63:
                raise Fault(SHIFT_FAULT, span)
            return _fitting(left << right, span) if operator == "<<" else left >> right
        case "==":
            return int(left == right)
        case "!=":
            return int(left != right)
        case "<":
            return int(left < right)
        case "<=":
            return int(left <= right)
        case ">":
            return int(left > right)
        case ">=":
            return int(left >= right)
    raise ValueError(f"unknown operator {operator}")


def _divide(operator: str, left: int, right: int, span: Span | None) -> int:
    if right == 0:
        raise Fault(DIVISION_FAULT, span)
    if operator == "//":
        return _fitting(left // right, span)
    if operator == "mod":
        return left % right
    quotient = abs(left) // abs(right)
    quotient = quotient if (left < 0) == (right < 0) else -quotient
    return _fitting(quotient, span) if operator == "/" else left - quotient * right


def _fitting(value: int, span: Span | None) -> int:
    if not INT64_MIN <= value <= INT64_MAX:
        raise Fault(OVERFLOW_FAULT, span)
    return value


_MOST_KNOWN, _MOST_VALUES = 4096, 1 << 22
"""States whose steps an interpreter keeps, and values in the states that these steps lead to."""


class Interpreter:
    """Runs one System. All answers are in the System's canonical order of steps."""

    def __init__(self, system: System) -> None:
        self.system = system
        self._offsets = system.offsets
        self._known: dict[Valuation, list[Step]] = {}
        self._values = 0
        self._single: dict[tuple[Valuation, int], Step] = {}

    def evaluate(self, expression: Expression, state: Sequence[int]) -> int:
        return evaluate(expression, state, self._offsets)

    def steps(self, state: Valuation) -> list[Step]:
        """Every step of the state, the observer's part included; at most one faulting step, which is the last:
        the enumeration stops at a fault, because what follows it cannot be trusted. Those of some states are kept:
        traces of one run pass the same states again and again."""
        if state in self._known:
            return self._known[state]
        found = list(self.each_step(state))
        self._values += len(found) * len(state)
        if len(self._known) >= _MOST_KNOWN or self._values > _MOST_VALUES:
            self._known.clear()
            self._values = len(found) * len(state)
        self._known[state] = found
        return found

    def each_step(self, state: Valuation) -> Iterator[Step]:
        """The steps of a state as in `steps`, one after the other, for who may not need all of them."""
        if state in self._known:
            yield from self._known[state]
            return
        for step in self._all_steps(state):
            yield step
            if step.fault is not None:
                return

    def step(self, state: Valuation, number: int) -> Step | None:
        """The step of a state with a number; None where it has none. Steps behind it are not computed: along a path of
        a large model, what all other steps lead to would take most of the time and memory."""
        found = self._single.get((state, number))
        if found is None:
            found = next(islice(self.each_step(state), number, None), None)
            if found is None:
                return None
            if len(self._single) >= _MOST_KNOWN:
                self._single.clear()
            self._single[state, number] = found
        return found

    def _all_steps(self, state: Valuation) -> Iterator[Step]:
        moved = False
        for step in self._system_steps(state):
            moved = True
            yield from self._observed(step, state)
        if not moved and self.system.observer is not None:
            yield from self._observed(Step((), state), state)

    def is_deadlock(self, state: Valuation) -> bool:
        """No step of the system itself; an observer that steps alone does not count."""
        return next(self._system_steps(state), None) is None

    def _system_steps(self, state: Valuation) -> Iterator[Step]:
        return self._synchronous_steps(state) if self.system.synchronous else self._asynchronous_steps(state)

    def _asynchronous_steps(self, state: Valuation) -> Iterator[Step]:
        hurried = self._in_committed_location(state)
        for action in self._candidates(state):
            if hurried and not action.committed:
                continue
            step = self._attempt(action, state, state)
            if step is not None:
                yield step

    def _attempt(self, action: Action, state: Valuation, partial: Valuation) -> Step | None:
        """The action's guard read in `state` and its effects run on `partial`; None where it is not enabled."""
        try:
            if action.guard is not None and not self.evaluate(action.guard, state):
                return None
            return Step((action,), self._apply(action.effects, partial))
        except Fault as fault:
            return Step((action,), None, fault)

    def _apply(self, effects: tuple[Assign, ...], state: Valuation) -> Valuation:
        values = list(state)
        for row in rows(effects):
            for slot, value in [self._written(effect, values) for effect in row]:
                values[slot] = value
        return tuple(values)

    def _written(self, effect: Assign, values: list[int]) -> tuple[int, int]:
        """Which entry of the valuation an assignment writes, and what."""
        variable = effect.target.variable
        if isinstance(effect.target, Element):
            index = evaluate(effect.target.index, values, self._offsets)
            slot = _slot(effect.target, index, self._offsets)
        else:
            slot = self._offsets[variable]
        value = evaluate(effect.value, values, self._offsets)
        if value not in variable.domain:
            if not variable.domain.wraps:
                raise Fault(RANGE_FAULT, effect.span, (variable, value))
            value = variable.domain.wrap(value)
        return slot, value

    def _synchronous_steps(
        self, state: Valuation, taken: tuple[Action, ...] = (), partial: Valuation | None = None
    ) -> Iterator[Step]:
        """One action of every process together, depth first over the processes: guards read the source state,
        effects run process by process on what the processes before have made of it."""
        partial = state if partial is None else partial
        process = len(taken)
        if process == len(self.system.processes):
            yield Step(taken, partial)
            return
        for action in self._by_location.get((process, state[self._location_slots[process]]), ()):
            step = self._attempt(action, state, partial)
            if step is None:
                continue
            if step.target is None:
                yield Step((*taken, action), None, step.fault)
            else:
                yield from self._synchronous_steps(state, (*taken, action), step.target)

    def _observed(self, step: Step, state: Valuation) -> Iterator[Step]:
        """The step joined with every edge the observer can take from the source state."""
        observer = self.system.observer
        if observer is None or step.target is None:
            yield step
            return
        location = state[self._offsets[observer.location]]
        for edge in observer.edges:
            if edge.moves[0].source == location:
                joined = self._attempt(edge, state, step.target)
                if joined is not None:
                    yield Step((*step.actions, edge), joined.target, joined.fault)

    def _in_committed_location(self, state: Valuation) -> bool:
        return any(
            state[slot] in process.committed
            for process, slot in zip(self.system.processes, self._location_slots, strict=True)
        )

    def _candidates(self, state: Valuation) -> Iterator[Action]:
        """Actions whose processes stand in the right locations, in canonical order."""
        for action, required in self._unlocated:
            if all(state[slot] == value for slot, value in required):
                yield action
        for process, slot in enumerate(self._location_slots):
            for action in self._by_location.get((process, state[slot]), ()):
                if all(state[self._location_slots[move.process]] == move.source for move in action.moves[1:]):
                    yield action

    @cached_property
    def _location_slots(self) -> tuple[int, ...]:
        return tuple(self._offsets[process.location] for process in self.system.processes)

    @cached_property
    def _unlocated(self) -> tuple[tuple[Action, tuple[tuple[int, int], ...]], ...]:
        """The actions that move no process, each with values that its guard requires, by slots: where one differs the
        guard is false, because the parts of a conjunction are evaluated from the left."""
        actions = (action for action in self.system.actions if not action.moves)
        return tuple((action, tuple(self._required(action.guard))) for action in actions)

    def _required(self, guard: Expression | None) -> Iterator[tuple[int, int]]:
        waiting = [] if guard is None else [guard]
        while waiting:
            match waiting.pop():
                case Binary(operator="and", left=left, right=right):
                    waiting += [right, left]
                case Binary(operator="==", left=Read(variable=variable), right=Const(value=value)):
                    yield self._offsets[variable], value
                case _:
                    return

    @cached_property
    def _by_location(self) -> dict[tuple[int, int], list[Action]]:
        table: dict[tuple[int, int], list[Action]] = {}
        for action in self.system.actions:
            if action.moves:
                table.setdefault((action.moves[0].process, action.moves[0].source), []).append(action)
        return table
