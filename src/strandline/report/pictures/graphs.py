"""A graph to be drawn: nodes and edges with their lines of text."""

from __future__ import annotations

from dataclasses import dataclass, field, replace


@dataclass(frozen=True, slots=True)
class Node:
    """A node with `lines` of text; an arrow enters an initial node, a marked node has two rims."""

    lines: tuple[str, ...]
    initial: bool = False
    marked: bool = False
    tooltip: str = ""


@dataclass(frozen=True, slots=True)
class Edge:
    """An edge between two nodes, given by their indices."""

    source: int
    target: int
    lines: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Graph:
    """A graph: nodes, and edges between their indices. With `round_nodes`, nodes are circles, as those of automata."""

    title: str
    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...] = field(default=())
    round_nodes: bool = False

    @property
    def with_joined_edges(self) -> Graph:
        """Return the graph with parallel edges joined to one, which has the labels of all of them."""
        lines: dict[tuple[int, int], list[str]] = {}
        for edge in self.edges:
            texts = lines.setdefault((edge.source, edge.target), [])
            texts += [line for line in edge.lines if line not in texts]
        edges = tuple(Edge(source, target, tuple(texts)) for (source, target), texts in lines.items())
        return replace(self, edges=edges)
