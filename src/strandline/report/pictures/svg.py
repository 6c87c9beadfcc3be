"""Draw graphs as SVG: by Graphviz if it is installed, else by a layout of our own."""

from __future__ import annotations

from dataclasses import replace
from html import escape
from itertools import pairwise

from strandline.properties.automata.automaton import Automaton
from strandline.report.pictures.dot import graphviz_svg
from strandline.report.pictures.graphs import Edge, Graph, Node
from strandline.report.pictures.layered import MOST_NODES, Box, Placed, Point, place
from strandline.report.pictures.sources import automaton_picture

CHARACTER, LINE = 6.7, 15.0
_MARGIN, _PADDING, _HEAD = 16.0, 8.0, 30.0
_LONGEST_LABEL, _LABEL_CHARACTER = 32, 6.1
_LOOP, _ASIDE = 32.0, 9.0
"""Width of the loop of a node, and horizontal offset of the ends of edges that lead up or down."""
_NARROW = 40.0
"""Width of nodes below which edges to and fro would meet."""
_STYLE = (
    "text{font:11px ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace;text-anchor:middle;fill:#1b1f24}"
    ".node{fill:#fff;stroke:#1b1f24;stroke-width:1.2}.marked{fill:#eef4ff}"
    ".edge{fill:none;stroke:#4a5260;stroke-width:1.1;marker-end:url(#tip)}"
    ".label{fill:#4a5260;font-size:10px;paint-order:stroke;stroke:#fff;stroke-width:3px}.loop{text-anchor:start}"
    ".title{font-weight:600;font-size:13px}"
)
_TIP = (
    '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
    '<path d="M0 0.8 7.5 4 0 7.2Z" fill="#4a5260"/></marker></defs>'
)


def graph_svg(graph: Graph, *, layout: str = "auto") -> str:
    """Return a graph as a complete SVG document.

    `layout` is `graphviz`, `own`, or `auto`: Graphviz if it is installed. Raises `UsageError` if there are too many
    nodes for a layout of our own.
    """
    drawn = graphviz_svg(graph.with_joined_edges) if layout in ("auto", "graphviz") else None
    return _own_svg(graph.with_joined_edges) if drawn is None else drawn


def automaton_svg(automaton: Automaton, title: str = "automaton") -> str:
    """Return an automaton as a complete SVG document.

    By the layout of our own if the automaton is small enough for it: then the picture is the same on every machine.
    """
    small = automaton.state_count <= MOST_NODES
    return graph_svg(automaton_picture(automaton, title), layout="own" if small else "auto")


def lay_out(graph: Graph) -> Placed:
    """Lay out a graph without parallel edges.

    Nodes are so far apart that the labels of their entering edges, which are above them, have room beside each other.
    """
    sizes = [_size(node) for node in graph.nodes]
    room = list(sizes)
    for edge in graph.edges:
        width = max(map(len, _label_lines(edge)), default=0) * _LABEL_CHARACTER
        if edge.source == edge.target:
            width = sizes[edge.target][0] + 2 * (width + _LOOP)
        room[edge.target] = max(room[edge.target][0], width), room[edge.target][1]
    edges = [(edge.source, edge.target) for edge in graph.edges]
    layout = place(room, edges, [number for number, node in enumerate(graph.nodes) if node.initial])
    boxes = tuple(replace(box, width=size[0]) for box, size in zip(layout.boxes, sizes, strict=True))
    return replace(layout, boxes=boxes)


def _size(node: Node) -> tuple[float, float]:
    widest = max((len(line) for line in node.lines), default=1)
    return max(24.0, widest * CHARACTER + 2 * _PADDING), max(1, len(node.lines)) * LINE + _PADDING


def _own_svg(graph: Graph) -> str:
    layout = lay_out(graph)
    # Labels of edges at the sides reach beyond all nodes.
    longest = max((len(line) for edge in graph.edges for line in _label_lines(edge)), default=0)
    left = _MARGIN + longest * _LABEL_CHARACTER / 2
    width = max(layout.width, len(graph.title) * 8.0) + 2 * left
    height = layout.height + _HEAD + 2 * _MARGIN + 20
    size = f'width="{width:.0f}" height="{height:.0f}"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" {size}>',
        f"<title>{escape(graph.title)}</title><style>{_STYLE}</style>{_TIP}",
        f'<rect {size} fill="#fff"/>',
        f'<text class="title" x="{width / 2:.1f}" y="18">{escape(graph.title)}</text>',
        f'<g transform="translate({left:.0f} {_MARGIN + _HEAD})">',
    ]
    parts += [_drawn_edge(edge, way, layout.boxes) for edge, way in zip(graph.edges, layout.ways, strict=True)]
    parts += [_drawn_node(node, box, graph.round_nodes) for node, box in zip(graph.nodes, layout.boxes, strict=True)]
    return "\n".join([*parts, "</g></svg>"]) + "\n"


