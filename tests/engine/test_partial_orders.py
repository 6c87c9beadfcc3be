"""Progress that is only partially ordered: the literal reading of 002, and the linear one beside it."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from brute_force import sweep
from graph_kernel import graph_kernel, graph_reference
from hypothesis import given, settings
from hypothesis import strategies as st
from partial_orders import Composed, CompositionalSweep, random_composed, theorem_2
from plain import plain_engine
from running import Run, explore, path_to, smallest_arrays
from test_resuming import same

WIDTHS = (1, 2, 3)

systems = st.builds(
    lambda random, nodes, density: random_composed(random, nodes, int(nodes * density)),
    st.randoms(use_true_random=False),
    st.integers(1, 30),
    st.floats(0.5, 4.0),
)


def linear(system: Composed) -> Composed:
    """The same system with the linear extension for its order."""
    progress = system.graph().progress or ()
    columns, layers = (tuple((key[place],) for key in progress) for place in (0, 1))
    return Composed(system.edges, columns, layers, system.initial)


@given(systems, st.sampled_from(WIDTHS))
@settings(max_examples=400)
def test_componentwise_is_figure_5(system: Composed, words: int) -> None:
    """The same states, explored as often, as many persistent ones, the same peak."""
    kernel = system.kernel(words)
    outcome = explore(kernel, "sweep")
    expected, figures = CompositionalSweep(system).figures, outcome.statistics
    assert {graph_reference(kernel).nodes[state] for state in outcome.seen} == system.graph().reachable()
    assert sorted(graph_reference(kernel).nodes[state] for state in outcome.seen) == sorted(expected.explored)
    assert figures.visited == len(expected.explored)
    assert figures.persistent == len(expected.persistent)
    assert figures.regress_edges == expected.regress_edges
    assert figures.sweeps == expected.sweeps
    assert figures.peak_states == expected.peak
    assert figures.stored == 0


@given(systems)
@settings(max_examples=400)
def test_the_bound_of_theorem_2(system: Composed) -> None:
    """For the literal order, and for its linear extension, of which fewer edges regress."""
    bound = theorem_2(system)
    literal, total = explore(system.kernel(), "sweep"), explore(graph_kernel(system.graph()), "sweep")
    assert literal.statistics.visited <= bound
    assert total.statistics.visited <= theorem_2(linear(system)) <= bound
    assert literal.distinct() == total.distinct()


def test_the_bound_is_reached() -> None:
    """A ring with one regress edge, entered at its lowest state: everything is explored twice."""
    ring = Composed(((1,), (2,), (0,)), ((),) * 3, ((0,), (1,), (2,)))
    assert theorem_2(ring) == explore(ring.kernel(), "sweep").statistics.visited == 6


def test_a_regress_edge_may_lead_ahead_of_the_line() -> None:
    """(0, 1) -> (1, 0) is no progress in the product order, although the first component counts most. The target
    waits for the next sweep, also when its layer is passed in this one."""
    system = Composed(
        edges=((1, 2), (3,), (4,), (), ()),
        monotone=((),) * 5,
        falling=((0, 0), (0, 1), (1, 0), (1, 0), (2, 2)),
    )
    kernel = system.kernel()
    outcome = explore(kernel, "sweep")
    assert [graph_reference(kernel).nodes[state] for state in outcome.seen] == [0, 1, 2, 4, 3]
    figures = outcome.statistics
    assert (figures.persistent, figures.regress_edges, figures.sweeps) == (1, 1, 2)
    total = explore(graph_kernel(system.graph()), "sweep").statistics
    assert (total.persistent, total.regress_edges, total.sweeps, total.visited) == (0, 0, 1, 5)


def test_a_state_that_waits_does_not_become_persistent() -> None:
    """002's Figure 5, line 9: 3 is stored already when the regress edge 1 -> 3 is met."""
    system = Composed(
        edges=((3, 1), (3,), (), ()),
        monotone=((),) * 4,
        falling=((0, 0), (0, 1), (0, 0), (1, 0)),
    )
    figures = explore(system.kernel(), "sweep").statistics
    assert (figures.persistent, figures.regress_edges, figures.sweeps, figures.visited) == (0, 1, 1, 3)


@given(systems)
@settings(max_examples=100)
def test_records_lead_to_states(system: Composed) -> None:
    kernel = system.kernel(2)
    outcome = explore(kernel, "sweep")
    for record in range(len(outcome.links)):
        path = path_to(kernel, outcome.links, record)
        assert path[0] in kernel.reference.initial()
        assert graph_reference(kernel).nodes[path[-1]] in system.graph().reachable()


@given(systems, st.sampled_from(WIDTHS))
@settings(max_examples=100)
def test_tiny_arrays_and_budgets_change_nothing(system: Composed, words: int) -> None:
    kernel = system.kernel(words)
    usual = explore(kernel, "sweep")
    with smallest_arrays():
        run = Run(kernel, "sweep")
        run.search._budget = 1
        tiny = run.advance(0.0)
        run.search.close()
    same(tiny, usual)


@pytest.mark.parametrize("words", WIDTHS)
def test_plain_python_does_the_same(words: int) -> None:
    for seed in range(8):
        kernel = random_composed(Random(seed), 25, 60).kernel(words)
        with np.errstate(over="ignore"):
            plain = explore(kernel, "sweep", engine=plain_engine())
        same(plain, explore(kernel, "sweep"))


@given(systems)
@settings(max_examples=100)
def test_the_plain_method_is_the_linear_reading(system: Composed) -> None:
    """Figure 5 over totally ordered layers is what `brute_force.sweep` does."""
    graph = system.graph()
    figures, expected = CompositionalSweep(linear(system)).figures, sweep(graph)
    assert sorted(figures.explored) == sorted(expected.expanded)
    assert (len(figures.persistent), figures.regress_edges, figures.sweeps) == (
        expected.persistent,
        expected.regress_edges,
        expected.sweeps,
    )
