"""Output of a search: the parent log and the observers of expanded states (see `search_output_kernel`)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol, runtime_checkable

import numpy as np

from strandline.engine.parts.links import Bytes
from strandline.engine.parts.part import Part
from strandline.engine.runtime import sizes
from strandline.engine.runtime.memory import WordArray
from strandline.engine.runtime.records import COUNTS, FILL, record

if TYPE_CHECKING:
    from strandline.engine.parts.search_output_kernel import Journal

Sink = Callable[[WordArray], None]
EncodedSink = Callable[[int, WordArray, Sequence[Bytes]], None]
"""A sink for links that are encoded already; see `Log.append_encoded`."""


class Log(Protocol):
    """The interface of a parent log: it receives the links of states to their parents."""

    def append(self, links: WordArray) -> None:
        """Append the links of further states, in the order of their records."""
        ...

    def append_encoded(self, links: int, sizes: WordArray, pieces: Sequence[Bytes]) -> None:
        """Append so many links that are encoded already (`strandline.engine.parts.links`).

        The blocks have these sizes and lie in the pieces one after the other.
        """
        ...

    def parts(self, count: int) -> Sequence[Sink]:
        """Return a sink for each of `count` threads; record `r` is in part `r % count`, at position `r // count`."""
        ...


class SearchObserver(Protocol):
    """The interface of an observer of expanded states. It must not keep the arrays it is given."""

    layers: bool
    """True if `layer_finished` is to be called."""

    @property
    def held_words(self) -> int:
        """The number of words of memory that the observer takes; they count as the search's."""
        ...

    def expanded(self, states: WordArray) -> None:
        """Receive expanded states, one per row: words, labels, number of successors."""
        ...

    def layer_finished(self, column: int, layer: int) -> None:
        """Receive the end of a layer of a sweep.

        The states expanded since the last call are those of this layer that the line found in this pass. They are about
        to be deleted, but for the persistent ones.
        """
        ...


@runtime_checkable
class EdgeObserver(SearchObserver, Protocol):
    """An observer of states and edges, for breadth-first searches and sweeps.

    Every record is expanded once. A state that is found again after it was deleted has a new record, so that records
    and edges form a graph that is bisimilar to that of the states.
    """

    def edges(self, sources: WordArray, targets: WordArray) -> None:
        """Receive the records of the states last passed to `expanded`, and the records of successors.

        Targets come in the order of their sources; those not yet inserted come with the next call. The initial states
        come before all others.
        """
        ...


class StatesOnly:
    """An observer that passes expanded states to a function."""

    layers = False
    held_words = 0

    def __init__(self, expanded: Sink) -> None:
        self.expanded = expanded

    def layer_finished(self, column: int, layer: int) -> None:
        return None


class JournalPart(Part):
    """Buffers of the parent log and of expanded states, and the counters."""

    limits = ("_max_states",)

    def __init__(self, words: int, log: Sink, observer: SearchObserver | None, max_states: int | None) -> None:
        self.counts, self.fill = record(COUNTS), record(FILL)
        self._log, self._observer, self._max_states = log, observer, max_states
        self._row = words + 2
        self._links: WordArray = np.zeros(sizes.LOG_RECORDS, dtype=np.uint64)
        buffer_words = sizes.EXPANDED_WORDS if not isinstance(observer, EdgeObserver) else sizes.EDGE_WORDS
        rows = max(1, buffer_words // self._row) if observer else 0
        self._expanded: WordArray = np.zeros(rows * self._row, dtype=np.uint64)
        self._sources: WordArray | None = None
        self._targets: WordArray | None = None
        self._edges: Callable[[WordArray, WordArray], None] | None = None
        if isinstance(observer, EdgeObserver):
            self._edges = observer.edges
            self._sources = np.zeros(rows, dtype=np.uint64)
            self._targets = np.zeros(buffer_words, dtype=np.uint64)

    def journal(self) -> Journal:
        from strandline.engine.parts.search_output_kernel import Journal

        buffers = (self._expanded, self._sources, self._targets)
        return Journal(self._links[: self.room_for_links()], *buffers, self.fill, self.counts)

    def room_for_links(self) -> int:
        """Return the number of records that may be written before the next flush or the limit on states."""
        if self._max_states is None:
            return len(self._links)
        return max(0, min(len(self._links), self._max_states - int(self.counts.recorded)))

    def most_links(self) -> int | None:
        """Return the number of records that the limit on states still allows; None if there is no limit."""
        return None if self._max_states is None else max(0, self._max_states - int(self.counts.recorded))

    def repeat(self, records: int) -> None:
        """Raise the limit on states by `records`: those of a hand-off, whose states had records before."""
        if self._max_states is not None:
            self._max_states += records

    def allow(self, links: int) -> None:
        """Allow `links` more records."""
        self._max_states = int(self.counts.recorded) + links

    def flush(self) -> None:
        """Pass the buffers on to the log and the observer."""
        if self.fill.links:
            self._log(self._links[: int(self.fill.links)])
            self.fill.links = 0
        expanded, targets = int(self.fill.expanded), int(self.fill.targets)
        if self._observer is not None and expanded:
            self._observer.expanded(self._expanded[: expanded * self._row].reshape(-1, self._row))
        if self._edges is not None and (expanded or targets):
            assert self._sources is not None
            assert self._targets is not None
            self._edges(self._sources[:expanded], self._targets[:targets])
        self.fill.expanded = self.fill.targets = 0

    def finish_layer(self, column: int, layer: int) -> None:
        """Notify the observer that a layer is finished; the buffers must be flushed."""
        if self._observer is not None:
            self._observer.layer_finished(column, layer)

    def write(self, links: WordArray) -> None:
        """Write links of states that are counted already to the parent log; its buffer must be empty."""
        self._log(links)

    def append(self, links: WordArray) -> int:
        """Append links to the parent log, whose buffer must be empty; return the record of the last."""
        self._log(links)
        self.counts.recorded += np.uint64(len(links))
        return int(self.counts.recorded) - 1

    @property
    def words(self) -> int:
        buffers = (self._expanded, self._sources, self._targets)
        held = 0 if self._observer is None else self._observer.held_words
        return len(self._links) + sum(len(one) for one in buffers if one is not None) + held
