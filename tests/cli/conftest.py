"""Running a command line in this process, for exact transcripts."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from command_line import MODELS, Answer

from strandline.cli.main import main


@pytest.fixture
def strandline(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., Answer]:
    """Run a command line in a directory that holds the small models."""
    for model in MODELS.glob("*.dve"):
        shutil.copy(model, tmp_path)
    (tmp_path / "run").mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "run"))

    def run(*arguments: str) -> Answer:
        code = main(arguments)
        stdout, stderr = capsys.readouterr()
        # The engine's first use ever says so; whether it is the first is not what these tests are about.
        stderr = stderr.replace("compiling this part of the engine, once per machine ...\n", "")
        return Answer(code, stdout, stderr)

    return run
