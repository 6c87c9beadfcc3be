"""The search on a device, over a fake one: planning, growth, deletion, labels, faults, traces without a log."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from random import Random
from unittest.mock import patch

import pytest
from device_runs import device_kernel, on, run, small_pieces, states_on
from graph_kernel import Graph, graph_reference, random_graph
from hypothesis import given, settings
from hypothesis import strategies as st
from running import explore

from strandline.compile.kernel import DEADLOCK_BIT
from strandline.engine.device import retracing
from strandline.engine.device.retracing import Retracing
from strandline.engine.device.search import DeviceFigures, DeviceSearch
from strandline.engine.search import Event

KINDS = ("plain", "monotone", "regressing", "columns")
CHAIN = 200


def figures_of(search: DeviceSearch) -> DeviceFigures:
    figures = search.details().device
    assert figures is not None
    return figures


def edges_of(graph: Graph) -> int:
    return sum(len(graph.edges[node]) for node in graph.reachable())


def deadlocks_of(graph: Graph) -> int:
    return sum(not graph.edges[node] for node in graph.reachable())


@st.composite
def graphs(draw: st.DrawFn, kinds: tuple[str, ...] = KINDS) -> Graph:
    random = draw(st.randoms(use_true_random=False))
    nodes = draw(st.integers(1, 40))
    return random_graph(random, nodes, int(nodes * draw(st.floats(0.5, 2.5))), kind=draw(st.sampled_from(kinds)))


@settings(deadline=None, max_examples=150)
@given(graphs(), st.sampled_from((1, 2, 3)), st.sampled_from((0, 2, 1000)), st.sampled_from((1, 4)))
def test_every_state_is_visited_in_little_memory(graph: Graph, words: int, together: int, growing: int) -> None:
    """With room for few states more than there are, and layers taken one by one or all together."""
    kernel = device_kernel(graph, words)
    with small_pieces(together, steps=(growing, 1)):
        places, crossings = len(graph.edges) + 170, 64 * (2 * words + 1)
        # A quarter is left for crossings.
        search, event = run(kernel, memory=places * (8 * words + 26) * 3 // 2 + 16 * crossings + 1000)
        assert event is Event.DONE
        figures = search.statistics()
        assert figures.visited == figures.recorded
        if figures.exact:
            counted = (figures.recorded, figures.transitions, figures.deadlocks)
            assert counted == (len(graph.reachable()), edges_of(graph), deadlocks_of(graph))
        else:
            assert figures.recorded >= len(graph.reachable())
        assert figures.exact or graph.progress is not None
        search.close()


@settings(deadline=None, max_examples=100)
@given(graphs(("plain",)), st.sampled_from((1, 2)))
def test_levels_are_those_of_the_host(graph: Graph, words: int) -> None:
    kernel = device_kernel(graph, words)
    with small_pieces():
        search, event = run(kernel)
    host = explore(kernel, "bfs")
    assert (event, list(search.details().levels)) == (Event.DONE, host.levels)
    assert search.statistics().transitions == host.statistics.transitions


@settings(deadline=None, max_examples=200)
@given(graphs(), st.integers(0, 1000), st.sampled_from((1, 2)), st.sampled_from((0, 3, 1000)))
def test_traces_lead_to_what_is_found(graph: Graph, picked: int, words: int, together: int) -> None:
    """A state with a label is found if there is one; the reference executes the path to it, which breadth-first is
    a shortest one."""
    marked = picked % len(graph.edges)
    kernel = device_kernel(replace(graph, labels={marked: 1}), words)
    with small_pieces(together):
        search, event = run(kernel, stop_mask=1)
        if marked not in graph.reachable():
            assert event is Event.DONE
            return
        assert (event, search.found) == (Event.FOUND, (0, 1))
        path = states_on(kernel, search.walked)
        assert graph_reference(kernel).nodes[path[-1]] == marked  # type: ignore[attr-defined]
        if graph.progress is None:
            assert len(path) - 1 == graph.distances()[marked]
        search.stop_less(1)
        assert search.stop_mask == 0


@settings(deadline=None, max_examples=80)
@given(graphs(), st.integers(0, 1000), st.integers(0, 1000))
def test_the_search_goes_on_after_a_trace(graph: Graph, first: int, second: int) -> None:
    """Two labels are reported one by one, each with its path; then the search is complete."""
    labels = {first % len(graph.edges): 1}
    labels[second % len(graph.edges)] = labels.get(second % len(graph.edges), 0) | 2
    kernel = device_kernel(replace(graph, labels=labels))
    with small_pieces():
        search, event = run(kernel, stop_mask=3)
        found = 0
        while event is Event.FOUND:
            label = search.found[1]
            end = states_on(kernel, search.walked)[-1]
            assert kernel.reference.labels(end) & label
            found |= label
            search.stop_less(label)
            if search.stop_mask == 0:
                break
            event = on(search)
        expected = 0
        for node in graph.reachable():
            expected |= labels.get(node, 0)
        assert found == expected


@settings(deadline=None, max_examples=80)
@given(graphs(), st.integers(0, 1000))
def test_a_fault_is_told_with_the_way_to_it(graph: Graph, picked: int) -> None:
    faulty = picked % len(graph.edges)
    kernel = device_kernel(replace(graph, faults=(faulty,)))
    with small_pieces():
        search, event = run(kernel)
        if faulty not in graph.reachable():
            assert event is Event.DONE
            return
        assert event is Event.FAULT
        assert kernel.fault_sites[search.fault_number].kind == f"fault of {faulty}"
        end = states_on(kernel, search.walked)[-1]
        assert graph_reference(kernel).nodes[end] == faulty  # type: ignore[attr-defined]


def chain(length: int = CHAIN, *, width: int = 1) -> Graph:
    """Layers of `width` nodes, each with edges to all of the next layer."""
    edges = []
    for layer in range(length):
        following = tuple(range((layer + 1) * width, (layer + 2) * width)) if layer + 1 < length else ()
        edges += [following] * width
    return Graph(tuple(edges), progress=tuple((0, number // width) for number in range(length * width)))


def test_a_sweep_needs_room_for_few_layers_only() -> None:
    """Two hundred layers of five nodes pass through a log with room for a few."""
    graph = chain(width=5)
    kernel = device_kernel(graph)
    with small_pieces():
        search, event = run(kernel, memory=6000)
    figures = search.statistics()
    assert (event, figures.recorded, figures.visited) == (Event.DONE, CHAIN * 5 - 4, CHAIN * 5 - 4)
    assert (figures.exact, figures.sweeps, figures.layers) == (True, 1, CHAIN)
    assert figures.peak_states <= 10
    assert figures_of(search).rebuilt > 3
    assert int(search._store.plan.places) < 400


def test_breadth_first_search_ends_where_memory_does() -> None:
    kernel = device_kernel(replace(chain(width=5), progress=None))
    with small_pieces():
        search, event = run(kernel, memory=6000)
    assert event is Event.MEMORY
    assert 0 < search.statistics().recorded < CHAIN * 5


def test_what_waits_long_is_moved_to_the_head() -> None:
    """Node 1 is found first and lies in the last layer: the log's front is cut off behind it all the same."""
    plain = chain(width=5)
    last = len(plain.edges)
    edges = ((1, 2), (), *(tuple(end + 2 for end in ends) for ends in plain.edges))
    progress = ((0, -1), (0, CHAIN), *(plain.progress or ()))
    graph = Graph(tuple(edges)[: last + 2], progress=progress)
    kernel = device_kernel(graph)
    with small_pieces():
        search, event = run(kernel, memory=6000)
    assert (event, search.statistics().recorded) == (Event.DONE, len(graph.reachable()))
    assert figures_of(search).moved > 0


