"""LTL-Sweep, the published search for accepting cycles on a swept state space (001), off-line and on-line."""

from __future__ import annotations

from typing import Unpack

import numpy as np

from strandline.compile.kernel import Kernel
from strandline.engine.cycles.cycle_extraction import LoopSearch, Region
from strandline.engine.cycles.cycle_search import CycleSearch
from strandline.engine.parts.expansion import width_of
from strandline.engine.parts.line import COLUMNS, SWEEPS, LayersPart, add_line_counts
from strandline.engine.parts.stack import StackPart
from strandline.engine.runtime.codes import ROOT
from strandline.engine.runtime.records import LTL_SWEEP, record
from strandline.engine.search import SearchArguments, Statistics
from strandline.engine.store.parts import PagedPart
from strandline.errors import InternalError


class LtlSweepSearch(CycleSearch):
    """LTL-Sweep, for one acceptance set and a measured Kernel; see `ltl_sweep_kernel`.

    `online` looks for cycles over several layers after every sweep instead of once, after the last one. With
    `true_sweeps` that search finishes a pass of the line before it turns back; the published one turns back at once.
    The statistics count a visit for each expansion of the blue, the red and the second search; transitions, deadlocks,
    layers and sweeps are those of the blue search, as in a sweep for safety. Deleted states stay in memory until their
    layer is finished if the line moved back from it: `peak_states` does not count them, `peak_bytes` does.
    """

    loop = "cycles.published.ltl_sweep_kernel.ltl_sweep"

    def __init__(
        self,
        kernel: Kernel,
        *,
        accepting: int,
        online: bool,
        true_sweeps: bool = False,
        **terms: Unpack[SearchArguments],
    ) -> None:
        if not kernel.measured:
            raise InternalError("LTL-Sweep needs a measured kernel")
        flags = {"online": int(online), "true_sweeps": int(true_sweeps)}
        self._state = record(LTL_SWEEP, accepting=accepting, source=ROOT, **flags)
        self._layers, self._stack = LayersPart(SWEEPS | COLUMNS), StackPart()
        self._pages = PagedPart(width_of(kernel), extra=3)
        super().__init__(kernel, self._layers, self._pages, self._stack, accepting=accepting, **terms)
        self.expansion.start()

    def run(self, budget: np.uint64) -> int:
        from strandline.engine.cycles.published.ltl_sweep_kernel import ltl_sweep
        from strandline.engine.cycles.published.states_kernel import LtlSweep

        search = LtlSweep(
            self.expansion.expansion(),
            self.expansion.batch(),
            self._pages.store(),
            self._layers.layers(),
            self._stack.stack(),
            self.journal.journal(),
            self._state,
        )
        return int(ltl_sweep(search, budget))

    @property
    def line(self) -> tuple[int, int]:
        return self._layers.key

    @property
    def red_visits(self) -> int:
        """Expansions by the red searches inside layers."""
        return int(self._state.red_visits)

    @property
    def value_visits(self) -> int:
        """Expansions by the search for cycles over several layers."""
        return int(self._state.value_visits)

    @property
    def rounds(self) -> int:
        """The number of rounds in which values were propagated to a fixpoint."""
        return int(self._state.rounds)

    def statistics(self) -> Statistics:
        return add_line_counts(super().statistics(), self._layers)

    def cycle_record(self) -> int:
        return self._pages.record(int(self._state.found))

    def begin_loop(self) -> LoopSearch:
        from strandline.engine.cycles.published.states_kernel import SWEEPING

        start = self._pages.state(int(self._state.found))
        column, layer = self.line
        inside_layer = self._state.phase == SWEEPING
        self.cycle_kind = "S" if inside_layer else "M"
        region = Region(column=column, layers=(layer, layer)) if inside_layer else Region(column=column)
        return LoopSearch(self.kernel, start, self.accepting, region)
