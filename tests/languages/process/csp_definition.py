"""CSP by its definition: compositions of small explicit transition systems, computed operator by operator.

Nothing here knows of rules or Systems: the parallel composition of two graphs is their product, hiding and renaming
walk over all edges. An edge carries who moved, because two components that loop by themselves are two steps.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product

TAU = "tau"

State = tuple[int, ...]
Edge = tuple[State, str, frozenset[str], State]
"""Source, label, names of the components that moved, target."""


@dataclass(frozen=True)
class Leaf:
    """A component: edges (source, label, target) over the states 0, 1, ...; the first is initial."""

    name: str
    states: int
    edges: frozenset[tuple[int, str, int]]
    extra: frozenset[str] = frozenset()

    def text(self) -> str:
        return self.name

    def leaves(self) -> list[Leaf]:
        return [self]


@dataclass(frozen=True)
class Both:
    left: Tree
    right: Tree

    def text(self) -> str:
        return f"({self.left.text()} || {self.right.text()})"

    def leaves(self) -> list[Leaf]:
        return self.left.leaves() + self.right.leaves()


@dataclass(frozen=True)
class Hide:
    body: Tree
    labels: frozenset[str]

    def text(self) -> str:
        return f"({self.body.text()} hide {{{', '.join(sorted(self.labels))}}})"

    def leaves(self) -> list[Leaf]:
        return self.body.leaves()


@dataclass(frozen=True)
class Rename:
    body: Tree
    names: tuple[tuple[str, str], ...]

    def text(self) -> str:
        return f"({self.body.text()} rename {{{', '.join(f'{old} to {new}' for old, new in self.names)}}})"

    def leaves(self) -> list[Leaf]:
        return self.body.leaves()


Tree = Leaf | Both | Hide | Rename


@dataclass(frozen=True)
class Graph:
    """A transition system with vectors as states; all of them, reachable or not."""

    states: tuple[State, ...]
    edges: frozenset[Edge]
    alphabet: frozenset[str]


def graph(tree: Tree) -> Graph:
    """Return the graph of a composition."""
    match tree:
        case Leaf():
            own = frozenset({tree.name})
            edges = frozenset(((source,), label, own, (target,)) for source, label, target in tree.edges)
            alphabet = (frozenset(label for _, label, _ in tree.edges) - {TAU}) | tree.extra
            return Graph(tuple((state,) for state in range(tree.states)), edges, alphabet)
        case Both(left=left, right=right):
            return _parallel(graph(left), graph(right))
        case Hide(body=body, labels=labels):
            return _relabelled(graph(body), dict.fromkeys(labels, TAU))
        case Rename(body=body, names=names):
            return _relabelled(graph(body), dict(names))


def _parallel(left: Graph, right: Graph) -> Graph:
    shared = left.alphabet & right.alphabet
    edges: set[Edge] = set()
    for (source, label, who, target), other in product(left.edges, right.states):
        if label not in shared:
            edges.add((source + other, label, who, target + other))
    for other, (source, label, who, target) in product(left.states, right.edges):
        if label not in shared:
            edges.add((other + source, label, who, other + target))
    for (s, label, who, t), (u, other_label, others, v) in product(left.edges, right.edges):
        if label == other_label and label in shared:
            edges.add((s + u, label, who | others, t + v))
    states = tuple(first + second for first, second in product(left.states, right.states))
    return Graph(states, frozenset(edges), left.alphabet | right.alphabet)


def _relabelled(inner: Graph, names: Mapping[str, str]) -> Graph:
    edges = frozenset((source, names.get(label, label), who, target) for source, label, who, target in inner.edges)
    alphabet = frozenset(names.get(label, label) for label in inner.alphabet) - {TAU}
    return Graph(inner.states, edges, alphabet)


def reachable(tree: Tree) -> tuple[set[State], set[Edge], int]:
    """The reachable states and edges of a composition, and how many of the states have no edge."""
    whole = graph(tree)
    leaving: dict[State, list[Edge]] = {}
    for edge in whole.edges:
        leaving.setdefault(edge[0], []).append(edge)
    initial = (0,) * len(tree.leaves())
    states, waiting, edges = {initial}, [initial], set[Edge]()
    while waiting:
        for edge in leaving.get(waiting.pop(), ()):
            edges.add(edge)
            if edge[3] not in states:
                states.add(edge[3])
                waiting.append(edge[3])
    return states, edges, sum(state not in leaving for state in states)
