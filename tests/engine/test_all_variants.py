"""Breadth-first = depth-first = every sweep = every cache: one graph, any progress, always the same states.

What a search has seen is collected by its observer; each must see just what breadth-first search sees.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from random import Random

from caching_run import RULES, cached
from graph_kernel import Graph, graph_kernel, random_graph
from hypothesis import given, settings
from hypothesis import strategies as st
from partial_orders import Composed, below, theorem_2
from running import Outcome, explore

from strandline.engine.search import Event
from strandline.engine.store.kinds import KINDS

WIDTHS = (1, 2, 3)


def levels(random: Random, graph: Graph) -> list[int]:
    """A measure that never falls: the number of each node's strongly connected component, along the edges, or the
    same for all."""
    if random.random() < 0.2:
        return [0] * len(graph.edges)
    reached = [_reached(graph, node) for node in range(len(graph.edges))]
    return [-len(reached[node]) for node in range(len(graph.edges))]


def _reached(graph: Graph, node: int) -> set[int]:
    return replace(graph, initial=(node,)).reachable()


@st.composite
def systems(draw: st.DrawFn) -> Composed:
    """A graph with honest monotone components, often with several values, and with any others at all."""
    random = draw(st.randoms(use_true_random=False))
    nodes = draw(st.integers(1, 11))
    graph = random_graph(random, nodes, int(nodes * draw(st.floats(0.5, 2.0))))
    honest = [levels(random, graph) for _ in range(draw(st.integers(0, 2)))]
    monotone = tuple(tuple(measure[node] for measure in honest) for node in range(nodes))
    sizes = [draw(st.sampled_from((1, 2, 5))) for _ in range(draw(st.integers(1, 3)))]
    falling = tuple(tuple(random.randrange(size) for size in sizes) for _ in range(nodes))
    return Composed(graph.edges, monotone, falling, graph.initial)


def variants(system: Composed, words: int, cache_size: int) -> Iterator[tuple[str, Outcome]]:
    plain, total = graph_kernel(replace(system.graph(), progress=None), words), graph_kernel(system.graph(), words)
    yield "bfs", explore(plain, "bfs")
    if words != 2:
        # The machine code for one word more or less is not made for this alone.
        for kind in KINDS[1:]:
            yield f"bfs, {kind.name}", explore(plain, "bfs", store_kind=kind)
    yield "dfs", explore(plain, "dfs")
    yield "sweep", explore(total, "sweep")
    yield "componentwise sweep", explore(system.kernel(words), "sweep")
    unmarked = replace(system, monotone=((),) * len(system.edges))
    yield "sweep without columns", explore(graph_kernel(unmarked.graph(), words), "sweep")
    yield "componentwise sweep without columns", explore(unmarked.kernel(words), "sweep")
    for rule in RULES:
        yield f"cache, {rule}", cached(plain, cache_size, rule)


@given(systems(), st.sampled_from(WIDTHS), st.integers(0, 8))
@settings(max_examples=120)
def test_all_reach_the_same(system: Composed, words: int, cache_size: int) -> None:
    assert all(
        below(system.monotone[node], system.monotone[target])
        for node, targets in enumerate(system.edges)
        for target in targets
    ), "the monotone components are honest"
    expected = None
    for name, outcome in variants(system, words, cache_size):
        assert outcome.event is Event.DONE, name
        found = outcome.distinct()
        expected = found if expected is None else expected
        assert found == expected, name
        assert outcome.statistics.visited >= len(found), name
        if outcome.statistics.exact:
            assert outcome.statistics.recorded == len(found), name


@given(systems())
@settings(max_examples=120)
def test_no_sweep_visits_more_than_theorem_2_allows(system: Composed) -> None:
    """Nor does one whose columns are not made use of, by Theorem 1, which is the same for a single column."""
    assert explore(system.kernel(), "sweep").statistics.visited <= theorem_2(system)
    unmarked = replace(system, monotone=((),) * len(system.edges))
    assert explore(unmarked.kernel(), "sweep").statistics.visited <= theorem_2(unmarked)
