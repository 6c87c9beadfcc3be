"""Graphs with accepting states, the expected answers of searches for accepting cycles, and a judge of their lassos."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from random import Random
from typing import Any

from graph_kernel import Graph, random_graph
from running import path_to
from support.graph_back_end import GraphReference

from strandline.engine.search import Event


def components(graph: Graph) -> list[set[int]]:
    """The strongly connected components of the reachable part, by reachability both ways."""
    reached = {node: _closure(graph, graph.edges[node]) for node in graph.reachable()}
    found: list[set[int]] = []
    for node in sorted(reached):
        if not any(node in component for component in found):
            found.append({node} | {other for other in reached[node] if node in reached[other]})
    return found


def _closure(graph: Graph, start: Iterable[int]) -> set[int]:
    seen, waiting = set(start), list(start)
    while waiting:
        for target in graph.edges[waiting.pop()]:
            if target not in seen:
                seen.add(target)
                waiting.append(target)
    return seen


def accepting_components(graph: Graph, accepting: int) -> list[set[int]]:
    """Components with an edge inside and a state of every acceptance set."""
    found = []
    for component in components(graph):
        sets = 0
        for node in component:
            sets |= graph.labels.get(node, 0) & accepting
        if sets == accepting and any(target in component for node in component for target in graph.edges[node]):
            found.append(component)
    return found


def accepting_graph(random: Random, kind: str, *, nodes: int = 12, sets: int = 1, density: float = 0.2) -> Graph:
    """A random graph some of whose nodes accept."""
    graph = random_graph(random, nodes, random.randint(nodes // 2, 2 * nodes), kind=kind)
    labels = {
        node: sum((random.random() < density) << number for number in range(sets)) for node in range(len(graph.edges))
    }
    return replace(graph, labels=labels)


def judge(search: Any, links: list[int], accepting: int) -> tuple[list[int], list[int]]:
    """Stem and loop of the cycle that a search reports, as nodes, after checking that they are one."""
    reference = search.kernel.reference
    assert isinstance(reference, GraphReference)
    cycle = search.cycle
    stem = path_to(search.kernel, links, cycle.record)
    assert stem[0] in reference.initial()
    states, sets = [stem[-1]], 0
    for step in cycle.steps:
        sets |= reference.labels(states[-1])
        target = reference.edges(states[-1])[step].target
        assert target is not None
        states.append(target)
    assert cycle.steps, "a loop has at least one step"
    assert states[-1] == states[0], "the loop is not closed"
    assert sets & accepting == accepting, "the loop does not accept"
    return [reference.nodes[state] for state in stem], [reference.nodes[state] for state in states[:-1]]


def run_to_end(search: Any, slices: float = 0.05) -> Event:
    """Advance until something other than a pause happens. The engine as plain Python has events of its own."""
    while (event := search.advance(slices)).name == Event.PAUSED.name:
        pass
    assert isinstance(event, Event) or event.name
    return event
