"""Searches that have little memory, in a process that takes a lot."""

from __future__ import annotations

import pytest

from strandline.checker.driver import context, fallbacks
from strandline.checker.limits.memory import MemoryLimit


def give(monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    """Give every search so many bytes where memory is limited; what the tests themselves take does not count."""
    for module in (context, fallbacks):
        monkeypatch.setattr(module, "bytes_for_engine", lambda setup, reserve=0: size)
    monkeypatch.setattr(MemoryLimit, "runs_short", lambda self: False)
    monkeypatch.setattr(MemoryLimit, "left", lambda self, reserve=0: size)
