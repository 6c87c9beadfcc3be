"""Depth-first search with a cache: every rule and every size reaches all states, and forgets no more than it must."""

from __future__ import annotations

from itertools import pairwise
from random import Random

import numpy as np
import pytest
from caching_run import RULES, CachingRun, PlainCaching, cached
from graph_kernel import Graph, graph_kernel, graph_reference, random_graph
from hypothesis import given, settings
from hypothesis import strategies as st
from plain import plain_engine
from running import explore, path_to, smallest_arrays
from test_resuming import same

from strandline.engine.orders.cached import CachedSearch, CacheRule
from strandline.engine.search import Event
from strandline.errors import InternalError

WIDTHS = (1, 2, 3)
PLAIN_RULES = ("oldest", "newest", "deepest")
CHAIN = Graph((*tuple((node + 1,) for node in range(99)), ()), labels={40: 1, 70: 3})

small_graphs = st.builds(
    lambda random, nodes, density: random_graph(random, nodes, int(nodes * density)),
    st.randoms(use_true_random=False),
    st.integers(1, 10),
    st.floats(0.5, 2.0),
)


def longest_path(graph: Graph) -> int:
    """Nodes on a longest simple path from an initial node, by trying all."""

    def from_node(node: int, path: tuple[int, ...]) -> int:
        further = [from_node(target, (*path, node)) for target in graph.edges[node] if target not in (*path, node)]
        return 1 + max(further, default=0)

    return max(from_node(node, ()) for node in graph.initial)


@given(small_graphs, st.sampled_from(RULES), st.integers(0, 12), st.sampled_from(WIDTHS))
@settings(max_examples=300)
def test_every_rule_reaches_all_states(graph: Graph, rule: str, size: int, words: int) -> None:
    kernel = graph_kernel(graph, words)
    outcome = cached(kernel, size, rule)
    figures = outcome.statistics
    assert outcome.event is Event.DONE
    assert {graph_reference(kernel).nodes[state] for state in outcome.seen} == graph.reachable()
    assert figures.visited == figures.recorded == len(outcome.seen)
    assert figures.transitions == sum(outcome.degrees)
    assert figures.deadlocks == sum(outcome.deadlocked)
    assert figures.peak_states <= longest_path(graph) + size
    assert figures.stored <= size
    assert outcome.links == [], "nothing was found, so nothing is logged"
    if figures.exact:
        assert figures.visited == figures.stored == len(graph.reachable())


@given(small_graphs, st.sampled_from(PLAIN_RULES), st.integers(0, 8), st.sampled_from(WIDTHS))
@settings(max_examples=300)
def test_the_rules_replace_what_they_say(graph: Graph, rule: str, size: int, words: int) -> None:
    kernel = graph_kernel(graph, words)
    run = CachingRun(kernel, size, rule)
    outcome = run.advance()
    expected = PlainCaching(graph, size, rule)
    assert [graph_reference(kernel).nodes[state] for state in outcome.seen] == expected.visits
    assert outcome.statistics.peak_states == expected.peak
    assert run.search.statistics().counters["replaced"] == expected.replaced
    assert outcome.statistics.exact == (expected.replaced == 0)


@given(small_graphs, st.sampled_from(("random", *PLAIN_RULES)))
def test_a_cache_for_all_states_is_depth_first_search(graph: Graph, rule: str) -> None:
    kernel = graph_kernel(graph)
    outcome, plain = cached(kernel, len(graph.edges), rule), explore(kernel, "dfs")
    assert (outcome.seen, outcome.degrees) == (plain.seen, plain.degrees)
    assert outcome.statistics.exact
    assert outcome.statistics.recorded == plain.statistics.recorded


