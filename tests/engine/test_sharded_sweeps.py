"""Sweeps by several threads do what one does: the same layers, visits and persistent states, and ways to all states."""

from __future__ import annotations

import re
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import astuple, replace
from pathlib import Path
from random import Random
from threading import Lock, Thread
from typing import Any

import numpy as np
import pytest
from graph_kernel import Graph, graph_kernel, graph_reference, random_graph
from plain import Engine, compiled_engine, giving_way, plain_engine
from running import Run, explore, smallest_arrays
from test_continued_sweeps import progress_in
from test_sweeping import counters

import strandline
from strandline.checker.verdicts.verdict import Answer
from strandline.engine.handoff import FRONTIER
from strandline.engine.runtime.codes import ROOT, SAME, STEP_BITS
from strandline.errors import UsageError
from strandline.traces.log import ParentLog

KINDS = ("monotone", "regressing", "columns", "extreme")
_FIGURES = (
    "recorded", "exact", "visited", "transitions", "deadlocks", "stored", "peak_states", "persistent", "regress_edges",
    "sweeps", "layers",
)  # fmt: skip


class Sharded(Run):
    """A sweep by threads with a log for each."""

    def new_search(self, order: str, **options: Any) -> Any:
        assert order == "sweep"
        threads = options.pop("threads")
        self.logs: list[list[int]] = getattr(self, "logs", [[] for _ in range(threads)])
        sinks = [lambda links, log=log: log.extend(links.tolist()) for log in self.logs]
        return self.engine.ShardedSweepSearch(self.kernel, threads=threads, logs=lambda count: sinks[:count], **options)

    def path_to(self, record: int) -> list[Any]:
        """The states on the way to a record, each step looked up in the reference."""
        steps: list[int] = []
        for _ in range(sum(map(len, self.logs))):
            link = self.logs[record % len(self.logs)][record // len(self.logs)]
            parent, step = link >> STEP_BITS, link & ((1 << STEP_BITS) - 1)
            if parent == ROOT:
                break
            if step != SAME:
                steps.append(step)
            record = parent
        else:
            raise AssertionError("a circle")
        states = [tuple(self.kernel.reference.initial()[step])]
        for number in reversed(steps):
            target = self.kernel.reference.edges(states[-1])[number].target
            assert target is not None
            states.append(target)
        return states

    def ends(self) -> list[Any]:
        """The states of all records."""
        threads = len(self.logs)
        records = (place * threads + thread for thread, log in enumerate(self.logs) for place in range(len(log)))
        return [self.path_to(record)[-1] for record in records]


@contextmanager
def small_boxes(engine: Engine, words: int = 1) -> Iterator[None]:
    """Boxes of a few successors, so that small graphs fill them."""
    before = engine.sizes.MAILBOX_WORDS
    try:
        engine.sizes.MAILBOX_WORDS = words
        yield
    finally:
        engine.sizes.MAILBOX_WORDS = before


def same_sweep(kernel: Any, threads: int, engine: Engine, seconds: float = 1.0) -> None:
    alone = Run(kernel, "sweep")
    alone.advance()
    shared = Sharded(kernel, "sweep", collect=False, engine=engine, threads=threads)
    shared.advance(seconds)
    assert shared.outcome.event.name == alone.outcome.event.name == "DONE"
    assert shared.outcome.statistics.threads == threads
    for name in _FIGURES:
        assert getattr(shared.outcome.statistics, name) == getattr(alone.outcome.statistics, name), name
    assert [astuple(one) for one in shared.search.details().profile] == [
        astuple(one) for one in alone.search.details().profile
    ]
    assert sum(map(len, shared.logs)) == shared.outcome.statistics.recorded
    assert sorted(shared.ends()) == sorted(alone.outcome.seen)
    for run in (alone, shared):
        run.search.close()


@pytest.mark.parametrize("words", [1, 9])
def test_the_same_layers_visits_and_persistent_states(words: int) -> None:
    engine = compiled_engine()
    for seed in range(25):
        random = Random(seed)
        nodes = random.choice((1, 40, 300))
        graph = random_graph(random, nodes, 3 * nodes, kind=random.choice(KINDS))
        with small_boxes(engine, random.choice((1, 100, 1 << 18))):
            same_sweep(graph_kernel(graph, words), random.choice((2, 3, 5)), engine)


@pytest.mark.parametrize("small", [False, True])
def test_another_sweep_by_as_many_threads_carries_on(small: bool) -> None:
    engine, in_mailboxes = compiled_engine(), 0
    for seed in range(40):
        random, threads = Random(seed), 2 + seed % 2
        graph = random_graph(random, 80, 200, kind=KINDS[seed % 3])
        other = replace(graph, progress=tuple((0, random.randint(-3, 3)) for _ in graph.edges))
        with small_boxes(engine, 1 + 40 * (seed % 2)), smallest_arrays(engine) if small else nullcontext():
            run = Sharded(graph_kernel(graph), "sweep", collect=False, threads=threads)
            for now in (other, graph):
                run.search._budget = random.randint(1, 30)
                run.search.advance(0.0)
                former, run.kernel = run.search, graph_kernel(now)
                in_mailboxes += sum(len(links) for _, links in former.in_mailboxes())
                handoff = former.hand_off()
                rows = [np.array(block) for block in handoff.blocks[FRONTIER]]
                former.close()
                run.search = run.new_search("sweep", log=lambda links: None, threads=threads)
                handoff = replace(handoff, blocks={FRONTIER: iter(rows)})
                assert run.search.take_over(handoff, progress_in(now, run.kernel)) is None
            assert run.advance().event is engine.Event.DONE
        figures = run.outcome.statistics
        assert set(run.ends()) == {graph_reference(run.kernel).states[node] for node in graph.reachable()}
        assert figures.recorded == sum(map(len, run.logs))
        assert abs(figures.distinct - len(graph.reachable())) <= 5, "few states are estimated well"
        assert figures.visited >= len(graph.reachable())
        run.search.close()
    assert in_mailboxes or not small, "states that no thread has received were handed off too"


def test_growing_and_flushing_at_every_point() -> None:
    engine = compiled_engine()
    for seed in range(12):
        graph = random_graph(Random(seed), 150, 450, kind=KINDS[seed % 4])
        with small_boxes(engine, 1 + 30 * (seed % 3)), smallest_arrays(engine):
            same_sweep(graph_kernel(graph), 2, engine, seconds=0.0)


@pytest.mark.parametrize("order", ["sweep", "bfs"])
def test_fewer_threads_than_asked_for(order: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the system refuses to start threads, a search goes on with those it has, and waits for no others."""
    start, started = Thread.start, list[Thread]()

    def refuse(thread: Thread) -> None:
        if thread.name.startswith("strandline") and len(started) == 2:
            raise RuntimeError("can't start new thread")
        started.append(thread)
        start(thread)

    monkeypatch.setattr(Thread, "start", refuse)
    graph = random_graph(Random(3), 300, 900, kind="regressing" if order == "sweep" else "plain")
    kernel = graph_kernel(graph)
    alone = Run(kernel, order, collect=False).advance()
    run = (Sharded if order == "sweep" else Run)(kernel, order, collect=False, threads=5)
    shared = run.advance()
    assert shared.event.name == alone.event.name == "DONE"
    assert shared.statistics.threads == 3
    assert shared.statistics.recorded == alone.statistics.recorded
    run.search.close()


def test_threads_that_give_way_when_they_meet(monkeypatch: pytest.MonkeyPatch) -> None:
    """The kernels as plain Python, in threads that let others go on before and after each atomic step."""
    engine = plain_engine()
    lock = Lock()
    for name in ("load_acquire", "fetch_add"):
        function = giving_way(lock, getattr(engine.modules["runtime.intrinsics"], name))
        monkeypatch.setattr(engine.modules["parts.barrier_kernel"], name, function)
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for seed, kind in enumerate(KINDS):
            graph = random_graph(Random(seed), 40, 120, kind=kind)
            with small_boxes(engine, 20), warnings.catch_warnings(action="ignore"):
                same_sweep(graph_kernel(graph), 3, engine)
    finally:
        sys.setswitchinterval(before)


def test_stops_at_labels_faults_liars_and_limits() -> None:
    engine = compiled_engine()
    targets = (tuple(range(1, 41)), *((node + 40,) for node in range(1, 41)), *((),) * 40)
    progress = tuple((0, (node > 0) + (node > 40)) for node in range(81))
    kernel = graph_kernel(Graph(targets, labels={7: 1, 33: 2, 60: 4}, faults={77}, progress=progress))
    run = Sharded(kernel, "sweep", collect=False, stop_mask=3, threads=3)
    found = []
    while run.advance().event is engine.Event.FOUND:
        record, label = run.search.found
        found.append((label, graph_reference(kernel).nodes[run.path_to(record)[-1]]))
        run.search.stop_less(label)
    assert sorted(found) == [(1, 7), (2, 33)]
    assert run.outcome.event is engine.Event.FAULT
    assert graph_reference(kernel).nodes[run.path_to(run.search.found[0])[-1]] == 77
    assert kernel.fault_sites[run.search.fault_number].kind == "fault of 77"
    run.search.close()
    for limit in (1, 2, 30, 80):
        for threads in (2, 3):
            limited = Sharded(
                graph_kernel(Graph(targets, progress=progress)), "sweep", collect=False, threads=threads,
                max_states=limit,
            )  # fmt: skip
            limited.advance()
            assert (limited.outcome.event, limited.outcome.statistics.recorded) == (engine.Event.STATES, limit)
            limited.search.close()
    lying = Graph(((1,), (2,), (0,)), progress=((0, 0), (1, 0), (2, 0)))
    liar = Sharded(graph_kernel(lying), "sweep", collect=False, threads=2)
    assert liar.advance().event is engine.Event.COLUMN_DECREASED
    record, step = liar.search.regressing_link
    assert (liar.path_to(record)[-1], step) == (graph_reference(graph_kernel(lying)).states[2], 0)
    liar.search.close()


def test_memory_that_is_full_is_told() -> None:
    kernel = graph_kernel(random_graph(Random(3), 3000, 9000, kind="regressing"))
    engine = compiled_engine()
    with small_boxes(engine), smallest_arrays(engine):
        limited = Sharded(kernel, "sweep", collect=False, threads=2, engine_bytes=340_000)
    assert limited.advance().event is engine.Event.MEMORY
    limited.search.close()
    assert explore(kernel, "sweep").event is engine.Event.DONE


def test_through_the_door_of_users() -> None:
    system = counters(40, 7)
    given: dict[str, Any] = {"order": "sweep", "measure": "clock + other"}
    alone, shared = (strandline.explore(system, threads=threads, **given) for threads in (1, 3))
    for name in ("visited", "peak_states", "sweeps", "persistent", "regress_edges", "layers", "profile"):
        assert getattr(shared.statistics, name) == getattr(alone.statistics, name), name
    assert (alone.statistics.threads, shared.statistics.threads) == (1, 3)
    assert shared.statistics.regress_edges > 0
    for threads in (1, 2):
        verdict = strandline.check(system, invariants="clock < 30", threads=threads, **given)
        assert verdict.answer is Answer.VIOLATED
        assert verdict.trace is not None
        assert len(verdict.trace) >= 30


def test_what_threads_have_no_use_for() -> None:
    told = "threads=2 and componentwise=True do not go together: which edge regresses first decides what is kept"
    with pytest.raises(UsageError, match=re.escape(told)):
        strandline.explore(counters(2, 2), order="sweep", measure=["clock", "other"], componentwise=True, threads=2)


def test_a_log_in_parts(tmp_path: Path) -> None:
    log = ParentLog(tmp_path / "parents")
    first, second = log.parts(2)
    links = [(ROOT << STEP_BITS) | 0, (3 << STEP_BITS) | 5], [(0 << STEP_BITS) | 7, (1 << STEP_BITS) | 2]
    for sink, part in zip((first, second), links, strict=True):
        sink(np.array(part, dtype=np.uint64))
    # Record 2 is the second of the first part; its parent, 3, is the second of the other one.
    assert log.path_to(2) == (0, [7, 2, 5])
    log.close()
