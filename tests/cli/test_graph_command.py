"""`strandline graph`: formats, labels, limits; a dumped graph is equivalent to the model."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

import strandline
from strandline.errors import UsageError

ROOT = Path(__file__).resolve().parents[2]
MUTEX = str(ROOT / "examples" / "naive-mutex" / "naive-mutex.dve")
MODELS = (
    MUTEX,
    str(ROOT / "examples" / "python-mutex" / "mutex.py"),
    str(ROOT / "examples" / "process-two-phase-commit" / "two-phase-commit.psl"),
)


def graph(*arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "strandline.cli", "graph", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def test_a_space_has_states_labels_progress_and_actions(tmp_path: Path) -> None:
    done = graph(MUTEX, "--label", "both=P.critical and Q.critical", "--measure", "flag[0]", folder=tmp_path)
    assert done.returncode == 0
    lines = done.stdout.splitlines()
    assert lines[0] == "1 0 1 !both P:_idle_->_seen 2 Q:_idle_->_seen 3"
    assert lines[8] == "9 1 1 both P:_critical_->_idle 6 Q:_critical_->_idle 4"
    assert len(lines) == 9


@pytest.mark.parametrize("model", MODELS)
def test_what_is_dumped_has_the_same_counts(model: str, tmp_path: Path) -> None:
    if not Path(model).exists():
        (model,) = (str(one) for one in Path(model).parent.glob(f"*{Path(model).suffix}"))
    expected = strandline.explore(model).statistics
    for name in ("g.ss", "g.aut"):
        done = graph(model, "--output", name, folder=tmp_path)
        assert done.returncode == 0, done.stderr
        found = strandline.explore(tmp_path / name).statistics
        # An .aut file is a set of transitions: parallel ones of one name are one.
        assert found.states == expected.states
        assert found.deadlocks == expected.deadlocks
        if name == "g.ss":
            assert found.transitions == expected.transitions


def test_pictures_are_well_formed(tmp_path: Path) -> None:
    assert graph(MUTEX, "-o", "g.graphml", folder=tmp_path).returncode == 0
    root = ElementTree.parse(tmp_path / "g.graphml").getroot()
    names = {"g": "http://graphml.graphdrawing.org/xmlns"}
    assert len(root.findall("g:graph/g:node", names)) == 9
    assert len(root.findall("g:graph/g:edge", names)) == 16
    dot = graph(MUTEX, "--format", "dot", folder=tmp_path).stdout
    assert dot.startswith('digraph "naive-mutex" {\n')
    assert dot.count(" -> ") == 32  # an edge and a location change in its label each
    assert dot.endswith("}\n")


def test_a_graph_that_is_not_complete_is_not_written(tmp_path: Path) -> None:
    done = graph(MUTEX, "-o", "g.ss", "--max-states", "3", folder=tmp_path)
    assert done.returncode == 3
    assert "not complete, and nothing is written: the limit of 3 states is reached" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_graph_in_python() -> None:
    found = strandline.graph(MUTEX, labels={"both": "P.critical and Q.critical"})
    assert (len(found), found.initial) == (9, (0,))
    (bad,) = found.nodes_with("both")
    assert found.states[bad]["P"] == "critical"
    assert [action for action, _ in found.nodes[bad].edges] == ["P: critical -> idle", "Q: critical -> idle"]
    with pytest.raises(UsageError, match="the graph has no proposition 'none' \\(known: both\\)"):
        found.nodes_with("none")


def test_networkx_gets_it_where_it_is_installed() -> None:
    networkx = pytest.importorskip("networkx", reason="networkx is not installed")
    made = strandline.graph(MUTEX).to_networkx()
    assert (made.number_of_nodes(), made.number_of_edges()) == (9, 16)
    assert networkx.is_strongly_connected(made)
