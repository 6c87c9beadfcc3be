"""`strandline runs` lists the files left behind by killed runs, and removes them on request."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from command_line import Answer

Run = Callable[..., Answer]


@pytest.fixture
def killed(tmp_path: Path) -> list[Path]:
    """Leave the files of two killed runs in the folder `work`."""
    folders = [tmp_path / "work" / f"strandline-run-{name}" for name in "ab"]
    for folder, size in zip(folders, (10, 3 << 20), strict=True):
        folder.mkdir(parents=True)
        (folder / "pid").write_text("1\n")
        (folder / "parents").write_bytes(bytes(size))
        os.utime(folder, (0, 0))
    return folders


def test_they_are_listed(strandline: Run, killed: list[Path]) -> None:
    answer = strandline("runs", "--work-dir", "work")
    assert answer.code == 0
    first, second, last = answer.stdout.splitlines()
    assert re.fullmatch(r" +12 B +[\d.]+ days old +work/strandline-run-a *", first)
    assert re.fullmatch(r" +3\.0 MB +[\d.]+ days old +work/strandline-run-b *", second)
    assert last == "2 killed runs, 3.0 MB; `strandline runs --remove --work-dir work` removes it"
    assert all(folder.exists() for folder in killed)


def test_they_are_removed(strandline: Run, killed: list[Path]) -> None:
    answer = strandline("runs", "--work-dir", "work", "--remove", "--json")
    assert (answer.code, answer.report["command"]) == (0, "runs")
    assert [(one["path"], one["bytes"], one["removed"]) for one in answer.report["runs"]] == [
        ("work/strandline-run-a", 12, True),
        ("work/strandline-run-b", (3 << 20) + 2, True),
    ]
    assert not any(folder.exists() for folder in killed)
    assert strandline("runs", "--work-dir", "work").stdout == "no killed run has left anything behind\n"


def test_what_cannot_be_removed_is_told(strandline: Run, killed: list[Path], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.rmtree", lambda path, ignore_errors: None)
    answer = strandline("runs", "--work-dir", "work", "--remove")
    assert (answer.code, answer.stdout.count("cannot be removed")) == (3, 2)
