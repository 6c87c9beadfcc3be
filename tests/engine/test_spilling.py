"""A search that spills counts what the searches in memory count, however little memory there is."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from graph_kernel import Graph, graph_kernel, graph_reference, random_graph
from hypothesis import given, settings
from hypothesis import strategies as st
from keeping import kept
from plain import plain_engine
from running import Outcome, Run, explore, path_to, smallest_arrays

from strandline.engine.disk import expanding_kernel, marking_kernel, recent, sorting_kernel
from strandline.engine.disk import search as disk_search
from strandline.engine.disk.sorting import SortedRows
from strandline.engine.saving import restore_search, save_search
from strandline.engine.search import Event
from strandline.engine.store.kinds import TREE

FIGURES = (
    "recorded", "exact", "visited", "transitions", "deadlocks", "persistent", "regress_edges", "sweeps", "layers",
)  # fmt: skip


class SpillingRun(Run):
    """A run with little memory."""

    def __init__(self, kernel: Any, folder: Path, memory: int = 1, **options: Any) -> None:
        self._folder, self._memory = folder, memory
        self.written: list[int] = []
        self._release = options.pop("release", None)
        super().__init__(kernel, "", **options)

    def new_search(self, order: str, **options: Any) -> Any:
        terms = {"engine_bytes": self._memory, **options}
        search = self.engine.SpillingSearch
        files = {"folder": self._folder, "account": self.written.append, "release": self._release}
        return search(self.kernel, **files, **terms)


def spilled(kernel: Any, folder: Path, memory: int = 1, **options: Any) -> tuple[Outcome, SpillingRun]:
    run = SpillingRun(kernel, folder, memory, **options)
    outcome = run.advance()
    run.search.close()
    return outcome, run


def same(outcome: Outcome, expected: Outcome) -> None:
    assert outcome.event.name == expected.event.name
    assert outcome.distinct() == expected.distinct()
    assert sorted(outcome.seen) == sorted(expected.seen), "each is expanded as often"
    assert outcome.levels == expected.levels
    for name in FIGURES:
        assert getattr(outcome.statistics, name) == getattr(expected.statistics, name), name


@given(
    st.randoms(use_true_random=False),
    st.integers(1, 60),
    st.sampled_from(("plain", "monotone", "regressing", "columns", "extreme")),
    st.sampled_from((1, 2, 3)),
    st.booleans(),
)
@settings(max_examples=60)
def test_counts_are_those_of_searches_in_memory(
    tmp_path_factory: pytest.TempPathFactory, random: Random, nodes: int, kind: str, words: int, tiny: bool
) -> None:
    graph = random_graph(random, nodes, 2 * nodes, kind=kind)
    kernel, folder = graph_kernel(graph, words), tmp_path_factory.mktemp("runs")
    usual = explore(kernel, "bfs" if graph.progress is None else "sweep")
    # As plain Python, where array accesses are checked and nothing is to be compiled.
    engine = plain_engine()
    module: Any = engine.modules["disk.search"]
    module._LEAST_PIECE = 5 if tiny else 1 << 10
    with smallest_arrays(engine), np.errstate(over="ignore"):
        outcome, run = spilled(kernel, folder, engine=engine)
    same(outcome, usual)
    assert sum(run.written) == 0, "what was written was removed"
    assert list(folder.iterdir()) == []
    for record in range(len(outcome.links)):
        assert path_to(kernel, outcome.links, record)[-1] in outcome.distinct()


@given(
    st.randoms(use_true_random=False), st.integers(1, 60), st.integers(0, 60), st.sampled_from((1, 3)), st.booleans()
)
@settings(max_examples=60, deadline=None)
def test_a_search_with_trees_is_carried_on(
    tmp_path_factory: pytest.TempPathFactory, random: Random, nodes: int, visits: int, words: int, tiny: bool
) -> None:
    """From wherever it stands; what was expanded is not expanded again, and ways are still shortest."""
    kernel, folder = graph_kernel(random_graph(random, nodes, 2 * nodes), words), tmp_path_factory.mktemp("runs")
    usual = explore(kernel, "bfs")
    distances = {path_to(kernel, usual.links, record)[-1]: record for record in range(len(usual.links))}
    distances = {state: len(path_to(kernel, usual.links, record)) for state, record in distances.items()}
    with pytest.MonkeyPatch.context() as patch, smallest_arrays() if tiny else nullcontext():
        patch.setattr(disk_search, "_LEAST_PIECE", 5 if tiny else 1 << 10)
        former = Run(kernel, "bfs", store_kind=TREE)
        former.search._budget = visits
        former.search.advance(0.0)
        handoff = former.search.hand_off()
        blocks = {name: iter([np.array(block) for block in part]) for name, part in handoff.blocks.items()}
        former.search.close()
        run = SpillingRun(kernel, folder)
        run.outcome = former.outcome
        run.search.take_over(replace(handoff, blocks=blocks))
        outcome = run.advance()
        assert outcome.statistics.peak_bytes >= handoff.counters.peak_bytes > 0
        run.search.close()
    same(outcome, usual)
    assert sum(run.written) == 0
    for record in range(len(outcome.links)):
        path = path_to(kernel, outcome.links, record)
        assert len(path) == distances[path[-1]]


@pytest.mark.parametrize("memory", [1, 1 << 16], ids=["visited states on disk", "visited states in memory"])
@pytest.mark.parametrize("words", [1, 5])
def test_every_hand_over_and_every_piece_size(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: int, memory: int
) -> None:
    """At every point of small searches, with next to no states that are recognised before they are sorted."""
    remember_few_states(monkeypatch)
    for seed in range(12):
        random = Random(seed)
        nodes = random.randint(2, 9)
        kernel = graph_kernel(random_graph(random, nodes, 2 * nodes), words)
        usual = explore(kernel, "bfs")
        lengths = trace_lengths(kernel, usual)
        for piece in range(1, nodes + 1):
            run = SpillingRun(kernel, tmp_path, memory)
            run.search.piece = piece
            agree(kernel, run.advance(), usual, lengths)
            run.search.close()
            for visits in range(nodes + 2):
                former = Run(kernel, "bfs", store_kind=TREE)
                former.search._budget = visits
                former.search.advance(0.0)
                run = handed_over(former, tmp_path, memory, piece)
                agree(kernel, run.advance(), usual, lengths)
                run.search.close()


@pytest.mark.parametrize("memory", [1, 1 << 16], ids=["visited states on disk", "visited states in memory"])
@pytest.mark.parametrize("kind", ["monotone", "regressing", "columns", "extreme"])
def test_every_piece_size_of_a_sweep(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, memory: int) -> None:
    remember_few_states(monkeypatch)
    for seed in range(20):
        random = Random(seed)
        nodes = random.randint(2, 12)
        kernel = graph_kernel(random_graph(random, nodes, 2 * nodes, kind=kind), 1 + 4 * (seed % 2))
        usual = explore(kernel, "sweep")
        for piece in range(1, nodes + 1):
            run = SpillingRun(kernel, tmp_path, memory)
            run.search.piece = piece
            same(run.advance(), usual)
            run.search.close()


def remember_few_states(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let all but very few duplicates be found by comparing sorted states, not by the cache of recent states."""
    monkeypatch.setattr(disk_search, "_RECENT", 0.0)
    monkeypatch.setattr(recent, "_LEAST", 8)


