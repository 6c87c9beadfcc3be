"""The purpose of a sweep: it deletes states, keeps persistent ones, and stops at a wrong monotone measure."""

from __future__ import annotations

import time

import pytest
from brute_force import sweep
from graph_kernel import Graph, graph_kernel, graph_of, graph_reference, random_graph
from hypothesis import given
from hypothesis import strategies as st
from running import Run, explore, path_to

from strandline.compile.host import compile_system
from strandline.compile.specification import KernelSpecification
from strandline.engine.search import Event
from strandline.model.expression import Binary, Const, Read
from strandline.model.measure import Measure
from strandline.model.system import Action, Assign, Domain, System, Variable
from strandline.model.validate import validate
from strandline.source import Source

CHAIN = 1000


def chain(progress) -> Graph:  # type: ignore[no-untyped-def]
    """0 -> 1 -> ... -> 999, with a progress for each."""
    edges = (*tuple((node + 1,) for node in range(CHAIN - 1)), ())
    return Graph(edges, progress=tuple(progress(node) for node in range(CHAIN)))


def counters(last: int, width: int, step: int = 1) -> System:
    """A clock from 0 to `last`, stepping anywhere, and a counter modulo `width`: their product is reachable."""
    clock, other = Variable("clock", Domain(0, last)), Variable("other", Domain(0, width - 1))
    tick = Action(
        "tick",
        (),
        Binary("<", Read(clock), Const(last)),
        (Assign(Read(clock), Binary("+", Read(clock), Const(step))),),
    )
    turn = Action(
        "turn",
        (),
        None,
        (Assign(Read(other), Binary("mod", Binary("+", Read(other), Const(1)), Const(width))),),
    )
    return validate(System.create("counters", Source("counters", ""), (clock, other), (), (tick, turn)))


