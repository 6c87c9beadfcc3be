"""Breadth-first = depth-first = sweep = brute force, on random graphs with states of every width."""

from __future__ import annotations

from random import Random

import pytest
from brute_force import sweep
from graph_kernel import Graph, graph_kernel, graph_reference, last_word_only, near_the_top, random_graph, spread_out
from hypothesis import given, settings
from hypothesis import strategies as st
from running import Outcome, explore, path_to

from strandline.engine.search import Event

CODES = (spread_out, near_the_top, last_word_only)
WIDTHS = (1, 2, 3, 10)
KINDS = ("monotone", "regressing", "columns", "extreme")


def check_states(graph: Graph, kernel, outcome: Outcome) -> None:  # type: ignore[no-untyped-def]
    """The search saw just the reachable states, each with its out-degree."""
    assert outcome.event.name == "DONE"
    states = graph_reference(kernel).states
    expected = {states[node]: (len(graph.edges[node]), not graph.edges[node]) for node in graph.reachable()}
    assert outcome.distinct() == expected


def check_exact_counts(graph: Graph, outcome: Outcome) -> None:
    """Without forgetting, all counts are those of the graph."""
    nodes = graph.reachable()
    figures = outcome.statistics
    assert len(outcome.seen) == len(outcome.links) == figures.visited == figures.stored == len(nodes)
    assert figures.transitions == sum(len(graph.edges[node]) for node in nodes)
    assert figures.deadlocks == sum(not graph.edges[node] for node in nodes)
    assert figures.peak_states == len(nodes)


def check_log(graph: Graph, kernel, outcome: Outcome) -> None:  # type: ignore[no-untyped-def]
    """Every record's path leads from an initial state to a state; record k of an exact search is the k-th."""
    for record in range(len(outcome.links)):
        path = path_to(kernel, outcome.links, record)
        assert path[0] in kernel.reference.initial()
        assert graph_reference(kernel).nodes[path[-1]] in graph.reachable()


graphs = st.builds(
    lambda random, nodes, density, kind: random_graph(random, nodes, int(nodes * density), kind=kind),
    st.randoms(use_true_random=False),
    st.integers(1, 40),
    st.floats(0.5, 3.0),
    st.just("plain"),
)
measured_graphs = st.builds(
    lambda random, nodes, density, kind: random_graph(random, nodes, int(nodes * density), kind=kind),
    st.randoms(use_true_random=False),
    st.integers(1, 40),
    st.floats(0.5, 3.0),
    st.sampled_from(KINDS),
)


@given(graphs, st.sampled_from(WIDTHS), st.sampled_from(CODES))
@settings(max_examples=120)
def test_breadth_first_search(graph: Graph, words: int, code) -> None:  # type: ignore[no-untyped-def]
    kernel = graph_kernel(graph, words, code)
    outcome = explore(kernel, "bfs")
    check_states(graph, kernel, outcome)
    check_exact_counts(graph, outcome)
    distances = graph.distances()
    deepest = max(distances.values())
    assert outcome.levels == [list(distances.values()).count(level) for level in range(deepest + 1)]
    check_log(graph, kernel, outcome)
    for record in range(len(outcome.links)):
        path = path_to(kernel, outcome.links, record)
        assert path[-1] == outcome.seen[record]
        assert len(path) - 1 == distances[graph_reference(kernel).nodes[path[-1]]], "not a shortest path"


@given(graphs, st.sampled_from(WIDTHS), st.sampled_from(CODES))
@settings(max_examples=120)
def test_depth_first_search(graph: Graph, words: int, code) -> None:  # type: ignore[no-untyped-def]
    kernel = graph_kernel(graph, words, code)
    outcome = explore(kernel, "dfs")
    check_states(graph, kernel, outcome)
    check_exact_counts(graph, outcome)
    check_log(graph, kernel, outcome)
    assert [graph_reference(kernel).nodes[state] for state in outcome.seen] == depth_first_order(graph)
    for record, state in enumerate(outcome.seen):
        assert path_to(kernel, outcome.links, record)[-1] == state


def depth_first_order(graph: Graph) -> list[int]:
    """Preorder: the first successor at once, later ones when everything below it is done."""
    order: list[int] = []
    stack = list(reversed(graph.initial))
    while stack:
        node = stack.pop()
        if node not in order:
            order.append(node)
            stack.extend(reversed(graph.edges[node]))
    return order


@given(measured_graphs, st.sampled_from(WIDTHS), st.sampled_from(CODES))
@settings(max_examples=250)
def test_sweep(graph: Graph, words: int, code) -> None:  # type: ignore[no-untyped-def]
    kernel = graph_kernel(graph, words, code)
    outcome = explore(kernel, "sweep")
    check_states(graph, kernel, outcome)
    check_log(graph, kernel, outcome)
    expected, figures = sweep(graph), outcome.statistics
    assert sorted(graph_reference(kernel).nodes[state] for state in outcome.seen) == sorted(expected.expanded)
    assert figures.visited == len(expected.expanded)
    assert figures.persistent == expected.persistent
    assert figures.regress_edges == expected.regress_edges
    assert figures.sweeps == expected.sweeps
    assert figures.stored == 0, "the line has left everything behind"
    assert figures.transitions == sum(outcome.degrees)
    assert figures.deadlocks == sum(outcome.deadlocked)
    if not expected.persistent:
        assert figures.visited == len(graph.reachable())


@pytest.mark.parametrize("words", WIDTHS)
@pytest.mark.parametrize("order", ["bfs", "dfs", "sweep"])
def test_thousands_of_states(order: str, words: int) -> None:
    """Large enough for many tables of every size; the same states three ways."""
    random = Random(f"{order} {words}")
    kind = "regressing" if order == "sweep" else "plain"
    graph = random_graph(random, 3000, 7000, kind=kind)
    kernel = graph_kernel(graph, words)
    outcome = explore(kernel, order)
    check_states(graph, kernel, outcome)
    if order == "sweep":
        assert outcome.statistics.persistent == sweep(graph).persistent
        assert outcome.statistics.sweeps > 2
    else:
        check_exact_counts(graph, outcome)


@pytest.mark.parametrize("order", ["bfs", "dfs", "sweep"])
def test_many_initial_states_some_of_them_twice(order: str) -> None:
    nodes = 9000
    progress = tuple((0, node % 7) for node in range(nodes)) if order == "sweep" else None
    initial = (*tuple(range(nodes)), 5, 5, 0)
    graph = Graph(tuple(() for _ in range(nodes)), initial, progress)
    outcome = explore(graph_kernel(graph, 2), order)
    assert outcome.event is Event.DONE
    assert len(outcome.links) == len(outcome.seen) == outcome.statistics.deadlocks == nodes


@pytest.mark.parametrize("order", ["bfs", "dfs", "sweep"])
def test_a_state_with_more_successors_than_the_buffer_holds(order: str) -> None:
    fan = 5000
    edges = (tuple(range(1, fan + 1)), *(() for _ in range(fan)))
    progress = ((0, 0), *((0, 1) for _ in range(fan))) if order == "sweep" else None
    outcome = explore(graph_kernel(Graph(edges, progress=progress)), order)
    assert outcome.statistics.transitions == fan
    assert len(outcome.links) == fan + 1
    assert outcome.degrees[0] == fan
