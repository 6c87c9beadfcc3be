"""Automata as SVG pictures: circles, curves and labels, readable without colour."""

from __future__ import annotations

from xml.sax.saxutils import escape

from strandline.properties.automata.automaton import Automaton
from strandline.report.automaton_dot import edge_label
from strandline.report.automaton_layout import (
    CHARACTER_WIDTH,
    LINE_HEIGHT,
    RADIUS,
    Curve,
    DrawnEdge,
    Layout,
    lay_out,
)
from strandline.report.pictures.sources import automaton_picture
from strandline.report.pictures.svg import graph_svg

_MARGIN = 12.0
_MOST_ROUND = 10
"""Most states of an automaton that is drawn as circles in columns; more would not be readable."""
_TITLE_HEIGHT = 26.0
_STYLE = (
    "text{font:11px ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace;text-anchor:middle;fill:#1b1f24}"
    ".state{fill:#fff;stroke:#1b1f24;stroke-width:1.4}.accepting{fill:#eef4ff}"
    ".edge{fill:none;stroke:#4a5260;stroke-width:1.2;marker-end:url(#tip)}"
    ".behind{fill:#fff;fill-opacity:.85}.title{font-size:13px;font-weight:600}"
)
_ARROW_TIP = (
    '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" '
    'orient="auto"><path d="M0 0.8 7.5 4 0 7.2Z" fill="#4a5260"/></marker></defs>'
)


def automaton_svg(automaton: Automaton, *, title: str = "") -> str:
    """Return an automaton as a complete SVG document.

    Accepting states have two rims; a short arrow enters initial states. Small automata have round states in columns,
    larger ones are drawn as other graphs are.
    """
    if automaton.state_count > _MOST_ROUND:
        return graph_svg(automaton_picture(automaton, title or "automaton"))
    edges = _drawn_edges(automaton)
    layout = lay_out(automaton.state_count, automaton.initial, edges)
    head_room = _TITLE_HEIGHT if title else 0.0
    width = layout.right - layout.left
    if title:
        width = max(width, len(title) * 13 / 11 * CHARACTER_WIDTH)
    left, top = layout.left - _MARGIN, layout.top - _MARGIN - head_room
    width += 2 * _MARGIN
    height = layout.bottom - top + _MARGIN
    view = f"{left:.1f} {top:.1f} {width:.1f} {height:.1f}"
    size = f'width="{width:.0f}" height="{height:.0f}"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{view}" {size}>',
        f"<title>{escape(title or 'automaton')}</title><style>{_STYLE}</style>",
        _ARROW_TIP,
        f'<rect x="{left:.1f}" y="{top:.1f}" width="{width:.1f}" height="{height:.1f}" fill="#fff"/>',
    ]
    if title:
        parts.append(_text(left + width / 2, top + 20, title, "title"))
    parts += [_curve(curve) for curve in layout.curves]
    parts += [_state(automaton, layout, state) for state in range(automaton.state_count)]
    parts += [_initial_arrow(layout, state) for state in automaton.initial]
    parts += [_label(curve, edge) for curve, edge in zip(layout.curves, edges, strict=True)]
    return "\n".join([*parts, "</svg>"]) + "\n"


def _drawn_edges(automaton: Automaton) -> list[DrawnEdge]:
    """Return the edges to draw: those between the same two states joined to one, with a label of several lines."""
    lines: dict[tuple[int, int], list[str]] = {}
    for state, edges in enumerate(automaton.edges):
        for edge in edges:
            lines.setdefault((state, edge.target), []).extend(_wrap(edge_label(automaton, edge)))
    return [DrawnEdge(source, target, tuple(label)) for (source, target), label in lines.items()]


def _wrap(label: str) -> list[str]:
    """Split a long disjunction into lines, one disjunct each."""
    if len(label) <= 24:
        return [label]
    parts = label.split(" || ")
    return [f"{part} ||" for part in parts[:-1]] + [parts[-1]]


def _curve(curve: Curve) -> str:
    start, first, second, end = curve.points
    return (
        f'<path class="edge" d="M{start[0]:.1f} {start[1]:.1f}C{first[0]:.1f} {first[1]:.1f} '
        f'{second[0]:.1f} {second[1]:.1f} {end[0]:.1f} {end[1]:.1f}"/>'
    )


def _state(automaton: Automaton, layout: Layout, state: int) -> str:
    x, y = layout.states[state]
    accepting = automaton.is_state_based and state in automaton.accepting_states
    circles = f'<circle class="state{" accepting" * accepting}" cx="{x:.1f}" cy="{y:.1f}" r="{RADIUS}"/>'
    if accepting:
        circles += f'<circle class="state accepting" cx="{x:.1f}" cy="{y:.1f}" r="{RADIUS - 3.5}"/>'
    name = automaton.state_names[state] if automaton.state_names is not None else f"state {state}"
    return f"<g><title>{escape(name)}</title>{circles}{_text(x, y + 4, str(state), '')}</g>"


def _initial_arrow(layout: Layout, state: int) -> str:
    x, y = layout.states[state]
    return f'<path class="edge" d="M{x - RADIUS - 24:.1f} {y:.1f}H{x - RADIUS - 2:.1f}"/>'


def _label(curve: Curve, edge: DrawnEdge) -> str:
    """Return the lines of the label on a white background, so that curves do not cross the text."""
    x, y = curve.label_at
    width = max(map(len, edge.label)) * CHARACTER_WIDTH + 2
    height = len(edge.label) * LINE_HEIGHT
    ground = (
        f'<rect class="behind" x="{x - width / 2:.1f}" y="{y - height / 2:.1f}" '
        f'width="{width:.1f}" height="{height:.1f}"/>'
    )
    top = y - (len(edge.label) - 1) * LINE_HEIGHT / 2 + 4
    return ground + "".join(_text(x, top + number * LINE_HEIGHT, line, "") for number, line in enumerate(edge.label))


def _text(x: float, y: float, text: str, kind: str) -> str:
    attribute = f' class="{kind}"' if kind else ""
    return f'<text x="{x:.1f}" y="{y:.1f}"{attribute}>{escape(text)}</text>'
