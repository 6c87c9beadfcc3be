"""Random Systems in sets: the same states, steps, deadlocks and faults as by the interpreter, and the examples too."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import random_case

import strandline
from strandline.checker.expected.cases import Case
from strandline.checker.expected.reader import find_expected, read_expected
from strandline.compile.interpret import Interpreter, Valuation
from strandline.errors import ResourceError
from strandline.languages.dve import load
from strandline.model.system import System
from strandline.source import Source
from strandline.symbolic.diagrams import LIBRARIES
from strandline.symbolic.fixpoints import SymbolicSets
from strandline.symbolic.space import STEP_FACTS, Space

MOST = 150
EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


def explored(system: System) -> tuple[dict[Valuation, list[Valuation]], set[Valuation]] | None:
    """All states with their successors, and those that fault; None where there are many."""
    interpreter, found, faults = Interpreter(system), {}, set()
    waiting = list(system.initial)
    while waiting:
        state = waiting.pop()
        if state in found:
            continue
        steps = interpreter.steps(state)
        if any(step.fault is not None for step in steps):
            faults.add(state)
        # What follows a fault is not looked at.
        found[state] = [step.target for step in steps if step.target is not None]
        if len(found) > MOST:
            return None
        waiting += found[state] if state not in faults else []
    return found, faults


@settings(max_examples=40)
@given(st.randoms(use_true_random=False), st.sampled_from((0.0, 0.1, 0.3)), st.sampled_from(LIBRARIES))
def test_the_same_states_and_faults(random: Random, wild: float, library: str) -> None:
    system = random_case(random, wild=wild, at_once=0.2).system.alone
    known = explored(system)
    if known is None:
        return
    states, faults = known
    if sum((one.domain.size - 1).bit_length() * one.slots for one in system.variables) > 60:
        return
    try:
        space = Space(system, library=library, most_bytes=1 << 24)
    except ResourceError:
        return
    if not faults:
        assert space.count(space.reachable) == len(states)
        assert space.diagrams.and_(space.faults, space.reachable) == space.diagrams.false
        sets = SymbolicSets(space, space.reachable)
        assert space.count(sets.dead) == sum(not targets for targets in states.values())
        steps = sum(space.count(sets.and_(space.reachable, step.enabled)) for step in space.steps)
        assert steps == sum(map(len, states.values()))
    else:
        assert space.diagrams.and_(space.faults, space.reachable) != space.diagrams.false
    for state in states:
        assert space.contains(space.reachable, state)
        assert space.contains(space.faults, state) == (state in faults)
        assert space.member(space.single(state)) == state


def test_no_set_outlives_the_steps_that_it_was_computed_from() -> None:
    """A space whose steps change forgets everything that it has computed from them."""
    text = "process P { state a, b, c; init a; trans a -> b {}, b -> c {}; }\nsystem async;\n"
    space = Space(load(Source("m.dve", text)), most_bytes=1 << 24)
    before = {name: getattr(space, name) for name in STEP_FACTS}
    assert (space.count(space.reachable), space.count(space.enabled_states)) == (3, 2)
    space.stop_at(space.single(space.member(space.initial) or ()))
    assert (space.count(space.reachable), space.count(space.enabled_states)) == (1, 2)
    space.stop_at(space.valid)
    assert (space.count(space.reachable), space.count(space.enabled_states)) == (1, 3)
    assert all(getattr(space, name) is not before[name] for name in STEP_FACTS)


READ = [(file, case) for file in find_expected([EXAMPLES]) for case in read_expected(file)]


LEFT_OUT = {
    "lost-update",
    "process-stop-and-wait",
    "python-leader-election",
    "python-leases",
    "python-paxos",
    "python-producer-consumer",
    "promela-alternating-bit",
    "python-raft-election",
    "python-stop-and-wait",
    "python-treiber-stack",
    "stop-and-wait",
    "thesis-stop-and-wait",
}
"""Examples of more than some hundred states, with too many values for sets, or with steps of several actions."""
COUNTED = [(file, case) for file, case in READ if case.name == "counts"]


def test_what_is_left_out_is_there() -> None:
    assert {file.parent.name for file, _ in COUNTED} >= LEFT_OUT


@pytest.mark.parametrize(
    "case",
    [
        pytest.param(case, id=f"{file.parent.name}-{case.name.replace(' ', '-')}")
        for file, case in COUNTED
        if file.parent.name not in LEFT_OUT
    ],
)
def test_every_example_is_counted_in_sets(case: Case) -> None:
    """In every language."""
    system = strandline.load(case.model).alone
    expected = strandline.explore(system)
    found = strandline.explore(system, method="symbolic")
    assert found.reason is None or found.fault is not None
    assert (found.fault is None) == (expected.fault is None)
    if found.fault is not None:
        return
    assert found.statistics.states == expected.statistics.states
    assert found.statistics.deadlocks == expected.statistics.deadlocks
    if found.statistics.transitions is not None:
        assert found.statistics.transitions == expected.statistics.transitions
