"""States met a moment ago, which need not wait for their layer again."""

from __future__ import annotations

from strandline.engine.runtime.memory import WordArray, aligned_zeros

_LEAST, _LEAST_SHRUNK = 1 << 6, 1 << 14
_WORTH_CLEARING = 8
"""Words that may be cleared for each step since they were cleared last."""


class RecentStates:
    """An array of at most so many words in which kernels remember states. It is as large as is worth clearing for
    sweeps of the length of the last one."""

    def __init__(self, words: int, most: int) -> None:
        # Lines of the processor's cache, or of a state where that is longer.
        self._least = max(_LEAST, words)
        self._whole = aligned_zeros(max(self._least, most))
        self.array: WordArray = self._whole
        self._before = 0

    def shrink(self) -> bool:
        """Have half as many words, and forget all; whether there were enough for that."""
        size = len(self._whole) // 2
        if size < _LEAST_SHRUNK:
            return False
        self._whole = aligned_zeros(size)
        self.array = self._whole
        return True

    def clear(self, transitions: int) -> None:
        """Forget all; so many steps were taken by now."""
        worth = max(self._least, _WORTH_CLEARING * (transitions - self._before))
        self.array[:] = 0
        self.array = self._whole[:worth]
        self._before = transitions
