"""A sweep by several threads, each with a shard of the states (`strandline.engine.orders.shards_kernel`)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from strandline.compile.kernel import Kernel
from strandline.engine.handoff import SweepCounters
from strandline.engine.orders.continued_sweep import ContinuedSweep, SweepThread
from strandline.engine.parts.expansion import ExpansionPart, width_of
from strandline.engine.parts.line import LayersPart
from strandline.engine.parts.part import Part
from strandline.engine.parts.profile_recorder import RecorderPart
from strandline.engine.parts.search_output import JournalPart, Sink
from strandline.engine.runtime import codes, sizes
from strandline.engine.runtime.memory import WordArray
from strandline.engine.runtime.records import EXPANSION_COUNTS, SHARD, record
from strandline.engine.runtime.threads import Threads
from strandline.engine.search import Details, SearchArguments, Statistics
from strandline.engine.store.parts import PagedPart
from strandline.errors import InternalError, ResourceError

if TYPE_CHECKING:
    from strandline.engine.orders.shards_kernel import Communication, Shard

_SUMMED = (*EXPANSION_COUNTS, "recorded", "stored")
_PRIORITY = (codes.FOUND, codes.FAULT, codes.REGRESSING_COLUMN, codes.GROW, codes.FLUSH, codes.BUDGET, codes.DONE)
"""Priority of return codes when several workers stop at once; lower-priority events recur in the next round."""


class _Worker:
    """The parts of one worker."""

    def __init__(self, kernel: Kernel, number: int, threads: int, expansion: ExpansionPart, log: Sink) -> None:
        journal, layers = JournalPart(kernel.words, log, None, None), LayersPart(partial=kernel.componentwise)
        self.sweep = SweepThread(expansion, journal, layers, PagedPart(width_of(kernel)), RecorderPart(kernel.words))
        room = max(1, sizes.MAILBOX_WORDS // (threads * (kernel.stride + 2)))
        self.own = record(SHARD, number=number, threads=threads, room=room)

    def view(self, communication: Communication) -> Shard:
        """Return the arguments of the worker's kernel."""
        from strandline.engine.orders.shards_kernel import Shard

        return Shard(*self.sweep.view(), communication._replace(own=self.own))


class _Mailboxes(Part):
    """Mailboxes for successors on their way between threads, and the words that threads publish."""

    def __init__(self, stride: int, threads: int, own: Any) -> None:
        from strandline.engine.orders.shards_kernel import APART

        mailboxes = threads * threads
        successors, apart = mailboxes * int(own.room), int(APART)
        self._records: WordArray = np.zeros(successors * stride, dtype=np.uint64)
        self._hashes: WordArray = np.zeros(successors, dtype=np.uint64)
        self._links: WordArray = np.zeros(successors, dtype=np.uint64)
        self._filled: WordArray = np.zeros(mailboxes * apart, dtype=np.uint64)
        self._published: WordArray = np.zeros((threads + 1) * apart, dtype=np.uint64)

    def communication(self, own: Any, total: Any) -> Communication:
        from strandline.engine.orders.shards_kernel import Communication

        return Communication(self._published, self._records, self._hashes, self._links, self._filled, own, total)

    def unreceived(self, words: int) -> Iterator[tuple[WordArray, WordArray]]:
        """Iterate over the mailboxes: states of `words` words that were not received, one per row, and their links."""
        from strandline.engine.orders.shards_kernel import APART

        filled = self._filled.reshape(-1, int(APART))
        records, links = (array.reshape(len(filled), -1) for array in (self._records, self._links))
        for mailbox, (count, taken) in enumerate(filled[:, :2].tolist()):
            states = records[mailbox].reshape(len(links[mailbox]), -1)
            yield states[taken:count, :words], links[mailbox, taken:count]

    @property
    def words(self) -> int:
        return len(self._records) + 2 * len(self._hashes) + len(self._filled) + len(self._published)


