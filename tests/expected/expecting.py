"""Writing an expected.toml beside copies of the small models."""

from __future__ import annotations

import shutil
from pathlib import Path

from strandline.checker.expected.cases import CaseResult
from strandline.checker.expected.reader import read_expected
from strandline.cli.testing import run_case

MODELS = Path(__file__).resolve().parent.parent / "checker" / "models"


def write(folder: Path, text: str, *models: str) -> Path:
    """An expected.toml with this text in a folder that holds the models."""
    folder.mkdir(parents=True, exist_ok=True)
    for model in models or ("mutex", "counter", "index", "watched", "endless"):
        shutil.copy(MODELS / f"{model}.dve", folder)
    file = folder / "expected.toml"
    file.write_text(text)
    return file


def run_only(file: Path) -> CaseResult:
    """The result of the one case in a file."""
    (case,) = read_expected(file)
    return run_case(case)
