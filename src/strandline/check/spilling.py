"""Machine code for searches that go on when memory is full, ready before memory is counted: when it is loaded, little
may be left."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

from strandline.check.memory import in_another_process
from strandline.engine.search import Search, Searching

RESERVE, RESERVED_PART = 12 << 20, 32
"""Bytes that a search with states on disk leaves for all else, and the part of the rest: what is merged is there twice
for a moment."""
WORTH_TREES = 24 << 20
"""Bytes of the engine with which states are kept as trees before they go to disk: with less, the machine code for that
takes a good part of them."""


def load_spilling(make: Callable[[Path], Searching], folder: Path) -> None:
    """Let a search of a few states, whose files are in the folder, load the machine code."""
    in_another_process(lambda: _try_out(make(folder / "child")))
    _try_out(make(folder / "own"))
    shutil.rmtree(folder, ignore_errors=True)


def _try_out(trial: Searching) -> None:
    if isinstance(trial, Search):
        trial.stop_less(trial.stop_mask)
        trial.load()
    trial.close()
