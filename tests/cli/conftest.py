"""Running the command line: in this process for exact transcripts, in one of its own where signals matter."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from strandline.cli.main import main

MODELS = Path(__file__).resolve().parent.parent / "check" / "models"

_CHANGING = re.compile(r"^  (memory|time) .*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Answer:
    """What a command line did."""

    code: int
    stdout: str
    stderr: str

    @property
    def report(self) -> dict[str, Any]:
        """The JSON object on stdout, which must be all there is."""
        data: dict[str, Any] = json.loads(self.stdout)
        return data

    @property
    def transcript(self) -> str:
        """Stdout without what differs from run to run."""
        return _CHANGING.sub(r"  \1", self.stdout)


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
        stderr = stderr.replace("compiling the engine, once per machine ...\n", "")
        return Answer(code, stdout, stderr)

    return run
