"""Search for accepting SCCs (`strandline.engine.cycles.components_kernel`)."""

from __future__ import annotations

from typing import Unpack

import numpy as np

from strandline.compile.kernel import Kernel
from strandline.engine.cycles.couvreur_stack import OpenComponentsPart
from strandline.engine.cycles.cycle_extraction import LoopSearch, Region
from strandline.engine.cycles.cycle_search import CycleSearch
from strandline.engine.parts.expansion import width_of
from strandline.engine.parts.stack import StackPart
from strandline.engine.runtime.memory import WordArray
from strandline.engine.search import SearchArguments
from strandline.engine.store.parts import TablePart


class ComponentSearch(CycleSearch):
    """Couvreur's search, for any number of acceptance sets, one bit of `accepting` each.

    With `whole`, it visits whole SCCs: every accepting one is an `Event.CYCLE` of its own, when it is finished, and
    `go_on` continues with the next. With `follows`, it also looks for the steps of a loop in each.
    """

    follows = True
    loop = "cycles.components_kernel.components"

    def __init__(
        self, kernel: Kernel, *, accepting: int, whole: bool = False, **terms: Unpack[SearchArguments]
    ) -> None:
        self._open_sccs = OpenComponentsPart(accepting, whole=whole)
        self._table, self._stack = TablePart(width_of(kernel), extra=1, numbered=True), StackPart()
        super().__init__(kernel, self._table, self._stack, self._open_sccs, accepting=accepting, **terms)
        self._stack.start(kernel)

    def run(self, budget: np.uint64) -> int:
        from strandline.engine.cycles.components_kernel import Components, components

        search = Components(
            self.expansion.expansion(),
            self._table.store(),
            self._stack.stack(),
            self.journal.journal(),
            self._open_sccs.open_sccs(),
        )
        code = int(components(search, budget))
        self._table.note_used(int(self.journal.counts.recorded))
        return code

    def cycle_record(self) -> int:
        return int(self._open_sccs.state.record)

    def begin_loop(self) -> LoopSearch | None:
        if not self.follows:
            return None
        region = Region(component=(self._table, int(self._open_sccs.state.first)))
        start = self._table.state(self.cycle_record())
        return LoopSearch(self.kernel, start, self.accepting, region)

    @property
    def component_size(self) -> int:
        """The number of states of the SCC that was found; only in a search of whole SCCs, after `Event.CYCLE`."""
        return int(self._open_sccs.state.states)

    def component_states(self) -> WordArray:
        """Return the states of the SCC that was found, one per row.

        Only in a search of whole SCCs, after `Event.CYCLE`.
        """
        records = self._open_sccs.last_active(self.component_size)
        at = records[:, None] * np.uint64(self._table.entry) + np.arange(self.kernel.words, dtype=np.uint64)
        states: WordArray = self._table.entries.array[at]
        return states

    def go_on(self) -> None:
        """Continue a search of whole SCCs with the next one, after `Event.CYCLE`."""
        self._cycle = self._loop = None
