"""The sweep: states in the order of their progress, forgotten when the line has passed them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Unpack

import numpy as np
import numpy.typing as npt

from strandline.compile.kernel import Kernel
from strandline.engine import sizes
from strandline.engine.codes import SAME, STEP_BITS
from strandline.engine.expansion import width_of
from strandline.engine.line import LAYERS, LayersPart
from strandline.engine.memory import WordArray
from strandline.engine.notes import NotesPart
from strandline.engine.profile import LayerFigures
from strandline.engine.records import COUNTS, fields
from strandline.engine.search import Event, Search, Statistics, Terms
from strandline.engine.sketch import estimated, new_sketch
from strandline.engine.store.parts import PagedPart
from strandline.errors import InternalError

if TYPE_CHECKING:
    from strandline.engine.orders.sweep_kernel import Sweep


def swept(statistics: Statistics, layers: LayersPart) -> Statistics:
    """Statistics with what the line has done."""
    line = layers.line
    return replace(
        statistics,
        exact=statistics.exact and not line.persistent,
        persistent=int(line.persistent),
        regress_edges=int(line.regress_edges),
        sweeps=int(line.sweeps),
        layers=int(line.layers_left),
        distinct=layers.distinct,
        repeats=statistics.recorded / max(layers.distinct, 1),
    )


class SweepSearch(Search):
    """See `strandline.engine.orders.sweep_kernel`. A listener that wants it is told of every layer that the
    line leaves."""

    loop = "orders.sweep_kernel.sweep"

    def __init__(self, kernel: Kernel, **terms: Unpack[Terms]) -> None:
        if not kernel.measured:
            raise InternalError("a sweep needs a measured kernel")
        listener = terms.get("listener")
        listening = LAYERS if listener is not None and listener.layers else 0
        self._layers = LayersPart(listening, partial=kernel.componentwise)
        self._pages, self._notes = PagedPart(width_of(kernel)), NotesPart(kernel.words)
        super().__init__(kernel, self._layers, self._pages, self._notes, **terms)
        self._recorded_before, self._sketch_before = 0, new_sketch()
        self.expansion.start()

    def run(self, budget: np.uint64) -> int:
        from strandline.engine.orders.sweep_kernel import sweep

        return int(sweep(self._sweep(), budget))

    def load(self) -> None:
        from strandline.engine.orders.sweep_kernel import put_down

        super().load()
        put_down(self._sweep(), np.zeros((0, self.kernel.words + 1), dtype=np.uint64))

    def _sweep(self) -> Sweep:
        from strandline.engine.orders.sweep_kernel import Sweep

        return Sweep(
            self.expansion.expansion(),
            self.expansion.batch(),
            self._pages.store(),
            self._layers.layers(),
            self.journal.journal(),
            self._notes.notes(),
        )

    # A sweep by another measure can go on where this one stands: whatever it has not expanded can be reached from what
    # is stored and waits. What it has expanded and forgotten may be visited again.

    def put_down(self) -> Iterator[WordArray]:
        """All states that wait for expansion, in blocks, one a row: its words, and the link by which another search is
        to store it. This search is of no other use afterwards than to be carried on."""
        from strandline.engine.orders.sweep_kernel import put_down

        states, links = self.expansion.unplaced()
        for first in range(0, len(links), sizes.RECORDS):
            part = slice(first, first + sizes.RECORDS)
            yield np.column_stack((states[part], links[part]))
        self.expansion.rest.count = self.expansion.rest.next = 0
        block = np.zeros((sizes.RECORDS, self.kernel.words + 1), dtype=np.uint64)
        while (count := int(put_down(self._sweep(), block))) > 0:
            block[:count, -1] = (block[:count, -1] << np.uint64(STEP_BITS)) | np.uint64(SAME)
            yield block[:count]

    def carry_on(self, former: SweepSearch) -> None:
        """Before anything else: have the counts of another search, and wait for its states instead of for initial
        ones."""
        self.expansion.rest.count = self.expansion.rest.next = 0
        for name in fields(COUNTS):
            setattr(self.journal.counts, name, getattr(former.journal.counts, name))
        self.journal.counts.stored = 0
        self._recorded_before = int(former.journal.counts.recorded)
        self._sketch_before = former.all_met()
        for name in ("sweeps", "layers_left", "persistent", "regress_edges"):
            setattr(self._layers.line, name, getattr(former._layers.line, name))

    def take_up(self, rows: WordArray, progress: npt.NDArray[np.int64]) -> Event | None:
        """Store what another search has put down, one block after the other, with column and layer of each state; None,
        or the limit that is reached."""
        self.expansion.begin_with(rows[:, :-1], progress, rows[:, -1])
        event = None
        while event is None and self.expansion.rest.count > 0:
            event = self.event_of(self.run(np.uint64(0)))
        return event

    def all_met(self) -> WordArray:
        """The sketch of all states, also of those that a search before this one has stored."""
        return np.maximum(self._sketch_before, self._layers.sketch)

    @property
    def line(self) -> tuple[int, int]:
        return self._layers.key

    def profile(self) -> tuple[LayerFigures, ...]:
        return self._notes.layers(self._layers.standing(), self.journal.counts)

    @property
    def sampled_regress_edges(self) -> list[tuple[tuple[int, ...], int]]:
        return self._notes.regress_edges()

    def statistics(self) -> Statistics:
        told = swept(replace(super().statistics(), exact=not self._recorded_before), self._layers)
        stored = told.recorded - self._recorded_before
        return replace(told, distinct=estimated(self.all_met()), repeats=stored / max(told.distinct, 1))
