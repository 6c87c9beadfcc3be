"""LTL-Sweep, the published search for accepting cycles on a swept state space (001), off-line and on-line."""

from __future__ import annotations

import numpy as np

from strandline.compile.kernel import Kernel
from strandline.engine import registers as r
from strandline.engine import sizes
from strandline.engine.base import Sink
from strandline.engine.cycles import CycleSearch
from strandline.engine.loops import LoopBuilder, Region
from strandline.engine.memory import Words
from strandline.errors import InternalError


class LtlSweepSearch(CycleSearch):
    """See `strandline.engine.ltl_sweep_kernel`. One acceptance set, a measured Kernel.

    `online` looks for cycles over several layers after every sweep instead of once, when everything was swept. With
    `true_sweeps` that search finishes a pass of the line before it turns back; the published one turns back at once.

    The statistics count a visit for each expansion of the blue, the red and the second search; transitions, deadlocks,
    layers and sweeps are those of the blue search, as in a sweep for safety. Forgotten states lie in memory
    until their layer is finished where the line moved back from it: `peak_states` does not count them, `peak_bytes`
    does."""

    def __init__(
        self,
        kernel: Kernel,
        *,
        accepting: int,
        log: Sink,
        online: bool,
        true_sweeps: bool = False,
        memory_limit: int | None = None,
        max_states: int | None = None,
    ) -> None:
        if not kernel.measured:
            raise InternalError("LTL-Sweep needs a measured kernel")
        super().__init__(kernel, accepting=accepting, log=log, memory_limit=memory_limit, max_states=max_states)
        self.regs[r.ONLINE] = online
        self.regs[r.TRUE_SWEEPS] = true_sweeps
        self.cycle_kind = ""
        """After `Event.CYCLE`: "S" for a cycle inside a single layer, "M" for one over multiple layers."""

    def _allocate(self) -> None:
        super()._allocate()
        self._stack = Words(sizes.STACK, large=True)

    def _start(self) -> None:
        kernel = self.kernel
        count = len(kernel.initial)
        records = self._records[: count * kernel.stride].reshape(count, kernel.stride)
        records[:, : kernel.words] = kernel.initial
        records[:, kernel.words : kernel.words + 2] = kernel.initial_progress.view(np.uint64)
        self.regs[r.FOUND_RECORD] = r.ROOT
        self.regs[r.BATCH_COUNT] = count

    def _run(self, budget: np.uint64) -> int:
        from strandline.engine.ltl_sweep_kernel import ltl_sweep

        return int(
            ltl_sweep(
                np.uint64(self.kernel.successors), self._width, np.uint64(self.kernel.stride), budget, self.regs,
                self._buckets.array, self._places, self._heap.array, self._pending.array, self._keepers.array,
                self._stack.array, self._records, self._links, self._index.array, self._store.array,
                self._log_buffer, self._labels, self._scratch,
            )
        )  # fmt: skip

    def _growing(self) -> list[tuple[int, Words, float]]:
        return [*super()._growing(), (r.WANT_STACK, self._stack, 1.5)]

    def _extra_words(self) -> int:
        return len(self._stack)

    @property
    def red_visits(self) -> int:
        """Expansions by the red searches inside layers."""
        return int(self.regs[r.RED_VISITS])

    @property
    def value_visits(self) -> int:
        """Expansions by the search for cycles over several layers."""
        return int(self.regs[r.VALUE_VISITS])

    @property
    def rounds(self) -> int:
        """How often values were propagated until none rose any more."""
        return int(self.regs[r.ROUNDS])

    def _begin_loop(self) -> LoopBuilder:
        from strandline.engine.ltl_sweep_kernel import SWEEPING

        at = int(self.regs[r.CYCLE_ROOT])
        start = tuple(int(word) for word in self._store.array[at : at + self.kernel.words])
        column, layer = self.line
        inside_layer = self.regs[r.PHASE] == SWEEPING
        self.cycle_kind = "S" if inside_layer else "M"
        region = Region(column=column, layers=(layer, layer)) if inside_layer else Region(column=column)
        return LoopBuilder(self.kernel, start, self.accepting, region, memory_limit=self.memory_limit)

    def close(self) -> None:
        super().close()
        self._stack.close()
