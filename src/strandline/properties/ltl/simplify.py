"""Simplification: negation normal form, then every rule of `build`, bottom-up, to a fixpoint."""

from __future__ import annotations

from strandline.properties.effort import check_limits
from strandline.properties.ltl.build import rebuilt
from strandline.properties.ltl.formula import Formula, rebuild
from strandline.properties.ltl.gathering import canonical_boolean
from strandline.properties.ltl.normal_form import negation_normal_form


def simplify(formula: Formula, *, negated: bool = False) -> Formula:
    """Return an equivalent formula in negation normal form, usually smaller.

    With `negated`, the result is equivalent to the negation.
    """
    current = negation_normal_form(formula, negated=negated)
    seen: set[Formula] = set()
    while current not in seen:
        seen.add(current)
        current = rebuild(current, _step)
    return current


def _step(node: Formula, operands: tuple[Formula, ...]) -> Formula:
    check_limits(10)
    result = rebuilt(node, operands)
    return canonical_boolean(result) if result.is_boolean else result
