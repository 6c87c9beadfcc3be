"""Comparing the languages of two automata, with words that show the difference."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from strandline.properties.automata.automaton import Automaton, joined_atoms, with_atoms
from strandline.properties.automata.complement import complement
from strandline.properties.automata.product import common_word
from strandline.properties.word import LassoWord


class Relation(Enum):
    """The possible relations between two languages."""

    EQUAL = "equal"
    LEFT_SMALLER = "the first is strictly contained in the second"
    RIGHT_SMALLER = "the second is strictly contained in the first"
    INCOMPARABLE = "neither contains the other"


@dataclass(frozen=True, slots=True)
class Comparison:
    """The relation of two languages; `only_left` and `only_right` are words that only one of them has, or None."""

    relation: Relation
    only_left: LassoWord | None
    only_right: LassoWord | None


def compare(left: Automaton, right: Automaton) -> Comparison:
    """Compare the languages of two automata; raises `ResourceError` if a complement grows too large."""
    atoms = joined_atoms(left, right)
    left, right = with_atoms(left, atoms), with_atoms(right, atoms)
    return _comparison(common_word(left, complement(right)), common_word(right, complement(left)))


def compare_with_formula(positive: Automaton, negative: Automaton, right: Automaton) -> Comparison:
    """Compare a formula, given as automata for it and for its negation, with an automaton.

    Only the automaton must be complemented; raises `ResourceError` if that grows too large.
    """
    return _comparison(common_word(positive, complement(right)), common_word(right, negative))


def _comparison(only_left: LassoWord | None, only_right: LassoWord | None) -> Comparison:
    if only_left is None:
        relation = Relation.EQUAL if only_right is None else Relation.LEFT_SMALLER
    else:
        relation = Relation.RIGHT_SMALLER if only_right is None else Relation.INCOMPARABLE
    return Comparison(relation, only_left, only_right)
