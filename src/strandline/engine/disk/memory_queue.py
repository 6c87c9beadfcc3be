"""The frontier in memory: two chains of pages for each layer, the second for persistent states."""

from __future__ import annotations

from typing import Any

import numpy as np

from strandline.engine.disk.sorting import SortedRows, sorted_copy, words_of
from strandline.engine.disk.spill_file import Key
from strandline.engine.disk.spill_queues import SpillQueues
from strandline.engine.parts.expansion import Width
from strandline.engine.parts.line import LayersPart
from strandline.engine.runtime.memory import WordArray
from strandline.engine.store.parts import PagedPart


class MemoryQueue:
    """The chains of pages. Rows are states with their links; `work` counts the queued states."""

    def __init__(self, width: Width, pages: PagedPart, layers: LayersPart, work: Any) -> None:
        self._width, self._pages, self._layers, self._work = width, pages, layers, work

    def count(self, chain: int) -> int:
        """Return the number of states in a chain."""
        return int(self._layers.layers().chains[chain].count)

    def take(self, chain: int, count: int) -> WordArray:
        """Remove about `count` states from a chain and return their rows."""
        from strandline.engine.disk.expanding_kernel import drain

        row, page = words_of(self._width) + 1, 1 << int(self._pages.shape.page_bits)
        rows: WordArray = np.empty((count + page) * row, dtype=np.uint64)
        moved = int(drain(self._pages.store(), self._layers.layers(), self._work, np.uint64(chain), rows))
        return rows[: moved * row]

    def spill(self, backlog: SpillQueues, here: Key, piece: int) -> None:
        """Move all states to disk, sorting `piece` of them at a time; `here` is the layer at which the line stands."""
        from strandline.engine.disk.expanding_kernel import drop_rows

        rows, chains = self._layers.layers().rows, self._layers.layers().chains
        numbers = np.flatnonzero((chains["count"] > 0)[: 2 * int(self._layers.line.rows)])
        keys = np.stack((rows["column"][numbers // 2], rows["layer"][numbers // 2]))
        spill = backlog.spill(int(self._work.grain))
        for place in np.lexsort((keys[1], keys[0])):
            number, key = int(numbers[place]), (int(keys[0, place]), int(keys[1, place]))
            # Persistent states behind the line are roots of the next sweep.
            runs = backlog.live if number % 2 == 0 else backlog.next_roots if key < here else backlog.roots
            while count := self.count(number):
                spill.append(runs, key, self._sort_rows(number, min(count, piece)))
                if self.count(number):
                    spill.divide(runs)
        spill.finish()
        drop_rows(self._layers.layers())
        self._pages.shape.wanted_entries = self._layers.line.wanted_rows = 0

    def _sort_rows(self, chain: int, count: int) -> WordArray:
        return SortedRows([sorted_copy(self.take(chain, count), self._width)], self._width).used
