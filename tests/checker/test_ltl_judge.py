"""The judge of counterexamples believes no search; and the ranks of an automaton."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

import strandline
from strandline.checker.ltl.judge import judge
from strandline.checker.ltl.ranks import component_ranks
from strandline.checker.properties.product import make_product, with_observer
from strandline.checker.properties.specification import PropertyProcess, bind_formula
from strandline.checker.tasks.runs import Question
from strandline.checker.verdicts.verdict import PropertyVerdict
from strandline.errors import ReplayError
from strandline.model.system import Action, Domain, Move, Observer, System, Variable
from strandline.properties import translate
from strandline.properties.ltl.formula import Operator, make
from strandline.traces.interpreter_walk import reference_of
from strandline.traces.lassos import Lasso, LassoReplay, ShownRun
from strandline.transform.fairness import process_fairness

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
PETERSON = EXAMPLES / "peterson" / "peterson.dve"
SERVER = EXAMPLES / "ltl-deadlock" / "server.dve"
COUNTER = """
byte x;
process P { state s; init s; trans s -> s { guard x < 5; effect x = x + 1; }, s -> s { guard x == 5; effect x = 2; }; }
process Never { state q, r; init q; accept r; trans q -> q {}; }
system async property Never;
"""


def lasso_of(system: System, claim: str, lasso: Lasso, *, fair: bool = False) -> ShownRun:
    """A run that somebody claims to violate a formula, judged."""
    bound = bind_formula(claim, system)
    automaton = translate(make(Operator.NOT, bound.formula))
    conditions = process_fairness(system) if fair else ()
    product = make_product(with_observer(system, automaton, bound.atoms), system, conditions, ignore_finite_runs=False)
    run = LassoReplay(reference_of(product.system), reference_of(system)).lasso(lasso)
    judge(Question(system, bound), product, run)
    return run


def test_the_judge_believes_no_search() -> None:
    system = strandline.load(PETERSON)
    with pytest.raises(ReplayError, match="does not lead back to its first state"):
        lasso_of(system, "G F P.critical", Lasso(0, (), (0,)))
    with pytest.raises(ReplayError, match="which the state does not have"):
        lasso_of(system, "G F P.critical", Lasso(0, (), (99,)))
    steps = tuple(first_steps_of(system, "P", 8))
    alone = Lasso(0, steps[:4], steps[4:])
    with pytest.raises(ReplayError, match="the trace does not violate the formula"):
        lasso_of(system, "G F P.critical", alone)
    other = Lasso(0, (), tuple(first_steps_of(system, "Q", 4)))
    assert lasso_of(system, "G F P.critical", other).trace.loop == 0
    with pytest.raises(ReplayError, match="the loop of the trace is not fair: P"):
        lasso_of(system, "G F P.critical", other, fair=True)


def first_steps_of(system: System, process: str, count: int) -> list[int]:
    """Steps of one process, with the automaton's first edge each, from the initial state on."""
    bound = bind_formula("G F P.critical", system)
    automaton = translate(make(Operator.NOT, bound.formula))
    reference = reference_of(with_observer(system, automaton, bound.atoms))
    state, steps = reference.initial()[0], []
    for _ in range(count):
        number = next(
            number
            for number, edge in enumerate(reference.edges(state))
            if edge.action.startswith(f"{process}:") and edge.action.endswith(": q0 -> q0")
        )
        target = reference.edges(state)[number].target
        assert target is not None
        state = target
        steps.append(number)
    return steps


def test_a_loop_in_which_the_property_process_does_not_accept_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "model.dve"
    file.write_text(COUNTER)
    system = strandline.load(file)
    product = make_product(system, system, (), ignore_finite_runs=False)
    run = LassoReplay(reference_of(system), reference_of(system)).lasso(Lasso(0, (0, 0), (0, 0, 0, 0)))
    with pytest.raises(ReplayError, match="the property process does not accept in the loop of the trace"):
        judge(Question(system, PropertyProcess(system)), product, run)


def test_a_run_that_ends_is_no_counterexample_where_such_runs_are_ignored() -> None:
    system = strandline.load(SERVER)
    bound = bind_formula("G F Client.rest", system)
    automaton = translate(make(Operator.NOT, bound.formula))
    watched = with_observer(system, automaton, bound.atoms)
    (one,) = strandline.check(SERVER, "G F Client.rest").properties
    assert one.trace is not None
    product = make_product(watched, system, (), ignore_finite_runs=True)
    run = ShownRun(one.trace, tuple(_packed(system, one)), (), ended=True)
    with pytest.raises(ReplayError, match="the trace ends, but runs that end were to be ignored"):
        judge(Question(system, bound), product, run)
    judge(Question(system, bound), replace(product, ignore_finite_runs=False), run)


def _packed(system: System, one: PropertyVerdict) -> list[tuple[int, ...]]:
    reference = reference_of(system)
    assert one.trace is not None
    state = reference.initial()[0]
    found = [state]
    for step in one.trace.steps:
        target = next(edge.target for edge in reference.edges(state) if edge.action == step.action)
        assert target is not None
        state = target
        found.append(state)
    return found


def test_ranks_of_an_observer_never_decrease() -> None:
    def observer(*steps: tuple[int, int]) -> Observer:
        last = max(place for step in steps for place in step)
        names = tuple(f"q{number}" for number in range(last + 1))
        location = Variable("W", Domain(0, last), None, (0,), names, "W")
        edges = tuple(Action("w", (Move(0, source, target),), None, ()) for source, target in steps)
        return Observer("W", location, edges, frozenset())

    ring = component_ranks(observer((0, 1), (1, 2), (2, 1), (2, 3)))
    assert ring[0] < ring[1] == ring[2] < ring[3]
    chain = component_ranks(observer(*((number, number + 1) for number in range(69))))
    assert all(first <= second for first, second in pairwise(chain))
    assert chain[:63] == list(range(63))
    assert set(chain[63:]) == {63}
