"""Depth-first search with a cache of bounded size, instead of a store of all states.

    search = CachingSearch(kernel, states=100_000, rule=CacheRule.RANDOM, log=sink)
    while search.advance() is Event.PAUSED: ...

It ends whatever the size, but a small cache may cost many visits. The parent log is not needed on the way: the path to
the present state is the stack. Only what is found is logged, one record for each state on its path.
"""

from __future__ import annotations

from dataclasses import replace
from enum import Enum

import numpy as np

from strandline.compile.kernel import Kernel
from strandline.engine import registers as r
from strandline.engine import sizes
from strandline.engine.base import BaseSearch, Sink, Statistics
from strandline.engine.memory import WordArray, Words
from strandline.errors import InternalError

_MOST_STATES = 3_000_000_000
"""As many as one table holds; a larger cache is never full."""
_STEP_MASK = (1 << r.STEP_BITS) - 1


class CacheRule(Enum):
    """Which cached state makes room for one that has just left the path."""

    RANDOM = "random"
    OLDEST = "oldest"
    """The one that left the path first."""
    NEWEST = "newest"
    """The one that left the path last."""
    DEEPEST = "deepest"
    """One of those that stood deepest on the path."""
    COLLISION = "collision"
    """The one whose hash leads to the same place."""


_CODES = {
    CacheRule.RANDOM: r.RANDOM,
    CacheRule.OLDEST: r.OLDEST,
    CacheRule.NEWEST: r.NEWEST,
    CacheRule.DEEPEST: r.DEEPEST,
    CacheRule.COLLISION: r.COLLISION,
}


class CachingSearch(BaseSearch):
    """See the module's docstring; `states` bounds how many states off the path are remembered. With `max_states` it
    ends before more expansions than that."""

    def __init__(
        self,
        kernel: Kernel,
        *,
        states: int,
        rule: CacheRule = CacheRule.RANDOM,
        log: Sink,
        seen: Sink | None = None,
        stop_mask: int = 0,
        memory_limit: int | None = None,
        max_states: int | None = None,
    ) -> None:
        if kernel.measured:
            raise InternalError("a depth-first search needs a kernel without a measure")
        self.states, self.rule = min(states, _MOST_STATES), rule
        self._width: tuple[int, ...] | int = (0, 0) if kernel.words == 2 else kernel.words
        self._logged = (-1, 0)
        super().__init__(
            kernel, log=log, seen=seen, stop_mask=stop_mask, memory_limit=memory_limit, max_states=max_states
        )
        self.regs[r.CACHE_STATES] = self.states
        self.regs[r.CACHE_RULE] = _CODES[rule]

    def _allocate(self) -> None:
        super()._allocate()
        self._stack, self._path = Words(sizes.STACK, large=True), Words(2 * sizes.PATH, large=True)
        places = {CacheRule.COLLISION: self.states, CacheRule.RANDOM: min(self.states, sizes.CACHE)}
        self._cache = Words(max(1, places.get(self.rule, 1)), large=True)

    def _start(self) -> None:
        kernel = self.kernel
        count, width = len(kernel.initial), kernel.words + 1
        self._stack.grow(count * width)
        stack = self._stack.array[: count * width].reshape(count, width)
        stack[:, : kernel.words] = kernel.initial[::-1]
        stack[:, kernel.words] = self._initial_links()[::-1]
        self.regs[r.STACK_COUNT] = count

    def _run(self, budget: np.uint64) -> int:
        from strandline.engine.caching import caching

        left = self._log_room()
        code = int(
            caching(
                np.uint64(self.kernel.successors), self._width, min(budget, np.uint64(left)), self.regs,
                self._buckets.array, self._stack.array, self._path.array, self._cache.array, self._records,
                self._index.array, self._store.array, self._seen, self._labels, self._scratch,
            )
        )  # fmt: skip
        if code in (r.FOUND, r.FAULT):
            self._log_path()
        return r.FLUSH if code == r.BUDGET and left == 0 else code

    def _log_room(self) -> int:
        """How many expansions the limit of states still allows."""
        if self._max_states is None:
            return 1 << 60
        return max(0, self._max_states - int(self.regs[r.VISITED]))

    def _log_path(self) -> None:
        """Append the path to the state that is about to be expanded to the log, unless it was done already."""
        visited = int(self.regs[r.VISITED])
        if self._logged[0] != visited:
            depth = int(self.regs[r.PATH_COUNT])
            first = int(self.regs[r.LOG_TOTAL])
            links: WordArray = np.empty(depth + 1, dtype=np.uint64)
            links[:depth] = self._path.array[: 2 * depth : 2]
            links[depth] = self.regs[r.ENTERED_LINK]
            links &= np.uint64(_STEP_MASK)
            parents = np.arange(first - 1, first + depth, dtype=np.int64)
            parents[0] = r.ROOT
            self._log_sink(links | (parents.astype(np.uint64) << np.uint64(r.STEP_BITS)))
            self.regs[r.LOG_TOTAL] += np.uint64(depth + 1)
            self._logged = (visited, first + depth)
        self.regs[r.FOUND_RECORD] = self._logged[1]

    def _growing(self) -> list[tuple[int, Words, float]]:
        more = [(r.WANT_STACK, self._stack), (r.WANT_PATH, self._path), (r.WANT_CACHE, self._cache)]
        return [*super()._growing(), *((register, words, 1.5) for register, words in more)]

    def _extra_words(self) -> int:
        return len(self._stack) + len(self._path) + len(self._cache)

    @property
    def replaced(self) -> int:
        """How many cached states had to make room; where none had to, no state was visited twice."""
        return int(self.regs[r.REPLACED])

    def statistics(self) -> Statistics:
        recorded = int(self.regs[r.VISITED]) + int(self.regs[r.UNEXPANDED] != 0)
        return replace(super().statistics(), recorded=recorded, exact=self.replaced == 0)

    def close(self) -> None:
        super().close()
        for words in (self._stack, self._path, self._cache):
            words.close()
