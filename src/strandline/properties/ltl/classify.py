"""The hierarchy of Manna and Pnueli, as far as the syntax of a formula shows it.

`syntactic_classes` may miss a class that the property has; `translation.classification` decides exactly.
"""

from __future__ import annotations

from enum import Enum

from strandline.properties.ltl.formula import Formula, Operator, subformulas
from strandline.properties.ltl.normal_form import negation_normal_form


class PropertyClass(Enum):
    """The classes of the hierarchy.

    Safety and guarantee lie in obligation, that in recurrence and persistence, all in reactivity.
    """

    SAFETY = "safety"
    GUARANTEE = "guarantee"
    OBLIGATION = "obligation"
    RECURRENCE = "recurrence"
    PERSISTENCE = "persistence"
    REACTIVITY = "reactivity"


Classes = frozenset[PropertyClass]
_S, _G, _O, _R, _P = (
    PropertyClass.SAFETY,
    PropertyClass.GUARANTEE,
    PropertyClass.OBLIGATION,
    PropertyClass.RECURRENCE,
    PropertyClass.PERSISTENCE,
)


def closed_upwards(classes: set[PropertyClass]) -> Classes:
    """Return the given classes and every class that contains one of them."""
    result = {*classes, PropertyClass.REACTIVITY}
    if result & {_S, _G}:
        result.add(_O)
    if _O in result:
        result |= {_R, _P}
    return frozenset(result)


def narrowest(classes: Classes) -> tuple[PropertyClass, ...]:
    """Return those of the classes that contain none of the others, in the order of the hierarchy."""
    implied = {wider for one in classes for wider in classes if wider is not one and wider in closed_upwards({one})}
    return tuple(one for one in PropertyClass if one in classes and one not in implied)


def syntactic_classes(formula: Formula) -> Classes:
    """Return the classes that the syntax of the formula's negation normal form shows."""
    classes: dict[Formula, Classes] = {}
    for node in subformulas(negation_normal_form(formula)):
        classes[node] = closed_upwards(_classes(node, [classes[part] for part in node.operands]))
    return classes[negation_normal_form(formula)]


def _classes(node: Formula, operands: list[Classes]) -> set[PropertyClass]:
    if node.is_boolean:
        return {_S, _G}
    shared = set(frozenset.intersection(*operands))
    match node.operator:
        case Operator.AND | Operator.OR | Operator.NEXT:
            return shared
        case Operator.ALWAYS:
            return (shared & {_S, _R}) | ({_R} if _G in shared else set())
        case Operator.EVENTUALLY:
            return (shared & {_G, _P}) | ({_P} if _S in shared else set())
        case Operator.WEAK_UNTIL:
            return _weak(shared, stays=operands[0], ends=operands[1])
        case Operator.RELEASE:
            return _weak(shared, stays=operands[1], ends=operands[0])
        case Operator.UNTIL:
            return _strong(shared, stays=operands[0], ends=operands[1])
        case Operator.STRONG_RELEASE:
            return _strong(shared, stays=operands[1], ends=operands[0])
        case operator:
            raise ValueError(f"not in negation normal form: {operator}")


def _weak(shared: set[PropertyClass], *, stays: Classes, ends: Classes) -> set[PropertyClass]:
    """Return the classes of `f W g`; `stays` are those of f, `ends` those of g, `shared` those of both.

    If f is a safety property, the whole is an obligation or a persistence property if g is one.
    """
    result = shared & {_S, _R}
    if _S in stays:
        result |= ends & {_O, _P}
    return result


def _strong(shared: set[PropertyClass], *, stays: Classes, ends: Classes) -> set[PropertyClass]:
    """Return the classes of `f U g`; `stays` are those of f, `ends` those of g, `shared` those of both.

    If g is a guarantee property, the whole is an obligation or a recurrence property if f is one.
    """
    result = shared & {_G, _P}
    if _G in ends:
        result |= stays & {_O, _R}
    return result


def is_syntactically_stutter_invariant(formula: Formula) -> bool:
    """Return True if the formula has no X: then repeating or merging equal letters cannot change its truth."""
    return all(node.operator is not Operator.NEXT for node in subformulas(formula))
