"""Breadth-first search: traces are shortest, every state is stored."""

from __future__ import annotations

from typing import Unpack

import numpy as np

from strandline.compile.kernel import Kernel
from strandline.engine import sizes
from strandline.engine.expansion import width_of
from strandline.engine.journal import EdgeListener
from strandline.engine.memory import WordArray
from strandline.engine.part import GrowingPart
from strandline.engine.profile import LayerFigures, level_layers
from strandline.engine.records import LEVELS, record
from strandline.engine.search import Search, Terms
from strandline.engine.store.parts import TablePart
from strandline.errors import InternalError


class BreadthFirstSearch(Search):
    """See `strandline.engine.orders.breadth_first_kernel`."""

    loop = "orders.breadth_first_kernel.breadth_first"

    def __init__(self, kernel: Kernel, **terms: Unpack[Terms]) -> None:
        if kernel.measured:
            raise InternalError("breadth-first search goes by no measure")
        self._level = record(LEVELS)
        # Who wants to know edges must know where a state is, not only that it is there.
        numbered = isinstance(terms.get("listener"), EdgeListener)
        self._table = TablePart(width_of(kernel), numbered=numbered)
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

    def _sizes(self) -> WordArray:
        """Of the levels that were begun."""
        return self._levels.array[: int(self._level.count)]

    @property
    def level_sizes(self) -> list[int]:
        return [int(size) for size in self._sizes()]

    def profile(self) -> tuple[LayerFigures, ...]:
        """The layers are the distances from the initial states."""
        return level_layers(self._sizes(), int(self.journal.counts.visited), sizes.PROFILE_CELLS)
