"""Rows that wait, taken together: sorted, each state once (`strandline.engine.disk.sorting_kernel`)."""

from __future__ import annotations

import numpy as np

from strandline.engine.disk.sorted_set import hashes_of
from strandline.engine.expansion import Width
from strandline.engine.memory import WordArray

_STACK = 2 * 64
_A_FEW = 8
"""Rows that are dealt out to one place."""


class SortedRows:
    """The first `count` rows of `rows`: states with their links, sorted by hash, no state twice. Of equal states, that
    with the least link is there: the one found first."""

    def __init__(self, rows: WordArray, width: Width) -> None:
        from strandline.engine.disk.sorting_kernel import drop_equal, sort_rows

        self._width = width
        self._words = len(width) if isinstance(width, tuple) else width
        self._size = np.uint64(self._words + 1)
        hashes = hashes_of(rows, self._words + 1, width)
        self.rows, self.hashes = np.empty_like(rows), np.empty_like(hashes)
        ends: WordArray = np.zeros(len(hashes) // _A_FEW + 2, dtype=np.uint64)
        stack: WordArray = np.empty(_STACK, dtype=np.uint64)
        sort_rows(rows, hashes, self._size, self.rows, self.hashes, ends, stack)
        bounds = (np.uint64(0), np.uint64(len(hashes)), np.uint64(0))
        self.count = int(drop_equal(self.rows, self.hashes, self._size, width, *bounds))

    def mark(self, known: WordArray, marks: np.ndarray, first: int, last: int) -> None:
        """Mark those rows in a range whose state is among sorted known ones."""
        from strandline.engine.disk.sorting_kernel import mark_known

        bounds = (np.uint64(first), np.uint64(last))
        mark_known(self.rows, self.hashes, self._size, self._width, *bounds, known, marks)

    def drop_marked(self, marks: np.ndarray) -> None:
        from strandline.engine.disk.sorting_kernel import drop_marked

        self.count = int(drop_marked(self.rows, self.hashes, self._size, np.uint64(self.count), marks))

    def keep_first(self, count: int) -> None:
        self.count = min(self.count, count)

    @property
    def used(self) -> WordArray:
        """The rows, as words."""
        return self.rows[: self.count * int(self._size)]

    def states(self) -> WordArray:
        """The states alone, in an array of their own."""
        return np.ascontiguousarray(self.used.reshape(-1, int(self._size))[:, : self._words]).reshape(-1)

    def links(self) -> WordArray:
        return np.ascontiguousarray(self.used.reshape(-1, int(self._size))[:, self._words])