def trace_lengths(kernel: Any, outcome: Outcome) -> dict[tuple[int, ...], int]:
    """The length of the trace to each state."""
    paths = [path_to(kernel, outcome.links, record) for record in range(len(outcome.links))]
    return {path[-1]: len(path) for path in paths}


def agree(kernel: Any, outcome: Outcome, usual: Outcome, lengths: dict[tuple[int, ...], int]) -> None:
    """Compare states, transitions, levels, deadlocks and the lengths of traces."""
    same(outcome, usual)
    assert trace_lengths(kernel, outcome) == lengths


def handed_over(former: Run, folder: Path, memory: int, piece: int, **options: Any) -> SpillingRun:
    """A search on disk that goes on from where a breadth-first search stands."""
    handoff = former.search.hand_off()
    blocks = {name: iter([np.array(block) for block in part]) for name, part in handoff.blocks.items()}
    former.search.close()
    run = SpillingRun(former.kernel, folder, memory, **options)
    run.outcome, run.search.piece = former.outcome, piece
    run.search.take_over(replace(handoff, blocks=blocks))
    return run


def test_the_states_of_sorted_rows_are_a_copy() -> None:
    for count in (1, 2):
        rows = np.array([7, 1, 9, 2][: 2 * count], dtype=np.uint64)
        arranged = SortedRows([rows], 1)
        states, links = arranged.states(), arranged.links()
        arranged.rows[:] = 0
        assert (states.tolist(), links.tolist()) == ([7, 9][:count], [1, 2][:count])


