"""What a search tells while it runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Progress:
    """Where a search stands."""

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
    """Of a search in sets: what it does; `stored` are then nodes of decision diagrams."""


class ProgressCallback(Protocol):
    """Is told what a search does; must return quickly."""

    def stage(self, text: str) -> None:
        """Something that takes a while begins."""

    def progress(self, progress: Progress) -> None:
        """The search goes on; called about twenty times a second."""


class NullCallback:
    """A callback that does not listen."""

    def stage(self, text: str) -> None:
        return

    def progress(self, progress: Progress) -> None:
        return
