"""Variables as bits, expressions as sets of states.

A slot of the state is a number within the box that `strandline.analysis.ranges` proves for it, in binary, the most
significant bit first; each bit stands next to its reference for the next state. Sets of states may hold assignments that are
no states; `valid` is what to meet them with. An expression is known by its *cases*: for each value that it can have,
the set of states in which it has that. Where it faults it has none, so that the cases of an expression also tell where
it does. Sums of many wide variables have too many cases: a `ResourceError` says so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import ge, gt, le, lt

from strandline.compile.interpret import Fault, apply_binary, apply_unary
from strandline.errors import ResourceError
from strandline.model.expression import (
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
    upwards,
)
from strandline.model.system import Variable
from strandline.symbolic.diagrams import Diagrams, Function
from strandline.transform.simultaneous import Slot

Cases = dict[int, Function]
"""For each value the states in which an expression has it; no two of these sets meet."""

MOST_CASES = 1 << 12
"""Values of an expression."""
_MOST_PAIRS = 1 << 20
"""Pairs of values that an operator is tried with."""


@dataclass(frozen=True, slots=True)
class Field:
    """Where a slot is kept: as a number from `low` on, in these bits."""

    slot: Slot
    low: int
    high: int
    now: tuple[int, ...]
    next: tuple[int, ...]


class Encoding:
    """Sets of states by expressions, over some fields."""

    def __init__(self, diagrams: Diagrams, fields: Iterable[Field], watch: Callable[[], None]) -> None:
        self.diagrams = diagrams
        self.fields = {field.slot: field for field in fields}
        self._watch = watch
        self._known: dict[int, Cases] = {}
        self._kept: list[Expression] = []
        self._slots: dict[Slot, Cases] = {}
        self._others: dict[Slot, Function] = {}

    def equal(self, slot: Slot, value: int, *, next: bool = False) -> Function:
        """The states, or next states, in which a slot has a value; none where it cannot."""
        field = self.fields[slot]
        if not field.low <= value <= field.high:
            return self.diagrams.false
        return self.diagrams.code(field.next if next else field.now, value - field.low)

    def valid(self) -> Function:
        """The states whose bits all are values."""
        return self.diagrams.all_of(
            self.diagrams.any_of(self.equal(slot, value) for value in range(field.low, field.high + 1))
            for slot, field in self.fields.items()
        )

    def values(self, slot: Slot, states: Function) -> list[int]:
        """The values that a slot has in a set of states."""
        field, diagrams = self.fields[slot], self.diagrams
        if diagrams.size(states) > len(self.fields):
            # To look through all of it for its bits would take longer than to say which ones are not wanted.
            states = diagrams.some(states, self._all_but(slot))
        others = diagrams.support(states).difference(field.now)
        waiting = [(0, 0, diagrams.some(states, diagrams.cube(others)) if others else states)]
        found = []
        while waiting:
            place, number, here = waiting.pop()
            if here == diagrams.false:
                continue
            if place == len(field.now):
                found.append(field.low + number)
                continue
            node = diagrams.children(here)
            high, low = (here, here) if node is None or node[0] != field.now[place] else node[1:]
            waiting += [(place + 1, number << 1 | 1, high), (place + 1, number << 1, low)]
        return [value for value in found if value <= field.high]

    def _all_but(self, slot: Slot) -> Function:
        """The bits of all other slots, to quantify over."""
        known = self._others.get(slot)
        if known is None:
            others = (bit for other, field in self.fields.items() if other != slot for bit in field.now)
            known = self._others[slot] = self.diagrams.cube(others)
        return known

    def truth(self, expression: Expression) -> tuple[Function, Function]:
        """Where an expression is true, and where it is false; it faults where it is neither."""
        cases = self.cases(expression)
        false = cases.get(0, self.diagrams.false)
        return self.diagrams.any_of(cases[value] for value in cases if value), false

    def faulting(self, expression: Expression) -> Function:
        """Where an expression has no value."""
        return self.diagrams.denied(self.diagrams.any_of(self.cases(expression).values()))

    def cases(self, expression: Expression) -> Cases:
        """The cases of an expression; those of its parts are kept."""
        for node in upwards(expression, self._known):
            self._watch()
            self._known[id(node)] = self._of_node(node)
            # What is known by its place in memory must stay there.
            self._kept.append(node)
        return self._known[id(expression)]

    def _of_node(self, node: Expression) -> Cases:
        parts = [self._known[id(part)] for part in children(node)]
        match node:
            case Const(value=value):
                return {value: self.diagrams.true}
            case Read(variable=variable):
                return self._of_slot(Slot(variable))
            case Element(variable=variable):
                return self._element(variable, parts[0])
            case Unary(operator=operator):
                return self._mapped(parts[0], lambda value: apply_unary(operator, value))
            case Binary(operator="and" | "or" | "imply" as operator):
                return self._logical(operator, *parts)
            case Binary(operator="==" | "!=" as operator):
                return self._equality(operator, *parts)
            case Binary(operator="<" | "<=" | ">" | ">=" as operator):
                return self._comparison(operator, *parts)
            case Binary(operator=operator):
                return self._operated(operator, *parts)
            case Choice():
                return self._chosen(*parts)
            case Lookup(table=table):
                return self._mapped(parts[0], lambda at: table.values[at] if 0 <= at < len(table.values) else 0)
            case Undefined():
                return {}

    def _of_slot(self, slot: Slot) -> Cases:
        """Its values. Bits that are none stand for the largest one, so that nothing seems to fault there."""
        if slot not in self._slots:
            field = self.fields[slot]
            if field.high - field.low >= MOST_CASES:
                name = slot.variable.name
                raise ResourceError(f"'{name}' may have more than {MOST_CASES:,} values, too many for sets")
            cases = {value: self.equal(slot, value) for value in range(field.low, field.high)}
            cases[field.high] = self.diagrams.denied(self.diagrams.any_of(cases.values()))
            self._slots[slot] = cases
        return self._slots[slot]

    def _element(self, variable: Variable, index: Cases) -> Cases:
        found: list[tuple[int, Function]] = []
        for place, where in index.items():
            if 0 <= place < variable.slots:
                cases = self._of_slot(Slot(variable, place))
                found += [(value, self.diagrams.both(where, states)) for value, states in cases.items()]
        return self._gathered(found)

    def _gathered(self, found: Iterable[tuple[int, Function]]) -> Cases:
        parts: dict[int, list[Function]] = {}
        for value, states in found:
            if states != self.diagrams.false:
                parts.setdefault(value, []).append(states)
        if len(parts) > MOST_CASES:
            raise ResourceError(f"an expression has more than {MOST_CASES:,} values, too many to be told apart in sets")
        return {value: self.diagrams.any_of(states) for value, states in parts.items()}

    def _mapped(self, cases: Cases, compute: Callable[[int], int]) -> Cases:
        return self._gathered(
            (result, states)
            for value, states in cases.items()
            if (result := _without_fault(lambda value=value: compute(value))) is not None  # type: ignore[misc]
        )

    def _truths(self, true: Function, false: Function) -> Cases:
        return {value: states for value, states in ((1, true), (0, false)) if states != self.diagrams.false}

    def _split(self, cases: Cases) -> tuple[Function, Function]:
        true = self.diagrams.any_of(states for value, states in cases.items() if value)
        return true, cases.get(0, self.diagrams.false)

    def _logical(self, operator: str, left: Cases, right: Cases) -> Cases:
        """The right side is looked at only where the left does not decide."""
        either, both = self.diagrams.either, self.diagrams.both
        (true, false), (then, otherwise) = self._split(left), self._split(right)
        if operator == "and":
            return self._truths(both(true, then), either(false, both(true, otherwise)))
        if operator == "imply":
            return self._truths(either(false, both(true, then)), both(true, otherwise))
        return self._truths(either(true, both(false, then)), both(false, otherwise))

    def _compared(self, true: Function, left: Cases, right: Cases) -> Cases:
        defined = self.diagrams.both(self.diagrams.any_of(left.values()), self.diagrams.any_of(right.values()))
        true = self.diagrams.both(true, defined)
        return self._truths(true, self.diagrams.both(defined, self.diagrams.denied(true)))

    def _equality(self, operator: str, left: Cases, right: Cases) -> Cases:
        same = self.diagrams.any_of(self.diagrams.both(left[value], right[value]) for value in left if value in right)
        cases = self._compared(same, left, right)
        return cases if operator == "==" else self._truths(*reversed(self._split(cases)))

    def _comparison(self, operator: str, left: Cases, right: Cases) -> Cases:
        compare = {"<": lt, "<=": le, ">": gt, ">=": ge}[operator]
        values = sorted(right, reverse=operator.startswith("<"))
        parts, reached, last = [], self.diagrams.false, 0
        # What is right of the least value is right of the larger ones too: each right side is joined once.
        for value in sorted(left, reverse=operator.startswith("<")):
            while last < len(values) and compare(value, values[last]):
                reached = self.diagrams.either(reached, right[values[last]])
                last += 1
            parts.append(self.diagrams.both(left[value], reached))
        return self._compared(self.diagrams.any_of(parts), left, right)

    def _operated(self, operator: str, left: Cases, right: Cases) -> Cases:
        if len(left) * len(right) > _MOST_PAIRS:
            raise ResourceError(f"'{operator}' has more than {_MOST_PAIRS:,} pairs of operands, too many for sets")
        found: list[tuple[int, Function]] = []
        for first, here in left.items():
            self._watch()
            for second, there in right.items():
                result = _without_fault(lambda: apply_binary(operator, first, second))  # noqa: B023
                if result is not None:
                    found.append((result, self.diagrams.both(here, there)))
        return self._gathered(found)

    def _chosen(self, condition: Cases, then: Cases, otherwise: Cases) -> Cases:
        true, false = self._split(condition)
        found = [(value, self.diagrams.both(true, states)) for value, states in then.items()]
        found += [(value, self.diagrams.both(false, states)) for value, states in otherwise.items()]
        return self._gathered(found)


def _without_fault(compute: Callable[[], int]) -> int | None:
    try:
        return compute()
    except Fault:
        return None


def lay_out(boxes: Mapping[Slot, tuple[int, int]], order: Sequence[Slot], first: int) -> list[Field]:
    """Fields in an order, from a bit on; each bit next to its reference of the next state."""
    fields, bit = [], first
    for slot in order:
        low, high = boxes[slot]
        width = (high - low).bit_length()
        fields.append(
            Field(slot, low, high, tuple(range(bit, bit + 2 * width, 2)), tuple(range(bit + 1, bit + 2 * width + 1, 2)))
        )
        bit += 2 * width
    return fields
