"""The semantics of LTL on ultimately periodic words, computed without any automaton.

This is the oracle for counterexamples: it shares nothing with the translations. The truth values of a formula at all
positions of prefix and loop are one integer, bit *i* for position *i*. `U` is the least and `R` the greatest solution
of their expansion laws. The time is linear in the length of the word.
"""

from __future__ import annotations

from collections.abc import Iterable

from strandline.properties.ltl.formula import Formula, Operator, subformulas
from strandline.properties.word import LassoWord


def holds(formula: Formula, word: LassoWord) -> bool:
    """Return True if the word satisfies the formula at its first position."""
    return bool(truth_values(formula, word)[formula] & 1)


def truth_values(formula: Formula, word: LassoWord) -> dict[Formula, int]:
    """Return, for every subformula, the mask of positions of `word.letters` at which it holds."""
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
            return _mask(node.name in letter for letter in word.letters)
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


def _mask(values: Iterable[bool]) -> int:
    """Return the values as a mask, bit *i* for the value of position *i*."""
    return int("".join("1" if value else "0" for value in values)[::-1], 2)


def _digits(mask: int, word: LassoWord) -> str:
    """Return the mask as a text of 0 and 1, position 0 first: taking single bits of a long integer would be slow."""
    return f"{mask:0{len(word.letters)}b}"[::-1]


def _next(operand: int, word: LassoWord) -> int:
    last = len(word.letters) - 1
    return operand >> 1 | (operand >> len(word.prefix) & 1) << last


def _until(left: int, right: int, word: LassoWord) -> int:
    """Return the mask of `left U right`: the least solution, computed backwards from the end.

    The computation goes twice through the loop, because the values at its end depend on its beginning; then through the
    prefix.
    """
    stays, ends = _digits(left, word), _digits(right, word)
    last, start = len(word.letters) - 1, len(word.prefix)
    values = [False] * (last + 1)
    value = False
    for places in (range(last, start - 1, -1), range(last, -1, -1)):
        for place in places:
            value = ends[place] == "1" or (stays[place] == "1" and value)
            values[place] = value
    return _mask(values)


def _release(left: int, right: int, word: LassoWord, everywhere: int) -> int:
    return everywhere & ~_until(everywhere & ~left, everywhere & ~right, word)
