"""Run the command line in a process of its own, within a budget of time and memory."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from strandline.errors import UsageError

_GRACE = 30.0
"""Seconds for which a process may outlive its budget: compiling the engine, once per machine, cannot be interrupted."""
_SHARE = 0.8
"""The part of the memory that the search may use; the rest is for loading, compiling and printing."""
LEAST_MEGABYTES = 512
_MOST_SECONDS, _MOST_MEGABYTES = 3_600, 1 << 20
_LONGEST = 64 << 20
"""Most bytes of an answer that are read."""
_INTERVAL = 0.05


@dataclass(frozen=True, slots=True)
class Budget:
    """The seconds and the megabytes of memory that a call may use."""

    seconds: float
    megabytes: int

    def __post_init__(self) -> None:
        if not 0 < self.seconds <= _MOST_SECONDS:
            raise UsageError(f"max_seconds must be greater than 0 and at most {_MOST_SECONDS:,}, not {self.seconds}")
        if not LEAST_MEGABYTES <= self.megabytes <= _MOST_MEGABYTES:
            raise UsageError(
                f"max_memory_mb must be from {LEAST_MEGABYTES} (the program itself takes half of that) to "
                f"{_MOST_MEGABYTES:,}, not {self.megabytes}"
            )

    @property
    def limits(self) -> list[str]:
        """The options of a search that make it end within the budget."""
        return ["--max-seconds", str(self.seconds), *self.memory]

    @property
    def memory(self) -> list[str]:
        return ["--memory", f"{int(self.megabytes * _SHARE)}M"]


class OverBudget(Exception):
    """Raised when a process was killed because it exceeded its budget; the text says which limit."""


def run_command(arguments: Sequence[str], budget: Budget, variables: Mapping[str, str], folder: Path) -> dict[str, Any]:
    """Run `strandline` with the arguments in a folder, and return the JSON object that it prints.

    The process group is killed if it exceeds the budget's memory, or its time by more than what compiling may take;
    this raises `OverBudget`.
    """
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as complaints:
        process = subprocess.Popen(
            [sys.executable, "-m", "strandline", *arguments],
            cwd=folder,
            env={**os.environ, **variables},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=complaints,
            start_new_session=True,
        )
        try:
            _watch(process, budget, output)
        finally:
            _kill(process)
        output.seek(0)
        try:
            data: dict[str, Any] = json.loads(output.read())
        except ValueError:
            complaints.seek(0)
            raise OverBudget(f"the process ended without an answer: {_last_line(complaints.read())}") from None
        return data


def _watch(process: subprocess.Popen[bytes], budget: Budget, output: IO[bytes]) -> None:
    """Wait until the process ends. Raises `OverBudget` if it exceeds the budget."""
    end = time.monotonic() + budget.seconds + _GRACE
    while True:
        with suppress(subprocess.TimeoutExpired):
            process.wait(_INTERVAL)
            return
        if time.monotonic() > end:
            raise OverBudget(
                f"the process was killed {_GRACE:.0f} seconds after the end of its {budget.seconds} seconds"
            )
        if _resident(process.pid) > budget.megabytes << 20:
            raise OverBudget(f"the process was killed because it took more than {budget.megabytes} MB of memory")
        if os.fstat(output.fileno()).st_size > _LONGEST:
            raise OverBudget(f"the process was killed because its answer has more than {_LONGEST >> 20} MB")


def _resident(process: int) -> int:
    """Return the resident set of a process in bytes; 0 where the system does not say."""
    try:
        return int(Path(f"/proc/{process}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, IndexError, ValueError):
        return 0


def _kill(process: subprocess.Popen[bytes]) -> None:
    """Kill the process and those that it started; nothing if they have ended."""
    with suppress(OSError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _last_line(text: bytes) -> str:
    lines = text.decode("utf-8", "replace").strip().splitlines()
    return lines[-1] if lines else "it printed nothing"