class ShardedSweepSearch(ContinuedSweep):
    """A sweep by several threads; there is one log for each.

    Record `r` of the search is record `r // threads` in log `r % threads`; a parent may have a larger number than its
    child. Fewer threads are used than asked for if the system refuses to start them; `logs` makes the logs of so many.
    """

    loop = "orders.shards_kernel.sweep_together"

    def __init__(
        self,
        kernel: Kernel,
        *,
        threads: int,
        logs: Callable[[int], Sequence[Sink]],
        **terms: Unpack[SearchArguments],
    ) -> None:
        if not kernel.measured or not kernel.reentrant or terms.get("observer") is not None:
            raise InternalError("a sweep by several threads needs a measured, reentrant kernel and takes no observer")
        super().__init__(kernel, **terms)
        self.expansion.start()
        self._pool = Threads(threads)
        self._threads = self._pool.count
        sinks = logs(self._threads)
        if len(sinks) != self._threads:
            # Another sweep, which this one continues, had more threads, and its records are numbered by them.
            raise ResourceError(f"the system refuses to start {len(sinks)} threads")
        expansions = [self.expansion, *(ExpansionPart(kernel, 0) for _ in sinks[1:])]
        self._workers = [
            _Worker(kernel, number, self._threads, expansion, log)
            for number, (expansion, log) in enumerate(zip(expansions, sinks, strict=True))
        ]
        self._first = self._workers[0]
        self._mailboxes = _Mailboxes(kernel.stride, self._threads, self._first.own)
        self._turn, self._regressing = 0, (0, 0)
        further = [part for worker in self._workers for part in worker.sweep.parts if part is not self.expansion]
        self.parts = (*self.parts, *further, self._mailboxes)

    def run(self, budget: np.uint64) -> int:
        from strandline.engine.orders.shards_kernel import sweep_together

        self._share_limit()
        share = np.uint64(-(-int(budget) // self._threads))
        for worker in self._workers:
            worker.sweep.expansion.answer.stop_mask = self.expansion.answer.stop_mask
        views = [
            worker.view(self._mailboxes.communication(worker.own, self.journal.counts)) for worker in self._workers
        ]
        others = self._pool.start(lambda view: sweep_together(view, share), views[1:])
        try:
            returned = [int(sweep_together(views[0], share))]
        finally:
            # All threads must have stopped before arrays grow or are freed.
            returned_by_others = [int(other.result()) for other in others]
        self._add_up()
        return self._most_urgent([*returned, *returned_by_others])

    def _share_limit(self) -> None:
        """Divide the rest of the limit on states equally; if it is less than one each, the threads take turns."""
        left = self.journal.most_links()
        if left is None:
            return
        self._turn = (self._turn + 1) % self._threads
        for number, worker in enumerate(self._workers):
            share = left // self._threads
            worker.sweep.journal.allow(share if share else left if number == self._turn else 0)

    def _add_up(self) -> None:
        """Flush the logs of all threads and add up their counters."""
        total = self.journal.counts
        for worker in self._workers:
            worker.sweep.journal.flush()
        for name in _SUMMED:
            setattr(total, name, sum(int(getattr(worker.sweep.journal.counts, name)) for worker in self._workers))
        total.peak_stored = max(total.peak_stored, total.stored)

    def _most_urgent(self, returned: list[int]) -> int:
        """Return the return code with the highest priority, and copy its details."""
        code = next(code for code in _PRIORITY if code in returned)
        worker = self._workers[returned.index(code)]
        if code == codes.REGRESSING_COLUMN:
            self._regressing = worker.sweep.expansion.link(int(worker.sweep.expansion.rest.next))
        if code in (codes.FOUND, codes.FAULT):
            for name in ("record", "labels", "fault"):
                setattr(self.expansion.answer, name, getattr(worker.sweep.expansion.answer, name))
        return code

    def load(self) -> None:
        """Warm up with a single thread, because others would wait for it at the barrier while it compiles."""
        self._first.sweep.layers.load()
        from strandline.engine.orders.shards_kernel import sweep_together

        alone = _Worker(self.kernel, 0, 1, self.expansion, lambda links: None)
        mailboxes = _Mailboxes(self.kernel.stride, 1, alone.own)
        self.load_hand_off()
        sweep_together(alone.view(mailboxes.communication(alone.own, self.journal.counts)), np.uint64(1))

    @property
    def regressing_link(self) -> tuple[int, int]:
        return self._regressing

    @property
    def line(self) -> tuple[int, int]:
        return self._first.sweep.layers.key

    def details(self) -> Details:
        standing = [found for worker in self._workers if (found := worker.sweep.layers.standing()) is not None]
        present = (self.line, sum(taken for _, taken in standing)) if standing else None
        edges = [edge for worker in self._workers for edge in worker.sweep.recorder.regress_edges()]
        return Details(
            profile=self._first.sweep.recorder.layers(present, self.journal.counts), sampled_regress_edges=edges
        )

    def statistics(self) -> Statistics:
        return replace(super().statistics(), threads=self._threads)

    @property
    def threads(self) -> tuple[SweepThread, ...]:
        return tuple(worker.sweep for worker in self._workers)

    def in_mailboxes(self) -> Iterator[tuple[WordArray, WordArray]]:
        return self._mailboxes.unreceived(self.kernel.words)

    def _continue_counting(self, counters: SweepCounters) -> None:
        super()._continue_counting(counters)
        self.journal.counts.peak_stored = counters.peak_stored
        self._add_up()

    def close(self) -> None:
        self._pool.close()
        super().close()
