"""Progress reports: their data and the callback that receives them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Progress:
    """A progress report of a search."""

    seconds: float
    states: int
    """States found so far; in a sweep with regress edges some are counted more than once."""
    visited: int
    stored: int
    bytes: int
    fraction: float | None = None
    """Position of the sweep-line between the least and the largest progress, from 0 to 1."""
    sweep: int = 1
    """Number of the current sweep of the column."""
    doing: str | None = None
    """Current activity of a symbolic search; `stored` is then a number of BDD nodes."""


class ProgressCallback(Protocol):
    """The interface of a callback for stages and progress; it must return quickly."""

    def stage(self, text: str) -> None:
        """Notify of the beginning of an activity that takes a while."""

    def progress(self, progress: Progress) -> None:
        """Notify of progress; called about twenty times a second."""


class NullCallback:
    """A callback that ignores stages and progress."""

    def stage(self, text: str) -> None:
        return

    def progress(self, progress: Progress) -> None:
        return
