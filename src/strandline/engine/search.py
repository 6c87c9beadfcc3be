"""The search through all reachable states: breadth-first, depth-first, or least progress first.

    search = Search(kernel, Order.BREADTH_FIRST, log=sink)
    while search.advance() is Event.PAUSED: ...

The loops are compiled once per machine and width of states; the first search ever takes some seconds for that.
"""

from __future__ import annotations

from enum import Enum

import numpy as np

from strandline.compile.kernel import Kernel
from strandline.engine import registers as r
from strandline.engine import sizes
from strandline.engine.base import BaseSearch, Event, Sink, Statistics
from strandline.engine.memory import Words
from strandline.engine.notes import Notes
from strandline.engine.profile import LayerFigures, level_layers
from strandline.errors import InternalError

__all__ = ["Event", "Order", "Search", "Sink", "Statistics"]

_WORTH_RELEASING = 1 << 18
"""Words of expanded states that are given back at once: two megabytes."""


class Order(Enum):
    """In which order states are expanded."""

    BREADTH_FIRST = "bfs"
    DEPTH_FIRST = "dfs"
    SWEEP = "sweep"


class Search(BaseSearch):
    """One exploration of a Kernel; see `BaseSearch` for the sinks."""

    def __init__(
        self,
        kernel: Kernel,
        order: Order,
        *,
        log: Sink,
        seen: Sink | None = None,
        stop_mask: int = 0,
        memory_limit: int | None = None,
        max_states: int | None = None,
    ) -> None:
        if (order is Order.SWEEP) != kernel.measured:
            raise InternalError("a sweep needs a measured kernel, other orders one without a measure")
        self.order = order
        self._width: tuple[int, ...] | int = (0,) * kernel.words if kernel.words <= 2 else kernel.words
        self._measured: tuple[int, ...] | None = (0,) * (kernel.stride - kernel.words) or None
        self._released = 0
        super().__init__(
            kernel, log=log, seen=seen, stop_mask=stop_mask, memory_limit=memory_limit, max_states=max_states
        )

    def _allocate(self) -> None:
        super()._allocate()
        self._levels = Words(sizes.LEVELS if self.order is Order.BREADTH_FIRST else 1)
        depth_first = self.order is Order.DEPTH_FIRST
        self._stack = Words(sizes.STACK if depth_first else 1, large=depth_first)
        self._notes = Notes(self.regs, self.kernel.words, measured=self.kernel.measured)

    def _start(self) -> None:
        kernel, regs = self.kernel, self.regs
        count = len(kernel.initial)
        links = self._initial_links()
        if self.order is Order.DEPTH_FIRST:
            self._stack.grow(count * (kernel.words + 1))
            stack = self._stack.array[: count * (kernel.words + 1)].reshape(count, kernel.words + 1)
            stack[:, : kernel.words] = kernel.initial[::-1]
            stack[:, kernel.words] = links[::-1]
            regs[r.STACK_COUNT] = count
            return
        records = self._records[: count * kernel.stride].reshape(count, kernel.stride)
        records[:, : kernel.words] = kernel.initial
        if kernel.measured:
            records[:, kernel.words : kernel.words + 2] = kernel.initial_progress.view(np.uint64)
        self._links[:count] = links
        from strandline.engine.explore import seed

        seed(
            self._width, self._measured, np.uint64(count), regs, self._buckets.array, self._places,
            self._records, self._links, self._hashes, self._targets, self._index.array,
        )  # fmt: skip

    def _run(self, budget: np.uint64) -> int:
        kernel = self.kernel
        function = np.uint64(kernel.successors)
        if self.order is Order.DEPTH_FIRST:
            from strandline.engine.depth_first import depth_first

            return int(
                depth_first(
                    function, self._width, budget, self.regs, self._buckets.array, self._stack.array,
                    self._records, self._index.array, self._store.array, self._log_buffer, self._seen, self._labels,
                    self._scratch,
                )
            )  # fmt: skip
        from strandline.engine.explore import explore

        return int(
            explore(
                function, self._width, self._measured, budget, self.regs, self._buckets.array, self._places,
                self._heap.array, self._pending.array, self._keepers.array, self._levels.array, self._records,
                self._links, self._hashes, self._targets, self._index.array, self._store.array, self._log_buffer,
                self._seen, self._labels, self._notes.profile, self._notes.sample, self._scratch,
            )
        )  # fmt: skip

    def _growing(self) -> list[tuple[int, Words, float]]:
        return [*super()._growing(), (r.WANT_STACK, self._stack, 1.5), (r.WANT_LEVELS, self._levels, 2.0)]

    def _extra_words(self) -> int:
        return len(self._stack) + len(self._levels) + len(self._notes) - self._released

    def _release(self) -> None:
        """Breadth-first, states of one word are in the table itself: the arena is only the queue, and what was
        expanded can go."""
        if self.order is Order.BREADTH_FIRST and self.kernel.words == 1:
            head = int(self._buckets.array[r.LIVE + r.HEAD])
            if head - self._released > _WORTH_RELEASING:
                self._released = self._store.release(self._released, head)
        super()._release()

    @property
    def level_sizes(self) -> list[int]:
        """Breadth-first: how many states were found at each distance from the initial states."""
        return [int(size) for size in self._levels.array[: int(self.regs[r.LEVELS])]]

    def profile(self) -> tuple[LayerFigures, ...]:
        """What the search did, layer by layer, in increasing order; breadth-first, the layers are the distances from
        the initial states. A depth-first search has none."""
        regs = self.regs
        if self.order is Order.BREADTH_FIRST:
            return level_layers(self._levels.array[: int(regs[r.LEVELS])], int(regs[r.VISITED]), sizes.PROFILE_CELLS)
        return self._notes.layers(self.line, self._buckets.array)

    @property
    def sampled_regress_edges(self) -> list[tuple[tuple[int, ...], int]]:
        return self._notes.regress_edges()

    def close(self) -> None:
        super().close()
        self._levels.close()
        self._stack.close()
