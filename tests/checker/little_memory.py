"""Searches that have little memory, in a process that takes a lot."""

from __future__ import annotations

import pytest

from strandline.checker.driver import context, fallbacks
from strandline.checker.limits.memory import MemoryLimit


def give(monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    """Give every search that many bytes of memory, not counting the memory of the tests themselves."""
    for module in (context, fallbacks):
        monkeypatch.setattr(module, "bytes_for_engine", lambda setup, reserve=0: size)
    monkeypatch.setattr(MemoryLimit, "runs_short", lambda self: False)
    monkeypatch.setattr(MemoryLimit, "remaining_bytes", lambda self, reserve=0: size)
