"""001's Definition 4: a sweep keeps no state behind the line that the method would delete.

At any step, every state in memory is the target of a regress edge that was met, or makes at least as much progress as
the state of least progress that is still to be processed. (The edges that the definition speaks of connect states in
memory; the source of a regress edge is deleted long before its target, so here it is every edge met so far.) With
columns the same holds inside a column, and nothing at all of an earlier column is kept (002 §3).
"""

from __future__ import annotations

from collections import deque
from random import Random
from typing import Any

import pytest
from graph_kernel import graph_kernel, graph_reference, random_graph
from hypothesis import given, settings
from hypothesis import strategies as st
from partial_orders import Composed, random_composed
from plain import plain_engine
from running import Run, smallest_arrays
from storing import step_by_step, stored_states

from strandline.engine.runtime.codes import CONTINUE, NONE
from strandline.engine.search import Event

KINDS = ("monotone", "regressing", "columns", "extreme")


class Observer:
    """Looks at a search after each slice."""

    def __init__(self, edges: Any, regresses: Any) -> None:
        self.edges, self.regresses = edges, regresses
        self.slices = 0

    def check(self, run: Run) -> None:
        """Fail where the definition does not hold now. Roots of the next sweep, which lie behind the line, are not in
        the queue of this one."""
        nodes = graph_reference(run.kernel).nodes
        stored = stored_states(run.search)
        assert len({one.state for one in stored}) == len(stored) == run.search.statistics().stored
        met = {
            target
            for state in run.outcome.seen
            for target in self.edges[nodes[state]]
            if self.regresses(nodes[state], target)
        }
        line = run.search.line
        waiting = [one for one in stored if not one.expanded]
        queue = [one.progress for one in waiting if not one.persistent or one.progress >= line]
        if run.search._layers.line.row != NONE:
            # The layer in which the line stands is being processed until the line moves on.
            queue.append(line)
        least = min(queue, default=None)
        for one in stored:
            assert one.progress == run.kernel.reference.progress(one.state), "in its layer"
            behind = least is None or one.progress < least
            assert not behind or nodes[one.state] in met, f"{nodes[one.state]} is kept behind the line {least}"
            assert not behind or one.persistent
            if least is not None and not one.persistent:
                assert one.progress[0] >= least[0]
        self.slices += 1

    def check_columns(self, run: Run) -> None:
        """Nothing of a column that was left."""
        if run.search._layers.line.row != NONE:
            column = run.search.line[0]
            assert all(one.progress[0] >= column for one in stored_states(run.search))


def behind(graph: Any) -> Any:
    """Whether an edge of a graph with total progress regresses."""
    progress = graph.progress
    return lambda source, target: (
        progress[source][0] == progress[target][0] and progress[source][1] > progress[target][1]
    )


@given(st.randoms(use_true_random=False), st.integers(1, 25), st.floats(0.5, 3.0), st.sampled_from(KINDS))
@settings(max_examples=60)
def test_after_every_expansion(random: Random, nodes: int, density: float, kind: str) -> None:
    graph = random_graph(random, nodes, int(nodes * density), kind=kind)
    observer = Observer(graph.edges, behind(graph))
    for run in step_by_step(graph_kernel(graph)):
        observer.check(run)
        observer.check_columns(run)
    assert observer.slices >= len(graph.reachable())


@given(st.randoms(use_true_random=False), st.integers(1, 60), st.floats(0.5, 3.0), st.sampled_from(KINDS))
@settings(max_examples=150)
def test_whenever_the_compiled_search_stands_still(random: Random, nodes: int, density: float, kind: str) -> None:
    """With arrays that are always too small it stands still in the middle of insertions, too."""
    graph = random_graph(random, nodes, int(nodes * density), kind=kind)
    observer = Observer(graph.edges, behind(graph))
    with smallest_arrays():
        run = Run(graph_kernel(graph, 2), "sweep")
        run.search._budget = 1
        while run.search.advance(0.0) is Event.PAUSED:
            observer.check(run)
            observer.check_columns(run)
            run.search._budget = 1
    assert observer.slices > 0


@given(st.randoms(use_true_random=False), st.integers(1, 20), st.floats(0.5, 3.0))
@settings(max_examples=60)
def test_componentwise_after_every_expansion(random: Random, nodes: int, density: float) -> None:
    """Persistent states may lie ahead of the line, and those behind it are targets of edges that do not go up."""
    system: Composed = random_composed(random, nodes, int(nodes * density))
    observer = Observer(
        system.edges,
        lambda source, target: system.monotone[source] == system.monotone[target] and system.falls(source, target),
    )
    for run in step_by_step(system.kernel()):
        observer.check(run)
        observer.check_columns(run)


def test_the_observer_notices_what_should_be_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    """A sweep that forgets nothing when the line leaves a layer does not comply."""
    graph = random_graph(Random(3), 20, 40, kind="monotone")
    observer = Observer(graph.edges, behind(graph))

    def leave_all(layers: Any, store: Any, counts: Any) -> int:
        layers.line.row = NONE
        return CONTINUE

    monkeypatch.setattr(plain_engine().modules["parts.line_kernel"], "leave_layer", leave_all)
    runs = step_by_step(graph_kernel(graph))
    with pytest.raises(AssertionError, match="is kept behind the line"):
        deque(map(observer.check, runs), maxlen=0)
