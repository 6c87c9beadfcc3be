"""What a search tells of its way, and who is told (`strandline.engine.parts.search_output_kernel`)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol, runtime_checkable

import numpy as np

from strandline.engine.parts.part import Part
from strandline.engine.runtime import sizes
from strandline.engine.runtime.memory import WordArray
from strandline.engine.runtime.records import COUNTS, FILL, record

if TYPE_CHECKING:
    from strandline.engine.parts.search_output_kernel import Journal

Sink = Callable[[WordArray], None]


class Log(Protocol):
    """Takes the links of states to their parents."""

    def append(self, links: WordArray) -> None:
        """Links of further states, in the order of their records."""
        ...

    def parts(self, count: int) -> Sequence[Sink]:
        """What takes them for each of so many threads; record `r` is in part `r % count`, at position `r // count`."""
        ...


class SearchObserver(Protocol):
    """Is told what a search expands. The arrays must not be kept."""

    layers: bool
    """Whether it wants to know where layers end."""

    @property
    def held_words(self) -> int:
        """How many words of memory it takes: they count as the search's."""
        ...

    def expanded(self, states: WordArray) -> None:
        """States that were expanded, one a row: its words, its labels, how many successors it has."""
        ...

    def layer_finished(self, column: int, layer: int) -> None:
        """Of a sweep: all states told of since the last layer was finished are those of this one that the line found
        there on this pass; they are about to be forgotten, but for the persistent ones."""
        ...


@runtime_checkable
class EdgeObserver(SearchObserver, Protocol):
    """Is told of edges too, by breadth-first searches and sweeps. Every record is expanded once; a state that is found
    again after it was forgotten has another one, so that records and edges are a graph that is bisimilar to that of the
    states."""

    def edges(self, sources: WordArray, targets: WordArray) -> None:
        """The records of the states that `expanded` was told of just before, and those of successors, in turn: of the
        first state expanded, of the next, and so on, but for those that are not placed yet, which come with the next
        call. Before all others come the initial states."""
        ...


class StatesOnly:
    """A observer that hands expanded states to a function."""

    layers = False
    held_words = 0

    def __init__(self, expanded: Sink) -> None:
        self.expanded = expanded

    def layer_finished(self, column: int, layer: int) -> None:
        return None


class JournalPart(Part):
    """Buffers for the parent log and for expanded states, and the counts."""

    limits = ("_max_states",)

    def __init__(self, words: int, log: Sink, observer: SearchObserver | None, max_states: int | None) -> None:
        self.counts, self.fill = record(COUNTS), record(FILL)
        self._log, self._listener, self._max_states = log, observer, max_states
        self._row = words + 2
        self._links: WordArray = np.zeros(sizes.LOG_RECORDS, dtype=np.uint64)
        told = sizes.EXPANDED_WORDS if not isinstance(observer, EdgeObserver) else sizes.EDGE_WORDS
        rows = max(1, told // self._row) if observer else 0
        self._expanded: WordArray = np.zeros(rows * self._row, dtype=np.uint64)
        self._sources: WordArray | None = None
        self._targets: WordArray | None = None
        self._edges: Callable[[WordArray, WordArray], None] | None = None
        if isinstance(observer, EdgeObserver):
            self._edges = observer.edges
            self._sources = np.zeros(rows, dtype=np.uint64)
            self._targets = np.zeros(told, dtype=np.uint64)

    def journal(self) -> Journal:
        from strandline.engine.parts.search_output_kernel import Journal

        told = (self._expanded, self._sources, self._targets)
        return Journal(self._links[: self.room_for_links()], *told, self.fill, self.counts)

    def room_for_links(self) -> int:
        """How many records may be written before the next flush; a limit of states leaves less and less."""
        if self._max_states is None:
            return len(self._links)
        return max(0, min(len(self._links), self._max_states - int(self.counts.recorded)))

    def most_links(self) -> int | None:
        """How many records more a limit of states allows; None where there is none."""
        return None if self._max_states is None else max(0, self._max_states - int(self.counts.recorded))

    def repeat(self, records: int) -> None:
        """So many records are of states that have one already: they do not count for a limit of states."""
        if self._max_states is not None:
            self._max_states += records

    def allow(self, links: int) -> None:
        """So many records more may be written."""
        self._max_states = int(self.counts.recorded) + links

    def flush(self) -> None:
        """Hand over what is in the buffers."""
        if self.fill.links:
            self._log(self._links[: int(self.fill.links)])
            self.fill.links = 0
        expanded, targets = int(self.fill.expanded), int(self.fill.targets)
        if self._listener is not None and expanded:
            self._listener.expanded(self._expanded[: expanded * self._row].reshape(-1, self._row))
        if self._edges is not None and (expanded or targets):
            assert self._sources is not None
            assert self._targets is not None
            self._edges(self._sources[:expanded], self._targets[:targets])
        self.fill.expanded = self.fill.targets = 0

    def finish_layer(self, column: int, layer: int) -> None:
        """A layer is finished, and all of it was handed over."""
        if self._listener is not None:
            self._listener.layer_finished(column, layer)

    def append(self, links: WordArray) -> int:
        """Add records to the parent log, whose buffer is empty; the number of the last."""
        self._log(links)
        self.counts.recorded += np.uint64(len(links))
        return int(self.counts.recorded) - 1

    @property
    def words(self) -> int:
        told = (self._expanded, self._sources, self._targets)
        held = 0 if self._listener is None else self._listener.held_words
        return len(self._links) + sum(len(one) for one in told if one is not None) + held
