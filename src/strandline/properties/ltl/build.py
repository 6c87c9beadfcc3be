"""Simplifying constructors of formulas.

Arguments are in negation normal form and already simplified; so is the result, which is equivalent to the node that
`make` would make.
The rules are the usual ones (Etessami and Holzmann 2000; Somenzi and Bloem 2000): constants, implied operands, pure
eventualities and universalities, `X` moved outwards, operators that absorb each other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache

from strandline.properties.ltl.formula import FALSE, TRUE, Formula, Operator, make
from strandline.properties.ltl.implication import (
    contradicts,
    covers,
    implies,
    memoised_negation,
)


@lru_cache(maxsize=1 << 14)
def order(formula: Formula) -> tuple[int, str]:
    """Return a sort key for operands, so that conjunctions that differ in their order only are the same object."""
    return formula.size, str(formula)


def next_(operand: Formula) -> Formula:
    """Return X f, simplified."""
    if operand in (TRUE, FALSE) or (operand.is_eventual and operand.is_universal):
        return operand
    return make(Operator.NEXT, operand)


def eventually(operand: Formula) -> Formula:
    """Return F f, simplified."""
    if operand.is_eventual:
        return operand
    match operand.operator:
        case Operator.NEXT:
            return next_(eventually(operand.operands[0]))
        case Operator.UNTIL:
            return eventually(operand.operands[1])
        case Operator.STRONG_RELEASE:
            return eventually(conjoin(operand.operands))
        case Operator.OR:
            outside = [part for part in operand.operands if part.is_eventual or part.is_universal]
            if outside:
                rest = [part for part in operand.operands if part not in outside]
                return disjoin([eventually(disjoin(rest)), *map(eventually, outside)])
        case Operator.AND:
            outside = [part for part in operand.operands if part.is_eventual and part.is_universal]
            if outside:
                rest = [part for part in operand.operands if part not in outside]
                return conjoin([eventually(conjoin(rest)), *outside])
    return make(Operator.EVENTUALLY, operand)


def always(operand: Formula) -> Formula:
    """Return G f, simplified."""
    if operand.is_universal:
        return operand
    match operand.operator:
        case Operator.NEXT:
            return next_(always(operand.operands[0]))
        case Operator.RELEASE:
            return always(operand.operands[1])
        case Operator.WEAK_UNTIL:
            return always(disjoin(operand.operands))
        case Operator.AND:
            outside = [part for part in operand.operands if part.is_eventual or part.is_universal]
            if outside:
                rest = [part for part in operand.operands if part not in outside]
                return conjoin([always(conjoin(rest)), *map(always, outside)])
        case Operator.OR:
            outside = [part for part in operand.operands if part.is_eventual and part.is_universal]
            if outside:
                rest = [part for part in operand.operands if part not in outside]
                return disjoin([always(disjoin(rest)), *outside])
    return make(Operator.ALWAYS, operand)


def until(left: Formula, right: Formula) -> Formula:
    """Return f U g, simplified."""
    if right in (TRUE, FALSE) or left is FALSE or right.is_eventual or implies(left, right):
        return right
    if left is TRUE or covers(left, right):
        return eventually(right)
    if left.operator is Operator.NEXT and right.operator is Operator.NEXT:
        return next_(until(left.operands[0], right.operands[0]))
    if right.operator is Operator.UNTIL and implies(left, right.operands[0]):
        return right
    if right.operator is Operator.OR and any(part.is_eventual for part in right.operands):
        outside = [part for part in right.operands if part.is_eventual]
        rest = [part for part in right.operands if part not in outside]
        return disjoin([until(left, disjoin(rest)), *outside])
    if left.operator in (Operator.UNTIL, Operator.WEAK_UNTIL) and left.operands[1] is right:
        return until(left.operands[0], right)
    if right.operator is Operator.AND and left in right.operands:
        return strong_release(conjoin(part for part in right.operands if part is not left), left)
    shorter = _relevant_until_left(left, right)
    return until(shorter, right) if shorter is not left else make(Operator.UNTIL, left, right)


def weak_until(left: Formula, right: Formula) -> Formula:
    """Return f W g, simplified."""
    if right is TRUE or left is FALSE or implies(left, right):
        return right
    if left is TRUE or covers(left, right):
        return TRUE
    if right is FALSE:
        return always(left)
    if left.is_universal:
        return disjoin([left, right])
    if left.operator is Operator.NEXT and right.operator is Operator.NEXT:
        return next_(weak_until(left.operands[0], right.operands[0]))
    if right.operator is Operator.WEAK_UNTIL and implies(left, right.operands[0]):
        return right
    if left.operator in (Operator.UNTIL, Operator.WEAK_UNTIL) and left.operands[1] is right:
        return left
    if right.operator is Operator.AND and left in right.operands:
        return release(conjoin(part for part in right.operands if part is not left), left)
    shorter = _relevant_until_left(left, right)
    return weak_until(shorter, right) if shorter is not left else make(Operator.WEAK_UNTIL, left, right)


def release(left: Formula, right: Formula) -> Formula:
    """Return f R g, simplified."""
    if right in (TRUE, FALSE) or left is TRUE or right.is_universal or implies(right, left):
        return right
    if left is FALSE or contradicts(left, right):
        return always(right)
    if left.operator is Operator.NEXT and right.operator is Operator.NEXT:
        return next_(release(left.operands[0], right.operands[0]))
    if right.operator is Operator.RELEASE and implies(right.operands[0], left):
        return right
    if right.operator is Operator.AND and any(part.is_universal for part in right.operands):
        outside = [part for part in right.operands if part.is_universal]
        rest = [part for part in right.operands if part not in outside]
        return conjoin([release(left, conjoin(rest)), *outside])
    if left.operator in (Operator.RELEASE, Operator.STRONG_RELEASE) and left.operands[1] is right:
        return release(left.operands[0], right)
    if right.operator is Operator.OR and left in right.operands:
        return weak_until(disjoin(part for part in right.operands if part is not left), left)
    shorter = _relevant_release_left(left, right)
    return release(shorter, right) if shorter is not left else make(Operator.RELEASE, left, right)


def strong_release(left: Formula, right: Formula) -> Formula:
    """Return f M g, simplified."""
    if right is FALSE or left is TRUE or implies(right, left):
        return right
    if left is FALSE or contradicts(left, right):
        return FALSE
    if right is TRUE:
        return eventually(left)
    if left.is_eventual:
        return conjoin([left, right])
    if left.operator is Operator.NEXT and right.operator is Operator.NEXT:
        return next_(strong_release(left.operands[0], right.operands[0]))
    if right.operator is Operator.STRONG_RELEASE and implies(right.operands[0], left):
        return right
    if left.operator in (Operator.RELEASE, Operator.STRONG_RELEASE) and left.operands[1] is right:
        return left
    if right.operator is Operator.OR and left in right.operands:
        return until(disjoin(part for part in right.operands if part is not left), left)
    shorter = _relevant_release_left(left, right)
    return strong_release(shorter, right) if shorter is not left else make(Operator.STRONG_RELEASE, left, right)


def _relevant_until_left(left: Formula, right: Formula) -> Formula:
    """Simplify f in `f U g` or `f W g`, where f counts only while g does not hold."""
    if left.operator is Operator.OR:
        kept = [part for part in left.operands if not implies(part, right)]
        return disjoin(kept) if len(kept) < len(left.operands) else left
    if left.operator is Operator.AND:
        kept = [part for part in left.operands if not covers(part, right)]
        return conjoin(kept) if len(kept) < len(left.operands) else left
    return left


def _relevant_release_left(left: Formula, right: Formula) -> Formula:
    """Simplify f in `f R g` or `f M g`, where f counts only while g holds."""
    if left.operator is Operator.AND:
        kept = [part for part in left.operands if not implies(right, part)]
        return conjoin(kept) if len(kept) < len(left.operands) else left
    if left.operator is Operator.OR:
        kept = [part for part in left.operands if not contradicts(right, part)]
        return disjoin(kept) if len(kept) < len(left.operands) else left
    return left


def conjoin(operands: Iterable[Formula]) -> Formula:
    """Return the conjunction of any number of formulas, simplified."""
    from strandline.properties.ltl.gathering import gather

    return gather(Operator.AND, operands)


def disjoin(operands: Iterable[Formula]) -> Formula:
    """Return the disjunction of any number of formulas, simplified."""
    from strandline.properties.ltl.gathering import gather

    return gather(Operator.OR, operands)


MAKERS: dict[Operator, Callable[..., Formula]] = {
    Operator.NEXT: next_,
    Operator.EVENTUALLY: eventually,
    Operator.ALWAYS: always,
    Operator.UNTIL: until,
    Operator.WEAK_UNTIL: weak_until,
    Operator.RELEASE: release,
    Operator.STRONG_RELEASE: strong_release,
}


def rebuilt(node: Formula, operands: tuple[Formula, ...]) -> Formula:
    """Return the node with new operands, built by the constructor of its operator."""
    match node.operator:
        case Operator.TRUE | Operator.FALSE | Operator.ATOM:
            return node
        case Operator.NOT:
            return memoised_negation(operands[0])
        case Operator.AND:
            return conjoin(operands)
        case Operator.OR:
            return disjoin(operands)
        case operator:
            return MAKERS[operator](*operands)
