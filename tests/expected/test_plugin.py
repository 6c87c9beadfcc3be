"""The pytest plugin: off unless asked for, then every case is a test."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from importlib import import_module
from pathlib import Path

from expecting import write

REPOSITORY = Path(__file__).resolve().parents[2]
PLUGIN = "strandline.cli.pytest_plugin"


def _pytest(folder: Path, *arguments: str, settings: str = "") -> tuple[int, str]:
    """Run pytest with no plugin but ours in a process of its own."""
    (folder / "pytest.ini").write_text(f"[pytest]\n{settings}")
    answer = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", PLUGIN, "-p", "no:cacheprovider", "-rA", *arguments],
        cwd=folder,
        env={**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTHONPATH": str(REPOSITORY / "src")},
        capture_output=True,
        text=True,
        check=False,
    )
    return answer.returncode, answer.stdout + answer.stderr


def test_nothing_is_collected_unless_asked_for(tmp_path: Path) -> None:
    write(tmp_path, 'model = "mutex.dve"\nstates = 9\n', "mutex")
    code, text = _pytest(tmp_path)
    assert code == 5
    assert "no tests ran" in text


def test_every_case_is_a_test(tmp_path: Path) -> None:
    text = 'model = "mutex.dve"\nstates = 9\n[[check]]\nname = "both"\n'
    text += 'invariants = ["not (P.critical and Q.critical)"]\nverdict = "HOLDS"\n'
    text += '[[check]]\ninvariants = ["nothing"]\nverdict = "VIOLATED"\n'
    write(tmp_path / "m", text, "mutex")
    (tmp_path / "test_own.py").write_text("def test_own(): pass\n")
    code, text = _pytest(tmp_path, "--strandline-expected", "--junitxml", "j.xml")
    assert code == 1
    assert "2 failed, 2 passed" in text
    assert "PASSED m/expected.toml::counts" in text
    assert "FAILED m/expected.toml::both" in text
    assert "m: both: violated unexpectedly" in text
    assert "VIOLATED, expected HOLDS" in text
    assert "m: check 2: error" in text
    assert "Traceback" not in text
    assert '<property name="outcome" value="violated-unexpectedly" />' in (tmp_path / "j.xml").read_text()


def test_the_setting_turns_it_on_and_a_bad_file_is_an_error_of_collection(tmp_path: Path) -> None:
    write(tmp_path, 'model = "mutex.dve"\nstatse = 9\n', "mutex")
    code, text = _pytest(tmp_path, settings="strandline_expected = true\n")
    assert code == 2
    assert "expected.toml:2:1: 'statse' is unknown here" in text
    assert "ERROR expected.toml" in text


def test_the_package_announces_the_plugin() -> None:
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["project"]
    assert project["entry-points"]["pytest11"] == {"strandline": PLUGIN}
    assert hasattr(import_module(PLUGIN), "pytest_collect_file")


def test_the_plugin_imports_nothing_of_the_package_until_it_is_used() -> None:
    code = f"import sys, {PLUGIN}; print(sorted(m for m in sys.modules if m.startswith('strandline')))"
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert answer.stdout.strip() == str(["strandline", "strandline.cli", PLUGIN])
