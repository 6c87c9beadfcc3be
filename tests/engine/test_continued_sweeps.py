"""A sweep that is continued by another measure misses no state, and estimates the number of distinct ones."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace
from random import Random
from typing import Any

import numpy as np
import pytest
from graph_kernel import Graph, graph_kernel, graph_reference, random_graph
from hypothesis import given, settings
from hypothesis import strategies as st
from running import Run, explore, path_to, smallest_arrays

from strandline.engine.handoff import FRONTIER, Progress
from strandline.engine.parts.sketch import estimate, new_sketch
from strandline.engine.runtime.codes import SAME, STEP_BITS
from strandline.engine.search import Event


def continue_sweep(run: Run, graph: Graph, words: int, stop_mask: int) -> None:
    """Let another search, over the graph as it is now, continue from where the run is."""
    former, kernel = run.search, graph_kernel(graph, words)
    handoff = former.hand_off()
    rows = [np.array(block) for block in handoff.blocks[FRONTIER]]
    for row in np.concatenate(rows).tolist() if rows else []:
        *state, link = row
        if link & SAME == SAME:
            assert path_to(run.kernel, run.outcome.links, link >> STEP_BITS)[-1] == tuple(state)
    former.close()
    run.kernel = kernel
    observer = run.engine.StatesOnly(run._note)
    run.search = run.new_search("sweep", log=run._log, observer=observer, stop_mask=stop_mask)
    assert run.search.take_over(replace(handoff, blocks={FRONTIER: iter(rows)}), progress_in(graph, kernel)) is None


def progress_in(graph: Graph, kernel: Any) -> Progress:
    """Column and layer of packed states of the graph."""

    def progress(states: Any) -> Any:
        assert graph.progress is not None
        nodes = [graph_reference(kernel).nodes[tuple(state)] for state in states.tolist()]
        return np.array([graph.progress[node] for node in nodes], dtype=np.int64)

    return progress


def on_to_the_end(run: Run, marked: int) -> int:
    """Go on; how often the search stopped, each time with a path to the node that is marked."""
    stops = 0
    while run.advance().event is Event.FOUND:
        record, _ = run.search.found
        assert graph_reference(run.kernel).nodes[path_to(run.kernel, run.outcome.links, record)[-1]] == marked
        run.search.stop_less(1)
        stops += 1
    assert run.outcome.event is Event.DONE
    return stops


@settings(max_examples=60, deadline=None)
@given(
    st.integers(0, 1 << 32), st.sampled_from(["monotone", "regressing", "columns"]), st.integers(0, 40), st.booleans()
)
@pytest.mark.parametrize("words", [1, 3])
def test_nothing_is_missed(words: int, seed: int, kind: str, visits: int, small: bool) -> None:
    random = Random(seed)
    graph = random_graph(random, random.randint(1, 60), random.randint(0, 160), kind=kind)
    marked = random.randrange(len(graph.edges))
    graph = replace(graph, labels={marked: 1})
    other = replace(graph, progress=tuple((0, random.randint(-3, 3)) for _ in graph.edges))
    with smallest_arrays() if small else nullcontext():
        run, stops = Run(graph_kernel(graph, words), "sweep", stop_mask=1), 0
        mask = 1
        for now in (other, graph):
            run.search._budget = max(1, visits // 2)
            if run.search.advance(0.0) is Event.FOUND:
                mask, stops = 0, stops + 1
                run.search.stop_less(1)
            continue_sweep(run, now, words, mask)
        stops += on_to_the_end(run, marked)
    states = run.outcome.statistics
    assert set(run.outcome.distinct()) == {graph_reference(run.kernel).states[node] for node in graph.reachable()}
    assert stops == (marked in graph.reachable())
    assert states.visited == len(run.outcome.seen)
    assert not states.exact
    assert abs(states.distinct - len(graph.reachable())) <= 2, "few states are estimated well"
    run.search.close()


def test_distinct_states_are_estimated() -> None:
    """A ring of which every third node falls back: many states are stored again and again."""
    nodes = 30_000
    back = {node: (max(0, node - 7),) for node in range(0, nodes, 3)}
    edges = tuple(((node + 1) % nodes, *back.get(node, ())) for node in range(nodes))
    kernel = graph_kernel(Graph(edges, progress=tuple((0, node // 10) for node in range(nodes))))
    figures = explore(kernel, "sweep").statistics
    assert figures.recorded > 1.2 * nodes
    assert abs(figures.distinct - nodes) < 0.12 * nodes
    assert abs(figures.repeats - figures.recorded / nodes) < 0.2


@pytest.mark.parametrize("count", [0, 1, 100, 5_000, 1_000_000])
def test_the_sketch_by_itself(count: int) -> None:
    sketch = new_sketch()
    hashes = np.random.default_rng(count).integers(0, 1 << 64, count, dtype=np.uint64)
    rest = (hashes >> np.uint64(10)) | np.uint64(1 << 54)
    zeros = np.bitwise_count(~rest & (rest - np.uint64(1))).astype(np.uint64)
    np.maximum.at(sketch, (hashes & np.uint64(1023)).astype(np.int64), zeros + np.uint64(1))
    assert abs(estimate(sketch) - count) <= 0.12 * count
