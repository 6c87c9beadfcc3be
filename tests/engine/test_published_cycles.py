"""MAP and LTL-Sweep off-line and on-line against brute force, and their figures against plain versions of them."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any

import numpy as np
import pytest
from accepting import accepting_components, accepting_graph, judge, run_to_end
from graph_kernel import Graph, graph_kernel, graph_reference, random_graph
from hypothesis import given, settings
from hypothesis import strategies as st
from plain import Engine, compiled_engine, plain_engine
from published_twins import Figures, LtlSweep, maximal_accepting_predecessors
from running import explore, path_to, smallest_arrays

from strandline.engine.search import Event
from strandline.errors import InternalError

MAP = {"map": {}, "map-subgraphs": {"subgraphs": True}}
SWEEPS: dict[str, dict[str, bool]] = {
    "off": {"online": False},
    "on": {"online": True},
    "off-true": {"online": False, "true_sweeps": True},
    "on-true": {"online": True, "true_sweeps": True},
}
METHODS = (*MAP, *SWEEPS)
MOST_VISITS = 300_000
KINDS = ("regressing", "monotone", "columns", "extreme")


def made(
    method: str,
    graph: Graph,
    links: list[int],
    *,
    words: int = 1,
    engine: Engine | None = None,
    falls: Callable[[int, int], bool] | None = None,
    **options: Any,
) -> Any:
    """A search by the method that accepts what has label 1."""
    engine = engine or compiled_engine()
    kernel = graph_kernel(graph, words, falls=falls)
    if method in MAP:
        kind, arguments = engine.PredecessorSearch, MAP[method]
    else:
        kind, arguments = engine.LtlSweepSearch, SWEEPS[method]
    return kind(kernel, accepting=1, log=lambda rows: links.extend(rows.tolist()), **arguments, **options)


@dataclass(slots=True)
class Answer:
    """The result of a search; `stem` and `loop` are nodes, already judged."""

    figures: Figures
    statistics: Any
    links: list[int]
    stem: list[int] = field(default_factory=list)
    loop: list[int] = field(default_factory=list)

    @property
    def found(self) -> bool:
        return bool(self.loop)


def answer(method: str, graph: Graph, *, slow: bool = False, **options: Any) -> Answer:
    """Search to the end; whatever is found is replayed on the graph."""
    links: list[int] = []
    search = made(method, graph, links, **options)
    if slow:
        search._budget = 1
    event = _to_end(search, 0.0 if slow else 0.05)
    assert event.name in ("DONE", "CYCLE")
    statistics = search.statistics()
    figures = Figures(
        visited=statistics.visited,
        persistent=statistics.persistent,
        peak=statistics.peak_states,
        sweeps=statistics.sweeps,
        rounds=search.rounds,
    )
    result = Answer(figures, statistics, links)
    if event.name == "CYCLE":
        result.stem, result.loop = judge(search, links, 1)
        figures.kind, figures.cycle = "S", result.stem[-1]
    if method in SWEEPS:
        figures.red_visits, figures.value_visits = search.red_visits, search.value_visits
        figures.kind = search.cycle_kind
        _check_kind(graph, search, result)
    search.close()
    return result


def _to_end(search: Any, slices: float) -> Any:
    """The next event that is no pause; a search that goes round for ever fails."""
    while (event := search.advance(slices)).name == "PAUSED":
        assert search.statistics().visited < MOST_VISITS
    return event


def _check_kind(graph: Graph, search: Any, result: Answer) -> None:
    assert graph.progress is not None
    if result.found:
        layers = {graph.progress[node] for node in result.loop}
        assert search.cycle_kind == ("S" if len(layers) == 1 else "M")
        assert len({column for column, _ in layers}) == 1
    else:
        assert search.cycle_kind == ""
        assert result.statistics.stored == 0, "everything is forgotten at the end"


def reference(method: str, graph: Graph) -> Figures:
    """The figures of the plain version."""
    if method in SWEEPS:
        return LtlSweep(graph, 1, **SWEEPS[method]).run()
    figures = maximal_accepting_predecessors(graph, 1, **MAP[method])
    return replace(figures, peak=len(graph.reachable()))


def drawn(seed: int, kind: str, nodes: int) -> Graph:
    return accepting_graph(Random(seed), kind, nodes=nodes, density=(0.05, 0.1, 0.2, 0.4)[seed % 4])


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("method", METHODS)
def test_finds_a_cycle_exactly_where_one_is(method: str, kind: str) -> None:
    found = 0
    for seed in range(1000):
        graph = drawn(seed, kind, 2 + seed % 15)
        expected = bool(accepting_components(graph, 1))
        assert answer(method, graph, words=1 + 2 * (seed % 2)).found == expected, f"seed {seed}"
        found += expected
    assert 60 < found < 940


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("method", METHODS)
def test_figures_are_those_of_the_plain_version(method: str, kind: str) -> None:
    """Visits of every phase, rounds, sweeps, the most stored at a time, and the state at which the cycle is found."""
    for seed in range(150):
        graph = drawn(1000 + seed, kind, 5 + seed % 30)
        figures = answer(method, graph).figures
        expected = reference(method, graph)
        if method in MAP and expected.kind:
            expected.peak = figures.peak
        assert figures == expected, f"seed {seed}"


@given(st.randoms(use_true_random=False), st.integers(1, 40), st.sampled_from(KINDS), st.sampled_from(METHODS))
@settings(max_examples=150)
def test_tiny_arrays_and_budgets_change_nothing(random: Random, nodes: int, kind: str, method: str) -> None:
    graph = accepting_graph(random, kind, nodes=nodes, density=0.1)
    for words in (1, 3):
        usual = answer(method, graph, words=words)
        with smallest_arrays():
            tiny = answer(method, graph, words=words, slow=True)
        assert tiny.figures == usual.figures
        assert (tiny.stem, tiny.loop, tiny.links) == (usual.stem, usual.loop, usual.links)


@pytest.mark.parametrize("tiny", [False, True])
@pytest.mark.parametrize("method", METHODS)
def test_plain_python_with_checked_arrays(method: str, tiny: bool) -> None:
    engine = plain_engine()
    for seed in range(20):
        graph = drawn(seed, "columns" if seed % 2 else "regressing", 14)
        small = smallest_arrays(engine) if tiny else nullcontext()
        with small, np.errstate(over="ignore"):
            plain = answer(method, graph, words=1 + 2 * (seed % 2), engine=engine)
        compiled = answer(method, graph, words=1 + 2 * (seed % 2))
        assert (plain.figures, plain.stem, plain.loop) == (compiled.figures, compiled.stem, compiled.loop)


@pytest.mark.parametrize("method", SWEEPS)
@pytest.mark.parametrize("kind", KINDS)
def test_the_blue_search_is_a_sweep(method: str, kind: str) -> None:
    """Where no cycle ends it, it does what a sweep for safety does, in another order inside layers."""
    compared = 0
    for seed in range(100):
        graph = drawn(seed, kind, 30)
        result = answer(method, graph)
        if result.found:
            continue
        compared += 1
        plain = explore(graph_kernel(graph), "sweep").statistics
        figures = result.figures
        assert figures.visited - figures.red_visits - figures.value_visits == plain.visited
        for name in ("transitions", "deadlocks", "persistent", "sweeps", "regress_edges", "layers"):
            assert getattr(result.statistics, name) == getattr(plain, name), (name, seed)
    assert compared > 10


@pytest.mark.parametrize("method", METHODS)
def test_components_of_a_measure_are_passed_over(method: str) -> None:
    """Where a record also tells that a component falls, columns and layers alone count."""
    for seed in range(50):
        graph = drawn(seed, "columns", 20)
        told, usual = (answer(method, graph, falls=falls) for falls in (lambda source, target: True, None))
        assert (told.figures, told.stem, told.loop) == (usual.figures, usual.stem, usual.loop)


def test_map_counts_the_graph() -> None:
    """Rounds or not, each state and each of its edges is counted once."""
    for seed in range(60):
        graph = drawn(seed, "plain", 25)
        result = answer("map", graph)
        if not result.found:
            reachable = graph.reachable()
            assert result.statistics.stored == len(reachable)
            assert result.statistics.transitions == sum(len(graph.edges[node]) for node in reachable)
            assert result.statistics.deadlocks == sum(not graph.edges[node] for node in reachable)


def test_map_needs_another_round_for_a_hidden_cycle() -> None:
    """1 is the largest accepting state that leads to the cycle of 2 and 3, since 3 is reached before it."""
    graph = Graph(((3, 1), (2,), (3,), (2,)), labels={1: 1, 3: 1})
    result = answer("map", graph)
    assert (result.stem, result.loop) == ([0, 3], [3, 2])
    assert result.figures.rounds == 2
    assert answer("map", replace(graph, labels={3: 1})).figures.rounds == 1
    assert answer("map", replace(graph, labels={1: 1})).figures.rounds == 1, "1 was the only one that could accept"


def test_a_loop_does_not_follow_the_nearest_accepting_state() -> None:
    """From 1, the persistent state, 5 is near and accepts, but nothing leads back from it."""
    graph = Graph(
        ((1,), (5, 2), (3,), (4,), (1,), ()),
        progress=((0, 9), (0, 0), (0, 1), (0, 2), (0, 3), (0, 4)),
        labels={5: 1, 4: 1},
    )
    for method in SWEEPS:
        result = answer(method, graph)
        assert (result.stem, result.loop, result.figures.kind) == ([0, 1], [1, 2, 3, 4], "M")


@pytest.mark.parametrize("method", METHODS)
def test_self_loops(method: str) -> None:
    progress = ((0, 0), (0, 1))
    assert answer(method, Graph(((0,),), progress=progress[:1], labels={0: 1})).loop == [0]
    assert not answer(method, Graph(((0,),), progress=progress[:1])).found
    assert not answer(method, Graph(((1,), ()), progress=progress, labels={0: 1, 1: 1})).found


def test_online_finds_a_cycle_over_several_layers_before_everything_is_swept() -> None:
    """0 -> 1 -> 2 -> 1 is a cycle over two layers; 3 regresses again and again along a tail."""
    tail = tuple((node + 1,) for node in range(3, 20))
    layers = [0, 1, 2, *(-node for node in range(3, 21))]
    graph = Graph(((1,), (2,), (1, 3), *tail, ()), progress=tuple((0, layer) for layer in layers), labels={2: 1})
    online, offline = (answer(method, graph) for method in ("on", "off"))
    assert online.loop == offline.loop == [1, 2]
    assert (online.figures.sweeps, offline.figures.sweeps) == (2, 19)


@pytest.mark.parametrize("method", SWEEPS)
def test_a_lying_column_is_an_error(method: str) -> None:
    """The edge from 1 back to 0, its second, lowers the column."""
    graph = Graph(((1,), (1, 0)), progress=((0, 0), (1, 0)))
    links: list[int] = []
    search = made(method, graph, links)
    assert run_to_end(search) is Event.COLUMN_DECREASED
    record, step = search.regressing_link
    assert (path_to(search.kernel, links, record)[-1], step) == (graph_reference(search.kernel).states[1], 1)


@pytest.mark.parametrize("method", METHODS)
def test_a_fault_names_the_state(method: str) -> None:
    progress = tuple((0, node) for node in range(4))
    graph = Graph(((1,), (2,), (3,), ()), progress=progress, labels={1: 1}, faults={2})
    links: list[int] = []
    search = made(method, graph, links)
    assert run_to_end(search) is Event.FAULT
    assert path_to(search.kernel, links, search.found[0])[-1] == graph_reference(search.kernel).states[2]
    assert search.kernel.fault_sites[search.fault_number].kind == "fault of 2"


@pytest.mark.parametrize("method", METHODS)
def test_limits(method: str) -> None:
    """At a limit of states, or of memory, the search stops; with more memory it goes on to the same end."""
    graph = replace(random_graph(Random(7), 4000, 9000, kind="regressing"), labels=dict.fromkeys((3, 900), 1))
    usual = answer(method, graph)
    links: list[int] = []
    search = made(method, graph, links, max_states=40)
    assert run_to_end(search) is Event.STATES
    assert len(links) == 40
    with smallest_arrays():
        limited = made(method, graph, links)
        limit = limited.current_bytes() + 4096
        limited.engine_bytes = limit
        stops = 0
        while (event := run_to_end(limited)) is Event.MEMORY:
            stops += 1
            assert limited.statistics().peak_bytes <= limit
            limit += 1 << 14
            limited.engine_bytes = limit
    assert stops > 2
    assert (event is Event.CYCLE) == usual.found
    assert limited.statistics().visited == usual.figures.visited


def test_a_sweep_needs_a_measure() -> None:
    with pytest.raises(InternalError, match="LTL-Sweep needs a measured kernel"):
        made("on", Graph(((),)), [])
