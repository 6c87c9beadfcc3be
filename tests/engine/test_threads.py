"""Several threads find what one finds: the same states at the same distances, and paths to all of them."""

from __future__ import annotations

import os
import re
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from threading import Lock
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from graph_kernel import Graph, graph_kernel, random_graph
from plain import Engine, compiled_engine, giving_way, plain_engine
from running import Run, explore, path_to, smallest_arrays
from test_lossy_stores import counters
from test_spilling import handed_over, trace_lengths

import strandline
from strandline.checker.options import threads as options_of_threads
from strandline.checker.options.search import Options
from strandline.checker.verdicts.verdict import Answer
from strandline.engine.runtime import sizes
from strandline.engine.runtime import threads as runtime_threads
from strandline.engine.runtime.threads import usable_processors
from strandline.engine.search import Event
from strandline.errors import ResourceError, UsageError
from strandline.traces.log import LinkFile, ParentLog

EXAMPLES = Path(__file__).parents[2] / "examples"


@contextmanager
def small_rounds(engine: Engine, links: int = 5, encoded: int = 1 << 14) -> Iterator[None]:
    """Rounds of a few states, so that small graphs have many."""
    small = {"SHARED_STATES": 2, "SHARED_LINKS": links, "SHARED_ENCODED": encoded}
    old = {name: getattr(engine.sizes, name) for name in small}
    try:
        for name, value in small.items():
            setattr(engine.sizes, name, value)
        yield
    finally:
        for name, value in old.items():
            setattr(engine.sizes, name, value)


def states_by_distance(kernel: Any, outcome: Any) -> list[set[Any]]:
    """The states of each level, by their links."""
    begin = 0
    found: list[Any] = []
    for size in outcome.levels:
        paths = [path_to(kernel, outcome.links, record) for record in range(begin, begin + size)]
        assert {len(path) for path in paths} == {len(found) + 1}
        found.append({path[-1] for path in paths})
        assert len(found[-1]) == size
        begin += size
    assert begin == len(outcome.links)
    return found


def same_search(kernel: Any, threads: int, engine: Engine, **options: Any) -> None:
    alone = explore(kernel, "bfs", collect=False, **options)
    shared = explore(kernel, "bfs", collect=False, engine=engine, threads=threads, **options)
    assert shared.statistics.threads == threads
    assert shared.event.name == alone.event.name
    assert shared.levels == alone.levels
    for name in ("recorded", "visited", "transitions", "deadlocks", "stored", "peak_states"):
        assert getattr(shared.statistics, name) == getattr(alone.statistics, name), name
    if "max_states" not in options:
        assert states_by_distance(kernel, shared) == states_by_distance(kernel, alone)


@pytest.mark.parametrize("words", [1, 2, 9])
def test_the_same_states_at_the_same_distances(words: int) -> None:
    engine = compiled_engine()
    for seed in range(30):
        random = Random(seed)
        nodes = random.choice((40, 400))
        graph = random_graph(random, nodes, 3 * nodes)
        with small_rounds(engine, random.choice((5, 60, 300))):
            same_search(graph_kernel(graph, words), random.choice((2, 3, 5)), engine)


def test_growing_and_flushing_at_every_point() -> None:
    engine = compiled_engine()
    for seed in range(10):
        graph = random_graph(Random(seed), 200, 600)
        with small_rounds(engine), smallest_arrays(engine):
            same_search(graph_kernel(graph, 2), 2, engine)


