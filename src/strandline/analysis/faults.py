"""Possible faults of an expression, by the domains of variables; overflows are not included."""

# The type checker does not know the results that walks get by `yield`.
# mypy: no-warn-return-any

from __future__ import annotations

from strandline.model.expression import (
    DIVISION_FAULT,
    INDEX_FAULT,
    SHIFT_FAULT,
    Binary,
    Choice,
    Const,
    Element,
    Expression,
    Unary,
    Undefined,
    children,
    conjuncts,
    size,
)
from strandline.model.intervals import DeclaredRanges, Environment, Interval
from strandline.model.walk import Walk, walk_down

FAULTING = {
    **dict.fromkeys(("/", "%", "//", "mod"), DIVISION_FAULT),
    **dict.fromkeys(("<<", ">>"), SHIFT_FAULT),
}
_NONE: frozenset[str] = frozenset()
_LARGE = 2000
"""Size of an expression above which its context is ignored."""
_OPPOSITE = {"==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}


class Faults:
    """The possible faults of expressions, computed bottom-up."""

    def __init__(self) -> None:
        self._ranges = Environment(DeclaredRanges())
        self._kinds: dict[int, frozenset[str]] = {}

    def note(self, node: Expression) -> None:
        """Analyse one node; its subexpressions must have been analysed before."""
        self._kinds[id(node)] = _NONE.union(*map(self.of, children(node))) | self._own(node)

    def of(self, expression: Expression) -> frozenset[str]:
        """Return the kinds of faults that an analysed expression may cause."""
        return self._kinds.get(id(expression), _NONE)

    def never(self, expression: Expression) -> bool:
        """Return True if an analysed expression faults in no state.

        A part that is evaluated only under a condition is analysed under that condition.
        """
        if not self.of(expression):
            return True
        return size(expression) <= _LARGE and not walk_down(self._kinds_under(expression, _NOTHING))

    def possible(self, expression: Expression) -> Interval:
        """Return an interval that contains all values of an expression."""
        if not isinstance(expression, Choice) or not isinstance(expression.otherwise, Undefined):
            return self._ranges.interval(expression)
        low, high = self._ranges.interval(expression.then)
        something, above = _split_constant(expression.then)
        for condition in conjuncts(expression.condition):
            if isinstance(condition, Binary) and isinstance(condition.right, Const):
                compared, more = _split_constant(condition.left)
                if compared == something:
                    low, high = _narrow(low, high, condition.operator, condition.right.value - more + above)
        return low, high

    def _own(self, node: Expression) -> frozenset[str]:
        match node:
            case Undefined(reason=reason):
                return frozenset({reason})
            case Element() if not self._is_in_range(node):
                return frozenset({INDEX_FAULT})
            case Binary(operator=operator) if operator in FAULTING:
                return frozenset({FAULTING[operator]})
            case _:
                return _NONE

    def _is_in_range(self, element: Element) -> bool:
        if isinstance(element.index, Const):
            return True
        low, high = self.possible(element.index)
        return low >= 0 and high < element.variable.slots

    def _kinds_under(self, node: Expression, known: frozenset[Expression]) -> Walk[frozenset[str]]:
        """Return the possible kinds of faults under these conditions."""
        if not self.of(node):
            return _NONE
        match node:
            case Binary(operator="or", left=left, right=right):
                found = yield self._kinds_under(left, known)
                return found | (yield self._kinds_under(right, known | {_negate(left)}))
            case Binary(operator="and" | "imply", left=left, right=right):
                found = yield self._kinds_under(left, known)
                return found | (yield self._kinds_under(right, known.union(conjuncts(left))))
            case Choice(condition=condition, then=then, otherwise=otherwise):
                found = yield self._kinds_under(condition, known)
                if _negate(condition) not in known:
                    found |= yield self._kinds_under(then, known.union(conjuncts(condition)))
                if not known.issuperset(conjuncts(condition)):
                    found |= yield self._kinds_under(otherwise, known | {_negate(condition)})
                return found
            case _:
                found = self._own(node)
                for child in children(node):
                    found |= yield self._kinds_under(child, known)
                return found


_NOTHING: frozenset[Expression] = frozenset()


def _negate(condition: Expression) -> Expression:
    """Return the negation of a condition."""
    match condition:
        case Binary(operator=operator, left=left, right=right) if operator in _OPPOSITE:
            return Binary(_OPPOSITE[operator], left, right)
        case Unary(operator="not", operand=operand):
            return operand
        case _:
            return Unary("not", condition)


def _split_constant(expression: Expression) -> tuple[Expression, int]:
    """Split `e + c` into the expression `e` and the constant `c`, which is 0 if there is none."""
    match expression:
        case Binary(operator="+" | "-" as sign, left=left, right=Const(value=value)):
            return left, value if sign == "+" else -value
        case _:
            return expression, 0


def _narrow(low: int, high: int, operator: str, value: int) -> Interval:
    """Narrow an interval by a comparison with a value."""
    match operator:
        case "<" | "<=":
            return low, min(high, value - (operator == "<"))
        case ">" | ">=":
            return max(low, value + (operator == ">")), high
        case "!=":
            return low + (value == low), high - (value == high)
        case _:
            return low, high
