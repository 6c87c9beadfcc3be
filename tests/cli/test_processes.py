"""Signals, pipes and terminals, in processes of their own."""

from __future__ import annotations

import json
import os
import pty
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from command_line import MODELS

ENDLESS = str(MODELS / "endless.dve")
COMMAND = [sys.executable, "-m", "strandline"]


def _start(*arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [*COMMAND, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, bufsize=1
    )


def _wait_for_states(folder: Path, process: subprocess.Popen[str]) -> None:
    """Until the search has written a good part of its log."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and process.poll() is None:
        if sum(path.stat().st_size for path in folder.glob("strandline-run-*/parents")) > 4_000_000:
            return
        time.sleep(0.02)
    pytest.fail(f"the search did not start: {process.communicate()}")


def _processor_seconds(process: subprocess.Popen[str]) -> float:
    """The processor time that a running process has taken."""
    fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _seconds_of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


@pytest.mark.parametrize("options", [["--threads", "1"], ["--order", "dfs"], ["--measure", "A.x + B.x"]])
def test_ctrl_c_answers_within_half_a_second(tmp_path: Path, options: list[str]) -> None:
    """Of processor time, so that it does not matter what else the machine does."""
    before = _seconds_of_children()
    process = _start(
        "check", ENDLESS, "--invariant", "A.x < 2 and F.x < 2", "--invariant", "F.x < 255 or A.x + B.x < 509",
        "--json", "--work-dir", str(tmp_path), *options,
    )  # fmt: skip
    _wait_for_states(tmp_path, process)
    sent = _processor_seconds(process)
    process.send_signal(signal.SIGINT)
    stdout, stderr = process.communicate(timeout=60)
    assert _seconds_of_children() - before - sent < 0.5
    assert process.returncode == 130
    report = json.loads(stdout)
    assert (report["verdict"], report["complete"], report["reason"]) == ("VIOLATED", False, "interrupted")
    assert report["exit_code"] == 130
    assert [one["verdict"] for one in report["properties"]] == ["VIOLATED", "UNKNOWN"]
    assert report["visited"] > 0
    assert "Traceback" not in stderr
    assert list(tmp_path.iterdir()) == []


def test_ctrl_c_for_people(tmp_path: Path) -> None:
    process = _start("explore", ENDLESS, "--work-dir", str(tmp_path))
    _wait_for_states(tmp_path, process)
    process.send_signal(signal.SIGINT)
    stdout, _ = process.communicate(timeout=10)
    assert process.returncode == 130
    assert stdout.startswith("INCOMPLETE  endless\n  interrupted\n")


def test_termination_cleans_up(tmp_path: Path) -> None:
    process = _start("explore", ENDLESS, "--work-dir", str(tmp_path))
    _wait_for_states(tmp_path, process)
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=10)
    assert process.returncode == 143
    assert list(tmp_path.iterdir()) == []


def test_a_reader_that_has_gone_away() -> None:
    """`strandline ... | true`: the verdict's exit code stands, and nobody complains."""
    process = subprocess.Popen(
        [*COMMAND, "explore", str(MODELS / "mutex.dve"), "--quiet"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    complaints = process.stderr.read()
    process.stderr.close()
    assert process.wait() == 0
    assert complaints == b""


def test_the_installed_command_and_the_modules_are_one() -> None:
    for module in ("strandline", "strandline.cli"):
        answer = subprocess.run(
            [sys.executable, "-m", module, "info", "nothing.dve"],
            capture_output=True,
            text=True,
            check=False,
        )
        assert (answer.returncode, answer.stderr) == (2, "nothing.dve: no such file\n")


def drawn_while_exploring(seconds: float) -> tuple[bytes, str]:
    """Return what a search that is stopped after some time has drawn on the terminal, and its standard output."""
    controller, terminal = pty.openpty()
    environment = os.environ | {"TERM": "xterm", "COLUMNS": "100"}
    process = subprocess.Popen(
        [*COMMAND, "explore", ENDLESS, "--max-seconds", str(seconds)],
        stdout=subprocess.PIPE,
        stderr=terminal,
        env=environment,
    )
    os.close(terminal)
    drawn = b""
    while True:
        try:
            piece = os.read(controller, 4096)
        except OSError:
            break
        if not piece:
            break
        drawn += piece
    os.close(controller)
    stdout, _ = process.communicate()
    assert process.returncode == 3
    return drawn, stdout.decode()


def test_progress_is_drawn_on_a_terminal_and_taken_away() -> None:
    # On a busy machine the time may be over before the search begins.
    for seconds in (2.5, 20.5, 90.5):
        drawn, stdout = drawn_while_exploring(seconds)
        lines = [line for line in drawn.decode().split("\r") if " states · " in line]
        if lines:
            break
    assert lines
    assert stdout.startswith(f"INCOMPLETE  endless\n  the time limit of {seconds} s is reached\n")
    assert all("/s · stored " in line for line in lines)
    assert drawn.endswith(b"\r\x1b[K")
