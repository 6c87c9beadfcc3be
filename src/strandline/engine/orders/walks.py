"""Random walks with the interface of a search; see `strandline.engine.orders.walks_kernel`."""

from __future__ import annotations

from typing import Unpack

import numpy as np

from strandline.compile.kernel import Kernel
from strandline.engine.runtime.memory import WordArray
from strandline.engine.runtime.records import WALK, record
from strandline.engine.search import Search, SearchArguments, Statistics


class RandomWalks(Search):
    """Random walks of at most `depth` steps each.

    The record of a state at which it stops is the number of the walk, and `walked` the path to it.
    """

    loop = "orders.walks_kernel.walk_on"

    def __init__(self, kernel: Kernel, *, walks: int, depth: int, seed: int, **terms: Unpack[SearchArguments]) -> None:
        super().__init__(kernel, **terms)
        self._start = np.ascontiguousarray(kernel.initial).reshape(-1)
        self._state: WordArray = np.zeros(kernel.words, dtype=np.uint64)
        self._path: WordArray = np.zeros(depth, dtype=np.uint64)
        self.walk = record(WALK, most=walks, seed=seed & ((1 << 64) - 1))

    def run(self, budget: np.uint64) -> int:
        from strandline.engine.orders.walks_kernel import Walks, walk_on

        walks = Walks(self.expansion.expansion(), self._start, self._state, self._path, self.walk, self.journal.counts)
        return int(walk_on(walks, budget))

    @property
    def walked(self) -> tuple[int, list[int]]:
        return int(self.walk.initial), self._path[: int(self.walk.length)].tolist()

    def statistics(self) -> Statistics:
        counts = self.journal.counts
        self.current_bytes()
        visited = int(counts.visited)
        return Statistics(visited, False, visited, int(counts.transitions), int(counts.deadlocks), 0, 0,
                          peak_bytes=self._peak_bytes)  # fmt: skip
