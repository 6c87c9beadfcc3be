"""From "a cycle through this state exists" to its steps: shortest paths inside a region, put together to a loop."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from strandline.compile.kernel import Kernel
from strandline.engine import registers as r
from strandline.engine.base import BaseSearch, Event
from strandline.engine.memory import WordArray
from strandline.errors import InternalError

State: TypeAlias = tuple[int, ...]
_STEP_MASK = (1 << r.STEP_BITS) - 1


@dataclass(frozen=True, slots=True)
class Region:
    """Where a loop is to be looked for; everywhere if nothing is given."""

    component: tuple[WordArray, WordArray, WordArray, np.uint64] | None = None
    """Buckets, index and store of a component search, and the first record of the component."""
    column: int | None = None
    layers: tuple[int, int] = (-(1 << 63), (1 << 63) - 1)
    """Only with a column, of a measured Kernel."""

    def bounds(self) -> WordArray:
        """Column, least and largest layer, biased as in the engine; empty where there is no column."""
        if self.column is None:
            return np.zeros(0, dtype=np.uint64)
        return np.array([value + (1 << 63) for value in (self.column, *self.layers)], dtype=np.uint64)


class LoopBuilder:
    """Makes a loop that meets every acceptance set: from the state to the nearest of a set not met yet, on to the
    next, and back. Each part is a shortest path inside the region."""

    def __init__(
        self,
        kernel: Kernel,
        start: State,
        accepting: int,
        region: Region | None = None,
        *,
        memory_limit: int | None = None,
    ) -> None:
        self._kernel, self._start, self._region = kernel, start, region or Region()
        self._memory_limit = memory_limit
        self._missing = accepting & ~kernel.twin.labels(start)
        self._steps: list[int] = []
        self.visited = 0
        self._search = self._next_search(start)

    @property
    def steps(self) -> tuple[int, ...]:
        return tuple(self._steps)

    def _next_search(self, start: State) -> LoopSearch:
        target = None if self._missing else self._start
        return LoopSearch(
            self._kernel, start, target, self._missing, self._region, memory_limit=self._memory_limit
        )

    def advance(self, seconds: float) -> Event:
        """PAUSED, CYCLE when the loop is closed, or MEMORY."""
        deadline = time.perf_counter() + seconds
        while True:
            event = self._search.advance(seconds)
            if event in (Event.PAUSED, Event.MEMORY):
                return event
            if event not in (Event.FOUND, Event.CYCLE):
                raise InternalError(f"a cycle was found that cannot be followed: {event.value}")
            steps, state, labels = self._search.path()
            self.visited += int(self._search.regs[r.VISITED])
            self._search.close()
            self._steps += steps
            if event is Event.CYCLE:
                return event
            self._missing &= ~labels
            self._search = self._next_search(state)
            if time.perf_counter() >= deadline:
                return Event.PAUSED


class LoopSearch(BaseSearch):
    """Breadth-first inside a region from one state to a state with a wanted label (FOUND), or, where there is a
    target, by at least one step to it (CYCLE); see `strandline.engine.confined`."""

    def __init__(
        self,
        kernel: Kernel,
        start: State,
        target: State | None,
        wanted: int,
        region: Region,
        *,
        memory_limit: int | None,
    ) -> None:
        self._first = start
        self._target: WordArray = np.array(target or (), dtype=np.uint64)
        self._bounds, self._component = region.bounds(), region.component
        self._kept: list[WordArray] = []
        super().__init__(
            kernel, log=lambda links: self._kept.append(links.copy()), stop_mask=wanted, memory_limit=memory_limit
        )

    def _start(self) -> None:
        self._records[: self.kernel.words] = self._first
        self.regs[r.FOUND_RECORD] = r.ROOT
        self.regs[r.BATCH_COUNT] = 1

    def _run(self, budget: np.uint64) -> int:
        from strandline.engine.confined import confined

        return int(
            confined(
                np.uint64(self.kernel.successors), self.kernel.words, np.uint64(self.kernel.stride), budget,
                self.regs, self._buckets.array, self._records, self._index.array, self._store.array,
                self._log_buffer, self._labels, self._scratch, self._target, self._bounds, self._component,
            )
        )  # fmt: skip

    def path(self) -> tuple[list[int], State, int]:
        """After FOUND or CYCLE: the steps from the start, the state they lead to, and its labels (FOUND)."""
        links = np.concatenate(self._kept)
        steps: list[int] = []
        record = int(self.regs[r.FOUND_RECORD])
        if len(self._target):
            last = int(self.regs[r.CYCLE_LINK])
            steps.append(last & _STEP_MASK)
            record = last >> r.STEP_BITS
        at = int(self._buckets.array[r.LIVE + r.ARENA]) + record * self.kernel.words
        state = tuple(int(word) for word in self._store.array[at : at + self.kernel.words])
        while (link := int(links[record])) >> r.STEP_BITS != r.ROOT:
            steps.append(link & _STEP_MASK)
            record = link >> r.STEP_BITS
        return steps[::-1], state, int(self.regs[r.FOUND_LABELS])