def test_a_layer_with_edges_inside_is_put_back_into_the_table() -> None:
    """After a rebuild without the layer, a state has a successor in it: nothing is counted twice."""
    width = 12
    plain = chain(40, width=width)
    edges = tuple((*ends, node - node % width + (node + 1) % width) for node, ends in enumerate(plain.edges))
    graph = replace(plain, edges=edges)
    kernel = device_kernel(graph)
    with small_pieces():
        search, event = run(kernel, memory=6000)
    figures = search.statistics()
    assert (event, figures.recorded, figures.transitions) == (Event.DONE, len(graph.reachable()), edges_of(graph))
    assert search._store.loose
    assert figures_of(search).rebuilt > 0


def test_more_successors_than_there_is_room_for() -> None:
    graph = Graph((tuple(range(1, 101)), *[(0,)] * 100))
    for one in (graph, replace(graph, progress=((0, 0), *[(0, 1)] * 100))):
        search, event = run(device_kernel(one))
        assert (event, search.statistics().transitions, search.statistics().visited >= 101) == (Event.DONE, 200, True)


def test_there_is_room_for_regress_edges_however_large_the_log_is() -> None:
    """Every edge regresses: the list of those that are carried grows when the log has grown as far as it can."""
    graph = Graph((*((node + 1,) for node in range(299)), ()), progress=tuple((0, -node) for node in range(300)))
    kernel = device_kernel(replace(graph, labels={299: 1}))
    with small_pieces(together=1000):
        search, event = run(kernel, memory=120_000, stop_mask=1)
        assert (event, search.statistics().persistent) == (Event.FOUND, 299)
        assert search.walked == (0, [0] * 299)


