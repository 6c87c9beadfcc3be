"""`strandline info --combinations`: the table of properties and methods."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from strandline.cli.main import main

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
PHILOSOPHERS = EXAMPLES / "philosophers" / "philosophers.dve"
POSSIBLE = {
    "states, deadlocks": "bfs dfs sweep cache por sweep,por merge tree compact bitstate threads",
    "LTL, safety": "bfs dfs sweep cache por sweep,por tree compact bitstate threads",
    "LTL": "bfs sweep por sweep,por",
    "LTL with X": "bfs sweep",
    "LTL, fair": "bfs sweep",
    "CTL": "bfs sweep",
}


def test_what_is_possible_and_why_the_rest_is_not(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["info", str(PHILOSOPHERS), "--combinations", "--json"]) == 0
    cells = json.loads(capsys.readouterr().out)["combinations"]
    possible: dict[str, list[str]] = {}
    for cell in cells:
        assert (cell["reason"] is None) == cell["possible"]
        if cell["possible"] and cell["way"] != "gpu":
            possible.setdefault(cell["question"], []).append(cell["way"].replace(", ", ","))
    assert {question: " ".join(ways) for question, ways in possible.items()} == POSSIBLE


def test_as_people_read_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["info", str(PHILOSOPHERS), "--combinations"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split()[:4] == ["bfs", "dfs", "sweep", "cache"]
    assert lines[1].startswith("  states, deadlocks  yes  yes")
    reason = "--por: it keeps runs, not the tree that they make, of which CTL speaks"
    assert any(line.endswith(reason) for line in lines)


@pytest.mark.parametrize("name", ["process-stop-and-wait", "python-mutex", "petri-crossing"])
def test_every_language_has_the_table(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    folder = EXAMPLES / name
    model = next(one for one in sorted(folder.iterdir()) if one.suffix in (".psl", ".py", ".pnml", ".dve"))
    assert main(["info", str(model), "--combinations"]) == 0
    assert "states, deadlocks" in capsys.readouterr().out
