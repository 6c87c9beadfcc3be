"""Counting distinct states: exact against a plain set, and against breadth-first search on real sweeps."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import strandline
from strandline.checker.driver.distinct_states import Counts, DistinctCounter

MODELS = Path(__file__).parent / "models"
STOP_AND_WAIT = Path(__file__).resolve().parents[2] / "examples" / "stop-and-wait" / "stop-and-wait.dve"

WORD = st.integers(0, 3) | st.integers(0, 2**64 - 1)


@settings(max_examples=25, deadline=None)
@given(
    st.integers(1, 3).flatmap(lambda words: st.lists(st.tuples(*[WORD] * words), min_size=1, max_size=60)),
    st.sampled_from([200, 1 << 28]),
    st.integers(1, 20),
)
def test_against_a_set(
    tmp_path_factory: pytest.TempPathFactory, states: list[tuple[int, ...]], largest: int, batch: int
) -> None:
    words = len(states[0])
    facts = {state: (sum(state) % 50, sum(state) % 2) for state in states}
    folder = tmp_path_factory.mktemp("count") / "seen"
    counter = DistinctCounter(folder, words, largest=largest)
    for start in range(0, len(states), batch):
        rows = [[*state, facts[state][0] << 1 | facts[state][1]] for state in states[start : start + batch]]
        counter.add(np.array(rows, dtype=np.uint64))
    distinct = set(states)
    assert counter.count() == Counts(
        len(distinct), sum(facts[state][0] for state in distinct), sum(facts[state][1] for state in distinct)
    )
    assert not folder.exists()


def test_nothing_is_nothing(tmp_path: Path) -> None:
    assert DistinctCounter(tmp_path / "seen", 2).count() == Counts(0, 0, 0)


@pytest.mark.parametrize("measure", ["sent + data.length", "0 - sent", "data.length", "Sender.wait"])
def test_a_sweep_that_regresses_counts_as_breadth_first_does(measure: str) -> None:
    plain = strandline.explore(STOP_AND_WAIT).statistics
    swept = strandline.explore(STOP_AND_WAIT, measure=measure, count_distinct=True).statistics
    assert swept.persistent > 0
    assert swept.visited >= plain.visited
    assert (swept.states, swept.transitions, swept.deadlocks) == (
        plain.states,
        plain.transitions,
        plain.deadlocks,
    )


def test_without_counting_the_numbers_are_unknown() -> None:
    swept = strandline.explore(STOP_AND_WAIT, measure="sent + data.length")
    assert swept.complete
    statistics = swept.statistics
    assert (statistics.states, statistics.transitions, statistics.deadlocks) == (None, None, None)
    assert statistics.visited > 110_526


def test_without_regress_edges_the_numbers_are_exact_for_free() -> None:
    swept = strandline.explore(STOP_AND_WAIT, measure="mono(sent)").statistics
    assert (swept.states, swept.visited, swept.persistent) == (110_526, 110_526, 0)


def test_a_small_partition_limit_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(DistinctCounter.__init__, "__kwdefaults__", {"largest": 1 << 17, "depth": 0})
    swept = strandline.explore(STOP_AND_WAIT, measure="sent + data.length", count_distinct=True)
    assert swept.statistics.states == 110_526
