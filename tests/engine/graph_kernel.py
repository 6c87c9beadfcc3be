"""Explicit graphs in a short notation, as Kernels, and random ones.

A graph determines exactly the work of a search, and its states can have any width and any bits.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection
from dataclasses import dataclass, field, replace
from random import Random

import numpy as np
from support import explicit_graph as explicit
from support import graph_back_end as compiled

from strandline.compile.kernel import Kernel, Reference

State = tuple[int, ...]
_WORD = (1 << 64) - 1


@dataclass(frozen=True, slots=True)
class Graph:
    """Nodes 0, 1, ... with ordered edges; parallel edges count. `progress` is (column, layer) of each node."""

    edges: tuple[tuple[int, ...], ...]
    initial: tuple[int, ...] = (0,)
    progress: tuple[tuple[int, int], ...] | None = None
    labels: dict[int, int] = field(default_factory=dict)
    faults: Collection[int] = ()
    """Nodes at which the successor function faults."""

    def reachable(self) -> set[int]:
        return set(self.distances())

    def distances(self) -> dict[int, int]:
        distance = dict.fromkeys(self.initial, 0)
        waiting = deque(distance)
        while waiting:
            node = waiting.popleft()
            for target in self.edges[node]:
                if target not in distance:
                    distance[target] = distance[node] + 1
                    waiting.append(target)
        return distance


def spread_out(node: int, words: int) -> State:
    """An injective code: one word below 2^63 for one-word states, else words that depend on the node."""
    if words == 1:
        return ((node * 0x9E37_79B9_7F4A_7C15) & ((1 << 63) - 1),)
    return tuple(((node + 1) * (2 * word + 1) * 0xD6E8_FEB8_6659_FD93) & _WORD for word in range(words))


def near_the_top(node: int, words: int) -> State:
    """The largest states there are: 2^63 - 1 downwards in one word, all ones downwards in several."""
    if words == 1:
        return ((1 << 63) - 1 - node,)
    return (*(_WORD,) * (words - 1), _WORD - node)


def last_word_only(node: int, words: int) -> State:
    """States that differ in their last word alone, node 0 being all zeros."""
    return (*(0,) * (words - 1), node)


def graph_kernel(
    graph: Graph,
    words: int = 1,
    code: Callable[[int, int], State] = spread_out,
    falls: Callable[[int, int], bool] | None = None,
) -> Kernel:
    """A Kernel over the graph, whose nodes look as `code` says. With `falls` it is componentwise: that says for two
    nodes whether a component decreases from the one to the other."""
    plain = explicit.Graph.of(
        graph.edges,
        graph.initial,
        labels=graph.labels,
        progress=graph.progress,
        faults={node: (f"fault of {node}", None) for node in graph.faults},
    )
    states = np.array([code(node, words) for node in range(len(graph.edges))], dtype=np.uint64)
    fallen = [] if falls is None else [falls(node, end) for node, ends in enumerate(graph.edges) for end in ends]
    return compiled.graph_kernel(
        replace(
            plain,
            states=states.reshape(-1, words),
            falls=None if falls is None else np.array(fallen, dtype=np.bool_),
        )
    )


def graph_reference(kernel: Kernel) -> compiled.GraphReference:
    """Return the reference of a Kernel that `graph_kernel` made."""
    assert isinstance(kernel.reference, compiled.GraphReference)
    return kernel.reference


def graph_of(reference: Reference) -> Graph:
    """The reachable part of any Kernel as a graph, with its progress; nodes in the order of a breadth-first
    search."""
    states = list(dict.fromkeys(reference.initial()))
    numbers = {state: number for number, state in enumerate(states)}
    edges = []
    for state in states:
        targets = []
        for edge in reference.edges(state):
            assert edge.target is not None, edge.fault
            if edge.target not in numbers:
                numbers[edge.target] = len(states)
                states.append(edge.target)
            targets.append(numbers[edge.target])
        edges.append(tuple(targets))
    initial = tuple(numbers[state] for state in reference.initial())
    return Graph(tuple(edges), initial, tuple(reference.progress(state) for state in states))


def random_graph(random: Random, nodes: int, edges: int, *, kind: str = "plain") -> Graph:
    """A random graph. `kind` says what its progress is:

    `plain` none; `monotone` layers that never fall; `regressing` any layers; `columns` honest columns with any layers;
    `extreme` layers at both ends of 64 bits."""
    targets: list[list[int]] = [[] for _ in range(nodes)]
    for _ in range(edges):
        targets[random.randrange(nodes)].append(random.randrange(nodes))
    initial = tuple(random.randrange(nodes) for _ in range(random.choice((1, 1, 1, 2, 4))))
    if kind == "plain":
        return Graph(tuple(map(tuple, targets)), initial)
    columns, layers = [0] * nodes, [0] * nodes
    if kind == "regressing":
        layers = [random.randint(-4, 4) for _ in range(nodes)]
    elif kind == "extreme":
        layers = [random.choice((-(2**63), 2**63 - 1, 0, -1)) for _ in range(nodes)]
    elif kind == "monotone":
        # Edges lead from a node to one with a number not smaller.
        targets = [[max(node, target) for target in ends] for node, ends in enumerate(targets)]
        layers = [node // 3 - nodes // 6 for node in range(nodes)]
    else:
        assert kind == "columns"
        columns = sorted(random.randint(-3, 3) for _ in range(nodes))
        targets = [[target for target in ends if columns[target] >= columns[node]] for node, ends in enumerate(targets)]
        layers = [random.randint(-2, 2) for _ in range(nodes)]
    return Graph(tuple(map(tuple, targets)), initial, tuple(zip(columns, layers, strict=True)))
