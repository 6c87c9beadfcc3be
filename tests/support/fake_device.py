"""A fake GPU: the kernels of `search.cu` in plain Python, one state at a time, over the host's machine code.

It defines what the kernels do, up to the order inside a round, and replaces a device in tests, with as little memory as
a test needs.
"""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from strandline.compile.callback_adapter import SIGNATURE
from strandline.compile.kernel import Kernel
from strandline.engine.device.layout import (
    DEFERRED,
    EXPANDED,
    FLAG_BITS,
    FOUND,
    NONE,
    PERSISTENT,
    STOP_CAPACITY,
    STOP_FULL,
    STOP_STRICT,
    Shape,
)
from strandline.engine.runtime.memory import WordArray
from strandline.errors import ResourceError

_WORD = (1 << 64) - 1
_GAP = 1 << 20
State = tuple[int, ...]


def _mix(word: int) -> int:
    word ^= word >> 32
    word = word * 0xD6E8FEB86659FD93 & _WORD
    word ^= word >> 29
    word = word * 0x9E3779B97F4A7C15 & _WORD
    return word ^ word >> 32


class FakeDevice:
    """A device with `memory` bytes. It expands one state at a time and has no time limit."""

    name = "plain reference"
    lanes = 1

    def __init__(self, kernel: Kernel, memory: int = 1 << 26) -> None:
        self._kernel, self._memory = kernel, memory
        self._successors = SIGNATURE(kernel.successors)
        self._blocks: dict[int, WordArray] = {}
        self._next = _GAP
        self._tables: dict[int, set[State]] = {}

    def load(self, shape: Shape) -> None:
        self._shape = shape

    def free_bytes(self) -> int:
        return self._memory - sum(block.nbytes for block in self._blocks.values())

    def allocate(self, size: int) -> int:
        if size > self.free_bytes():
            raise ResourceError("the memory of the device is used up")
        address = self._next
        # Fresh memory has undefined contents.
        self._blocks[address] = np.full(-(-size // 8), 0xA5A5A5A5A5A5A5A5, dtype=np.uint64)
        self._next += _GAP + size
        return address

    def release(self, address: int) -> None:
        self._blocks.pop(address, None)

    def _at(self, address: int) -> tuple[WordArray, int]:
        base = max(one for one in self._blocks if one <= address)
        return self._blocks[base].view(np.uint8), address - base

    def clear(self, address: int, size: int) -> None:
        block, at = self._at(address)
        block[at : at + size] = 0
        self._tables.pop(address, None)

    def move(self, target: int, source: int, size: int) -> None:
        (to, at), (block, first) = self._at(target), self._at(source)
        to[at : at + size] = block[first : first + size]

    def read(self, address: int, words: int) -> WordArray:
        block, at = self._at(address)
        return block[at : at + 8 * words].view(np.uint64).copy()

    def write(self, address: int, array: WordArray) -> None:
        given = np.ascontiguousarray(array, dtype=np.uint64).view(np.uint8)
        block, at = self._at(address)
        block[at : at + len(given)] = given

    def marks(self) -> bytes:
        return b""

    def close(self) -> None:
        self._blocks.clear()

    def run(self, kernel: str, plan: Any, tally: Any) -> None:
        self._plan, self._tally = plan, tally
        if kernel == "rounds":
            self._rounds()
        else:
            for number in range(int(plan["from"]), int(plan.until)):
                getattr(self, f"_{kernel}")(number)

    # --- the log and the table ---------------------------------------------------------------------------------------

    def _place(self, number: int) -> int:
        place = number - int(self._plan.turn)
        assert 0 <= place < 2 * int(self._plan.places), "a number that is not in the log"
        return place - int(self._plan.places) if place >= int(self._plan.places) else place

    def _state(self, number: int) -> State:
        words = self._shape.words
        return tuple(self.read(int(self._plan.states) + 8 * words * self._place(number), words).tolist())

    def _mark(self, number: int) -> int:
        size = self._shape.mark_bytes
        block, at = self._at(int(self._plan.marks) + size * self._place(number))
        return int(block[at : at + size].view(np.uint64 if size == 8 else np.uint32)[0])

    def _set_mark(self, number: int, mark: int) -> None:
        size = self._shape.mark_bytes
        block, at = self._at(int(self._plan.marks) + size * self._place(number))
        block[at : at + size].view(np.uint64 if size == 8 else np.uint32)[0] = mark

    def _word(self, address: int, at: int) -> int:
        return int(self.read(address + 8 * at, 1)[0])

    def _set_word(self, address: int, at: int, value: int) -> None:
        self.write(address + 8 * at, np.array([value], dtype=np.uint64))

    def _fetch_add(self, counter: str) -> int:
        number = int(self._tally[counter])
        self._tally[counter] = number + 1
        return number

    def _append(self, state: State) -> int:
        number = self._fetch_add("head")
        words = self._shape.words
        self.write(int(self._plan.states) + 8 * words * self._place(number), np.array(state, dtype=np.uint64))
        return number

    @property
    def _table(self) -> set[State]:
        return self._tables.setdefault(int(self._plan.table), set())

    def _enter(self, state: State) -> None:
        assert state not in self._table, "a state is inserted twice"
        assert len(self._table) < int(self._plan.slots), "the table is full"
        self._table.add(state)

    def _put(self, state: State) -> int:
        if state in self._table:
            return NONE
        self._enter(state)
        return self._append(state)

    # --- one state ---------------------------------------------------------------------------------------------------

    def _run_model(self, state: State) -> tuple[int, list[State], int]:
        """Return the number of successors, or the negative fault; their records; and the labels."""
        room, stride = self._shape.successors, self._shape.stride
        given = (ctypes.c_uint64 * len(state))(*state)
        records, labels = (ctypes.c_uint64 * ((room + 1) * stride))(), (ctypes.c_uint64 * 1)()
        count = int(self._successors(given, records, room, labels))
        rows = [tuple(records[one * stride : (one + 1) * stride]) for one in range(min(max(count, 0), room))]
        return count, rows, labels[0]

    def _repeat_later(self, number: int, why: int) -> None:
        size = self._blocks[int(self._plan.again)].nbytes
        assert 8 * int(self._tally.again_count) < size, "the list of states to be repeated is full"
        self._set_word(int(self._plan.again), self._fetch_add("again_count"), number)
        self._tally.stop = max(int(self._tally.stop), why)

    def _least(self, name: str, number: int) -> None:
        self._tally[name] = min(int(self._tally[name]), number)

    def _report(self, name: str, number: int) -> None:
        self._least(name, number)
        self._tally.reported = 1

    def _key(self, record: State) -> int:
        column, layer = record[self._shape.words], record[self._shape.words + 1]
        plan = self._plan
        key = (column - int(plan.first_column)) * int(plan.layers) + ((layer - int(plan.first_layer)) & _WORD)
        return key & _WORD

    def _expand(self, number: int) -> None:
        plan, tally, measured = self._plan, self._tally, self._shape.measured
        mark = self._mark(number) if measured else 0
        if mark & (EXPANDED | DEFERRED):
            return
        state = self._state(number)
        count, records, labels = self._run_model(state)
        if count < 0:
            self._report("fault", number)
            return
        if count > self._shape.successors:
            tally.wanted = max(int(tally.wanted), count)
            self._repeat_later(number, STOP_CAPACITY)
            return
        if measured:
            key = mark >> FLAG_BITS
            if plan.strict and any(self._key(record) == key for record in records):
                self._repeat_later(number, STOP_STRICT)
                return
            self._set_mark(number, mark | EXPANDED)
        for bit in range(FOUND):
            if labels & int(plan.stop_mask) & 1 << bit:
                tally["found"][bit], tally.reported = min(int(tally["found"][bit]), number), 1
        tally.expanded += 1
        tally.transitions += count
        tally.deadlocks += labels >> 63
        for record in records:
            if measured:
                self._follow(number, key, state, record)
            else:
                self._put(record)

    def _follow(self, number: int, key: int, source: State, record: State) -> None:
        plan, target, state = self._plan, self._key(record), record[: self._shape.words]
        behind = target < key
        if target > int(plan.last) or (behind and plan.forward):
            return
        if behind:
            if target // int(plan.layers) != key // int(plan.layers):
                self._report("falling", number)
                return
            self._tally.regress += 1
        found = self._put(state)
        if found == NONE:
            return
        self._set_mark(found, target << FLAG_BITS | (PERSISTENT | DEFERRED if behind else 0))
        if behind:
            self._fetch_add("deferred")
        if self._shape.carries:
            self._carry(number, found, source, state, self._crosses(key, target))
        if plan.hunted and self._hunted_state() == state:
            self._report("hit", found)

    def _crosses(self, key: int, target: int) -> bool:
        middle = int(self._plan.middle)
        return target < key if middle == NONE else key < middle <= target

    def _carry(self, number: int, found: int, source: State, state: State, crosses: bool) -> None:
        linked = bool(self._plan.linked)
        carried = number + 1 if linked else self._word(int(self._plan.carried), self._place(number))
        if crosses and not linked:
            entry = self._fetch_add("crossings")
            words = np.array([*source, *state, carried], dtype=np.uint64)
            self.write(int(self._plan.crossed) + 8 * len(words) * entry, words)
            carried = entry + 1
        self._set_word(int(self._plan.carried), self._place(found), carried)

    def _hunted_state(self) -> State:
        return tuple(self.read(int(self._plan.hunted), self._shape.words).tolist())

    # --- rounds ------------------------------------------------------------------------------------------------------

    def _rounds(self) -> None:
        plan, tally = self._plan, self._tally
        tally.over = 0
        while not tally.over:
            while not tally.stop and tally.cursor < tally.to:
                if tally.head >= plan.most or tally.crossings >= plan.most_crossings:
                    tally.stop = max(int(tally.stop), STOP_FULL)
                    break
                at = self._fetch_add("cursor")
                self._expand(self._word(int(plan.listed), at) if plan.listed else at)
            self._turn_over()

    def _turn_over(self) -> None:
        plan, tally = self._plan, self._tally
        tally.over = 1
        if tally.stop:
            return
        self._set_word(int(plan.ends), self._fetch_add("rounds"), int(tally.to))
        following = int(tally.head) - int(tally.to)
        goes_on = 0 < following <= int(plan.most_in_round) and tally.rounds < plan.most_rounds
        if plan.listed or tally.reported or not goes_on:
            return
        tally.cursor, tally.to, tally.over = tally.to, tally.head, 0

    # --- over a part of the log --------------------------------------------------------------------------------------

    def _seed(self, row: int) -> None:
        words, plan = self._shape.words, self._plan
        given = self.read(int(plan.listed) + 8 * (words + 1) * row, words + 1).tolist()
        state = tuple(given[:words])
        number = self._put(state)
        if number == NONE or not self._shape.measured:
            return
        self._set_mark(number, given[words] << FLAG_BITS)
        if self._shape.carries:
            self._set_word(int(plan.carried), self._place(number), 0)
        if plan.hunted and self._hunted_state() == state:
            self._report("hit", number)

    def _scan(self, number: int) -> None:
        count, records, _ = self._run_model(self._state(number))
        self._tally.wanted = max(int(self._tally.wanted), count if count > self._shape.successors else 0)
        if any(record[: self._shape.words] == self._hunted_state() for record in records):
            self._report("hit", number)

    def _live(self, mark: int) -> bool:
        key, plan = mark >> FLAG_BITS, self._plan
        kept = bool(mark & PERSISTENT) and key >= int(plan.column_bound)
        return not mark & EXPANDED or key >= int(plan.bound) or kept

    def _enters(self, mark: int) -> bool:
        return mark >> FLAG_BITS != int(self._plan.skipped) or bool(mark & PERSISTENT)

    def _survey(self, number: int) -> None:
        mark, tally = self._mark(number), self._tally
        if not mark & (EXPANDED | DEFERRED):
            tally.count += 1
            self._least("least", mark >> FLAG_BITS)
            tally.greatest = max(int(tally.greatest), mark >> FLAG_BITS)
            self._least("first", number)

    def _census(self, number: int) -> None:
        mark = self._mark(number)
        if self._live(mark):
            self._tally.count += 1
            self._tally.entering += int(self._enters(mark))
            self._least("first", number)

    def _pick(self, number: int) -> None:
        mark = self._mark(number)
        if not mark & (EXPANDED | DEFERRED) and mark >> FLAG_BITS <= int(self._plan.bound):
            position = self._fetch_add("count")
            if position < int(self._plan.room):
                self._set_word(int(self._plan.listed), position, number)

    def _relocate(self, number: int) -> None:
        mark = self._mark(number)
        if self._live(mark):
            moved = self._append(self._state(number))
            self._set_mark(moved, mark)
            if self._shape.carries:
                carried = self._word(int(self._plan.carried), self._place(number))
                self._set_word(int(self._plan.carried), self._place(moved), carried)

    def _thin(self, number: int) -> None:
        mark = self._mark(number)
        if not mark & (EXPANDED | DEFERRED) and _mix(number ^ int(self._plan.salt)) > int(self._plan.kept):
            self._set_mark(number, mark | EXPANDED)

    def _wake(self, number: int) -> None:
        self._set_mark(number, self._mark(number) & ~DEFERRED)

    def _reenter(self, number: int) -> None:
        if self._shape.measured:
            mark = self._mark(number)
            if not self._live(mark) or not self._enters(mark):
                return
        self._enter(self._state(number))
        self._tally.count += 1