@pytest.mark.parametrize("words", [1, 2])
def test_a_table_that_has_no_room_to_be_doubled(words: int) -> None:
    """It grows by what there is, by all threads together as by one."""
    engine, nodes = compiled_engine(), 60_000
    successors = tuple((2 * node + 1, 2 * node + 2) if 2 * node + 2 < nodes else (0,) for node in range(nodes))
    kernel = graph_kernel(Graph(successors), words)
    with small_rounds(engine, 3_000):
        for threads in (1, 2):
            free = Run(kernel, "bfs", engine=engine, collect=False, threads=threads, engine_bytes=1 << 40)
            levels = free.advance().levels
            places, size = int(free.search._table.shape.places), 8 * len(free.search._table.table)
            full, grown = 8 * sum(part.room for part in free.search.parts), set()
            for limit in range(full - size // 2, full + 2 * size, size // 8):
                short = Run(kernel, "bfs", engine=engine, collect=False, threads=threads, engine_bytes=limit)
                if short.advance().event is engine.Event.DONE:
                    assert short.outcome.levels == levels
                    grown.add(int(short.search._table.shape.places))
            assert max(grown) == places
            assert min(grown) < places or words == 1


def test_links_that_threads_encode_are_those_of_the_log(tmp_path: Path) -> None:
    """The log has blocks that several threads encoded, and links of small levels; every path in it is one."""
    engine, nodes, random = compiled_engine(), 60_000, Random(7)
    kernel = graph_kernel(random_graph(random, nodes, 3 * nodes), 1)
    log, encoded = ParentLog(tmp_path / "parents"), list[int]()

    def append_encoded(links: int, sizes: Any, pieces: Any) -> None:
        encoded.append(links)
        log.append_encoded(links, sizes, pieces)

    with small_rounds(engine, 9_000, encoded=4_000):
        search = engine.orders["bfs"](kernel, threads=3, log=log.append, encoded_log=append_encoded)
        while (event := search.advance()) is engine.Event.PAUSED:
            pass
    log.settle()
    assert event is engine.Event.DONE
    assert 3 * 4_000 < sum(encoded) < search.statistics().recorded
    with LinkFile(log.path) as file:
        links = np.concatenate(list(file.blocks())).tolist()
    log.close()
    found = SimpleNamespace(levels=list(search.details().levels), links=links)
    assert states_by_distance(kernel, found) == states_by_distance(kernel, explore(kernel, "bfs", collect=False))


def test_a_log_that_cannot_be_written_ends_the_search() -> None:
    """The other threads wait in compiled code for the one that writes; they must not wait for ever."""
    engine = compiled_engine()
    kernel = graph_kernel(random_graph(Random(7), 60_000, 180_000), 1)

    def full(links: int, sizes: Any, pieces: Any) -> None:
        raise ResourceError("the disk is full")

    with small_rounds(engine, 9_000, encoded=4_000):
        search = engine.orders["bfs"](kernel, threads=3, log=lambda links: None, encoded_log=full)
        with pytest.raises(ResourceError, match="the disk is full"):
            search.advance(60.0)
    search.close()


def test_loading_the_machine_code_writes_inside_arrays() -> None:
    """The kernels as plain Python, where an index outside of an array is an error; some levels are searched before."""
    engine = plain_engine()
    kernel = graph_kernel(random_graph(Random(1), 60, 180), 1)
    with small_rounds(engine), warnings.catch_warnings(action="ignore"):
        search = engine.orders["bfs"](kernel, threads=2, log=lambda links: None)
        search.load()
    assert int(search._level.count) > 1
    search.close()


@pytest.mark.parametrize("words", [1, 2])
def test_threads_that_give_way_around_every_swap(words: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The kernels as plain Python, in threads that let others go on before and after each atomic step."""
    engine = plain_engine()
    lock = Lock()
    modules = engine.modules
    for module, names in (
        ("store.table_kernel", ("load_acquire", "compare_and_swap")),
        ("store.bucket_kernel", ("load_acquire", "compare_and_swap", "store_release")),
        ("orders.shared_kernel", ("load_acquire", "fetch_add")),
        ("parts.barrier_kernel", ("load_acquire", "fetch_add")),
    ):
        for name in names:
            monkeypatch.setattr(modules[module], name, giving_way(lock, getattr(modules["runtime.intrinsics"], name)))
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for seed in range(4):
            with small_rounds(engine), warnings.catch_warnings(action="ignore"):
                same_search(graph_kernel(random_graph(Random(seed), 60, 180), words), 3, engine)
    finally:
        sys.setswitchinterval(before)


def test_stops_at_labels_faults_and_limits() -> None:
    """Each label is found once at its distance, then the fault; a limit of states is kept exactly."""
    engine, targets = compiled_engine(), (tuple(range(1, 41)), *((node + 40,) for node in range(1, 41)), *((),) * 40)
    kernel = graph_kernel(Graph(targets, labels={7: 1, 33: 2, 60: 4}, faults={77}))
    with small_rounds(engine):
        run = Run(kernel, "bfs", collect=False, stop_mask=7, threads=3)
        found = []
        while run.advance().event is engine.Event.FOUND:
            record, label = run.search.found
            found.append((label, len(path_to(kernel, run.outcome.links, record))))
            run.search.stop_less(label)
        assert set(found[:2]) == {(1, 2), (2, 2)}
        assert run.outcome.event is engine.Event.FAULT
        assert len(path_to(kernel, run.outcome.links, run.search.found[0])) == 3
        assert kernel.fault_sites[run.search.fault_number].kind == "fault of 77"
        run.search.close()
        for limit in (1, 2, 30, 79):
            outcome = explore(graph_kernel(Graph(targets)), "bfs", collect=False, threads=2, max_states=limit)
            assert (outcome.event, outcome.statistics.recorded) == (engine.Event.STATES, limit)


@pytest.mark.parametrize("given", [{}, {"store": "compact"}, {"por": True}])
def test_large_searches_through_the_door_of_users(given: dict[str, Any]) -> None:
    system = counters(5, 9)
    alone, shared = (strandline.explore(system, threads=threads, **given) for threads in (1, 2))
    for name in ("states", "transitions", "deadlocks", "visited", "peak_states", "levels"):
        assert getattr(shared.statistics, name) == getattr(alone.statistics, name), name
    assert (alone.statistics.threads, shared.statistics.threads) == (1, 2)


def test_a_search_by_several_threads_is_handed_over(tmp_path: Path) -> None:
    """When memory is full in the middle of a round, the states that threads have claimed are not lost."""
    engine, in_the_middle = compiled_engine(), 0
    for seed in range(12):
        random = Random(seed)
        threads = random.choice((2, 3))
        kernel = graph_kernel(random_graph(random, 2_000, 6_000), 1)
        alone = explore(kernel, "bfs", collect=False)
        with small_rounds(engine, 300), smallest_arrays(engine):
            free = explore(kernel, "bfs", collect=False, threads=threads).statistics.peak_bytes
            limit = free - random.randint(20_000, 35_000)
            former = Run(kernel, "bfs", collect=False, threads=threads, engine_bytes=limit)
            if former.advance().event is not Event.MEMORY:
                continue
        in_the_middle += not former.search._workers.idle
        run = handed_over(former, tmp_path, 1 << 16, 100, collect=False)
        outcome = run.advance()
        run.search.close()
        assert outcome.event is Event.DONE
        assert outcome.levels == alone.levels
        for name in ("exact", "visited", "transitions", "deadlocks"):
            assert getattr(outcome.statistics, name) == getattr(alone.statistics, name), name
        lengths, expected = trace_lengths(kernel, outcome), trace_lengths(kernel, alone)
        assert lengths == expected
    assert in_the_middle > 3


def test_traces_have_the_same_length() -> None:
    invariant = "C0.x + C1.x + C2.x + C3.x + C4.x < 40"
    for threads in (1, 2, 3):
        verdict = strandline.check(counters(5, 9), invariants=invariant, threads=threads)
        assert verdict.answer is Answer.VIOLATED
        assert verdict.trace is not None
        assert len(verdict.trace) == 40


def test_threads_are_for_searches_that_have_a_use_for_them() -> None:
    model = EXAMPLES / "peterson" / "peterson.dve"
    told = "threads=2 is for breadth-first searches and sweeps that store states or hashes; it has no meaning with "
    for name, value in (("order", "dfs"), ("store", "bitstate"), ("store", "tree")):
        other = f"{name}='{value}'"
        given: dict[str, Any] = {name: value}
        with pytest.raises(UsageError, match=re.escape(told + other)):
            strandline.explore(model, threads=2, **given)
    with pytest.raises(UsageError, match="checkpoint= is not for a sweep by threads=2"):
        strandline.explore(model, threads=2, measure="0", checkpoint="here")
    with pytest.raises(UsageError, match="threads= must be between 1 and 64, not 0"):
        strandline.explore(model, threads=0)
    with pytest.raises(UsageError, match="threads= must be a number or 'auto', not 'many'"):
        strandline.explore(model, threads="many")


def test_large_searches_use_all_processors_by_default(monkeypatch: pytest.MonkeyPatch) -> None:
    """One thread begins; the others follow while it searches, as soon as their machine code is loaded."""
    monkeypatch.setattr(options_of_threads, "usable_processors", lambda: 3)
    monkeypatch.setattr(sizes, "STATES_ALONE", 1_000)
    system = counters(6, 13)
    # The first search may end while the machine code is compiled, and waits for it; the second finds it.
    strandline.explore(system)
    alone, shared = strandline.explore(system, threads=1), strandline.explore(system)
    for name in ("states", "transitions", "deadlocks", "visited", "peak_states", "levels"):
        assert getattr(shared.statistics, name) == getattr(alone.statistics, name), name
    assert (alone.statistics.threads, shared.statistics.threads) == (1, 3)
    assert strandline.explore(counters(4, 3)).statistics.threads == 1


def test_the_number_of_threads_that_is_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(options_of_threads, "usable_processors", lambda: 500)
    most: dict[int, list[dict[str, Any]]] = {
        64: [{}, {"order": "bfs"}, {"store": "exact"}, {"store": "compact"}, {"checkpoint": "here"}],
        1: [{"order": "dfs"}, {"measure": "x"}, {"store": "tree"}, {"memory": "1G"}],
        2: [{"threads": 2}, {"threads": 2, "measure": "x"}, {"threads": 2, "memory": "1G"}],
    }
    for count, given in most.items():
        assert [Options(**one).most_threads for one in given] == [count] * len(given)


def test_limits_of_control_groups_are_respected(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: set(range(8)), raising=False)
    groups, membership = tmp_path / "groups", tmp_path / "membership"
    (groups / "jobs" / "one").mkdir(parents=True)
    monkeypatch.setattr(runtime_threads, "_GROUPS", groups)
    monkeypatch.setattr(runtime_threads, "_MEMBERSHIP", membership)
    assert usable_processors() == 8
    membership.write_text("1:cpu:/other\n0::/jobs/one\n")
    assert usable_processors() == 8
    for group, text, usable in (("jobs/one", "max 100000", 8), ("jobs", "350000 100000", 3), ("", "50000 100000", 1)):
        (groups / group / "cpu.max").write_text(text)
        assert usable_processors() == usable
