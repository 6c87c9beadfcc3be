"""Negation normal form: negations at atomic propositions only, no `->`, `<->`, `xor`."""

from __future__ import annotations

from strandline.properties.ltl.formula import FALSE, TRUE, Formula, Operator, make, subformulas

DUAL = {
    Operator.AND: Operator.OR,
    Operator.OR: Operator.AND,
    Operator.NEXT: Operator.NEXT,
    Operator.EVENTUALLY: Operator.ALWAYS,
    Operator.ALWAYS: Operator.EVENTUALLY,
    Operator.UNTIL: Operator.RELEASE,
    Operator.RELEASE: Operator.UNTIL,
    Operator.WEAK_UNTIL: Operator.STRONG_RELEASE,
    Operator.STRONG_RELEASE: Operator.WEAK_UNTIL,
}


def negation_normal_form(formula: Formula, *, negated: bool = False) -> Formula:
    """Return the negation normal form of the formula, or of its negation."""
    forms: dict[Formula, tuple[Formula, Formula]] = {}
    for node in subformulas(formula):
        forms[node] = _forms(node, [forms[operand] for operand in node.operands])
    return forms[formula][negated]


def _forms(node: Formula, operands: list[tuple[Formula, Formula]]) -> tuple[Formula, Formula]:
    """Return the normal forms of a node and of its negation, from those of its operands."""
    match node.operator:
        case Operator.TRUE:
            return TRUE, FALSE
        case Operator.FALSE:
            return FALSE, TRUE
        case Operator.ATOM:
            return node, make(Operator.NOT, node)
        case Operator.NOT:
            return operands[0][1], operands[0][0]
        case Operator.IMPLIES:
            (left, not_left), (right, not_right) = operands
            return make(Operator.OR, not_left, right), make(Operator.AND, left, not_right)
        case Operator.EQUIVALENT | Operator.EXCLUSIVE_OR:
            same, different = _equivalence(*operands)
            return (same, different) if node.operator is Operator.EQUIVALENT else (different, same)
        case operator:
            positive = make(operator, *(form for form, _ in operands))
            return positive, make(DUAL[operator], *(form for _, form in operands))


def _equivalence(left: tuple[Formula, Formula], right: tuple[Formula, Formula]) -> tuple[Formula, Formula]:
    both = make(Operator.AND, left[0], right[0])
    neither = make(Operator.AND, left[1], right[1])
    first = make(Operator.AND, left[0], right[1])
    second = make(Operator.AND, left[1], right[0])
    return make(Operator.OR, both, neither), make(Operator.OR, first, second)


def negation(formula: Formula) -> Formula:
    """Return the negation of a formula; both are in negation normal form."""
    return negation_normal_form(formula, negated=True)
