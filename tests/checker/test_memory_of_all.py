"""A limit of memory holds for everything beside a search, too: observers, labelling, counting, BDDs."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from test_spilling_checks import WHEELS, watched

import strandline
from strandline.checker.driver import run
from strandline.checker.driver.distinct_states import Counts, DistinctCounter
from strandline.checker.limits.background import Background
from strandline.checker.limits.memory import MemoryLimit, resident_bytes, return_memory
from strandline.checker.limits.progress import NullCallback
from strandline.engine.disk.recent import RecentStates
from strandline.engine.disk.search import SpillingSearch
from strandline.engine.graph.log import GraphLog
from strandline.engine.graph.paths import Paths
from strandline.errors import ResourceError

REACHED = r"the memory limit of .* [MG]B is reached"


def test_what_is_wanted_must_be_left() -> None:
    # What other tests have left behind goes when it is asked what is left.
    return_memory()
    limit = MemoryLimit(resident_bytes() + (64 << 20))
    limit.ensure(16 << 20)
    assert 0 < limit.remaining_bytes() <= 64 << 20
    with pytest.raises(ResourceError, match=REACHED):
        limit.ensure(64 << 20)
    with pytest.raises(ResourceError, match=r"is less than the .* [MG]B that the program takes"):
        MemoryLimit(1 << 20).remaining_bytes()
    MemoryLimit(None).ensure(1 << 60)


def test_work_in_the_background_ends_when_memory_is_full() -> None:
    """It takes a megabyte at a time, and would not end before a gigabyte."""
    taken: list[Any] = []
    limit = resident_bytes() + (40 << 20)
    background: Background[None] = Background(NullCallback(), time.perf_counter(), None, MemoryLimit(limit))

    def work() -> None:
        while len(taken) < 1 << 10:
            background.watch()
            taken.append(np.ones(1 << 17))
            time.sleep(0.002)

    with pytest.raises(ResourceError, match=REACHED):
        background.run(work)
    assert len(taken) < 60


def test_counting_sorts_what_there_is_memory_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files that are too large for that are divided first."""
    rows = np.random.default_rng(1).integers(0, 1 << 40, (40_000, 3), dtype=np.uint64)
    sorted_at_once: list[int] = []
    count_sorted = sys.modules[DistinctCounter.__module__]._count_sorted  # type: ignore[attr-defined]

    def noted(part: np.ndarray) -> Counts:
        sorted_at_once.append(part.nbytes)
        counts: Counts = count_sorted(part)
        return counts

    monkeypatch.setattr(f"{DistinctCounter.__module__}._count_sorted", noted)
    for memory in (None, 20_000):
        counter = DistinctCounter(tmp_path / "seen", 2)
        counter.add(rows)
        assert counter.count(memory).states == len(rows)
        assert max(sorted_at_once) > 5_000 or memory is not None
        assert memory is None or max(sorted_at_once) <= memory // 4
        sorted_at_once.clear()


def test_paths_ask_for_memory(tmp_path: Path) -> None:
    """A row of records: the queue of the search for a path has one entry for each, and must grow."""
    records = 30_000
    asked: list[Any] = []
    graph = GraphLog(tmp_path / "graph", 1, 1, 1)
    rows = np.ones((records, 3), dtype=np.uint64)
    numbers = np.arange(records, dtype=np.uint64)
    graph.expanded(rows)
    graph.edges(numbers, np.concatenate((numbers[:1], np.minimum(numbers + np.uint64(1), numbers[-1]))))
    graph.finish()
    assert graph.held_words > records // 64
    goal = graph.empty()
    goal[(records - 1) >> 6] = np.uint64(1 << ((records - 1) & 63))
    found = Paths(graph, asked.append).until(0, graph.full(), goal)
    assert len(found.steps) == records - 1
    assert max(asked) >= 24 * (1 << 14)
    assert 0 in asked

    def refuse(wanted: int) -> None:
        if wanted > 8 * records:
            raise ResourceError("full")

    with pytest.raises(ResourceError, match="full"):
        Paths(graph, refuse).until(0, graph.full(), goal)
    graph.close()


def test_a_search_gives_way_where_the_process_takes_too_much(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """However little the search itself has: first as trees, then on disk, where it goes on with less as long as it
    can."""
    two_words = tmp_path / "wheels.dve"
    wide = WHEELS.read_text().replace("byte x;", "byte x; int a, b;").replace("x = 0;", "x = 0, a = 0, b = 0;")
    two_words.write_text(wide.replace("x = x + 1;", "x = x + 1, a = x * 500, b = x * 500;"))
    looks = iter([False, True, False, True] + [False, True] * 3)
    eased: list[bool] = []
    monkeypatch.setattr(run, "_SLICE", 0.001)
    monkeypatch.setattr(MemoryLimit, "runs_short", lambda self: next(looks, False))
    shrink_caches = SpillingSearch.shrink_caches

    def shrink_and_note(search: SpillingSearch) -> bool:
        eased.append(shrink_caches(search))
        return eased[-1]

    monkeypatch.setattr(SpillingSearch, "shrink_caches", shrink_and_note)
    explored = strandline.explore(two_words, memory="2G")
    assert explored.statistics.states == 64**3
    assert [one.partition(":")[0] for one in explored.statistics.fallbacks] == [
        "tree compression",
        "states on disk, from its frontier",
    ]
    assert eased == [True] * 3


def test_states_met_lately_are_halved_as_long_as_there_are_many() -> None:
    recent = RecentStates(3, 100_000)
    sizes = [len(recent.array)]
    while recent.shrink():
        sizes.append(len(recent.array))
    assert sizes == [100_000, 50_000, 25_000]


@pytest.mark.parametrize("options", ["--method explicit", "--method components --measure P.x"])
def test_ctl_keeps_the_limit(options: str) -> None:
    """A quarter of a million states with three quarters of a million edges."""
    command: tuple[str, ...] = (
        sys.executable,
        "-m",
        "strandline.cli",
        "check",
        str(WHEELS),
        "--ctl",
        "AG EF Q.x == 0",
        "--json",
    )
    command += (*options.split(), "--memory")
    # The first run may have to make machine code.
    own, _ = watched(*command, "900M", "--max-states", "9")
    limit = own + (18 << 20)
    most, told = watched(*command, str(limit))
    assert told["verdict"] in ("HOLDS", "UNKNOWN")
    assert told["verdict"] == "HOLDS" or "the memory limit of" in told["reason"]
    assert most <= limit
