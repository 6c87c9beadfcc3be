"""Searches that have little memory, in a process that takes a lot."""

from __future__ import annotations

import pytest

from strandline.check import workbench
from strandline.check.memory import MemoryLimit


def give(monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    """Let searches have so many bytes where memory is limited; what the tests themselves take does not count."""
    monkeypatch.setattr(workbench.Workbench, "engine_bytes", lambda self, reserve=0: size)
    monkeypatch.setattr(MemoryLimit, "runs_short", lambda self: False)
