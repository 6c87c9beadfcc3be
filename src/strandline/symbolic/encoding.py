"""Encode variables as bits and expressions as BDDs.

A slot of the state is a number within the interval that `strandline.analysis.ranges` proves for it, in binary, most
significant bit first; each current-state bit is next to its next-state bit in the variable order. A BDD may hold
assignments that encode no state; intersect it with `valid` to drop them. An expression is represented by its *cases*:
for each value it can have, the set of states in which it has that value. It has no value where it faults, so the cases
of an expression also say where it faults. Sums of many wide variables have too many cases, which raises
`ResourceError`.
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
)
from strandline.model.system import Variable
from strandline.model.walk import Fold
from strandline.symbolic.diagrams import Diagrams, Function
from strandline.transform.simultaneous import Slot

Cases = dict[int, Function]
"""For each value of an expression, the states in which it has that value. The sets are disjoint."""

MOST_CASES = 1 << 12
"""Most values of one expression."""
_MOST_PAIRS = 1 << 20
"""Most pairs of values to which a binary operator is applied."""


@dataclass(frozen=True, slots=True)
class Field:
    """The bits of a slot, which encode its value minus `low`."""

    slot: Slot
    low: int
    high: int
    now: tuple[int, ...]
    next: tuple[int, ...]


class Encoding(Fold[Cases]):
    """Computes sets of states from expressions over some fields."""

    def __init__(self, diagrams: Diagrams, fields: Iterable[Field], watch: Callable[[], None]) -> None:
        super().__init__()
        self.diagrams = diagrams
        self.fields = {field.slot: field for field in fields}
        self._poll = watch
        self._slots: dict[Slot, Cases] = {}
        self._others: dict[Slot, Function] = {}

    def equal(self, slot: Slot, value: int, *, next: bool = False) -> Function:
        """Return the states, or next states, in which a slot has a value; none if the value is out of range."""
        field = self.fields[slot]
        if not field.low <= value <= field.high:
            return self.diagrams.false
        return self.diagrams.code(field.next if next else field.now, value - field.low)

    def valid(self) -> Function:
        """Return the assignments that encode a state: every slot within its range."""
        return self.diagrams.all_of(
            self.diagrams.any_of(self.equal(slot, value) for value in range(field.low, field.high + 1))
            for slot, field in self.fields.items()
        )

    def values(self, slot: Slot, states: Function) -> list[int]:
        """Return the values that a slot has in a set of states."""
        field, diagrams = self.fields[slot], self.diagrams
        if diagrams.size(states) > len(self.fields):
            # Computing the support of a large BDD costs more than quantifying over all other bits.
            states = diagrams.exists(states, self._all_but(slot))
        others = diagrams.support(states).difference(field.now)
        waiting = [(0, 0, diagrams.exists(states, diagrams.cube(others)) if others else states)]
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
        """Return the cube of the bits of all other slots."""
        known = self._others.get(slot)
        if known is None:
            others = (bit for other, field in self.fields.items() if other != slot for bit in field.now)
            known = self._others[slot] = self.diagrams.cube(others)
        return known

    def truth(self, expression: Expression) -> tuple[Function, Function]:
        """Return where an expression is true and where it is false; it faults everywhere else."""
        cases = self.cases(expression)
        false = cases.get(0, self.diagrams.false)
        return self.diagrams.any_of(cases[value] for value in cases if value), false

    def faulting(self, expression: Expression) -> Function:
        """Return the states in which evaluating an expression faults."""
        return self.diagrams.not_(self.diagrams.any_of(self.cases(expression).values()))

    def cases(self, expression: Expression) -> Cases:
        """Return the cases of an expression. Those of its subexpressions are cached."""
        return self.of(expression)

    def combine(self, node: Expression) -> Cases:
        self._poll()
        return super().combine(node)

    def constant(self, node: Const) -> Cases:
        return {node.value: self.diagrams.true}

    def read(self, node: Read) -> Cases:
        return self._cases_of_slot(Slot(node.variable))

    def element(self, node: Element, index: Cases) -> Cases:
        return self._cases_of_element(node.variable, index)

    def unary(self, node: Unary, operand: Cases) -> Cases:
        return self._map_cases(operand, lambda value: apply_unary(node.operator, value))

    def binary(self, node: Binary, left: Cases, right: Cases) -> Cases:
        match node.operator:
            case "and" | "or" | "imply" as operator:
                return self._combine_logical(operator, left, right)
            case "==" | "!=" as operator:
                return self._compare_equal(operator, left, right)
            case "<" | "<=" | ">" | ">=" as operator:
                return self._compare_ordered(operator, left, right)
            case operator:
                return self._apply_operator(operator, left, right)

    def choice(self, node: Choice, condition: Cases, then: Cases, otherwise: Cases) -> Cases:
        return self._choice_cases(condition, then, otherwise)

    def lookup(self, node: Lookup, index: Cases) -> Cases:
        numbers = node.table.values
        return self._map_cases(index, lambda place: numbers[place] if 0 <= place < len(numbers) else 0)

    def undefined(self, node: Undefined) -> Cases:
        return {}

    def _cases_of_slot(self, slot: Slot) -> Cases:
        """Return the cases of a slot.

        Codes above the largest value count as the largest value, so that they do not look like faults.
        """
        if slot not in self._slots:
            field = self.fields[slot]
            if field.high - field.low >= MOST_CASES:
                name = slot.variable.name
                raise ResourceError(
                    f"'{name}' may have more than {MOST_CASES:,} values, too many for the symbolic encoding"
                )
            cases = {value: self.equal(slot, value) for value in range(field.low, field.high)}
            cases[field.high] = self.diagrams.not_(self.diagrams.any_of(cases.values()))
            self._slots[slot] = cases
        return self._slots[slot]

    def _cases_of_element(self, variable: Variable, index: Cases) -> Cases:
        found: list[tuple[int, Function]] = []
        for place, where in index.items():
            if 0 <= place < variable.slots:
                cases = self._cases_of_slot(Slot(variable, place))
                found += [(value, self.diagrams.and_(where, states)) for value, states in cases.items()]
        return self._collect_cases(found)

    def _collect_cases(self, found: Iterable[tuple[int, Function]]) -> Cases:
        parts: dict[int, list[Function]] = {}
        for value, states in found:
            if states != self.diagrams.false:
                parts.setdefault(value, []).append(states)
        if len(parts) > MOST_CASES:
            raise ResourceError(
                f"an expression has more than {MOST_CASES:,} values, too many for the symbolic encoding"
            )
        return {value: self.diagrams.any_of(states) for value, states in parts.items()}

    def _map_cases(self, cases: Cases, compute: Callable[[int], int]) -> Cases:
        return self._collect_cases(
            (result, states)
            for value, states in cases.items()
            if (result := _value_or_none(lambda value=value: compute(value))) is not None  # type: ignore[misc]
        )

    def _truth_cases(self, true: Function, false: Function) -> Cases:
        return {value: states for value, states in ((1, true), (0, false)) if states != self.diagrams.false}

    def _split(self, cases: Cases) -> tuple[Function, Function]:
        true = self.diagrams.any_of(states for value, states in cases.items() if value)
        return true, cases.get(0, self.diagrams.false)

    def _combine_logical(self, operator: str, left: Cases, right: Cases) -> Cases:
        """Combine the cases of a logical operator; the right operand matters only where the left does not decide."""
        either, both = self.diagrams.or_, self.diagrams.and_
        (true, false), (then, otherwise) = self._split(left), self._split(right)
        if operator == "and":
            return self._truth_cases(both(true, then), either(false, both(true, otherwise)))
        if operator == "imply":
            return self._truth_cases(either(false, both(true, then)), both(true, otherwise))
        return self._truth_cases(either(true, both(false, then)), both(false, otherwise))

    def _comparison_cases(self, true: Function, left: Cases, right: Cases) -> Cases:
        defined = self.diagrams.and_(self.diagrams.any_of(left.values()), self.diagrams.any_of(right.values()))
        true = self.diagrams.and_(true, defined)
        return self._truth_cases(true, self.diagrams.and_(defined, self.diagrams.not_(true)))

    def _compare_equal(self, operator: str, left: Cases, right: Cases) -> Cases:
        same = self.diagrams.any_of(self.diagrams.and_(left[value], right[value]) for value in left if value in right)
        cases = self._comparison_cases(same, left, right)
        return cases if operator == "==" else self._truth_cases(*reversed(self._split(cases)))

    def _compare_ordered(self, operator: str, left: Cases, right: Cases) -> Cases:
        compare = {"<": lt, "<=": le, ">": gt, ">=": ge}[operator]
        values = sorted(right, reverse=operator.startswith("<"))
        parts, reached, last = [], self.diagrams.false, 0
        # `reached` grows monotonically over the sorted left values: each right set is added once.
        for value in sorted(left, reverse=operator.startswith("<")):
            while last < len(values) and compare(value, values[last]):
                reached = self.diagrams.or_(reached, right[values[last]])
                last += 1
            parts.append(self.diagrams.and_(left[value], reached))
        return self._comparison_cases(self.diagrams.any_of(parts), left, right)

    def _apply_operator(self, operator: str, left: Cases, right: Cases) -> Cases:
        if len(left) * len(right) > _MOST_PAIRS:
            raise ResourceError(
                f"'{operator}' has more than {_MOST_PAIRS:,} pairs of operands, too many for the symbolic encoding"
            )
        found: list[tuple[int, Function]] = []
        for first, here in left.items():
            self._poll()
            for second, there in right.items():
                result = _value_or_none(lambda: apply_binary(operator, first, second))  # noqa: B023
                if result is not None:
                    found.append((result, self.diagrams.and_(here, there)))
        return self._collect_cases(found)

    def _choice_cases(self, condition: Cases, then: Cases, otherwise: Cases) -> Cases:
        true, false = self._split(condition)
        found = [(value, self.diagrams.and_(true, states)) for value, states in then.items()]
        found += [(value, self.diagrams.and_(false, states)) for value, states in otherwise.items()]
        return self._collect_cases(found)


def _value_or_none(compute: Callable[[], int]) -> int | None:
    try:
        return compute()
    except Fault:
        return None


def lay_out_fields(intervals: Mapping[Slot, tuple[int, int]], order: Sequence[Slot], first: int) -> list[Field]:
    """Assign bits to slots in the given order, from bit `first` on, current and next bits interleaved."""
    fields, bit = [], first
    for slot in order:
        low, high = intervals[slot]
        width = (high - low).bit_length()
        fields.append(
            Field(slot, low, high, tuple(range(bit, bit + 2 * width, 2)), tuple(range(bit + 1, bit + 2 * width + 1, 2)))
        )
        bit += 2 * width
    return fields
