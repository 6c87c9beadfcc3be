"""CTL by every method on random systems, formulas, fairness and dead ends, against brute force."""

from __future__ import annotations

import time
from random import Random

from ctl_cases import CtlCase, Oracle, linear_reading, suitable_case
from hypothesis import given, settings
from hypothesis import strategies as st
from ltl_cases import LtlCase, SystemGraph, violated
from test_ltl_random import decide as decide_linear

from strandline.checker.decisions.trees import decide_trees
from strandline.checker.limits.progress import NullCallback
from strandline.checker.measures.choice import SweepMeasures
from strandline.checker.options.ctl_methods import EXPLICIT, SWEPT, SYMBOLIC
from strandline.checker.options.search import Options
from strandline.checker.options.temporal import IGNORE, TemporalOptions
from strandline.checker.tasks.task import Session
from strandline.checker.verdicts.verdict import Answer, PropertyVerdict

WIDE = 16
"""Values of a variable, and places of a state, beyond which sets take long."""
METHODS = (EXPLICIT, SWEPT, SYMBOLIC)


def decide(case: CtlCase, method: str) -> PropertyVerdict:
    """The answer by one method; the evidence that comes with it has been replayed and checked."""
    search = Options(order="sweep" if method == SWEPT else "bfs")
    temporal = TemporalOptions(method=method, finite_runs=case.finite_runs)
    session = Session(NullCallback(), time.perf_counter(), SweepMeasures(search, NullCallback()))
    (decided,) = decide_trees(case.declared(), [case.bound()], search, temporal, session)
    (verdict,) = decided.verdicts.values()
    return verdict


def methods_for(case: CtlCase) -> tuple[str, ...]:
    variables = case.system.variables
    wide = sum(one.slots for one in variables) > WIDE or any(one.domain.size > WIDE for one in variables)
    return tuple(one for one in METHODS if one != SYMBOLIC or not wide)


def compare(case: CtlCase, graph: SystemGraph) -> None:
    expected = Answer.HOLDS if Oracle(case, graph).holds() else Answer.VIOLATED
    for method in methods_for(case):
        verdict = decide(case, method)
        assert verdict.answer is expected, method
        assert verdict.ctl is not None
        assert verdict.ctl.evidence is not None
        assert verdict.ctl.evidence.words or verdict.ctl.evidence.parts


def compare_with_linear(case: CtlCase, graph: SystemGraph) -> None:
    """A formula of the common fragment: both readings by their own methods, and by both oracles.

    Where no path that counts begins, LTL says nothing of a state, and CTL still says which propositions it has.
    """
    oracle = Oracle(case, graph)
    if not set(graph.initial) <= oracle.fair:
        return
    formula = linear_reading(case.formula)
    linear = LtlCase(case.system, formula, case.atoms, case.fairness, case.finite_runs == IGNORE)
    expected = Answer.VIOLATED if violated(linear, graph) else Answer.HOLDS
    assert oracle.holds() == (expected is Answer.HOLDS)
    assert {decide_linear(linear, method).verdict.answer for method in ("scc", "sweep")} == {expected}
    assert {decide(case, method).answer for method in methods_for(case)} == {expected}


@settings(max_examples=40)
@given(st.randoms(use_true_random=False))
def test_all_methods_agree_with_brute_force(random: Random) -> None:
    found = suitable_case(random)
    if found is not None:
        compare(*found)


@settings(max_examples=20)
@given(st.randoms(use_true_random=False))
def test_where_a_formula_has_both_readings_they_agree(random: Random) -> None:
    found = suitable_case(random, common=True)
    if found is not None:
        compare_with_linear(*found)


def test_a_synchronous_step_is_enabled_only_if_every_process_has_an_action() -> None:
    # Found by the test above: a dead state was taken to be unfair, because the first processes could have moved.
    found = suitable_case(Random(1374))
    assert found is not None
    compare(*found)
