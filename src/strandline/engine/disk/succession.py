"""A breadth-first search in memory that one with states on disk carries on.

What the other one has to know: every state that was found, so that it is not found again; which of them wait, those of
the level that is being expanded and those of the next one; and successors that were computed and not placed. States
that wait are stored again, with a link that says "the same state as that record", so they have two records each.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from strandline.engine.memory import WordArray

Blocks = Iterator[WordArray]
"""States, one a row: its words, and the link by which it is to be stored."""


@dataclass(frozen=True, slots=True)
class Standing:
    """Where it stands. `counts` are those of its journal, `levels` the sizes of the levels that were begun; records
    below `expanded` are expanded, those below `level_end` are of these levels, and there are `found`. It took
    `peak_bytes`."""

    counts: dict[str, int]
    levels: list[int]
    expanded: int
    level_end: int
    found: int
    peak_bytes: int


@dataclass(frozen=True, slots=True)
class PutDown:
    """Its states: all that were found (links mean nothing), those that wait in the level and in the next one, and
    successors of the level that were not placed."""

    found: Blocks
    level: Blocks
    following: Blocks
    unplaced: Blocks
