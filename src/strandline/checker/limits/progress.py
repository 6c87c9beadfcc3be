"""Progress of a search: the callback and its data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Progress:
    """The progress of a search."""

    seconds: float
    states: int
    """States found so far; in a sweep with regress edges some of them more than once."""
    visited: int
    stored: int
    bytes: int
    fraction: float | None = None
    """How far the sweep-line has come between the least and the largest progress there can be."""
    sweep: int = 1
    """Which time it passes."""
    doing: str | None = None
    """The present activity of a symbolic search; `stored` are BDD nodes then."""


class ProgressCallback(Protocol):
    """Is called with the stages and the progress of a search; must return quickly."""

    def stage(self, text: str) -> None:
        """Something that takes a while begins."""

    def progress(self, progress: Progress) -> None:
        """Report progress; called about twenty times a second."""


class NullCallback:
    """Ignores stages and progress."""

    def stage(self, text: str) -> None:
        return

    def progress(self, progress: Progress) -> None:
        return
