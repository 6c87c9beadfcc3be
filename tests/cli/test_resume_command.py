"""`strandline resume` goes on with a run, wherever it is given and with whatever is added to it."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from command_line import Answer

from strandline.checker.checkpoints.checksums import read_sealed

Run = Callable[..., Answer]
BEGIN = ("check", "clocks.dve", "--invariant", "P.x < 30", "--checkpoint", "saved", "--max-states", "5000")


def test_a_run_goes_on_elsewhere(strandline: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    began = strandline(*BEGIN)
    assert began.code == 3
    assert "the limit of 5,000 states is reached; `strandline resume saved` continues" in began.stdout
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    again = strandline("resume", "../saved", "--max-states", "6k", "--json")
    assert (again.code, again.report["verdict"]) == (3, "UNKNOWN")
    assert again.report["command"] == "check"
    resumed = strandline("resume", str(tmp_path / "saved"), "--max-states", "1M")
    assert resumed.code == 0
    assert re.fullmatch(r"resumed after 5,\d{3} visited states\n", resumed.stderr)
    assert resumed.stdout.startswith("HOLDS  clocks")
    assert "27,000" in resumed.stdout
    assert not (tmp_path / "saved").exists()


def test_there_is_nothing_to_go_on_with(strandline: Run, tmp_path: Path) -> None:
    answer = strandline("resume", "nowhere")
    told = f"strandline resume: {tmp_path / 'nowhere'}: there is no run to resume\n"
    assert (answer.code, answer.stderr) == (2, told)


def test_a_run_is_not_written_over(strandline: Run, tmp_path: Path) -> None:
    strandline(*BEGIN)
    answer = strandline(*BEGIN)
    told = "--checkpoint saved: the folder has a run already; `strandline resume saved` continues it"
    assert (answer.code, answer.stderr) == (2, f"strandline check: {told}\n")
    assert read_sealed(tmp_path / "saved" / "command.json")["command"] == list(BEGIN)


def test_another_folder_is_left_alone(strandline: Run, tmp_path: Path) -> None:
    answer = strandline(*BEGIN[:-3], ".")
    assert (answer.code, answer.stderr) == (2, "strandline check: --checkpoint .: the folder is not empty\n")
    assert not (tmp_path / "command.json").exists()


def test_the_model_was_changed(strandline: Run, tmp_path: Path) -> None:
    strandline(*BEGIN)
    model = tmp_path / "clocks.dve"
    model.write_text(model.read_text().replace("29", "28"))
    answer = strandline("resume", "saved")
    other = f"{tmp_path / 'saved'}: the run was begun with another model, other properties or other settings"
    assert (answer.code, answer.stderr) == (2, f"strandline check: {other}\n")
    assert (tmp_path / "saved").exists()