def test_a_random_place_is_drawn_from_the_whole_cache() -> None:
    """A fan of 2,000 nodes twice: had only a few places been used, many more than 500 would be met again."""
    fan = 2000
    edges = ((1, 2), tuple(range(3, fan + 3)), tuple(range(3, fan + 3)), *(() for _ in range(fan)))
    graph = Graph(edges)
    for rule in ("random", "collision"):
        known = 2 * fan + 3 - cached(graph_kernel(graph), fan // 2, rule).statistics.visited
        assert 0.1 * fan < known < 0.6 * fan, rule


def test_a_collision_replaces_although_there_is_room() -> None:
    """With 40 nodes in 50 places two surely meet, by the birthday paradox; nothing else is replaced."""
    graph = Graph((tuple(range(1, 41)), *(() for _ in range(40))))
    run = CachingRun(graph_kernel(graph), 50, "collision")
    assert run.advance().statistics.visited == 41
    assert 0 < run.search.statistics().counters["replaced"] < 30
    assert run.outcome.statistics.stored == 41 - run.search.statistics().counters["replaced"]


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("words", WIDTHS)
def test_states_that_are_found_come_with_the_path(rule: str, words: int) -> None:
    kernel = graph_kernel(CHAIN, words)
    run = CachingRun(kernel, 3, rule, stop_mask=3)
    assert run.advance().event is Event.FOUND
    record, labels = run.search.found
    assert (record, labels) == (40, 1)
    assert path_to(kernel, run.outcome.links, record) == graph_reference(kernel).states[:41]
    assert run.advance().event is Event.FOUND, "asked again without a change it stops at the same state"
    assert (run.search.found, len(run.outcome.links)) == ((40, 1), 41)
    run.search.stop_less(1)
    assert run.advance().event is Event.FOUND
    assert run.search.found == (41 + 70, 3)
    assert path_to(kernel, run.outcome.links, 41 + 70) == graph_reference(kernel).states[:71]
    run.search.stop_less(2)
    assert run.advance().event is Event.DONE
    assert run.outcome.statistics.visited == 100


@given(small_graphs, st.sampled_from(RULES), st.integers(0, 4))
def test_a_path_is_a_path_after_any_number_of_revisits(graph: Graph, rule: str, size: int) -> None:
    target = max(graph.reachable())
    labelled = Graph(graph.edges, graph.initial, labels={target: 1})
    kernel = graph_kernel(labelled)
    run = CachingRun(kernel, size, rule, stop_mask=1)
    assert run.advance().event is Event.FOUND
    path = path_to(kernel, run.outcome.links, run.search.found[0])
    nodes = [graph_reference(kernel).nodes[state] for state in path]
    assert nodes[0] in graph.initial
    assert nodes[-1] == target
    assert all(after in graph.edges[before] for before, after in pairwise(nodes))
    assert len(set(nodes)) == len(nodes), "the path of a depth-first search does not meet itself"


def test_several_initial_states_are_told_apart_in_the_log() -> None:
    graph = Graph(((), (), (3,), ()), initial=(0, 1, 2), labels={3: 1})
    kernel = graph_kernel(graph)
    run = CachingRun(kernel, 5, "oldest", stop_mask=1)
    run.advance()
    assert path_to(kernel, run.outcome.links, run.search.found[0]) == [
        graph_reference(kernel).states[2],
        graph_reference(kernel).states[3],
    ]


@pytest.mark.parametrize("words", WIDTHS)
def test_a_fault_is_found_with_its_path(words: int) -> None:
    kernel = graph_kernel(Graph(CHAIN.edges, faults={55}), words)
    run = CachingRun(kernel, 3, "oldest")
    assert run.advance().event is Event.FAULT
    assert path_to(kernel, run.outcome.links, run.search.found[0]) == graph_reference(kernel).states[:56]
    assert kernel.fault_sites[run.search.fault_number].kind == "fault of 55"


@pytest.mark.parametrize(("limit", "event"), [(99, "STATES"), (100, "DONE"), (101, "DONE")])
def test_the_limit_of_states_is_one_of_expansions(limit: int, event: str) -> None:
    outcome = cached(graph_kernel(CHAIN), 3, "oldest", max_states=limit)
    assert outcome.event.name == event
    assert outcome.statistics.visited == min(limit, 100)


@given(small_graphs, st.sampled_from(RULES), st.integers(0, 6), st.sampled_from(WIDTHS))
@settings(max_examples=150)
def test_tiny_arrays_and_budgets_change_nothing(graph: Graph, rule: str, size: int, words: int) -> None:
    kernel = graph_kernel(graph, words)
    usual = cached(kernel, size, rule)
    with smallest_arrays():
        run = CachingRun(kernel, size, rule)
        run.search._budget = 1
        tiny = run.advance(0.0)
        run.search.close()
    same(tiny, usual)


@pytest.mark.parametrize("rule", RULES)
def test_thousands_of_states_with_tiny_arrays(rule: str) -> None:
    """Tables that grow while places are used again; the cache is large enough to keep revisits few."""
    graph = random_graph(Random(5), 3000, 4500)
    kernel = graph_kernel(graph, 2)
    size = len(graph.reachable()) * 9 // 10
    usual = cached(kernel, size, rule)
    assert {graph_reference(kernel).nodes[state] for state in usual.seen} == graph.reachable()
    with smallest_arrays():
        same(cached(kernel, size, rule), usual)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("words", [1, 2, 9])
def test_plain_python_does_the_same(rule: str, words: int) -> None:
    """Array accesses are checked in plain Python."""
    engine = plain_engine()
    for seed in range(4):
        kernel = graph_kernel(random_graph(Random(seed), 9, 16), words)
        for size in (0, 1, 4):
            with np.errstate(over="ignore"):
                plain = cached(kernel, size, rule, engine=engine)
            same(plain, cached(kernel, size, rule))


def test_a_memory_limit_stops_in_time_and_can_be_raised() -> None:
    graph = random_graph(Random(7), 4000, 9000)
    kernel = graph_kernel(graph, 2)
    usual = cached(kernel, 4000, "random")
    with smallest_arrays():
        limit = CachingRun(kernel, 4000, "random").search.current_bytes() + 1024
        run = CachingRun(kernel, 4000, "random", engine_bytes=limit)
        stops = 0
        while run.advance().event is Event.MEMORY:
            stops += 1
            assert run.search.statistics().peak_bytes <= limit
            limit += 1 << 14
            run.search.engine_bytes = limit
    assert stops > 3
    same(run.outcome, usual)


def test_a_measured_kernel_is_refused() -> None:
    kernel = graph_kernel(random_graph(Random(1), 5, 5, kind="monotone"))
    with pytest.raises(InternalError, match="without a measure"):
        CachedSearch(kernel, states=1, rule=CacheRule.OLDEST, log=lambda links: None)
