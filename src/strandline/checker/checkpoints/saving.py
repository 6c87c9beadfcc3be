"""The search of one run, saved now and then, or made to go on where another process saved it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from strandline.checker.checkpoints.run_folder import SearchCheckpoints
from strandline.checker.checkpoints.signals import WaitingSignals
from strandline.checker.limits.progress import ProgressCallback
from strandline.compile.kernel import Kernel
from strandline.engine.parts.search_output import SearchObserver
from strandline.engine.saving import Saved, SavedObserver, restore, saved, together
from strandline.engine.search import Search, Searching
from strandline.errors import Option, ResourceError, UsageError


class Stop(NamedTuple):
    """A state at which the search stopped and went on: its record, its labels, and the stop mask by then. Where another
    search has begun since, in which records mean something else: the number of an initial state, and the steps."""

    record: int
    labels: int
    mask: int
    path: tuple[int, Sequence[int]] | None = None


class Saving:
    """Between `recall`, before the search's files are opened, and its end. While `signals` wait, the search is told of
    to `look` whenever it stands still."""

    def __init__(self, place: SearchCheckpoints, callback: ProgressCallback) -> None:
        self._place, self._watcher = place, callback
        self._facts: Mapping[str, Any] | None = None
        self._stops: list[Stop] = []
        self._beyond = False
        self.seconds_before = 0.0
        """What the search took in processes before this one."""
        self.signals = WaitingSignals()

    def recall(self) -> None:
        """Find the checkpoint to go on from, if there is one; the search's files are then as they were."""
        self._facts = self._place.recall(self._watcher.stage)

    @property
    def stages(self) -> tuple[str, ...]:
        """Which stages the search that was saved had gone through."""
        return () if self._facts is None else tuple(self._facts["stages"])

    def attach(
        self,
        search: Searching,
        kernel: Kernel,
        observer: SearchObserver | None,
        stages: Sequence[str],
        settle: Callable[[], None],
    ) -> None:
        """This search is to be saved, which was made a moment ago, and who listens to it; `settle` brings to their
        files what these two have given away to be written."""
        if not isinstance(search, Search) or kernel.digest is None:
            raise UsageError("{}: this search cannot be saved", options=[Option("checkpoint")])
        self._search, self._kernel, self._listener, self._stages = search, kernel, observer, tuple(stages)
        self._settle, self._identity = settle, _identity(search, kernel)

    def take_over(self) -> list[Stop]:
        """The search was made anew, as was who listens to it: they go on from the checkpoint. Answers where the search
        has stopped before."""
        facts, kernel = self._facts, self._kernel
        if facts is None:
            return []
        kept = self._place.kept(facts, self._identity)
        restore(self._search, kept.of("search"))
        if isinstance(self._listener, SavedObserver):
            self._listener.restore(kept.of("observer"))
        if kernel.coverage_bits is not None:
            kernel.coverage_bits[:] = np.frombuffer(bytes.fromhex(facts["marks"]), dtype=np.uint8)
        self.seconds_before = facts["seconds"]
        self._watcher.stage(f"resumed after {facts['visited']:,} visited states")
        self._stops = [Stop(*stop) for stop in facts["stops"]]
        return list(self._stops)

    def note_paths(self, path_to: Callable[[int], tuple[int, Sequence[int]]]) -> None:
        """Another search is about to begin, in which records mean something else."""
        self._stops = [
            stop if stop.path is not None else stop._replace(path=path_to(stop.record)) for stop in self._stops
        ]

    def release(self, path: Path, removed: Callable[[], None]) -> None:
        """As of `SearchCheckpoints`."""
        self._place.release(path, removed)

    def note_stop(self, stop: Stop) -> None:
        """The search stopped at a state."""
        self._stops.append(stop)

    def note_beyond(self) -> None:
        """The search found a component, which a checkpoint does not tell of: what is found from now on is found again
        by a run that is resumed."""
        self._beyond = True

    def look(self, seconds: float, *, ends: bool) -> None:
        """The search stands still after so many seconds; write a checkpoint if it is time, if it `ends` here, or if a
        signal waits, which then acts."""
        interrupted = self.signals.noted
        if (interrupted or ends or self._place.due) and self._search.settled and not self._beyond:
            try:
                self._settle()
                self._place.save(self._saved(), self._described(seconds))
            except ResourceError as error:
                self._watcher.stage(f"no checkpoint could be written: {error}")
        if interrupted:
            self.signals.act()

    def _saved(self) -> Saved:
        own = saved(self._search)
        if isinstance(self._listener, SavedObserver):
            return together(search=own, observer=self._listener.saved())
        return together(search=own)

    def _described(self, seconds: float) -> dict[str, Any]:
        marks = self._kernel.coverage_bits
        return {
            "identity": self._identity,
            "stages": self._stages,
            "stops": self._stops,
            "marks": "" if marks is None else marks.tobytes().hex(),
            "seconds": self.seconds_before + seconds,
            "visited": self._search.statistics().visited,
        }


def _identity(search: Search, kernel: Kernel) -> dict[str, Any]:
    """What tells a search that has just been made from others: what it searches, and its settings, which stand in its
    numbers and records."""
    known = saved(search) if search.settled else None
    return {
        "kernel": kernel.digest,
        "search": type(search).__name__,
        "numbers": {} if known is None else {name: _plain(number) for name, number in sorted(known.numbers.items())},
        "records": {}
        if known is None
        else {name: array.tolist() for name, array in sorted(known.arrays.items()) if 0 < len(array) < _SMALL},
    }


_SMALL = 64
"""Words of an array that is as good as a record."""


def _plain(number: Any) -> Any:
    """As it will be read back."""
    return list(number) if isinstance(number, tuple) else number
