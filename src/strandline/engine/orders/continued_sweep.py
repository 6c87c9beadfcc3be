"""Sweeps that can be continued by another sweep with another measure (`strandline.engine.handoff`)."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Unpack

import numpy as np
import numpy.typing as npt

from strandline.compile.kernel import Kernel
from strandline.engine.handoff import FRONTIER, Blocks, HandOff, Progress, SweepCounters
from strandline.engine.parts.expansion import ExpansionPart
from strandline.engine.parts.line import LayersPart, add_line_counts
from strandline.engine.parts.part import Part
from strandline.engine.parts.profile_recorder import RecorderPart
from strandline.engine.parts.search_output import JournalPart
from strandline.engine.parts.sketch import estimate, new_sketch
from strandline.engine.runtime import sizes
from strandline.engine.runtime.codes import SAME, STEP_BITS
from strandline.engine.runtime.memory import WordArray
from strandline.engine.runtime.records import COUNTS, fields
from strandline.engine.search import Event, Search, SearchArguments, Statistics
from strandline.engine.store.parts import PagedPart
from strandline.errors import InternalError

if TYPE_CHECKING:
    from strandline.engine.orders.sweep_kernel import Sweep

_LINE_COUNTS = ("sweeps", "layers_left", "persistent", "regress_edges")


@dataclass(frozen=True, slots=True)
class SweepThread:
    """The parts of one thread of a sweep."""

    expansion: ExpansionPart
    journal: JournalPart
    layers: LayersPart
    pages: PagedPart
    recorder: RecorderPart

    @property
    def parts(self) -> tuple[Part, ...]:
        return self.expansion, self.journal, self.layers, self.pages, self.recorder

    def view(self) -> Sweep:
        """Return the arguments of the thread's kernel."""
        from strandline.engine.orders.sweep_kernel import Sweep

        asking = (self.expansion.expansion(), self.expansion.batch())
        return Sweep(
            *asking, self.pages.store(), self.layers.layers(), self.journal.journal(), self.recorder.recorder()
        )


class ContinuedSweep(Search):
    """A sweep that can be continued by another one with the same number of threads."""

    def __init__(self, kernel: Kernel, *parts: Part, **terms: Unpack[SearchArguments]) -> None:
        super().__init__(kernel, *parts, **terms)
        self._recorded_before, self._sketch_before = 0, new_sketch()

    @property
    @abstractmethod
    def threads(self) -> Sequence[SweepThread]:
        """The parts of each thread. Record `r` of thread `t` is record `r * threads + t` of the search."""

    def in_mailboxes(self) -> Iterator[tuple[WordArray, WordArray]]:
        """States sent from one thread to another and not received yet, one per row, and their links."""
        return iter(())

    def load_hand_off(self) -> None:
        """Load the machine code of `hand_off`; the search cannot be used afterwards."""
        from strandline.engine.orders.sweep_kernel import list_frontier

        list_frontier(self.threads[0].view(), np.zeros((0, self.kernel.words + 1), dtype=np.uint64))

    @property
    def can_hand_off(self) -> bool:
        return True

    def hand_off(self) -> HandOff:
        counts = tuple(_numbers(one.journal.counts, fields(COUNTS)) for one in self.threads)
        lines = tuple(_numbers(one.layers.line, _LINE_COUNTS) for one in self.threads)
        total = self.journal.counts
        counters = SweepCounters(counts, lines, int(total.recorded), int(total.peak_stored), self._sketch_of_all())
        return HandOff(counters, {FRONTIER: self._frontier()})

    def _frontier(self) -> Blocks:
        from strandline.engine.orders.sweep_kernel import list_frontier

        for states, links in (*(one.expansion.unplaced() for one in self.threads), *self.in_mailboxes()):
            for first in range(0, len(links), sizes.RECORDS):
                part = slice(first, first + sizes.RECORDS)
                yield np.column_stack((states[part], links[part]))
        block = np.zeros((sizes.RECORDS, self.kernel.words + 1), dtype=np.uint64)
        for number, one in enumerate(self.threads):
            while (count := int(list_frontier(one.view(), block))) > 0:
                records = block[:count, -1] * np.uint64(len(self.threads)) + np.uint64(number)
                block[:count, -1] = (records << np.uint64(STEP_BITS)) | np.uint64(SAME)
                yield block[:count]

    def take_over(self, handoff: HandOff, progress: Progress | None = None) -> Event | None:
        counters = handoff.counters
        if progress is None or not isinstance(counters, SweepCounters):
            raise InternalError("a sweep continues a sweep, by a measure of its own")
        self._continue_counting(counters)
        for rows in handoff.blocks[FRONTIER]:
            event = self._store(rows, progress(rows[:, :-1]))
            if event is not None:
                return event
        return None

    def _continue_counting(self, counters: SweepCounters) -> None:
        """Start from the counters of the search that this one continues, without the initial states."""
        self.expansion.rest.count = self.expansion.rest.next = 0
        for one, counts, line in zip(self.threads, counters.counts, counters.lines, strict=True):
            for name, count in counts.items():
                setattr(one.journal.counts, name, count)
            one.journal.counts.stored = 0
            for name, count in line.items():
                setattr(one.layers.line, name, count)
        self._recorded_before, self._sketch_before = counters.recorded, counters.sketch

    def _store(self, rows: WordArray, progress: npt.NDArray[np.int64]) -> Event | None:
        """Store a block of the frontier; return the limit that is reached, if one is."""
        self.expansion.begin_with(rows[:, :-1], progress, rows[:, -1])
        event = None
        while event is None and self.expansion.rest.count > 0:
            event = self.event_of(self.run(np.uint64(0)))
        return event

    def _sketch_of_all(self) -> WordArray:
        """Return the sketch of all stored states, including those of the searches that this one continues."""
        met: WordArray = np.maximum.reduce([self._sketch_before, *(one.layers.sketch for one in self.threads)])
        return met

    def statistics(self) -> Statistics:
        known = replace(super().statistics(), exact=not self._recorded_before)
        found = add_line_counts(known, *(one.layers for one in self.threads))
        stored = found.recorded - self._recorded_before
        return replace(found, distinct=estimate(self._sketch_of_all()), repeats=stored / max(found.distinct, 1))


def _numbers(record: object, names: Sequence[str]) -> dict[str, int]:
    return {name: int(getattr(record, name)) for name in names}
