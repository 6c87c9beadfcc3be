"""Python models are programs: executing them can be forbidden, and their end is not taken for a verdict."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

MODEL = """
from strandline import Model, Range, action, require


class Count(Model):
    x: Range[0, 3] = 0

    @action
    def up(m):
        require(m.x < 3)
        m.x += 1
"""
COMMANDS = (
    ("check", "model.py"),
    ("explore", "model.py"),
    ("measures", "model.py"),
    ("simulate", "model.py"),
    ("info", "model.py"),
    ("conform", "model.py", "run.log"),
    ("graph", "model.py"),
    ("serve", "model.py"),
    ("sweepline", "-m", "model.py", "-a", "model.py", "-s"),
)
ENDS = {
    "os._exit": "import os; os._exit(0)",
    "posix._exit": "import posix; posix._exit(0)",
    "os.execv": "import os; os.execv('/bin/true', ['true'])",
    "sys.exit": "import sys; sys.exit(0)",
    "os.abort": "import os; os.abort()",
}


def strandline(folder: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "strandline.cli", *arguments]
    return subprocess.run(
        command, cwd=folder, env=os.environ | environment, capture_output=True, text=True, stdin=subprocess.DEVNULL
    )


@pytest.fixture
def marked(tmp_path: Path) -> Path:
    """Return a folder with a model that leaves a file behind when it is executed."""
    (tmp_path / "model.py").write_text(f"open('executed', 'w').close()\n{MODEL}")
    return tmp_path


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
def test_no_command_executes_a_model_where_that_is_forbidden(marked: Path, command: tuple[str, ...]) -> None:
    for run in (
        strandline(marked, *command, "--no-python"),
        strandline(marked, *command, STRANDLINE_NO_PYTHON="1"),
    ):
        assert run.returncode == 2, run.stderr
        assert "a Python model is a program, and executing it is forbidden" in run.stderr
    assert not (marked / "executed").exists()


def test_a_folder_of_cases_executes_none_either(marked: Path) -> None:
    (marked / "expected.toml").write_text('model = "model.py"\nstates = 4\n')
    run = strandline(marked, "test", "--no-python", ".")
    assert run.returncode == 2, run.stdout + run.stderr
    assert "executing it is forbidden" in run.stdout + run.stderr
    assert not (marked / "executed").exists()


def test_other_languages_are_read_and_nothing_forbids_a_zero(tmp_path: Path, marked: Path) -> None:
    (tmp_path / "model.dve").write_text("process P { state s; init s; } system async;\n")
    assert strandline(tmp_path, "explore", "model.dve", "--no-python").returncode == 0
    assert strandline(marked, "explore", "model.py", STRANDLINE_NO_PYTHON="0").returncode == 0
    assert (marked / "executed").exists()


@pytest.mark.parametrize("end", ENDS)
def test_a_model_that_ends_the_process_is_an_error(tmp_path: Path, end: str) -> None:
    """Exit code 0 means that all holds."""
    (tmp_path / "model.py").write_text(f"{ENDS[end]}\n{MODEL}")
    run = strandline(tmp_path, "check", "model.py", "--deadlock")
    assert run.returncode == 2, run.stderr
    assert "the file terminates the program on loading" in run.stderr


@pytest.mark.parametrize(
    "place",
    [
        "import atexit, os; atexit.register(os._exit, 0)",
        "import os, threading; threading.Thread(target=os._exit, args=[0]).start()",
    ],
    ids=["atexit", "thread"],
)
def test_a_model_cannot_end_the_process_later(tmp_path: Path, place: str) -> None:
    (tmp_path / "model.py").write_text(f"{place}\n{MODEL}")
    run = strandline(tmp_path, "check", "model.py", "--invariant", "x < 3")
    assert run.returncode == 12, run.stderr
    assert "VIOLATED" in run.stdout
