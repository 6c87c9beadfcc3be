"""Models as they are written in the documentation and in the examples pass mypy, and pyright in its standard mode."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
AROUND = "from strandline import *\n\nN = param(2)\n\n\nclass Around(Model):\n    lost: bool\n"
"""What stands around a part of a model."""


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with every model of the documentation, also those of which only a part is shown, and of the examples,
    and the settings of pyright."""
    folder = tmp_path_factory.mktemp("models")
    for page in sorted(ROOT.glob("docs/*.md")):
        for number, text in enumerate(re.findall(r"```python\n(.*?)```", page.read_text(), re.DOTALL)):
            if "Model)" in text or text.startswith("    "):
                file = folder / f"{page.stem.replace('-', '_')}_{number}.py"
                file.write_text((AROUND if text.startswith("    ") else "") + text)
    assert len(list(folder.iterdir())) >= 4
    for file in ROOT.glob("examples/*/*.py"):
        (folder / f"{file.parent.name.replace('-', '_')}_{file.name}").write_text(file.read_text())
    settings = {"typeCheckingMode": "standard", "extraPaths": [str(ROOT / "src")]}
    (folder / "pyrightconfig.json").write_text(json.dumps(settings))
    return folder


def test_they_pass_mypy(models: Path, tmp_path: Path) -> None:
    files = sorted(map(str, models.glob("*.py")))
    command = [sys.executable, "-m", "mypy", "--config-file=", f"--cache-dir={tmp_path}", *files]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert run.stdout == f"Success: no issues found in {len(files)} source files\n"


@pytest.mark.skipif(find_spec("pyright") is None, reason="pyright is not installed")
def test_they_pass_pyright(models: Path) -> None:
    command = [sys.executable, "-m", "pyright", "--outputjson", "--pythonpath", sys.executable, "-p", str(models)]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    told = json.loads(run.stdout)
    wrong = [
        f"{Path(one['file']).name}:{one['range']['start']['line'] + 1}: {one['message']}"
        for one in told["generalDiagnostics"]
    ]
    assert wrong == []
    assert told["summary"]["filesAnalyzed"] == len(list(models.glob("*.py")))
