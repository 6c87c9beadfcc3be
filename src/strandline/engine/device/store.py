"""Memory of a search on a device: the log of states, the hash table, and the deletion of states.

The log has the states in the order of discovery; the table finds them. Nothing is removed from the table: when it or
the log is nearly full, the dead front of the log is cut off, live states are moved if that is worth while, and the
table is rebuilt from the live ones. With room for several times the live states, each of them is moved about once per
deleted state.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from strandline.engine.device.layout import NONE, STOP_FULL, Device, Shape, new_plan, new_tally
from strandline.engine.runtime.memory import WordArray
from strandline.errors import ResourceError

_SHARE = 0.97
"""Largest share of the free memory that a search takes."""
_SHARE_WITHOUT_CROSSINGS = 0.75
"""Share for the log and the table if the list of crossings must be able to grow."""
_LOAD, _CROWDED = 0.85, 0.25
"""Largest load of the table, and the load above which it is rebuilt if that is cheap: probing slows down with it."""
_SLOTS_PER_PLACE = 1.25
"""Slots of the table per place of the log."""
_FEW_SLOTS_PER_PLACE = 0.75
"""Slots of the table per place of the log if the layer being expanded need not be in the table."""
_STEPS, _MEASURED_STEPS = (8, 1), (32, 1)
"""Sizes of the log: the largest number of states divided by these, in turn; old and new log coexist while it grows."""
_BATCH, _MUCH = 4, 1 << 34
"""How many times 32 states a warp fetches at a time, if the budget has so many bytes; else once, for less reserve."""
_ROUNDS = 4096
"""Most rounds reported at a time."""
LISTED = 1 << 24
"""Most states listed at a time."""
_LEAST_LISTED = 64


@dataclass(frozen=True, slots=True)
class Sizes:
    """Room of the log in states, and slots of the table."""

    places: int
    slots: int


@dataclass(frozen=True, slots=True)
class Report:
    """A state that the kernels have reported: its position in the log at that time, its words, its carried value."""

    number: int
    state: tuple[int, ...]
    carried: int


def plan_sizes(budget: int, shape: Shape, step: int, *, few: bool, taken: int = 0) -> Sizes:
    """Return the sizes of log and table: their full sizes in `budget` bytes, divided by `step`.

    `taken` bytes are in use already and leave less. With `few`, a smaller table suffices.
    """
    per_place = _FEW_SLOTS_PER_PLACE if few else _SLOTS_PER_PLACE
    most = int(budget / (shape.place_bytes + 8 * per_place))
    fitting = int((budget - taken) / (shape.place_bytes + 8 * per_place))
    places = max(0, min(most // step, fitting))
    return Sizes(places, int(places * per_place))


class DeviceStore:
    """The log and the table of one search on a device, and its plan and tally."""

    def __init__(
        self,
        device: Device,
        shape: Shape,
        budget: int | None = None,
        max_states: int | None = None,
        *,
        linked: bool = False,
    ) -> None:
        """Allocate the log and the table in their first size.

        `linked`: states carry a link to their parent. No state is deleted then, and the log has its full size from the
        beginning.
        """
        self.device, self.shape, self.max_states = device, shape, max_states
        self.plan, self.tally = new_plan(), new_tally()
        self.reports: dict[str | int, Report] = {}
        """Reported states: of a fault, an edge to a smaller column, the hunted state, and labels by their bits."""
        self.tail = 0
        self.moved = 0
        """Number of states copied to the head."""
        self.rebuilt = 0
        self.forgets = False
        """True if states were deleted from the table."""
        self.loose = linked or not shape.measured
        """True if states may have successors in their own layer."""
        self._steps = [1] if linked else list(_MEASURED_STEPS if shape.measured else _STEPS)
        self.plan.linked = linked
        self._blocks: dict[str, tuple[int, int]] = {}
        device.load(shape)
        free = int(device.free_bytes() * _SHARE)
        self.budget = free if budget is None else min(free, budget)
        self.plan.batch = _BATCH if self.budget >= _MUCH else 1
        self._allocate_lists()
        if not self._next_step():
            self.close()
            raise ResourceError("the memory of the device is too small for this search")
        self._limit(0)

    # --- memory ------------------------------------------------------------------------------------------------------

    @property
    def reserve(self) -> int:
        """The most states that a round may still find after it was asked to stop."""
        return self.device.lanes * self.shape.successors * int(self.plan.batch)

    @property
    def bytes(self) -> int:
        return sum(size for _, size in self._blocks.values())

    def _block(self, name: str, size: int) -> None:
        self._drop(name)
        address = self.device.allocate(size)
        self._blocks[name] = address, size
        self.plan[name] = address

    def _drop(self, name: str) -> None:
        address, _ = self._blocks.pop(name, (0, 0))
        if address:
            self.device.release(address)
            self.plan[name] = 0

    def _allocate_lists(self) -> None:
        self._listed = max(_LEAST_LISTED, min(LISTED, self.budget // (64 * 8)))
        self._block("ends", 8 * _ROUNDS)
        self.plan.most_rounds = _ROUNDS
        if self.shape.measured:
            self._block("listed", 8 * self._listed)
            self._list = int(self.plan.listed)
            self.plan.listed = 0
        self._block("again", 8 * self.device.lanes * int(self.plan.batch))
        if self.shape.carries:
            self._grow_crossings()

    def _grow_crossings(self) -> None:
        old, used = self._blocks.pop("crossed", (0, 0)), int(self.tally.crossings)
        entry = 8 * self.shape.crossing_words
        room = used + used // 2 + 2 * self.reserve
        self._block("crossed", room * entry)
        self.plan.most_crossings = room - self.reserve
        if old[0]:
            self.device.move(int(self.plan.crossed), old[0], used * entry)
            self.device.release(old[0])

    def _next_step(self) -> bool:
        """Grow the log and the table to the next size; return False if they have their full size."""
        while self._steps:
            step = self._steps.pop(0)
            few = step == 1 and self.shape.measured and not self.loose
            kept = sum(size for name, (_, size) in self._blocks.items() if name not in ("table", "crossed"))
            budget = int(self.budget * _SHARE_WITHOUT_CROSSINGS) if self.shape.carries else self.budget
            sizes = plan_sizes(budget, self.shape, step, few=few, taken=kept)
            if sizes.places >= 2 * int(self.plan.places) and sizes.places > 2 * self.reserve:
                self._resize(sizes)
                return True
        return False

    def _resize(self, sizes: Sizes) -> None:
        self._drop("table")
        old = {name: self._blocks.pop(name, (0, 0))[0] for name in ("states", "marks", "carried")}
        widths = {"states": 8 * self.shape.words, "marks": self.shape.mark_bytes, "carried": 8 * self.shape.carries}
        first, used = self.tail - int(self.plan.turn), int(self.tally.head) - self.tail
        before = int(self.plan.places)
        for name, width in widths.items():
            if not width:
                continue
            self._block(name, width * sizes.places)
            straight = min(used, max(before - first, 0))
            for at, start, count in ((0, first % max(before, 1), straight), (straight, 0, used - straight)):
                if count:
                    source, target = old[name] + width * start, int(self.plan[name]) + width * at
                    self.device.move(target, source, width * count)
            if old[name]:
                self.device.release(old[name])
        self.plan.places, self.plan.turn, self.plan.slots = sizes.places, self.tail, sizes.slots
        self._block("table", 8 * sizes.slots)
        self.device.clear(int(self.plan.table), 8 * sizes.slots)

    def close(self) -> None:
        for name in list(self._blocks):
            self._drop(name)

    # --- kernels -----------------------------------------------------------------------------------------------------

    def run(self, kernel: str, first: int | None = None, until: int | None = None, **plan: int) -> None:
        """Run a kernel over a part of the log, by default all of it, with counters from zero."""
        self.plan["from"] = self.tail if first is None else first
        self.plan.until = int(self.tally.head) if until is None else until
        for name, value in plan.items():
            self.plan[name] = value
        self.device.load(self.shape)
        self.tally.count = self.tally.greatest = self.tally.entering = 0
        self.tally.least = self.tally.first = NONE
        self.device.run(kernel, self.plan, self.tally)

    def seed(self, rows: WordArray) -> None:
        """Store states, one per row: words and key."""
        given = np.ascontiguousarray(rows, dtype=np.uint64).reshape(-1)
        address = self.device.allocate(given.nbytes)
        self.device.write(address, given)
        self.run("seed", 0, len(rows), listed=address)
        self._read_reports()
        self.plan.listed = 0
        self.device.release(address)

    def expand(self, cursor: int, to: int, nanoseconds: int, **plan: int) -> list[int]:
        """Run rounds, beginning with a part of the log or of a list; return where each of them ended."""
        tally = self.tally
        for name in ("over", "stop", "rounds", "again_count", "reported"):
            tally[name] = 0
        tally.start = tally.cursor = cursor
        tally.to = to
        warps = max(self.device.lanes // 32, 1)
        grain = -(-(to - cursor) // warps)
        tally.grain = grain if grain <= 32 else 32 * int(self.plan.batch)
        self.plan.nanoseconds = nanoseconds
        for name, value in plan.items():
            self.plan[name] = value
        if not self.has_room:
            tally.stop = STOP_FULL
            return []
        self.device.load(self.shape)
        self.device.run("rounds", self.plan, tally)
        self._read_reports()
        return [int(end) for end in self.device.read(int(self.plan.ends), int(tally.rounds))]

    def _read_reports(self) -> None:
        """Read the states that the kernels have reported, before they move."""
        tally = self.tally
        numbers: dict[str | int, int] = {name: int(tally[name]) for name in ("fault", "falling", "hit")}
        for bit in np.flatnonzero(tally["found"] != np.uint64(NONE)).tolist():
            numbers[bit] = int(tally["found"][bit])
        for what, number in numbers.items():
            if number != NONE and what not in self.reports:
                carried = self._carried(number) if self.shape.carries else 0
                self.reports[what] = Report(number, self.state(number), carried)

    def forget_found(self, bit: int) -> None:
        """Remove this label from the stop mask of the kernels."""
        self.reports.pop(bit, None)
        self.tally["found"][bit] = NONE
        self.plan.stop_mask = int(self.plan.stop_mask) & ~(1 << bit)

    def repeated_numbers(self) -> WordArray:
        """Return the positions of the states that could not be expanded."""
        return self.device.read(int(self.plan.again), int(self.tally.again_count))

    def list_up_to(self, key: int, first: int) -> tuple[int, int]:
        """List the unexpanded states whose key is at most `key`; return the address of the list and its length."""
        self.run("pick", first, bound=key, room=self._listed, listed=self._list)
        self.plan.listed = 0
        return self._list, min(int(self.tally.count), self._listed)

    def state(self, number: int) -> tuple[int, ...]:
        """Return the words of a state in the log."""
        address = int(self.plan.states) + 8 * self.shape.words * self._place(number)
        return tuple(self.device.read(address, self.shape.words).tolist())

    def linked_path(self, report: Report) -> list[tuple[int, ...]]:
        """Return the states on the path of links to a reported state, the first one first."""
        way, carried = [report.state], report.carried
        while carried:
            way.append(self.state(carried - 1))
            carried = self._carried(carried - 1)
        return way[::-1]

    def thin(self, share: float, first: int) -> None:
        """Keep a random share of the frontier."""
        self.plan.kept = int(min(share, 1.0) * (NONE >> 1)) << 1
        self.plan.salt += 1 << 40
        self.run("thin", first)

    def _carried(self, number: int) -> int:
        return int(self.device.read(int(self.plan.carried) + 8 * self._place(number), 1)[0])

    def crossing(self, number: int) -> tuple[tuple[int, ...], tuple[int, ...], int]:
        """Return a crossing: source, target, and the value that the source carried."""
        size, words = self.shape.crossing_words, self.shape.words
        entry = self.device.read(int(self.plan.crossed) + 8 * size * number, size).tolist()
        return tuple(entry[:words]), tuple(entry[words:-1]), entry[-1]

    def _place(self, number: int) -> int:
        place = number - int(self.plan.turn)
        return place - int(self.plan.places) if place >= int(self.plan.places) else place

    # --- room --------------------------------------------------------------------------------------------------------

    @property
    def crowded(self) -> bool:
        """True if the table should be rebuilt when that is cheap."""
        return self._entered + int(self.tally.head) - self._entered_at > int(self.plan.slots) * _CROWDED

    def _limit(self, entered: int) -> None:
        """Set the number of states that may be found until the log or the table, with `entered` states, is full."""
        self._entered, self._entered_at = entered, int(self.tally.head)
        places, slots = int(self.plan.places), int(int(self.plan.slots) * _LOAD)
        most = min(self.tail + places, int(self.tally.head) + slots - entered)
        self.plan.most = max(0, most - self.reserve)
        if self.max_states is not None:
            self.plan.most = min(int(self.plan.most), self.max_states + self.moved)

    @property
    def found(self) -> int:
        """The number of states found."""
        return int(self.tally.head) - self.moved

    @property
    def at_limit(self) -> bool:
        """True if the limit on states is reached."""
        return self.max_states is not None and self.found >= self.max_states

    @property
    def has_room(self) -> bool:
        return int(self.tally.head) < int(self.plan.most)

    def make_room(self, line: int = 0, column: int = 0, *, strict: bool = False) -> bool:
        """Delete states behind the line, a key, and grow; return False if that gives no room.

        Persistent states with keys from `column` on stay. `strict`: all states expanded next have the key of the line.
        """
        if self.plan.linked:
            return False
        if self.shape.carries and int(self.tally.crossings) >= int(self.plan.most_crossings):
            self._grow_crossings()
        self.plan.skipped = line if strict and not self.loose else NONE
        if not self.shape.measured:
            return self._next_step() and self._rebuild()
        entering = self._forget(line, column)
        while entering > int(self.plan.slots) * _LOAD or not self._rebuild():
            if not self._next_step():
                return False
        return True

    def _forget(self, line: int, column: int) -> int:
        """Free dead states at the front of the log, moving live ones; return how many states the table must hold."""
        self.run("census", bound=line, column_bound=column)
        live, entering = int(self.tally.count), int(self.tally.entering)
        self._cut(int(self.tally.first) if live else int(self.tally.head))
        if live > int(self.plan.places) // 2:
            self._next_step()
        if int(self.tally.head) - self.tail > max(2 * live, int(self.plan.places) // 2):
            self._compact(int(self.tally.head))
        return entering

    def _cut(self, tail: int) -> None:
        self.tail = tail
        while self.tail - int(self.plan.turn) >= int(self.plan.places):
            self.plan.turn += self.plan.places

    def _compact(self, end: int) -> None:
        """Move live states from the front of the log to its end, in parts, as long as there is room."""
        while self.tail < end:
            before = int(self.tally.head)
            free = int(self.plan.places) - (before - self.tail)
            if free <= 0:
                return
            until = min(end, self.tail + free)
            self.run("relocate", self.tail, until)
            self.moved += int(self.tally.head) - before
            self._cut(until)

    def _rebuild(self) -> bool:
        """Rebuild the table from the live states; return True if there is room then.

        States with the key `skipped` are left out: then none of them may have a successor with that key, and the
        kernels stop if one has.
        """
        self.rebuilt += 1
        self.device.clear(int(self.plan.table), 8 * int(self.plan.slots))
        self.run("reenter")
        self.plan.strict = int(int(self.plan.skipped) != NONE)
        self.forgets = self.forgets or int(self.tally.count) < int(self.tally.head)
        self._limit(int(self.tally.count))
        return self.has_room

    def require_successors(self, wanted: int) -> None:
        """Load kernels with room for more successors of a state."""
        self.shape = replace(self.shape, successors=max(2 * self.shape.successors, wanted))
        self.device.load(self.shape)
        self._block("again", 8 * self.device.lanes * int(self.plan.batch))
        # The reserve has changed. Until the table is rebuilt, assume that the whole log is in it.
        self._limit(int(self.tally.head) - self.tail)
