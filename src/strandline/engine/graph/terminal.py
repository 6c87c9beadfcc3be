"""Terminal SCCs of a swept graph, layer by layer (000 §5.3, algorithm 6).

With a measure that never decreases, an SCC lies inside one layer. So SCCs are computed when the line leaves a layer, or
several layers if they are small, and their data are dropped with them: nothing is written to disk.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from strandline.engine.runtime.memory import WordArray
from strandline.engine.saving import RestoredState, SavedState

_AT_LEAST = 1 << 16
"""Fewest records per SCC pass; smaller layers are joined."""
_TO_LOOK_AT = 5
"""Peak memory of an SCC pass, as a multiple of the buffered edges."""


@dataclass(frozen=True, slots=True)
class TerminalComponent:
    """An SCC that no edge leaves: one of its records, and their number."""

    record: int
    states: int


class TerminalComponents:
    """An observer that looks for terminal SCCs of two kinds and keeps the first of each.

    `without` is one in which no state has label 0, `throughout` one in which every state has it.
    """

    layers = True

    @property
    def held_words(self) -> int:
        return _TO_LOOK_AT * self._kept

    def __init__(self, words: int, initial: int) -> None:
        self.without: TerminalComponent | None = None
        self.throughout: TerminalComponent | None = None
        self.count = 0
        """Number of terminal SCCs found."""
        self._words, self._skipped = words, initial
        self._sources: list[WordArray] = []
        self._rows: list[WordArray] = []
        self._targets: list[WordArray] = []
        self._records = self._kept = 0
        """Buffered states, and words, until their layer is finished."""

    def expanded(self, states: WordArray) -> None:
        self._rows.append(states[:, self._words :].copy())
        self._kept += 2 * len(states)

    def edges(self, sources: WordArray, targets: WordArray) -> None:
        skipped = min(self._skipped, len(targets))
        self._skipped -= skipped
        self._sources.append(sources.copy())
        self._targets.append(targets[skipped:].copy())
        self._kept += len(sources) + len(targets)
        self._records += len(sources)

    def layer_finished(self, column: int, layer: int) -> None:
        if self._records >= _AT_LEAST:
            self.finish()

    def finish(self) -> None:
        """Compute the SCCs of the buffered layers."""
        if not self._records:
            return
        from strandline.engine.graph.terminal_kernel import OUTSIDE, components

        sources, rows = np.concatenate(self._sources), np.concatenate(self._rows)
        targets = np.concatenate(self._targets)
        order = np.argsort(sources)
        known = sources[order]
        places = np.minimum(np.searchsorted(known, targets), len(known) - 1)
        inner = np.where(known[places] == targets, order[places], OUTSIDE).astype(np.int64)
        degrees = rows[:, 1].astype(np.int64)
        offsets = np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(degrees)))
        size = len(sources)
        component, low = np.full(size, -1, dtype=np.int64), np.full(size, -1, dtype=np.int64)
        scratch = [np.zeros(size, dtype=np.int64) for _ in range(3)]
        found = int(components(offsets, inner, component, low, *scratch))
        owners = np.repeat(component, degrees)
        left = np.where(inner == OUTSIDE, OUTSIDE, component[inner]) != owners
        terminal = np.ones(found, dtype=bool)
        terminal[owners[left]] = False
        labelled = (rows[:, 0] & np.uint64(1)).astype(np.int64)
        sizes = np.bincount(component, minlength=found)
        marks = np.bincount(component, weights=labelled, minlength=found).astype(np.int64)
        self.count += int(terminal.sum())
        self.without = self.without or self._first(terminal & (marks == 0), sizes, component, sources)
        self.throughout = self.throughout or self._first(terminal & (marks == sizes), sizes, component, sources)
        self._sources, self._rows, self._targets, self._records, self._kept = [], [], [], 0, 0

    def save_state(self) -> SavedState:
        """Return the components found and the buffered layers."""
        none: WordArray = np.zeros(0, dtype=np.uint64)
        rows = [one.reshape(-1) for one in self._rows]
        names = zip(("sources", "rows", "targets"), (self._sources, rows, self._targets), strict=True)
        found = [number for one in (self.without, self.throughout) for number in _numbers(one)]
        return SavedState(
            {name: np.concatenate([none, *arrays]) for name, arrays in names},
            {"found": tuple(found), "count": self.count, "skipped": self._skipped},
        )

    def restore(self, kept: RestoredState) -> None:
        self._sources, self._targets = [kept.array("sources")], [kept.array("targets")]
        self._rows, self._records = [kept.array("rows").reshape(-1, 2)], len(self._sources[0])
        self._kept = sum(int(one[0].size) for one in (self._sources, self._rows, self._targets))
        found = kept.numbers["found"]
        self.without, self.throughout = (
            None if one[0] < 0 else TerminalComponent(*one) for one in (found[:2], found[2:])
        )
        self.count, self._skipped = kept.numbers["count"], kept.numbers["skipped"]

    @staticmethod
    def _first(
        wanted: np.ndarray, sizes: np.ndarray, component: np.ndarray, sources: WordArray
    ) -> TerminalComponent | None:
        """Return the one of the selected SCCs that has the least record."""
        records = np.where(wanted[component], sources, np.uint64((1 << 64) - 1))
        place = int(np.argmin(records))
        if not wanted[component[place]]:
            return None
        return TerminalComponent(int(sources[place]), int(sizes[component[place]]))


def _numbers(component: TerminalComponent | None) -> tuple[int, int]:
    return (-1, -1) if component is None else (component.record, component.states)
