"""Graphs as DOT, and as SVG by Graphviz's `dot`, where that is installed."""

from __future__ import annotations

import shutil
import subprocess

from strandline.report.pictures.graphs import Graph

_SECONDS = 30
"""Seconds that Graphviz may take."""


def graph_dot(graph: Graph) -> str:
    """Return the graph in DOT: a marked node has two borders, an arrow enters an initial one."""
    shape = "shape=circle" if graph.round_nodes else "shape=box, style=rounded"
    lines = [
        f"digraph {_quote(graph.title)} {{",
        f'  node [{shape}, fontname="monospace", fontsize=10];',
        '  edge [fontname="monospace", fontsize=9];',
    ]
    for number, node in enumerate(graph.nodes):
        further = ", peripheries=2" if node.marked else ""
        if node.tooltip:
            further += f", tooltip={_quote(node.tooltip)}"
        lines.append(f"  {number} [label={_quote(chr(10).join(node.lines))}{further}];")
        if node.initial:
            lines += [f"  enter{number} [shape=point, width=0];", f"  enter{number} -> {number};"]
    for edge in graph.edges:
        label = f" [label={_quote(chr(10).join(edge.lines))}]" if edge.lines else ""
        lines.append(f"  {edge.source} -> {edge.target}{label};")
    return "\n".join([*lines, "}"]) + "\n"


def graphviz_svg(graph: Graph) -> str | None:
    """Return the graph as SVG by Graphviz; None if Graphviz is missing, fails or takes too long."""
    if shutil.which("dot") is None:
        return None
    try:
        done = subprocess.run(
            ["dot", "-Tsvg"], input=graph_dot(graph), capture_output=True, text=True, timeout=_SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout if done.returncode == 0 and done.stdout else None


def _quote(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'
