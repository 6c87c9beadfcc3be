"""Searches for accepting cycles: nested depth-first search, and by strongly connected components.

    search = NestedSearch(kernel, accepting=1 << ACCEPTING_BIT, log=sink)
    while search.advance() is Event.PAUSED: ...

After `Event.CYCLE`, `search.cycle` is the record of a state, whose path from an initial state the parent log knows, and
the steps of a loop from that state back to it that meets every acceptance set. A state belongs to the acceptance sets
whose bits are in its label mask.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from strandline.compile.kernel import Kernel
from strandline.engine import registers as r
from strandline.engine import sizes
from strandline.engine.base import BaseSearch, Event, Sink
from strandline.engine.loops import LoopBuilder, Region, State
from strandline.engine.memory import WordArray, Words
from strandline.errors import InternalError

_STEP_MASK = (1 << r.STEP_BITS) - 1


@dataclass(frozen=True, slots=True)
class Cycle:
    """An accepting cycle: the record of its first state and the steps that lead from there back to it."""

    record: int
    steps: tuple[int, ...]


class CycleSearch(BaseSearch):
    """A search that ends with `Event.CYCLE` or, where there is no accepting cycle, with `Event.DONE`."""

    def __init__(
        self,
        kernel: Kernel,
        *,
        accepting: int,
        log: Sink,
        memory_limit: int | None = None,
        max_states: int | None = None,
    ) -> None:
        self.accepting = accepting
        self._cycle: Cycle | None = None
        self._loop: LoopBuilder | None = None
        self._width: tuple[int, ...] | int = (0, 0) if kernel.words == 2 else kernel.words
        super().__init__(kernel, log=log, memory_limit=memory_limit, max_states=max_states)
        self.regs[r.ACCEPTING] = np.uint64(accepting)

    @property
    def cycle(self) -> Cycle:
        """After `Event.CYCLE`."""
        if self._cycle is None:
            raise InternalError("no cycle was found yet")
        return self._cycle

    @property
    def loop_visits(self) -> int:
        """Expansions that were needed to make a trace of the cycle that was found."""
        return 0 if self._loop is None else self._loop.visited

    def advance(self, seconds: float = 0.05) -> Event:
        if self._loop is None:
            event = super().advance(seconds)
            if event is not Event.CYCLE:
                return event
            self._loop = self._begin_loop()
            if self._loop is None:
                return Event.CYCLE
        event = self._loop.advance(seconds)
        if event is Event.CYCLE:
            self._cycle = Cycle(self._loop_record(), self._loop.steps)
        return event

    def _begin_loop(self) -> LoopBuilder | None:
        """After a kernel's CYCLE: set `_cycle` and answer None, or answer the search for the loop."""
        raise NotImplementedError

    def _loop_record(self) -> int:
        """The record of the state where the loop begins."""
        return int(self.regs[r.CYCLE_RECORD])


class DepthFirstCycleSearch(CycleSearch):
    """What the two depth-first methods share: the stack."""

    def _allocate(self) -> None:
        super()._allocate()
        self._stack = Words(sizes.STACK, large=True)

    def _start(self) -> None:
        kernel = self.kernel
        count, width = len(kernel.initial), kernel.words + 1
        self._stack.grow(count * width)
        stack = self._stack.array[: count * width].reshape(count, width)
        stack[:, : kernel.words] = kernel.initial[::-1]
        stack[:, kernel.words] = self._initial_links()[::-1]
        self.regs[r.STACK_COUNT] = count

    def _growing(self) -> list[tuple[int, Words, float]]:
        return [*super()._growing(), (r.WANT_STACK, self._stack, 1.5)]

    def _extra_words(self) -> int:
        return len(self._stack)

    def close(self) -> None:
        super().close()
        self._stack.close()


