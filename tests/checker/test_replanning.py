"""A sweep by a measure that disappoints is planned again from where it is; the answer is the same."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from little_memory import give

import strandline
from strandline.checker.checkpoints import run_folder as run_folder_module
from strandline.checker.decisions import checks as checks_module
from strandline.checker.driver import handoff_files, outlook, replanning, run
from strandline.checker.driver.warm_up import COMPILING
from strandline.checker.limits.progress import ProgressCallback
from strandline.checker.measures import choice as choice_module
from strandline.checker.measures.notation import parse_measures
from strandline.checker.measures.prediction import Prediction
from strandline.checker.verdicts.verdict import Answer
from strandline.compile.host import compile_system
from strandline.compile.specification import KernelSpecification
from strandline.engine.cycles.sweep.sweep_cycles import SweepCycleSearch
from strandline.engine.search import Event, Search
from strandline.model.system import System

WHEELS = Path(__file__).parent / "models" / "wheels.dve"
FAR = "P.x < 63 or Q.x < 63 or R.x < 63"


class Told:
    """A callback that keeps all stages, and ends the run at the given progress after the measure was changed."""

    def __init__(self, left: int | None = None) -> None:
        self.texts: list[str] = []
        self._left = left

    def stage(self, text: str) -> None:
        if text != COMPILING:
            self.texts.append(text)

    def progress(self, progress: object) -> None:
        if self._left is not None:
            self._left -= any("looking for another measure" in text or "resumed after" in text for text in self.texts)
            if self._left < 0:
                raise Killed

    def planned(self) -> int:
        return sum("looking for another measure, from the frontier of the sweep" in text for text in self.texts)


class Killed(BaseException):
    """The process is gone."""


@pytest.fixture
def overrated(monkeypatch: pytest.MonkeyPatch) -> Told:
    """The measure that is found is a bad one, of which too much is expected."""
    told = Told()

    def predicted(system: System, callback: ProgressCallback, memory: int | None = None) -> Prediction:
        measure = parse_measures(["(P.x + Q.x + R.x) % 7"], system)
        return Prediction(measure, "it is said to be good", 0.01, 0.5, 1_000, False, 0.0)

    monkeypatch.setattr(choice_module, "predicted_measure", predicted)
    monkeypatch.setattr(outlook, "_MORE", 0.0)
    monkeypatch.setattr(run, "_SLICE", 0.001)
    monkeypatch.setattr(checks_module, "NullCallback", lambda: told)
    return told


def test_the_answer_is_the_same(overrated: Told) -> None:
    verdict = strandline.check(WHEELS, invariants=FAR, deadlock=True, measure="auto", count_distinct=True)
    assert overrated.planned() >= 1
    assert {one.answer for one in verdict.properties} == {Answer.VIOLATED, Answer.HOLDS}
    trace = next(one.trace for one in verdict.properties if one.answer is Answer.VIOLATED)
    assert trace is not None
    assert len(trace.steps) >= 3 * 63
    assert (verdict.statistics.states, verdict.statistics.transitions) == (64**3, (63 + 64 + 64) * 64**2)


def test_threads_are_planned_again_too(overrated: Told) -> None:
    verdict = strandline.check(WHEELS, invariants=FAR, deadlock=True, measure="auto", threads=2)
    assert overrated.planned() >= 1
    assert verdict.statistics.threads == 2
    assert {one.answer for one in verdict.properties} == {Answer.VIOLATED, Answer.HOLDS}
    assert verdict.statistics.visited >= 64**3
    trace = next(one.trace for one in verdict.properties if one.answer is Answer.VIOLATED)
    assert trace is not None
    assert len(trace.steps) >= 3 * 63


def test_what_was_found_is_said_and_reported(overrated: Told) -> None:
    explored = strandline.explore(WHEELS, measure="auto")
    assert overrated.texts[0].startswith("about ")
    assert (
        ", where 0.50 were predicted: looking for another measure, from the frontier of the sweep ..."
        in overrated.texts[0]
    )
    assert explored.complete
    assert explored.prediction is not None
    if any(text.startswith("found in") for text in overrated.texts):
        assert explored.prediction.reason != "it is said to be good"


def test_one_that_keeps_its_promise_is_left_alone(overrated: Told, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outlook, "_TIMES", 1_000.0)
    assert strandline.explore(WHEELS, measure="auto").complete
    assert overrated.planned() == 0


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no device that is always full")
def test_a_full_disk_ends_it_with_the_reason(overrated: Told, monkeypatch: pytest.MonkeyPatch) -> None:
    usual = handoff_files._BlockFile
    monkeypatch.setattr(handoff_files, "_BlockFile", lambda path, *rest: usual(Path("/dev/full"), *rest))
    monkeypatch.setattr(usual, "remove", lambda self: None)
    explored = strandline.explore(WHEELS, measure="auto")
    assert not explored.complete
    assert explored.reason == "/dev/full: cannot be written: No space left on device"
    assert explored.statistics.visited > 0


def test_killed_after_it_was_planned_again(overrated: Told, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(run_folder_module, "_SHARE", 0)
    monkeypatch.setattr(os, "fsync", lambda file: None)
    keywords: dict[str, Any] = {"invariants": FAR, "measure": "auto", "checkpoint": tmp_path / "saved", "every": 0.0}
    planned = 0
    for resume in (False, True, True):
        callback = Told(left=3)
        monkeypatch.setattr(checks_module, "NullCallback", lambda callback=callback: callback)
        with pytest.raises(Killed):
            strandline.check(WHEELS, **keywords, resume=resume)
        planned += callback.planned()
    assert planned >= 1
    last = Told()
    monkeypatch.setattr(checks_module, "NullCallback", lambda: last)
    verdict = strandline.check(WHEELS, **keywords, resume=True)
    assert last.texts[0].startswith("resumed after ")
    assert verdict.answer is Answer.VIOLATED
    assert verdict.properties[0].trace is not None


@pytest.mark.parametrize("better", [True, False])
def test_where_memory_is_full_it_is_planned_again_before_states_go_to_disk(
    better: bool, overrated: Told, monkeypatch: pytest.MonkeyPatch
) -> None:
    usual = Search.advance

    def advance(search: Search, seconds: float = 0.05) -> Event:
        if type(search).__name__ == "SpillingSearch":
            return usual(search, seconds)
        search._budget = 1000
        event = usual(search, 0.0)
        return Event.MEMORY if search.statistics().visited > 5000 else event

    def found(*given: Any, peak: bool, afresh: bool) -> Prediction | None:
        assert (peak, afresh) == (True, False)
        system = given[0]
        measure = parse_measures(["P.x"], system)
        return Prediction(measure, "another one", 0.01, 1.0, 1_000_000, False, 0.0) if better else None

    monkeypatch.setattr(outlook, "_TIMES", 1_000.0)
    monkeypatch.setattr(Search, "advance", advance)
    monkeypatch.setattr(replanning, "better_measure", found)
    give(monkeypatch, 8 << 20)
    verdict = strandline.check(WHEELS, invariants=FAR, deadlock=True, measure="auto", memory="1G")
    assert {one.answer for one in verdict.properties} == {Answer.VIOLATED, Answer.HOLDS}
    assert overrated.planned() == (2 if better else 1)
    assert overrated.texts[-1] == "the memory limit of 1.0 GB is reached: continuing with states on disk"
    assert verdict.complete


@pytest.mark.parametrize("killed", [False, True])
@pytest.mark.parametrize("trees_fit", [True, False])
def test_a_measure_that_forgets_little_is_given_up_when_memory_is_full(
    trees_fit: bool, killed: bool, overrated: Told, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Breadth-first search with trees takes the place of the sweep, and goes to disk where that is not enough. A run
    that is killed then goes on there."""
    usual = Search.advance

    def advance(search: Search, seconds: float = 0.05) -> Event:
        name = type(search).__name__
        if name == "SpillingSearch" or (name == "BreadthFirstSearch" and trees_fit):
            return usual(search, seconds)
        search._budget = 1000
        event = usual(search, 0.0)
        return Event.MEMORY if search.statistics().visited > 5000 and event is Event.PAUSED else event

    monkeypatch.setattr(outlook, "_TIMES", 1_000.0)
    monkeypatch.setattr(Search, "advance", advance)
    monkeypatch.setattr(replanning, "better_measure", lambda *given, **asked: None)
    monkeypatch.setattr(outlook, "_MOST_STORED", 0.0)
    give(monkeypatch, 32 << 20)
    monkeypatch.setattr(run_folder_module, "_SHARE", 0)
    monkeypatch.setattr(os, "fsync", lambda file: None)
    asked: dict[str, Any] = {"invariants": FAR, "deadlock": True, "measure": "auto", "memory": "1G"}
    told, texts = overrated, overrated.texts
    if killed:
        asked |= {"checkpoint": tmp_path / "saved", "every": 0.0}
        first = Told(left=3)
        monkeypatch.setattr(checks_module, "NullCallback", lambda: first)
        with pytest.raises(Killed):
            strandline.check(WHEELS, **asked)
        monkeypatch.setattr(checks_module, "NullCallback", lambda: told)
        asked["resume"], texts = True, first.texts
    verdict = strandline.check(WHEELS, **asked)
    assert {one.answer for one in verdict.properties} == {Answer.VIOLATED, Answer.HOLDS}
    assert verdict.statistics.states == 64**3
    trace = next(one.trace for one in verdict.properties if one.answer is Answer.VIOLATED)
    assert trace is not None
    assert len(trace.steps) == 3 * 63
    assert any("continuing with breadth-first search with tree compression" in text for text in texts)
    assert any("breadth-first search with tree compression" in change for change in verdict.statistics.fallbacks)
    assert (verdict.statistics.spilled_bytes > 0) == (not trees_fit)
    assert verdict.complete


