"""SPIN as a measured program: finding and installing it, building a verifier, reading what it prints.

The verifier is built for an exact and complete search that keeps nothing but what it needs: no merging of
statements (``spin -o1 -o2 -o3``), no partial-order reduction (``-DNOREDUCE``), safety only (``-DSAFETY``),
no fairness (``-DNOFAIR``); it goes on after errors and does not report blocked processes (``-c0 -E``).
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from _common import MEBIBYTE, MeasuringFailed

COMPILE = ("gcc", "-O2", "-DNOREDUCE", "-DSAFETY", "-DNOFAIR", "-DMEMLIM=16384", "-w", "-o", "pan", "pan.c")
# Deeper than any of the systems; a search that is cut off at this depth is refused.
DEPTH = 1_000_000


@dataclass(frozen=True, slots=True)
class SpinRun:
    """One run of SPIN.

    ``state_bytes`` is its "actual memory usage for states", ``table_bytes`` its hash table; the stack is in
    neither. ``translate_seconds`` (spin -a and gcc) and ``search_wall_seconds`` add up to the
    end-to-end time, ``search_seconds`` is what the verifier itself reports.
    """

    hash_bits: int
    states: int
    transitions: int
    search_seconds: float
    search_wall_seconds: float
    translate_seconds: float
    state_bytes: float
    table_bytes: float

    @property
    def rate(self) -> float:
        return self.states / self.search_seconds

    @property
    def end_to_end_seconds(self) -> float:
        return self.translate_seconds + self.search_wall_seconds


def missing() -> list[str]:
    return [tool for tool in ("spin", "gcc") if shutil.which(tool) is None]


def install_command() -> list[str]:
    """How SPIN and a C compiler are installed on this system."""
    if shutil.which("apt-get"):
        administrator = [] if os.geteuid() == 0 else ["sudo"]
        return [*administrator, "apt-get", "install", "-y", "spin", "gcc", "libc6-dev"]
    if shutil.which("brew"):
        return ["brew", "install", "spin", "gcc"]
    raise MeasuringFailed("SPIN is missing and neither apt-get nor brew is here; see https://spinroot.com")


def build(promela: str, folder: Path, *, reduced: bool = False, further: Sequence[str] = ()) -> float:
    """Translate and compile a model in ``folder``; the seconds it took. ``reduced``: with SPIN's own partial-order
    reduction, statements still not merged. ``further``: options of its verifier, such as ``-DHC4``."""
    (folder / "model.pml").write_text(promela)
    started = time.monotonic()
    compiling = [*(one for one in COMPILE if not (reduced and one == "-DNOREDUCE")), *further]
    for command in (["spin", "-o1", "-o2", "-o3", "-a", "model.pml"], compiling):
        answer = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        if answer.returncode != 0:
            text = (answer.stdout + answer.stderr).strip()
            raise MeasuringFailed(f"{shlex.join(command)} failed:\n{text}")
    return time.monotonic() - started


def search(folder: Path, hash_bits: int, translate_seconds: float) -> SpinRun:
    """Run the verifier that ``build`` left in ``folder`` once."""
    command = ["./pan", f"-m{DEPTH}", f"-w{hash_bits}", "-c0", "-E", "-n"]
    started = time.monotonic()
    answer = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    wall = time.monotonic() - started
    text = answer.stdout
    for trouble in ("max search depth too small", "out of memory", "Search not completed"):
        if trouble in text + answer.stderr:
            raise MeasuringFailed(f"SPIN's search is not complete: {trouble}")
    return SpinRun(
        hash_bits=hash_bits,
        states=int(figure(text, r"(\d+) states, stored")),
        # SPIN counts the initial state as a transition.
        transitions=int(figure(text, r"(\d+) transitions")) - 1,
        # The verifier rounds to 10 ms: a tiny search takes "0".
        search_seconds=max(figure(text, r"elapsed time ([\d.e+]+) seconds"), 0.01),
        search_wall_seconds=wall,
        translate_seconds=translate_seconds,
        # A bitstate search has a table alone.
        state_bytes=figure(text, r"([\d.]+)\s+actual memory usage for states", 0.0) * MEBIBYTE,
        table_bytes=figure(text, r"([\d.]+)\s+memory used for hash (?:table|array)") * MEBIBYTE,
    )


def figure(text: str, pattern: str, otherwise: float | None = None) -> float:
    found = re.search(pattern, text)
    if found is None and otherwise is not None:
        return otherwise
    if found is None:
        raise MeasuringFailed(f"SPIN did not print {pattern!r}; it printed:\n{text.strip()[-2000:]}")
    return float(found[1])


def best_hash_bits(folder: Path, states: int) -> int:
    """SPIN's best ``-w``: of five tables around the number of states, the one that takes least memory among
    those no more than a twentieth slower than the fastest."""
    middle = max(states.bit_length(), 18)
    runs = [search(folder, bits, 0.0) for bits in range(middle - 3, middle + 2)]
    fastest = max(run.rate for run in runs)
    good = [run for run in runs if run.rate >= 0.95 * fastest]
    return min(good, key=lambda run: run.state_bytes + run.table_bytes).hash_bits
