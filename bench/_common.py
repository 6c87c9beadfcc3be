"""What the measuring programs share: running a command under a guard, reading its JSON, printing tables."""

from __future__ import annotations

import argparse
import json
import os
import shlex
import subprocess
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
MEBIBYTE = 1 << 20


class MeasuringFailed(Exception):
    """A measurement could not be made, or what was measured is not comparable; the text says why."""


@dataclass(frozen=True, slots=True)
class Run:
    """One finished command: its JSON object (empty when it failed) and its wall-clock time."""

    seconds: float
    report: dict[str, Any] = field(default_factory=dict)
    failure: str | None = None


def add_command_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--command",
        type=shlex.split,
        default=[str(ROOT / "strandline")],
        metavar="COMMAND",
        help="how to start strandline (default: the ./strandline of this checkout)",
    )


def memory_limit_bytes(kept_free: int) -> int | None:
    """The machine's memory less what is to stay free; None where it cannot be asked."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") - kept_free
    except (ValueError, OSError):
        return None


def resident_bytes(process: int) -> int:
    """The resident set of a process; 0 if the system does not report it (then the guard has no effect)."""
    try:
        pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
    except (OSError, IndexError, ValueError):
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")


def run_strandline(
    command: Sequence[str],
    arguments: Iterable[str],
    *,
    max_seconds: float | None = None,
    max_bytes: int | None = None,
) -> Run:
    """Run strandline with ``--json``; it is killed when it takes more time or memory than it may."""
    started = time.monotonic()
    process = subprocess.Popen(
        [*command, *arguments, "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        stdout, stderr, killed = _wait(process, started, max_seconds, max_bytes)
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()
    seconds = time.monotonic() - started
    if killed:
        return Run(seconds, failure=killed)
    try:
        report = json.loads(stdout)
    except json.JSONDecodeError:
        last = (stderr.strip().splitlines() or ["no output"])[-1]
        return Run(seconds, failure=f"exit code {process.returncode}: {last}")
    return Run(seconds, report=report)


def _wait(
    process: subprocess.Popen[str], started: float, max_seconds: float | None, max_bytes: int | None
) -> tuple[str, str, str | None]:
    while True:
        try:
            stdout, stderr = process.communicate(timeout=0.2)
        except subprocess.TimeoutExpired:
            reason = None
            if max_seconds is not None and time.monotonic() - started > max_seconds:
                reason = f"more than {max_seconds:.0f} s"
            elif max_bytes is not None and resident_bytes(process.pid) > max_bytes:
                reason = f"more than {max_bytes // MEBIBYTE} MiB"
            if reason is not None:
                process.kill()
                process.communicate()
                return "", "", reason
        else:
            return stdout, stderr, None


def warm_up(command: Sequence[str]) -> None:
    """Let ./strandline make its environment before anything is timed."""
    answer = subprocess.run([*command, "--version"], capture_output=True, text=True, check=False)
    if answer.returncode != 0:
        raise MeasuringFailed(f"{shlex.join([*command, '--version'])} failed:\n{answer.stderr.strip()}")


def print_table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """A plain table: the first column to the left, all others to the right."""
    table = [list(heads), *(list(row) for row in rows)]
    widths = [max(len(row[column]) for row in table) for column in range(len(heads))]
    for number, row in enumerate(table):
        cells = [row[0].ljust(widths[0])]
        cells += [cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True)]
        print("  ".join(cells).rstrip())
        if number == 0:
            print("  ".join("-" * width for width in widths))
