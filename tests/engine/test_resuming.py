"""A search can stop anywhere: with arrays that are always too small and the smallest budget it does the same."""

from __future__ import annotations

from random import Random

import pytest
from graph_kernel import Graph, graph_kernel, graph_reference, random_graph
from hypothesis import given, settings
from hypothesis import strategies as st
from plain import compiled_engine
from running import Outcome, Run, explore, path_to, smallest_arrays

from strandline.engine.search import Event
from strandline.errors import InternalError

WIDTHS = (1, 2, 3)
CHAIN = Graph((*tuple((node + 1,) for node in range(99)), ()))


def same(first: Outcome, second: Outcome) -> None:
    assert first.event.name == second.event.name
    assert first.links == second.links
    assert first.seen == second.seen
    assert first.degrees == second.degrees
    assert first.levels == second.levels
    for name in ("visited", "transitions", "deadlocks", "peak_states", "persistent", "regress_edges", "sweeps"):
        assert getattr(first.statistics, name) == getattr(second.statistics, name), name


@given(
    st.randoms(use_true_random=False),
    st.integers(1, 60),
    st.sampled_from(("plain", "monotone", "regressing", "columns", "extreme")),
    st.sampled_from(("bfs", "dfs")),
    st.sampled_from(WIDTHS),
)
@settings(max_examples=150)
def test_tiny_arrays_and_budgets_change_nothing(
    random: Random, nodes: int, kind: str, plain_order: str, words: int
) -> None:
    graph = random_graph(random, nodes, 2 * nodes, kind=kind)
    kernel = graph_kernel(graph, words)
    order = plain_order if graph.progress is None else "sweep"
    usual = explore(kernel, order)
    with smallest_arrays():
        run = Run(kernel, order)
        run.search._budget = 1
        tiny = run.advance(0.0)
        run.search.close()
    same(tiny, usual)
    assert tiny.pauses >= len(graph.initial)


@pytest.mark.parametrize("order", ["bfs", "dfs", "sweep"])
@pytest.mark.parametrize("words", WIDTHS)
def test_a_large_graph_with_tiny_arrays(order: str, words: int) -> None:
    graph = random_graph(Random(words), 2000, 4500, kind="regressing" if order == "sweep" else "plain")
    kernel = graph_kernel(graph, words)
    usual = explore(kernel, order)
    with smallest_arrays():
        same(explore(kernel, order), usual)


def labelled(order: str) -> Graph:
    """A chain of a hundred nodes: number 40 has label 1, number 70 labels 1 and 2."""
    progress = tuple((0, node // 10) for node in range(100)) if order == "sweep" else None
    return Graph(CHAIN.edges, progress=progress, labels={40: 1, 70: 3})


@pytest.mark.parametrize("order", ["bfs", "dfs", "sweep"])
@pytest.mark.parametrize("words", WIDTHS)
def test_found_states_are_reported_in_turn(order: str, words: int) -> None:
    kernel = graph_kernel(labelled(order), words)
    run = Run(kernel, order, stop_mask=3)
    assert run.advance().event is Event.FOUND
    record, labels = run.search.found
    assert labels == 1
    assert path_to(kernel, run.outcome.links, record) == graph_reference(kernel).states[:41]
    assert run.advance().event is Event.FOUND, "asked again without a change it stops at the same state"
    assert run.search.found == (record, 1)
    run.search.stop_less(1)
    assert run.search.stop_mask == 2
    assert run.advance().event is Event.FOUND
    record, labels = run.search.found
    assert labels == 3
    assert path_to(kernel, run.outcome.links, record)[-1] == graph_reference(kernel).states[70]
    run.search.stop_less(2)
    assert run.advance().event is Event.DONE
    assert len(run.outcome.seen) == run.outcome.statistics.visited == 100


@pytest.mark.parametrize("order", ["bfs", "dfs", "sweep"])
def test_deadlock_is_a_label_to_stop_at(order: str) -> None:
    kernel = graph_kernel(labelled(order), 2)
    run = Run(kernel, order, stop_mask=1 << 63)
    assert run.advance().event is Event.FOUND
    record, labels = run.search.found
    assert labels == 1 << 63
    assert path_to(kernel, run.outcome.links, record) == graph_reference(kernel).states


@pytest.mark.parametrize("order", ["bfs", "dfs", "sweep"])
@pytest.mark.parametrize("words", WIDTHS)
def test_a_fault_names_the_state_and_its_site(order: str, words: int) -> None:
    graph = labelled(order)
    kernel = graph_kernel(Graph(graph.edges, progress=graph.progress, faults={55}), words)
    run = Run(kernel, order)
    assert run.advance().event is Event.FAULT
    record, _ = run.search.found
    assert path_to(kernel, run.outcome.links, record) == graph_reference(kernel).states[:56]
    assert kernel.fault_sites[run.search.fault_number].kind == "fault of 55"
    assert run.outcome.statistics.visited == 55


@pytest.mark.parametrize("order", ["bfs", "dfs", "sweep"])
@pytest.mark.parametrize("words", WIDTHS)
def test_a_memory_limit_stops_in_time_and_can_be_raised(order: str, words: int) -> None:
    graph = random_graph(Random(7), 4000, 9000, kind="regressing" if order == "sweep" else "plain")
    kernel = graph_kernel(graph, words)
    usual = explore(kernel, order)
    with smallest_arrays():
        empty = Run(kernel, order)
        limit = empty.search.current_bytes() + 1024
        run = Run(kernel, order, engine_bytes=limit)
        stops = 0
        while run.advance().event is Event.MEMORY:
            stops += 1
            assert run.search.statistics().peak_bytes <= limit, "the limit was overrun"
            again = run.outcome.statistics.visited
            assert run.advance().event is Event.MEMORY, "nothing has changed, so it stops again"
            assert run.outcome.statistics.visited == again
            limit += 1 << 14
            run.search.engine_bytes = limit
    assert stops > 3
    same(run.outcome, usual)


@pytest.mark.parametrize(("order", "kind"), [("sweep", "plain"), ("bfs", "monotone"), ("dfs", "monotone")])
def test_orders_and_measures_must_fit(order: str, kind: str) -> None:
    kernel = graph_kernel(random_graph(Random(1), 5, 5, kind=kind))
    with pytest.raises(InternalError, match=r"a sweep needs a measured kernel|takes a kernel without a measure"):
        compiled_engine().orders[order](kernel, log=lambda links: None)


def test_a_level_of_deadlocks_respects_the_budget() -> None:
    """States without successors never fill a batch; a call must come back all the same."""
    fan = 20_000
    kernel = graph_kernel(Graph((tuple(range(1, fan + 1)), *(() for _ in range(fan)))))
    run = Run(kernel, "bfs")
    run.search._budget = 1
    visited, largest = 0, 0
    while run.search.advance(0.0) is Event.PAUSED:
        now = run.search.statistics().visited
        largest, visited = max(largest, now - visited), now
    assert largest <= 512


@pytest.mark.parametrize("order", ["bfs", "dfs", "sweep"])
def test_what_a_sink_raises_reaches_the_caller(order: str) -> None:
    class DiskFull(Exception):
        pass

    def full(links: object) -> None:
        raise DiskFull

    search = compiled_engine().orders[order](graph_kernel(labelled(order)), log=full)
    with pytest.raises(DiskFull):
        search.advance()
