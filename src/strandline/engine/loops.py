"""From "a cycle through this state exists" to its steps: a shortest loop inside a region."""

from __future__ import annotations

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


class LoopBuilder(BaseSearch):
    """Looks for a shortest loop from a state through every acceptance set back to it, inside a region; the loop must
    exist. `advance` answers CYCLE when it is found; see `strandline.engine.confined`."""

    def __init__(
        self,
        kernel: Kernel,
        start: State,
        accepting: int,
        region: Region | None = None,
        *,
        memory_limit: int | None = None,
    ) -> None:
        region = region or Region()
        self._target: WordArray = np.array(start, dtype=np.uint64)
        self._key: WordArray = np.zeros(kernel.words + 1, dtype=np.uint64)
        self._bounds, self._component = region.bounds(), region.component
        self._kept: list[WordArray] = []
        super().__init__(kernel, log=lambda links: self._kept.append(links.copy()), memory_limit=memory_limit)
        self.regs[r.ACCEPTING] = np.uint64(accepting)

    def _start(self) -> None:
        self._records[: self.kernel.words] = self._target
        self.regs[r.FOUND_RECORD] = r.ROOT
        self.regs[r.BATCH_COUNT] = 1

    def _run(self, budget: np.uint64) -> int:
        from strandline.engine.confined import confined

        return int(
            confined(
                np.uint64(self.kernel.successors), self.kernel.words, np.uint64(self.kernel.stride), budget,
                self.regs, self._buckets.array, self._records, self._index.array, self._store.array,
                self._log_buffer, self._labels, self._scratch, self._key, self._target, self._bounds,
                self._component,
            )
        )  # fmt: skip

    def advance(self, seconds: float = 0.05) -> Event:
        event = super().advance(seconds)
        if event not in (Event.PAUSED, Event.MEMORY, Event.CYCLE):
            raise InternalError(f"a cycle was found that cannot be followed: {event.value}")
        return event

    @property
    def visited(self) -> int:
        return int(self.regs[r.VISITED])

    @property
    def steps(self) -> tuple[int, ...]:
        """After CYCLE: the steps of the loop."""
        links = np.concatenate(self._kept)
        last = int(self.regs[r.CYCLE_LINK])
        steps = [last & _STEP_MASK]
        while (link := int(links[last >> r.STEP_BITS])) >> r.STEP_BITS != r.ROOT:
            steps.append(link & _STEP_MASK)
            last = link
        return tuple(reversed(steps))
