"""Paths in sets: every step is one of the interpreter's, whichever rings they go by, and large models have them too."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from loose_systems import Loose

import strandline
from models.lotus import dining
from strandline.compile.interpret import Interpreter, Valuation
from strandline.languages.lotus import load
from strandline.model.system import System
from strandline.source import Source
from strandline.symbolic import paths as paths_module
from strandline.symbolic.fixpoints import SymbolicSets
from strandline.symbolic.paths import StateNumbering, SymbolicPaths
from strandline.symbolic.space import Space


def distances(system: System) -> dict[Valuation, int] | None:
    """How far every state is from the initial ones; None where a state faults."""
    interpreter, found, waiting = Interpreter(system), dict.fromkeys(system.initial, 0), list(system.initial)
    for state in waiting:
        for step in interpreter.steps(state):
            if step.target is None:
                return None
            if step.target not in found:
                found[step.target] = found[state] + 1
                waiting.append(step.target)
    return found


@settings(max_examples=60)
@given(st.integers(0, 100_000), st.booleans())
def test_a_path_is_one_of_the_interpreter(seed: int, by_steps: bool) -> None:
    random = Random(seed)
    system = Loose(random).system()
    known = distances(system)
    if known is None:
        return
    space, interpreter = Space(system), Interpreter(system)
    sets, numbered = SymbolicSets(space, space.reachable), StateNumbering()
    goal = random.choice(list(known))
    with pytest.MonkeyPatch.context() as patch:
        if by_steps:
            patch.setattr(paths_module, "MOST_RING_NODES", 0)
        found = SymbolicPaths(sets, numbered).from_any(system.initial, sets.full(), space.single(goal))
    assert found is not None
    state = system.initial[found.start]
    for record, step in zip(found.way.records[1:], found.way.steps, strict=True):
        taken = interpreter.steps(state)[step]
        assert taken.target == numbered.state(record)
        state = taken.target
    assert state == goal
    assert found.shortest is (not by_steps or len(found.way.steps) == 0)
    assert len(found.way.steps) == known[goal] or not found.shortest


def test_there_is_no_path_to_where_nothing_leads() -> None:
    text = "DEFINE T : 0..3; MODULE VAR T x; INIT x=1; TRANS x=1 => x=2; SPEC CTLSPEC EF(x=2)"
    system = load(Source("m.lotus", text))
    space = Space(system)
    sets = SymbolicSets(space, space.valid)
    for most in (0, 1000):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(paths_module, "MOST_RING_NODES", most)
            found = SymbolicPaths(sets, StateNumbering()).from_any(system.initial, sets.full(), space.single((3,)))
        assert found is None


@pytest.mark.parametrize("method", ["symbolic", "abstraction"])
def test_many_people_are_shown_how_they_are_stuck(method: str) -> None:
    """By distances alone the way takes minutes with 30 of them, and is longer than anybody waits with 60."""
    found = strandline.check(load(Source("m.lotus", dining(60))), method=method)
    stuck, safe = found.properties
    assert (stuck.answer.value, stuck.reason) == ("VIOLATED", None)
    assert stuck.trace is not None
    assert len(stuck.trace) == 120
    assert (safe.answer.value, safe.reason) == ("HOLDS", None)
    assert safe.trace is not None
    assert safe.trace.loop is not None


def test_a_trace_that_may_not_be_a_shortest_one_does_not_claim_to_be(monkeypatch: pytest.MonkeyPatch) -> None:
    from strandline.report.style import Style
    from strandline.report.text import verdict_text

    system = load(Source("m.lotus", dining(4)))
    claim = "no shorter one exists"
    assert claim in verdict_text(strandline.check(system, deadlock=True, method="symbolic"), Style())
    monkeypatch.setattr(paths_module, "MOST_RING_NODES", 0)
    assert claim not in verdict_text(strandline.check(system, deadlock=True, method="symbolic"), Style())
