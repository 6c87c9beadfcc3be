"""Properties that hold, or are violated, for a wrong reason.

A formula that every word satisfies, or none; an implication whose left side is never true, so that the property holds
*vacuously*: it would hold with `false` on the right side as well; a model without an infinite run, or without a fair
one. Each is a question of its own to the model, decided by the same machinery.
"""

from __future__ import annotations

from collections.abc import Iterator

from strandline.properties import Formula
from strandline.properties.ltl.formula import FALSE, TRUE, Operator, make, rebuild

TAUTOLOGY = "every run of every model satisfies this formula"
CONTRADICTION = "no run of any model satisfies this formula"
NO_INFINITE_RUN = "every run of the model ends: there is no infinite run"
NO_FAIR_RUN = "no run of the model is fair"


def vacuous(left: Formula) -> str:
    """The warning for an implication whose left side is never true."""
    return f"it holds vacuously: '{left}' never happens where it matters"


def stronger_formulas(formula: Formula) -> Iterator[tuple[Formula, Formula]]:
    """For every implication of the formula that counts positively and only so: its left side, and the formula with
    `false` on the implication's right side. If that one holds, the right side did not matter."""
    for implication in _implications(formula):
        left, right = implication.operands
        if left is not TRUE and right is not FALSE:
            yield left, _replaced(formula, implication, make(Operator.IMPLIES, left, FALSE))


def _implications(formula: Formula) -> list[Formula]:
    """Implications under an even number of negations only, outside of equivalences, outer ones first."""
    stack = [(formula, True)]
    seen: dict[tuple[Formula, bool], None] = {}
    while stack:
        node, positive = stack.pop()
        if (node, positive) in seen:
            continue
        seen[node, positive] = None
        both_ways = node.operator in (Operator.EQUIVALENT, Operator.EXCLUSIVE_OR)
        for number, operand in enumerate(node.operands):
            flips = node.operator is Operator.NOT or (node.operator is Operator.IMPLIES and number == 0)
            stack.append((operand, positive != flips))
            if both_ways:
                stack.append((operand, not positive))
    return [
        node
        for node, positive in seen
        if positive and node.operator is Operator.IMPLIES and (node, False) not in seen
    ]


def _replaced(formula: Formula, old: Formula, new: Formula) -> Formula:
    def step(node: Formula, operands: tuple[Formula, ...]) -> Formula:
        if node is old:
            return new
        return make(node.operator, *operands) if operands else node

    return rebuild(formula, step)
