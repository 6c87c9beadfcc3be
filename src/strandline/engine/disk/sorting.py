"""Sorted rows without duplicates (`strandline.engine.disk.sorting_kernel`)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from strandline.engine.parts.expansion import Width
from strandline.engine.runtime.memory import WordArray

_STACK = 2 * 64
_A_FEW = 8
"""Mean number of rows per place in the distribution pass."""


class SortedRows:
    """The first `count` rows of `rows`: states with their links, sorted by hash, without duplicates.

    Made of sorted arrays of rows. Of equal states the one with the least link is kept: the one found first.
    """

    def __init__(self, parts: Sequence[WordArray], width: Width) -> None:
        from strandline.engine.disk.sorting_kernel import drop_equal, merge_rows

        self._width, self._words = width, words_of(width)
        self._size = np.uint64(self._words + 1)
        unmerged = sorted(parts, key=len, reverse=True)
        while len(unmerged) > 1:
            # Merge the two shortest first, so that each row is moved as rarely as possible.
            one, other = unmerged.pop(), unmerged.pop()
            merged: WordArray = np.empty(len(one) + len(other), dtype=np.uint64)
            merge_rows(one, other, width, merged)
            unmerged.append(merged)
            unmerged.sort(key=len, reverse=True)
        self.rows = unmerged[0]
        self.count = int(drop_equal(self.rows, width))

    def drop_marked(self, marks: np.ndarray) -> None:
        from strandline.engine.disk.sorting_kernel import drop_marked

        self.count = int(drop_marked(self.rows, self._size, np.uint64(self.count), marks))

    def keep_first(self, count: int) -> None:
        self.count = min(self.count, count)

    @property
    def used(self) -> WordArray:
        """The rows, as words."""
        return self.rows[: self.count * int(self._size)]

    def states(self) -> WordArray:
        """Return a copy of the states without the links."""
        # A slice with a single row is contiguous: only a copy is never a view of the rows.
        return self.used.reshape(-1, int(self._size))[:, : self._words].copy().reshape(-1)

    def links(self) -> WordArray:
        """Return a copy of the links."""
        return self.used.reshape(-1, int(self._size))[:, self._words].copy()


def words_of(width: Width) -> int:
    """Return the number of words of a state."""
    return len(width) if isinstance(width, tuple) else width


def sorted_copy(rows: WordArray, width: Width) -> WordArray:
    """Return a sorted copy of rows."""
    from strandline.engine.disk.sorting_kernel import sort_rows

    arranged = np.empty_like(rows)
    ends: WordArray = np.zeros(len(rows) // (words_of(width) + 1) // _A_FEW + 2, dtype=np.uint64)
    sort_rows(rows, width, arranged, ends, np.empty(_STACK, dtype=np.uint64))
    return arranged


def count_below(rows: WordArray, size: int, bound: int) -> tuple[int, int]:
    """Count the sorted rows, of `size` words each, with a hash below the bound, and those with a hash up to it."""
    from strandline.engine.disk.sorting_kernel import cut_rows

    below, up_to = cut_rows(rows, np.uint64(size), np.uint64(bound))
    return int(below), int(up_to)
