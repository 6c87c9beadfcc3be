"""Reductions in checks: the same answers on every example, for random formulas too, and refusals."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from loose_systems import Loose
from ltl_cases import LtlCase, Unsuitable, graph_of, violated

import strandline
from strandline.checker.decisions.checks import check_selection, explore_system
from strandline.checker.decisions.runs import decide_runs, runs_task
from strandline.checker.expected.cases import Case, Expectation, Outcome
from strandline.checker.expected.reader import find_expected, read_expected
from strandline.checker.limits.progress import NullCallback
from strandline.checker.measures.choice import SweepMeasures
from strandline.checker.options.claims import Claims
from strandline.checker.options.search import Options
from strandline.checker.options.temporal import TemporalOptions
from strandline.checker.properties.selection import select
from strandline.checker.reductions.partial_order import reduction_of, refusal
from strandline.checker.tasks.task import Session
from strandline.checker.verdicts.verdict import Answer
from strandline.cli.testing import run_case
from strandline.compile.reduction.independence_check import check_facts
from strandline.errors import InternalError, UsageError
from strandline.languages import dve
from strandline.model.system import System
from strandline.properties import Formula
from strandline.properties.ltl.formula import Operator, atom, make
from strandline.source import Source

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
CHECKS = [
    pytest.param(case, id=f"{file.parent.name}-{case.name.replace(' ', '-')}")
    for file in find_expected([EXAMPLES])
    for case in read_expected(file)
    if case.kind == "check"
]
WITHOUT_NEXT = (Operator.EVENTUALLY, Operator.ALWAYS, Operator.NOT)
BINARY = (Operator.AND, Operator.OR, Operator.IMPLIES, Operator.UNTIL, Operator.RELEASE, Operator.WEAK_UNTIL)


def verdict_only(expected: Expectation) -> Expectation:
    """A trace in the reduced space may be longer, and counts are others."""
    properties = tuple(replace(one, trace_length=None) for one in expected.properties)
    return replace(expected, trace_length=None, figures={}, properties=properties)


@pytest.mark.parametrize("reduction", ["por", "symmetry", "merge"])
@pytest.mark.parametrize("case", CHECKS)
def test_examples_have_the_same_verdicts(case: Case, reduction: str) -> None:
    reduced = replace(case, asked={**case.asked, reduction: True}, expected=verdict_only(case.expected))
    result = run_case(reduced)
    if result.outcome is Outcome.ERROR:
        # Or: method 'symbolic' has no use for it.
        assert f"{reduction}=True" in result.judgement.messages[0]
    else:
        assert result.outcome.is_as_expected, (result.outcome.value, *result.judgement.messages)


def formula(random: Random, size: int) -> Formula:
    if size <= 1:
        return atom(random.choice("pq"))
    if size == 2 or random.random() < 0.4:
        return make(random.choice(WITHOUT_NEXT), formula(random, size - 1))
    left = random.randint(1, size - 2)
    return make(random.choice(BINARY), formula(random, left), formula(random, size - 1 - left))


@settings(max_examples=70)
@given(st.integers(0, 10**6))
def test_random_formulas_have_the_same_verdicts_by_every_method(seed: int) -> None:
    loose, random = Loose(Random(seed)), Random(seed)
    atoms = {name: loose.condition(number) for number, name in enumerate("pq")}
    case = LtlCase(loose.system(), formula(random, random.randint(2, 6)), atoms, (), False)
    try:
        expected = Answer.VIOLATED if violated(case, graph_of(case)) else Answer.HOLDS
    except Unsuitable:
        return
    one = case.property()
    assert one.specification is not None
    for method, order in (("auto", "bfs"), ("ndfs", "bfs"), ("scc", "bfs"), ("sweep", "sweep")):
        search = Options(order=order, por=True)
        task = runs_task(case.system, one.specification, search, TemporalOptions(method=method, sanity=False))
        session = Session(NullCallback(), time.perf_counter(), SweepMeasures(search, NullCallback()))
        assert decide_runs(task, one, session).verdict.answer is expected, method


PHILOSOPHERS = EXAMPLES / "philosophers" / "philosophers.dve"


@pytest.mark.parametrize("order", ["bfs", "dfs", "sweep", "cache"])
def test_every_order_goes_through_the_same_reduced_space(order: str) -> None:
    cache: dict[str, Any] = {"cache_states": 100_000} if order == "cache" else {}
    whole = strandline.explore(PHILOSOPHERS, order=order, **cache).statistics
    reduced = strandline.explore(PHILOSOPHERS, order=order, por=True, **cache).statistics
    assert (whole.states, whole.deadlocks) == (WHOLE, 1)
    assert (reduced.states, reduced.deadlocks) == (REDUCED, 1)


WHOLE, REDUCED = 34, 32

REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"ctl": "AG EF true"}, "por=True: it keeps runs, not the tree that they make, of which CTL speaks"),
    ({"ltl": "X true"}, "por=True: the property may tell how many steps were taken; LTL without X cannot"),
    ({"ltl": "F false", "fair": "weak"}, "por=True: fairness looks at steps that a reduction may leave out"),
    ({"never": "true"}, "por=True: the property may tell how many steps were taken; LTL without X cannot"),
]


@pytest.mark.parametrize(("asked", "message"), REFUSED)
def test_what_is_not_sound_is_refused(asked: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError) as refused:
        strandline.check(PHILOSOPHERS, por=True, **asked)
    assert str(refused.value) == message


def test_a_graph_wants_every_step() -> None:
    with pytest.raises(
        UsageError,
        match="por=True is for searches for single states and for runs: the graph of a model is made breadth-first",
    ):
        strandline.graph(PHILOSOPHERS, por=True)


def table(philosophers: int) -> str:
    """Philosophers in DVE."""
    forks = f"byte fork[{philosophers}];\n"
    process = """process P{i} {{ state thinks, hungry, eats; init thinks; trans
        thinks -> hungry {{ guard fork[{i}] == 0; effect fork[{i}] = 1; }},
        hungry -> eats {{ guard fork[{next}] == 0; effect fork[{next}] = 1; }},
        eats -> thinks {{ effect fork[{i}] = 0, fork[{next}] = 0; }}; }}\n"""
    processes = [process.format(i=i, next=(i + 1) % philosophers) for i in range(philosophers)]
    return "".join([forks, *processes, "system async;"])


class Heard(NullCallback):
    """A callback that remembers all stages."""

    def __init__(self) -> None:
        self.told: list[str] = []

    def stage(self, text: str) -> None:
        self.told.append(text)


def settled(system: System, **given: Any) -> tuple[Options, list[str]]:
    """Return True if an exploration was reduced, and the notices."""
    heard = Heard()
    return explore_system(system, Options(auto_por=True, **given), heard).options, heard.told


def test_reduction_is_used_where_it_pays() -> None:
    loose, tight = dve.load(Source("loose", table(10))), strandline.load(PHILOSOPHERS)
    options, told = settled(loose)
    assert (options.por, told) == (True, ["partial-order reduction is used: it leaves 44% of the steps"])
    options, told = settled(tight)
    assert (options.por, told) == (False, ["partial-order reduction is not used: it leaves 77% of the steps"])


def test_reduction_is_used_where_it_is_sound() -> None:
    heard = Heard()
    system = dve.load(Source("loose", table(10)))
    claims = Claims(ltl=("G F P0.thinks", "G (P0.eats -> X true)"), ctl=("AG EF P0.eats",))
    verdict = check_selection(system, select(system, claims), Options(auto_por=True), heard)
    expected = check_selection(system, select(system, claims), Options())
    assert [one.answer for one in verdict.properties] == [one.answer for one in expected.properties]
    not_used = "partial-order reduction is not used: "
    assert heard.told[:3] == [
        "partial-order reduction is used: it leaves 47% of the steps",
        not_used + "por=True: the property may tell how many steps were taken; LTL without X cannot",
        not_used + "it keeps runs, not the tree that they make, of which CTL speaks",
    ]


MODELS = sorted({file.parent / case.model for file in find_expected([EXAMPLES]) for case in read_expected(file)})


@pytest.mark.parametrize("model", MODELS, ids=lambda path: path.name)
def test_steps_of_examples_commute_as_the_reduction_takes_them_to(model: Path) -> None:
    system = strandline.load(model).alone
    if refusal(system) is None:
        assert check_facts(system, reduction_of(system, ()), (), most=30).states > 0


@settings(max_examples=25)
@given(st.integers(0, 10**6))
def test_steps_of_random_systems_commute_as_the_reduction_takes_them_to(seed: int) -> None:
    loose = Loose(Random(seed))
    system, seen = loose.system(), loose.predicates()
    check_facts(system, reduction_of(system, seen), seen, most=60)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"conflicts": (0,) * 12}, "'P[01]: .*' and 'P[01]: .*' do not commute in the state"),
        ({"enabling": (0,) * 99}, "makes .* true in the state"),
    ],
)
def test_wrong_facts_are_found(wrong: dict[str, Any], message: str) -> None:
    system = dve.load(Source("small", table(2)))
    reduction = reduction_of(system, ())
    with pytest.raises(InternalError, match=message):
        check_facts(system, replace(reduction, facts=replace(reduction.facts, **wrong)), ())


def test_independence_is_told() -> None:
    heard = Heard()
    explore_system(strandline.load(PHILOSOPHERS), Options(por=True, check_independence=True), heard)
    looked_at = "68 pairs of steps commute and 772 conditions stay as they are in 34 states"
    assert heard.told == [f"independence: {looked_at}, as the reduction takes it"]
    with pytest.raises(UsageError, match="check_independence=True is for por=True"):
        Options(check_independence=True)
