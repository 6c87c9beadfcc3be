"""A path through a graph whose states are identified by record numbers."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Path:
    """A path: record numbers, and steps, one fewer; each step is the number of an edge of the record before it.

    A path with `loop` is a lasso: its last record is the one at index `loop` again. If the loop has no steps, the path
    ends there.
    """

    records: tuple[int, ...]
    steps: tuple[int, ...]
    loop: int | None = None

    def __add__(self, other: Path) -> Path:
        """Concatenate with a path that begins where this one ends."""
        loop = None if other.loop is None else len(self.steps) + other.loop
        return Path(self.records + other.records[1:], self.steps + other.steps, loop)

    @property
    def end(self) -> int:
        return self.records[-1]
