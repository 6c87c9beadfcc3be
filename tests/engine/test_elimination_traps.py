"""Elimination as it must not be written: plain versions that miss cycles, and graphs that show it.

A round that is one sweep, or that does not go on through persistent states whose value rises, loses members that
lie on a cycle.
"""

from __future__ import annotations

import heapq
from random import Random

import pytest
from accepting import accepting_components, accepting_graph
from graph_kernel import Graph
from test_sweep_cycles import sweep


def multi_layer_cycle(graph: Graph, *, one_sweep: bool = False, stop_at_persistent: bool = False) -> bool:
    """Whether elimination keeps members; right with neither flag. Members are all targets of regress edges."""
    assert graph.progress is not None
    progress = graph.progress
    reachable = graph.reachable()
    persistent = {
        target for node in reachable for target in graph.edges[node] if progress[target] < progress[node]
    }  # fmt: skip
    members = set(persistent)
    while members:
        kept = _round(graph, persistent, members, one_sweep, stop_at_persistent)
        if kept == members:
            return True
        members = kept
    return False


def _round(graph: Graph, persistent: set[int], members: set[int], one_sweep: bool, stop: bool) -> set[int]:
    assert graph.progress is not None
    values = dict.fromkeys(members, 1)
    hits: dict[int, int] = {}
    roots = set(members)
    while roots:
        waiting = [(graph.progress[node], node) for node in roots]
        heapq.heapify(waiting)
        roots = set()
        while waiting:
            layer, node = heapq.heappop(waiting)
            passed = 2 if graph.labels.get(node, 0) else values[node]
            for target in graph.edges[node]:
                hits[target] = max(hits.get(target, 0), passed)
                if values.get(target, 0) >= passed or (stop and target in persistent):
                    continue
                values[target] = passed
                if graph.progress[target] < layer:
                    roots.add(target)
                else:
                    heapq.heappush(waiting, (graph.progress[target], target))
        if one_sweep:
            break
    return {member for member in members if hits.get(member, 0) == 2}


def _multi_layer(graph: Graph) -> bool:
    """Whether an accepting cycle exists that is no cycle of one layer."""
    assert graph.progress is not None
    progress = graph.progress
    inside = Graph(
        tuple(
            tuple(target for target in targets if progress[target] == progress[node])
            for node, targets in enumerate(graph.edges)
        ),
        tuple(graph.reachable()),
        progress,
        graph.labels,
    )
    return bool(accepting_components(graph, 1)) and not accepting_components(inside, 1)


@pytest.mark.parametrize("flag", ["one_sweep", "stop_at_persistent"])
def test_the_trap_exists_and_ours_does_not_fall_into_it(flag: str) -> None:
    fallen = 0
    for seed in range(3000):
        graph = accepting_graph(Random(seed), "regressing", nodes=8, density=0.2)
        if not _multi_layer(graph):
            continue
        assert multi_layer_cycle(graph), f"the right version, seed {seed}"
        if not multi_layer_cycle(graph, **{flag: True}):
            fallen += 1
            assert sweep(graph, probes=False)[0], f"seed {seed}"
    assert fallen >= 3


def test_one_sweep_a_round_is_not_enough() -> None:
    """Two regress edges in a row: the value that state 1 passes back to 2 comes behind the line, and only a second
    sweep of the same round brings it on to 0 and back to 1."""
    graph = Graph(((1,), (2,), (0,)), (2,), ((0, 3), (0, 1), (0, 0)), labels={1: 1})
    assert multi_layer_cycle(graph)
    assert not multi_layer_cycle(graph, one_sweep=True)
    assert sweep(graph, probes=False)[0]
