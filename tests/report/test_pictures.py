"""Graphs and plots as files."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import strandline
from strandline.cli.main import main
from strandline.errors import UsageError
from strandline.report.pictures.dot import graph_dot
from strandline.report.pictures.graphs import Edge, Graph, Node
from strandline.report.pictures.layered import MOST_NODES, place
from strandline.report.pictures.sources import components_picture, control_picture, states_picture
from strandline.report.pictures.svg import graph_svg

EXAMPLES = Path(__file__).parents[2] / "examples"
MUTEX = EXAMPLES / "naive-mutex/naive-mutex.dve"
SWEEP = ("explore", str(EXAMPLES / "stop-and-wait/stop-and-wait.dve"), "--measure", "mono(sent + received)", "--quiet")
NAMESPACE = "{http://www.w3.org/2000/svg}"


@given(st.data())
def test_nodes_never_overlap(data: st.DataObject) -> None:
    count = data.draw(st.integers(1, 12))
    node = st.integers(0, count - 1)
    edges = data.draw(st.lists(st.tuples(node, node), max_size=30))
    sizes = data.draw(st.lists(st.tuples(st.floats(20, 200), st.floats(15, 60)), min_size=count, max_size=count))
    placed = place(sizes, edges, [0])
    assert len(placed.ways) == len(edges)
    rows: dict[float, list[tuple[float, float]]] = {}
    for box in placed.boxes:
        assert box.x - box.width / 2 >= -0.01
        assert box.x + box.width / 2 <= placed.width + 0.01
        rows.setdefault(box.y, []).append((box.x - box.width / 2, box.x + box.width / 2))
    for spans in rows.values():
        assert all(one[1] <= other[0] for one, other in pairwise(sorted(spans)))
    for (source, target), way in zip(edges, placed.ways, strict=True):
        assert way[0] == (placed.boxes[source].x, placed.boxes[source].y)
        assert way[-1] == (placed.boxes[target].x, placed.boxes[target].y)


def test_too_many_nodes_are_refused() -> None:
    with pytest.raises(UsageError, match=rf"401 nodes is not drawn \(at most {MOST_NODES}\)"):
        place([(20.0, 20.0)] * 401, [], [0])


def test_states_and_components() -> None:
    graph = strandline.graph(MUTEX)
    states = states_picture(graph)
    assert (len(states.nodes), sum(one.initial for one in states.nodes)) == (len(graph), 1)
    assert sum(len(one.lines) for one in states.edges) == sum(len(one.edges) for one in graph.nodes)
    once = components_picture(strandline.graph(EXAMPLES / "lost-update/lost-update.dve"))
    assert all(edge.source < edge.target for edge in once.edges), "components come before what they lead to"
    assert [number for number, node in enumerate(once.nodes) if node.marked] == [
        number for number in range(len(once.nodes)) if number not in {edge.source for edge in once.edges}
    ]
    whole = components_picture(graph)
    assert [node.lines[0] for node in whole.nodes] == [f"{len(graph)} states, e.g."]


CONTROLLED = ("naive-mutex/naive-mutex.dve", "process-stop-and-wait/deaf.psl", "python-mutex/mutex.py")


@pytest.mark.parametrize("name", CONTROLLED)
def test_control_graphs(name: str) -> None:
    system = strandline.load(EXAMPLES / name)
    drawn = control_picture(system)
    assert len(drawn.nodes) == sum(len(process.locations) for process in system.processes)
    assert sum(node.initial for node in drawn.nodes) == len(system.processes)
    ElementTree.fromstring(graph_svg(drawn, layout="own"))


def test_texts_are_escaped_in_both_formats() -> None:
    nodes = Node(('x<1 & y"',), initial=True), Node(("\\",), marked=True)
    graph = Graph('a "b" <c>', nodes, (Edge(0, 1, ("<&>",)),))
    root = ElementTree.fromstring(graph_svg(graph, layout="own"))
    texts = [one.text for one in root.iter(f"{NAMESPACE}text")]
    assert texts == ['a "b" <c>', "<&>", 'x<1 & y"', "\\"]
    assert '0 [label="x<1 & y\\""];' in graph_dot(graph)
    assert '1 [label="\\\\", peripheries=2];' in graph_dot(graph)


@pytest.mark.parametrize("drawn", ["states", "components", "control"])
def test_the_command_line_draws(tmp_path: Path, drawn: str) -> None:
    svg, dot = tmp_path / "g.svg", tmp_path / "g.dot"
    assert main(["graph", str(MUTEX), "--draw", drawn, "-o", str(svg), "--quiet"]) == 0
    ElementTree.fromstring(svg.read_text())
    assert main(["graph", str(MUTEX), "--draw", drawn, "-o", str(dot), "--quiet"]) == 0
    assert dot.read_text().startswith("digraph ")


def test_what_cannot_be_drawn_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["graph", str(MUTEX), "--draw", "control", "--format", "ss"]) == 2
    assert "--draw control is written as dot or svg, not as ss" in capsys.readouterr().err
    assert main(["explore", str(MUTEX), "--order", "dfs", "--plot", str(tmp_path / "p.svg")]) == 2
    assert "--plot: a search of order dfs has no layers to draw, or only one" in capsys.readouterr().err
    assert main(["explore", str(MUTEX), "--measure", "0", "--plot", str(tmp_path / "p.svg")]) == 7
    said = capsys.readouterr()
    assert said.out.startswith("EXPLORED  "), "what was counted is not thrown away"
    assert "warning: --plot: a search of order sweep has no layers to draw, or only one" in said.err


def test_plots_of_a_sweep(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    layers, memory = tmp_path / "layers.svg", tmp_path / "memory.svg"
    assert main([*SWEEP, "--plot", str(layers), "--plot-memory", str(memory)]) == 0
    assert "stored at most 3,362 of 110,526, layer by layer" in layers.read_text()
    keys = [one.text or "" for one in ElementTree.fromstring(memory.read_text()).iter(f"{NAMESPACE}text")][3:]
    assert [re.sub(r" [\d.]+ MB", " N", key) for key in keys] == [
        "sweep, at most N", "breadth-first, all states kept, at most N",
    ]  # fmt: skip
    assert capsys.readouterr().out.startswith("EXPLORED")