@pytest.mark.parametrize("words", [1, 2, 3])
@pytest.mark.parametrize("sign", [(0, 1), (1, 0)], ids=["layers", "columns"])
def test_a_sweep_over_a_chain_remembers_next_to_nothing(words: int, sign: tuple[int, int]) -> None:
    graph = chain(lambda node: (sign[0] * (node // 4 - 100), sign[1] * (node // 4 - 100)))
    figures = explore(graph_kernel(graph, words), "sweep").statistics
    assert figures.visited == CHAIN
    assert figures.peak_states <= 5
    assert figures.layers == CHAIN // 4
    assert (figures.persistent, figures.regress_edges, figures.sweeps) == (0, 0, 1)


def test_a_regress_edge_makes_its_target_persistent() -> None:
    """0 -> 1 -> 2 -> 3 -> 1: when 3 is expanded, 1 is forgotten; it is kept, swept from, and met again."""
    graph = Graph(((1,), (2,), (3,), (1,)), progress=((0, 0), (0, 1), (0, 2), (0, 3)))
    kernel = graph_kernel(graph)
    outcome = explore(kernel, "sweep")
    assert [graph_reference(kernel).nodes[state] for state in outcome.seen] == [0, 1, 2, 3, 1, 2, 3]
    figures = outcome.statistics
    assert (figures.persistent, figures.regress_edges, figures.sweeps) == (1, 2, 2)
    assert path_to(kernel, outcome.links, 4) == [graph_reference(kernel).states[node] for node in (0, 1, 2, 3, 1)]


def test_persistent_states_go_when_the_line_leaves_their_column() -> None:
    """The loop above in ten columns, one after the other. Stored at once are at most the persistent state of one
    column, the first state of the next, and two states of the loop."""
    loop = [
        target for node in range(0, 40, 4) for target in ((node + 1,), (node + 2,), (node + 3,), (node + 1, node + 4))
    ]
    loop[-1] = (37,)
    kernel = graph_kernel(Graph(tuple(loop), progress=tuple((node // 4, node % 4) for node in range(40))))
    figures = explore(kernel, "sweep").statistics
    assert (figures.persistent, figures.sweeps, figures.visited) == (10, 11, 70)
    assert figures.peak_states == 4
    assert figures.stored == 0


@pytest.mark.parametrize("words", [1, 2, 3])
def test_a_lying_column_is_reported_with_its_edge(words: int) -> None:
    """Node 30 has two edges; the second leads to a smaller column."""
    edges = (*tuple((node + 1,) for node in range(30)), (31, 7), ())
    progress = tuple((node // 10, 0) for node in range(32))
    kernel = graph_kernel(Graph(edges, progress=progress), words)
    run = Run(kernel, "sweep")
    assert run.advance().event is Event.COLUMN_DECREASED
    record, step = run.search.regressing_link
    assert path_to(kernel, run.outcome.links, record) == graph_reference(kernel).states[:31]
    assert step == 1


@given(st.randoms(use_true_random=False), st.integers(2, 30))
def test_any_lie_is_found_and_no_other_edge_is_blamed(random, nodes: int) -> None:  # type: ignore[no-untyped-def]
    plain = random_graph(random, nodes, 2 * nodes, kind="plain")
    progress = tuple((random.randint(-3, 3), random.randint(-3, 3)) for _ in range(nodes))
    graph = Graph(plain.edges, plain.initial, progress)
    kernel = graph_kernel(graph)
    run = Run(kernel, "sweep")
    event = run.advance().event
    expected = sweep(graph)
    assert (event is Event.COLUMN_DECREASED) == (expected.liar is not None)
    if event is Event.COLUMN_DECREASED:
        record, step = run.search.regressing_link
        source = path_to(kernel, run.outcome.links, record)[-1]
        target = kernel.reference.edges(source)[step].target
        assert target is not None
        assert kernel.reference.progress(target)[0] < kernel.reference.progress(source)[0]


def test_a_hundred_thousand_layers_of_ten_states_cost_megabytes() -> None:
    system = counters(100_000, 10)
    clock = system.by_name["clock"]
    kernel = compile_system(system, KernelSpecification(measure=Measure(Const(0), Read(clock))))
    Run(kernel, "sweep", collect=False).search.advance(0.0)  # The clock is not to measure the compiler.
    started = time.perf_counter()
    figures = explore(kernel, "sweep", collect=False).statistics
    seconds = time.perf_counter() - started
    assert (figures.visited, figures.layers) == (1_000_010, 100_001)
    assert figures.transitions == 2 * 1_000_010 - 10
    assert figures.peak_states <= 30
    assert figures.peak_bytes < 8 << 20
    assert seconds < 20, "a million states in a hundred thousand layers"


def test_a_hundred_thousand_layers_at_once() -> None:
    """Every layer waits at the same time: all successors of one state, each in a layer of its own."""
    fan = 100_000
    edges = (tuple(range(1, fan + 1)), *(() for _ in range(fan)))
    progress = ((0, 0), *((0, 1 + (node * 7919) % fan) for node in range(fan)))
    kernel = graph_kernel(Graph(edges, progress=progress))
    outcome = explore(kernel, "sweep")
    layers = [kernel.reference.progress(state)[1] for state in outcome.seen]
    assert layers == list(range(fan + 1)), "layers in increasing order"
    assert outcome.statistics.layers == fan + 1
    assert outcome.statistics.peak_bytes < 100 << 20


@pytest.mark.parametrize("direction", [1, -1], ids=["honest", "always regressing"])
@pytest.mark.parametrize("monotone", [False, True], ids=["layers only", "columns too"])
def test_compiled_measures(direction: int, monotone: bool) -> None:
    """Negative values, columns beside layers, and a layer that every step lowers."""
    system = counters(60, 7)
    clock, other = (Read(system.by_name[name]) for name in ("clock", "other"))
    column = Binary("-", clock, Const(1000)) if monotone else Const(-5)
    measure = Measure(column, Binary("*", Binary("+", other, Const(3)), Const(direction * 10**12)))
    kernel = compile_system(system, KernelSpecification(measure=measure))
    outcome = explore(kernel, "sweep")
    assert len(outcome.distinct()) == 61 * 7
    expected, figures = sweep(graph_of(kernel.reference)), outcome.statistics
    assert expected.sweeps > 1
    assert (figures.visited, figures.persistent, figures.regress_edges, figures.sweeps) == (
        len(expected.expanded),
        expected.persistent,
        expected.regress_edges,
        expected.sweeps,
    )


@pytest.mark.parametrize("words", [1, 2, 3])
def test_no_page_lies_outside_of_its_arrays(words: int) -> None:
    """What lies outside is memory that nobody has counted, and that no checkpoint keeps."""
    nodes = 30_000
    edges = (*tuple((node + 1, (node * 7) % nodes) for node in range(nodes - 1)), ())
    run = Run(graph_kernel(Graph(edges, progress=((0, 0),) * nodes), words), "sweep")
    while run.search.advance(0.0) is Event.PAUSED:
        store = run.search._pages.store()
        pages = int(store.shape.pages)
        assert pages <= min(len(store.filled), len(store.following), len(store.first_record))
        assert pages << int(store.shape.page_bits) <= min(len(store.further), len(store.entries) // int(store.entry))
    assert run.search.statistics().visited == nodes
    assert pages > 1000
    run.search.close()
