"""Verdicts: decisions, claims, traces."""

from __future__ import annotations

import inspect
from pathlib import Path

import pytest

import strandline
from strandline.checker.properties.selection import Kind
from strandline.checker.verdicts.verdict import Answer
from strandline.errors import InputError, MeasureError, ModelError, UsageError

MODELS = Path(__file__).parent / "models"
MUTEX, COUNTER = MODELS / "mutex.dve", MODELS / "counter.dve"
EXCLUSION = "not (P.critical and Q.critical)"
ORDERS = [{"order": "bfs"}, {"order": "dfs"}, {"measure": "flag[0] + flag[1]"}]


@pytest.mark.parametrize("options", ORDERS)
def test_a_violated_invariant_has_a_trace_that_ends_in_it(options: dict[str, str]) -> None:
    verdict = strandline.check(MUTEX, invariants=EXCLUSION, **options)  # type: ignore[arg-type]
    assert verdict.answer is Answer.VIOLATED
    assert not verdict
    assert verdict.trace is not None
    assert (verdict.trace.final["P"], verdict.trace.final["Q"]) == ("critical", "critical")
    assert not verdict.complete
    assert verdict.reason == "every property is decided"
    if options.get("order") == "bfs":
        assert len(verdict.trace) == 4


@pytest.mark.parametrize("options", ORDERS)
def test_an_invariant_that_holds_needs_the_whole_space(options: dict[str, str]) -> None:
    verdict = strandline.check(MUTEX, invariants="flag[0] <= 1", **options)  # type: ignore[arg-type]
    assert verdict.answer is Answer.HOLDS
    assert verdict
    assert verdict.complete
    assert verdict.reason is None
    assert verdict.trace is None
    if "order" in options:
        assert (verdict.statistics.states, verdict.statistics.transitions) == (9, 16)


def test_several_properties_get_an_answer_each() -> None:
    verdict = strandline.check(
        MUTEX, invariants=[EXCLUSION, "flag[0] <= 1"], reach=["P.critical", "flag[0] == 2"], deadlock=True
    )
    answers = [(one.kind, one.name, one.answer) for one in verdict.properties]
    assert answers == [
        (Kind.DEADLOCK, "deadlock freedom", Answer.HOLDS),
        (Kind.INVARIANT, EXCLUSION, Answer.VIOLATED),
        (Kind.INVARIANT, "flag[0] <= 1", Answer.HOLDS),
        (Kind.REACHABILITY, "P.critical", Answer.HOLDS),
        (Kind.REACHABILITY, "flag[0] == 2", Answer.VIOLATED),
    ]
    lengths = [None if one.trace is None else len(one.trace) for one in verdict.properties]
    assert lengths == [None, 4, None, 2, None]
    assert verdict.complete


def test_properties_decided_by_one_state_share_its_trace() -> None:
    verdict = strandline.check(MUTEX, invariants=[EXCLUSION, "flag[0] + flag[1] < 2"])
    first, second = verdict.properties
    assert first.trace is second.trace
    assert first.answer is second.answer is Answer.VIOLATED


def test_a_bare_check_picks_deadlocks_and_assertions() -> None:
    verdict = strandline.check(COUNTER)
    assert [(one.kind, one.name, one.answer) for one in verdict.properties] == [
        (Kind.DEADLOCK, "deadlock freedom", Answer.VIOLATED),
        (Kind.ASSERTION, "P.t: x < 3", Answer.VIOLATED),
    ]
    deadlock, assertion = verdict.properties
    assert deadlock.trace is not None
    assert assertion.trace is not None
    assert (len(deadlock.trace), len(assertion.trace)) == (1, 4)
    assert verdict.trace is deadlock.trace


def test_without_deadlocks_a_bare_check_keeps_the_assertions() -> None:
    verdict = strandline.check(COUNTER, deadlock=False)
    assert [one.kind for one in verdict.properties] == [Kind.ASSERTION]


def test_naming_something_leaves_the_rest_out() -> None:
    assert [one.kind for one in strandline.check(COUNTER, deadlock=True).properties] == [Kind.DEADLOCK]
    named = strandline.check(COUNTER, property="P.t: x < 3").properties
    assert [one.kind for one in named] == [Kind.ASSERTION]


def test_an_initial_state_can_violate() -> None:
    verdict = strandline.check(COUNTER, invariants="x > 0")
    assert verdict.trace is not None
    assert len(verdict.trace) == 0


def test_an_unknown_property_is_refused_with_those_that_exist() -> None:
    with pytest.raises(UsageError, match=r"no property 'P.x': it has 'P.t: x < 3'"):
        strandline.check(COUNTER, property="P.x")


def test_a_deadlock_that_is_shown_is_counted(tmp_path: Path) -> None:
    """The search ends at it, and has not expanded it."""
    file = tmp_path / "dead.dve"
    file.write_text("process P { state a, b, c; init a; trans a -> b {}, b -> a {}, a -> c {}; } system async;")
    verdict = strandline.check(file, deadlock=True)
    assert (verdict.answer, verdict.statistics.deadlocks) == (Answer.VIOLATED, 1)
    assert strandline.explore(file).statistics.deadlocks == 1


