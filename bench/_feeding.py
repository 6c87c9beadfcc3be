"""Stores alone, for `bench/stores.py`: the successors that a search meets, and stores that are given them."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256

import numpy as np
import numpy.typing as npt

from _common import MeasuringFailed
from _stores import AutomatonPart, CollapsePart, components_of, symbols_of
from strandline.compile.host import compile_module
from strandline.compile.kernel import Kernel
from strandline.compile.module import emit
from strandline.compile.specification import KernelSpecification
from strandline.engine.orders.breadth_first import BreadthFirstSearch
from strandline.engine.parts.expansion import width_of
from strandline.engine.runtime.codes import BATCH, DONE, GROW, NONE
from strandline.engine.runtime.memory import WordArray
from strandline.engine.runtime.records import REST, record
from strandline.engine.search import Event
from strandline.engine.store.parts import TablePart
from strandline.engine.store.tree import TreePart
from strandline.model.layout import Layout
from strandline.model.system import System

STRANGERS = 100_000
"""States at most that are asked for and not there, and about as many that are."""
_BLOCK = 1 << 15
"""Successors that a store is given at a time."""

Flags = npt.NDArray[np.bool_]
Numbers = npt.NDArray[np.uint32]
AnyPart = TablePart | TreePart | CollapsePart | AutomatonPart


@dataclass(frozen=True, slots=True)
class Packed:
    """A model with its states packed in one of the two ways."""

    system: System
    layout: Layout
    kernel: Kernel

    @classmethod
    def of(cls, system: System, *, balanced: bool) -> Packed:
        module = emit(system, KernelSpecification(balanced_words=balanced))
        return cls(system, module.layout, compile_module(module))


@dataclass(frozen=True, slots=True)
class Fed:
    """A store alone: nanoseconds for each state that is new, and for each that is known."""

    new: float
    known: float


def part_of(store: str, model: Packed) -> AnyPart:
    """The arrays of a store."""
    width = width_of(model.kernel)
    if store == "plain":
        return TablePart(width)
    if store == "tree":
        return TreePart(width, bits=model.kernel.bits)
    if store == "collapse":
        return CollapsePart(width, components_of(model.system, model.layout))
    return AutomatonPart(width, symbols_of(model.layout))


def nothing(links: WordArray) -> None:
    """No parent log is kept."""


def exhausted(search: BreadthFirstSearch) -> Event:
    """Search until something happens; what that is."""
    while (event := search.advance(1.0)) is Event.PAUSED:
        pass
    return event


class Trace:
    """What a search does: the states, in the order in which they are found and expanded; how many successors each has;
    and which states these are, by number, the initial states before all others."""

    layers = False
    held_words = 0

    def __init__(self, model: Packed) -> None:
        self._states: list[WordArray] = []
        self._degrees: list[Numbers] = []
        self._targets: list[Numbers] = []
        self._words = model.kernel.words
        search = BreadthFirstSearch(model.kernel, log=nothing, observer=self)
        exhausted(search)
        search.close()
        self.states = np.concatenate(self._states)
        self.targets = np.concatenate(self._targets)
        initial = np.array([len(model.kernel.initial)], dtype=np.uint32)
        self.degrees = np.concatenate((initial, *self._degrees))
        self._states, self._degrees, self._targets = [], [], []
        self.order = sha256(self.targets.tobytes()).digest()
        """Tells searches apart that meet states in another order."""
        # Numbers are given in the order in which states are found.
        before = np.maximum.accumulate(self.targets[:-1].astype(np.int64))
        self.new: Flags = np.concatenate(([True], self.targets[1:] > before))

    def expanded(self, states: WordArray) -> None:
        """As of a `SearchObserver`."""
        self._states.append(states[:, : self._words].copy())
        self._degrees.append(states[:, -1].astype(np.uint32))

    def layer_finished(self, column: int, layer: int) -> None:
        """As of a `SearchObserver`."""

    def edges(self, sources: WordArray, targets: WordArray) -> None:
        """As of an `EdgeObserver`."""
        self._targets.append(targets.astype(np.uint32))

    def blocks(self, chosen: Flags) -> Iterator[tuple[int, Numbers, WordArray]]:
        """Some of the successors in blocks: the number of the first source (NONE for initial states), how many chosen
        successors it and the next ones have, and these."""
        ends = np.cumsum(self.degrees, dtype=np.int64)
        counts = np.diff(np.concatenate(([0], np.cumsum(chosen)[ends - 1])))
        targets = self.targets[chosen]
        chosen_ends = np.cumsum(counts)
        first = at = 0
        while first < len(counts):
            last = 1 if first == 0 else max(first + 1, int(np.searchsorted(chosen_ends, at + _BLOCK)))
            end = int(chosen_ends[last - 1])
            yield first - 1 if first else int(NONE), counts[first:last].astype(np.uint32), self.states[targets[at:end]]
            first, at = last, end

    def strangers(self, count: int) -> WordArray:
        """So many states at most that are not among these: some bits of one of their words are those of another."""
        chance = np.random.default_rng(1)
        made = self.states[chance.integers(0, len(self.states), 4 * count)]
        others = self.states[chance.integers(0, len(self.states), 4 * count)]
        word = chance.integers(0, self._words, 4 * count)
        rows = np.arange(4 * count)
        masks = (np.uint64(1) << chance.integers(1, 64, 4 * count, dtype=np.uint64)) - np.uint64(1)
        made[rows, word] ^= (made[rows, word] ^ others[rows, word]) & masks
        return made[~np.isin(_hashes(made), _hashes(self.states))][:count]


def _hashes(states: WordArray) -> WordArray:
    value: WordArray = np.zeros(len(states), dtype=np.uint64)
    for word in range(states.shape[1]):
        value = (value ^ states[:, word]) * np.uint64(0x9E37_79B9_7F4A_7C15)
        value ^= value >> np.uint64(29)
    return value


def feed_store(store: str, model: Packed, trace: Trace, strangers: WordArray) -> Fed:
    """Give a store the states of a search; MeasuringFailed where an answer is wrong."""
    from _feed_kernel import look_up

    part, known, count = part_of(store, model), ~trace.new, len(trace.states)
    first = _feed(part, trace, trace.new, 0, f"{model.system.name}, {store}: a state that is new was known")
    if int(part.store().shape.count) != count:
        raise MeasuringFailed(f"{model.system.name}, {store}: {part.store().shape.count} states, not {count}")
    again = _feed(part, trace, known, count, f"{model.system.name}, {store}: a state that is known was new")
    if isinstance(part, CollapsePart | AutomatonPart):
        for rows, expected in ((strangers, False), (trace.states[:: max(1, count // STRANGERS)], True)):
            found = np.zeros(len(rows), dtype=np.bool_)
            look_up(part.store(), np.ascontiguousarray(rows).reshape(-1), found)
            if (found != expected).any():
                raise MeasuringFailed(f"{model.system.name}, {store}: {(found != expected).sum()} wrong answers")
    part.close()
    return Fed(first / count * 1e9, again / max(1, int(known.sum())) * 1e9)


def _feed(part: AnyPart, trace: Trace, chosen: Flags, stored: int, failure: str) -> float:
    """Seconds of the processor; all successors that are chosen must be new, where nothing is stored yet, or known."""
    from _feed_kernel import PLACE, feed
    from strandline.engine.parts.batch_kernel import Batch

    room = BATCH + int(trace.degrees.max()) + 1
    links, hashes, sources = (np.zeros(room, dtype=np.uint64) for _ in range(3))
    batch = Batch(links, hashes, sources, record(REST))
    # It may have to make machine code.
    nobody = np.zeros(0, dtype=np.uint64)
    feed(part.store(), batch, nobody, nobody.astype(np.uint32), record(PLACE), nobody.astype(np.bool_))
    expected, seconds = stored == 0, 0.0
    for first, degrees, rows in trace.blocks(chosen):
        place = record(PLACE, first=first, stored=stored)
        new, flat = np.zeros(len(rows), dtype=np.bool_), rows.reshape(-1)
        began = time.process_time()
        while (code := feed(part.store(), batch, flat, degrees, place, new)) != DONE:
            part.note_used(int(place.stored))
            if code == GROW:
                part.grow(_plenty)
        seconds += time.process_time() - began
        stored = int(place.stored)
        if (new != expected).any():
            raise MeasuringFailed(failure)
    return seconds


def _plenty() -> int:
    return 1 << 60
