"""`strandline simulate` at a real pseudo-terminal: prompt, line editing, colours, Ctrl-C and Ctrl-D."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from select import select

import pytest

MODELS = Path(__file__).resolve().parent.parent / "checker" / "models"
CONTROL_C, CONTROL_D, TAB = "\x03", "\x04", "\t"
PATIENCE = 30.0


class Terminal:
    """A simulation at a pseudo-terminal."""

    def __init__(self, *arguments: str, **environment: str) -> None:
        self._master, other = pty.openpty()
        surroundings = {key: value for key, value in os.environ.items() if key not in ("NO_COLOR", "INPUTRC")}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "strandline", "simulate", *arguments],
            stdin=other,
            stdout=other,
            stderr=other,
            start_new_session=True,
            preexec_fn=_take_terminal,
            env={**surroundings, "TERM": "xterm", **environment},
        )
        os.close(other)
        self.text = ""

    def expect(self, pattern: str) -> str:
        """Read until the pattern has been seen; returns what came before and with it."""
        deadline = time.monotonic() + PATIENCE
        while (match := re.search(pattern, self.text)) is None:
            ready, _, _ = select([self._master], [], [], max(0.0, deadline - time.monotonic()))
            assert ready, f"waited for {pattern!r}, got {self.text!r}"
            try:
                read = os.read(self._master, 65536).decode()
            except OSError:
                read = ""
            assert read, f"ended before {pattern!r}: {self.text!r}"
            self.text += read
        seen, self.text = self.text[: match.end()], self.text[match.end() :]
        return seen

    def type(self, keys: str) -> None:
        os.write(self._master, keys.encode())

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        os.close(self._master)


def _take_terminal() -> None:
    """Make the terminal the one that sends Ctrl-C."""
    import fcntl
    import termios

    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


@pytest.fixture
def terminal() -> Iterator[Terminal]:
    opened = Terminal(str(MODELS / "mutex.dve"), "--seed", "1")
    yield opened
    opened.close()


def test_a_conversation_with_a_mistake_in_it(terminal: Terminal) -> None:
    assert "\x1b[1minitial state\x1b[0m" in terminal.expect("0> ")
    terminal.type("1\n")
    assert "P: idle -> seen" in terminal.expect("1> ")
    terminal.type("9\n")
    assert "there is no step 9: choose 1 to 2" in terminal.expect("1> ")
    terminal.type("eval P.seen\n")
    assert "P.seen is true" in terminal.expect("1> ")
    terminal.type("quit\n")
    assert terminal.process.wait(PATIENCE) == 0


def test_control_d_leaves(terminal: Terminal) -> None:
    terminal.expect("0> ")
    terminal.type(CONTROL_D)
    assert terminal.process.wait(PATIENCE) == 0


def test_control_c_leaves_without_a_stack_trace(terminal: Terminal) -> None:
    terminal.expect("0> ")
    terminal.type("eva")
    terminal.expect("eva")  # the line editor is waiting for keys
    time.sleep(0.2)
    terminal.type(CONTROL_C)
    assert terminal.process.wait(PATIENCE) == 130
    assert "Traceback" not in terminal.text


def test_control_c_stops_a_long_walk_and_stays(terminal: Terminal) -> None:
    terminal.expect("0> ")
    terminal.type("random 100000000\n")
    time.sleep(0.5)
    terminal.type(CONTROL_C)
    said = terminal.expect(r"[0-9]+> ")
    assert re.search(r"stopped after [0-9,]+ steps of the path", said)
    terminal.type("quit\n")
    assert terminal.process.wait(PATIENCE) == 0


def test_tab_completes_commands_where_there_is_readline(terminal: Terminal) -> None:
    pytest.importorskip("readline")
    terminal.expect("0> ")
    terminal.type(f"ra{TAB}2\n")
    terminal.expect("2> ")
    terminal.type(CONTROL_D)
    assert terminal.process.wait(PATIENCE) == 0


def test_no_colours_where_they_are_declined() -> None:
    terminal = Terminal(str(MODELS / "mutex.dve"), "--seed", "1", NO_COLOR="1")
    try:
        assert "\x1b[1m" not in terminal.expect("0> ")
        terminal.type("quit\n")
        assert terminal.process.wait(PATIENCE) == 0
    finally:
        terminal.close()
