"""The tables of the compositional paper: the models are those it counts, measures are made of components, what differs
is told."""

from __future__ import annotations

import shlex
import sys
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest

import _components
import compositional
from _plot import Panel, Series, svg
from models.compositional import STUDIES, Published, Study
from strandline.languages import process
from strandline.model.system import System
from strandline.source import Source

STRANDLINE = [sys.executable, "-P", "-m", "strandline.cli"]
RING = "process P = a -> b -> (c -> P | d -> e -> P); process Q = x -> y -> STOP; system P || Q;"


def ring() -> System:
    return process.load(Source("ring.psl", RING))


def test_components_become_measures() -> None:
    """P goes round, by a spanning tree with a fork; Q never comes back, by its strongly connected components."""
    found = ring()
    assert found.processes[0].locations == ("P", "P'1", "P'2", "P'4")
    assert _components.summed(found, {"Q"}) == ["mono(Q)", "P"]
    assert _components.summed(found, set()) == ["P + Q"]
    assert _components.summed(found, {"P"}) == ["mono(0)", "Q"]
    assert _components.literal(found, {"Q"}) == ["mono(Q)", "P"]


def test_a_tree_is_two_linear_orders() -> None:
    """One node is below another in both exactly where it is above it in the tree."""
    tree = _components.spanning_tree(6, [(0, 1), (0, 2), (1, 3), (1, 4), (2, 5), (5, 0), (4, 2), (3, 0)], 0)
    assert tree == [[1], [3, 4], [5], [], [2], []]
    first, second = (_components.depth_first(tree, 0, backwards) for backwards in (False, True))
    assert (first, second) == ([0, 1, 4, 2, 3, 5], [0, 1, 3, 5, 2, 4])
    parents = {child: node for node, children in enumerate(tree) for child in children}
    for low in range(6):
        for high in range(6):
            above, node = False, high
            while node in parents and not above:
                above, node = parents[node] == low, parents[node]
            assert (first[low] < first[high] and second[low] < second[high]) == above


def test_ranks_that_are_no_numbers_of_states_are_sums() -> None:
    assert _components.ranked(ring(), 0, [0, 2, 0, 5]) == "(2 * P.P'1 + 5 * P.P'4) % 6"


@pytest.mark.parametrize("study", STUDIES, ids=lambda study: study.example)
def test_the_number_of_states_of_the_paper_has_a_formula(study: Study) -> None:
    formulas = {
        1: lambda jobs: 4096 * (2 * jobs - 9),
        2: lambda n: 5**n + 2 * 3**n + n * 3 ** (n - 1) - 2**n + 1,
        3: lambda numbers: 182 * numbers,
    }
    for size, published in study.rows.items():
        assert published is not None
        assert formulas[study.table](size) == published.states
        assert f"const {study.size} = {size};" in study.text(size)


def test_what_differs_from_the_paper_is_told() -> None:
    study = STUDIES[0]
    full = compositional.Figures(126_976, 126_976, 126_976, 0.1)
    same = compositional.Figures(None, 253_952, 8_190, 0.2)
    worse = compositional.Figures(None, 245_727, 9_000, 0.2)
    assert list(compositional.differences(compositional.Line(study, 20, full, {"literal": same}))) == []
    assert list(compositional.differences(compositional.Line(study, 20, full, {"literal": worse}))) == [
        "Master/slave, 12 slaves, jobs 20: total 193.52 % (less), the paper has 200.00 %",
        "Master/slave, 12 slaves, jobs 20: peak 7.09 % (more), the paper has 6.45 %",
    ]
    other = compositional.Figures(7, 7, 7, 0.1)
    assert "Master/slave, 12 slaves, jobs 20: 7 states, the paper has 126,976" in list(
        compositional.differences(compositional.Line(study, 20, other, {"literal": same}))
    )


def test_the_tables_and_the_figure_are_made(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compositional, "CACHES", (50, 20))
    picture = tmp_path / "figure.svg"
    chosen = ["--tiny", "--no-auto", "--table", "1", "--size", "3"]
    assert compositional.main([*chosen, "--figure", str(picture), "--command", shlex.join(STRANDLINE)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[1] == "Table 1: Master/slave, 12 slaves"
    assert lines[4].split()[:6] == ["3", "48", "158.33", "158.33", "33.33", "33.33"]
    assert lines[-1] == "1 configurations, 0 figures of the literal sweep differ from the paper's"
    root = ElementTree.fromstring(picture.read_text())
    assert root.tag == "{http://www.w3.org/2000/svg}svg"


def test_a_model_that_differs_from_the_paper_is_a_failure(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    wrong = Published(49, 1, 200, 6, 1)
    study = compositional.TINY[0]
    rows = {3: wrong}
    monkeypatch.setattr(compositional, "TINY", (replace(study, rows=rows),))
    assert compositional.main(["--tiny", "--no-auto", "--command", shlex.join(STRANDLINE)]) == 1
    assert "jobs 3: 48 states, the paper has 49" in capsys.readouterr().out


def test_a_plot_shows_every_point() -> None:
    series = Series("caching <1>", ((100.0, 1.0), (50.0, 8.0), (20.0, 130.0))), Series("sweep", ((6.0, 2.0),), False)
    text = svg([Panel("Systems & caches", "peak", "visits", series)])
    root = ElementTree.fromstring(text)
    places = [(one.get("cx"), one.get("cy"), one.get("r")) for one in root.iter("{http://www.w3.org/2000/svg}circle")]
    assert places[:4] == [
        ("346.0", "256.0", "2.5"),
        ("201.0", "188.0", "2.5"),
        ("114.0", "96.7", "2.5"),
        ("73.4", "233.3", "5"),
    ]
    words = [one.text for one in root.iter("{http://www.w3.org/2000/svg}text")]
    assert {"Systems & caches", "caching <1>", "1", "1000", "100"} <= set(words)
