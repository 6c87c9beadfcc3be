"""What every search has: the arrays its compiled loop works on, their growth, the limits, the parent log.

A kind of search is a subclass: it says which kernel runs (`_run`) and how its first states get in (`_start`).
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

import numpy as np

from strandline.compile.kernel import MAXIMUM_SUCCESSORS, Kernel
from strandline.engine import registers as r
from strandline.engine import sizes
from strandline.engine.memory import WordArray, Words
from strandline.engine.profile import LayerFigures
from strandline.errors import InternalError, ResourceError

Sink = Callable[[WordArray], None]

_WORTH_RELEASING = 1 << 18
"""Words that must be free before they are given back: two megabytes."""
_LARGE_CLASS = 56
"""Size class of the smallest free blocks that are given back: two megabytes."""


class Event(Enum):
    """Why `advance` came back."""

    DONE = "everything reachable was expanded"
    PAUSED = "the time slice is over"
    FOUND = "a state with a label of the stop mask is about to be expanded"
    FAULT = "a step of the model faulted"
    COLUMN_DECREASED = "an edge leads to a smaller column: the measure is not monotone"
    CYCLE = "an accepting cycle was found"
    MEMORY = "the next growth would exceed the memory limit"
    STATES = "as many states as allowed are recorded"


@dataclass(frozen=True, slots=True)
class Statistics:
    """What a search has done so far."""

    recorded: int
    """States found; one that was forgotten and is found again counts again."""
    exact: bool
    """Nothing was ever found again, so that `recorded`, `transitions` and `deadlocks` count distinct ones."""
    visited: int
    transitions: int
    deadlocks: int
    stored: int
    peak_states: int
    persistent: int
    regress_edges: int
    sweeps: int
    layers: int
    peak_bytes: int


class BaseSearch:
    """A search over a Kernel. `log` receives the parent log, `seen` every expanded state with its out-degree (for
    an exact count after forgetting); both are called with arrays that they must not keep."""

    def __init__(
        self,
        kernel: Kernel,
        *,
        log: Sink,
        seen: Sink | None = None,
        stop_mask: int = 0,
        memory_limit: int | None = None,
        max_states: int | None = None,
    ) -> None:
        self.kernel = kernel
        self._log_sink, self._seen_sink = log, seen
        self.memory_limit = memory_limit
        self._max_states = max_states
        self._budget = 1000
        self._peak_bytes = 0
        self._allocate()
        self.regs[r.STOP_MASK] = np.uint64(stop_mask)
        self.regs[r.CURRENT] = self.regs[r.FREE_LAYER] = r.NONE
        self.regs[r.SWEEPS] = 1
        self.regs[r.LAYERS] = 0 if kernel.measured else 1
        self._start()

    def _start(self) -> None:
        """Hand the initial states to the kernel."""
        raise NotImplementedError

    def _run(self, budget: np.uint64) -> int:
        """Call the compiled loop for about so many expansions; its code."""
        raise NotImplementedError

    def _growing(self) -> list[tuple[int, Words, float]]:
        """The register in which the kernel asks for an array's growth, the array, and how much more it gets."""
        return [(r.INDEX_TOP + r.WANT, self._index, 1.25), (r.STORE_TOP + r.WANT, self._store, 1.25)]

    def _extra_words(self) -> int:
        """Words of the arrays that only this kind of search has."""
        return 0

    @property
    def _log_buffer(self) -> WordArray:
        """Where the kernel may write records before it asks for a flush."""
        return self._log[: self._log_room()]

    def _allocate(self) -> None:
        kernel = self.kernel
        layers = sizes.LAYERS if kernel.measured else 1
        self.regs: WordArray = np.zeros(r.REGISTERS, dtype=np.uint64)
        self._buckets = Words(layers * r.ROW)
        self._places: WordArray = np.zeros(2 * layers, dtype=np.uint64)
        self._heap, self._pending, self._keepers = Words(layers), Words(layers), Words(layers)
        self._index, self._store = Words(sizes.POOL, large=True), Words(sizes.POOL, large=True)
        self._log: WordArray = np.zeros(sizes.LOG_RECORDS, dtype=np.uint64)
        entries = sizes.SEEN_WORDS // (kernel.words + 1) * (kernel.words + 1) if self._seen_sink else 0
        self._seen: WordArray = np.zeros(entries, dtype=np.uint64)
        self._labels: WordArray = np.zeros(1, dtype=np.uint64)
        self._scratch: WordArray = np.zeros(sizes.SCRATCH, dtype=np.uint64)
        self._make_records(max(sizes.RECORDS, len(kernel.initial)))

    def _initial_links(self) -> WordArray:
        """Links of the initial states in the parent log."""
        return (np.uint64(r.ROOT) << np.uint64(r.STEP_BITS)) | np.arange(len(self.kernel.initial), dtype=np.uint64)

    def _make_records(self, count: int) -> None:
        """Room for `count` successors (and the scratch place of the ABI); what was there is kept."""
        if count > MAXIMUM_SUCCESSORS:
            raise ResourceError(f"a state has {count} successors; at most {MAXIMUM_SUCCESSORS} can be recorded")
        old = getattr(self, "_records", np.zeros(0, dtype=np.uint64))
        self._records: WordArray = np.zeros((count + 1) * self.kernel.stride, dtype=np.uint64)
        self._records[: len(old)] = old
        self._links, self._hashes, self._targets = (np.zeros(count + 1, dtype=np.uint64) for _ in range(3))

    def advance(self, seconds: float = 0.05) -> Event:
        """Search on for about this long, or until something happens."""
        deadline = time.perf_counter() + seconds
        while True:
            started, visited = time.perf_counter(), int(self.regs[r.VISITED])
            code = self._run(np.uint64(self._budget))
            self._flush()
            self.current_bytes()
            self._release()
            if code == r.GROW:
                if not self._grow():
                    return Event.MEMORY
            elif code == r.BUDGET:
                elapsed = max(time.perf_counter() - started, 1e-6)
                rate = (int(self.regs[r.VISITED]) - visited) / elapsed
                self._budget = max(1, int(rate * min(seconds, 0.05)))
            elif code == r.FLUSH:
                if self._log_room() == 0:
                    return Event.STATES
            else:
                if code == r.FAULT:
                    self.kernel.reraise()
                return {
                    r.DONE: Event.DONE,
                    r.FOUND: Event.FOUND,
                    r.FAULT: Event.FAULT,
                    r.REGRESSING_COLUMN: Event.COLUMN_DECREASED,
                    r.CYCLE: Event.CYCLE,
                    r.PAUSE: Event.PAUSED,
                }[code]
            if time.perf_counter() >= deadline:
                return Event.PAUSED

    def _log_room(self) -> int:
        """How many records may be written before the next flush; a limit of states leaves less and less."""
        if self._max_states is None:
            return sizes.LOG_RECORDS
        return max(0, min(sizes.LOG_RECORDS, self._max_states - int(self.regs[r.LOG_TOTAL])))

    def _flush(self) -> None:
        regs = self.regs
        if regs[r.LOG_COUNT]:
            self._log_sink(self._log[: int(regs[r.LOG_COUNT])])
            regs[r.LOG_COUNT] = 0
        if self._seen_sink is not None and regs[r.SEEN_COUNT]:
            self._seen_sink(self._seen[: int(regs[r.SEEN_COUNT]) * (self.kernel.words + 1)])
            regs[r.SEEN_COUNT] = 0

    def _release(self) -> None:
        """Give memory that is no longer used back to the system."""
        for words, top in ((self._index, r.INDEX_TOP), (self._store, r.STORE_TOP)):
            idle = int(self.regs[top + r.IDLE] - self.regs[top + r.RELEASED])
            if idle > max(_WORTH_RELEASING, int(self.regs[top]) // 4):
                self._release_idle(words, top)

    def _release_idle(self, words: Words, top: int) -> None:
        """Give the memory of large free blocks back to the system; their first page, with the list, stays."""
        for size_class in range(_LARGE_CLASS, r.SIZE_CLASSES):
            size = (16 << (size_class >> 2)) // 4 * (4 + (size_class & 3))
            link = int(self.regs[top + r.FREE + size_class])
            while link:
                block = words.array[link - 1 : link + 1]
                if block[1] != r.NONE:
                    words.release(link + 1, link - 1 + size)
                    block[1] = r.NONE
                    self.regs[top + r.RELEASED] += np.uint64(size)
                link = int(block[0])

    def _grow(self) -> bool:
        """Give the kernel what it asked for; False, with nothing changed, where the memory limit forbids it."""
        regs = self.regs
        if regs[r.CLUSTERED]:
            raise InternalError("a hash cluster exceeds the scratch array")
        if regs[r.OVERFULL]:
            raise ResourceError("a layer has more than 3,000,000,000 states, the most that one table can hold")
        for register, words, factor in self._growing():
            wanted = int(regs[register])
            if wanted > len(words):
                size = min(max(wanted, int(len(words) * factor)), len(words) + self._affordable_words())
                if size < wanted:
                    return False
                words.grow(size)
            regs[register] = 0
        if regs[r.WANT_RECORDS]:
            wanted = int(regs[r.WANT_RECORDS])
            count = max(wanted, min(2 * wanted, MAXIMUM_SUCCESSORS))
            if (count + 1 - len(self._links)) * (self.kernel.stride + 3) > self._affordable_words():
                return False
            self._make_records(count)
            regs[r.WANT_RECORDS] = 0
        if regs[r.WANT_LAYERS]:
            if len(self._heap) * (r.ROW + 5) > self._affordable_words():
                return False
            self._grow_layers()
            regs[r.WANT_LAYERS] = 0
        return True

    def _affordable_words(self) -> int:
        """How many words may be added: the limit counts arrays in full, also what no block has used yet."""
        if self.memory_limit is None:
            return 1 << 60
        unused = len(self._index) + len(self._store) - int(self.regs[r.INDEX_TOP]) - int(self.regs[r.STORE_TOP])
        return max(0, (self.memory_limit - self.current_bytes()) // 8 - unused)

    def _grow_layers(self) -> None:
        from strandline.engine.layers import rebuild_map

        count = 2 * len(self._heap)
        for words in (self._heap, self._pending, self._keepers):
            words.grow(count)
        self._buckets.grow(count * r.ROW)
        places: WordArray = np.zeros(2 * len(self._heap), dtype=np.uint64)
        rebuild_map(self._places, places, self._buckets.array)
        self._places = places

    def current_bytes(self) -> int:
        """Bytes of all arrays of the engine: blocks handed out by the pools, less what was released, and every
        buffer in full. The largest answer so far is the peak."""
        regs = self.regs
        words = sum(int(regs[top]) - int(regs[top + r.RELEASED]) for top in (r.INDEX_TOP, r.STORE_TOP))
        words += self._extra_words()
        if self.kernel.measured:
            words += len(self._buckets) + 3 * len(self._heap)
        fixed = (self._places, self._records, self._links, self._hashes, self._targets, self._log, self._seen)
        words += sum(len(array) for array in fixed) + sizes.SCRATCH
        self._peak_bytes = max(self._peak_bytes, 8 * words)
        return 8 * words

    def stop_less(self, mask: int) -> None:
        """After FOUND: go on without stopping at these labels any more."""
        self.regs[r.STOP_MASK] &= np.uint64(~mask & ((1 << 64) - 1))

    @property
    def stop_mask(self) -> int:
        return int(self.regs[r.STOP_MASK])

    @property
    def found(self) -> tuple[int, int]:
        """After FOUND or FAULT: the record of the state, and its labels (FOUND)."""
        return int(self.regs[r.FOUND_RECORD]), int(self.regs[r.FOUND_LABELS])

    @property
    def fault_number(self) -> int:
        """After FAULT: the index into the Kernel's fault sites."""
        return int(self.regs[r.FAULT_CODE]) - 1

    @property
    def regressing_link(self) -> tuple[int, int]:
        """After COLUMN_DECREASED: the record of the edge's source and the number of the step."""
        link = int(self._links[int(self.regs[r.BATCH_NEXT])])
        return link >> r.STEP_BITS, link & ((1 << r.STEP_BITS) - 1)

    @property
    def line(self) -> tuple[int, int]:
        """Column and layer of the sweep-line."""
        bias = 1 << 63
        return int(self.regs[r.CURRENT_COLUMN]) - bias, int(self.regs[r.CURRENT_LAYER]) - bias

    def profile(self) -> tuple[LayerFigures, ...]:
        """What the search did, layer by layer, in increasing order; empty where it does not tell."""
        return ()

    @property
    def sampled_regress_edges(self) -> list[tuple[tuple[int, ...], int]]:
        """Some of the regress edges, evenly spread over all, in the order in which they were met: the source and the
        number of the step. Empty where the search does not tell."""
        return []

    def statistics(self) -> Statistics:
        regs = self.regs
        self.current_bytes()
        return Statistics(
            recorded=int(regs[r.LOG_TOTAL]),
            exact=not regs[r.PERSISTENT],
            visited=int(regs[r.VISITED]),
            transitions=int(regs[r.TRANSITIONS]),
            deadlocks=int(regs[r.DEADLOCKS]),
            stored=int(regs[r.STORED]),
            peak_states=int(regs[r.PEAK_STORED]),
            persistent=int(regs[r.PERSISTENT]),
            regress_edges=int(regs[r.REGRESS_EDGES]),
            sweeps=int(regs[r.SWEEPS]),
            layers=int(regs[r.RETIRED_LAYERS]),
            peak_bytes=self._peak_bytes,
        )

    def close(self) -> None:
        """Give all memory back."""
        for words in (self._buckets, self._heap, self._pending, self._keepers, self._index, self._store):
            words.close()