@given(
    st.randoms(use_true_random=False),
    st.integers(1, 60),
    st.sampled_from(("monotone", "regressing", "columns", "extreme")),
    st.sampled_from((1, 3)),
    st.booleans(),
)
@settings(max_examples=60)
def test_layers_that_are_taken_together(
    tmp_path_factory: pytest.TempPathFactory, random: Random, nodes: int, kind: str, words: int, tiny: bool
) -> None:
    graph = random_graph(random, nodes, 2 * nodes, kind=kind)
    kernel, folder = graph_kernel(graph, words), tmp_path_factory.mktemp("runs")
    engine = plain_engine()
    module: Any = engine.modules["disk.search"]
    module._LEAST_PIECE = 5 if tiny else 1 << 10
    module._PIECES, module._SMALL_PIECE = random.randint(1, 3), 1 << 60
    with smallest_arrays(engine), np.errstate(over="ignore"):
        outcome, run = spilled(kernel, folder, engine=engine)
    assert outcome.event.name == "DONE"
    assert outcome.distinct() == explore(kernel, "sweep").distinct()
    if outcome.statistics.exact:
        assert len(outcome.seen) == len(outcome.distinct()) == outcome.statistics.recorded
    assert sum(run.written) == 0
    for record in range(len(outcome.links)):
        assert path_to(kernel, outcome.links, record)[-1] in outcome.distinct()


