"""The sweep: states in the order of their progress, deleted when the line has passed them."""

from __future__ import annotations

from typing import Unpack

import numpy as np

from strandline.compile.kernel import Kernel
from strandline.engine.orders.continued_sweep import ContinuedSweep, SweepThread
from strandline.engine.parts.expansion import width_of
from strandline.engine.parts.line import LAYERS, LayersPart
from strandline.engine.parts.profile_recorder import RecorderPart
from strandline.engine.search import Details, SearchArguments
from strandline.engine.store.parts import PagedPart
from strandline.errors import InternalError


class SweepSearch(ContinuedSweep):
    """A sweep; see `strandline.engine.orders.sweep_kernel`.

    An observer with `layers` is notified of every layer that the line leaves.
    """

    loop = "orders.sweep_kernel.sweep"

    def __init__(self, kernel: Kernel, **terms: Unpack[SearchArguments]) -> None:
        if not kernel.measured:
            raise InternalError("a sweep needs a measured kernel")
        observer = terms.get("observer")
        observed = LAYERS if observer is not None and observer.layers else 0
        self._layers = LayersPart(observed, partial=kernel.componentwise)
        self._pages, self._recorder = PagedPart(width_of(kernel)), RecorderPart(kernel.words)
        self._pages.use_last_memory = False
        super().__init__(kernel, self._layers, self._pages, self._recorder, **terms)
        self.expansion.start()

    def run(self, budget: np.uint64) -> int:
        from strandline.engine.orders.sweep_kernel import sweep

        return int(sweep(self._thread.view(), budget))

    def load(self) -> None:
        super().load()
        self.load_hand_off()

    @property
    def _thread(self) -> SweepThread:
        return SweepThread(self.expansion, self.journal, self._layers, self._pages, self._recorder)

    @property
    def threads(self) -> tuple[SweepThread, ...]:
        return (self._thread,)

    @property
    def line(self) -> tuple[int, int]:
        return self._layers.key

    def details(self) -> Details:
        profile = self._recorder.layers(self._layers.standing(), self.journal.counts)
        return Details(profile=profile, sampled_regress_edges=self._recorder.regress_edges())
