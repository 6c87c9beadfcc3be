"""The worker threads of a breadth-first search (`strandline.engine.orders.shared_kernel`)."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import numpy as np

from strandline.compile.kernel import Kernel
from strandline.engine.parts.expansion import ExpansionPart
from strandline.engine.parts.part import Affordable, Part
from strandline.engine.parts.search_output import JournalPart
from strandline.engine.runtime import codes, sizes
from strandline.engine.runtime.memory import WordArray
from strandline.engine.runtime.records import CLAIM, COUNTS, EXPANSION_COUNTS, ROUND, record
from strandline.engine.store.parts import StorePart
from strandline.errors import InternalError

if TYPE_CHECKING:
    from strandline.engine.orders.shared_kernel import Shared

_REST, _PUT_OFF = 1 << 14, 1 << 12
"""Fewest slots of a table that are worth several threads; slot contents that each thread may defer."""
_NUMBERS, _ALONE = 64, 1 << 15
"""Records that a worker claims at a time; states that one thread expands before parallel work is considered again."""
_PRIORITY = (codes.FOUND, codes.FAULT, codes.GROW, codes.FLUSH)
"""Priority of return codes when several workers stop at once; lower-priority events recur in the next round."""


class _Worker:
    """The private arrays of one worker."""

    def __init__(self, kernel: Kernel) -> None:
        self.expansion = ExpansionPart(kernel, 0)
        self.own, self.counts = record(CLAIM), record(COUNTS)

    @property
    def idle(self) -> bool:
        """True if all claimed states are expanded and their successors stored."""
        return bool(self.own.state == self.own.states_end) and not self.expansion.rest.count


class WorkerPool(Part):
    """Worker threads that expand a level together, round by round."""

    def __init__(self, kernel: Kernel, threads: int, table: StorePart, journal: JournalPart, answer: Any) -> None:
        from strandline.engine.orders.shared_kernel import COMMON_WORDS

        self.threads = threads
        self._table, self._journal, self._answer = table, journal, answer
        self._workers = [_Worker(kernel) for _ in range(threads)]
        self._pool = ThreadPoolExecutor(threads - 1, thread_name_prefix="strandline")
        self._links: WordArray = np.zeros(sizes.SHARED_LINKS, dtype=np.uint64)
        self._common: WordArray = np.zeros(COMMON_WORDS, dtype=np.uint64)
        self._round = record(ROUND)
        self._alone = sizes.SHARED_STATES

    @property
    def idle(self) -> bool:
        """True if no worker has anything left of the last round."""
        return all(worker.idle for worker in self._workers)

    def budget_alone(self, budget: int) -> int:
        """Return how many states a single thread may expand before parallel work is considered again.

        Few at first, more while levels are small.
        """
        self._alone = min(2 * self._alone, _ALONE)
        return min(budget, self._alone)

    def first_state(self, otherwise: int) -> int:
        """Return the first state that is claimed and not expanded."""
        return min([otherwise, *(int(one.own.state) for one in self._workers if one.own.state < one.own.states_end)])

    def run(self, head: int, end: int) -> tuple[int, int]:
        """Expand entries from `head` to `end` in one round.

        Returns CONTINUE or the code of an event, and the first unclaimed state.
        """
        self._alone = sizes.SHARED_STATES
        code = self._begin_round(head, end)
        if code == codes.CONTINUE:
            code = self._expand()
            head = min(int(self._common[0]), int(self._round.states_end))
            self._end_round()
        return code, head

    def load(self) -> None:
        """Warm up: load the machine code by an empty round and the growth of nothing."""
        from strandline.engine.orders.shared_kernel import close_gaps, expand_shared
        from strandline.engine.store.table_kernel import begin_growth, finish_growth, rehash_part

        none, store = np.uint64(0), self._table.store()
        expand_shared(self._view(self._workers[0]))
        close_gaps(store, self._links, none, none, np.zeros((0, 2), dtype=np.uint64))
        begin_growth(store)
        rehash_part(store, none, none, np.zeros(1, dtype=np.uint64))
        finish_growth(store)

    def _begin_round(self, head: int, end: int) -> int:
        """Reserve room for a round and set its limits. Returns CONTINUE, FLUSH, GROW or BUDGET."""
        from strandline.engine.orders.shared_kernel import NUMBER, STATE, STOP

        counts, shape = self._journal.counts, self._table.shape
        begin, links = int(counts.recorded), min(len(self._links), self._journal.room_for_links())
        if not links:
            return codes.FLUSH
        if int(shape.most) - int(shape.count) < min(links, sizes.SHARED_STATES):
            code = self._grow_table()
            if code != codes.CONTINUE:
                return code
        if (begin + links) * self._table.entry > len(self._table.entries):
            shape.wanted_entries = (begin + links) * self._table.entry
            return codes.GROW
        room = min(links, int(shape.most) - int(shape.count))
        limits, common = self._round, self._common
        limits.numbers_begin, limits.numbers_end = begin, begin + room
        limits.numbers_claimed = max(1, min(_NUMBERS, room // (4 * self.threads)))
        limits.states_end = min(end, head + sizes.ROUND_STATES)
        common[STATE], common[NUMBER], common[STOP] = head, begin, 0
        for worker in self._workers:
            worker.expansion.answer.stop_mask = self._answer.stop_mask
            worker.own.number = worker.own.numbers_end = 0
        return codes.CONTINUE

    def _grow_table(self) -> int:
        """Grow the table by several threads, from its end to its beginning.

        The contents of the last slots move to where nothing was, then those before them to where these were, and so on;
        of a doubled table always one half. A small rest is deferred as a whole.
        """
        from strandline.engine.store.table_kernel import begin_growth, finish_growth, rehash_part

        shape, store = self._table.shape, self._table.store()
        code = int(begin_growth(store))
        if code != codes.CONTINUE:
            return code
        kept: list[WordArray] = []
        end = int(shape.places)
        while end:
            begin = -(-end * int(shape.places) // int(shape.target)) if end > _REST else 0
            parts = self.threads if begin else 1
            edges = [begin + (end - begin) * part // parts for part in range(parts + 1)]
            room = [np.zeros(end if not begin else _PUT_OFF, dtype=np.uint64) for _ in range(parts)]
            each = [
                self._pool.submit(rehash_part, store, np.uint64(first), np.uint64(last), deferred)
                for first, last, deferred in zip(edges, edges[1:], room, strict=False)
            ]
            for one, deferred in zip(each, room, strict=True):
                if one.result() == codes.NONE:
                    raise InternalError("a hash cluster exceeds the scratch array")
                kept.append(deferred[: int(one.result())])
            end = begin
        contents = np.concatenate(kept)
        shape.deferred = len(contents)
        finish_growth(store._replace(scratch=contents))
        return code

    def _expand(self) -> int:
        from strandline.engine.orders.shared_kernel import expand_shared

        views = [self._view(worker) for worker in self._workers]
        expand: Callable[[Shared], int] = expand_shared
        others = [self._pool.submit(expand, view) for view in views[1:]]
        try:
            returned = [int(expand(views[0]))]
        finally:
            # All threads must have stopped before arrays grow or are freed.
            returned_by_others = [int(other.result()) for other in others]
        found = dict(zip([*returned, *returned_by_others], self._workers, strict=True))
        for code in _PRIORITY:
            if code in found:
                for name in ("record", "labels", "fault"):
                    setattr(self._answer, name, getattr(found[code].expansion.answer, name))
                return code
        return codes.CONTINUE

    def _view(self, worker: _Worker) -> Shared:
        from strandline.engine.orders.shared_kernel import Shared

        asking = (worker.expansion.expansion(), worker.expansion.batch())
        common = (self._table.store(), self._links, self._common, self._round)
        return Shared(*asking, *common, worker.own, worker.counts)

    def _end_round(self) -> None:
        """Close the gaps between the used records, and log the states of the round."""
        from strandline.engine.orders.shared_kernel import NUMBER, close_gaps

        counts, limits = self._journal.counts, self._round
        left = [(worker.own.number, worker.own.numbers_end) for worker in self._workers]
        gaps = np.array(sorted((int(first), int(end)) for first, end in left if first < end), dtype=np.uint64)
        begin, end = limits.numbers_begin, min(self._common[NUMBER], limits.numbers_end)
        last = int(close_gaps(self._table.store(), self._links, begin, end, gaps.reshape(-1, 2)))
        new = np.uint64(last - int(begin))
        self._table.shape.count += new
        if new:
            self._journal.append(self._links[: int(new)])
            counts.stored += new
            counts.peak_stored = max(counts.stored, counts.peak_stored)
        for worker in self._workers:
            for name in EXPANSION_COUNTS:
                setattr(counts, name, getattr(counts, name) + getattr(worker.counts, name))
                setattr(worker.counts, name, 0)

    @property
    def words(self) -> int:
        return len(self._links) + sum(worker.expansion.words for worker in self._workers)

    def grow(self, affordable: Affordable) -> bool:
        return all(worker.expansion.grow(affordable) for worker in self._workers)

    def close(self) -> None:
        self._pool.shutdown()
