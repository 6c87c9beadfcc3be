"""The base class of searches for accepting cycles.

    search = NestedSearch(kernel, accepting=1 << ACCEPTING_BIT, log=sink)
    while search.advance() is Event.PAUSED: ...

After `Event.CYCLE`, `search.cycle` has the record of a state, whose path from an initial state is in the parent log,
and the steps of a loop from that state back to it that visits every acceptance set. A state belongs to the acceptance
sets whose bits are in its label mask.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Unpack

from strandline.compile.kernel import Kernel
from strandline.engine.cycles.cycle_extraction import LoopSearch
from strandline.engine.parts.part import Part
from strandline.engine.search import Event, Search, SearchArguments
from strandline.errors import InternalError


@dataclass(frozen=True, slots=True)
class Cycle:
    """An accepting cycle: the record of its first state and the steps that lead from there back to it."""

    record: int
    steps: tuple[int, ...]


class CycleSearch(Search):
    """A search that ends with `Event.CYCLE` or, if there is no accepting cycle, with `Event.DONE`."""

    cycle_kind: str = ""
    """After `Event.CYCLE` of a sweep: "S" for a cycle inside a single layer, "M" for one over multiple layers."""

    def __init__(self, kernel: Kernel, *parts: Part, accepting: int, **terms: Unpack[SearchArguments]) -> None:
        self.accepting = accepting
        self._cycle: Cycle | None = None
        self._loop: LoopSearch | None = None
        super().__init__(kernel, *parts, **terms)

    @property
    def settled(self) -> bool:
        """True unless the loop of a cycle is being searched for or was found."""
        return self._loop is None and self._cycle is None

    @abstractmethod
    def begin_loop(self) -> Cycle | LoopSearch | None:
        """Return the cycle, or the search for its loop, after a kernel's CYCLE.

        Returns None if a subclass needs another search for it.
        """

    @abstractmethod
    def cycle_record(self) -> int:
        """Return the record of the state where the loop begins, after a kernel's CYCLE."""

    @property
    def cycle(self) -> Cycle:
        """The cycle, after `Event.CYCLE`."""
        if self._cycle is None:
            raise InternalError("no cycle was found yet")
        return self._cycle

    def advance(self, seconds: float = 0.05) -> Event:
        if self._loop is None:
            event = super().advance(seconds)
            if event is not Event.CYCLE:
                return event
            begun = self.begin_loop()
            if not isinstance(begun, LoopSearch):
                self._cycle = begun
                return Event.CYCLE
            self._loop = begun
        if self.engine_bytes is not None:
            # The states of the search itself stay in memory.
            self._loop.engine_bytes = max(0, self.engine_bytes - self.current_bytes())
        event = self._loop.advance(seconds)
        if event is Event.CYCLE:
            self._cycle = Cycle(self.cycle_record(), self._loop.steps)
        return event
