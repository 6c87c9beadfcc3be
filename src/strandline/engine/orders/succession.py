"""A sweep by another measure can go on where one stands: whatever that has not expanded can be reached from what is
stored and waits. What it has expanded and forgotten may be visited again."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Unpack

import numpy as np
import numpy.typing as npt

from strandline.compile.kernel import Kernel
from strandline.engine import sizes
from strandline.engine.codes import SAME, STEP_BITS
from strandline.engine.expansion import ExpansionPart
from strandline.engine.journal import JournalPart
from strandline.engine.line import LayersPart, swept
from strandline.engine.memory import WordArray
from strandline.engine.notes import NotesPart
from strandline.engine.part import Part
from strandline.engine.records import COUNTS, fields
from strandline.engine.search import Event, Search, Statistics, Terms
from strandline.engine.sketch import estimated, new_sketch
from strandline.engine.store.parts import PagedPart

if TYPE_CHECKING:
    from strandline.engine.orders.sweep_kernel import Sweep


@dataclass(frozen=True, slots=True)
class Swept:
    """What one thread works on."""

    expansion: ExpansionPart
    journal: JournalPart
    layers: LayersPart
    pages: PagedPart
    notes: NotesPart

    @property
    def parts(self) -> tuple[Part, ...]:
        return self.expansion, self.journal, self.layers, self.pages, self.notes

    def view(self) -> Sweep:
        """What its kernel works on."""
        from strandline.engine.orders.sweep_kernel import Sweep

        asking = (self.expansion.expansion(), self.expansion.batch())
        return Sweep(*asking, self.pages.store(), self.layers.layers(), self.journal.journal(), self.notes.notes())


class SucceededSweep(Search):
    """A sweep that another one can carry on, which has as many threads."""

    def __init__(self, kernel: Kernel, *parts: Part, **terms: Unpack[Terms]) -> None:
        super().__init__(kernel, *parts, **terms)
        self._recorded_before, self._sketch_before = 0, new_sketch()

    @property
    @abstractmethod
    def threads(self) -> Sequence[Swept]:
        """What each thread works on. Record `r` of thread `t` is record `r * threads + t` of the search."""

    def under_way(self) -> Iterator[tuple[WordArray, WordArray]]:
        """States that are on their way from one thread to another, one a row, and their links."""
        return iter(())

    def load_put_down(self) -> None:
        """Have the machine code for that; the search is of no other use afterwards."""
        from strandline.engine.orders.sweep_kernel import put_down

        put_down(self.threads[0].view(), np.zeros((0, self.kernel.words + 1), dtype=np.uint64))

    def put_down(self) -> Iterator[WordArray]:
        """All states that wait for expansion, in blocks, one a row: its words, and the link by which another search is
        to store it. This search is of no other use afterwards than to be carried on."""
        from strandline.engine.orders.sweep_kernel import put_down

        for states, links in (*(one.expansion.unplaced() for one in self.threads), *self.under_way()):
            for first in range(0, len(links), sizes.RECORDS):
                part = slice(first, first + sizes.RECORDS)
                yield np.column_stack((states[part], links[part]))
        block = np.zeros((sizes.RECORDS, self.kernel.words + 1), dtype=np.uint64)
        for number, one in enumerate(self.threads):
            while (count := int(put_down(one.view(), block))) > 0:
                records = block[:count, -1] * np.uint64(len(self.threads)) + np.uint64(number)
                block[:count, -1] = (records << np.uint64(STEP_BITS)) | np.uint64(SAME)
                yield block[:count]

    def carry_on(self, former: SucceededSweep) -> None:
        """Before anything else: have the counts of another search, and wait for its states instead of for initial
        ones."""
        self.expansion.rest.count = self.expansion.rest.next = 0
        for mine, other in zip(self.threads, former.threads, strict=True):
            for name in fields(COUNTS):
                setattr(mine.journal.counts, name, getattr(other.journal.counts, name))
            mine.journal.counts.stored = 0
            for name in ("sweeps", "layers_left", "persistent", "regress_edges"):
                setattr(mine.layers.line, name, getattr(other.layers.line, name))
        self._recorded_before = int(former.journal.counts.recorded)
        self._sketch_before = former.all_met()

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
        met: WordArray = np.maximum.reduce([self._sketch_before, *(one.layers.sketch for one in self.threads)])
        return met

    def statistics(self) -> Statistics:
        known = replace(super().statistics(), exact=not self._recorded_before)
        told = swept(known, *(one.layers for one in self.threads))
        stored = told.recorded - self._recorded_before
        return replace(told, distinct=estimated(self.all_met()), repeats=stored / max(told.distinct, 1))
