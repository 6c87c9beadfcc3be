"""Single steps of the interpreter, and of its reference: those of all steps, without the others."""

from __future__ import annotations

from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import random_case

from strandline.compile.interpret import Interpreter
from strandline.compile.interpret import Step as Taken
from strandline.languages.lotus import load
from strandline.model.system import System
from strandline.source import Source
from strandline.traces.interpreter_walk import reference_of

MOST = 60


def told(step: Taken | None) -> object:
    """Return a step in a form that can be compared."""
    if step is None:
        return None
    fault = None if step.fault is None else (step.fault.kind, step.fault.span)
    return [action.name for action in step.actions], step.target, fault


def states_of(system: System) -> list[tuple[int, ...]]:
    interpreter, found = Interpreter(system), dict.fromkeys(system.initial)
    for state in (waiting := list(found)):
        for step in interpreter.steps(state):
            if step.target is not None and step.target not in found and len(found) < MOST:
                found[step.target] = None
                waiting.append(step.target)
    return list(found)


@settings(max_examples=60)
@given(st.randoms(use_true_random=False), st.sampled_from((0.0, 0.3)))
def test_a_single_step_is_that_of_all(random: Random, wild: float) -> None:
    system = random_case(random, wild=wild, at_once=0.2).system
    every, single = Interpreter(system), Interpreter(system)
    for state in states_of(system):
        expected = [told(step) for step in every.steps(state)]
        assert [told(single.step(state, number)) for number in range(len(expected) + 1)] == [*expected, None]


@settings(max_examples=40)
@given(st.randoms(use_true_random=False))
def test_a_single_edge_is_that_of_all(random: Random) -> None:
    system = random_case(random, wild=0.2).system
    reference = reference_of(system)
    for state in states_of(system):
        packed = reference.layout.pack(state)
        edges = [*reference.edges(packed)]
        assert [reference.edge(packed, number) for number in range(len(edges) + 1)] == [*edges, None]


def test_what_follows_a_step_is_not_computed() -> None:
    """Actions without a process are skipped by the first requirements of their guards."""
    text = (
        "DEFINE T : 0..3; MODULE VAR T x; T y; INIT x=0, y=0; "
        "TRANS x=0 => x=1; x=1, y=0 => y=1; x=0, y=0 => y=2; SPEC CTLSPEC EF(x=1)"
    )
    system = load(Source("m.lotus", text))
    interpreter = Interpreter(system)
    state = system.initial[0]
    first = interpreter.step(state, 0)
    assert first is not None
    assert first.target == (1, 0)
    assert [step.target for step in interpreter.steps(state)] == [(1, 0), (0, 2)]
    assert [step.target for step in interpreter.steps((1, 0))] == [(1, 1)]
