"""Random models that fault, by all methods: what they say of a model is the same, whichever of them is asked.

Every search ends at a state that faults: it decides nothing, and none of its steps counts. So searches in different
orders may differ in what they had decided by then, but never in what they say.
"""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from loose_systems import Loose
from strategies import random_case

import strandline
from strandline.compile.interpret import Interpreter, Valuation
from strandline.compile.interpret import Step as Taken
from strandline.errors import InputError
from strandline.languages.dve import load
from strandline.model.system import System
from strandline.source import Source

SYMBOLIC: dict[str, Any] = {"method": "symbolic"}
EXPLICIT: tuple[dict[str, Any], ...] = ({}, {"order": "dfs"}, {"measure": "own0"})
OF_TREES: tuple[dict[str, Any], ...] = (
    {"method": "explicit"},
    {"method": "swept", "measure": "own0"},
    {"method": "symbolic"},
    {"method": "symbolic", "reachable_first": False},
    {"method": "abstraction"},
)
STUCK = """
byte x, a[2];
process P { state s, t; init s; trans s -> t { effect x = 2; }, t -> s { effect a[x] = 1; }; }
system async;
"""
BEHIND = """
byte x, a[2];
process P {
    state s, t, u; init s;
    trans s -> t { effect x = 2; }, t -> s { effect a[x] = 1; }, t -> u { effect x = 5; };
}
system async;
"""


class Reached:
    """The reachable states by the interpreter: all, those that fault, and the deadlocks."""

    def __init__(self, system: System) -> None:
        interpreter = Interpreter(system)
        self.distances: dict[Valuation, int] = dict.fromkeys(system.initial, 0)
        self.faults: dict[Valuation, Taken] = {}
        self.stuck: set[Valuation] = set()
        waiting = list(system.initial)
        for state in waiting:
            steps = interpreter.steps(state)
            if not steps:
                self.stuck.add(state)
            if steps and steps[-1].target is None:
                self.faults[state] = steps[-1]
                continue
            for step in steps:
                if step.target is not None and step.target not in self.distances:
                    self.distances[step.target] = self.distances[state] + 1
                    waiting.append(step.target)


def told(
    verdict: strandline.Verdict,
) -> tuple[dict[str, str], strandline.checker.verdicts.verdict.PropertyVerdict | None]:
    """Return the answers by property, and the fault."""
    faults = [one for one in verdict.properties if one.kind.value == "fault"]
    return {one.name: one.answer.value for one in verdict.properties if one not in faults}, faults[
        0
    ] if faults else None


def check(system: System, **asked: Any) -> strandline.Verdict | str:
    """The verdict, or the message where a claim cannot be evaluated."""
    try:
        return strandline.check(system, max_seconds=60, **asked)
    except InputError as error:
        return str(error)


def model(text: str) -> System:
    return load(Source("m.dve", text))


@settings(max_examples=60)
@given(st.integers(0, 1_000_000))
def test_states_by_all_methods(seed: int) -> None:
    system = Loose(Random(seed)).system()
    reached, random = Reached(system), Random(seed)
    if len(reached.distances) > 3000:
        return
    asked = {
        "deadlock": True,
        "invariants": [f"own{random.randrange(2)} {random.choice(('<', '!='))} {random.randint(1, 3)}"],
        "reach": [f"shared0 == {random.randint(0, 2)}"],
    }
    answers = []
    for how in (*EXPLICIT, SYMBOLIC):
        verdict = check(system, **asked, **how)
        assert not isinstance(verdict, str)
        answers.append(told(verdict))
    compare(answers, reached)
    explored = strandline.explore(system, method="symbolic")
    assert (explored.fault is None) is not bool(reached.faults)
    if explored.fault is not None:
        assert explored.trace is not None
        nearest = min(reached.distances[state] for state in reached.faults)
        assert len(explored.trace) == nearest
        assert explored.trace.fault is not None
        kinds = {
            (step.fault.kind, step.fault.span)
            for state, step in reached.faults.items()
            if reached.distances[state] == nearest and step.fault is not None
        }
        assert (explored.trace.fault.kind, explored.trace.fault.span) in kinds


@settings(max_examples=60)
@given(st.randoms(use_true_random=False), st.sampled_from((0.1, 0.3)))
def test_wild_models(random: Random, wild: float) -> None:
    """Synchronous ones too, faults of guards and of arithmetic, assignments made at once."""
    system = random_case(random, wild=wild, at_once=0.2).system.alone
    if sum((one.domain.size - 1).bit_length() * one.slots for one in system.variables) > 60:
        return
    reached = Reached(system)
    if len(reached.distances) > 200:
        return
    verdict = strandline.check(system, deadlock=True, method="symbolic", memory="1G", max_seconds=60)
    answers, fault = told(verdict)
    if answers["deadlock freedom"] == "UNKNOWN" and fault is None:
        # Too many values for sets, or too little memory.
        assert verdict.reason is not None
        assert "values" in verdict.reason or "memory" in verdict.reason or "pairs" in verdict.reason
        return
    explicit = [told(strandline.check(system, deadlock=True, **how)) for how in EXPLICIT[:2]]
    compare([*explicit, (answers, fault)], reached)
    if reached.faults:
        assert fault is not None
        assert fault.trace is not None
        assert len(fault.trace) == min(reached.distances[state] for state in reached.faults)


