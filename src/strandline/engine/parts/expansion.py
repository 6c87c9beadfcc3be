"""Buffers for computing successors (`strandline.engine.parts.expansion_kernel`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from strandline.compile.kernel import MAXIMUM_SUCCESSORS, Kernel
from strandline.engine.parts.part import Affordable, Part
from strandline.engine.runtime import sizes
from strandline.engine.runtime.codes import ROOT, STEP_BITS
from strandline.engine.runtime.memory import WordArray
from strandline.engine.runtime.records import ANSWER, REST, record
from strandline.errors import ResourceError

if TYPE_CHECKING:
    from strandline.engine.parts.batch_kernel import Batch
    from strandline.engine.parts.expansion_kernel import Expansion

Width = tuple[int, ...] | int
_LABELS = 32
"""Length of an array of which only the first word is used, so that no other thread writes to its cache line."""


def width_of(kernel: Kernel) -> Width:
    """Return the width of the Kernel's states as kernels take it: a tuple if the compiler should know it."""
    return (0,) * kernel.words if kernel.words <= 2 else kernel.words


def initial_links(kernel: Kernel) -> WordArray:
    """Return the links of the initial states in the parent log."""
    return (np.uint64(ROOT) << np.uint64(STEP_BITS)) | np.arange(len(kernel.initial), dtype=np.uint64)


class ExpansionPart(Part):
    """Buffers for successors, and the batch of those not yet inserted."""

    def __init__(self, kernel: Kernel, stop_mask: int) -> None:
        self.kernel = kernel
        self.answer = record(ANSWER, stop_mask=stop_mask)
        self.rest = record(REST)
        self._starts = False
        self._labels: WordArray = np.zeros(_LABELS, dtype=np.uint64)
        self.records: WordArray = np.zeros(0, dtype=np.uint64)
        self._make_records(max(sizes.RECORDS, len(kernel.initial)))

    def _make_records(self, count: int) -> None:
        """Make room for `count` successors and the scratch record of the ABI; the contents are kept.

        Raises `ResourceError` if a state has more successors than a link can number.
        """
        if count > MAXIMUM_SUCCESSORS:
            raise ResourceError(f"a state has {count} successors; at most {MAXIMUM_SUCCESSORS} can be recorded")
        old = self.records
        self.records = np.zeros((count + 1) * self.kernel.stride, dtype=np.uint64)
        self.records[: len(old)] = old
        self.links, self._hashes, self._sources = (np.zeros(count + 1, dtype=np.uint64) for _ in range(3))

    def expansion(self) -> Expansion:
        from strandline.engine.parts.expansion_kernel import Expansion

        kernel = self.kernel
        sizes_of_records = (np.uint64(kernel.stride), np.uint64(len(self.links) - 1))
        room = (self.records, self._labels, self.answer)
        return Expansion(np.uint64(kernel.successors), width_of(kernel), *sizes_of_records, *room)

    def batch(self) -> Batch:
        from strandline.engine.parts.batch_kernel import Batch, hash_records

        batch = Batch(self.links, self._hashes, self._sources, self.rest)
        if self._starts:
            hash_records(self.expansion(), batch, self.rest.count)
            self._starts = False
        return batch

    def start(self) -> None:
        """Make the initial states, with their progress, the first batch."""
        kernel = self.kernel
        self.begin_with(kernel.initial, kernel.initial_progress, initial_links(kernel))

    def begin_with(self, states: WordArray, progress: npt.NDArray[np.int64], links: WordArray) -> None:
        """Make these states the next batch, which must be empty and have room for them."""
        kernel, count = self.kernel, len(states)
        records = self.records[: count * kernel.stride].reshape(count, kernel.stride)
        records[:, : kernel.words] = states
        if kernel.measured:
            records[:, kernel.words : kernel.words + 2] = progress.view(np.uint64)
        self.links[:count] = links
        self.rest.count, self.rest.next = count, 0
        self._starts = True

    def unplaced(self) -> tuple[WordArray, WordArray]:
        """Return the states of the batch that are not inserted yet, one per row, and their links."""
        first, last = int(self.rest.next), int(self.rest.count)
        records = self.records[: last * self.kernel.stride].reshape(last, self.kernel.stride)
        return records[first:, : self.kernel.words], self.links[first:last]

    @property
    def words(self) -> int:
        return len(self.records) + 3 * len(self.links)

    def grow(self, affordable: Affordable) -> bool:
        wanted = int(self.answer.wanted)
        if wanted:
            count = max(wanted, min(2 * wanted, MAXIMUM_SUCCESSORS))
            if (count + 1 - len(self.links)) * (self.kernel.stride + 3) > affordable():
                return False
            self._make_records(count)
            self.answer.wanted = 0
        return True

    def link(self, number: int) -> tuple[int, int]:
        """Return the record of the source of a successor in the batch, and the number of the step."""
        link = int(self.links[number])
        return link >> STEP_BITS, link & ((1 << STEP_BITS) - 1)
