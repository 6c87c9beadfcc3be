"""The base class of all searches: parts, their growth, limits, counters.

    search = BreadthFirstSearch(kernel, log=sink)
    while search.advance() is Event.PAUSED: ...

A subclass adds parts and names its compiled loop. The loops are compiled once per machine and width of states; the
first search takes some seconds for that.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, ClassVar, Protocol, TypedDict

import numpy as np

from strandline.compile.kernel import Kernel
from strandline.engine.handoff import HandOff, Progress
from strandline.engine.parts.expansion import ExpansionPart
from strandline.engine.parts.part import Part
from strandline.engine.parts.profile import LayerFigures
from strandline.engine.parts.search_output import JournalPart, SearchObserver, Sink
from strandline.engine.runtime import codes, sizes
from strandline.errors import InternalError

if TYPE_CHECKING:
    from strandline.engine.device.search import DeviceFigures


class Event(Enum):
    """Why `advance` returned."""

    DONE = "everything reachable was expanded"
    PAUSED = "the time slice is over"
    FOUND = "a state with a label of the stop mask is about to be expanded"
    FAULT = "a step of the model faulted"
    COLUMN_DECREASED = "an edge leads to a smaller column: the measure is not monotone"
    CYCLE = "an accepting cycle was found"
    MEMORY = "the next growth would exceed the memory limit"
    STATES = "as many states as allowed are recorded"


_EVENTS = {
    codes.DONE: Event.DONE,
    codes.FOUND: Event.FOUND,
    codes.FAULT: Event.FAULT,
    codes.REGRESSING_COLUMN: Event.COLUMN_DECREASED,
    codes.CYCLE: Event.CYCLE,
    codes.PAUSE: Event.PAUSED,
    codes.LIMIT: Event.STATES,
}


@dataclass(frozen=True, slots=True)
class Statistics:
    """Counters of a search."""

    recorded: int
    """Stored states; one that was deleted and is found again counts again."""
    exact: bool
    """True if no state was found again, so that `recorded`, `transitions` and `deadlocks` count distinct ones."""
    visited: int
    transitions: int
    deadlocks: int
    stored: int
    peak_states: int
    persistent: int = 0
    regress_edges: int = 0
    sweeps: int = 1
    layers: int = 0
    distinct: int = 0
    """The estimated number of distinct states of a sweep (`strandline.engine.parts.sketch`)."""
    repeats: float = 1.0
    """The estimated number of times that a sweep stored each state since it uses its measure."""
    peak_bytes: int = 0
    threads: int = 1


class SearchArguments(TypedDict, total=False):
    """Arguments of every search.

    `log` receives the parent log, `observer` the expanded states; the search stops at states with a label of
    `stop_mask`.
    """

    log: Sink
    observer: SearchObserver | None
    stop_mask: int
    memory_limit: int | None
    max_states: int | None


class Searching(Protocol):
    """The interface of a search to its callers; the members are described at `Search`."""

    def advance(self, seconds: float = 0.05) -> Event: ...
    def stop_less(self, mask: int) -> None: ...
    def current_bytes(self) -> int: ...
    def statistics(self) -> Statistics: ...
    def profile(self) -> tuple[LayerFigures, ...]: ...
    def close(self) -> None: ...
    @property
    def stop_mask(self) -> int: ...
    @property
    def found(self) -> tuple[int, int]: ...
    @property
    def walked(self) -> tuple[int, list[int]] | None: ...
    @property
    def fault_number(self) -> int: ...
    @property
    def regressing_link(self) -> tuple[int, int]: ...
    @property
    def line(self) -> tuple[int, int]: ...
    @property
    def level_sizes(self) -> list[int]: ...
    @property
    def replaced(self) -> int: ...
    @property
    def spilled_bytes(self) -> int: ...
    @property
    def sampled_regress_edges(self) -> list[tuple[tuple[int, ...], int]]: ...
    @property
    def device_figures(self) -> DeviceFigures | None: ...
    @property
    def omissions(self) -> Omissions | None: ...


@dataclass(frozen=True, slots=True)
class Omissions:
    """The expected loss of a lossy store.

    `expected` is the expected number of states that were mistaken for stored ones; below 1, it bounds the probability
    that one was. `per_state` is the probability for one more state. States reachable only through an omitted one are
    lost as well.
    """

    expected: float
    per_state: float


class Search(ABC):
    """A search over a Kernel. A subclass is final: it adds parts and runs one compiled loop."""

    loop: ClassVar[str]
    """Module and function of the compiled loop, relative to this package."""
    limits: ClassVar[tuple[str, ...]] = ("memory_limit",)
    """Attributes that checkpoints do not store; see `Part.limits`."""

    def __init__(
        self,
        kernel: Kernel,
        *parts: Part,
        log: Sink,
        observer: SearchObserver | None = None,
        stop_mask: int = 0,
        memory_limit: int | None = None,
        max_states: int | None = None,
    ) -> None:
        self.kernel = kernel
        self.memory_limit = memory_limit
        self.expansion = ExpansionPart(kernel, stop_mask)
        self.journal = JournalPart(kernel.words, log, observer, max_states)
        self.parts: tuple[Part, ...] = (self.expansion, self.journal, *parts)
        self._budget = 1000
        self._peak_bytes = 0

    @property
    def omissions(self) -> Omissions | None:
        """The expected loss; None if the store is exact."""
        return None

    @property
    def settled(self) -> bool:
        """True if all state lies in arrays, records and numbers, so that the search can be saved."""
        return True

    @abstractmethod
    def run(self, budget: np.uint64) -> int:
        """Call the compiled loop for about `budget` expansions; return its code."""

    def load(self) -> None:
        """Warm up: load or compile all machine code that the search needs; the search is of no use afterwards."""
        for part in self.parts:
            part.load()
        self.advance(0.0)

    def load_further(self) -> None:
        """Warm up rarely used code after `load`, for runs in which compiling later would exceed the memory limit."""
        return

    def advance(self, seconds: float = 0.05) -> Event:
        """Search on for about `seconds`, or until an event."""
        deadline = time.perf_counter() + seconds
        while True:
            started, visited = time.perf_counter(), int(self.journal.counts.visited)
            code = self.run(np.uint64(self._budget))
            event = self.event_of(code)
            if event is not None:
                return event
            if code == codes.BUDGET:
                elapsed = max(time.perf_counter() - started, 1e-6)
                rate = (int(self.journal.counts.visited) - visited) / elapsed
                self._budget = max(1, int(rate * min(seconds, 0.05)))
            if time.perf_counter() >= deadline:
                return Event.PAUSED

    def event_of(self, code: int) -> Event | None:
        """Handle the code of the compiled loop; return None if the loop can go on."""
        self.journal.flush()
        self.current_bytes()
        if code == codes.GROW:
            grown = all(part.grow(self._affordable_words) for part in self.parts) or self.free_memory()
            return None if grown else Event.MEMORY
        if code == codes.FLUSH:
            return Event.STATES if self.journal.room_for_links() == 0 else None
        if code == codes.LAYER_OVER:
            self.journal.finish_layer(*self.line)
        if code in (codes.BUDGET, codes.LAYER_OVER):
            return None
        if code == codes.FAULT:
            self.kernel.reraise()
        return _EVENTS[code]

    def free_memory(self) -> bool:
        """Free memory inside existing arrays; return True if the search can continue.

        Called when growth would exceed the memory limit.
        """
        return False

    def shrink_caches(self) -> bool:
        """Shrink caches; return False if nothing can be shrunk.

        Called between slices when the resident memory of the process exceeds the accounted bytes.
        """
        return False

    def _affordable_words(self) -> int:
        """Return the number of words that may be added. The limit counts arrays in full, used or not."""
        if self.array_limit is None:
            return 1 << 60
        return max(0, self.array_limit // 8 - sum(part.room for part in self.parts))

    @property
    def array_limit(self) -> int | None:
        """The bytes that the arrays of the parts may take: by default the whole memory limit."""
        return self.memory_limit

    @property
    def can_hand_off(self) -> bool:
        """True if another search can continue this one from its present state."""
        return False

    def hand_off(self) -> HandOff:
        """Describe this search, for another one to continue it; this one cannot be used afterwards.

        Raises `InternalError` if it cannot be continued.
        """
        raise InternalError(f"{type(self).__name__} cannot be continued by another search")

    def take_over(self, handoff: HandOff, progress: Progress | None = None) -> Event | None:
        """Continue another search; must be the first call. Return the event if a limit is reached.

        A sweep needs `progress`.
        """
        raise InternalError(f"{type(self).__name__} cannot continue another search")

    @property
    def handoff_rows(self) -> int:
        """The most rows of a block handed to `take_over`."""
        return sizes.RECORDS

    def current_bytes(self) -> int:
        """Return the bytes of all arrays in use, and update the peak."""
        used = 8 * sum(part.words for part in self.parts)
        self._peak_bytes = max(self._peak_bytes, used)
        return used

    def stop_less(self, mask: int) -> None:
        """Stop at these labels no longer; called after FOUND."""
        self.expansion.answer.stop_mask &= np.uint64(~mask & ((1 << 64) - 1))

    def stand_at(self, record: int, labels: int, stop_mask: int) -> None:
        """Restore the situation after FOUND at a state that was found before."""
        answer = self.expansion.answer
        answer.record, answer.labels, answer.stop_mask = record, labels, stop_mask

    @property
    def stop_mask(self) -> int:
        return int(self.expansion.answer.stop_mask)

    @property
    def found(self) -> tuple[int, int]:
        """After FOUND or FAULT: the record of the state, and its labels (FOUND)."""
        return int(self.expansion.answer.record), int(self.expansion.answer.labels)

    @property
    def walked(self) -> tuple[int, list[int]] | None:
        """After FOUND or FAULT of a search without a parent log: the initial state and the steps to the state."""
        return None

    @property
    def fault_number(self) -> int:
        """After FAULT: the index into the Kernel's fault sites."""
        return int(self.expansion.answer.fault) - 1

    @property
    def regressing_link(self) -> tuple[int, int]:
        """After COLUMN_DECREASED: the record of the edge's source and the number of the step."""
        return self.expansion.link(int(self.expansion.rest.next))

    @property
    def line(self) -> tuple[int, int]:
        """Column and layer of the sweep line; constant in a search without one."""
        return 0, 0

    def profile(self) -> tuple[LayerFigures, ...]:
        """Return stored and visited states by layer, in increasing order; empty if the search records none."""
        return ()

    @property
    def level_sizes(self) -> list[int]:
        """The number of states at each distance from the initial states, of a breadth-first search."""
        return []

    @property
    def replaced(self) -> int:
        """The number of cached states that were replaced, of a search with a bounded cache."""
        return 0

    @property
    def spilled_bytes(self) -> int:
        """The most bytes on disk at a time, of a search that spills."""
        return 0

    @property
    def device_figures(self) -> DeviceFigures | None:
        """Figures of the device, of a search on one."""
        return None

    @property
    def sampled_regress_edges(self) -> list[tuple[tuple[int, ...], int]]:
        """A uniform sample of the regress edges, in the order of discovery: source and step number."""
        return []

    def statistics(self) -> Statistics:
        """Return the counters."""
        counts = self.journal.counts
        self.current_bytes()
        return Statistics(
            recorded=int(counts.recorded),
            exact=True,
            visited=int(counts.visited),
            transitions=int(counts.transitions),
            deadlocks=int(counts.deadlocks),
            stored=int(counts.stored),
            peak_states=int(counts.peak_stored),
            peak_bytes=self._peak_bytes,
        )

    def close(self) -> None:
        """Release all memory."""
        for part in self.parts:
            part.close()
