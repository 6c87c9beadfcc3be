"""Simulation, traces and expected verdicts know no language: the same for a model in Python."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from strandline.cli.main import main

MODEL = """\
from strandline import Array, Enum, Model, Process, Range, action, count, invariant, param, require

print("this file was executed")


class Mutex(Model):
    N = param(2)
    flag: Array[bool, N]
    turn: Range[0, N - 1] = 0

    class P(Process, count=N):
        pc: Enum["idle", "want", "cs"] = "idle"

        @action(at="idle", to="want")
        def request(m, me):
            m.flag[me] = True
            m.turn = 1 - me

        @action(at="want", to="cs")
        def enter(m, me):
            require(not m.flag[1 - me] or m.turn == me)

        @action(at="cs", to="idle")
        def leave(m, me):
            m.flag[me] = False

    @invariant
    def exclusion(m):
        return count(p.pc == "cs" for p in m.P) <= 1
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "mutex.py").write_text(MODEL)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("name", ["t.json", "t.itf.json"])
def test_a_walk_is_saved_replayed_and_evaluated(folder: Path, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    commands = ["-c", "random 6", "-c", "eval turn == 1", "-c", f"save {name}"]
    assert main(["simulate", "mutex.py", "--seed", "5", *commands]) == 0
    walked = capsys.readouterr().out
    assert "6  P_" in walked
    assert main(["trace", name, "--model", "mutex.py:Mutex(N=2)", "--eval", "turn == 1", "--json"]) == 0
    report = json.loads(capsys.readouterr().out.removeprefix("this file was executed\n"))
    assert report["trace"]["length"] == 6
    assert f"turn == 1 is {str(report['evaluations'][0]['values'][-1]).lower()}\n" in walked


def test_expected_verdicts_and_a_model_that_prints(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Output of a model in another process does not mix with the JSON object."""
    (folder / "expected.toml").write_text(
        'model = "mutex.py:Mutex(N=2)"\n'
        '[[check]]\nverdict = "HOLDS"\n[check.properties]\n"exclusion" = "HOLDS"\n'
        '[[check]]\nreach = ["turn == 1"]\nverdict = "HOLDS"\ntrace_length = 1\n'
    )
    assert main(["test", ".", "-j", "1", "--json"]) == 0
    stdout, stderr = capfd.readouterr()
    report = json.loads(stdout)
    assert "this file was executed" in stderr
    assert [one["outcome"] for one in report["cases"]] == ["holds-as-expected"] * 2