class NestedSearch(DepthFirstCycleSearch):
    """See `strandline.engine.nested`. One acceptance set."""

    def _allocate(self) -> None:
        super()._allocate()
        self._path = Words(sizes.STACK, large=True)

    def _run(self, budget: np.uint64) -> int:
        from strandline.engine.nested import nested

        return int(
            nested(
                np.uint64(self.kernel.successors), self._width, np.uint64(self.kernel.stride), budget, self.regs,
                self._buckets.array, self._stack.array, self._path.array, self._records, self._index.array,
                self._store.array, self._log_buffer, self._labels, self._scratch,
            )
        )  # fmt: skip

    def _growing(self) -> list[tuple[int, Words, float]]:
        return [*super()._growing(), (r.WANT_PATH, self._path, 1.5)]

    def _extra_words(self) -> int:
        return super()._extra_words() + len(self._path)

    def _begin_loop(self) -> None:
        """The loop is the path from the state met again to its end, and the edge that met it."""
        regs = self.regs
        record, red = int(regs[r.CYCLE_RECORD]), int(regs[r.RED_BASE])
        path = [int(entry) for entry in self._path.array[: 2 * int(regs[r.PATH_COUNT]) : 2]]
        first = next(place for place, entry in enumerate(path) if entry >> r.STEP_BITS == record)
        # The root of the second search stands twice on the path: once as its end, once as its beginning.
        inner = [entry for place, entry in enumerate(path) if place > first and (place != red or red == 0)]
        last = int(regs[r.CYCLE_LINK])
        self._cycle = Cycle(record, tuple(entry & _STEP_MASK for entry in (*inner, last)))

    def close(self) -> None:
        super().close()
        self._path.close()


class ComponentSearch(DepthFirstCycleSearch):
    """See `strandline.engine.components`. Any number of acceptance sets, one bit of `accepting` each. With
    `whole`, every accepting component is an `Event.CYCLE` of its own, when it is finished, and `go_on`
    looks for the next."""

    def __init__(
        self,
        kernel: Kernel,
        *,
        accepting: int,
        log: Sink,
        memory_limit: int | None = None,
        max_states: int | None = None,
        whole: bool = False,
    ) -> None:
        super().__init__(kernel, accepting=accepting, log=log, memory_limit=memory_limit, max_states=max_states)
        self.regs[r.WHOLE_COMPONENTS] = whole

    def _allocate(self) -> None:
        super()._allocate()
        self._roots, self._active = Words(sizes.STACK, large=True), Words(sizes.STACK, large=True)

    def _run(self, budget: np.uint64) -> int:
        from strandline.engine.components import components

        return int(
            components(
                np.uint64(self.kernel.successors), self._width, np.uint64(self.kernel.stride), budget, self.regs,
                self._buckets.array, self._stack.array, self._roots.array, self._active.array, self._records,
                self._index.array, self._store.array, self._log_buffer, self._labels, self._scratch,
            )
        )  # fmt: skip

    def _growing(self) -> list[tuple[int, Words, float]]:
        own = [(r.WANT_ROOTS, self._roots, 1.5), (r.WANT_ACTIVE, self._active, 1.5)]
        return [*super()._growing(), *own]

    def _extra_words(self) -> int:
        return super()._extra_words() + len(self._roots) + len(self._active)

    def _begin_loop(self) -> LoopBuilder:
        parts = (self._buckets.array, self._index.array, self._store.array, self.regs[r.CYCLE_ROOT])
        start = self._state(int(self.regs[r.CYCLE_RECORD]))
        return LoopBuilder(
            self.kernel, start, self.accepting, Region(component=parts), memory_limit=self.memory_limit
        )

    def _state(self, record: int) -> State:
        entry = self.kernel.words + 1
        at = int(self._buckets.array[r.LIVE + r.ARENA]) + record * entry
        return tuple(int(word) for word in self._store.array[at : at + self.kernel.words])

    @property
    def component_size(self) -> int:
        """After a cycle with `whole`: how many states the component has."""
        return int(self.regs[r.CYCLE_LINK])

    def component_states(self) -> WordArray:
        """After a cycle with `whole`: the states of the component, one per row."""
        last = int(self.regs[r.ACTIVE_COUNT])
        records = self._active.array[last - self.component_size : last]
        arena, entry = int(self._buckets.array[r.LIVE + r.ARENA]), self.kernel.words + 1
        at = np.uint64(arena) + records[:, None] * np.uint64(entry) + np.arange(self.kernel.words, dtype=np.uint64)
        states: WordArray = self._store.array[at]
        return states

    def go_on(self) -> None:
        """After a cycle with `whole`: look for the next component."""
        self._cycle = self._loop = None

    def close(self) -> None:
        super().close()
        self._roots.close()
        self._active.close()
