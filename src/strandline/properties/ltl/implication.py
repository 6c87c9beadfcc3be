"""Implications between formulas that their syntax shows (Somenzi and Bloem 2000; Etessami and Holzmann 2000).

Sound, not complete: `implies` may miss an implication, and never claims a wrong one. Arguments are in
negation normal form.
"""

from __future__ import annotations

from functools import lru_cache

from strandline.properties.automata import guard as guards
from strandline.properties.automata.guard import Guard
from strandline.properties.effort import spend
from strandline.properties.ltl.formula import FALSE, TRUE, Formula, Operator, atoms_of, subformulas
from strandline.properties.ltl.normal_form import negation

MAXIMUM_SIZE = 200
"""The largest sum of two formulas' sizes for which `implies` looks at them; it bounds the recursion and its cost."""


@lru_cache(maxsize=1 << 12)
def boolean_guard(formula: Formula, atoms: tuple[str, ...]) -> Guard:
    """Return the Boolean function of a formula without temporal operators, over the given propositions."""
    values: dict[Formula, Guard] = {}
    for node in subformulas(formula):
        operands = [values[operand] for operand in node.operands]
        match node.operator:
            case Operator.TRUE:
                values[node] = guards.TRUE
            case Operator.FALSE:
                values[node] = guards.FALSE
            case Operator.ATOM:
                values[node] = guards.literal(atoms.index(node.name))
            case Operator.NOT:
                values[node] = ~operands[0]
            case Operator.AND:
                values[node] = guards.conjunction(operands)
            case Operator.OR:
                values[node] = guards.disjunction(operands)
            case Operator.IMPLIES:
                values[node] = ~operands[0] | operands[1]
            case Operator.EQUIVALENT:
                values[node] = (operands[0] & operands[1]) | (~operands[0] & ~operands[1])
            case Operator.EXCLUSIVE_OR:
                values[node] = (operands[0] & ~operands[1]) | (~operands[0] & operands[1])
            case operator:
                raise ValueError(f"{operator} is not a boolean operator")
    return values[formula]


@lru_cache(maxsize=1 << 14)
def memoised_negation(formula: Formula) -> Formula:
    """Return `negation`, memoised."""
    return negation(formula)


def contradicts(left: Formula, right: Formula) -> bool:
    """Return True if the syntax shows that no word satisfies both."""
    return implies(left, memoised_negation(right))


def covers(left: Formula, right: Formula) -> bool:
    """Return True if the syntax shows that every word satisfies at least one of the two."""
    return implies(memoised_negation(left), right)


def implies(left: Formula, right: Formula) -> bool:
    """Return True if the syntax shows that every word that satisfies `left` satisfies `right`."""
    if left.size + right.size > MAXIMUM_SIZE:
        return left is right
    return _implies(left, right)


@lru_cache(maxsize=1 << 16)
def _implies(left: Formula, right: Formula) -> bool:
    if left is right or left is FALSE or right is TRUE:
        return True
    if left is TRUE or right is FALSE:
        return False
    spend()
    if left.is_boolean and right.is_boolean:
        atoms = tuple(sorted({*atoms_of(left), *atoms_of(right)}))
        return boolean_guard(left, atoms).implies(boolean_guard(right, atoms))
    if right.operator is Operator.AND:
        return all(_implies(left, part) for part in right.operands)
    if left.operator is Operator.OR:
        return all(_implies(part, right) for part in left.operands)
    if left.operator is Operator.AND and any(_implies(part, right) for part in left.operands):
        return True
    if right.operator is Operator.OR and any(_implies(left, part) for part in right.operands):
        return True
    return _from_left(left, right) or _to_right(left, right) or _between_untils(left, right)


def _from_left(left: Formula, right: Formula) -> bool:
    """Return True if `left` guarantees, now or (for an eventual `right`) some time, a formula that implies `right`."""
    operands = left.operands
    eventual = right.is_eventual
    match left.operator:
        case Operator.ALWAYS:
            return _implies(operands[0], right)
        case Operator.EVENTUALLY:
            return eventual and _implies(operands[0], right)
        case Operator.NEXT:
            if right.operator is Operator.NEXT and _implies(operands[0], right.operands[0]):
                return True
            return eventual and _implies(operands[0], right)
        case Operator.UNTIL:
            return _implies(operands[1], right) and (eventual or _implies(operands[0], right))
        case Operator.WEAK_UNTIL:
            return _implies(operands[1], right) and _implies(operands[0], right)
        case Operator.RELEASE:
            return _implies(operands[1], right)
        case Operator.STRONG_RELEASE:
            return _implies(operands[1], right) or (eventual and _implies(operands[0], right))
        case _:
            return False


def _to_right(left: Formula, right: Formula) -> bool:
    """Return True if `left` implies a formula that suffices for `right` now, or always if `left` is universal."""
    operands = right.operands
    universal = left.is_universal
    match right.operator:
        case Operator.EVENTUALLY:
            return _implies(left, operands[0])
        case Operator.ALWAYS:
            return universal and _implies(left, operands[0])
        case Operator.NEXT:
            return universal and _implies(left, operands[0])
        case Operator.UNTIL:
            return _implies(left, operands[1])
        case Operator.WEAK_UNTIL:
            return _implies(left, operands[1]) or (universal and _implies(left, operands[0]))
        case Operator.RELEASE:
            return _implies(left, operands[1]) and (universal or _implies(left, operands[0]))
        case Operator.STRONG_RELEASE:
            return _implies(left, operands[1]) and _implies(left, operands[0])
        case _:
            return False


def _between_untils(left: Formula, right: Formula) -> bool:
    """Return True if `left` implies `right` because both are like `a U b` and their operands imply each other."""
    first, second = _as_until(left), _as_until(right)
    if first is None or second is None:
        return False
    (strong, kept, ends), (wanted_strong, wanted_kept, wanted_ends) = first, second
    if wanted_strong and not strong:
        return False
    stays = _implies(kept, wanted_kept) or all(_implies(kept, end) for end in wanted_ends)
    return stays and all(any(_implies(end, wanted) for end in ends) for wanted in wanted_ends)


def _as_until(formula: Formula) -> tuple[bool, Formula, tuple[Formula, ...]] | None:
    """Return (strong, a, ends) for `a U e` or `a W e`, where e is the conjunction of `ends`; None for others."""
    operands = formula.operands
    match formula.operator:
        case Operator.UNTIL | Operator.WEAK_UNTIL:
            return formula.operator is Operator.UNTIL, operands[0], (operands[1],)
        case Operator.RELEASE | Operator.STRONG_RELEASE:
            return formula.operator is Operator.STRONG_RELEASE, operands[1], operands
        case Operator.EVENTUALLY:
            return True, TRUE, operands
        case Operator.ALWAYS:
            return False, operands[0], (FALSE,)
        case _:
            return None
