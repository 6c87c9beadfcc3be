"""The meaning of LTL on ultimately periodic words, computed without any automaton.

This is the judge of counterexamples: it shares nothing with the translations. The truth values of a formula
at all positions of prefix and loop are one integer, bit *i* for position *i*. `U` is the least and `R` the
greatest solution of their expansion laws, reached by iteration.
"""

from __future__ import annotations

from strandline.properties.ltl.formula import Formula, Operator, subformulas
from strandline.properties.word import LassoWord


def holds(formula: Formula, word: LassoWord) -> bool:
    """Whether the word satisfies the formula at its first position."""
    return bool(truth_values(formula, word)[formula] & 1)


def truth_values(formula: Formula, word: LassoWord) -> dict[Formula, int]:
    """For every subformula, the mask of positions of `word.letters` at which it holds."""
    values: dict[Formula, int] = {}
    for node in subformulas(formula):
        values[node] = _value(node, [values[operand] for operand in node.operands], word)
    return values


def _value(node: Formula, operands: list[int], word: LassoWord) -> int:
    everywhere = (1 << len(word.letters)) - 1
    match node.operator:
        case Operator.TRUE:
            return everywhere
        case Operator.FALSE:
            return 0
        case Operator.ATOM:
            return sum(1 << place for place, letter in enumerate(word.letters) if node.name in letter)
        case Operator.NOT:
            return everywhere & ~operands[0]
        case Operator.AND:
            result = everywhere
            for operand in operands:
                result &= operand
            return result
        case Operator.OR:
            result = 0
            for operand in operands:
                result |= operand
            return result
        case Operator.IMPLIES:
            return everywhere & ~operands[0] | operands[1]
        case Operator.EQUIVALENT:
            return everywhere & ~(operands[0] ^ operands[1])
        case Operator.EXCLUSIVE_OR:
            return operands[0] ^ operands[1]
        case _:
            return _temporal_value(node.operator, operands, word, everywhere)


def _temporal_value(operator: Operator, operands: list[int], word: LassoWord, everywhere: int) -> int:
    match operator:
        case Operator.NEXT:
            return _next(operands[0], word)
        case Operator.EVENTUALLY:
            return _until(everywhere, operands[0], word)
        case Operator.ALWAYS:
            return _release(0, operands[0], word, everywhere)
        case Operator.UNTIL:
            return _until(operands[0], operands[1], word)
        case Operator.RELEASE:
            return _release(operands[0], operands[1], word, everywhere)
        case Operator.WEAK_UNTIL:
            left, right = operands
            return _release(right, left | right, word, everywhere)
        case Operator.STRONG_RELEASE:
            left, right = operands
            return _until(right, left & right, word)
        case _:
            raise ValueError(f"not a temporal operator: {operator}")


def _next(operand: int, word: LassoWord) -> int:
    return sum(1 << place for place in range(len(word.letters)) if operand >> word.successor(place) & 1)


def _until(left: int, right: int, word: LassoWord) -> int:
    value = right
    while True:
        larger = right | (left & _next(value, word))
        if larger == value:
            return value
        value = larger


def _release(left: int, right: int, word: LassoWord, everywhere: int) -> int:
    value = everywhere
    while True:
        smaller = right & (left | _next(value, word))
        if smaller == value:
            return value
        value = smaller
