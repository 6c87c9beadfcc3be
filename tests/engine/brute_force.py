"""The sweep-line method written down plainly over an explicit graph, as a judge of the engine's figures.

001 §2.2 with columns as in 002: everything in the lowest column first; inside it layer by layer; a regress edge makes
its target persistent and a root of the column's next sweep; a column that is left is forgotten whole.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field

from graph_kernel import Graph

Waiting = defaultdict[int, dict[int, None]]


@dataclass(slots=True)
class Sweep:
    """Figures of a sweep; `expanded` lists nodes as often as they are expanded."""

    expanded: list[int] = field(default_factory=list)
    persistent: int = 0
    regress_edges: int = 0
    sweeps: int = 1
    liar: tuple[int, int] | None = None
    """The first edge to a smaller column, which ends the search."""


def sweep(graph: Graph) -> Sweep:
    """Run the whole method."""
    assert graph.progress is not None
    figures = Sweep()
    columns: dict[int, Waiting] = defaultdict(lambda: defaultdict(dict))
    for node in graph.initial:
        column, layer = graph.progress[node]
        columns[column][layer][node] = None
    while columns and figures.liar is None:
        column = min(columns)
        _sweep_column(graph, column, columns.pop(column), columns, figures)
    return figures


def _sweep_column(graph: Graph, column: int, waiting: Waiting, columns: dict[int, Waiting], figures: Sweep) -> None:
    assert graph.progress is not None
    kept: set[int] = set()
    while waiting:
        roots: Waiting = defaultdict(dict)
        while waiting:
            layer = min(waiting)
            queue = list(waiting.pop(layer))
            stored = set(queue)
            for node in queue:
                figures.expanded.append(node)
                for target in graph.edges[node]:
                    to_column, to_layer = graph.progress[target]
                    if to_column < column:
                        figures.liar = (node, target)
                        return
                    if to_column > column:
                        columns[to_column][to_layer][target] = None
                    elif to_layer < layer:
                        figures.regress_edges += 1
                        if target not in kept:
                            kept.add(target)
                            figures.persistent += 1
                            roots[to_layer][target] = None
                    elif target in kept or target in stored:
                        continue
                    elif to_layer == layer:
                        stored.add(target)
                        queue.append(target)
                    else:
                        waiting[to_layer][target] = None
        waiting = roots
        figures.sweeps += bool(roots)
