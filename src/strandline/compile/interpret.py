"""The interpreter, which defines the semantics: it runs a System step by step in plain Python.

It is slow on purpose and written to be read; all compiled code is compared with it, and every trace is replayed by it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, islice

from strandline.model.expression import (
    DIVISION_FAULT,
    INDEX_FAULT,
    LOGICAL,
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
    children,
    size,
)
from strandline.model.system import Action, Assign, System, Variable, rows
from strandline.source import Span

INT64_MIN, INT64_MAX = -(2**63), 2**63 - 1

Valuation = tuple[int, ...]

LONGEST_PATH = 3000
"""Most actions of a step; longer ones are a fault."""
PATH_FAULT = f"a step of more than {LONGEST_PATH} actions, which may never end"

_LEAVES = (Const, Read)
_SMALL = 200
"""Size of an expression, as a tree, up to which subexpressions are not cached."""


class Fault(Exception):
    """A run-time error of the model.

    `kind` is a sentence for people, `span` the place in the model. If a value or an index is out of range, `about`
    holds the variable and the value.
    """

    def __init__(self, kind: str, span: Span | None, about: tuple[Variable, int] | None = None) -> None:
        super().__init__(kind)
        self.kind = kind
        self.span = span
        self.about = about


@dataclass(frozen=True, slots=True)
class Step:
    """A step: its actions, and its target or its fault.

    A synchronous system takes several actions together, a step that is a path has several in sequence; an edge of the
    property process is the last action.
    """

    actions: tuple[Action, ...]
    target: Valuation | None
    fault: Fault | None = None


def evaluate(expression: Expression, values: Sequence[int], offsets: dict[Variable, int]) -> int:
    """Return the value of an expression in a valuation. Raises `Fault` if it has none."""
    if size(expression) <= _SMALL:
        return _value(expression, values, offsets, None)
    return _value_of_large(expression, values, offsets)


def _value_of_large(expression: Expression, values: Sequence[int], offsets: dict[Variable, int]) -> int:
    """Evaluate without recursion, and shared subexpressions once.

    A part that turns out to be needed interrupts the node that needs it, which is evaluated again when it is known.
    """
    known: dict[int, int | None] = {}
    """The values of subexpressions; None for those that are being evaluated."""
    waiting = [expression]
    while waiting:
        node = waiting[-1]
        if id(node) not in known:
            known[id(node)] = None
            further = [
                part for part in _always_evaluated(node) if not isinstance(part, _LEAVES) and id(part) not in known
            ]
            if further:
                waiting += further
                continue
        elif known[id(node)] is not None:
            waiting.pop()
            continue
        try:
            known[id(node)] = _value(node, values, offsets, known)
            waiting.pop()
        except _Needed as needed:
            waiting.append(needed.part)
    return known[id(expression)]  # type: ignore[return-value]


def _always_evaluated(node: Expression) -> tuple[Expression, ...]:
    """Return the parts that are evaluated in any case unless an earlier one faults, the last one first."""
    if isinstance(node, Binary):
        return (node.left,) if node.operator in LOGICAL else (node.right, node.left)
    return (node.condition,) if isinstance(node, Choice) else children(node)


class _Needed(Exception):
    """A work item: this subexpression has to be evaluated first."""

    def __init__(self, part: Expression) -> None:
        super().__init__()
        self.part = part


def _value(
    expression: Expression, values: Sequence[int], offsets: dict[Variable, int], known: dict[int, int | None] | None
) -> int:
    """Evaluate as `evaluate` does.

    Without `known`, recursively. With `known`, which maps `id`s of subexpressions to values, only the node that is
    mapped to None is evaluated; a subexpression whose value is missing raises `_Needed`.
    """
    match expression:
        case Const(value=value):
            return value
        case Read(variable=variable):
            return values[offsets[variable]]
        # Without recursion: a missing value is requested by an exception, and this node is evaluated again afterwards.
        case _ if known is not None and (id(expression) not in known or known[id(expression)] is not None):
            kept = known.get(id(expression))
            if kept is None:
                raise _Needed(expression)
            return kept
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
    return result


def _slot(element: Element, index: int, offsets: dict[Variable, int]) -> int:
    """Return the position of an array element in the valuation. Raises `Fault` if the index is out of range."""
    if not 0 <= index < element.variable.slots:
        raise Fault(INDEX_FAULT, element.span, (element.variable, index))
    return offsets[element.variable] + index


def apply_unary(operator: str, value: int, span: Span | None = None) -> int:
    """Return the value of a unary operator. Raises `Fault` if it has none."""
    if operator == "not":
        return int(value == 0)
    return _check_range(-value if operator == "-" else ~value, span)


def apply_binary(operator: str, left: int, right: int, span: Span | None = None) -> int:
    """Return the value of a binary operator that evaluates both operands. Raises `Fault` if it has none."""
    match operator:
        # Computed exactly and then checked: overflow is a fault of the model, never a wrapped value.
        case "+":
            return _check_range(left + right, span)
        case "-":
            return _check_range(left - right, span)
        case "*":
            return _check_range(left * right, span)
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
            return _check_range(left << right, span) if operator == "<<" else left >> right
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
        return _check_range(left // right, span)
    if operator == "mod":
        return left % right
    quotient = abs(left) // abs(right)
    quotient = quotient if (left < 0) == (right < 0) else -quotient
    return _check_range(quotient, span) if operator == "/" else left - quotient * right


def _check_range(value: int, span: Span | None) -> int:
    if not INT64_MIN <= value <= INT64_MAX:
        raise Fault(OVERFLOW_FAULT, span)
    return value


_MOST_KNOWN, _MOST_VALUES = 4096, 1 << 22
"""Most states whose steps are cached, and most values in the targets of these steps."""


class Interpreter:
    """Executes a System. Steps are enumerated in the System's canonical order."""

    def __init__(self, system: System) -> None:
        self.system = system
        self._offsets = system.offsets
        self._known: dict[Valuation, list[Step]] = {}
        self._values = 0
        self._single: dict[tuple[Valuation, int], Step] = {}

    def evaluate(self, expression: Expression, state: Sequence[int]) -> int:
        return evaluate(expression, state, self._offsets)

    def steps(self, state: Valuation) -> list[Step]:
        """Return every step of a state, those of the property process included.

        The enumeration stops at the first fault, since later steps cannot be relied on; so at most one step faults, the
        last. Results are cached: traces of one run pass through the same states again and again.
        """
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
        """Yield the steps of a state as `steps` does, lazily."""
        if state in self._known:
            yield from self._known[state]
            return
        for step in self._generate_steps(state):
            yield step
            if step.fault is not None:
                return

    def all_steps(self, state: Valuation) -> list[Step]:
        """Return every step of a state as `steps` does, but also those behind one that faults."""
        known = self._known.get(state)
        return known if known and known[-1].fault is None else list(self._generate_steps(state))

    def step(self, state: Valuation, number: int) -> Step | None:
        """Return the step of a state with the given number; None if there is none.

        Later steps are not computed: along a path of a large model, computing the targets of all other steps would take
        most of the time and memory.
        """
        found = self._single.get((state, number))
        if found is None:
            found = next(islice(self.each_step(state), number, None), None)
            if found is None:
                return None
            if len(self._single) >= _MOST_KNOWN:
                self._single.clear()
            self._single[state, number] = found
        return found

    def _generate_steps(self, state: Valuation) -> Iterator[Step]:
        moved = False
        for step in self._system_steps(state):
            moved = True
            yield from self._with_observer(step, state)
        if not moved and self.system.observer is not None:
            yield from self._with_observer(Step((), state), state)

    def is_deadlock(self, state: Valuation) -> bool:
        """Return True if the system itself has no step; steps of the property process alone do not count."""
        return next(self._system_steps(state), None) is None

    def _system_steps(self, state: Valuation) -> Iterator[Step]:
        return self._synchronous_steps(state) if self.system.synchronous else self._asynchronous_steps(state)

    def _asynchronous_steps(self, state: Valuation) -> Iterator[Step]:
        moved = False
        for step in self._paths(self._first_actions(state, idle=False)):
            moved = True
            yield step
        if not moved and self.system.has_idle:
            yield from self._paths(self._first_actions(state, idle=True))

    def _first_actions(self, state: Valuation, *, idle: bool) -> Iterator[Step]:
        """Yield the steps of single actions, of those that are idle or of the others."""
        committed_only = self._in_committed_location(state)
        for action in self._candidates(state):
            if (committed_only and not action.committed) or action.idle != idle:
                continue
            step = self._attempt(action, state, state)
            if step is not None:
                yield step

    def _paths(self, first: Iterator[Step]) -> Iterator[Step]:
        """Yield the steps that begin with these; actions that continue are followed to the end of their step."""
        open_paths = [first]
        while open_paths:
            step = next(open_paths[-1], None)
            if step is None:
                open_paths.pop()
            elif step.target is None or step.actions[-1].continues is None:
                yield step
            elif len(open_paths) > LONGEST_PATH:
                yield Step(step.actions, None, Fault(PATH_FAULT, None))
            else:
                further = self._continuations(step, step.actions[-1].continues)
                following = next(further, None)
                if following is None:
                    yield step
                else:
                    open_paths.append(chain((following,), further))

    def _continuations(self, begun: Step, process: int) -> Iterator[Step]:
        """Yield the begun step with each action that a process can take behind it."""
        state = begun.target
        assert state is not None
        place = state[self._location_slots[process]]
        for action in self._by_location.get((process, place), ()):
            if action.idle or not self._stands(action, state):
                continue
            step = self._attempt(action, state, state)
            if step is not None:
                yield Step((*begun.actions, action), step.target, step.fault)

    def _stands(self, action: Action, state: Valuation) -> bool:
        return all(state[self._location_slots[move.process]] == move.source for move in action.moves[1:])

    def _attempt(self, action: Action, state: Valuation, partial: Valuation) -> Step | None:
        """Evaluate the guard in `state` and run the effects on `partial`; return None if the action is not enabled."""
        try:
            if action.guard is not None and not self.evaluate(action.guard, state):
                return None
            return Step((action,), self._apply(action.effects, partial))
        except Fault as fault:
            return Step((action,), None, fault)

    def _apply(self, effects: tuple[Assign, ...], state: Valuation) -> Valuation:
        values = list(state)
        for row in rows(effects):
            for slot, value in [self._resolve_write(effect, values) for effect in row]:
                values[slot] = value
        return tuple(values)

    def _resolve_write(self, effect: Assign, values: list[int]) -> tuple[int, int]:
        """Return the position and the value that an assignment writes."""
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
        """Yield the combinations of one action per process, depth-first over the processes.

        Guards read the source state; effects run process by process on the result of the earlier processes.
        """
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

    def _with_observer(self, step: Step, state: Valuation) -> Iterator[Step]:
        """Yield a step combined with every edge that the property process can take from the source state."""
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
        """Yield the actions whose processes are in their source locations, in canonical order."""
        for action, required in self._unlocated:
            if all(state[slot] == value for slot, value in required):
                yield action
        for process, slot in enumerate(self._location_slots):
            for action in self._by_location.get((process, state[slot]), ()):
                if self._stands(action, state):
                    yield action

    @cached_property
    def _location_slots(self) -> tuple[int, ...]:
        return tuple(self._offsets[process.location] for process in self.system.processes)

    @cached_property
    def _unlocated(self) -> tuple[tuple[Action, tuple[tuple[int, int], ...]], ...]:
        """The actions that move no process, each with values that its guard requires of some entries.

        If one of these entries has another value, the guard is false, because conjunctions are evaluated from the left.
        """
        actions = (action for action in self.system.actions if not action.moves)
        return tuple((action, tuple(self._required_values(action.guard))) for action in actions)

    def _required_values(self, guard: Expression | None) -> Iterator[tuple[int, int]]:
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
