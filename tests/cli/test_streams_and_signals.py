"""Streams that are closed or full, signals, and texts with escape codes: the right exit code and no traceback."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from command_line import MODELS

import strandline
from strandline.cli import main as main_module
from strandline.errors import InputError

COMMAND = [sys.executable, "-m", "strandline.cli"]
EXPLORE = [*COMMAND, "explore", str(MODELS / "counter.dve"), "--quiet"]


def run(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "TMPDIR": str(folder)}
    return subprocess.run(
        ["bash", "-c", command], env=environment, capture_output=True, text=True, timeout=120, check=False
    )


@pytest.mark.parametrize(
    ("ending", "code", "said"),
    [
        (">&-", 0, ""),
        ("2>&-", 0, ""),
        ("<&-", 0, ""),
        ("> /dev/full", 3, "strandline: standard output cannot be written to: No space left on device\n"),
        ("--json > /dev/full", 3, "strandline: standard output cannot be written to: No space left on device\n"),
    ],
)
def test_streams(tmp_path: Path, ending: str, code: int, said: str) -> None:
    done = run(f"{' '.join(EXPLORE)} {ending}", tmp_path)
    assert (done.returncode, done.stderr) == (code, said)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_signals(tmp_path: Path, number: signal.Signals, code: int) -> None:
    endless = [*COMMAND, "explore", str(MODELS / "endless.dve"), "--json", "--quiet", "--work-dir", str(tmp_path)]
    # Who runs the tests by nohup lets all processes ignore SIGHUP.
    process = subprocess.Popen(
        endless,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(number, signal.SIG_DFL) and None,
    )
    deadline = time.monotonic() + 60
    while not any(tmp_path.glob("strandline-run-*/parents*")) and time.monotonic() < deadline:
        time.sleep(0.05)
    process.send_signal(number)
    out, err = process.communicate(timeout=60)
    report = json.loads(out)
    assert (process.returncode, report["exit_code"], report["verdict"]) == (code, code, "UNKNOWN")
    assert report["reason"] == "interrupted"
    assert err == ""
    assert list(tmp_path.iterdir()) == []


def test_a_signal_before_the_search_is_an_object_too(tmp_path: Path) -> None:
    model = tmp_path / "model.py"
    ready = tmp_path / "ready"
    model.write_text(f"import time\nopen({str(ready)!r}, 'w').close()\ntime.sleep(60)\n")
    command = [*COMMAND, "check", str(model), "--json", "--quiet"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    while not ready.exists():
        time.sleep(0.05)
    process.terminate()
    out, err = process.communicate(timeout=60)
    assert process.returncode == json.loads(out)["exit_code"] == 143
    assert err == "ended by SIGTERM\n"


def test_escape_codes_in_excerpts_do_nothing(tmp_path: Path) -> None:
    file = tmp_path / "model.dve"
    file.write_text("byte x; \x1b[31m byte\x07 y;\n")
    with pytest.raises(InputError) as error:
        strandline.load(file)
    assert "\x1b" not in str(error.value)
    assert "\x07" not in str(error.value)
    assert "byte x; \N{REPLACEMENT CHARACTER}[31m byte\N{REPLACEMENT CHARACTER} y;" in str(error.value)


def test_an_interrupt_while_a_class_is_made_is_no_bug(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Up to Python 3.11 `type` replaces any exception that `__set_name__` raises by a `RuntimeError`."""

    def import_a_module(given: list[str], parsed: object) -> int:
        try:
            raise KeyboardInterrupt
        except KeyboardInterrupt as interrupt:
            raise RuntimeError("Error calling __set_name__") from interrupt

    monkeypatch.setattr(main_module, "run_command", import_a_module)
    assert main_module.main(["explore", "model.dve"]) == 130
    assert capsys.readouterr().err == "interrupted\n"
