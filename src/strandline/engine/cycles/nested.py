"""Nested depth-first search (`strandline.engine.cycles.nested_kernel`)."""

from __future__ import annotations

from typing import Unpack

import numpy as np

from strandline.compile.kernel import Kernel
from strandline.engine.cycles.cycle_search import Cycle, CycleSearch
from strandline.engine.parts.expansion import width_of
from strandline.engine.parts.part import GrowingPart
from strandline.engine.parts.stack import StackPart
from strandline.engine.runtime import sizes
from strandline.engine.runtime.codes import STEP_BITS, STEP_MASK
from strandline.engine.runtime.records import NESTED, record
from strandline.engine.search import SearchArguments
from strandline.engine.store.parts import TablePart


class NestedSearch(CycleSearch):
    """Nested depth-first search, for one acceptance set."""

    loop = "cycles.nested_kernel.nested"

    def __init__(self, kernel: Kernel, *, accepting: int, **terms: Unpack[SearchArguments]) -> None:
        self._state = record(NESTED, accepting=accepting)
        self._table, self._stack = TablePart(width_of(kernel), extra=1, numbered=True), StackPart()
        self._path = GrowingPart(sizes.STACK, self._state, "wanted_path")
        super().__init__(kernel, self._table, self._stack, self._path, accepting=accepting, **terms)
        self._stack.start(kernel)

    def run(self, budget: np.uint64) -> int:
        from strandline.engine.cycles.nested_kernel import Nested, nested

        search = Nested(
            self.expansion.expansion(),
            self._table.store(),
            self._stack.stack(),
            self.journal.journal(),
            self._path.array,
            self._state,
        )
        code = int(nested(search, budget))
        self._table.note_used(int(self.journal.counts.recorded))
        return code

    def cycle_record(self) -> int:
        return int(self._state.record)

    def begin_loop(self) -> Cycle:
        """Return the loop: the path from the state reached again to its end, and the edge that reached it."""
        record, second = self.cycle_record(), int(self._state.second)
        path = [int(entry) for entry in self._path.array[: 2 * int(self._state.path) : 2]]
        first = next(place for place, entry in enumerate(path) if entry >> STEP_BITS == record)
        # The root of the second search is on the path twice: as the end of the first and as its own beginning.
        inner = [entry for place, entry in enumerate(path) if place > first and (place != second or second == 0)]
        last = int(self._stack.top.link)
        return Cycle(record, tuple(entry & STEP_MASK for entry in (*inner, last)))
