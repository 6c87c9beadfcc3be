"""Simulated sweeps over a sample equal those of the engine on the model."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_systems import STOP_AND_WAIT, TWO_LAPS, system_of
from strategies import systems

from strandline.compile.host import compile_system
from strandline.compile.specification import KernelSpecification
from strandline.engine.orders.sweep import SweepSearch
from strandline.engine.search import Event
from strandline.languages import load
from strandline.model.expression import Const, Expression, Read
from strandline.model.measure import Measure
from strandline.model.system import System
from strandline.progress.kernels import order_values
from strandline.progress.sampling import Exploration, Sample
from strandline.progress.simulation import Figures, Ranking, Simulator


def whole_sample(system: System, limit: int = 1_000_000) -> Sample:
    exploration = Exploration(system)
    sample = exploration.prefix(limit)
    exploration.close()
    return sample


def swept(system: System, column: Expression, layer: Expression) -> tuple[int, ...] | None:
    """Peak, visits, persistent states, regress edges and sweeps of the engine; None where it did not finish."""
    kernel = compile_system(system, KernelSpecification((), Measure(column, layer)))
    search = SweepSearch(kernel, log=lambda links: None)
    while (event := search.advance()) is Event.PAUSED:
        pass
    now = search.statistics()
    search.close()
    if event is not Event.DONE:
        return None
    return now.peak_states, now.visited, now.persistent, now.regress_edges, now.sweeps


def simulated(sample: Sample, column: Expression, layer: Expression) -> Figures:
    columns = Ranking.of(sample.values(column))
    return Simulator(sample).sweep(columns.then(Ranking.of(sample.values(layer))), columns)


def figures_of(one: Figures) -> tuple[int, ...]:
    return one.peak_states, one.visited, one.persistent, one.regress_edges, one.sweeps


@pytest.mark.parametrize(
    ("column", "layer"),
    [("0", "received"), ("sent", "0"), ("0", "Noise.lost"), ("sent", "Noise.lost"), ("0", "-received"), ("0", "0")],
)
def test_the_engine_does_the_same(column: str, layer: str) -> None:
    system = load(STOP_AND_WAIT)
    parts = system.scope.parse(column), system.scope.parse(layer)
    assert figures_of(simulated(whole_sample(system), *parts)) == swept(system, *parts)


@settings(max_examples=60)
@given(systems())
def test_the_engine_does_the_same_on_random_systems(system: System) -> None:
    sample = whole_sample(system, 2_000)
    if not sample.whole:
        return
    cells = [one for one in system.variables if one.length is None and abs(one.domain.high) < 1 << 40]
    for variable in cells[:4]:
        expected = swept(system, Const(0), Read(variable))
        if expected is not None:
            assert figures_of(simulated(sample, Const(0), Read(variable))) == expected


def test_a_sweep_that_costs_too_much_is_given_up_and_leaves_no_traces(tmp_path: Path) -> None:
    sample = whole_sample(system_of(TWO_LAPS, tmp_path))
    simulator = Simulator(sample)
    ranking = Ranking.of(np.zeros(sample.count, dtype=np.int64))
    first = simulator.sweep(ranking)
    assert first.finished
    assert not simulator.sweep(ranking, most=0.01).finished
    assert simulator.sweep(ranking) == first
    assert (first.peak, first.visits, first.score) == (1.0, 1.0, 1.0)


@given(st.lists(st.tuples(st.integers(-3, 3), st.integers(-(2**40), 2**40)), min_size=1, max_size=40))
def test_rankings_are_lexicographic(pairs: list[tuple[int, int]]) -> None:
    first, second = (np.array(part, dtype=np.int64) for part in zip(*pairs, strict=True))
    ranking = Ranking.of(first).then(Ranking.of(second))
    order = sorted(set(pairs))
    assert ranking.ranks.tolist() == [order.index(pair) for pair in pairs]
    assert ranking.count == len(order)


def test_edges_of_a_sample_are_those_of_the_model(tmp_path: Path) -> None:
    system = system_of(TWO_LAPS, tmp_path)
    sample = whole_sample(system)
    assert sample.whole
    assert (sample.count, len(sample.targets)) == (36, 59)
    reference = sample.kernel.reference
    pack_terms = [tuple(int(word) for word in state) for state in sample.states]
    for number, state in enumerate(pack_terms):
        edges = sample.targets[sample.offsets[number] : sample.offsets[number + 1]]
        assert [pack_terms[target] for target in edges] == [edge.target for edge in reference.edges(state)]


def test_a_prefix_leaves_out_edges_that_lead_outside(tmp_path: Path) -> None:
    sample = whole_sample(system_of(TWO_LAPS, tmp_path), 5)
    assert (sample.whole, sample.count) == (False, 5)
    assert sample.targets.min() == -1
    assert sample.targets.max() <= 4


def test_walks_are_steps_of_the_model_and_the_same_every_time(tmp_path: Path) -> None:
    system = system_of(TWO_LAPS, tmp_path)
    exploration = Exploration(system)
    walked, linked = exploration.walks()
    again, _ = exploration.walks()
    exploration.close()
    assert np.array_equal(walked.states, again.states)
    reference = exploration.kernel.reference
    for number in linked[:200].tolist():
        here, there = (tuple(int(word) for word in walked.states[one]) for one in (number, number + 1))
        assert there in [edge.target for edge in reference.edges(here)]
    last = walked.cell(system.by_name["lap"]).max()
    assert last == 2, "walks come to the end of the model"


def test_values_are_ordered_along_the_edges() -> None:
    weights = np.array([[0, 0, 5, 0], [3, 0, 0, 0], [0, 0, 0, 7], [0, 1, 0, 0]], dtype=np.int64)
    order = np.arange(4)
    order_values(weights, order)
    assert order.tolist() == [1, 0, 2, 3], "only the one edge from 3 to 1 goes against it"
