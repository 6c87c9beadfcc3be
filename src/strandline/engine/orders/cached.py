"""Depth-first search with a bounded cache instead of a store of all states.

It terminates whatever the size, but a small cache may cost many visits. It needs no parent log while it runs: the path
to the present state is the stack. Only the path to a state that was found is logged, one record per state.
"""

from __future__ import annotations

from dataclasses import replace
from enum import Enum
from typing import Unpack

import numpy as np

from strandline.compile.kernel import Kernel
from strandline.engine.parts.expansion import width_of
from strandline.engine.parts.part import GrowingPart
from strandline.engine.parts.stack import StackPart
from strandline.engine.runtime import codes, sizes
from strandline.engine.runtime.memory import WordArray
from strandline.engine.runtime.records import CACHE, record
from strandline.engine.search import Search, SearchArguments, Statistics
from strandline.engine.store.parts import TablePart
from strandline.errors import InternalError

_MOST_STATES = 3_000_000_000
"""Most states that one table holds; a larger cache is never full."""


class CacheRule(Enum):
    """The eviction rule: which cached state makes room for one that leaves the path.

    The kernel gets the index of the rule in this order.
    """

    RANDOM = "random"
    OLDEST = "oldest"
    """The state that left the path first."""
    NEWEST = "newest"
    """The state that left the path last."""
    DEEPEST = "deepest"
    """A state that stood deepest on the path."""
    COLLISION = "collision"
    """The state whose hash has the same slot."""


class CachedSearch(Search):
    """Depth-first search with a cache of `states` states off the path.

    With `max_states` it ends before more expansions than that.
    """

    loop = "orders.cached_kernel.cached"
    limits = (*Search.limits, "_max_visits")

    def __init__(
        self, kernel: Kernel, *, states: int, rule: CacheRule = CacheRule.RANDOM, **terms: Unpack[SearchArguments]
    ) -> None:
        if kernel.measured:
            raise InternalError("a depth-first search needs a kernel without a measure")
        states = min(states, _MOST_STATES)
        self._max_visits = terms.pop("max_states", None)
        self._logged = (-1, 0)
        self._cache = record(CACHE, states=states, rule=list(CacheRule).index(rule))
        places = {CacheRule.COLLISION: states, CacheRule.RANDOM: min(states, sizes.CACHE)}.get(rule, 1)
        self._table, self._stack = TablePart(width_of(kernel), extra=1, numbered=True), StackPart()
        self._path = GrowingPart(2 * sizes.PATH, self._cache, "wanted_path")
        self._places = GrowingPart(max(1, places), self._cache, "wanted_cache")
        super().__init__(kernel, self._table, self._stack, self._path, self._places, **terms)
        self._stack.start(kernel)

    def run(self, budget: np.uint64) -> int:
        from strandline.engine.orders.cached_kernel import Cached, cached

        left = self._visits_left()
        search = Cached(
            self.expansion.expansion(),
            self._table.store(),
            self._stack.stack(),
            self.journal.journal(),
            self._path.array,
            self._places.array,
            self._cache,
        )
        code = int(cached(search, min(budget, np.uint64(left))))
        self._table.note_used(int(self._cache.places))
        if code in (codes.FOUND, codes.FAULT):
            self._log_path()
        return codes.LIMIT if code == codes.BUDGET and left == 0 else code

    def _visits_left(self) -> int:
        """Return the number of expansions that the limit on states still allows."""
        if self._max_visits is None:
            return 1 << 60
        return max(0, self._max_visits - int(self.journal.counts.visited))

    def _log_path(self) -> None:
        """Append the path to the state that is about to be expanded to the log, unless that was done already."""
        visited = int(self.journal.counts.visited)
        if self._logged[0] != visited:
            depth = int(self._cache.path)
            first = int(self.journal.counts.recorded)
            links: WordArray = np.empty(depth + 1, dtype=np.uint64)
            links[:depth] = self._path.array[: 2 * depth : 2]
            links[depth] = self._stack.top.link
            links &= np.uint64(codes.STEP_MASK)
            parents = np.arange(first - 1, first + depth, dtype=np.int64)
            parents[0] = codes.ROOT
            last = self.journal.append(links | (parents.astype(np.uint64) << np.uint64(codes.STEP_BITS)))
            self._logged = (visited, last)
        self.expansion.answer.record = self._logged[1]

    def statistics(self) -> Statistics:
        known, replaced = super().statistics(), int(self._cache.replaced)
        recorded = known.visited + int(self._stack.top.unexpanded != 0)
        counters = {**known.counters, "replaced": replaced}
        return replace(known, recorded=recorded, exact=replaced == 0, counters=counters)
