"""What a sweep has stored at the moment, read from its arrays: for tests that look into a search that stands still."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from plain import plain_engine
from running import Run

from strandline.compile.kernel import Kernel
from strandline.engine import registers as r

_BIAS = 1 << 63


@dataclass(frozen=True, slots=True)
class Stored:
    """A stored state with its place in the order, whether it is persistent and whether it was expanded; a persistent
    one counts as expanded when it was so as a persistent one."""

    state: tuple[int, ...]
    progress: tuple[int, int]
    persistent: bool
    expanded: bool


def stored_states(search: Any) -> list[Stored]:
    """All states in the layers of a sweep."""
    buckets = search._buckets.array
    found = []
    for number in range(int(search.regs[r.LAYERS])):
        if number not in _free_rows(search):
            row = number * r.ROW
            key = (int(buckets[row + r.COLUMN]) - _BIAS, int(buckets[row + r.LAYER]) - _BIAS)
            for bucket in (r.LIVE, r.KEPT):
                found += _states(search, row + bucket, key, bucket == r.KEPT)
    return found


def _free_rows(search: Any) -> set[int]:
    free, number = set(), search.regs[r.FREE_LAYER]
    while number != r.NONE:
        free.add(int(number))
        number = search._buckets.array[int(number) * r.ROW]
    return free


def _states(search: Any, bucket: int, key: tuple[int, int], persistent: bool) -> list[Stored]:
    buckets, words = search._buckets.array, search.kernel.words
    count, head, arena = (int(buckets[bucket + word]) for word in (r.COUNT, r.HEAD, r.ARENA))
    rows = search._store.array[arena : arena + count * (words + 1)].reshape(count, words + 1).tolist()
    return [Stored(tuple(row[:words]), key, persistent, number < head) for number, row in enumerate(rows)]


def step_by_step(kernel: Kernel) -> Iterator[Run]:
    """A sweep that stands still after every expansion, when all successors are inserted. It runs in plain Python, where
    a batch can be made as small as that."""
    engine = plain_engine()
    with np.errstate(over="ignore"):
        run = Run(kernel, "sweep", engine=engine.search)
    while (event := _one_expansion(run, engine.explore)) is engine.search.Event.PAUSED:
        yield run
    assert event is engine.search.Event.DONE


def _one_expansion(run: Run, explore: Any) -> Any:
    before, explore._BATCH = explore._BATCH, np.uint64(1)
    run.search._budget = 1
    try:
        with np.errstate(over="ignore"):
            return run.search.advance(0.0)
    finally:
        explore._BATCH = before
