"""The base class of all searches: parts, their growth, limits, counters.

    search = BreadthFirstSearch(kernel, log=sink)
    while search.advance() is Event.PAUSED: ...

A subclass adds parts and names its compiled loop. The loops are compiled once per machine and width of states; the
first search takes some seconds for that.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, ClassVar, Protocol, TypedDict

import numpy as np

from strandline.compile.kernel import Kernel
from strandline.engine.handoff import HandOff, Progress
from strandline.engine.parts.expansion import ExpansionPart
from strandline.engine.parts.part import UNLIMITED, Part
from strandline.engine.parts.profile import LayerFigures, level_layers
from strandline.engine.parts.search_output import JournalPart, SearchObserver, Sink
from strandline.engine.runtime import codes, sizes
from strandline.engine.runtime.records import COUNTS, counters_of
from strandline.engine.store.omissions import Omissions
from strandline.errors import InternalError

if TYPE_CHECKING:
    from strandline.engine.device.search import DeviceFigures


class Event(Enum):
    """The reason why `advance` returned."""

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
    """Counters of a search.

    A search fills the fields that it has; reports take them by name (`strandline.checker.verdicts.statistics`).
    """

    recorded: int
    """Number of stored states; a state that was deleted and is found again counts again."""
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
    busy: float | None = None
    """The share of the time of several threads in which they did not wait for each other; None without such a time."""
    counters: Mapping[str, int] = field(default_factory=dict)
    """All counters of the kernels, by their names in the records, also those that no field stands for."""


@dataclass(frozen=True, slots=True)
class Details:
    """Results of a search besides its counters; a search fills the fields that it has."""

    levels: tuple[int, ...] = ()
    """The number of states at each distance from the initial states, of a breadth-first search."""
    profile: tuple[LayerFigures, ...] = ()
    """Stored and visited states by layer, in increasing order."""
    sampled_regress_edges: Sequence[tuple[tuple[int, ...], int]] = ()
    """A uniform sample of the regress edges, in the order of discovery: source and step number."""
    device: DeviceFigures | None = None
    omissions: Omissions | None = None
    """The expected loss; None if the store is exact."""


def level_details(sizes_of_levels: Sequence[int], visited: int) -> Details:
    """Return the details of a breadth-first search, whose profile has the distances from the initial states."""
    layers = level_layers(np.array(sizes_of_levels, dtype=np.uint64), visited, sizes.PROFILE_CELLS)
    return Details(levels=tuple(sizes_of_levels), profile=layers)


class SearchArguments(TypedDict, total=False):
    """The arguments of every search.

    `log` receives the parent log, `observer` the expanded states; the search stops at states with a label of
    `stop_mask`. `engine_bytes` is the memory that its arrays may take: the share of the engine in the memory limit of
    the process; None without a limit.
    """

    log: Sink
    observer: SearchObserver | None
    stop_mask: int
    engine_bytes: int | None
    max_states: int | None


class Searching(Protocol):
    """The interface of a search to its callers; the members are described at `Search`."""

    def advance(self, seconds: float = 0.05) -> Event: ...
    def stop_less(self, mask: int) -> None: ...
    def current_bytes(self) -> int: ...
    def statistics(self) -> Statistics: ...
    def details(self) -> Details: ...
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


class Search(ABC):
    """A search over a Kernel. A subclass is final: it adds parts and runs one compiled loop."""

    loop: ClassVar[str]
    """Module and function of the compiled loop, relative to this package."""
    limits: ClassVar[tuple[str, ...]] = ("engine_bytes",)
    """Attributes that checkpoints do not store; see `Part.limits`."""

    def __init__(
        self,
        kernel: Kernel,
        *parts: Part,
        log: Sink,
        observer: SearchObserver | None = None,
        stop_mask: int = 0,
        engine_bytes: int | None = None,
        max_states: int | None = None,
    ) -> None:
        self.kernel = kernel
        self.engine_bytes = engine_bytes
        self.expansion = ExpansionPart(kernel, stop_mask)
        self.journal = JournalPart(kernel.words, log, observer, max_states)
        self.parts: tuple[Part, ...] = (self.expansion, self.journal, *parts)
        self._budget = 1000
        self._peak_bytes = 0

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
            return UNLIMITED
        return max(0, self.array_limit // 8 - sum(part.room for part in self.parts))

    @property
    def array_limit(self) -> int | None:
        """The bytes that the arrays of the parts may take: by default all of `engine_bytes`."""
        return self.engine_bytes

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
        """Remove these labels from the stop mask; called after FOUND."""
        self.expansion.answer.stop_mask &= np.uint64(~mask & ((1 << 64) - 1))

    def stand_at(self, record: int, labels: int, stop_mask: int) -> None:
        """Restore the situation after FOUND, at a state that an earlier run found."""
        answer = self.expansion.answer
        answer.record, answer.labels, answer.stop_mask = record, labels, stop_mask

    @property
    def stop_mask(self) -> int:
        return int(self.expansion.answer.stop_mask)

    @property
    def found(self) -> tuple[int, int]:
        """After FOUND or FAULT: the record of the state and, after FOUND, its labels."""
        return int(self.expansion.answer.record), int(self.expansion.answer.labels)

    @property
    def walked(self) -> tuple[int, list[int]] | None:
        """The path to the current state of a search without a parent log, after FOUND or FAULT."""
        return None

    @property
    def fault_number(self) -> int:
        """The index into the Kernel's fault sites, after FAULT."""
        return int(self.expansion.answer.fault) - 1

    @property
    def regressing_link(self) -> tuple[int, int]:
        """The record of the edge's source and the number of the step, after COLUMN_DECREASED."""
        return self.expansion.link(int(self.expansion.rest.next))

    @property
    def line(self) -> tuple[int, int]:
        """Column and layer of the sweep line; constant in a search without one."""
        return 0, 0

    def details(self) -> Details:
        """Return the results besides the counters; a subclass adds those that it has."""
        return Details()

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
            counters=counters_of(counts, COUNTS),
        )

    def close(self) -> None:
        """Release all memory."""
        for part in self.parts:
            part.close()
