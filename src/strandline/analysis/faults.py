"""Which faults an expression can be, as far as the domains of variables tell; overflows aside."""

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

FAULTING = {
    **dict.fromkeys(("/", "%", "//", "mod"), DIVISION_FAULT),
    **dict.fromkeys(("<<", ">>"), SHIFT_FAULT),
}
_NONE: frozenset[str] = frozenset()
_LARGE = 2000
"""Of an expression with so many parts nothing is worked out that depends on where it stands."""
_OPPOSITE = {"==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}


class Faults:
    """What is known of the faults of expressions; those of sub-expressions come before their own."""

    def __init__(self) -> None:
        self._ranges = Environment(DeclaredRanges())
        self._kinds: dict[int, frozenset[str]] = {}

    def note(self, node: Expression) -> None:
        """Look at a node whose sub-expressions were looked at."""
        self._kinds[id(node)] = _NONE.union(*map(self.of, children(node))) | self._own(node)

    def of(self, expression: Expression) -> frozenset[str]:
        """The kinds of faults that an expression can be that was looked at."""
        return self._kinds.get(id(expression), _NONE)

    def never(self, expression: Expression) -> bool:
        """Whether an expression that was looked at is no fault in any state: where one part of it is evaluated only if
        another holds, that is known there."""
        if not self.of(expression):
            return True
        return size(expression) <= _LARGE and not self._under(expression, _NOTHING)

    def possible(self, expression: Expression) -> Interval:
        """Between which numbers an expression lies where it has a value."""
        if not isinstance(expression, Choice) or not isinstance(expression.otherwise, Undefined):
            return self._ranges.interval(expression)
        low, high = self._ranges.interval(expression.then)
        something, above = _apart(expression.then)
        for condition in conjuncts(expression.condition):
            if isinstance(condition, Binary) and isinstance(condition.right, Const):
                compared, more = _apart(condition.left)
                if compared == something:
                    low, high = _narrowed(low, high, condition.operator, condition.right.value - more + above)
        return low, high

    def _own(self, node: Expression) -> frozenset[str]:
        match node:
            case Undefined(reason=reason):
                return frozenset({reason})
            case Element() if not self._surely_inside(node):
                return frozenset({INDEX_FAULT})
            case Binary(operator=operator) if operator in FAULTING:
                return frozenset({FAULTING[operator]})
            case _:
                return _NONE

    def _surely_inside(self, element: Element) -> bool:
        if isinstance(element.index, Const):
            return True
        low, high = self.possible(element.index)
        return low >= 0 and high < element.variable.slots

    def _under(self, node: Expression, known: frozenset[Expression]) -> frozenset[str]:
        """The kinds of faults where these conditions hold."""
        if not self.of(node):
            return _NONE
        match node:
            case Binary(operator="or", left=left, right=right):
                return self._under(left, known) | self._under(right, known | {_opposite(left)})
            case Binary(operator="and" | "imply", left=left, right=right):
                return self._under(left, known) | self._under(right, known.union(conjuncts(left)))
            case Choice(condition=condition, then=then, otherwise=otherwise):
                found = self._under(condition, known)
                if _opposite(condition) not in known:
                    found |= self._under(then, known.union(conjuncts(condition)))
                if not known.issuperset(conjuncts(condition)):
                    found |= self._under(otherwise, known | {_opposite(condition)})
                return found
            case _:
                return self._own(node).union(*(self._under(child, known) for child in children(node)))


_NOTHING: frozenset[Expression] = frozenset()


def _opposite(condition: Expression) -> Expression:
    """What holds where a condition does not."""
    match condition:
        case Binary(operator=operator, left=left, right=right) if operator in _OPPOSITE:
            return Binary(_OPPOSITE[operator], left, right)
        case Unary(operator="not", operand=operand):
            return operand
        case _:
            return Unary("not", condition)


def _apart(expression: Expression) -> tuple[Expression, int]:
    """An expression as another one and a constant that is added to it."""
    match expression:
        case Binary(operator="+" | "-" as sign, left=left, right=Const(value=value)):
            return left, value if sign == "+" else -value
        case _:
            return expression, 0


def _narrowed(low: int, high: int, operator: str, value: int) -> Interval:
    """What is left of an interval where a comparison with a value holds."""
    match operator:
        case "<" | "<=":
            return low, min(high, value - (operator == "<"))
        case ">" | ">=":
            return max(low, value + (operator == ">")), high
        case "!=":
            return low + (value == low), high - (value == high)
        case _:
            return low, high
