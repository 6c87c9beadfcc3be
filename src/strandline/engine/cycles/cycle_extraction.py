"""Extraction of a cycle that is known to exist: a shortest loop inside a region."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from strandline.compile.kernel import Kernel
from strandline.engine.runtime.codes import BIAS, ROOT, STEP_BITS, STEP_MASK
from strandline.engine.runtime.memory import WordArray
from strandline.engine.runtime.records import LOOP, record
from strandline.engine.search import Event, Search
from strandline.engine.store.parts import TablePart
from strandline.errors import InternalError

State: TypeAlias = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Region:
    """The part of the state space to which the search for a loop is confined; everything if no field is given."""

    component: tuple[TablePart, int] | None = None
    """The store of a component search, and the first record of the SCC."""
    column: int | None = None
    layers: tuple[int, int] = (-BIAS, BIAS - 1)
    """Least and largest layer; only with a column, of a measured Kernel."""

    def bounds(self) -> WordArray:
        """Return column, least and largest layer, biased as in the engine; empty without a column."""
        if self.column is None:
            return np.zeros(0, dtype=np.uint64)
        return np.array([value + BIAS for value in (self.column, *self.layers)], dtype=np.uint64)


class LoopSearch(Search):
    """Search for a shortest loop from a state through every acceptance set, inside a region; the loop must exist.

    `advance` returns CYCLE when it is found; see `strandline.engine.cycles.cycle_extraction_kernel`.
    """

    loop = "cycles.cycle_extraction_kernel.loop"

    def __init__(
        self,
        kernel: Kernel,
        start: State,
        accepting: int,
        region: Region | None = None,
        *,
        engine_bytes: int | None = None,
    ) -> None:
        self._region = region or Region()
        self._state = record(LOOP, accepting=accepting, source=ROOT)
        self._target: WordArray = np.array(start, dtype=np.uint64)
        self._key: WordArray = np.zeros(kernel.words + 1, dtype=np.uint64)
        self._kept: list[WordArray] = []
        self._table = TablePart(kernel.words + 1, numbered=True)
        super().__init__(
            kernel, self._table, log=lambda links: self._kept.append(links.copy()), engine_bytes=engine_bytes
        )
        self.expansion.records[: kernel.words] = self._target
        self.expansion.rest.count = 1

    def run(self, budget: np.uint64) -> int:
        from strandline.engine.cycles.cycle_extraction_kernel import Loop, loop

        component = None
        if self._region.component is not None:
            table, first = self._region.component
            component = (table.store(), np.uint64(first))
        search = Loop(
            self.expansion.expansion(),
            self.expansion.rest,
            self._table.store(),
            self.journal.journal(),
            self._state,
            self._key,
            self._target,
            self._region.bounds(),
            component,
        )
        code = int(loop(search, budget))
        self._table.note_used(int(self.journal.counts.recorded))
        return code

    def advance(self, seconds: float = 0.05) -> Event:
        event = super().advance(seconds)
        if event not in (Event.PAUSED, Event.MEMORY, Event.CYCLE):
            raise InternalError(f"the loop of a cycle that was found cannot be computed: {event.value}")
        return event

    @property
    def visited(self) -> int:
        return int(self.journal.counts.visited)

    @property
    def steps(self) -> tuple[int, ...]:
        """Return the steps of the loop, after CYCLE."""
        links = np.concatenate(self._kept)
        last = int(self._state.link)
        steps = [last & STEP_MASK]
        while (link := int(links[last >> STEP_BITS])) >> STEP_BITS != ROOT:
            steps.append(link & STEP_MASK)
            last = link
        return tuple(reversed(steps))
