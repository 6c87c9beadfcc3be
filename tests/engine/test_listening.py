"""Layer turnover is an event: who listens is told of every layer that the line leaves, with its states and labels."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from graph_kernel import graph_kernel, random_graph
from plain import compiled_engine
from running import smallest_arrays

from strandline.compile.kernel import DEADLOCK_BIT


class Layers:
    """An observer that keeps the layers in the order in which the line left them, each with its states."""

    layers = True
    held_words = 0

    def __init__(self) -> None:
        self.finished: list[tuple[tuple[int, int], list[tuple[int, ...]]]] = []
        self.states: list[tuple[int, ...]] = []

    def expanded(self, states: Any) -> None:
        self.states += [tuple(row) for row in states.tolist()]

    def layer_finished(self, column: int, layer: int) -> None:
        self.finished.append(((column, layer), self.states))
        self.states = []


def listened(kernel: Any) -> tuple[Layers, Any]:
    told = Layers()
    engine = compiled_engine()
    search = engine.SweepSearch(kernel, log=lambda links: None, observer=told)
    while (event := search.advance(0.0)) is engine.Event.PAUSED:
        pass
    assert event is engine.Event.DONE
    search.close()
    return told, search


@pytest.mark.parametrize("kind", ["monotone", "regressing", "columns", "extreme"])
@pytest.mark.parametrize("tiny", [False, True])
def test_every_layer_is_told_of_with_its_states(kind: str, tiny: bool) -> None:
    for seed in range(30):
        graph = random_graph(Random(seed), 30, 60, kind=kind)
        kernel = graph_kernel(graph, 1 + seed % 3)
        if tiny:
            with smallest_arrays():
                told, search = listened(kernel)
        else:
            told, search = listened(kernel)
        figures = search.statistics()
        assert told.states == [], "nothing is expanded outside a layer"
        assert len(told.finished) == figures.layers
        assert sum(len(states) for _, states in told.finished) == figures.visited
        for key, states in told.finished:
            assert states, "a layer that the line visits has something to expand"
            for *state, labels, successors in states:
                assert kernel.reference.progress(tuple(state)) == key
                edges = kernel.reference.edges(tuple(state))
                assert successors == len(edges)
                assert labels == kernel.reference.labels(tuple(state))
                assert labels >> DEADLOCK_BIT == (not edges)
        if kind == "monotone":
            keys = [key for key, _ in told.finished]
            assert keys == sorted(set(keys)), "each layer once, in the order of progress"
