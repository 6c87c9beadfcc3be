"""The states around the current one, laid out for a picture in the page."""

from __future__ import annotations

from typing import Any

from strandline.compile.kernel import Reference
from strandline.model.values import show
from strandline.report.pictures.graphs import Edge, Graph, Node
from strandline.report.pictures.sources import state_lines
from strandline.report.pictures.svg import lay_out
from strandline.traces.replay import State
from strandline.traces.trace import changes

_MOST = 40
"""Most states in a picture."""


def around_data(reference: Reference, here: State, before: State | None, depth: int) -> dict[str, Any]:
    """Return a drawing of `here`, the states at most `depth` steps ahead, and the previous state `before`.

    `nodes` have coordinates and, for successors of `here`, the number of the `step` to them; `edges` have the points
    that they pass. `more` is True if states are left out.
    """
    roots = [here] if before is None or before == here else [before, here]
    found = dict.fromkeys(roots)
    edges: list[tuple[State, State, str]] = []
    steps: dict[State, int] = {}
    level, more = [here], False
    if len(roots) > 1 and before is not None:
        edges += [(before, here, edge.action) for edge in reference.edges(before) if edge.target == here][:1]
    for distance in range(max(1, min(depth, 4))):
        following: list[State] = []
        for state in level:
            for number, edge in enumerate(reference.edges(state)):
                if edge.target is None:
                    continue
                if edge.target not in found:
                    if len(found) >= _MOST:
                        more = True
                        continue
                    found[edge.target] = None
                    following.append(edge.target)
                edges.append((state, edge.target, edge.action))
                if distance == 0:
                    steps.setdefault(edge.target, number)
        level = following
    return _draw(reference, list(found), edges, steps, here) | {"more": more}


def _draw(
    reference: Reference,
    states: list[State],
    edges: list[tuple[State, State, str]],
    steps: dict[State, int],
    here: State,
) -> dict[str, Any]:
    place = {state: number for number, state in enumerate(states)}
    centre = reference.describe(here)
    lines = [_lines(reference, state, here, centre) for state in states]
    nodes = tuple(Node(text, initial=number == 0) for number, text in enumerate(lines))
    graph = Graph("", nodes, tuple(Edge(place[a], place[b], (name,)) for a, b, name in edges)).with_joined_edges
    layout = lay_out(graph)
    return {
        "width": layout.width,
        "height": layout.height,
        "nodes": [
            {"x": box.x, "y": box.y, "width": box.width, "height": box.height, "lines": list(node.lines),
             "here": state == here, "step": steps.get(state)}
            for state, node, box in zip(states, graph.nodes, layout.boxes, strict=True)
        ],
        "edges": [
            {"points": [list(point) for point in way], "lines": list(edge.lines), "source": edge.source,
             "target": edge.target}
            for edge, way in zip(graph.edges, layout.ways, strict=True)
        ],
    }  # fmt: skip


def _lines(reference: Reference, state: State, here: State, centre: dict[str, Any]) -> tuple[str, ...]:
    """Return the text of a node: all values of the current state, for others their differences from it."""
    if state == here:
        return state_lines(centre)
    differences = [f"{one.name}={show(one.new)}" for one in changes(centre, reference.describe(state))]
    return tuple(differences[:5]) + (("…",) if len(differences) > 5 else ())
