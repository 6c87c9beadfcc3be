"""The threads of a breadth-first search (`strandline.engine.orders.shared_kernel`)."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from threading import Event as ThreadEvent
from threading import Thread
from typing import TYPE_CHECKING, Any

import numpy as np

from strandline.compile.kernel import Kernel
from strandline.engine.parts.expansion import ExpansionPart
from strandline.engine.parts.links import Bytes, blocks_of, packed_size
from strandline.engine.parts.part import Affordable, Part
from strandline.engine.parts.search_output import EncodedSink, JournalPart
from strandline.engine.runtime import codes, sizes
from strandline.engine.runtime.codes import NONE
from strandline.engine.runtime.memory import WordArray
from strandline.engine.runtime.records import CLAIM, COUNTS, EXPANSION_COUNTS, LEVELS, ROUND, record
from strandline.engine.runtime.threads import Threads
from strandline.engine.store.parts import StorePart

if TYPE_CHECKING:
    from strandline.engine.orders.shared_kernel import Shared

_MOST_ALONE = 1 << 15
"""States that one thread expands at most before parallel work is considered again."""
_PATIENCE = 0.02
"""Seconds between two looks whether machine code is compiled."""
_LIMIT_SHARE = 32
"""The buffer of links takes at most the engine bytes divided by this number."""


class _Worker:
    """The private arrays of one thread."""

    def __init__(self, kernel: Kernel, thread: int, threads: int) -> None:
        self.expansion = ExpansionPart(kernel, 0)
        self.own, self.counts = record(CLAIM, thread=thread, threads=threads), record(COUNTS)

    @property
    def idle(self) -> bool:
        """True if all claimed states are expanded and their successors stored."""
        return bool(self.own.state == self.own.states_end) and not self.expansion.rest.count


class WorkerPool(Part):
    """Threads that expand levels together.

    Fewer threads are used than asked for if the system refuses to start them; `threads` is their number.
    """

    def __init__(
        self,
        kernel: Kernel,
        threads: int,
        table: StorePart,
        journal: JournalPart,
        level: Any,
        answer: Any,
        engine_bytes: int | None,
        log: EncodedSink | None,
    ) -> None:
        from strandline.engine.orders.shared_kernel import APART, THREADS

        self._pool = Threads(threads)
        self.threads = self._pool.count
        self._table, self._journal, self._level, self._answer, self._log = table, journal, level, answer, log
        self._workers = [_Worker(kernel, thread, self.threads) for thread in range(self.threads)]
        links = min(sizes.SHARED_LINKS * self.threads, sizes.MOST_SHARED_LINKS)
        if engine_bytes is not None:
            links = min(links, max(sizes.SHARED_STATES, engine_bytes // 8 // _LIMIT_SHARE))
        self._links: WordArray = np.zeros(links, dtype=np.uint64)
        self._encoded: Bytes = np.zeros(packed_size(links) if log else 0, dtype=np.uint8)
        self._block_sizes: WordArray = np.zeros(blocks_of(links), dtype=np.uint64)
        self._most_encoded = 0
        self._shared: WordArray = np.zeros(int(THREADS + np.uint64(self.threads) * APART), dtype=np.uint64)
        self._deferred: WordArray = np.zeros((self.threads, sizes.SHARED_DEFERRED), dtype=np.uint64)
        self._gaps: WordArray = np.zeros((self.threads, 2), dtype=np.uint64)
        least_encoded = sizes.SHARED_ENCODED if log else int(NONE)
        self._round = record(ROUND, least_states=sizes.SHARED_STATES, least_encoded=least_encoded)
        self._alone = sizes.SHARED_STATES
        self._seconds = 0.0

    @property
    def busy(self) -> float | None:
        """The share of the time in which the threads did not wait for each other."""
        waited = sum(int(worker.own.waited) for worker in self._workers) / 1e9
        return max(0.0, 1 - waited / (self.threads * self._seconds)) if self._seconds else None

    @property
    def idle(self) -> bool:
        """True if no thread has anything left of the last round."""
        return all(worker.idle for worker in self._workers)

    def budget_alone(self, budget: int) -> int:
        """Return how many states a single thread may expand before parallel work is considered again.

        Few at first, more while levels are small.
        """
        self._alone = min(2 * self._alone, _MOST_ALONE)
        return min(budget, self._alone)

    def claimed(self) -> list[tuple[int, int]]:
        """Return the ranges of states that threads have claimed and not expanded."""
        own = (worker.own for worker in self._workers)
        return [(int(one.state), int(one.states_end)) for one in own if one.state < one.states_end]

    def unplaced(self) -> Iterator[tuple[WordArray, WordArray]]:
        """Yield the states that each thread has computed and not inserted, and their links."""
        return (worker.expansion.unplaced() for worker in self._workers)

    def first_state(self) -> int:
        """Return the first state that is not expanded."""
        return min([int(self._level.head), *(first for first, _ in self.claimed())])

    def run(self, budget: int, levels: WordArray) -> int:
        """Search on for about `budget` expansions; return the code of the kernel."""
        from strandline.engine.orders.shared_kernel import breadth_first_shared

        self._alone = sizes.SHARED_STATES
        left = self._journal.most_links()
        self._prepare(self._workers, budget, int(self._journal.counts.recorded) + left if left is not None else 1 << 63)
        first, *others = (self._view(worker, levels) for worker in self._workers)
        search: Callable[[Shared], int] = breadth_first_shared
        began = time.perf_counter()
        running = self._pool.start(search, others)
        code = codes.FLUSH
        try:
            while code == codes.FLUSH:
                code = int(search(first))
                self._write_links()
                self._table.note_used(int(self._journal.counts.recorded), self.first_state())
        finally:
            if code == codes.FLUSH:
                # The links could not be written, and the others still wait for the first thread.
                self._round.stop_at = 0
                search(first)
            for other in running:
                other.result()
            self._seconds += time.perf_counter() - began
        if code in (codes.FOUND, codes.FAULT):
            self._take_answer(code)
        self._add_up()
        return code

    def _prepare(self, workers: Sequence[_Worker], budget: int, records_end: int) -> None:
        """Set the limits for the next call of the kernel, and reset the shared words to their values between rounds."""
        from strandline.engine.orders.shared_kernel import ARRIVALS, NUMBER, STATE

        limits, shared = self._round, self._shared
        limits.links_begin = limits.numbers_end = shared[NUMBER] = self._journal.counts.recorded
        limits.states_end = shared[STATE] = self._level.head
        limits.records_end, limits.stop_at = records_end, budget
        shared[ARRIVALS] = 0
        for worker in workers:
            worker.own.arrivals = worker.own.number = worker.own.numbers_end = 0
            worker.expansion.answer.stop_mask = self._answer.stop_mask

    def _take_answer(self, code: int) -> None:
        """Copy the details of a stop from a thread that stopped with this code."""
        from strandline.engine.orders.shared_kernel import code_of

        stopped = next(worker for worker in self._workers if code_of(self._shared, int(worker.own.thread)) == code)
        for name in ("record", "labels", "fault"):
            setattr(self._answer, name, getattr(stopped.expansion.answer, name))

    def _write_links(self) -> None:
        """Write the links of the new states to the parent log."""
        from strandline.engine.orders.shared_kernel import encoded_by

        new = int(self._journal.counts.recorded) - int(self._round.links_begin)
        if new < int(self._round.least_encoded):
            self._journal.write(self._links[:new])
        elif self._log is not None:
            areas = [encoded_by(self._shared, thread, self.threads, new) for thread in range(self.threads)]
            pieces = [self._encoded[begin:end] for begin, end in areas]
            self._most_encoded = max(self._most_encoded, sum(map(len, pieces)))
            self._log(new, self._block_sizes[: blocks_of(new)], pieces)
        self._round.links_begin = self._journal.counts.recorded

    def _add_up(self) -> None:
        """Add up the counters of the threads."""
        counts = self._journal.counts
        for worker in self._workers:
            for name in EXPANSION_COUNTS:
                setattr(counts, name, getattr(counts, name) + getattr(worker.counts, name))
                setattr(worker.counts, name, 0)

    def _view(self, worker: _Worker, levels: WordArray) -> Shared:
        from strandline.engine.orders.shared_kernel import Shared

        asking = (worker.expansion.expansion(), worker.expansion.batch())
        common = (self._table.store(), self._links, self._shared, self._round, self._level, levels)
        own = (self._journal.counts, worker.own, worker.counts, self._deferred, self._gaps)
        return Shared(*asking, *common, *own, self._encoded, self._block_sizes)

    def load(self) -> None:
        """Warm up: load the machine code by a search of nothing, in one thread, which does not wait for others."""
        from strandline.engine.orders.shared_kernel import breadth_first_shared

        alone = _Worker(self._workers[0].expansion.kernel, 0, 1)
        self._prepare([alone], 0, 0)
        levels: WordArray = np.zeros(1, dtype=np.uint64)
        breadth_first_shared(self._view(alone, levels)._replace(level=record(LEVELS)))

    def precompile(self, levels: WordArray) -> None:
        """Load the machine code without running it, while another thread searches."""
        from strandline.engine.orders.shared_kernel import breadth_first_shared
        from strandline.engine.runtime.jit import precompile

        precompile(breadth_first_shared, self._view(self._workers[0], levels))

    @property
    def words(self) -> int:
        arrays = (self._links, self._shared, self._deferred, self._block_sizes)
        # The room for encoded links is far larger than the part of it that is ever used.
        return (
            sum(array.size for array in arrays)
            + self._most_encoded // 8
            + sum(worker.expansion.words for worker in self._workers)
        )

    def grow(self, affordable: Affordable) -> bool:
        return all(worker.expansion.grow(affordable) for worker in self._workers)

    def close(self) -> None:
        self._pool.close()


class WorkerPreparation:
    """Prepares the threads of a search that begins with one thread: loads their machine code in the background.

    `compile_code` compiles the code in another process, and ends early when its argument, a function, returns True.
    """

    def __init__(
        self,
        make: Callable[[], WorkerPool],
        alone_until: int,
        compile_code: Callable[[Callable[[], bool]], None],
    ) -> None:
        self._make, self._alone_until, self._compile = make, alone_until, compile_code
        self._pool: WorkerPool | None = None
        self._loading: Thread | None = None
        self._abandoned = ThreadEvent()

    def workers(self) -> WorkerPool:
        """Return the threads now, without loading their machine code."""
        self._pool = self._make()
        return self._pool

    def after(self, stored: int, levels: WordArray) -> WorkerPool | None:
        """Return the threads when so many states are stored that they are worth it, and their code is loaded."""
        if stored < self._alone_until:
            return None
        if self._loading is None:
            self._loading = Thread(target=self._load, args=(self.workers(), levels), name="strandline-loading")
            self._loading.start()
        return None if self._loading.is_alive() else self._pool

    def is_compiling(self) -> bool:
        """Return True if the machine code is not loaded yet, after waiting a little for it."""
        if self._loading is not None:
            self._loading.join(_PATIENCE)
        return self._loading is not None and self._loading.is_alive()

    def _load(self, pool: WorkerPool, levels: WordArray) -> None:
        self._compile(self._abandoned.is_set)
        if not self._abandoned.is_set():
            pool.precompile(levels)

    def close(self) -> None:
        self._abandoned.set()
        if self._loading is not None:
            self._loading.join()
        if self._pool is not None:
            self._pool.close()