def compare(answers: list[tuple[dict[str, str], Any]], reached: Reached) -> None:
    """No two methods say different things; in sets everything is decided that any order decides, and the model's fault
    is always named."""
    *explicit, (in_sets, fault) = answers
    assert (fault is not None) is bool(reached.faults)
    for name, answer in in_sets.items():
        every = {told[name] for told, _ in explicit}
        assert every <= {answer, "UNKNOWN"}, (name, answer, every)
        if not reached.faults:
            assert every == {answer}
    for told, named in explicit:
        # A search by states ends when everything is decided, perhaps before it meets the fault.
        assert named is not None or not reached.faults or "UNKNOWN" not in told.values()
    if "deadlock freedom" in in_sets:
        expected = "VIOLATED" if reached.stuck else "UNKNOWN" if reached.faults else "HOLDS"
        assert in_sets["deadlock freedom"] == expected


@settings(max_examples=25)
@given(st.integers(0, 1_000_000))
def test_trees_by_all_methods(seed: int) -> None:
    system = Loose(Random(seed)).system()
    reached, random = Reached(system), Random(seed)
    if len(reached.distances) > 1000:
        return
    one, other = f"own0 == {random.randint(0, 2)}", f"shared0 == {random.randint(0, 1)}"
    formulas = [f"AG ({one})", f"EF ({other})", f"A[({one}) U ({other})]", f"EG !({one})"]
    found = []
    for how in OF_TREES:
        verdict = check(system, ctl=formulas, **how)
        assert not isinstance(verdict, str)
        answers, fault = told(verdict)
        assert (fault is not None) is bool(reached.faults)
        found.append(answers)
    assert all(one == found[0] for one in found)
    assert ("UNKNOWN" in found[0].values()) is bool(reached.faults)


def test_the_random_models_are_of_both_kinds() -> None:
    """Most of them fault, in states that are not all at the start; and in some a deadlock is reachable all the same."""
    met: Counter[str] = Counter()
    for seed in range(120):
        reached = Reached(Loose(Random(seed)).system())
        met["faults"] += bool(reached.faults)
        met["none"] += not reached.faults
        met["later"] += any(reached.distances[state] for state in reached.faults)
        met["both"] += bool(reached.faults and reached.stuck)
    assert all(met[kind] >= 10 for kind in ("faults", "none", "later")), met
    assert met["both"], met


ASKED: list[dict[str, Any]] = [
    {"deadlock": True},
    {"invariants": "x < 2"},
    {"invariants": "x < 5"},
    {"reach": "x == 2"},
    {"reach": "x == 5"},
    {"ctl": "AG (x < 2)"},
    {"ctl": "EF (x == 5)"},
]


@pytest.mark.parametrize("text", [STUCK, BEHIND], ids=["stuck", "behind"])
@pytest.mark.parametrize("asked", ASKED, ids=lambda asked: " ".join(map(str, *asked.items())))
def test_a_state_whose_steps_fault_decides_nothing(text: str, asked: dict[str, Any]) -> None:
    """It is no deadlock, and where its later steps would lead is not reached."""
    expected = check(model(text), **asked)
    assert not isinstance(expected, str)
    for method in ("symbolic", "abstraction") if "ctl" in asked else ("symbolic",):
        found = check(model(text), **asked, method=method)
        assert not isinstance(found, str)
        shown = [(one.kind, one.name, one.answer, one.reason, one.trace) for one in found.properties]
        assert shown == [(one.kind, one.name, one.answer, one.reason, one.trace) for one in expected.properties]
        assert [one.answer.value for one in found.properties] == ["UNKNOWN", "VIOLATED"]


def test_the_claim_that_faults_first_is_the_error() -> None:
    """A claim that cannot be evaluated in a nearer state than the one in which the model faults, and the other way."""
    text = (
        "byte x, a[3]; process P {{ state s; init s; trans s -> s {{ effect a[x + {}] = 0, x = x + 1; }}; }} "
        "system async;"
    )
    for add, claim in ((0, "a[x + 1] == 0"), (1, "a[x] == 0"), (0, "a[x] == 0")):
        messages = [check(model(text.format(add)), invariants=claim, **how) for how in ({}, SYMBOLIC)]
        if add == 1:
            first, second = (told(one) for one in messages if not isinstance(one, str))
            assert first[0] == second[0] == {claim: "UNKNOWN"}
            assert first[1] is not None
            assert second[1] is not None
            assert first[1].reason == second[1].reason
        else:
            assert messages[0] == messages[1]
            assert isinstance(messages[0], str)


def test_a_claim_that_is_decided_is_no_error() -> None:
    """Nothing asks for its value in the state behind, where it has none."""
    text = "byte x, a[3]; process P { state s; init s; trans s -> s { guard x < 5; effect x = x + 1; }; } system async;"
    for how in ({}, SYMBOLIC):
        found = check(model(text), invariants="x == 0 || a[x] == 7", **how)
        assert not isinstance(found, str)
        assert told(found) == ({"x == 0 || a[x] == 7": "VIOLATED"}, None)


def test_in_a_cone_as_well() -> None:
    for text in (STUCK, BEHIND):
        found = check(model(text), invariants="x < 2", method="symbolic", cone=True)
        assert not isinstance(found, str)
        assert [one.answer.value for one in found.properties] == ["UNKNOWN", "VIOLATED"]