def test_properties_are_texts() -> None:
    with pytest.raises(UsageError, match="properties are texts, as in check"):
        strandline.check(COUNTER, 5)  # type: ignore[arg-type]


def test_the_package_is_called_like_the_function() -> None:
    assert list(inspect.signature(strandline.check).parameters)[:3] == ["source", "ltl", "ctl"]


def test_too_many_properties_are_refused() -> None:
    with pytest.raises(UsageError, match="63 properties are too many for one search, which can have 61 at most"):
        strandline.check(COUNTER, invariants=[f"x < {number}" for number in range(63)])


def test_as_many_as_allowed_are_told_apart() -> None:
    verdict = strandline.check(COUNTER, invariants=[f"x != {number}" for number in range(61)])
    violated = [number for number, one in enumerate(verdict.properties) if one.answer is Answer.VIOLATED]
    assert violated == [0, 1, 2, 3, 4, 5]


@pytest.mark.parametrize("options", [{"order": "bfs"}, {"order": "dfs"}, {"measure": "i"}])
def test_a_run_time_fault_is_always_a_violation(options: dict[str, str]) -> None:
    verdict = strandline.check(MODELS / "index.dve", invariants="i < 200", **options)  # type: ignore[arg-type]
    invariant, fault = verdict.properties
    assert (invariant.answer, invariant.reason) == (Answer.UNKNOWN, "the search ended at a run-time fault")
    assert (fault.kind, fault.answer) == (Kind.FAULT, Answer.VIOLATED)
    assert fault.reason == f"array index out of range at {MODELS / 'index.dve'}:5:38"
    assert fault.trace is not None
    assert len(fault.trace) == 3
    assert fault.trace.fault is not None
    assert fault.trace.fault.action == "P: s -> s"


def test_exploring_meets_the_same_fault() -> None:
    exploration = strandline.explore(MODELS / "index.dve")
    assert exploration.answer is Answer.VIOLATED
    assert exploration.trace is not None
    assert len(exploration.trace) == 3


def test_a_property_that_cannot_be_evaluated_is_the_users_to_mend() -> None:
    text = "a[i] == 0 or i == 7"
    with pytest.raises(InputError) as caught:
        strandline.check(MODELS / "index.dve", invariants=text)
    assert str(caught.value) == (
        "invariant:1:1: array index out of range in a state where i = 3, a has 3 elements, after 3 steps\n"
        "  a[i] == 0 or i == 7\n"
        "  ^^^^"
    )


def test_an_unknown_name_in_a_property_is_shown_in_its_text() -> None:
    with pytest.raises(ModelError, match=r"^invariant 2:1:5: "):
        strandline.check(COUNTER, invariants=["x < 9", "x + y < 9"])


def test_a_property_process_does_not_restrict_safety() -> None:
    """The product never reaches x == 3, the system does: a safety claim is about the system."""
    watched = MODELS / "watched.dve"
    assert strandline.check(watched, reach="x == 3").answer is Answer.HOLDS
    assert strandline.check(watched, invariants="x < 3").answer is Answer.VIOLATED
    assert strandline.check(watched, deadlock=True).answer is Answer.HOLDS
    assert strandline.explore(watched).statistics.states == 4


def test_a_property_about_the_property_process_is_asked_of_the_product() -> None:
    verdict = strandline.check(MODELS / "watched.dve", reach="Never.q1")
    assert verdict.answer is Answer.HOLDS
    assert verdict.trace is not None
    assert verdict.trace.final["Never"] == "q1"


def test_the_product_decides_nothing_else() -> None:
    with pytest.raises(UsageError, match="claims about the property process 'Never' and claims about the system"):
        strandline.check(MODELS / "watched.dve", reach="Never.q1", invariants="x < 3")


def test_a_property_process_that_never_accepts_for_ever_holds() -> None:
    verdict = strandline.check(MODELS / "watched.dve")
    assert [(one.kind, one.name, one.answer) for one in verdict.properties] == [(Kind.LTL, "Never", Answer.HOLDS)]
    assert verdict.complete


def test_a_measure_that_lies_is_refused_with_the_edge() -> None:
    with pytest.raises(MeasureError) as caught:
        strandline.check(MUTEX, measure="mono(flag[0])")
    assert str(caught.value) == (
        "measure:1:1: not monotone: step 3, 'P: critical -> idle', takes it from 1 to 0 "
        "(flag[0]: 1 -> 0, P: critical -> idle)\n"
        "  mono(flag[0])\n"
        "  ^^^^^^^^^^^^^"
    )


def test_a_system_that_was_loaded_can_be_checked() -> None:
    system = strandline.load(str(MUTEX))
    assert strandline.check(system).system is system
    assert strandline.explore(system).statistics.states == 9
