"""Grids of parameters: every combination is checked as by itself, and the first that fails is named."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import strandline
from strandline.checker.verdicts.verdict import Answer
from strandline.cli.main import main
from strandline.errors import UsageError
from strandline.languages.parameters import grid_of

LEASES = Path(__file__).resolve().parents[2] / "examples" / "python-leases" / "leases.py"


def test_texts_are_values() -> None:
    assert grid_of(["N=2..4", "LOSS=0,1", "mode=fast,slow", "one=3", "t=(1, 2)"]) == {
        "N": [2, 3, 4],
        "LOSS": [0, 1],
        "mode": ["fast", "slow"],
        "one": [3],
        "t": [(1, 2)],
    }
    assert grid_of(["x=-2..0"]) == {"x": [-2, -1, 0]}


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        (["N=3..2"], "-D N=3..2: there is no value from the first to the last"),
        (["N=1..99999"], "1..99999 has more than 10,000 values"),
        (["N=1..3", "N=4"], "-D N=4: 'N' is given twice"),
        (["=1,2"], "-D =0: write NAME=VALUE, as in -D N=3"),
    ],
)
def test_wrong_texts(texts: list[str], message: str) -> None:
    with pytest.raises(UsageError) as caught:
        grid_of(texts)
    assert str(caught.value) == message


def test_every_combination_is_checked_as_by_itself() -> None:
    values: dict[str, list[int]] = {"time": [2], "fencing": [True, False]}
    grid = strandline.check_grid(LEASES, values, property=("no_stale_write",))
    assert [one.parameters for one in grid.rows] == [(("time", 2), ("fencing", fencing)) for fencing in (True, False)]
    for one in grid.rows:
        alone = strandline.check(strandline.load(LEASES, **dict(one.parameters)), property=("no_stale_write",))
        assert (one.answer, one.states) == (alone.answer, alone.statistics.states)
    assert grid.answer is Answer.VIOLATED
    assert grid.first_violated is not None
    assert grid.first_violated.title == "time=2 fencing=False"


def test_the_command_prints_a_table_and_the_worst_code(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["check", str(LEASES), "-D", "time=1..2", "-D", "fencing=false", "--property", "no_stale_write"]
    assert main([*arguments, "--json"]) == 12
    data = json.loads(capsys.readouterr().out)
    assert data["first_violated"] == {"time": 2, "fencing": False}
    assert [one["verdict"] for one in data["combinations"]] == ["HOLDS", "VIOLATED"]
    assert data["combinations"][1]["violated"] == ["no_stale_write"]


def test_a_value_that_the_model_refuses_is_a_row(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(LEASES), "-D", "clients=0,1", "--no-deadlock", "--reach", "now == 1"]) == 2
    printed = capsys.readouterr().out
    assert printed.startswith("UNKNOWN  ")
    assert "HOLDS" in printed
    assert "the first that is violated" not in printed


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (("--trace", "t.json"), "--trace FILE is for one verdict, and there are several combinations"),
        (("--expect", "holds"), "--expect holds is for one verdict, and there are several combinations"),
        (("--checkpoint", "folder"), "--checkpoint DIR keeps one run, and there are several combinations"),
        (("--question", "deadlock"), "--formulas and --question are for one model, and there are several combinations"),
    ],
)
def test_options_for_one_verdict_are_refused(
    flags: tuple[str, ...],
    message: str,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["check", str(LEASES), "-D", "time=1,2", *flags]) == 2
    assert message in capsys.readouterr().err


def test_a_process_that_dies_loses_its_own_combination_only(tmp_path: Path) -> None:
    text = LEASES.read_text().replace(
        "clients = param(2)", "clients = param(2)\nimport os\nif DIE: os.kill(os.getpid(), 9)"
    )
    (tmp_path / "model.py").write_text(text.replace("if DIE", "if os.path.exists('die')"))
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path)
        (tmp_path / "die").touch()
        grid = strandline.check_grid("model.py", {"time": [1]})
        assert grid.rows[0].reason == "its process ended with code -9"
        (tmp_path / "die").unlink()
        assert strandline.check_grid("model.py", {"time": [1]}, property=("no_stale_write",)).answer is Answer.HOLDS


def test_other_commands_refuse_several_values(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explore", str(LEASES), "-D", "time=1..3"]) == 2
    assert "-D time=1..3: several values are for 'check', which runs every combination" in capsys.readouterr().err


def test_wrong_calls() -> None:
    with pytest.raises(TypeError, match="did you mean 'invariants'"):
        strandline.check_grid(LEASES, {"time": [1]}, invariant="x")
    with pytest.raises(UsageError, match="the parameter 'time' has no values"):
        strandline.check_grid(LEASES, {"time": []})
    with pytest.raises(UsageError, match="it is a file, not System"):
        strandline.check_grid(strandline.load(LEASES), {"time": [1]})  # type: ignore[arg-type]
