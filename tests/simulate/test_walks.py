"""A walk is a path of the model, whatever was taken and taken back."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import systems

from strandline.languages import load
from strandline.model.expression import Read
from strandline.model.system import Predicate, System
from strandline.traces.evaluate import Evaluator, render_answer
from strandline.traces.interpreter_walk import Walk, reference_of

MODELS = Path(__file__).resolve().parent.parent / "checker" / "models"


def _walk(name: str) -> Walk:
    return Walk(reference_of(load(MODELS / f"{name}.dve")))


def test_a_walk_begins_goes_on_and_goes_back() -> None:
    walk = _walk("counter")
    assert (walk.state, walk.initial, list(walk.edges)) == (None, None, [])
    walk.begin(0)
    start = walk.state
    assert [edge.action for edge in walk.edges] == ["P: s -> s", "P: s -> t"]
    walk.take(0)
    walk.take(1)
    assert len(walk) == 2
    assert list(walk.edges) == []
    assert [step.action for step in walk.trace().steps] == ["P: s -> s", "P: s -> t"]
    assert walk.undo(5) == 2
    assert (walk.state, len(walk)) == (start, 0)
    assert walk.undo() == 0
    walk.reset()
    assert walk.state is None
    with pytest.raises(ValueError, match="not begun"):
        walk.trace()


def test_a_step_that_faults_ends_the_walk_until_it_is_undone() -> None:
    walk = _walk("index")
    walk.follow(0, [0, 0, 0])
    before = walk.state
    edge = walk.take(0)
    assert edge.target is None
    assert walk.fault is not None
    assert (walk.fault.kind, len(walk), list(walk.edges)) == ("array index out of range", 3, [])
    fault = walk.trace().fault
    assert fault is not None
    assert (fault.kind, fault.action) == ("array index out of range", "P: s -> s")
    assert walk.undo() == 1
    assert (walk.fault, walk.state, len(walk)) == (None, before, 3)
    assert walk.undo(2) == 2
    assert len(walk) == 1


@given(systems(), st.integers(0, 2**32))
def test_random_walks_replay_and_come_back(system: System, seed: int) -> None:
    walk, random = Walk(reference_of(system)), Random(seed)
    walk.begin(random.randrange(len(walk.initial_states)))
    visited = [walk.state]
    for _ in range(12):
        if not walk.edges:
            break
        edge = walk.take(random.randrange(len(walk.edges)))
        if edge.target is not None:
            visited.append(edge.target)
    trace = walk.trace()
    assert [walk.reference.describe(state) for state in visited if state is not None] == list(trace.states())
    assert (trace.fault is None) == (walk.fault is None)
    assert walk.undo(100) == len(visited) - 1 + (trace.fault is not None)
    assert walk.state == visited[0]


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("x", "0"),
        ("x + 4", "4"),
        ("x < 3", "true"),
        ("P.t", "false"),
        ("not P.t", "true"),
        ("1 / x", "fault: division by zero"),
    ],
)
def test_values_are_shown_as_people_write_them(expression: str, value: str) -> None:
    system = load(MODELS / "counter.dve")
    reference = reference_of(system)
    question = system.scope.question(expression)
    assert render_answer(Evaluator(reference).answer(question, reference.initial()[0])) == value


def test_labels_go_by_the_value_and_not_by_its_name() -> None:
    system = load(MODELS / "counter.dve")
    labels = (
        Predicate("left", Read(system.by_name["P"])),
        Predicate("small", system.scope.parse("x < 1")),
        Predicate("nowhere", system.scope.parse("1 / x")),
    )
    reference = reference_of(replace(system, labels=labels))
    walk, evaluator = Walk(reference), Evaluator(reference)
    walk.follow(0, [1])
    assert evaluator.labels(reference.initial()[0]) == ["small"]
    assert walk.state is not None
    assert evaluator.labels(walk.state) == ["left", "small"]


def test_violated_claims_are_told() -> None:
    walk = _walk("counter")
    walk.follow(0, [0, 0, 0, 1])
    evaluator = Evaluator(reference_of(load(MODELS / "counter.dve")))
    assert walk.state is not None
    assert evaluator.violations(walk.state) == ["assertion P.t: x < 3: violated"]
    walk.undo()
    assert evaluator.violations(walk.state) == []
