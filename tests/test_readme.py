"""The commands and outputs in README are tested."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def strandline(arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "strandline", *shlex.split(arguments)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)


def test_the_terminal_capture_is_real() -> None:
    capture = re.search(r"```console\n\$ \./strandline (.*)\n((?:.|\n)*?)```", README)
    assert capture is not None
    run = strandline(capture[1])
    assert run.returncode == 12
    assert run.stdout.startswith(capture[2].rstrip("\n"))


def test_the_first_command_checks_a_model() -> None:
    command = re.search(r"\$ \./strandline (check examples/\S+)\n\$ \./test\n", README)
    assert command is not None
    run = strandline(command[1])
    assert (run.returncode, run.stdout.split()[0]) == (0, "HOLDS")


def test_the_python_example_runs() -> None:
    code = re.search(r"```python\n((?:.|\n)*?)```", README)
    assert code is not None
    run = subprocess.run(
        [sys.executable, "-c", code[1]], cwd=ROOT, capture_output=True, text=True, timeout=120, check=False
    )
    assert run.stdout.split()[0] == "HOLDS", run.stderr


def test_every_file_it_points_to_exists() -> None:
    targets = re.findall(r"\]\(([^)#]+)\)", README)
    assert targets
    assert [target for target in targets if not (ROOT / target).exists()] == []
