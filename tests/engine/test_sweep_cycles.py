"""Our own sweep for accepting cycles compared with brute force, and its cost."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any

import numpy as np
import pytest
from accepting import accepting_components, accepting_graph, judge, run_to_end
from graph_kernel import Graph, graph_kernel
from plain import Engine, compiled_engine, plain_engine
from running import Run, explore, smallest_arrays

from strandline.engine.parts.line import block_ends
from strandline.engine.search import Event


def sweep(
    graph: Graph, *, words: int = 1, engine: Engine | None = None, slow: bool = False, **options: Any
) -> tuple[bool, Any]:
    """Whether a cycle is found, which is judged, and the search."""
    links: list[int] = []
    kind = (engine or compiled_engine()).SweepCycleSearch
    search = kind(graph_kernel(graph, words), accepting=1, log=links.extend, **options)
    if slow:
        search._budget = 1
    event = run_to_end(search)
    assert event.name in ("DONE", "CYCLE")
    if event.name == "CYCLE":
        _, loop = judge(search, [int(link) for link in links], 1)
        assert graph.progress is not None
        kind = "S" if len({graph.progress[node] for node in loop}) == 1 else "M"
        assert search.cycle_kind == kind
    search.close()
    return event.name == "CYCLE", search


def ranked(graph: Graph, random: Random, ranks: int) -> Graph:
    """The graph with a rank for each node, which no edge lowers, in the lowest bits of its layers."""
    rank = [random.randrange(ranks) for _ in graph.edges]
    edges = tuple(
        tuple(target for target in targets if rank[target] >= rank[node]) for node, targets in enumerate(graph.edges)
    )
    assert graph.progress is not None
    progress = tuple((column, layer * ranks + rank[node]) for node, (column, layer) in enumerate(graph.progress))
    return replace(graph, edges=edges, progress=progress)


@pytest.mark.parametrize("probes", [False, True])
@pytest.mark.parametrize("kind", ["regressing", "monotone", "columns", "extreme"])
def test_finds_a_cycle_exactly_where_one_is(kind: str, probes: bool) -> None:
    found = 0
    for seed in range(400):
        graph = accepting_graph(Random(seed), kind, nodes=2 + seed % 14)
        expected = bool(accepting_components(graph, 1))
        assert sweep(graph, probes=probes)[0] == expected, f"seed {seed}"
        found += expected
    assert 20 < found < 380


@pytest.mark.parametrize("ranks", [2, 4])
@pytest.mark.parametrize("kind", ["regressing", "columns"])
def test_ranks(kind: str, ranks: int) -> None:
    for seed in range(400):
        random = Random(seed)
        graph = ranked(accepting_graph(random, kind, nodes=14, density=0.3), random, ranks)
        expected = bool(accepting_components(graph, 1))
        assert sweep(graph, ranks=ranks, probes=False)[0] == expected, f"seed {seed}"


@pytest.mark.parametrize("words", [3])
def test_wide_states(words: int) -> None:
    for seed in range(150):
        graph = accepting_graph(Random(seed), "columns", nodes=16)
        assert sweep(graph, words=words, probes=False)[0] == bool(accepting_components(graph, 1)), f"seed {seed}"


@pytest.mark.parametrize("kind", ["regressing", "columns"])
def test_arrays_that_grow_and_pauses_at_every_point(kind: str) -> None:
    for seed in range(80):
        graph = accepting_graph(Random(seed), kind, nodes=20, density=0.1)
        for probes in (False, True):
            with smallest_arrays():
                found = sweep(graph, slow=True, probes=probes)[0]
            assert found == bool(accepting_components(graph, 1)), f"seed {seed}"


def test_plain_python_with_checked_arrays() -> None:
    engine = plain_engine()
    for seed in range(25):
        graph = accepting_graph(Random(seed), "columns", nodes=12)
        with smallest_arrays(engine), np.errstate(over="ignore"):
            found = sweep(graph, engine=engine, probes=False)[0]
        assert found == bool(accepting_components(graph, 1)), f"seed {seed}"


@pytest.mark.parametrize("kind", ["regressing", "monotone", "columns"])
def test_without_a_suspicion_it_costs_what_a_plain_sweep_costs(kind: str) -> None:
    """Nothing accepts, so cycles over several layers need no search: the same visits, states and sweeps."""
    for seed in range(100):
        graph = replace(accepting_graph(Random(seed), kind, nodes=30), labels={})
        _, search = sweep(graph, probes=False)
        run = Run(graph_kernel(graph), "sweep")
        plain, cycles = run.advance().statistics, search.statistics()
        assert search.details().profile == run.search.details().profile
        assert sorted(search.details().sampled_regress_edges) == sorted(run.search.details().sampled_regress_edges)
        for name in ("visited", "transitions", "peak_states", "persistent", "sweeps", "regress_edges", "deadlocks"):
            assert getattr(cycles, name) == getattr(plain, name), (name, seed)


def test_the_profile_has_the_layers_of_the_measure_and_no_ranks() -> None:
    """Three layers, in each of which the first node has rank 0 and the second rank 1."""
    edges = ((1, 2), (3,), (3, 4), (5,), (5,), ())
    layers = (0, 0, 1, 1, 2, 2)
    progress = tuple((0, 2 * layer + rank) for layer, rank in zip(layers, (0, 1) * 3, strict=True))
    _, search = sweep(Graph(edges, progress=progress), ranks=2, probes=False)
    found = search.details().profile
    assert [(one.first, one.last, one.layers, one.visited) for one in found] == [
        ((0, layer), (0, layer), 1, 2) for layer in range(3)
    ]


def test_a_cycle_over_two_layers_needs_one_round() -> None:
    """0 -> 1 -> 2 -> 1: state 1 is hit again in the second sweep, and the first round keeps it."""
    graph = Graph(((1,), (2,), (1,)), progress=((0, 0), (0, 1), (0, 2)), labels={2: 1})
    found, search = sweep(graph, probes=False)
    assert found
    assert (search.cycle_kind, search.rounds) == ("M", 1)


def test_a_lying_column_is_an_error() -> None:
    graph = Graph(((1,), (0,)), progress=((1, 0), (0, 0)), labels={0: 1})
    links: list[int] = []
    search = compiled_engine().SweepCycleSearch(graph_kernel(graph), accepting=1, log=links.extend, probes=False)
    assert run_to_end(search) is Event.COLUMN_DECREASED
    assert search.regressing_link == (0, 0)


def test_the_nearest_accepting_state_may_have_no_way_back() -> None:
    """0 has two accepting successors in its layer: from 1 nothing leads back, from 2 it does."""
    graph = Graph(((1, 2), (3,), (3, 0), ()), progress=((0, 0), (0, 0), (0, 0), (0, 1)), labels={1: 1, 2: 1})
    assert sweep(graph, probes=False)[0]


def test_rounds_stay_in_the_blocks_of_layers_that_regress_edges_span() -> None:
    """0 -> 1 -> 2 -> 1 without an accepting state on it, and a long tail behind, which accepts: the round that clears
    state 1 visits 1 and 2, not the tail."""
    tail = 50
    edges = ((1,), (2,), (1, 3), *((node + 1,) for node in range(3, 3 + tail)), ())
    graph = Graph(edges, progress=tuple((0, node) for node in range(len(edges))), labels={len(edges) - 1: 1})
    found, search = sweep(graph, probes=False)
    plain = explore(graph_kernel(graph), "sweep").statistics
    assert not found
    assert search.statistics().visited == plain.visited + 2


def test_ends_of_blocks() -> None:
    """Against joining any two spans that overlap until none do."""
    random = Random(0)
    for _ in range(300):
        layers = random.sample(range(1, 60), random.randint(1, 12))
        spans = [random.choice([0, layer + random.randint(1, 9)]) for layer in layers]
        ends = block_ends(np.array(layers, dtype=np.uint64), np.array(spans, dtype=np.uint64))
        for layer, span, end in zip(layers, spans, ends, strict=True):
            joined = span
            while span and (wider := max(b for a, b in zip(layers, spans, strict=True) if a <= joined)) != joined:
                joined = wider
            assert not span or end == joined, (layers, spans, layer)
