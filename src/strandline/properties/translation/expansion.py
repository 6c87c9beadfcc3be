"""Expansion of a formula: the part that must hold now, and the part for the next moment.

The expansion laws (f U g is g, or f and again f U g next) turn a formula in negation normal form into alternatives. An
alternative has a guard for the letter that is read, a set of formulas that must hold at the next moment, and a set of
promises: postponed formulas that must eventually come true (Couvreur 1999).
"""

from __future__ import annotations

from dataclasses import dataclass

from strandline.properties.automata import guard as guards
from strandline.properties.automata.guard import Guard
from strandline.properties.effort import TranslationTooLarge, spend
from strandline.properties.ltl.formula import FALSE, TRUE, Formula, Operator, subformulas
from strandline.properties.ltl.implication import boolean_guard, implies


@dataclass(frozen=True, slots=True)
class Rest:
    """The obligations of an alternative for later: formulas that must hold next, and promises."""

    next_formulas: frozenset[Formula]
    promises: frozenset[Formula]

    def __or__(self, other: Rest) -> Rest:
        return Rest(self.next_formulas | other.next_formulas, self.promises | other.promises)

    def is_easier_than(self, other: Rest) -> bool:
        """Return True if every word that satisfies `other` satisfies this, and this makes no more promises."""
        return self.promises <= other.promises and self.next_formulas <= other.next_formulas


_NOTHING = Rest(frozenset(), frozenset())
Alternatives = dict[Rest, Guard]


class Expander:
    """Expands formulas over a fixed tuple of atomic propositions, with memoisation.

    Raises `TranslationTooLarge` if a formula has more than `maximum` alternatives.
    """

    def __init__(self, atoms: tuple[str, ...], maximum: int | None = None) -> None:
        self.atoms = atoms
        self.maximum = maximum
        self._done: dict[Formula, Alternatives] = {}

    def expand(self, formula: Formula) -> Alternatives:
        """Return the alternatives of a formula, without those whose guards are covered by easier alternatives."""
        for node in subformulas(formula):
            if node not in self._done:
                self._done[node] = self._expand_node(node)
        return self._done[formula]

    def _expand_node(self, node: Formula) -> Alternatives:
        if node.is_boolean:
            guard = boolean_guard(node, self.atoms)
            return {} if guard is guards.FALSE else {_NOTHING: guard}
        operands = [self._done[operand] for operand in node.operands]
        match node.operator:
            case Operator.AND:
                result: Alternatives = {_NOTHING: guards.TRUE}
                for operand in operands:
                    result = conjoin(result, operand)
                    if self.maximum is not None and len(result) > self.maximum:
                        raise TranslationTooLarge(
                            f"the expansion of a formula has more than {self.maximum} alternatives"
                        )
                return result
            case Operator.OR:
                result = {}
                for operand in operands:
                    result = disjoin(result, operand)
                return result
            case Operator.NEXT:
                return postpone(node.operands[0])
            case operator:
                return self._expand_until(operator, node, operands)

    def _expand_until(self, operator: Operator, node: Formula, operands: list[Alternatives]) -> Alternatives:
        again = postpone(node)
        match operator:
            case Operator.EVENTUALLY:
                return disjoin(operands[0], postpone(node, promise=node.operands[0]))
            case Operator.ALWAYS:
                return conjoin(operands[0], again)
            case Operator.UNTIL:
                return disjoin(operands[1], conjoin(operands[0], postpone(node, promise=node.operands[1])))
            case Operator.WEAK_UNTIL:
                return disjoin(operands[1], conjoin(operands[0], again))
            case Operator.RELEASE:
                return conjoin(operands[1], disjoin(operands[0], again))
            case Operator.STRONG_RELEASE:
                return conjoin(operands[1], disjoin(operands[0], postpone(node, promise=node.operands[0])))
            case _:
                raise ValueError(f"not in negation normal form: {node}")


def postpone(formula: Formula, promise: Formula | None = None) -> Alternatives:
    """Return the single alternative that postpones a formula to the next moment."""
    if formula is TRUE:
        return {_NOTHING: guards.TRUE}
    if formula is FALSE:
        return {}
    parts = formula.operands if formula.operator is Operator.AND else (formula,)
    promises = frozenset[Formula]() if promise is None else frozenset({promise})
    return {Rest(frozenset(parts), promises): guards.TRUE}


def disjoin(left: Alternatives, right: Alternatives) -> Alternatives:
    """Return the alternatives of a disjunction."""
    result = dict(left)
    for rest, guard in right.items():
        result[rest] = result.get(rest, guards.FALSE) | guard
    return without_covered(result)


def conjoin(left: Alternatives, right: Alternatives) -> Alternatives:
    """Return the alternatives of a conjunction."""
    result: Alternatives = {}
    for first, first_guard in left.items():
        for second, second_guard in right.items():
            guard = first_guard & second_guard
            if guard is not guards.FALSE:
                rest = first | second
                result[rest] = result.get(rest, guards.FALSE) | guard
    return without_covered(result)


def without_covered(alternatives: Alternatives) -> Alternatives:
    """Remove from every guard the letters for which an easier alternative exists."""
    if len(alternatives) < 2:
        return alternatives
    ordered = sorted(alternatives.items(), key=lambda item: len(item[0].next_formulas) + len(item[0].promises))
    kept: Alternatives = {}
    for rest, guard in ordered:
        spend(1 + len(kept))
        for easier, covered in kept.items():
            if easier.is_easier_than(rest):
                guard = guard & ~covered
        if guard is not guards.FALSE:
            kept[rest] = guard
    return kept


def destination_is_easier(left: Formula, right: Formula) -> bool:
    """Return True if the syntax shows that state `left` accepts every word that state `right` accepts."""
    return implies(right, left)
