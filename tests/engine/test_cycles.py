"""Nested depth-first search and the search for accepting components, against brute force."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from accepting import accepting_components, accepting_graph, judge, run_to_end
from graph_kernel import Graph, graph_kernel
from plain import Engine, compiled_engine, plain_engine
from running import smallest_arrays

from strandline.engine.cycles.cycle_extraction import LoopSearch
from strandline.engine.search import Event

METHODS = ("NestedSearch", "ComponentSearch")


def answer(method: str, graph: Graph, *, words: int = 1, accepting: int = 1, engine: Engine | None = None) -> bool:
    """Return True if the method finds an accepting cycle, which is judged."""
    links: list[int] = []
    kind = getattr(engine or compiled_engine(), method)
    search = kind(graph_kernel(graph, words), accepting=accepting, log=links.extend)
    try:
        event = run_to_end(search)
        assert event.name in ("DONE", "CYCLE")
        if event.name == "CYCLE":
            judge(search, [int(link) for link in links], accepting)
        else:
            assert search.statistics().visited >= len(graph.reachable())
    finally:
        search.close()
    return bool(event.name == "CYCLE")


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("words", [1, 2, 3])
def test_finds_a_cycle_exactly_where_one_is(method: str, words: int) -> None:
    found = 0
    for seed in range(400):
        graph = accepting_graph(Random(seed), "plain", nodes=2 + seed % 14)
        expected = bool(accepting_components(graph, 1))
        assert answer(method, graph, words=words) == expected, f"seed {seed}"
        found += expected
    assert 50 < found < 350


@pytest.mark.parametrize("sets", [0, 2, 3])
def test_generalised_acceptance(sets: int) -> None:
    accepting = (1 << sets) - 1
    for seed in range(300):
        graph = accepting_graph(Random(seed), "plain", sets=sets, density=0.3)
        expected = bool(accepting_components(graph, accepting))
        assert answer("ComponentSearch", graph, accepting=accepting) == expected, f"seed {seed}"


@pytest.mark.parametrize("method", METHODS)
def test_arrays_that_grow_at_every_point(method: str) -> None:
    for seed in range(60):
        graph = accepting_graph(Random(seed), "plain", nodes=25, density=0.1)
        for words in (1, 2):
            with smallest_arrays():
                found = answer(method, graph, words=words)
            assert found == bool(accepting_components(graph, 1)), f"seed {seed}"


@pytest.mark.parametrize("method", METHODS)
def test_plain_python_with_checked_arrays(method: str) -> None:
    engine = plain_engine()
    for seed in range(25):
        graph = accepting_graph(Random(seed), "plain", nodes=12)
        with smallest_arrays(engine), np.errstate(over="ignore"):
            found = answer(method, graph, engine=engine)
        assert found == bool(accepting_components(graph, 1)), f"seed {seed}"


def test_every_accepting_component_is_reported_once() -> None:
    for seed in range(200):
        graph = accepting_graph(Random(seed), "plain", nodes=16, density=0.3)
        links: list[int] = []
        kernel = graph_kernel(graph)
        search = compiled_engine().ComponentSearch(kernel, accepting=1, log=links.extend, whole=True)
        found = []
        while run_to_end(search) is Event.CYCLE:
            _, loop = judge(search, [int(link) for link in links], 1)
            found.append((search.component_size, loop))
            search.go_on()
        expected = accepting_components(graph, 1)
        assert sorted(size for size, _ in found) == sorted(len(component) for component in expected)
        for size, loop in found:
            home = next(component for component in expected if loop[0] in component)
            assert set(loop) <= home
            assert len(home) == size


def test_components_are_counted_without_loops() -> None:
    for seed in range(100):
        graph = accepting_graph(Random(seed), "plain", nodes=16, density=0.3)
        search = compiled_engine().ComponentSearch(graph_kernel(graph), accepting=1, log=lambda links: None, whole=True)
        search.follows, sizes = False, []
        while run_to_end(search) is Event.CYCLE:
            sizes.append(search.component_size)
            assert search._loop is None
            search.go_on()
        assert sorted(sizes) == sorted(len(component) for component in accepting_components(graph, 1))


@pytest.mark.parametrize("method", METHODS)
def test_a_self_loop_of_the_initial_state(method: str) -> None:
    assert answer(method, Graph(((0,),), labels={0: 1}))
    assert not answer(method, Graph(((0,),)))
    assert not answer(method, Graph(((1,), ()), labels={0: 1, 1: 1}))


def test_early_detection_visits_only_the_cycle() -> None:
    """The first search itself closes the cycle: the long tail behind state 2 is never entered."""
    tail = [(node + 1,) for node in range(3, 50)]
    graph = Graph(((1,), (2,), (0, 3), *tail, ()), labels={1: 1})
    for method in METHODS:
        links: list[int] = []
        search = getattr(compiled_engine(), method)(graph_kernel(graph), accepting=1, log=links.extend)
        assert run_to_end(search) is Event.CYCLE
        assert judge(search, [int(link) for link in links], 1) == ([0], [0, 1, 2])
        assert search.statistics().visited == 3, method


def test_a_loop_is_followed_past_states_that_fault() -> None:
    """Beside the loop of four states lies one that faults; no search that has found the loop has asked for it."""
    graph = Graph(((4, 1), (4, 2), (4, 3), (4, 0), ()), faults=(4,))
    kernel = graph_kernel(graph)
    search = LoopSearch(kernel, tuple(kernel.initial[0].tolist()), accepting=0)
    try:
        assert run_to_end(search) is Event.CYCLE
        assert search.steps == (1, 1, 1, 1)
    finally:
        search.close()
