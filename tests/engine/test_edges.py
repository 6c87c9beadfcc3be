"""An edge observer is notified of every record once, with the records of its successors: a bisimilar graph."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any

import pytest
from graph_kernel import graph_kernel, random_graph
from plain import compiled_engine
from running import smallest_arrays

State = tuple[int, ...]


class Edges:
    layers = False
    held_words = 0

    def __init__(self, initial: int) -> None:
        self.states: dict[int, State] = {}
        self.targets: list[int] = []
        self.degrees: list[tuple[int, int]] = []
        self.initial = initial
        self._told: list[tuple[int, ...]] = []

    def expanded(self, states: Any) -> None:
        self._told = [tuple(row) for row in states.tolist()]

    def layer_finished(self, column: int, layer: int) -> None:
        return None

    def edges(self, sources: Any, targets: Any) -> None:
        for record, (*state, _, degree) in zip(sources.tolist(), self._told, strict=True):
            assert record not in self.states, "a record is expanded once"
            self.states[record] = tuple(state)
            self.degrees.append((record, degree))
        self._told = []
        self.targets += targets.tolist()

    def successors(self) -> dict[int, list[int]]:
        found, at = {}, self.initial
        for record, degree in self.degrees:
            found[record] = self.targets[at : at + degree]
            at += degree
        assert at == len(self.targets)
        return found


@pytest.mark.parametrize("tiny", [False, True])
@pytest.mark.parametrize("kind", [None, "monotone", "regressing", "columns"])
def test_records_and_edges_are_bisimilar_to_the_states(kind: str | None, tiny: bool) -> None:
    engine = compiled_engine()
    for seed in range(25):
        graph = random_graph(Random(seed), 30, 70, kind=kind or "monotone")
        kernel = graph_kernel(graph if kind else replace(graph, progress=None), 1 + seed % 3)
        told = Edges(len(kernel.initial))

        def run(kernel: Any = kernel, told: Edges = told) -> None:
            search_kind = engine.SweepSearch if kernel.measured else engine.BreadthFirstSearch
            search = search_kind(kernel, log=lambda links: None, observer=told)
            while (event := search.advance(0.0)) is engine.Event.PAUSED:
                pass
            assert event is engine.Event.DONE
            search.close()

        if tiny:
            with smallest_arrays():
                run()
        else:
            run()
        initial = [told.states[record] for record in told.targets[: told.initial]]
        assert initial == [tuple(row) for row in kernel.initial.tolist()]
        for record, targets in told.successors().items():
            edges = kernel.reference.edges(told.states[record])
            assert [told.states[target] for target in targets] == [edge.target for edge in edges]
