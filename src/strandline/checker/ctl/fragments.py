"""The path quantifiers of a CTL formula, as they are in negation normal form."""

from __future__ import annotations

from strandline.properties import Formula
from strandline.properties.ltl.formula import QUANTIFIERS, Operator

_TURNING = {Operator.EXISTS: Operator.ALL, Operator.ALL: Operator.EXISTS}


def quantifiers_of(formula: Formula) -> frozenset[Operator]:
    """Return the path quantifiers in negation normal form: `A` alone for ACTL, `E` alone for ECTL, else both.

    The set is empty for a formula without quantifiers.
    """
    found: set[Operator] = set()
    waiting, met = [(formula, True)], set()
    while waiting:
        node, positive = waiting.pop()
        if node.is_boolean or (node, positive) in met:
            continue
        met.add((node, positive))
        match node.operator:
            case Operator.NOT:
                waiting.append((node.operands[0], not positive))
            case Operator.IMPLIES:
                waiting += [(node.operands[0], not positive), (node.operands[1], positive)]
            case Operator.EQUIVALENT | Operator.EXCLUSIVE_OR:
                waiting += [(one, side) for one in node.operands for side in (True, False)]
            case operator if operator in QUANTIFIERS:
                found.add(operator if positive else _TURNING[operator])
                waiting += [(one, positive) for one in node.operands[0].operands]
            case _:
                waiting += [(one, positive) for one in node.operands]
    return frozenset(found)
