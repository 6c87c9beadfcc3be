"""Results as SARIF: the lines that a violation is shown beside, the steps of its trace, mistakes, and test runs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from strandline.cli.main import main

ROOT = Path(__file__).resolve().parents[2]
LOST_UPDATE = "examples/lost-update/lost-update.dve"


@pytest.fixture(autouse=True)
def _in_the_checkout(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


def log_of(tmp_path: Path, *arguments: str, code: int) -> list[dict[str, Any]]:
    """Run a command line with `--sarif`; the results of its log."""
    file = tmp_path / "log.sarif"
    assert main([*arguments, "--sarif", str(file)]) == code
    log = json.loads(file.read_text("utf-8"))
    assert (log["version"], len(log["runs"])) == ("2.1.0", 1)
    run = log["runs"][0]
    assert run["tool"]["driver"]["name"] == "Strandline"
    assert {one["ruleId"] for one in run["results"]} == {one["id"] for one in run["tool"]["driver"]["rules"]}
    found: list[dict[str, Any]] = run["results"]
    return found


def text_at(location: dict[str, Any]) -> str:
    """The part of the model that a location shows, which lies on one line."""
    place = location["physicalLocation"]
    region = place["region"]
    assert region["startLine"] == region["endLine"]
    line = (ROOT / place["artifactLocation"]["uri"]).read_text("utf-8").splitlines()[region["startLine"] - 1]
    return line[region["startColumn"] - 1 : region["endColumn"] - 1]


def test_a_violation_stands_beside_its_claim_with_the_steps_beside_theirs(tmp_path: Path) -> None:
    (found,) = log_of(tmp_path, "check", LOST_UPDATE, code=12)
    assert (found["kind"], found["level"], found["ruleId"]) == ("fail", "error", "assertion")
    assert text_at(found["locations"][0]) == "balance == 120"
    steps = found["codeFlows"][0]["threadFlows"][0]["locations"]
    assert [one["location"]["message"]["text"] for one in steps] == [
        "1  Anna: start -> read",
        "2  Ben: start -> read",
        "3  Anna: read -> done",
        "4  Ben: read -> done",
        "5  Auditor: waits -> audits",
    ]
    assert [text_at(one["location"]) for one in steps][::4] == ["start -> read", "waits  -> audits"]


def test_a_deadlock_stands_beside_the_last_step(tmp_path: Path) -> None:
    model = tmp_path / "m.dve"
    model.write_text("process P { state a, b; init a; trans a -> b {}; }\nsystem async;\n")
    (found,) = log_of(tmp_path, "check", str(model), code=11)
    place = found["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == model.as_uri()
    assert (place["region"]["startLine"], place["region"]["startColumn"]) == (1, 39)


def test_what_is_not_decided_is_open_and_what_holds_is_left_out(tmp_path: Path) -> None:
    options = ["--invariant", "balance < 0", "--max-states", "2", "--no-deadlock"]
    found = log_of(tmp_path, "check", LOST_UPDATE, "--invariant", "balance >= 0", "--max-states", "2", code=3)
    assert {(one["kind"], one["level"]) for one in found} == {("open", "none")}
    assert log_of(tmp_path, "check", "examples/peterson/peterson.dve", code=0) == []
    (found_at_once,) = log_of(tmp_path, "check", LOST_UPDATE, *options, code=12)
    assert "codeFlows" not in found_at_once or found_at_once["kind"] == "fail"


def test_a_mistake_in_the_model_is_a_result(tmp_path: Path) -> None:
    model = tmp_path / "m.dve"
    model.write_text("byte x;\nprocess P { state a; init b; }\nsystem async;\n")
    (found,) = log_of(tmp_path, "check", str(model), code=2)
    region = found["locations"][0]["physicalLocation"]["region"]
    assert (found["ruleId"], region["startLine"], region["startColumn"]) == ("input", 2, 27)


def test_a_test_run_shows_what_is_not_as_expected(tmp_path: Path) -> None:
    folder = tmp_path / "results"
    arguments = ["test", LOST_UPDATE, "-j", "1", "--reports", str(folder), "--memory", "2G"]
    (found,) = log_of(tmp_path, *arguments, code=12)
    assert found["message"]["text"].splitlines() == [
        "lost-update.dve: violated unexpectedly",
        "VIOLATED, expected HOLDS",
        "violated: assertion Auditor.audits: balance == 120",
    ]
    assert text_at(found["locations"][0]) == "balance == 120"
    assert [one.name for one in folder.iterdir()] == ["examples-lost-update-lost-update.dve-lost-update.dve.html"]


def test_a_file_that_cannot_be_written_is_refused_before_the_search(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", LOST_UPDATE, "--sarif", str(tmp_path / "none" / "log.sarif")]) == 2
    assert "the SARIF file cannot be written" in capsys.readouterr().err
    assert main(["simulate", LOST_UPDATE, "--sarif", str(tmp_path / "log.sarif"), "--command", "quit"]) == 2
    assert "--sarif is for random walks: give --walks N" in capsys.readouterr().err
    question = ["--question", "deadlock", "--sarif", str(tmp_path / "log.sarif")]
    assert main(["check", "examples/petri-crossing/crossing.pnml", *question]) == 2
    assert "--sarif FILE has no effect on --formulas and --question" in capsys.readouterr().err
    (tmp_path / "file").touch()
    assert main(["test", LOST_UPDATE, "--reports", str(tmp_path / "file")]) == 2
    assert "no reports can be written there" in capsys.readouterr().err
    assert main(["test", LOST_UPDATE, "--memory", "much"]) == 2
    assert "'much' is not a size of memory" in capsys.readouterr().err