RUNS: dict[str, tuple[str, Answer]] = {
    "cycles that are not": ("(G F (Q.x == 0)) or (F G (Q.x < 70))", Answer.HOLDS),
    "a prefix": (f"G ({FAR})", Answer.VIOLATED),
}


def another(*given: Any, peak: bool, afresh: bool) -> Prediction:
    return Prediction(parse_measures(["P.x"], given[0]), "another one", 0.01, 1.0, 1_000_000, False, 0.0)


@pytest.mark.parametrize("name", RUNS)
def test_properties_of_runs_are_decided_as_before(name: str, overrated: Told, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the measures that are really found."""
    formula, answer = RUNS[name]
    verdict = strandline.check(WHEELS, formula, measure="auto")
    assert verdict.answer is answer
    assert overrated.planned() >= 1


def test_a_search_for_cycles_begins_again(overrated: Told, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replanning, "better_measure", another)
    formula, _ = RUNS["cycles that are not"]
    verdict = strandline.check(WHEELS, formula, measure="auto", method="sweep")
    assert verdict.answer is Answer.HOLDS
    assert overrated.planned() == 1
    (search,) = [one.search for one in verdict.properties]
    assert search is not None
    (changed,) = search.statistics.fallbacks
    assert changed.startswith("begun again by another measure: about ")
    # By the first wheel alone every state of the product is visited once.
    usual = strandline.check(WHEELS, formula, measure="P.x", method="sweep").properties[0].search
    assert usual is not None
    assert (search.statistics.sweeps, search.statistics.layers) == (usual.statistics.sweeps, usual.statistics.layers)


def test_a_search_for_cycles_goes_on_where_nothing_better_is_found(
    overrated: Told, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: dict[str, Any] = {"measure": "(P.x + Q.x + R.x) % 7", "method": "sweep"}
    formula, _ = RUNS["cycles that are not"]
    alone = strandline.check(WHEELS, formula, **given).properties[0].search
    monkeypatch.setattr(replanning, "better_measure", lambda *given, peak, afresh: None)
    watched = strandline.check(WHEELS, formula, **given | {"measure": "auto"}).properties[0].search
    assert overrated.planned() >= 1
    assert alone is not None
    assert watched is not None
    for name in ("sweeps", "layers", "persistent", "regress_edges"):
        assert getattr(watched.statistics, name) == getattr(alone.statistics, name)
    assert watched.statistics.fallbacks == ()


@pytest.mark.parametrize("better", [True, False])
def test_where_memory_is_full_a_search_for_cycles_begins_again_or_ends(
    better: bool, overrated: Told, monkeypatch: pytest.MonkeyPatch
) -> None:
    usual = Search.advance
    asked: list[Any] = []

    def advance(search: Search, seconds: float = 0.05) -> Event:
        search._budget = 1000
        event = usual(search, 0.0)
        return Event.MEMORY if not asked and search.statistics().visited > 5000 else event

    def found(*given: Any, peak: bool, afresh: bool) -> Prediction | None:
        assert (peak, afresh) == (True, True)
        asked.append(peak)
        return another(*given, peak=peak, afresh=afresh) if better else None

    monkeypatch.setattr(outlook, "_TIMES", 1_000.0)
    monkeypatch.setattr(Search, "advance", advance)
    monkeypatch.setattr(replanning, "better_measure", found)
    give(monkeypatch, 1 << 30)
    formula, _ = RUNS["cycles that are not"]
    verdict = strandline.check(WHEELS, formula, measure="auto", method="sweep", memory="1G")
    assert verdict.answer is (Answer.HOLDS if better else Answer.UNKNOWN)
    assert asked == [True]
    assert verdict.reason == (None if better else "the memory limit of 1.0 GB is reached")


def test_killed_after_a_search_for_cycles_began_again(
    overrated: Told, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(run_folder_module, "_SHARE", 0)
    monkeypatch.setattr(os, "fsync", lambda file: None)
    monkeypatch.setattr(replanning, "better_measure", another)
    formula, _ = RUNS["cycles that are not"]
    keywords: dict[str, Any] = {"measure": "auto", "method": "sweep", "checkpoint": tmp_path / "saved", "every": 0.0}
    callback = Told(left=3)
    monkeypatch.setattr(checks_module, "NullCallback", lambda: callback)
    with pytest.raises(Killed):
        strandline.check(WHEELS, formula, **keywords)
    assert callback.planned() == 1
    last = Told()
    monkeypatch.setattr(checks_module, "NullCallback", lambda: last)
    verdict = strandline.check(WHEELS, formula, **keywords, resume=True)
    assert last.texts[0].startswith("resumed after ")
    assert last.planned() == 0
    assert verdict.answer is Answer.HOLDS
    search = verdict.properties[0].search
    assert search is not None
    assert search.statistics.fallbacks == ("begun again by another measure, before the run was resumed",)


def test_every_search_of_a_check_has_plans_of_its_own(
    overrated: Told, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    asked: list[bool] = []

    def found(*given: Any, peak: bool, afresh: bool) -> Prediction | None:
        asked.append(afresh)
        return None if len(asked) == 1 else another(*given, peak=peak, afresh=afresh)

    monkeypatch.setattr(replanning, "better_measure", found)
    # One plan for each search.
    monkeypatch.setattr(outlook, "_MOST_PLANS", 2)
    formulas = [RUNS["cycles that are not"][0], "(G F (R.x == 0)) or (F G (R.x < 70))"]
    verdict = strandline.check(WHEELS, formulas, measure="auto", method="sweep", checkpoint=tmp_path / "saved")
    assert [one.answer for one in verdict.properties] == [Answer.HOLDS, Answer.HOLDS]
    assert len(asked) >= 2
    changed = [one.search.statistics.fallbacks for one in verdict.properties if one.search is not None]
    assert [len(one) for one in changed] == [0, 1]


def test_what_stands_before_a_sweep_for_cycles_is_looked_at_and_left_as_it_is() -> None:
    system = strandline.load(WHEELS)
    kernel = compile_system(system, KernelSpecification(measure=parse_measures(["P.x"], system)))
    found: list[int] = []
    searches = [SweepCycleSearch(kernel, accepting=1, log=lambda links: found.append(len(links))) for _ in range(2)]
    watched, alone = searches
    while alone.advance(0.0) is Event.PAUSED:
        pass
    looks = 0
    while True:
        if watched.sweeping:
            states = watched.waiting_states(20)
            assert len(states) <= 40
            assert len(np.unique(states, axis=0)) == len(states)
            looks += len(states) > 0
        if watched.advance(0.0) is not Event.PAUSED:
            break
    assert looks > 3
    assert watched.statistics() == alone.statistics()
    for search in searches:
        search.close()
