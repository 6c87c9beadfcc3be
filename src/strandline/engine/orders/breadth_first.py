"""Breadth-first search: shortest traces; every state is stored, exactly or by a lossy store."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, TypeAlias, Unpack

import numpy as np

from strandline.compile.kernel import Kernel
from strandline.engine.handoff import LEVEL, NEXT_LEVEL, UNPLACED, VISITED, Blocks, HandOff, LevelCounters
from strandline.engine.orders.shared_bfs_workers import WorkerPool
from strandline.engine.parts.expansion import width_of
from strandline.engine.parts.part import GrowingPart
from strandline.engine.parts.profile import LayerFigures, level_layers
from strandline.engine.parts.search_output import EdgeObserver
from strandline.engine.runtime import sizes
from strandline.engine.runtime.codes import BIT_FUNCTIONS, BUDGET, CONTINUE, HASH_BITS, SAME, STEP_BITS
from strandline.engine.runtime.memory import WordArray
from strandline.engine.runtime.records import COUNTS, LEVELS, fields, record
from strandline.engine.search import Omissions, Search, SearchArguments, Statistics
from strandline.engine.store.parts import BitsPart, TablePart
from strandline.engine.store.tree import TreePart
from strandline.errors import InternalError

if TYPE_CHECKING:
    from strandline.engine.orders.breadth_first_kernel import BreadthFirst


class HashCompaction:
    """Hash compaction: 63 bits of each state's hash."""


@dataclass(frozen=True, slots=True)
class Bitstate:
    """Bitstate hashing in a table of `size` bytes."""

    size: int


@dataclass(frozen=True, slots=True)
class TreeCompression:
    """Tree compression, which is exact."""


StoreKind: TypeAlias = HashCompaction | Bitstate | TreeCompression


