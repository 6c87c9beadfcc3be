"""Write the checkpoints of one run, and restore its search in another process."""

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
from strandline.engine.saving import SavedObserver, SavedState, combine, restore_search, save_search
from strandline.engine.search import Search, Searching
from strandline.errors import Option, ResourceError, UsageError


class Stop(NamedTuple):
    """A state at which the search stopped and then continued.

    `record` is its number in the parent log, `labels` and `mask` are its labels and the stop mask at that time. Once a
    fallback has begun another search with a parent log of its own, `path` (an initial state's number and the transition
    numbers) replaces `record`.
    """

    record: int
    labels: int
    mask: int
    path: tuple[int, Sequence[int]] | None = None


class Saving:
    """Saves the search of one run, and restores it in another process.

    It is used between `recall`, before the search's files are opened, and the end of the search. While `signals` are
    deferred, `look` must be called at each pause of the search.
    """

    def __init__(self, place: SearchCheckpoints, callback: ProgressCallback) -> None:
        self._place, self._callback = place, callback
        self._facts: Mapping[str, Any] | None = None
        self._stops: list[Stop] = []
        self._beyond = False
        self.seconds_before = 0.0
        """The search time in earlier processes of this run, in seconds."""
        self.signals = WaitingSignals()

    def recall(self) -> None:
        """Find the newest checkpoint, if there is one, and restore the search's files to that point."""
        self._facts = self._place.recall(self._callback.stage)

    @property
    def stages(self) -> tuple[str, ...]:
        """The names of the fallbacks that the saved search had gone through; none without a checkpoint."""
        return () if self._facts is None else tuple(self._facts["stages"])

    def attach(
        self,
        search: Searching,
        kernel: Kernel,
        observer: SearchObserver | None,
        stages: Sequence[str],
        settle: Callable[[], None],
    ) -> None:
        """Make `search`, which has not started yet, and its observer the ones to be saved and restored.

        `settle` blocks until their pending writes are in the files. Raises `UsageError` if the search or its Kernel
        cannot be saved.
        """
        if not isinstance(search, Search) or kernel.digest is None:
            raise UsageError("{}: this search cannot be saved", options=[Option("checkpoint")])
        self._search, self._kernel, self._observer, self._stages = search, kernel, observer, tuple(stages)
        self._settle, self._identity = settle, _identity(search, kernel)

    def take_over(self) -> list[Stop]:
        """Restore the attached search and its observer, which have not started yet, from the recalled checkpoint.

        Returns the states at which the search had stopped before it was saved; none if there is no checkpoint.
        """
        facts, kernel = self._facts, self._kernel
        if facts is None:
            return []
        kept = self._place.load(facts, self._identity)
        restore_search(self._search, kept.of("search"))
        if isinstance(self._observer, SavedObserver):
            self._observer.restore(kept.of("observer"))
        if kernel.coverage_bits is not None:
            kernel.coverage_bits[:] = np.frombuffer(bytes.fromhex(facts["marks"]), dtype=np.uint8)
        self.seconds_before = facts["seconds"]
        self._callback.stage(f"resumed after {facts['visited']:,} visited states")
        self._stops = [Stop(*stop) for stop in facts["stops"]]
        return list(self._stops)

    def note_paths(self, path_to: Callable[[int], tuple[int, Sequence[int]]]) -> None:
        """Replace the record numbers in the noted stops by paths.

        It is called before another search begins, whose parent log has other record numbers.
        """
        self._stops = [
            stop if stop.path is not None else stop._replace(path=path_to(stop.record)) for stop in self._stops
        ]

    def release(self, path: Path, removed: Callable[[], None]) -> None:
        """Remove a file once no checkpoint needs it, as `SearchCheckpoints.release` does."""
        self._place.release(path, removed)

    def note_stop(self, stop: Stop) -> None:
        """Note a state at which the search stopped, to be saved in the next checkpoint."""
        self._stops.append(stop)

    def note_beyond(self) -> None:
        """Note that the search has reported an accepting SCC, which checkpoints do not contain.

        No more checkpoints are written; a resumed run finds the SCC again.
        """
        self._beyond = True

    def look(self, seconds: float, *, ends: bool) -> None:
        """Write a checkpoint if one is due, if the search `ends`, or if a signal is pending, which is then delivered.

        Called at a pause of the search, after the given number of seconds.
        """
        interrupted = self.signals.is_pending
        if (interrupted or ends or self._place.due) and self._search.settled and not self._beyond:
            try:
                self._settle()
                self._place.save(self._save(), self._describe(seconds))
            except ResourceError as error:
                self._callback.stage(f"no checkpoint could be written: {error}")
        if interrupted:
            self.signals.act()

    def _save(self) -> SavedState:
        own = save_search(self._search)
        if isinstance(self._observer, SavedObserver):
            return combine(search=own, observer=self._observer.save_state())
        return combine(search=own)

    def _describe(self, seconds: float) -> dict[str, Any]:
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
    """Return the identity of a search that has not started yet: the digest of its Kernel and its settings.

    A checkpoint can be restored into a search of the same identity only.
    """
    known = save_search(search) if search.settled else None
    return {
        "kernel": kernel.digest,
        "search": type(search).__name__,
        "numbers": {} if known is None else {name: _plain(number) for name, number in sorted(known.numbers.items())},
        "records": {}
        if known is None
        else {name: array.tolist() for name, array in sorted(known.arrays.items()) if 0 < len(array) < _SMALL},
    }


_SMALL = 64
"""Arrays of fewer elements are compared by their contents in the identity of a search."""


def _plain(number: Any) -> Any:
    """Convert a number or tuple to the form in which JSON returns it."""
    return list(number) if isinstance(number, tuple) else number
