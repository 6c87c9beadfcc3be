"""Breadth-first search: traces are shortest, every state is stored, exactly or by what a lossy store keeps of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias, Unpack

import numpy as np

from strandline.compile.kernel import Kernel
from strandline.engine import sizes
from strandline.engine.codes import BIT_FUNCTIONS, HASH_BITS
from strandline.engine.expansion import width_of
from strandline.engine.journal import EdgeListener
from strandline.engine.memory import WordArray
from strandline.engine.part import GrowingPart
from strandline.engine.profile import LayerFigures, level_layers
from strandline.engine.records import LEVELS, record
from strandline.engine.search import Omissions, Search, Terms
from strandline.engine.store.parts import BitsPart, TablePart
from strandline.errors import InternalError


class Hashes:
    """A store that keeps 63 bits of each state's hash."""


@dataclass(frozen=True, slots=True)
class Bits:
    """A store that keeps some bits for each state, in a table of so many bytes."""

    size: int


Keeping: TypeAlias = Hashes | Bits


class BreadthFirstSearch(Search):
    """See `strandline.engine.orders.breadth_first_kernel`."""

    loop = "orders.breadth_first_kernel.breadth_first"

    def __init__(self, kernel: Kernel, *, keeping: Keeping | None = None, **terms: Unpack[Terms]) -> None:
        if kernel.measured:
            raise InternalError("breadth-first search goes by no measure")
        self._level = record(LEVELS)
        # Who wants to know edges must know where a state is, not only that it is there.
        numbered = isinstance(terms.get("listener"), EdgeListener)
        if numbered and keeping is not None:
            raise InternalError("who wants to know edges needs a store that knows where states are")
        self._table: TablePart | BitsPart
        if isinstance(keeping, Bits):
            self._table = BitsPart(width_of(kernel), size=keeping.size)
        else:
            self._table = TablePart(width_of(kernel), numbered=numbered, compact=keeping is not None)
        self._levels = GrowingPart(sizes.LEVELS, self._level, factor=2.0)
        super().__init__(kernel, self._table, self._levels, **terms)
        self.expansion.start()

    def run(self, budget: np.uint64) -> int:
        from strandline.engine.orders.breadth_first_kernel import BreadthFirst, breadth_first

        search = BreadthFirst(
            self.expansion.expansion(),
            self.expansion.batch(),
            self._table.store(),
            self.journal.journal(),
            self._levels.array,
            self._level,
        )
        code = int(breadth_first(search, budget))
        self._table.note_used(int(self.journal.counts.recorded), int(self._level.head))
        return code

    @property
    def omissions(self) -> Omissions | None:
        stored = int(self.journal.counts.recorded)
        if isinstance(self._table, BitsPart):
            # A state that is new is taken for known where its bits happen to be set; they filled up evenly.
            mistaken = self._table.filled**BIT_FUNCTIONS
            return Omissions(stored * mistaken / (BIT_FUNCTIONS + 1), mistaken)
        if self._table.compact:
            return Omissions(stored * (stored - 1) / 2 / 2**HASH_BITS, stored / 2**HASH_BITS)
        return None

    def _sizes(self) -> WordArray:
        """Of the levels that were begun."""
        return self._levels.array[: int(self._level.count)]

    @property
    def level_sizes(self) -> list[int]:
        return [int(size) for size in self._sizes()]

    def profile(self) -> tuple[LayerFigures, ...]:
        """The layers are the distances from the initial states."""
        return level_layers(self._sizes(), int(self.journal.counts.visited), sizes.PROFILE_CELLS)