class BreadthFirstSearch(Search):
    """Breadth-first search; see `strandline.engine.orders.breadth_first_kernel`."""

    loop = "orders.breadth_first_kernel.breadth_first"

    def __init__(
        self, kernel: Kernel, *, store_kind: StoreKind | None = None, threads: int = 1, **terms: Unpack[SearchArguments]
    ) -> None:
        if kernel.measured:
            raise InternalError("breadth-first search takes a kernel without a measure")
        self._level = record(LEVELS)
        # An edge observer needs the record of a stored state, not only that it is stored.
        numbered = isinstance(terms.get("observer"), EdgeObserver)
        if numbered and store_kind is not None:
            raise InternalError("an edge observer needs a store that knows the records of states")
        self._table: TablePart | BitsPart | TreePart
        if isinstance(store_kind, Bitstate):
            self._table = BitsPart(width_of(kernel), size=store_kind.size)
        elif isinstance(store_kind, TreeCompression):
            self._table = TreePart(width_of(kernel), bits=kernel.bits)
        else:
            self._table = TablePart(width_of(kernel), numbered=numbered, compact=store_kind is not None)
            # A search with whole states can fall back to tree compression; the others have no fallback.
            self._table.use_last_memory = numbered or store_kind is not None
        self._levels = GrowingPart(sizes.LEVELS, self._level, factor=2.0)
        super().__init__(kernel, self._table, self._levels, **terms)
        self.expansion.start()
        self._begun = False
        self._workers: WorkerPool | None = None
        if threads > 1 and isinstance(self._table, TablePart):
            self._workers = WorkerPool(kernel, threads, self._table, self.journal, self.expansion.answer)
            self.parts = (*self.parts, self._workers)

    def run(self, budget: np.uint64) -> int:
        workers = self._workers
        if workers is None:
            return self._run_alone(budget)
        if not workers.idle:
            return self._run_together(workers)
        if not self.expansion.rest.count:
            code = self._next_level()
            if code != CONTINUE:
                return code
            if int(self._level.end) - int(self._level.head) >= sizes.SHARED_STATES:
                return self._run_together(workers)
        return self._run_alone(np.uint64(workers.budget_alone(int(budget))))

    def load(self) -> None:
        super().load()
        if self._workers is not None:
            self._workers.load()

    def _run_alone(self, budget: np.uint64) -> int:
        from strandline.engine.orders.breadth_first_kernel import breadth_first

        self._begin()
        code = int(breadth_first(self._all(), budget))
        self._table.note_used(int(self.journal.counts.recorded), int(self._level.head))
        return code

    def _begin(self) -> None:
        """Prepare the hashes of the initial states, once."""
        from strandline.engine.parts.batch_kernel import prepare_initial

        if not self._begun and isinstance(self._table, TreePart):
            search = self._all()
            prepare_initial(search.expansion, search.batch, search.store, self.expansion.rest.count)
        self._begun = True

    def _run_together(self, workers: WorkerPool) -> int:
        code, self._level.head = workers.run(int(self._level.head), int(self._level.end))
        self._table.note_used(int(self.journal.counts.recorded), workers.first_state(int(self._level.head)))
        return code if code != CONTINUE else BUDGET

    def _next_level(self) -> int:
        from strandline.engine.orders.breadth_first_kernel import next_level

        return int(next_level(self._all()))

    def _all(self) -> BreadthFirst:
        """Return the arguments of the kernels."""
        from strandline.engine.orders.breadth_first_kernel import BreadthFirst

        asking = (self.expansion.expansion(), self.expansion.batch())
        return BreadthFirst(*asking, self._table.store(), self.journal.journal(), self._levels.array, self._level)

    @property
    def can_hand_off(self) -> bool:
        """True if states are stored by tree compression and can be listed: the table is not being rehashed."""
        return isinstance(self._table, TreePart) and not self._table.shape.target

    def hand_off(self) -> HandOff:
        table, counters = self._table, self._counters()
        if not isinstance(table, TreePart):
            raise InternalError("only a breadth-first search with tree compression can be continued")
        states, links = self.expansion.unplaced()
        unplaced = np.column_stack((states, links))
        ends = (counters.expanded, counters.level_end, counters.found)
        level, next_level = (self._frontier(table, first, last) for first, last in pairwise(ends))
        blocks = {
            VISITED: table.states(sizes.RECORDS),
            LEVEL: level,
            NEXT_LEVEL: next_level,
            UNPLACED: (unplaced[first : first + sizes.RECORDS] for first in range(0, len(unplaced), sizes.RECORDS)),
        }
        return HandOff(counters, blocks)

    def _counters(self) -> LevelCounters:
        counts, level = self.journal.counts, self._level
        numbers = {name: int(getattr(counts, name)) for name in fields(COUNTS)}
        ends = (int(level.head), int(level.end), int(counts.recorded))
        return LevelCounters(numbers, tuple(self.level_sizes), *ends, peak_bytes=self.statistics().peak_bytes)

    @staticmethod
    def _frontier(table: TreePart, first: int, last: int) -> Blocks:
        for block in table.waiting(first, last, sizes.RECORDS):
            records = np.arange(first, first + len(block), dtype=np.uint64)
            block[:, -1] = (records << np.uint64(STEP_BITS)) | np.uint64(SAME)
            first += len(block)
            yield block

    @property
    def omissions(self) -> Omissions | None:
        stored = int(self.journal.counts.recorded)
        if isinstance(self._table, BitsPart):
            # A new state is omitted if its bits happen to be set; the fill grew evenly, so the mean is taken over it.
            mistaken = self._table.filled**BIT_FUNCTIONS
            return Omissions(stored * mistaken / (BIT_FUNCTIONS + 1), mistaken)
        if isinstance(self._table, TablePart) and self._table.compact:
            return Omissions(stored * (stored - 1) / 2 / 2**HASH_BITS, stored / 2**HASH_BITS)
        return None

    def statistics(self) -> Statistics:
        return replace(super().statistics(), threads=1 if self._workers is None else self._workers.threads)

    def close(self) -> None:
        if self._workers is not None:
            self._workers.close()
        super().close()

    def _sizes(self) -> WordArray:
        """Return the sizes of the levels that were begun."""
        return self._levels.array[: int(self._level.count)]

    @property
    def level_sizes(self) -> list[int]:
        return [int(size) for size in self._sizes()]

    def profile(self) -> tuple[LayerFigures, ...]:
        """Return the profile, whose layers are the distances from the initial states."""
        return level_layers(self._sizes(), int(self.journal.counts.visited), sizes.PROFILE_CELLS)
