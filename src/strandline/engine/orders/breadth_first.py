"""Breadth-first search: shortest traces; every state is stored, exactly or by a lossy store."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING, Unpack

import numpy as np

from strandline.compile.kernel import Kernel
from strandline.engine.handoff import LEVEL, NEXT_LEVEL, UNPLACED, VISITED, Blocks, HandOff, LevelCounters
from strandline.engine.orders.shared_bfs_workers import WorkerPool, WorkerPreparation
from strandline.engine.parts.part import GrowingPart
from strandline.engine.parts.search_output import EdgeObserver, EncodedSink
from strandline.engine.runtime import sizes
from strandline.engine.runtime.codes import BUDGET, CONTINUE, DONE, SAME, STEP_BITS
from strandline.engine.runtime.memory import WordArray
from strandline.engine.runtime.records import COUNTS, LEVELS, counters_of, record
from strandline.engine.search import Details, Search, SearchArguments, Statistics, level_details
from strandline.engine.store.kinds import AUTO, StoreDemands, StoreKind
from strandline.engine.store.parts import StorePart
from strandline.errors import InternalError

if TYPE_CHECKING:
    from strandline.engine.orders.breadth_first_kernel import BreadthFirst


class BreadthFirstSearch(Search):
    """Breadth-first search; see `strandline.engine.orders.breadth_first_kernel`.

    One thread searches until `alone_until` states are stored, then all `threads`. Meanwhile `compile_for_threads` puts
    their machine code into the cache; it ends early when its argument, a function, returns True.
    """

    loop = "orders.breadth_first_kernel.breadth_first"
    # Between two rounds everything is as a single thread would have left it: any number of threads can go on.
    limits = (*Search.limits, "_workers", "_preparation")

    def __init__(
        self,
        kernel: Kernel,
        *,
        store_kind: StoreKind = AUTO,
        table_bytes: int | None = None,
        threads: int = 1,
        alone_until: int = 0,
        compile_for_threads: Callable[[Callable[[], bool]], None] = lambda abandoned: None,
        encoded_log: EncodedSink | None = None,
        **terms: Unpack[SearchArguments],
    ) -> None:
        if kernel.measured:
            raise InternalError("breadth-first search takes a kernel without a measure")
        self._level = record(LEVELS)
        # An edge observer needs the record of a stored state, not only that it is stored.
        numbered = isinstance(terms.get("observer"), EdgeObserver)
        if numbered and not store_kind.whole:
            raise InternalError("an edge observer needs a store that knows the records of states")
        demands = StoreDemands(numbered) if table_bytes is None else StoreDemands(numbered, table_bytes)
        self._table = store_kind.make(kernel, demands)
        self._levels = GrowingPart(sizes.LEVELS, self._level, factor=2.0)
        super().__init__(kernel, self._table, self._levels, **terms)
        self.expansion.start()
        self._begun = False
        self._workers: WorkerPool | None = None
        self._preparation: WorkerPreparation | None = None
        if threads > 1 and store_kind.threads:
            answer = self.expansion.answer
            self._preparation = WorkerPreparation(
                lambda: WorkerPool(
                    kernel, threads, self._table, self.journal, self._level, answer, self.engine_bytes, encoded_log
                ),
                alone_until,
                compile_for_threads,
            )
            if not alone_until:
                self._use(self._preparation.workers())

    def _use(self, workers: WorkerPool) -> None:
        self._workers = workers
        self.parts = (*self.parts, workers)

    def run(self, budget: np.uint64) -> int:
        if self._workers is None and self._preparation is not None:
            prepared = self._preparation.after(int(self.journal.counts.recorded), self._levels.array)
            if prepared is not None:
                self._use(prepared)
        workers = self._workers
        if workers is None:
            code = self._run_alone(budget)
            compiling = code == DONE and self._preparation is not None and self._preparation.is_compiling()
            # Once per machine: else searches that take less time than compiling would never find the code.
            return BUDGET if compiling else code
        if not workers.idle:
            return self._run_together(workers, budget)
        if not self.expansion.rest.count:
            code = self._next_level()
            if code != CONTINUE:
                return code
            if int(self._level.end) - int(self._level.head) >= sizes.SHARED_STATES:
                return self._run_together(workers, budget)
        return self._run_alone(np.uint64(workers.budget_alone(int(budget))))

    def load(self) -> None:
        super().load()
        if self._workers is not None:
            self._workers.load()

    def load_threads(self) -> None:
        """Load the machine code for several threads only."""
        if self._workers is not None:
            self._workers.precompile(self._levels.array)

    def _run_alone(self, budget: np.uint64) -> int:
        from strandline.engine.orders.breadth_first_kernel import breadth_first

        self._begin()
        code = int(breadth_first(self._all(), budget))
        self._table.note_used(int(self.journal.counts.recorded), int(self._level.head))
        return code

    def _begin(self) -> None:
        """Prepare the hashes of the initial states, once."""
        from strandline.engine.parts.batch_kernel import prepare_initial

        if not self._begun and self._table.hashes_late:
            search = self._all()
            prepare_initial(search.expansion, search.batch, search.store, self.expansion.rest.count)
        self._begun = True

    def _run_together(self, workers: WorkerPool, budget: np.uint64) -> int:
        code = workers.run(int(budget), self._levels.array)
        self._table.note_used(int(self.journal.counts.recorded), workers.first_state())
        return code

    def _next_level(self) -> int:
        from strandline.engine.orders.breadth_first_kernel import next_level

        return int(next_level(self._all()))

    def _all(self) -> BreadthFirst:
        """Return the arguments of the kernels."""
        from strandline.engine.orders.breadth_first_kernel import BreadthFirst

        asking = (self.expansion.expansion(), self.expansion.batch())
        return BreadthFirst(*asking, self._table.store(), self.journal.journal(), self._levels.array, self._level)

    @property
    def settled(self) -> bool:
        return super().settled and (self._workers is None or self._workers.idle)

    @property
    def can_hand_off(self) -> bool:
        """True if the store can list its states at the moment."""
        return self._table.can_list

    def hand_off(self) -> HandOff:
        table, counters, workers = self._table, self._counters(), self._workers
        head, level_end = int(self._level.head), counters.level_end
        claimed = [] if workers is None else workers.claimed()
        computed = [self.expansion.unplaced(), *([] if workers is None else workers.unplaced())]
        blocks = {
            VISITED: table.states(sizes.RECORDS),
            LEVEL: chain.from_iterable(_frontier(table, *ends) for ends in (*claimed, (head, level_end))),
            NEXT_LEVEL: _frontier(table, level_end, counters.found),
            UNPLACED: chain.from_iterable(_in_blocks(np.column_stack(one)) for one in computed),
        }
        return HandOff(counters, blocks)

    def _counters(self) -> LevelCounters:
        counts, level = self.journal.counts, self._level
        claimed = 0 if self._workers is None else sum(last - first for first, last in self._workers.claimed())
        ends = (int(level.head) - claimed, int(level.end), int(counts.recorded))
        numbers = counters_of(counts, COUNTS)
        return LevelCounters(numbers, tuple(self.level_sizes), *ends, peak_bytes=self.statistics().peak_bytes)

    def statistics(self) -> Statistics:
        workers = self._workers
        if workers is None:
            return super().statistics()
        return replace(super().statistics(), threads=workers.threads, busy=workers.busy)

    def close(self) -> None:
        if self._preparation is not None:
            self._preparation.close()
        super().close()

    def _sizes(self) -> WordArray:
        """Return the sizes of the levels that were begun."""
        return self._levels.array[: int(self._level.count)]

    @property
    def level_sizes(self) -> list[int]:
        """The number of states at each distance from the initial states."""
        return [int(size) for size in self._sizes()]

    def details(self) -> Details:
        """Return the levels, the profile and the expected loss of the store."""
        counts = self.journal.counts
        found = level_details(self.level_sizes, int(counts.visited))
        return replace(found, omissions=self._table.omissions(int(counts.recorded)))


def _frontier(table: StorePart, first: int, last: int) -> Blocks:
    """Yield the states of entries `first` to `last`, with links that say which record each state has already."""
    for block in table.waiting(first, last, sizes.RECORDS):
        records = np.arange(first, first + len(block), dtype=np.uint64)
        block[:, -1] = (records << np.uint64(STEP_BITS)) | np.uint64(SAME)
        first += len(block)
        yield block


def _in_blocks(rows: WordArray) -> Blocks:
    return (rows[first : first + sizes.RECORDS] for first in range(0, len(rows), sizes.RECORDS))
