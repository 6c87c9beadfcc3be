"""A graph to be drawn: the texts of its nodes and edges."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Node:
    """`lines` of text; an initial node has an arrow that enters it, a marked one two rims."""

    lines: tuple[str, ...]
    initial: bool = False
    marked: bool = False


@dataclass(frozen=True, slots=True)
class Edge:
    """From node to node, by their places."""

    source: int
    target: int
    lines: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Graph:
    """Nodes by their places, and edges between them."""

    title: str
    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...] = field(default=())

    @property
    def joined(self) -> Graph:
        """Return the graph with one edge between two nodes, which has the labels of all of them."""
        lines: dict[tuple[int, int], list[str]] = {}
        for edge in self.edges:
            told = lines.setdefault((edge.source, edge.target), [])
            told += [line for line in edge.lines if line not in told]
        edges = tuple(Edge(source, target, tuple(told)) for (source, target), told in lines.items())
        return Graph(self.title, self.nodes, edges)