def test_a_column_that_falls_is_told_with_its_step() -> None:
    graph = Graph(((1,), (2,), (0, 0, 1)), progress=((0, 0), (1, 0), (2, 0)))
    kernel = device_kernel(graph)
    search, event = run(kernel)
    assert event is Event.COLUMN_DECREASED
    assert [graph_reference(kernel).nodes[state] for state in states_on(kernel, search.walked)] == [0, 1, 2]  # type: ignore[attr-defined]
    assert search.regressing_link == (0, 0)


def test_deadlocks_are_labels() -> None:
    graph = Graph(((1, 2), (0,), ()))
    search, event = run(device_kernel(graph), stop_mask=1 << DEADLOCK_BIT)
    assert (event, search.found[1], search.walked) == (Event.FOUND, 1 << DEADLOCK_BIT, (0, [1]))


def test_the_limit_of_states() -> None:
    search, event = run(device_kernel(replace(chain(), progress=None)), max_states=50)
    assert event is Event.STATES
    assert search.statistics().recorded >= 50


@contextmanager
def no_beams() -> Iterator[None]:
    """Traces of sweeps by bisection alone."""
    with patch.object(Retracing, "_find_by_beam", lambda *_: None):
        yield


@pytest.mark.parametrize("length", [2, 3, 50, 129])
def test_a_beam_that_drops_nothing_finds_a_trace_in_one_sweep(length: int) -> None:
    kernel = device_kernel(replace(chain(length), labels={length - 1: 1}))
    with small_pieces():
        search, _ = run(kernel, stop_mask=1)
        assert search.walked == (0, [0] * (length - 1))
        assert figures_of(search).retraced == 1


def grid(layers: int, width: int, *, needle: bool) -> Graph:
    """Layers of so many states, each with three successors in the next one. The last state has the label; it is reached
    from all of the first layer, or as a `needle` from one state of each layer."""
    edges = [tuple(range(1, width + 1))]
    for layer in range(1, layers + 1):
        below = 1 + layer * width
        for node in range(width):
            around = range(node, node + 3) if not needle else (node,) if node + 1 == width else (node, (node + 1) % 7)
            edges.append(tuple(below + one % width for one in around) if layer < layers else ())
    keys = [0, *(1 + node // width for node in range(layers * width))]
    return Graph(tuple(edges), progress=tuple((0, key) for key in keys), labels={layers * width: 1})


@pytest.mark.parametrize("needle", [False, True])
def test_a_beam_drops_states_where_there_is_no_room_and_bisection_finds_what_it_misses(needle: bool) -> None:
    layers, width = 20, 30
    kernel = device_kernel(grid(layers, width, needle=needle))
    with small_pieces(), patch.object(retracing, "_LEAST_BEAM", 4):
        search, event = run(kernel, memory=9_000, stop_mask=1)
        assert event is Event.FOUND
        assert len(search.walked[1]) == layers
        assert graph_reference(kernel).nodes[states_on(kernel, search.walked)[-1]] == layers * width
        assert (figures_of(search).retraced == 1) != needle


@pytest.mark.parametrize("length", [1, 2, 3, 50, 129])
def test_bisection_takes_about_as_many_sweeps_as_layers_have_bits(length: int) -> None:
    """Every layer is swept about log2 of the layers times: the sweeps are many, but most are short."""
    graph = chain(length)
    last = length - 1
    kernel = device_kernel(replace(graph, labels={last: 1}))
    with small_pieces(), no_beams():
        search, _ = run(kernel, stop_mask=1)
        assert search.walked == (0, [0] * last)
        assert figures_of(search).retraced <= 2 * length


@pytest.mark.parametrize("beams", [True, False])
def test_random_graphs_of_many_layers(beams: bool) -> None:
    """Long traces over regress edges, in wide and narrow keys, by beams and by bisection."""
    for seed in range(12):
        random = Random(seed)
        graph = random_graph(random, 120, 150, kind=random.choice(("regressing", "columns")))
        far = max(graph.distances().items(), key=lambda one: one[1])[0]
        scale = random.choice((1, 1 << 40))
        progress = tuple((column, layer * scale) for column, layer in graph.progress or ())
        kernel = device_kernel(replace(graph, labels={far: 1}, progress=progress))
        with small_pieces(together=random.choice((0, 5))), nullcontext() if beams else no_beams():
            search, event = run(kernel, stop_mask=1)
            assert event is Event.FOUND
            end = states_on(kernel, search.walked)[-1]
            assert graph_reference(kernel).nodes[end] == far  # type: ignore[attr-defined]
