"""Random formulas and lasso words for the tests of properties, and the tools to compare with."""

from __future__ import annotations

import shutil
import subprocess
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import pytest
from hypothesis import strategies as st

from strandline.properties.automata.automaton import Automaton
from strandline.properties.formats.hoa_reader import read_hoa
from strandline.properties.ltl.formula import FALSE, TRUE, Formula, Operator, atom, make
from strandline.properties.ltl.parser import parse_ltl
from strandline.properties.word import LassoWord
from strandline.source import Source

UNARY = (Operator.NOT, Operator.NEXT, Operator.EVENTUALLY, Operator.ALWAYS)
BINARY = (
    Operator.AND,
    Operator.OR,
    Operator.IMPLIES,
    Operator.EQUIVALENT,
    Operator.EXCLUSIVE_OR,
    Operator.UNTIL,
    Operator.RELEASE,
    Operator.WEAK_UNTIL,
    Operator.STRONG_RELEASE,
)
NAMES = ("p", "q")

needs_spin = pytest.mark.skipif(shutil.which("spin") is None, reason="spin is not installed")
needs_spot = pytest.mark.skipif(find_spec("spot") is None, reason="Spot's Python module (spottl) is not installed")


def formulas(max_leaves: int = 4, names: tuple[str, ...] = NAMES) -> st.SearchStrategy[Formula]:
    """Formulas with all operators; And and Or always have two operands that are no And and Or themselves."""
    leaves = st.sampled_from([*map(atom, names), *map(atom, names), TRUE, FALSE])

    def larger(parts: st.SearchStrategy[Formula]) -> st.SearchStrategy[Formula]:
        unary = st.builds(make, st.sampled_from(UNARY), parts)
        binary = st.builds(make, st.sampled_from(BINARY), parts, parts).filter(_is_flat)
        return unary | binary

    return st.recursive(leaves, larger, max_leaves=max_leaves)


PATHS = (Operator.NEXT, Operator.EVENTUALLY, Operator.ALWAYS)
PATH_PAIRS = (Operator.UNTIL, Operator.RELEASE, Operator.WEAK_UNTIL, Operator.STRONG_RELEASE)


def ctl_formulas(max_leaves: int = 4, names: tuple[str, ...] = NAMES) -> st.SearchStrategy[Formula]:
    """Formulas of CTL with all operators, in the shape in which the parser makes them."""
    leaves = st.sampled_from([*map(atom, names), *map(atom, names), TRUE, FALSE])

    def larger(parts: st.SearchStrategy[Formula]) -> st.SearchStrategy[Formula]:
        unary = st.builds(make, st.sampled_from(PATHS), parts)
        paths = unary | st.builds(make, st.sampled_from(PATH_PAIRS), parts, parts)
        quantified = st.builds(make, st.sampled_from((Operator.EXISTS, Operator.ALL)), paths)
        binary = st.builds(make, st.sampled_from(BINARY[:5]), parts, parts).filter(_is_flat)
        return quantified | st.builds(make, st.just(Operator.NOT), parts) | binary

    return st.recursive(leaves, larger, max_leaves=max_leaves)


def _is_flat(formula: Formula) -> bool:
    """Whether the parser could have made it: it flattens nested conjunctions and disjunctions."""
    return formula.operator not in (Operator.AND, Operator.OR) or all(
        part.operator is not formula.operator for part in formula.operands
    )


def words(names: tuple[str, ...] = NAMES) -> st.SearchStrategy[LassoWord]:
    """Lasso words with short prefixes and loops."""
    letter = st.frozensets(st.sampled_from(names))
    return st.builds(
        LassoWord,
        st.lists(letter, max_size=3).map(tuple),
        st.lists(letter, min_size=1, max_size=3).map(tuple),
    )


def formula(text: str) -> Formula:
    return parse_ltl(text).formula


def negated(part: Formula) -> Formula:
    return make(Operator.NOT, part)


def spot() -> Any:
    return import_module("spot")


def spot_automaton(part: Formula) -> Automaton:
    """Spot's automaton for the formula, read back."""
    return read_hoa(Source("spot", spot().translate(str(part)).to_str("hoa"))).automaton


def spin_claim(text: str) -> Source:
    answer = subprocess.run(["spin", "-f", text], capture_output=True, text=True, check=True, timeout=30)
    return Source("spin", answer.stdout)
