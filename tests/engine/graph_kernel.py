"""Explicit graphs as Kernels, and what a search over them must find, by brute force.

The successors come from a Python callback: slow, but a graph says exactly what a search has to do, and its states can
have any width and any bits.
"""

from __future__ import annotations

import ctypes
from collections import deque
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from random import Random

import numpy as np

from strandline.compile.kernel import DEADLOCK_BIT, Edge, FaultSite, Kernel, Twin

State = tuple[int, ...]
_WORD = (1 << 64) - 1
_FUNCTION = ctypes.CFUNCTYPE(
    ctypes.c_int64,
    ctypes.POINTER(ctypes.c_uint64),
    ctypes.POINTER(ctypes.c_uint64),
    ctypes.c_int64,
    ctypes.POINTER(ctypes.c_uint64),
)


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


class GraphTwin:
    """The Twin of a graph Kernel."""

    def __init__(self, graph: Graph, words: int, code: Callable[[int, int], State]) -> None:
        self.graph = graph
        self.states = [code(node, words) for node in range(len(graph.edges))]
        self.nodes = {state: node for node, state in enumerate(self.states)}
        assert len(self.nodes) == len(self.states), "the code of nodes is not injective"

    def initial(self) -> Sequence[State]:
        return [self.states[node] for node in self.graph.initial]

    def edges(self, state: State) -> Sequence[Edge]:
        node = self.nodes[state]
        if node in self.graph.faults:
            return [Edge("fault", None, FaultSite(f"fault of {node}", None))]
        return [Edge(str(target), self.states[target]) for target in self.graph.edges[node]]

    def labels(self, state: State) -> int:
        node = self.nodes[state]
        return self.graph.labels.get(node, 0) | (not self.graph.edges[node]) << DEADLOCK_BIT

    def progress(self, state: State) -> tuple[int, int]:
        return (0, 0) if self.graph.progress is None else self.graph.progress[self.nodes[state]]

    def describe(self, state: State) -> dict[str, str]:
        return {"node": str(self.nodes[state])}


def graph_kernel(
    graph: Graph,
    words: int = 1,
    code: Callable[[int, int], State] = spread_out,
    falls: Callable[[int, int], bool] | None = None,
) -> Kernel:
    """A Kernel over the graph; the fault site of a faulting node is its number. With `falls` it is componentwise:
    that says for two nodes whether a component decreases from the one to the other."""
    twin = GraphTwin(graph, words, code)
    rows = [
        [
            (*twin.states[target], *_progress_words(graph, target), *(() if falls is None else (falls(node, target),)))
            for target in targets
        ]
        for node, targets in enumerate(graph.edges)
    ]

    def successors(state, records, capacity, labels):  # type: ignore[no-untyped-def]
        packed = tuple(state[word] for word in range(words))
        node = twin.nodes[packed]
        labels[0] = twin.labels(packed)
        if node in graph.faults:
            return -1 - node
        for number, row in enumerate(rows[node][:capacity]):
            for offset, word in enumerate(row):
                records[number * len(row) + offset] = word
        return len(rows[node])

    function = _FUNCTION(successors)
    address = ctypes.cast(function, ctypes.c_void_p).value
    assert address is not None
    progress = [graph.progress[node] if graph.progress else (0, 0) for node in graph.initial]
    return Kernel(
        words=words,
        measured=graph.progress is not None,
        successors=address,
        initial=np.array(twin.initial(), dtype=np.uint64).reshape(-1, words),
        initial_progress=np.array(progress, dtype=np.int64).reshape(-1, 2),
        fault_sites=[FaultSite(f"fault of {node}", None) for node in range(len(graph.edges))],
        twin=twin,
        compile_seconds=0.0,
        keep_alive=function,
        componentwise=falls is not None,
    )


def _progress_words(graph: Graph, node: int) -> State:
    return () if graph.progress is None else tuple(value & _WORD for value in graph.progress[node])


def graph_of(twin: Twin) -> Graph:
    """The reachable part of any Kernel as a graph, with its progress; nodes in the order of a breadth-first
    search."""
    states = list(dict.fromkeys(twin.initial()))
    numbers = {state: number for number, state in enumerate(states)}
    edges = []
    for state in states:
        targets = []
        for edge in twin.edges(state):
            assert edge.target is not None, edge.fault
            if edge.target not in numbers:
                numbers[edge.target] = len(states)
                states.append(edge.target)
            targets.append(numbers[edge.target])
        edges.append(tuple(targets))
    initial = tuple(numbers[state] for state in twin.initial())
    return Graph(tuple(edges), initial, tuple(twin.progress(state) for state in states))


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
