"""The search that continues when memory is full: a sweep or breadth-first search with its frontier on disk.

Delayed duplicate detection (Stern and Dill 1998; Korf 2004): successors are not looked up, but queued for their layer.
When the line reaches the layer, its queue is sorted and duplicates are removed, and so are visited states: those of the
layer stored before, and the persistent ones. The rest is new, and is expanded. Successors in the same layer are queued
for the next round in it; a breadth-first search is a sweep with a single layer, and its rounds are the levels. A layer
that is too large is expanded in pieces, each a range of hashes. Layers that are too small are merged with their
neighbours.

Verdict and counts are those of the searches in memory; where layers were merged, a state may be visited more or less
often.
"""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

import numpy as np

from strandline.compile.kernel import Kernel
from strandline.engine.disk.loading import load_kernels
from strandline.engine.disk.memory_queue import MemoryQueue
from strandline.engine.disk.recent import RecentStates
from strandline.engine.disk.runs import Account, Release, RunFiles
from strandline.engine.disk.sorted_set import SortedSet
from strandline.engine.disk.sorting import SortedRows, sorted_copy
from strandline.engine.disk.spill_file import Key, give_back
from strandline.engine.disk.spill_queues import LayerQueue, SpillQueues
from strandline.engine.handoff import LEVEL, NEXT_LEVEL, UNPLACED, VISITED, Blocks, HandOff, LevelCounters, Progress
from strandline.engine.parts.expansion import width_of
from strandline.engine.parts.line import LayersPart, add_line_counts
from strandline.engine.parts.profile_recorder import RecorderPart
from strandline.engine.runtime import codes
from strandline.engine.runtime.codes import NONE
from strandline.engine.runtime.memory import WordArray
from strandline.engine.runtime.records import DISK_EXPANSION, record
from strandline.engine.runtime.writer import Writer
from strandline.engine.saving import RestoredState, SavedState, combine
from strandline.engine.search import Details, Event, Search, SearchArguments, Statistics, level_details
from strandline.engine.store.parts import PagedPart
from strandline.errors import InternalError

if TYPE_CHECKING:
    from strandline.engine.disk.expanding_kernel import DiskExpansion

_DEFAULT_MEMORY = 1 << 30
_QUEUES, _KNOWN, _PIECE, _RECENT, _FILTER = 0.2, 0.1, 0.15, 0.3, 0.2
"""Shares of the engine bytes: the queues, sets of known states, a sorted piece, the cache of recent states, filters."""
_LEAST_PIECE, _LEAST_QUEUES = 1 << 10, 1 << 13
_PIECES, _SMALL_PIECE = 256, 256
"""Number of pieces after which their mean size is checked, and the mean size below which layers are merged."""
_COARSER, _COARSEST = 2, 40
"""How many more low bits of layers are then ignored, and how many at most."""
_AT_ONCE = 0.005
"""Seconds after which a call begins no further piece."""


