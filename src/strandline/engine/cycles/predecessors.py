"""MAP, the search by maximal accepting predecessors, for comparison with the sweep-line methods (001 §3.2, §6)."""

from __future__ import annotations

from typing import Unpack

import numpy as np

from strandline.compile.kernel import Kernel
from strandline.engine.cycles.cycle_extraction import LoopSearch
from strandline.engine.cycles.cycle_search import CycleSearch
from strandline.engine.parts.expansion import width_of
from strandline.engine.runtime.records import PREDECESSORS, record
from strandline.engine.search import SearchArguments
from strandline.engine.store.parts import TablePart


class PredecessorSearch(CycleSearch):
    """MAP; see `strandline.engine.cycles.predecessors_kernel`.

    One acceptance set; all states are stored. The statistics count a visit for each expansion in all rounds,
    transitions and deadlocks once per state. `subgraphs` propagates values inside predecessor subgraphs only.
    """

    loop = "cycles.predecessors_kernel.predecessors"

    def __init__(
        self, kernel: Kernel, *, accepting: int, subgraphs: bool = False, **terms: Unpack[SearchArguments]
    ) -> None:
        self._state = record(PREDECESSORS, accepting=accepting, subgraphs=int(subgraphs), rounds=1)
        self._table = TablePart(width_of(kernel), extra=2, numbered=True)
        super().__init__(kernel, self._table, accepting=accepting, **terms)
        self.expansion.start()

    def run(self, budget: np.uint64) -> int:
        from strandline.engine.cycles.predecessors_kernel import Predecessors, predecessors

        search = Predecessors(
            self.expansion.expansion(),
            self.expansion.batch(),
            self._table.store(),
            self.journal.journal(),
            self._state,
        )
        code = int(predecessors(search, budget))
        self._table.note_used(int(self.journal.counts.recorded))
        return code

    @property
    def rounds(self) -> int:
        """The number of rounds of propagation from the initial states."""
        return int(self._state.rounds)

    def cycle_record(self) -> int:
        return int(self._state.record)

    def begin_loop(self) -> LoopSearch:
        start = self._table.state(self.cycle_record())
        return LoopSearch(self.kernel, start, self.accepting)
