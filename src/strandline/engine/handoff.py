r"""Hand-off of a search to another one that continues it.

A search at rest is described by its counters and by blocks of states. The blocks depend on the kind of search:
- a sweep has one, its `frontier`: every other state can be reached from there, so the next sweep may go by another
  measure. States that were expanded and deleted may be visited again;
- a breadth-first search also hands over its visited set, so that nothing is expanded twice: `visited` holds every
  stored state, `level` and `next_level` the states of these levels that are still to be expanded, and `unplaced`
  successors that were computed and not looked up yet.
Every block has one state per row: its words, then the link under which the next search stores it (without a meaning in
`visited`). A state of the frontier that already has a record is stored again, with a link that says "the same state as
that record", so it has two records.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from strandline.engine.runtime.memory import WordArray

Blocks: TypeAlias = Iterator[WordArray]
Progress: TypeAlias = Callable[[WordArray], npt.NDArray[np.int64]]
"""A function from states, one per row, to columns and layers by the measure of the search that takes over."""

FRONTIER, VISITED, LEVEL, NEXT_LEVEL, UNPLACED = "frontier", "visited", "level", "next level", "unplaced"


@dataclass(frozen=True, slots=True)
class LevelCounters:
    """Counters of a breadth-first search at rest.

    `found` states are stored, `expanded` of them are expanded, and those with records below `level_end` belong to the
    levels that were begun, whose sizes are `levels`. `counts` are the counters of the journal.
    """

    counts: Mapping[str, int]
    levels: tuple[int, ...]
    expanded: int
    level_end: int
    found: int
    peak_bytes: int


@dataclass(frozen=True, slots=True)
class SweepCounters:
    """Counters of a sweep at rest: those of each thread and line, and the sketch of all stored states."""

    counts: tuple[Mapping[str, int], ...]
    lines: tuple[Mapping[str, int], ...]
    recorded: int
    peak_stored: int
    sketch: WordArray


@dataclass(frozen=True, slots=True)
class HandOff:
    """A search at rest, as data. The blocks are read once; the search must not be used afterwards."""

    counters: LevelCounters | SweepCounters
    blocks: Mapping[str, Blocks]