class SpillingSearch(Search):
    """A search with its frontier on disk.

    Files are made in `folder`. `engine_bytes` is the memory of the whole search, of which the arrays of its parts may
    take `array_limit`; `piece` is the number of states that are loaded at a time.
    """

    loop = "disk.expanding_kernel.expand"
    limits = (*Search.limits, "_array_limit", "piece", "_known_most")

    def __init__(
        self,
        kernel: Kernel,
        *,
        folder: Path,
        account: Account,
        release: Release | None = None,
        writer: Writer | None = None,
        **terms: Unpack[SearchArguments],
    ) -> None:
        if kernel.componentwise:
            raise InternalError("a search on disk takes a single measure, not several componentwise")
        memory = terms.get("engine_bytes") or _DEFAULT_MEMORY
        width, row_words = width_of(kernel), kernel.words + 1
        self._work = record(DISK_EXPANSION, measured=int(kernel.measured))
        self._layers, self._pages = LayersPart(), PagedPart(width, extra=1)
        self._chains = MemoryQueue(width, self._pages, self._layers, self._work)
        self._recorder = RecorderPart(kernel.words)
        super().__init__(kernel, self._layers, self._pages, self._recorder, **terms)
        self.engine_bytes = memory
        self._array_limit = max(int(memory * _QUEUES), 8 * sum(part.room for part in self.parts) + _LEAST_QUEUES)
        self._width, self._row_words = width, row_words
        self.piece = max(_LEAST_PIECE, int(memory * _PIECE) // (8 * (4 * row_words + 1)))
        self._recent = RecentStates(kernel.words, int(memory * _RECENT) // 8)
        self.files = RunFiles(folder, account, release, writer)
        # Merging needs twice the memory. Without a measure no state is persistent.
        sets = 2 if kernel.measured else 1
        known, filtered = int(memory * _KNOWN) // (2 * 8 * kernel.words) // sets, int(memory * _FILTER) // 8 // sets
        self._known, self._persistent = (SortedSet(width, self.files, known, filtered) for _ in range(2))
        self._known_most, self._repeated = known, 0
        self._backlog = SpillQueues(self.files, row_words)
        self._states: WordArray = np.zeros(0, dtype=np.uint64)
        self._group: LayerQueue | None = None
        self._expanded_here = self._live_here = 0
        self._levels: list[int] = []
        self._swept_again = False
        self.pieces = self._in_pieces = 0
        self.expansion.start()

    @property
    def array_limit(self) -> int:
        """The share of the engine bytes for queues; sets, pieces and caches take the rest."""
        return self._array_limit

    # --- saving -------------------------------------------------------------------------------------------------

    def saved_further(self) -> SavedState:
        """Return the state of the files, which stay where they are."""
        self.files.writer.settle()
        sets = {"known": self._known.save_state(), "persistent": self._persistent.save_state()}
        found = combine(**sets, frontier=self._backlog.save_state(self._group))
        found.arrays["levels"] = np.array(self._levels, dtype=np.uint64)
        return found

    def restore_further(self, kept: RestoredState) -> None:
        self._known.restore(kept.of("known"))
        self._persistent.restore(kept.of("persistent"))
        self._group = self._backlog.restore(kept.of("frontier"))
        self._levels = kept.array("levels").tolist()
        self.journal.repeat(self._repeated)

    # --- continuing another search ------------------------------------------------------------------------------

    @property
    def handoff_rows(self) -> int:
        # Queues and caches are empty while blocks are read.
        return 3 * self.piece

    def take_over(self, handoff: HandOff, progress: Progress | None = None) -> Event | None:
        """Continue a breadth-first search: its level first, then the states that it has found of the next level."""
        from strandline.engine.disk.expanding_kernel import stand_at

        counters, blocks = handoff.counters, handoff.blocks
        if not isinstance(counters, LevelCounters):
            raise InternalError("a search on disk continues breadth-first searches only")
        self.expansion.rest.count = self.expansion.rest.next = 0
        for name, count in counters.counts.items():
            setattr(self.journal.counts, name, count)
        self.journal.counts.stored = self._expanded_here = self._live_here = counters.expanded
        self._repeated = counters.found - counters.expanded
        self.journal.repeat(self._repeated)
        self._levels, self._peak_bytes = list(counters.levels), counters.peak_bytes
        left = counters.level_end - counters.expanded
        stand_at(self._layers.layers(), np.uint64(codes.BIAS), np.uint64(codes.BIAS))
        frontier = SortedSet(self._width, self.files, self.handoff_rows, self._known_most)
        self._add_to_frontier(blocks[LEVEL], frontier)
        if left:
            self._levels[-1] -= left
            self._group = LayerQueue(self._backlog.live.take(self._line_key, 0), -(-left // self.piece))
        self._add_to_frontier(blocks[NEXT_LEVEL], frontier)
        self._add_to_frontier(blocks[UNPLACED], None)
        for block in blocks[VISITED]:
            rows = self._sorted_block(block)
            frontier.drop_from(rows)
            self._known.add(rows.states())
        frontier.clear()
        return None

    def _add_to_frontier(self, blocks: Blocks, also: SortedSet | None) -> None:
        """Append states to the frontier on disk, and to a set if one is given."""
        spill = self._backlog.spill(0)
        for block in blocks:
            rows = self._sorted_block(block)
            spill.append(self._backlog.live, self._line_key, rows.used)
            spill.divide(self._backlog.live)
            if also is not None:
                also.add(rows.states())
        spill.finish()

    def _sorted_block(self, block: WordArray) -> SortedRows:
        """Sort a block of states with links, without duplicates."""
        from strandline.engine.disk.sorting_kernel import put_hashes

        rows = np.array(block).reshape(-1)
        put_hashes(rows, np.uint64(self._row_words), self._width)
        return SortedRows([sorted_copy(rows, self._width)], self._width)

    # --- the loop -----------------------------------------------------------------------------------------------

    def _view(self) -> DiskExpansion:
        """Return the arguments of the kernels."""
        from strandline.engine.disk.expanding_kernel import DiskExpansion

        return DiskExpansion(
            self.expansion.expansion(),
            self.expansion.batch(),
            self._pages.store(),
            self._layers.layers(),
            self.journal.journal(),
            self._recorder.recorder(),
            self._states,
            self._recent.array,
            self._work,
        )

    def load(self) -> None:
        super().load()
        load_kernels(self._view(), self._width)

    def run(self, budget: np.uint64) -> int:
        """Expand the loaded piece, and further ones if they are small: a return costs more than a few states do."""
        from strandline.engine.disk.expanding_kernel import expand

        deadline = time.perf_counter() + _AT_ONCE
        while True:
            code = int(expand(self._view(), budget))
            if code == codes.DONE:
                code = self._load_next()
                if code == codes.BUDGET and time.perf_counter() < deadline:
                    continue
            return code

    def _load_next(self) -> int:
        """Load the next piece, of this layer or of the next one, when all loaded states are expanded."""
        if self._group is not None and self._group.next < self._group.pieces:
            return self._load_piece(self._group)
        if self._group is not None:
            give_back(self._group.segments)
            self._group = None
        if self._layers.line.row != NONE:
            if self._collect_layer():
                return codes.BUDGET
            self._leave_layer()
        return self._next_layer()

    # --- layers -------------------------------------------------------------------------------------------------

    @property
    def _line_key(self) -> Key:
        line = self._layers.line
        return int(line.column), int(line.layer)

    def _collect_layer(self) -> bool:
        """Collect the queued states of the line's layer, roots first; return False if there are none."""
        key, line = self._line_key, self._layers.line
        for roots, runs in ((True, self._backlog.roots), (False, self._backlog.live)):
            chain = 2 * int(line.row) + int(roots)
            queued = self._chains.count(chain)
            segments = runs.take(key, self._grain)
            if not queued and not segments:
                continue
            total = queued + sum(segment.count for segment in segments)
            if queued and total > self.piece:
                # Pieces are ranges of sorted runs.
                self._spill()
                segments += runs.take(key, self._grain)
                queued = 0
            rows = self._chains.take(chain, queued) if queued else None
            self._group = LayerQueue(segments, max(1, -(-total // self.piece)), roots=roots, rows=rows)
            if not roots and not self.kernel.measured:
                self._levels.append(0)
            return True
        return False

    def _leave_layer(self) -> None:
        from strandline.engine.disk.expanding_kernel import leave_layer

        line, counts = self._layers.line, self.journal.counts
        leave_layer(self._view(), np.uint64(self._live_here))
        if self._expanded_here:
            line.layers_left += np.uint64(1)
        counts.stored -= np.uint64(self._live_here)
        self._known.clear()
        self._expanded_here = self._live_here = 0

    def _next_layer(self) -> int:
        """Move the line to the least queued layer. Returns DONE if there is none, else BUDGET or GROW."""
        line = self._layers.line
        key = self._least_key()
        if key is None or (line.column and key[0] != line.column):
            if self._begin_next_sweep():
                key = self._least_key()
            else:
                self.journal.counts.stored -= np.uint64(self._persistent.count)
                self._persistent.clear()
        if key is None:
            return codes.DONE
        key = self._coarsen(key)
        from strandline.engine.disk.expanding_kernel import stand_at

        if not stand_at(self._layers.layers(), np.uint64(key[0]), np.uint64(key[1])):
            return codes.GROW
        return codes.BUDGET

    @property
    def _grain(self) -> int:
        return int(self._work.grain)

    def _coarsen(self, key: Key) -> Key:
        """Merge neighbouring layers from the next one on if pieces are small; return the new key of that layer.

        A piece costs as much as a thousand states. Any order that respects the measure will do; only a layer that was
        begun is finished unmerged.
        """
        line = self._layers.line
        narrow = self.pieces >= _PIECES and self._in_pieces < _SMALL_PIECE * self.pieces
        if self.pieces >= _PIECES and not narrow:
            self.pieces = self._in_pieces = 0
        joined = int(line.layer) >> _COARSER
        last_joined = (int(line.column), ((joined + 1) << _COARSER) - 1)
        if not narrow or self._grain + _COARSER > _COARSEST or key <= last_joined:
            return key
        if self._work.queued:
            self._spill()
        self._work.grain += np.uint64(_COARSER)
        line.layer = joined
        self.pieces = self._in_pieces = 0
        return key[0], key[1] >> _COARSER

    def _least_key(self) -> Key | None:
        """Return the least queued layer, in memory or on disk; None if there is none."""
        keys = [self._backlog.least(self._grain)]
        if self._layers.line.waiting:
            row = self._layers.layers().rows[int(self._layers.layers().heap[0])]
            keys.append((int(row.column), int(row.layer)))
        return min((key for key in keys if key is not None), default=None)

    def _begin_next_sweep(self) -> bool:
        """Begin the next sweep of the column if there were regress edges; return False if not.

        Whether it has new roots is known only when they are sorted.
        """
        from strandline.engine.disk.expanding_kernel import queue_next_roots

        if not self._layers.line.pending and not self._backlog.next_roots:
            return False
        queue_next_roots(self._layers.layers())
        self._backlog.begin_sweep()
        self._recent.clear(int(self.journal.counts.transitions))
        self._swept_again = True
        return True

    # --- pieces -------------------------------------------------------------------------------------------------

    def _load_piece(self, group: LayerQueue) -> int:
        """Sort the next piece, remove known states, and log the rest for expansion."""
        from strandline.engine.disk.sorting_kernel import put_first_words

        rows = SortedRows(self._parts_of(group), self._width)
        self._persistent.drop_from(rows)
        if not group.roots:
            self._known.drop_from(rows)
        most = self.journal.most_links()
        reached = most is not None and rows.count > most
        if reached and most is not None:
            rows.keep_first(most)
        self.pieces, self._in_pieces = self.pieces + 1, self._in_pieces + rows.count
        self._note_new(rows, group)
        self._states = rows.used
        put_first_words(self._states, np.uint64(self._row_words), self._width)
        self._work.next, self._work.count = 0, rows.count
        self._work.record = self.journal.counts.recorded
        self.journal.append(rows.links())
        return codes.LIMIT if reached else codes.BUDGET

    def _parts_of(self, group: LayerQueue) -> list[WordArray]:
        """Return the next piece, in sorted parts."""
        group.next += 1
        last = group.next == group.pieces
        bound = None if last else (group.next << 64) // group.pieces
        share = group.pieces - group.next + 1
        parts = [segment.read_up_to(bound, share) for segment in group.segments]
        if group.rows is not None:
            parts.append(sorted_copy(group.rows, self._width))
            group.rows = None
        return parts

    def _note_new(self, rows: SortedRows, group: LayerQueue) -> None:
        """Count the new states of a piece and add them to the sets of known states."""
        line, counts, new = self._layers.line, self.journal.counts, rows.count
        self._expanded_here += new
        if group.roots:
            if new and self._swept_again:
                line.sweeps += np.uint64(1)
                self._swept_again = False
            line.persistent += np.uint64(new)
            self._persistent.add(rows.states())
        else:
            self._live_here += new
            self._known.add(rows.states())
            if self._levels:
                self._levels[-1] += new
        counts.stored += np.uint64(new)
        queued = int(self._work.queued) + self._backlog.count
        counts.peak_stored = max(int(counts.peak_stored), int(counts.stored) + queued)

    # --- spilling -----------------------------------------------------------------------------------------------

    def free_memory(self) -> bool:
        """Spill the queues to disk; return False if they are empty.

        Only the successors of a single state are always given room.
        """
        if self.expansion.answer.wanted:
            return self.expansion.grow(lambda: 1 << 60)
        if not self._work.queued:
            return False
        self._spill()
        return True

    def shrink_caches(self) -> bool:
        """Shrink the cache of recent states, when the index of many files takes memory."""
        return self._recent.shrink()

    def _spill(self) -> None:
        self._chains.spill(self._backlog, self._line_key, self.piece)

    # --- results ------------------------------------------------------------------------------------------------

    @property
    def line(self) -> tuple[int, int]:
        if not self.kernel.measured:
            return 0, 0
        line = self._layers.line
        return int(line.column) - codes.BIAS, (int(line.layer) << self._grain) - codes.BIAS

    @property
    def level_sizes(self) -> list[int]:
        return [size for size in self._levels if size]

    def details(self) -> Details:
        counts, edges = self.journal.counts, self._recorder.regress_edges()
        if self.kernel.measured:
            standing = self._layers.standing()
            profile = self._recorder.layers(None if standing is None else (self.line, standing[1]), counts)
            return Details(levels=tuple(self.level_sizes), profile=profile, sampled_regress_edges=edges)
        return level_details(self.level_sizes, int(counts.visited))

    def statistics(self) -> Statistics:
        statistics = super().statistics()
        counters = {**statistics.counters, "spilled_bytes": self.files.peak_bytes}
        statistics = replace(statistics, counters=counters)
        if self.kernel.measured:
            return add_line_counts(statistics, self._layers)
        return replace(statistics, recorded=statistics.recorded - self._repeated)

    def current_bytes(self) -> int:
        used = super().current_bytes() + self._known.bytes + self._persistent.bytes + self._recent.array.nbytes
        # A piece is read, sorted, and split into states and links.
        used += 3 * self._states.nbytes
        self._peak_bytes = max(self._peak_bytes, used)
        return used

    def close(self) -> None:
        super().close()
        for runs in (self._known, self._persistent):
            runs.clear()
