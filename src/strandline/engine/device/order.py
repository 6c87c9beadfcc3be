"""The order of expansion on a device: by distance, or by progress.

An order runs the next piece of work and handles its end. It is independent of clocks, labels and events.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from strandline.engine.device.layout import NONE, STOP_CAPACITY, STOP_FULL, STOP_STRICT
from strandline.engine.device.store import DeviceStore
from strandline.errors import ResourceError

NO_ROOM = "the memory of the device is used up"
_SMALL = 1 << 18
"""Size of the frontier up to which it is expanded regardless of layers, because the order would save nothing."""
_PASSED = 1 << 16
"""Most positions of the line that are recorded for tracing."""


class NoRoom(ResourceError):
    """Raised when the device's memory is used up."""


@dataclass(slots=True)
class Work:
    """A range of positions in the log, or in a list at an address."""

    cursor: int
    to: int
    listed: int = 0


@dataclass(frozen=True, slots=True)
class Passed:
    """A position that the line has passed: key, sweep, expanded states so far, and the peak of live states."""

    key: int
    sweep: int
    expanded: int
    peak: int


class Order(Protocol):
    """The interface of an order."""

    def advance(self, nanoseconds: int) -> bool:
        """Expand for about `nanoseconds`, or one piece of work; return False if nothing is left."""
        ...


class Levels(Order):
    """Breadth-first: a round is a level. `ends` are the positions in the log at which levels end."""

    def __init__(self, store: DeviceStore) -> None:
        self.store = store
        self.ends: list[int] = [int(store.tally.head)]
        self._works = [Work(0, int(store.tally.head))]

    def advance(self, nanoseconds: int) -> bool:
        if not self._works:
            return False
        work, store = self._works[-1], self.store
        ends = store.expand(work.cursor, work.to, nanoseconds, listed=work.listed, most_in_round=NONE)
        work.cursor, work.to = int(store.tally.cursor), int(store.tally.to)
        if not work.listed:
            self._note([*ends, work.to])
        if store.tally.stop:
            self._handle_stop(int(store.tally.stop))
        else:
            self._finish(work)
        return bool(self._works)

    def _note(self, ends: Sequence[int]) -> None:
        self.ends += [end for number, end in enumerate(ends) if end > self.ends[-1] and end not in ends[:number]]

    def _finish(self, work: Work) -> None:
        """Note that a piece of work is done: free its list of states or, if it was a level, add the next level."""
        self._works.pop()
        if work.listed:
            self.store.device.release(work.listed)
            return
        head = int(self.store.tally.head)
        if head > work.to:
            self._note([head])
            self._works.append(Work(work.to, head))

    def _handle_stop(self, stop: int) -> None:
        """Handle a round that the kernels stopped early: queue the states to expand again, and make room."""
        store = self.store
        numbers = store.repeated_numbers()
        if len(numbers):
            listed = store.device.allocate(numbers.nbytes)
            store.device.write(listed, numbers)
            self._works.append(Work(0, len(numbers), listed))
        if stop == STOP_CAPACITY:
            store.require_successors(int(store.tally.wanted))
        elif stop == STOP_FULL and not store.at_limit and not store.make_room():
            raise NoRoom(NO_ROOM)


class Layers(Order):
    """A sweep: the least layer first. States behind the line are deleted when room is needed.

    The order affects nothing but the number of live states. So small frontiers are expanded together, round by round,
    regardless of layers.
    """

    def __init__(self, store: DeviceStore, layers: int, beam: Callable[[int], int] | None = None) -> None:
        """Begin a sweep.

        `beam` returns the largest frontier allowed when the line is at a key; a larger one is sampled down.
        """
        self.store = store
        self.line = 0
        self._beam = beam
        self.sweeps = 1
        self.passed: list[Passed] = []
        """Positions of the line, in the order of time; every second is dropped if there are too many."""
        self.moves = 0
        self.persistent = 0
        self.peak = 0
        """Most states at the line or ahead of it, or persistent, at a time."""
        self._layers = layers
        self._waiting_from = 0
        self._line_from = 0
        self._work: Work | None = None
        self._together = self._moved = False

    def advance(self, nanoseconds: int) -> bool:
        work, self._work = self._work or self._next(), None
        if work is None:
            return False
        store = self.store
        alone = {"most_in_round": 0} if not self._together else {"most_in_round": _SMALL}
        store.expand(work.cursor, work.to, nanoseconds, listed=work.listed, **alone)
        self.peak = max(self.peak, int(store.tally.head) - self._line_from + self.persistent)
        if store.tally.stop:
            self._handle_stop(int(store.tally.stop), work)
        return True

    def _handle_stop(self, stop: int, work: Work) -> None:
        """Handle a round that the kernels stopped early; the next scan of the log finds the unexpanded states again."""
        store = self.store
        if stop == STOP_CAPACITY:
            store.require_successors(int(store.tally.wanted))
        elif stop == STOP_STRICT:
            store.loose = True
            self._make_room()
        elif stop == STOP_FULL and not store.at_limit:
            self._make_room()
        else:
            self._work = Work(int(store.tally.cursor), int(store.tally.to), work.listed)

    def _make_room(self) -> None:
        column = self.line - self.line % self._layers
        if not self.store.make_room(self.line, column, strict=not self._together):
            raise NoRoom(NO_ROOM)
        self._waiting_from = self._line_from = self.store.tail

    def _next(self) -> Work | None:
        """Move the line and return the next piece of work; None if nothing is left."""
        store = self.store
        store.run("survey", self._waiting_from)
        tally = store.tally
        waiting, least, greatest, first = (int(tally[name]) for name in ("count", "least", "greatest", "first"))
        if tally.deferred and (not waiting or least // self._layers > self.line // self._layers):
            self._begin_sweep()
            return self._next()
        if not waiting:
            return None
        self._waiting_from = first
        self._move(least)
        if self._beam is not None and waiting > (width := self._beam(least)):
            store.thin(width / waiting, first)
            return self._next()
        self._together = waiting <= _SMALL
        if self._together and store.plan.strict:
            # States of other layers must find this layer in the table.
            self._make_room()
            return self._next()
        if least == greatest and not self._together and self._moved and store.crowded and not store.loose:
            # The frontier is a single layer, which need not be in the table: rebuild it nearly empty.
            self._moved = False
            self._make_room()
            return self._next()
        head = int(tally.head)
        if (self._together or least == greatest) and waiting * 4 > head - first:
            return Work(first, head)
        listed, count = store.list_up_to(greatest if self._together else least, first)
        return Work(0, count, listed)

    def _move(self, line: int) -> None:
        if line == self.line and self.moves:
            return
        self.line, self._moved = line, True
        self.moves += 1
        self.store.plan.strict = 0
        self._line_from = self._waiting_from
        self.passed.append(Passed(line, self.sweeps, int(self.store.tally.expanded), self.peak))
        if len(self.passed) > _PASSED:
            self.passed = self.passed[::2]

    def _begin_sweep(self) -> None:
        store = self.store
        self.persistent += int(store.tally.deferred)
        self.sweeps += 1
        store.run("wake")
        store.tally.deferred = 0
        store.plan.strict = 0
        self._waiting_from = store.tail
