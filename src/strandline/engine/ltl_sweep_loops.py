"""A loop through a state on an accepting cycle that need not accept itself.

The nearest accepting state in the column need not lead back. So the search is for a shortest way from the state to
itself in pairs of a state and the acceptance sets met so far.
"""

from __future__ import annotations

import numpy as np

from strandline.compile.kernel import Kernel
from strandline.engine import registers as r
from strandline.engine.loops import LoopBuilder, LoopSearch, Region, State
from strandline.engine.memory import WordArray

_STEP_MASK = (1 << r.STEP_BITS) - 1


class RoundTripBuilder(LoopBuilder):
    """Makes a shortest loop through a state that meets every acceptance set; it must exist inside the region."""

    def __init__(
        self,
        kernel: Kernel,
        start: State,
        accepting: int,
        region: Region | None = None,
        *,
        memory_limit: int | None = None,
    ) -> None:
        self._accepting = accepting
        super().__init__(kernel, start, accepting, region, memory_limit=memory_limit)

    def _next_search(self, start: State) -> LoopSearch:
        return RoundTripSearch(self._kernel, start, self._accepting, self._region, memory_limit=self._memory_limit)


class RoundTripSearch(LoopSearch):
    """Breadth-first through pairs of a state and what was met on the way, back to the start with everything met
    (CYCLE); see `strandline.engine.ltl_sweep_round_trip`."""

    def __init__(
        self, kernel: Kernel, start: State, accepting: int, region: Region, *, memory_limit: int | None
    ) -> None:
        super().__init__(kernel, start, start, 0, region, memory_limit=memory_limit)
        self.regs[r.ACCEPTING] = np.uint64(accepting)
        self._pair: WordArray = np.zeros(kernel.words + 1, dtype=np.uint64)

    def _run(self, budget: np.uint64) -> int:
        from strandline.engine.ltl_sweep_round_trip import round_trip

        return int(
            round_trip(
                np.uint64(self.kernel.successors), self.kernel.words, np.uint64(self.kernel.stride), budget,
                self.regs, self._buckets.array, self._records, self._index.array, self._store.array,
                self._log_buffer, self._labels, self._scratch, self._target, self._bounds, self._pair,
            )
        )  # fmt: skip

    def path(self) -> tuple[list[int], State, int]:
        """The steps of the loop, where it ends, and all acceptance sets."""
        links = np.concatenate(self._kept)
        link = int(self.regs[r.CYCLE_LINK])
        steps = []
        while link >> r.STEP_BITS != r.ROOT:
            steps.append(link & _STEP_MASK)
            link = int(links[link >> r.STEP_BITS])
        return steps[::-1], self._first, int(self.regs[r.ACCEPTING])