def test_narrow_layers_do_not_cost_a_piece_each(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A ladder of 4,000 rungs, two states on each: soon many rungs are one layer."""
    monkeypatch.setattr(disk_search, "_PIECES", 32)
    nodes = 8_000
    edges = tuple(tuple(target for target in (node ^ 1, node + 2) if target < nodes) for node in range(nodes))
    graph = Graph(edges, progress=tuple((0, node // 2) for node in range(nodes)))
    outcome, _ = spilled(graph_kernel(graph), tmp_path)
    assert (len(outcome.distinct()), outcome.statistics.visited) == (nodes, nodes)
    assert outcome.statistics.layers < nodes // 8


@pytest.mark.parametrize("kind", ["plain", "regressing"])
def test_a_layer_many_times_as_large_as_memory(kind: str, tmp_path: Path) -> None:
    """Thousands of states, most of them in one layer, and memory for some hundreds."""
    graph = random_graph(Random(3), 8_000, 20_000)
    if kind == "regressing":
        progress = tuple((0, 0 if node % 10 else 1 + node % 7) for node in range(8_000))
        graph = Graph(graph.edges, progress=progress)
    kernel = graph_kernel(graph)
    usual = explore(kernel, "bfs" if graph.progress is None else "sweep")
    with smallest_arrays():
        outcome, run = spilled(kernel, tmp_path)
    same(outcome, usual)
    assert run.search.files.peak_bytes > 1 << 16


@pytest.mark.parametrize("kind", ["plain", "regressing", "columns", "together"])
def test_a_search_goes_on_in_another(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Saved at any pause, with files that stay as long as somebody may need them."""
    together = kind == "together"
    kind = "regressing" if together else kind
    monkeypatch.setattr(disk_search, "_AT_ONCE", -1.0)
    monkeypatch.setattr(disk_search, "_PIECES", 2 if together else 1 << 60)
    monkeypatch.setattr(disk_search, "_SMALL_PIECE", 1 << 60)
    again = 0
    for seed in range(6):
        random = Random(seed)
        kernel = graph_kernel(random_graph(random, 300, 700, kind=kind), words=1 + seed % 2)
        usual = explore(kernel, "bfs" if kind == "plain" else "sweep")
        options: dict[str, Any] = {"folder": tmp_path / f"{seed}", "release": lambda path, removed: None}
        with smallest_arrays():
            run = SpillingRun(kernel, **options)
            run.search.piece, run.search._budget = 20, 1
            while all(run.search.advance(0.0) is Event.PAUSED for _ in range(random.randint(1, 30))):
                following = SpillingRun(kernel, **options)
                following.outcome = run.outcome
                restore_search(following.search, kept(save_search(run.search)))
                following.search.piece, following.search._budget = 20, 1
                run, again = following, again + 1
            if together:
                assert run.advance(0.0).distinct() == usual.distinct()
                assert int(run.search._work.grain) > 0
            else:
                same(run.advance(0.0), usual)
    assert again > 5


def test_no_machine_code_is_made_after_it_was_loaded(tmp_path: Path) -> None:
    """When memory is full, there is none to make some in."""
    run = SpillingRun(graph_kernel(random_graph(Random(3), 800, 2_000)), tmp_path)
    run.search.load()
    modules = (expanding_kernel, marking_kernel, sorting_kernel)
    kernels = [one for module in modules for one in vars(module).values() if hasattr(one, "nopython_signatures")]
    loaded = {kernel.__name__: kernel.nopython_signatures[:] for kernel in kernels}
    run.advance()
    assert run.search.files.peak_bytes > 0
    assert {kernel.__name__: kernel.nopython_signatures for kernel in kernels} == loaded


def test_none_is_made_when_layers_become_many() -> None:
    from strandline.engine.parts.layer_table_kernel import rebuild_map

    edges = (tuple(range(1, 3_000)), *(() for _ in range(2_999)))
    run = Run(graph_kernel(Graph(edges, progress=tuple((0, node) for node in range(3_000)))), "sweep")
    run.search.load()
    loaded = rebuild_map.nopython_signatures[:]
    assert loaded
    run.advance()
    assert run.search._layers.count >= 3_000
    assert rebuild_map.nopython_signatures == loaded


def test_a_state_that_is_found(tmp_path: Path) -> None:
    chain = Graph((*tuple((node + 1,) for node in range(99)), ()), labels={40: 1, 70: 3})
    kernel = graph_kernel(chain)
    run = SpillingRun(kernel, tmp_path, stop_mask=3)
    assert run.advance().event is Event.FOUND
    record, labels = run.search.found
    assert (labels, path_to(kernel, run.outcome.links, record)[-1]) == (1, graph_reference(kernel).states[40])
    run.search.stop_less(1)
    assert run.advance().event is Event.FOUND
    assert path_to(kernel, run.outcome.links, run.search.found[0])[-1] == graph_reference(kernel).states[70]
    run.search.stop_less(2)
    assert run.advance().event is Event.DONE
    assert run.outcome.statistics.visited == 100


def test_a_fault_and_a_limit(tmp_path: Path) -> None:
    graph = Graph(tuple(tuple({(node * 2 + step) % 300 for step in (1, 2)}) for node in range(300)))
    kernel = graph_kernel(replace(graph, faults={7}))
    run = SpillingRun(kernel, tmp_path / "fault")
    assert run.advance().event is Event.FAULT
    assert path_to(kernel, run.outcome.links, run.search.found[0])[-1] == graph_reference(kernel).states[7]
    run = SpillingRun(graph_kernel(graph), tmp_path / "limit", max_states=50)
    assert run.advance().event is Event.STATES
    assert len(run.outcome.links) == 50


def test_a_column_that_decreases(tmp_path: Path) -> None:
    graph = Graph(((1,), (2,), (0,)), progress=((0, 0), (1, 0), (2, 0)))
    run = SpillingRun(graph_kernel(graph), tmp_path)
    assert run.advance().event is Event.COLUMN_DECREASED
    assert run.search.regressing_link == (2, 0)


def test_the_memory_limit_is_that_of_the_whole_search(tmp_path: Path) -> None:
    """The arrays of its parts may take a share of it; sets, pieces and caches take the rest."""
    limit = 1 << 26
    search = SpillingRun(graph_kernel(Graph(((0,),))), tmp_path, limit).search
    assert search.engine_bytes == limit
    assert 0 < search.array_limit < limit // 2
    usual = Run(graph_kernel(Graph(((0,),))), "bfs", engine_bytes=limit).search
    assert usual.array_limit == usual.engine_bytes == limit
