"""MAP, the search by maximal accepting predecessors, as the sweep-line methods are compared with it (001 §3.2, §6)."""

from __future__ import annotations

import numpy as np

from strandline.compile.kernel import Kernel
from strandline.engine import registers as r
from strandline.engine.base import Sink
from strandline.engine.cycles import CycleSearch
from strandline.engine.loops import LoopBuilder


class MapSearch(CycleSearch):
    """See `strandline.engine.map_search_kernel`. One acceptance set; all states are stored. The statistics count a
    visit for each expansion in all rounds, transitions and deadlocks once for each state. `subgraphs` carries values
    inside predecessor subgraphs only."""

    def __init__(
        self,
        kernel: Kernel,
        *,
        accepting: int,
        log: Sink,
        subgraphs: bool = False,
        memory_limit: int | None = None,
        max_states: int | None = None,
    ) -> None:
        super().__init__(kernel, accepting=accepting, log=log, memory_limit=memory_limit, max_states=max_states)
        self.regs[r.ROUNDS] = 1
        self.regs[r.SUBGRAPHS] = subgraphs

    def _start(self) -> None:
        kernel = self.kernel
        count = len(kernel.initial)
        records = self._records[: count * kernel.stride].reshape(count, kernel.stride)
        records[:, : kernel.words] = kernel.initial
        self.regs[r.FOUND_RECORD] = r.ROOT
        self.regs[r.BATCH_COUNT] = count

    def _run(self, budget: np.uint64) -> int:
        from strandline.engine.map_search_kernel import accepting_predecessors

        return int(
            accepting_predecessors(
                np.uint64(self.kernel.successors), self._width, np.uint64(self.kernel.stride), budget, self.regs,
                self._buckets.array, self._records, self._index.array, self._store.array, self._log_buffer,
                self._labels, self._scratch,
            )
        )  # fmt: skip

    @property
    def rounds(self) -> int:
        """How often values were computed from the initial states on."""
        return int(self.regs[r.ROUNDS])

    def _begin_loop(self) -> LoopBuilder:
        record = int(self.regs[r.CYCLE_RECORD])
        at = int(self._buckets.array[r.LIVE + r.ARENA]) + record * (self.kernel.words + 2)
        start = tuple(int(word) for word in self._store.array[at : at + self.kernel.words])
        return LoopBuilder(self.kernel, start, self.accepting, memory_limit=self.memory_limit)
