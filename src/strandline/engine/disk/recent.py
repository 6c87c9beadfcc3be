"""The cache of recent states: successors reached shortly before need not be queued again."""

from __future__ import annotations

from strandline.engine.runtime.memory import WordArray, aligned_zeros

_LEAST, _LEAST_SHRUNK = 1 << 6, 1 << 14
_WORTH_CLEARING = 8
"""Words of the cache per transition since the last clearing that are worth their clearing time."""


class RecentStates:
    """The array of the cache, at most `most` words.

    The cache is cleared again and again, which must not cost more than it saves: so its size grows with the number of
    transitions since the last clearing.
    """

    def __init__(self, words: int, most: int) -> None:
        # Lines of the processor's cache, or of a state where that is longer.
        self._least_key = max(_LEAST, words)
        self._whole = aligned_zeros(max(self._least_key, most))
        self.array: WordArray = self._whole
        self._before = 0

    def shrink(self) -> bool:
        """Halve the cache and empty it; return False if it is too small for that."""
        size = len(self._whole) // 2
        if size < _LEAST_SHRUNK:
            return False
        self._whole = aligned_zeros(size)
        self.array = self._whole
        return True

    def clear(self, transitions: int) -> None:
        """Empty the cache; `transitions` is the present number of transitions."""
        worth = max(self._least_key, _WORTH_CLEARING * (transitions - self._before))
        self.array[:] = 0
        self.array = self._whole[:worth]
        self._before = transitions
