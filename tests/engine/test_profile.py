"""The profile of a search and the sample of its regress edges, against the plain method."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from random import Random
from typing import Any

import numpy as np
import pytest
from graph_kernel import Graph, graph_kernel, graph_reference, random_graph
from hypothesis import given, settings
from hypothesis import strategies as st
from partial_orders import Composed, CompositionalSweep, random_composed
from plain import plain_engine
from running import Run
from test_sweeping import counters

from strandline.compile.host import compile_system
from strandline.compile.specification import KernelSpecification
from strandline.engine.parts.profile import LayerFigures, coarser
from strandline.engine.runtime import sizes
from strandline.engine.search import Event
from strandline.model.expression import Const, Read
from strandline.model.measure import Measure

systems = st.builds(
    lambda random, nodes, density: random_composed(random, nodes, int(nodes * density)),
    st.randoms(use_true_random=False),
    st.integers(1, 30),
    st.floats(0.5, 4.0),
)


@contextmanager
def small(engine: Any = None, **values: int) -> Iterator[None]:
    """Arrays of these sizes for a while."""
    module = sizes if engine is None else engine.sizes
    before = {name: getattr(module, name) for name in values}
    for name, value in values.items():
        setattr(module, name, value)
    try:
        yield
    finally:
        for name, value in before.items():
            setattr(module, name, value)


def swept(kernel: Any, **options: Any) -> Any:
    run = Run(kernel, "sweep", **options)
    assert run.advance().event.name == "DONE"
    return run.search


def expected_profile(system: Composed) -> list[LayerFigures]:
    figures, progress = CompositionalSweep(system).figures, system.graph().progress or ()
    visited = Counter(progress[node] for node in figures.explored)
    persistent = Counter(progress[node] for node in figures.persistent)
    return [
        LayerFigures(key, key, 1, figures.stored[key], visited[key], figures.passed_again[key], persistent[key])
        for key in sorted(visited)
    ]


@given(systems)
@settings(max_examples=300)
def test_one_line_for_every_layer(system: Composed) -> None:
    assert list(swept(system.kernel()).details().profile) == expected_profile(system)


@given(systems, st.integers(2, 9))
@settings(max_examples=300)
def test_neighbours_are_put_together_where_there_are_too_many(system: Composed, most: int) -> None:
    with small(PROFILE_CELLS=most):
        found = swept(system.kernel()).details().profile
    expected = expected_profile(system)
    assert 1 <= len(found) <= most
    assert all(one.first <= one.last for one in found)
    assert all(before.last < after.first for before, after in pairwise(found))
    assert (found[0].first, found[-1].last) == (expected[0].first, expected[-1].last)
    for one in found:
        inside = [layer for layer in expected if one.first <= layer.first <= one.last]
        assert one.stored == max(layer.stored for layer in inside)
        assert one.visited == sum(layer.visited for layer in inside)
        assert one.persistent == sum(layer.persistent for layer in inside)
        assert sum(layer.revisited for layer in inside) <= one.revisited <= one.visited
        assert 1 <= one.layers <= len(inside)


@pytest.mark.parametrize("most", [2, 5, 4096])
def test_plain_python_notes_the_same(most: int) -> None:
    plain = plain_engine()
    for seed in range(8):
        kernel = random_composed(Random(seed), 30, 70).kernel(2)
        with small(PROFILE_CELLS=most, SAMPLED_EDGES=3), small(plain, PROFILE_CELLS=most, SAMPLED_EDGES=3):
            compiled = swept(kernel)
            with np.errstate(over="ignore"):
                other = swept(kernel, engine=plain)
        assert [vars_of(one) for one in other.details().profile] == [vars_of(one) for one in compiled.details().profile]
        assert other.details().sampled_regress_edges == compiled.details().sampled_regress_edges


def vars_of(one: Any) -> tuple[Any, ...]:
    """Figures as a tuple: the plain engine has a class of its own."""
    return one.first, one.last, one.layers, one.stored, one.visited, one.revisited, one.persistent


def test_a_hundred_thousand_layers_in_parts_of_the_same_size() -> None:
    system = counters(100_000, 10)
    kernel = compile_system(system, KernelSpecification(measure=Measure(Const(0), Read(system.by_name["clock"]))))
    search = swept(kernel, collect=False)
    found = search.details().profile
    assert sizes.PROFILE_CELLS // 2 <= len(found) <= sizes.PROFILE_CELLS
    assert {one.layers for one in found[:-1]} == {64}
    assert sum(one.layers for one in found) == 100_001
    assert sum(one.visited for one in found) == 1_000_010
    assert max(one.stored for one in found) == search.statistics().peak_states


def test_a_search_that_stands_still_tells_of_its_present_layer() -> None:
    """0 -> 1 -> ... -> 5, three layers of two; it stops in the second, and again in the second sweep."""
    edges = ((1,), (2,), (3,), (4,), (5,), (1,))
    graph = Graph(edges, progress=tuple((0, node // 2) for node in range(6)), labels={3: 1})
    run = Run(graph_kernel(graph), "sweep", stop_mask=1)
    assert run.advance().event is Event.FOUND
    assert run.search.details().profile == (
        LayerFigures((0, 0), (0, 0), 1, 3, 2, 0, 0),
        LayerFigures((0, 1), (0, 1), 1, 2, 1, 0, 0),
    )
    run.search.stop_less(1)
    assert run.advance().event is Event.DONE
    assert run.search.details().profile == (
        LayerFigures((0, 0), (0, 0), 1, 3, 3, 1, 1),
        LayerFigures((0, 1), (0, 1), 1, 4, 4, 2, 0),
        LayerFigures((0, 2), (0, 2), 1, 3, 4, 2, 0),
    )


@given(st.randoms(use_true_random=False), st.integers(1, 40))
def test_breadth_first_the_layers_are_distances(random: Random, nodes: int) -> None:
    graph = random_graph(random, nodes, 2 * nodes)
    run = Run(graph_kernel(graph), "bfs")
    run.advance()
    sizes_of = Counter(graph.distances().values())
    total = [sum(sizes_of[level] for level in range(end + 1)) for end in range(len(sizes_of) + 1)]
    assert list(run.search.details().profile) == [
        LayerFigures((0, level), (0, level), 1, total[level + 1], sizes_of[level], 0, 0) for level in sorted(sizes_of)
    ]


def test_levels_are_put_together_too() -> None:
    chain = Graph((*tuple((node + 1,) for node in range(99)), ()))
    with small(PROFILE_CELLS=7):
        run = Run(graph_kernel(chain), "bfs")
        run.advance()
        found = run.search.details().profile
    assert [one.layers for one in found] == [14, 14, 14, 15, 14, 14, 15]
    assert [one.stored for one in found] == [15, 29, 43, 58, 72, 86, 100]
    assert sum(one.visited for one in found) == 100


def test_a_depth_first_search_has_no_layers() -> None:
    run = Run(graph_kernel(Graph(((1,), ()))), "dfs")
    run.advance()
    assert run.search.details().profile == ()


@given(systems, st.integers(1, 12))
def test_coarser_keeps_the_sums(system: Composed, most: int) -> None:
    fine = expected_profile(system)
    found = coarser(fine, most)
    assert len(found) <= most
    assert found == tuple(fine) or len(fine) > most
    assert sum(one.layers for one in found) == len(fine)
    assert sum(one.visited for one in found) == sum(one.visited for one in fine)
    assert max(one.stored for one in found) == max(one.stored for one in fine)
    assert max(one.layers for one in found) <= -(-len(fine) // most)


def regress_edges_in_order(system: Composed, run: Run) -> list[tuple[tuple[int, ...], int]]:
    """Every regress edge as often as it was met, by the order of expansions."""
    reference = graph_reference(run.kernel)
    return [
        (state, step)
        for state in run.outcome.seen
        for step, target in enumerate(system.edges[reference.nodes[state]])
        if system.monotone[reference.nodes[state]] == system.monotone[target]
        and system.falls(reference.nodes[state], target)
    ]


@given(systems, st.integers(1, 40), st.sampled_from([1, 2, 3]))
@settings(max_examples=300)
def test_the_sample_is_every_so_manieth_regress_edge(system: Composed, most: int, words: int) -> None:
    with small(SAMPLED_EDGES=most):
        run = Run(system.kernel(words), "sweep")
        run.advance()
    everything, sample = regress_edges_in_order(system, run), run.search.details().sampled_regress_edges
    stride = 1
    while len(everything) // stride > most:
        stride *= 2
    assert sample == everything[stride - 1 :: stride]
    assert len(sample) <= most
    if len(everything) <= most:
        assert sample == everything
