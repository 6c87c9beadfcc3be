"""Graphs whose nodes carry vectors of progress, and 002's Figure 5 over them, word for word."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from random import Random

from graph_kernel import Graph, graph_kernel

from strandline.compile.kernel import Kernel

Vector = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Composed:
    """A graph with two vectors for each node: monotone components, and those that may fall."""

    edges: tuple[tuple[int, ...], ...]
    monotone: tuple[Vector, ...]
    falling: tuple[Vector, ...]
    initial: tuple[int, ...] = (0,)

    def graph(self) -> Graph:
        """The same with columns and layers: positions in the lexicographic order, a linear extension."""
        columns, layers = (sorted(set(vectors)) for vectors in (self.monotone, self.falling))
        progress = tuple(
            (columns.index(self.monotone[node]) - 2, layers.index(self.falling[node]) - 3)
            for node in range(len(self.edges))
        )
        return Graph(self.edges, self.initial, progress)

    def falls(self, source: int, target: int) -> bool:
        return not below(self.falling[source], self.falling[target])

    def kernel(self, words: int = 1) -> Kernel:
        return graph_kernel(self.graph(), words, falls=self.falls)


def below(lower: Vector, upper: Vector) -> bool:
    """The componentwise order of 002's Definition 4."""
    return all(one <= other for one, other in zip(lower, upper, strict=True))


def random_composed(random: Random, nodes: int, edges: int) -> Composed:
    """Random vectors; edges along which a monotone component would fall are left out."""
    sizes = random.randint(0, 2), random.randint(1, 3)
    monotone, falling = (
        tuple(tuple(random.randint(0, 2) for _ in range(size)) for _ in range(nodes)) for size in sizes
    )
    targets: list[list[int]] = [[] for _ in range(nodes)]
    for _ in range(edges):
        source, target = random.randrange(nodes), random.randrange(nodes)
        if below(monotone[source], monotone[target]):
            targets[source].append(target)
    initial = tuple(random.randrange(nodes) for _ in range(random.choice((1, 1, 2))))
    return Composed(tuple(map(tuple, targets)), monotone, falling, initial)


@dataclass(slots=True)
class Figures:
    """The counts of an exploration by Figure 5."""

    explored: list[int] = field(default_factory=list)
    persistent: list[int] = field(default_factory=list)
    """In the order in which they were marked."""
    regress_edges: int = 0
    sweeps: int = 1
    peak: int = 0
    stored: dict[tuple[int, int], int] = field(default_factory=dict)
    """For every layer, how many states were stored at most while the line stood there."""
    passed_again: Counter[tuple[int, int]] = field(default_factory=Counter)
    """For every layer, the explorations there when the line had passed it before."""


class CompositionalSweep:
    """SWEEP and COLUMNSWEEP of 002, Figure 5. Where the algorithm may choose, it takes the state that is first in the
    linear extension; persistent ones before others, and else the one that was found first."""

    def __init__(self, system: Composed) -> None:
        self.system, self.figures = system, Figures()
        self.progress = system.graph().progress or ()
        self.global_unprocessed = list(dict.fromkeys(system.initial))
        self.nodes = set(self.global_unprocessed)
        self.persistent: set[int] = set()
        self._note_peak()
        while self.global_unprocessed:
            column = min(self.progress[node][0] for node in self.global_unprocessed)
            roots = [node for node in self.global_unprocessed if self.progress[node][0] == column]
            self.global_unprocessed = [node for node in self.global_unprocessed if node not in roots]
            self._column_sweep(roots)
            self.nodes -= self.persistent
            self.persistent = set()

    def _note_peak(self) -> None:
        self.figures.peak = max(self.figures.peak, len(self.nodes))

    def _column_sweep(self, roots: list[int]) -> None:
        system = self.system
        while roots:
            unprocessed, roots = roots, []
            before = set(self.figures.stored)
            while unprocessed:
                node = min(unprocessed, key=lambda one: (self.progress[one][1], one not in self.persistent))
                unprocessed.remove(node)
                self.figures.explored.append(node)
                for target in system.edges[node]:
                    self._process_top(node, target, unprocessed, roots)
                self._note_peak()
                layer = self.progress[node]
                self.figures.stored[layer] = max(self.figures.stored.get(layer, 0), len(self.nodes))
                self.figures.passed_again[layer] += layer in before
                falling = system.falling
                kept = {one for one in self.nodes if any(below(falling[other], falling[one]) for other in unprocessed)}
                kept = {one for one in kept if self.progress[one][0] == self.progress[node][0]}
                self.nodes = kept | self.persistent | set(self.global_unprocessed)
            self.figures.sweeps += bool(roots)

    def _process_top(self, node: int, target: int, unprocessed: list[int], roots: list[int]) -> None:
        system = self.system
        inside = system.monotone[node] == system.monotone[target]
        self.figures.regress_edges += inside and system.falls(node, target)
        if target in self.nodes:
            return
        self.nodes.add(target)
        if not inside:
            self.global_unprocessed.append(target)
        elif system.falls(node, target):
            self.persistent.add(target)
            self.figures.persistent.append(target)
            roots.append(target)
        else:
            unprocessed.append(target)


def theorem_2(system: Composed) -> int:
    """The most states that may be explored: the sum, over all columns C, of (|B(C)| + 1) |C|, where B(C) are the
    targets of regress edges inside the column."""
    reachable = system.graph().reachable()
    total = 0
    for column in {system.monotone[node] for node in reachable}:
        members = {node for node in reachable if system.monotone[node] == column}
        inside = [(node, target) for node in members for target in system.edges[node] if target in members]
        targets = {target for node, target in inside if system.falls(node, target)}
        total += (len(targets) + 1) * len(members)
    return total
