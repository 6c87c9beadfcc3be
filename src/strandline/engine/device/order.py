"""What is expanded next on a device: by distance, or by progress.

An order is asked for the next piece of work and told how it ended. It knows nothing of clocks, labels and events.
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
"""States that wait altogether, up to which they are expanded whatever their layers are: order saves nothing there."""
_PASSED = 1 << 16
"""Places of the line that are remembered."""


class NoRoom(ResourceError):
    """The device's memory does not suffice."""


@dataclass(slots=True)
class Work:
    """Positions in the log, or in a list at an address, from a cursor on."""

    cursor: int
    to: int
    listed: int = 0


@dataclass(frozen=True, slots=True)
class Passed:
    """The line came to a key, in a sweep, when so many states had been expanded and so many had been live at most."""

    key: int
    sweep: int
    expanded: int
    peak: int


class Order(Protocol):
    """Decides what is expanded."""

    def advance(self, nanoseconds: int) -> bool:
        """Expand for about so long, or a piece of work; False where nothing is left."""
        ...


class Levels:
    """Breadth-first: a round is a level. `ends` are the numbers in the log at which levels end."""

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
            self._mend(int(store.tally.stop))
        else:
            self._finish(work)
        return bool(self._works)

    def _note(self, ends: Sequence[int]) -> None:
        self.ends += [end for number, end in enumerate(ends) if end > self.ends[-1] and end not in ends[:number]]

    def _finish(self, work: Work) -> None:
        """A piece of work is over: a list that was to be repeated, or levels."""
        self._works.pop()
        if work.listed:
            self.store.device.release(work.listed)
            return
        head = int(self.store.tally.head)
        if head > work.to:
            self._note([head])
            self._works.append(Work(work.to, head))

    def _mend(self, stop: int) -> None:
        store = self.store
        numbers = store.to_be_repeated()
        if len(numbers):
            listed = store.device.allocate(numbers.nbytes)
            store.device.write(listed, numbers)
            self._works.append(Work(0, len(numbers), listed))
        if stop == STOP_CAPACITY:
            store.require_successors(int(store.tally.wanted))
        elif stop == STOP_FULL and not store.at_limit and not store.make_room():
            raise NoRoom(NO_ROOM)


class Layers:
    """A sweep: the least layer first. What lies behind the line is forgotten when room is needed.

    Nothing depends on the order but how much is live. So where few states wait they are expanded together, round by
    round, whatever their layers are."""

    def __init__(self, store: DeviceStore, layers: int, beam: Callable[[int], int] | None = None) -> None:
        """`beam`: how many states may wait, where the line is at a key; when more do, only some are kept, by lot."""
        self.store = store
        self.line = 0
        self._beam = beam
        self.sweeps = 1
        self.passed: list[Passed] = []
        """Where the line stood, in the order of time; every second is dropped where they are too many."""
        self.moves = 0
        self.persistent = 0
        self.peak = 0
        """Most states that were at the line or ahead of it, or persistent."""
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
            self._mend(int(store.tally.stop), work)
        return True

    def _mend(self, stop: int, work: Work) -> None:
        """States that were not expanded are found again, because they still wait."""
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
        """What to expand next, and the line moves there; None where nothing is left to do."""
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
            # States of other layers must see this one in the table.
            self._make_room()
            return self._next()
        if least == greatest and not self._together and self._moved and store.crowded and not store.loose:
            # All that waits is of one layer, which need not be in the table: a nearly empty one will do.
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
