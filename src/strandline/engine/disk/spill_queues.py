"""The frontier on disk, by kinds: states of this sweep, its roots, and the roots of the next one."""

from __future__ import annotations

from dataclasses import dataclass, field

from strandline.engine.disk.runs import RunFiles
from strandline.engine.disk.spill_file import Key, Segment, SpillRun, SpillRuns
from strandline.engine.runtime.memory import WordArray
from strandline.engine.saving import RestoredState, SavedState, combine


@dataclass(slots=True)
class LayerQueue:
    """The queued states of the line's layer, to be expanded in pieces; `roots` is True if they are persistent."""

    segments: list[Segment] = field(default_factory=list)
    pieces: int = 1
    next: int = 0
    roots: bool = False
    rows: WordArray | None = None
    """The rows of states from memory, if there is a single piece."""


class SpillQueues:
    """The spilled frontier, one queue for each kind of state: of this sweep, its roots, roots of the next sweep."""

    def __init__(self, files: RunFiles, row_words: int) -> None:
        self._files, self._row_words = files, row_words
        self.live, self.roots, self.next_roots = (SpillRuns(files, row_words) for _ in range(3))

    @property
    def _kinds(self) -> dict[str, SpillRuns]:
        return {"live": self.live, "roots": self.roots, "next_roots": self.next_roots}

    @property
    def count(self) -> int:
        """The number of spilled states."""
        return sum(runs.count for runs in self._kinds.values())

    def least(self, grain: int) -> Key | None:
        """Return the least layer with spilled states of this sweep; None if there is none."""
        keys = (self.live.least(grain), self.roots.least(grain))
        return min((key for key in keys if key is not None), default=None)

    def begin_sweep(self) -> None:
        """Make the roots of the next sweep those of the present one."""
        self.roots, self.next_roots = self.next_roots, self.roots

    def spill(self, grain: int) -> SpillWriter:
        return SpillWriter(list(self._kinds.values()), grain)

    # Saving

    def save_state(self, group: LayerQueue | None) -> SavedState:
        """Return the state of the files, which stay where they are, and of `group`, the layer being expanded."""
        numbers = {run: number for number, run in enumerate(self._runs(group))}
        found = combine(**{str(number): run.save_state() for run, number in numbers.items()})
        for name, runs in self._kinds.items():
            found.numbers[name] = tuple(numbers[run] for run in runs.runs)
        found.numbers["files"] = (self._files.made, self._files.bytes, self._files.peak_bytes, len(numbers))
        if group is not None:
            parts = [(numbers[one.run], one.first, one.count) for one in group.segments]
            found.numbers["group"] = (group.pieces, group.next, int(group.roots), *(n for part in parts for n in part))
            if group.rows is not None:
                found.arrays["rows"] = group.rows
        return found

    def restore(self, kept: RestoredState) -> LayerQueue | None:
        """Restore saved state; return the queue of the layer that was being expanded."""
        self._files.made, self._files.bytes, self._files.peak_bytes, count = kept.numbers["files"]
        restored = [SpillRun.restore(self._files, self._row_words, kept.of(str(number))) for number in range(count)]
        for name, runs in self._kinds.items():
            for number in kept.numbers[name]:
                runs.restore(restored[number])
        if "group" not in kept.numbers:
            return None
        pieces, following, roots, *parts = kept.numbers["group"]
        segments = [Segment(restored[run], *place) for run, *place in zip(*(iter(parts),) * 3, strict=True)]
        rows = kept.array("rows") if "rows" in kept.arrays else None
        return LayerQueue(segments, pieces, following, bool(roots), rows)

    def _runs(self, group: LayerQueue | None) -> list[SpillRun]:
        """Return all runs once, including those that are only read by the layer being expanded."""
        found = dict.fromkeys(run for runs in self._kinds.values() for run in runs.runs)
        found.update(dict.fromkeys(one.run for one in (group.segments if group else ())))
        return list(found)


class SpillWriter:
    """One spill: a run of each kind, with layers in increasing order."""

    def __init__(self, kinds: list[SpillRuns], grain: int) -> None:
        self._kinds, self._grain = kinds, grain
        self._open = {id(runs): runs.begin(grain) for runs in kinds}

    def append(self, runs: SpillRuns, key: Key, rows: WordArray) -> None:
        """Append sorted rows of a layer."""
        self._open[id(runs)].append(key, rows)

    def divide(self, runs: SpillRuns) -> None:
        """Begin another run, for further rows of the same layer, which are sorted separately."""
        runs.add(self._open[id(runs)])
        self._open[id(runs)] = runs.begin(self._grain)

    def finish(self) -> None:
        for runs in self._kinds:
            runs.add(self._open[id(runs)])
