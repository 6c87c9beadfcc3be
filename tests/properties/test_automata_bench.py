"""The measuring program for automata: enough formulas, always the same, all readable by every tool."""

from __future__ import annotations

import pytest
from formula_strategies import needs_spin, needs_spot

import automata as bench
from strandline.properties.ltl.formula import Operator
from strandline.properties.ltl.parser import parse_ltl
from strandline.properties.translation.translate import translate


def test_there_are_at_least_150_different_formulas() -> None:
    formulas = [formula for _, formula in bench.corpus(quick=False)]
    assert len(set(formulas[::2])) >= 150
    assert len(formulas) == 2 * len(formulas[::2])
    for positive, negative in zip(formulas[::2], formulas[1::2], strict=True):
        assert negative.operator is Operator.NOT
        assert negative.operands == (positive,)


def test_the_random_formulas_are_always_the_same() -> None:
    assert bench.random_formulas(20, with_next=True) == bench.random_formulas(20, with_next=True)
    plain = bench.random_formulas(20, with_next=False)
    assert not any("X" in str(formula) for formula in plain)


def test_the_patterns_are_eleven_by_five_scopes() -> None:
    assert len(list(bench.listed_formulas("dwyer.txt"))) == 55


@pytest.mark.parametrize(
    "name",
    ["tableau", "default", pytest.param("spin", marks=needs_spin), pytest.param("spot", marks=needs_spot)],
)
def test_each_tool_is_measured(name: str) -> None:
    result = bench.tools()[name].measure(parse_ltl("G (p -> F q)").formula)
    assert result is not None
    assert (result.states, result.edges) == (result.automaton.state_count, result.automaton.edge_count)
    assert result.states == {"tableau": 9, "default": 2, "spin": 4, "spot": 2}[name]


def test_the_comparison_counts_wins_and_losses() -> None:
    automaton = translate(parse_ltl("G p").formula)
    small, large = bench.Result(1, 2, 0.001, automaton), bench.Result(3, 4, 0.002, automaton)
    assert bench._comparison([(small, large), (small, small)]) == [
        "1.00 : 2.00",
        "0.50",
        "2.00 : 3.00",
        "0.67",
        "1.0 : 1.5",
        "1.0 : 1.5",
        "1",
        "0",
    ]
