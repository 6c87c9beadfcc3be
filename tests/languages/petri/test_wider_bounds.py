"""A search that exceeds an assumed bound of a place begins again with a wider one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import strandline
from strandline.checker.verdicts.verdict import Answer
from strandline.cli.main import main

NET = """PLACE p, n, r; MARKING n: {tokens};
TRANSITION t CONSUME n: 1; PRODUCE p: 2, r: 1;
TRANSITION u CONSUME r: 99999; PRODUCE r: 99999, n: 2;
"""
"""No weights bound the places: `u`, which never fires, could fill them."""
AGAIN = "value outside the variable's range at net.lola:2:12: beginning again with larger bounds"
STATED = """PLACE SAFE 3: s; p, q; MARKING s: 1, p: 1;
TRANSITION t CONSUME p: 1; PRODUCE p: 1, q: 1;
TRANSITION u CONSUME q: 2; PRODUCE s: 1;
"""


@pytest.fixture(autouse=True)
def net(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "net.lola"
    path.write_text(NET.format(tokens=200))
    return path


def test_states_and_traces_are_those_of_the_net(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "net.lola", "--reach", "p == 400", "--reach", "p == 401", "--json"]) == 12
    shown = capsys.readouterr()
    data = json.loads(shown.out)
    assert AGAIN in shown.err
    assert (data["states"], data["trace"]["length"]) == (201, 200)
    assert [one["verdict"] for one in data["properties"]] == ["HOLDS", "VIOLATED"]


@pytest.mark.parametrize(
    ("claim", "code"),
    [(["--ltl", "F p == 400"], 0), (["--ctl", "AF p == 400"], 0), (["--order", "dfs", "--deadlock"], 11)],
)
def test_other_logics_and_orders(claim: list[str], code: int, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "net.lola", *claim]) == code
    assert capsys.readouterr().err.count(AGAIN) == 1


def test_calls_begin_again_too(net: Path) -> None:
    assert strandline.explore(net).statistics.states == 201
    assert strandline.check(net, reach="p == 400").answer is Answer.HOLDS


def test_questions_of_the_contest(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "net.lola", "--question", "upper-bound(p)", "--question", "state-space", "--quiet"]) == 0
    shown = capsys.readouterr().out
    assert [line.split() for line in shown.splitlines()] == [
        ["upper-bound(p)", "400"],
        ["states", "201"],
        ["transitions", "200"],
        ["max-tokens-per-marking", "600"],
        ["max-tokens-in-place", "400"],
        ["dead-markings", "1"],
    ]


def test_sixteen_bits_may_not_suffice(net: Path, capsys: pytest.CaptureFixture[str]) -> None:
    net.write_text(NET.format(tokens=40_000))
    assert main(["explore", "net.lola", "--no-trace"]) == 0
    shown = capsys.readouterr()
    assert shown.err.count(AGAIN) == 2
    assert "states       40,001" in shown.out


def test_a_known_bound_stays(net: Path, capsys: pytest.CaptureFixture[str]) -> None:
    net.write_text(STATED)
    assert main(["check", "net.lola", "--deadlock", "--quiet"]) == 12
    shown = capsys.readouterr()
    assert "beginning again" not in shown.err
    assert "  violated  no run-time fault  value outside the variable's range at net.lola:3:12" in shown.out
    net.write_text(NET.format(tokens=200))
    assert main(["check", "net.lola", "--deadlock", "-D", "bound=255"]) == 12
    assert "beginning again" not in capsys.readouterr().err


def test_a_run_with_checkpoints_does_not_begin_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "net.lola", "--deadlock", "--checkpoint", str(tmp_path / "saved")]) == 12
    assert "beginning again" not in capsys.readouterr().err