def _drawn_node(node: Node, box: Box, is_round: bool) -> str:
    top = box.y - box.height / 2
    kind = "node marked" if node.marked else "node"
    radius = box.height / 2 if is_round else 6.0
    frame = _frame(kind, box, radius, 0)
    if node.marked:
        frame += _frame(kind, box, radius, 3)
    if node.initial:
        frame += f'<path class="edge" d="M{box.x:.1f} {top - 18:.1f}V{top:.1f}"/>'
    first = box.y - (len(node.lines) - 1) * LINE / 2 + 4
    lines = "".join(
        f'<text x="{box.x:.1f}" y="{first + number * LINE:.1f}">{escape(line)}</text>'
        for number, line in enumerate(node.lines)
    )
    return f"<g><title>{escape(node.tooltip)}</title>{frame}{lines}</g>" if node.tooltip else frame + lines


def _frame(kind: str, box: Box, radius: float, inset: int) -> str:
    left, top = box.x - box.width / 2 + inset, box.y - box.height / 2 + inset
    size = f'width="{box.width - 2 * inset:.1f}" height="{box.height - 2 * inset:.1f}"'
    return f'<rect class="{kind}" x="{left:.1f}" y="{top:.1f}" {size} rx="{max(0, radius - inset / 2):g}"/>'


def _drawn_edge(edge: Edge, way: tuple[Point, ...], boxes: tuple[Box, ...]) -> str:
    source, target = boxes[edge.source], boxes[edge.target]
    if edge.source == edge.target:
        right = source.x + source.width / 2
        path = (f"M{right:.1f} {source.y - 6:.1f}C{right + 34:.1f} {source.y - 16:.1f} {right + 34:.1f} "
                f"{source.y + 16:.1f} {right:.1f} {source.y + 6:.1f}")  # fmt: skip
        return f'<path class="edge" d="{path}"/>' + _label(edge, (right + _LOOP - 4, source.y + 4), "loop")
    aside = _ASIDE if source.y > target.y else -_ASIDE
    points = [_rim(source, way[1], aside), *way[1:-1], _rim(target, way[-2], aside)]
    # Narrow nodes have no room for two ends beside each other: edges to and fro bow to different sides.
    bow = 2 * aside if len(points) == 2 and min(source.width, target.width) < _NARROW else 0.0
    path = f"M{_at(points[0])}"
    for before, after in pairwise(points):
        bend = (after[1] - before[1]) / 2
        path += f"C{_at((before[0] + bow, before[1] + bend))} {_at((after[0] + bow, after[1] - bend))} {_at(after)}"
    x, y = _middle(points, up=source.y > target.y)
    return f'<path class="edge" d="{path}"/>' + _label(edge, (x + bow, y))


def _rim(box: Box, towards: Point, aside: float) -> Point:
    """Return the point where an edge from or to `towards` meets the border of a node, `aside` of the middle."""
    side = 1 if towards[1] > box.y else -1
    reach = box.width / 2 - 4
    return box.x + max(-reach, min(reach, (towards[0] - box.x) * 0.3 + aside)), box.y + side * box.height / 2


def _middle(points: list[Point], *, up: bool) -> Point:
    """Return the position of an edge's label: a little off the middle, so that it differs for the edge back."""
    number = (len(points) - 1) // 2
    before, after = points[number], points[number + 1]
    share = 0.7 if up else 0.66
    return before[0] + (after[0] - before[0]) * share, before[1] + (after[1] - before[1]) * share


def _label(edge: Edge, middle: Point, kind: str = "") -> str:
    lines = _label_lines(edge)
    first = middle[1] - (len(lines) - 1) * 6
    kinds = f"label {kind}".strip()
    texts = "".join(
        f'<text class="{kinds}" x="{middle[0]:.1f}" y="{first + number * 12:.1f}">{escape(line)}</text>'
        for number, line in enumerate(lines)
    )
    if not any(line.endswith("…") for line in lines):
        return texts
    return f"<g><title>{escape(chr(10).join(edge.lines))}</title>{texts}</g>"


def _label_lines(edge: Edge) -> list[str]:
    """Return the lines of an edge's label. Long disjunctions are broken after each disjunct, other long lines cut."""
    lines = []
    for line in edge.lines:
        parts = line.split(" || ") if len(line) > _LONGEST_LABEL else [line]
        lines += [f"{part} ||" for part in parts[:-1]] + parts[-1:]
    return [line if len(line) <= _LONGEST_LABEL else f"{line[: _LONGEST_LABEL - 1]}…" for line in lines]


def _at(point: Point) -> str:
    return f"{point[0]:.1f} {point[1]:.1f}"
