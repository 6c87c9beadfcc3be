"""Every method on random systems, formulas and fairness, against brute force."""

from __future__ import annotations

import time
from dataclasses import replace
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ltl_cases import LtlCase, SystemGraph, Unsuitable, graph_of, random_case, random_run, violated
from support.trace_texts import json_text

from strandline.checker.decisions.runs import RunsDecided, decide_runs, runs_task
from strandline.checker.limits.progress import NullCallback
from strandline.checker.measures.choice import SweepMeasures
from strandline.checker.options.cycle_methods import METHODS, PREFIX
from strandline.checker.options.search import Options
from strandline.checker.options.temporal import IGNORE, STUTTER, TemporalOptions
from strandline.checker.tasks.task import Session
from strandline.checker.verdicts.verdict import Answer
from strandline.errors import UsageError
from strandline.properties import holds
from strandline.traces.fitting import fit_system
from strandline.traces.trace_files import read_trace

CYCLE_METHODS = list(METHODS)


def decide(case: LtlCase, method: str, **options: Any) -> RunsDecided:
    """The answer by one method; a trace that comes with it has been judged."""
    measured = method in METHODS and METHODS[method].measured
    temporal = TemporalOptions(
        method=method, finite_runs=IGNORE if case.ignore_finite_runs else STUTTER, sanity=False, **options
    )
    search = Options(order="sweep" if measured else "bfs")
    one = case.property()
    assert one.specification is not None
    task = runs_task(case.declared(), one.specification, search, temporal)
    session = Session(NullCallback(), time.perf_counter(), SweepMeasures(search, NullCallback()))
    return decide_runs(task, one, session)


def suitable(random: Random) -> tuple[LtlCase, SystemGraph] | None:
    case = random_case(random)
    try:
        return case, graph_of(case)
    except Unsuitable:
        return None


def compare(case: LtlCase, graph: SystemGraph, methods: list[str]) -> Answer:
    expected = Answer.VIOLATED if violated(case, graph) else Answer.HOLDS
    for method in methods:
        outcome = decide(case, method)
        assert outcome.verdict.answer is expected, method
        assert (outcome.verdict.trace is not None) == (expected is Answer.VIOLATED)
    return expected


@settings(max_examples=60)
@given(st.randoms(use_true_random=False))
def test_all_methods_agree_with_brute_force(random: Random) -> None:
    found = suitable(random)
    if found is not None:
        compare(*found, CYCLE_METHODS)


@settings(max_examples=60)
@given(st.randoms(use_true_random=False))
def test_a_bad_prefix_decides_safety(random: Random) -> None:
    found = suitable(random)
    if found is None:
        return
    case = replace(found[0], fairness=(), ignore_finite_runs=False)
    expected = violated(case, replace(found[1], met={state: [] for state in found[1].steps}))
    try:
        outcome = decide(case, PREFIX)
    except UsageError:
        return
    assert outcome.verdict.answer is (Answer.VIOLATED if expected else Answer.HOLDS)
    if outcome.verdict.trace is not None:
        assert outcome.verdict.trace.loop is None


@settings(max_examples=40)
@given(st.randoms(use_true_random=False))
def test_runs_of_what_holds_satisfy_it(random: Random) -> None:
    found = suitable(random)
    if found is None or found[0].fairness or found[0].ignore_finite_runs:
        return
    case, graph = found
    if decide(case, "scc").verdict.answer is Answer.HOLDS:
        for _ in range(20):
            assert holds(case.formula, random_run(graph, random))


@settings(max_examples=40)
@given(st.randoms(use_true_random=False))
def test_shortest_and_all_cycles_change_no_answer(random: Random) -> None:
    found = suitable(random)
    if found is None:
        return
    case, graph = found
    expected = Answer.VIOLATED if violated(case, graph) else Answer.HOLDS
    plain, short, every = (decide(case, "scc", **more) for more in ({}, {"shortest": True}, {"all_cycles": True}))
    assert [one.verdict.answer for one in (plain, short, every)] == [expected] * 3
    search = every.verdict.search
    assert search is not None
    assert search.complete
    if expected is Answer.VIOLATED:
        assert plain.verdict.trace is not None
        assert short.verdict.trace is not None
        assert short.verdict.search is not None
        assert short.verdict.search.minimised is not None
        assert len(search.components) >= 1
        assert all(one.trace is not None for one in search.components)


@settings(max_examples=40)
@given(random=st.randoms(use_true_random=False))
def test_a_lasso_in_a_file_fits_the_model(random: Random, tmp_path_factory: pytest.TempPathFactory) -> None:
    found = suitable(random)
    if found is None:
        return
    case, _ = found
    trace = decide(case, "ndfs").verdict.trace
    if trace is None:
        return
    file = tmp_path_factory.mktemp("lasso") / "lasso.json"
    file.write_text(json_text(trace, case.system.source))
    fitted = fit_system(case.system, read_trace(file))
    assert fitted.trace == trace
