"""`--order cache` from the outside: counts that are known or not, verdicts, traces, limits."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import strandline
from strandline.checker.options.search import CACHE_RULES
from strandline.checker.verdicts.verdict import Answer
from strandline.engine.orders.cached import CacheRule

STOP_AND_WAIT = Path(__file__).resolve().parents[2] / "examples" / "stop-and-wait" / "stop-and-wait.dve"
PHILOSOPHERS = Path(__file__).resolve().parents[2] / "examples" / "philosophers" / "philosophers.dve"


def test_the_rules_are_those_of_the_engine() -> None:
    assert list(CACHE_RULES) == [rule.value for rule in CacheRule]


def test_the_size_of_a_cache_asks_for_a_search_with_one() -> None:
    explored = strandline.explore(STOP_AND_WAIT, cache_states=200_000)
    assert explored.options.order == "cache"
    statistics = explored.statistics
    assert (statistics.states, statistics.visited, statistics.replaced) == (110_526, 110_526, 0)
    assert statistics.revisited == 0
    assert statistics.levels == ()
    # Figures of the engine are NumPy's; a report as JSON wants Python's.
    assert type(statistics.states) is int


@pytest.mark.parametrize("rule", ["random", "oldest", "deepest", "collision"])
def test_distinct_states_are_known_only_by_counting(rule: str) -> None:
    """A cache a little too small. (The newest would be replaced all the time, and this take minutes.)"""
    options: dict[str, Any] = {"cache_states": 100_000, "cache_rule": rule}
    plain = strandline.explore(STOP_AND_WAIT, **options)
    assert plain.complete
    found = plain.statistics
    assert (found.states, found.transitions, found.deadlocks, found.revisited) == (None, None, None, None)
    assert found.replaced > 0
    counted = strandline.explore(STOP_AND_WAIT, count_distinct=True, **options).statistics
    assert (counted.states, counted.transitions, counted.deadlocks) == (110_526, 317_521, 0)
    assert counted.visited == found.visited > 110_526
    assert counted.revisited == counted.visited - 110_526


@pytest.mark.parametrize("rule", CACHE_RULES)
def test_a_trace_is_the_path(rule: str) -> None:
    verdict = strandline.check(PHILOSOPHERS, deadlock=True, cache_states=50, cache_rule=rule)
    assert verdict.answer is Answer.VIOLATED
    assert verdict.trace is not None
    shortest = strandline.check(PHILOSOPHERS, deadlock=True).trace
    assert shortest is not None
    assert len(verdict.trace) >= len(shortest)


def test_a_limit_of_states_is_one_of_expansions() -> None:
    explored = strandline.explore(STOP_AND_WAIT, cache_states=1000, max_states=5000)
    assert explored.reason == "the limit of 5,000 states is reached"
    assert explored.statistics.visited == 5000
