"""A model file is a program: its output and exceptions must not be taken for a verdict."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from strandline.cli.main import main

MODEL = """
from strandline import Model, Range, action, require
print("loading")
class Counter(Model):
    x: Range[0, 3] = 0
    @action
    def up(m):
        require(m.x < 3)
        m.x += 1
"""


def test_what_a_file_prints_goes_to_stderr(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "counter.py"
    path.write_text(MODEL, encoding="utf-8")
    assert main(["explore", str(path), "--json"]) == 0
    out, err = capsys.readouterr()
    data = json.loads(out)
    assert (data["states"], data["notes"]) == (4, [])
    assert "loading" in err


def test_a_file_that_exits_is_no_verdict(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "gone.py"
    path.write_text("import sys\nsys.exit(0)\n", encoding="utf-8")
    assert main(["check", str(path)]) == 2
    assert "terminates the program on loading: sys.exit(0)" in capsys.readouterr().err
