"""Which steps regress: counted by action, with an example and the variables behind it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import strandline
from strandline.checker.diagnosis import regress_edges as regress_edges_module
from strandline.checker.diagnosis.regress_edges import RegressEdge, _spread
from strandline.languages import dve
from strandline.model.system import System
from strandline.source import Source
from strandline.traces.trace import Change

STOP_AND_WAIT = Path(__file__).resolve().parents[2] / "examples" / "stop-and-wait" / "stop-and-wait.dve"
CLOCK = """\
byte hand; byte turns; byte a[2];
process Clock {
  state on; init on;
  trans
    on -> on { guard hand < 3; effect hand = hand + 1, a[1] = 1; },
    on -> on { guard hand == 3 and turns < 2; effect hand = 0, turns = turns + 1, a[1] = 0; };
}
process Fool { state x, y; init x; trans x -> y { guard hand == 2; effect a[0] = 1; }, y -> x { effect a[0] = 0; }; }
system async;
"""
"""The hand goes round twice, and the fool goes to and fro."""


@pytest.fixture(scope="module")
def clock() -> System:
    return dve.load(Source("clock.dve", CLOCK))


def falls(edge: RegressEdge) -> list[tuple[str | None, int, int]]:
    """Return the components that decrease along an edge, by name."""
    return [(one.component.name, one.old, one.new) for one in edge.measures]


def test_actions_examples_and_variables(clock: System) -> None:
    """By the hand alone: the two ways round regress, each met in a sweep of its own or in two."""
    statistics = strandline.explore(clock, measure="hand").statistics
    regress = statistics.regress
    assert regress is not None
    assert regress.sampled == statistics.regress_edges
    assert [one.action for one in regress.actions] == ["Clock: on -> on"]
    assert regress.actions[0].share == 1.0
    example = regress.actions[0].example
    assert (example.action, example.variables) == ("Clock: on -> on", ("hand",))
    assert example.changes == (Change("hand", 3, 0), Change("turns", 0, 1), Change("a[1]", 1, 0))
    assert falls(example) == [("hand", 3, 0)]
    assert regress.variables == (("hand", 1.0),)


def test_shares_are_those_of_the_edges(clock: System) -> None:
    """By the fool's location and the array the clock and the fool both regress; elements count as their array."""
    regress = strandline.explore(clock, measure="a[0] + a[1]").statistics.regress
    assert regress is not None
    shares = {one.action: one.share for one in regress.actions}
    assert set(shares) == {"Clock: on -> on", "Fool: y -> x"}
    assert sum(shares.values()) == pytest.approx(1.0)
    assert list(shares.values()) == sorted(shares.values(), reverse=True)
    assert regress.variables == (("a", 1.0),)


def test_of_several_measures_the_first_that_changes_decides(clock: System) -> None:
    """A way round lowers the hand and a[1] at once: combined it regresses by the hand; componentwise by both."""
    options: dict[str, Any] = {"measure": ["hand", "a[1]", "turns"]}
    combined = strandline.explore(clock, **options).statistics.regress
    literal = strandline.explore(clock, componentwise=True, **options).statistics.regress
    assert combined is not None
    assert literal is not None
    assert [one.component.name for one in combined.actions[0].example.measures] == ["hand"]
    assert falls(literal.actions[0].example) == [("hand", 3, 0), ("a[1]", 1, 0)]
    assert literal.variables == (("hand", 1.0), ("a", 1.0))


def test_monotone_measures_never_regress(clock: System) -> None:
    statistics = strandline.explore(clock, measure=["mono(turns)", "hand"]).statistics
    assert statistics.regress_edges == 0
    assert statistics.regress is None


def test_a_declared_measure_is_told_as_it_was_written() -> None:
    model = dve.load(Source("clock.dve", f"// measure: hand * 2\n{CLOCK}"))
    regress = strandline.explore(model, order="sweep").statistics.regress
    assert regress is not None
    assert falls(regress.actions[0].example) == [("hand * 2", 6, 0)]


def test_callables() -> None:
    model = strandline.from_callables([0], lambda state: [("tick", (state + 1) % 5)], progress=lambda state: state)
    regress = strandline.explore(model, order="sweep").statistics.regress
    assert regress is not None
    (only,) = regress.actions
    assert (only.action, only.share, only.example.changes) == ("tick", 1.0, (Change("state", 4, 0),))
    assert falls(only.example) == [("progress", 4, 0)]


def test_a_search_that_stopped_tells_what_it_met() -> None:
    explored = strandline.explore(STOP_AND_WAIT, measure="sent + data.length", max_states=20_000)
    assert not explored.complete
    assert explored.statistics.regress is not None


def test_a_large_sample_is_looked_at_for_a_bounded_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(regress_edges_module, "_ENOUGH_SECONDS", 0.0)
    regress = strandline.explore(STOP_AND_WAIT, measure="sent + data.length").statistics.regress
    assert regress is not None
    assert regress.sampled == 1


def test_other_orders_have_none() -> None:
    for options in ({}, {"order": "dfs"}, {"cache_states": 200_000}):
        assert strandline.explore(STOP_AND_WAIT, **options).statistics.regress is None


@pytest.mark.parametrize("count", [0, 1, 2, 3, 7, 8, 100])
def test_any_beginning_is_spread_over_the_whole(count: int) -> None:
    numbers = list(_spread(count))
    assert sorted(numbers) == list(range(count))
    if count == 8:
        assert numbers == [0, 4, 2, 6, 1, 5, 3, 7]
