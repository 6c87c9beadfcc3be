"""One suite that every store passes: it is a set of states whose entries keep their numbers, whatever grows or goes.

Run as plain Python, where array accesses are checked, against a dictionary; and compiled, with many states.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from graph_kernel import Graph, graph_kernel
from hypothesis import given, settings
from hypothesis import strategies as st
from plain import Engine, compiled_engine, plain_engine
from running import explore

from strandline.engine.runtime.codes import CONTINUE, GROW, NONE
from strandline.engine.store.interface import STORES
from strandline.engine.store.kinds import KINDS, StoreKind

U = np.uint64
State = tuple[int, ...]


def width(words: int) -> tuple[int, ...] | int:
    return (0,) * words if words <= 2 else words


@dataclass(frozen=True)
class Case:
    """A store to be tested: the part that owns its arrays, for states of so many words."""

    name: str
    make: Callable[[Engine, int, int], Any]
    words: int
    extra: int = 0

    def __str__(self) -> str:
        return f"{self.name}-{self.words}-{self.extra}"


def tables(engine: Engine, words: int, extra: int) -> Any:
    return engine.modules["store.parts"].TablePart(width(words), extra=extra, numbered=True)


def states_in_slots(engine: Engine, words: int, extra: int) -> Any:
    """The store of depth-first search for states of one word."""
    return engine.modules["store.parts"].TablePart(width(words), extra=extra)


def pages(engine: Engine, words: int, extra: int) -> Any:
    return engine.modules["store.parts"].PagedPart(width(words), extra=extra)


def chosen(kind: StoreKind) -> Callable[[Engine, int, int], Any]:
    """A store that users can choose, as breadth-first search makes it."""

    def make(engine: Engine, words: int, _: int) -> Any:
        kinds = engine.modules["store.kinds"]
        return kinds.store_kind(kind.name).make(SimpleNamespace(words=words, bits=64), kinds.StoreDemands())

    return make


CASES = [
    *(Case(kind.name, chosen(kind), words) for kind in KINDS for words in (1, 2, 3, 9)),
    *(Case("numbered", tables, *size) for size in ((1, 0), (1, 1), (2, 1), (9, 2))),
    Case("slots", states_in_slots, 1),
    *(Case("paged", pages, *size) for size in ((1, 0), (2, 1), (3, 0), (25, 3))),
]
_OTHERWISE = {"tree", *(kind.name for kind in KINDS if kind.sized)}
GROWING = [case for case in CASES if case.name not in _OTHERWISE]
"""Stores whose only table grows; that of tree compression has a second one (`test_trees.py`)."""
NUMBERED = {"NumberTable", "Paged"}
"""Stores whose lookups return the number of an entry."""
FORGETTING = {"StateTable", "NumberTable", "HashTable", "Paged"}
"""Stores from which states can be removed."""


class Stored:
    """A store driven from outside, step by step, with arrays that grow only when it asks."""

    def __init__(self, engine: Engine, case: Case) -> None:
        self.engine, self.modules, self.words = engine, engine.modules, case.words
        sizes = engine.sizes
        before = sizes.ENTRIES, sizes.TABLE, sizes.PAGES
        sizes.ENTRIES = sizes.TABLE = sizes.PAGES = 1
        with engine.imported():
            self.part = case.make(engine, case.words, case.extra)
        sizes.ENTRIES, sizes.TABLE, sizes.PAGES = before
        self._now: Any = None
        self.type = type(self.store()).__name__
        records = self.modules["runtime.records"]
        self.chain = records.record(records.CHAIN) if self.type == "Paged" else None
        self._batch = self.modules["parts.batch_kernel"].Batch(
            *(np.zeros(1, dtype=U) for _ in range(3)), records.record(records.REST, count=1)
        )
        self.next_number = 0
        self.affordable = 1 << 40
        """Words in all; a store that wants more is full."""

    @property
    def tells_numbers(self) -> bool:
        return self.type in NUMBERED

    def store(self) -> Any:
        """The named tuple that kernels work on; it is another one when arrays have grown."""
        if self._now is None:
            with self.engine.imported():
                self._now = self.part.store()
        return self._now

    def _call(self, name: str, *arguments: Any) -> Any:
        """A function of the interface, as a kernel would call it."""
        with np.errstate(over="ignore"):
            return getattr(self.modules["store.interface"], name)(self.store(), *arguments)

    def _hash(self, state: State) -> Any:
        """The state and its hash, which is computed as that of a batch of one."""
        array = np.array(state, dtype=U)
        self._batch.rest.recognised = 0
        self._call("prepare_hash", self._batch, U(0), array, U(0), NONE)
        self._until_done("complete_hashes", self._batch, array, U(self.words))
        return array, self._batch.hashes[0]

    def _until_done(self, name: str, *arguments: Any) -> None:
        while (code := self._call(name, *arguments)) != CONTINUE:
            if code == GROW:
                self._grow()

    def make_room(self) -> None:
        self._until_done("make_room")

    def _grow(self) -> None:
        with self.engine.imported():
            grown = self.part.grow(lambda: max(0, self.affordable - self.part.room))
        self._now = None
        if not grown:
            raise MemoryError

    def find(self, state: State) -> int:
        array, hash_value = self._hash(state)
        return int(self._call("find", array, U(0), hash_value))

    def add(self, state: State) -> int | None:
        """The number under which the state was added; None where it was there."""
        array, hash_value = self._hash(state)
        self.make_room()
        if self.find(state) != NONE:
            other = U(1 << 30)
            assert self.chain is not None or self._call("add", other, array, U(0), hash_value) != other
            return None
        number = self._new_number()
        assert self._call("add", U(number), array, U(0), hash_value) == number
        return number

    def _new_number(self) -> int:
        if self.chain is None:
            while not self._call("entry_room", U(self.next_number)):
                self._grow()
            self.next_number += 1
            return self.next_number - 1
        append = self.modules["store.paged_kernel"].append
        while (number := append(self.store(), self.chain, U(self.next_number))) == NONE:
            self._grow()
        self.next_number += 1
        return int(number)

    def forget(self, state: State, number: int) -> None:
        _, hash_value = self._hash(state)
        self._call("forget", U(number), hash_value)

    def state(self, number: int) -> State:
        """The state of an entry, decompressed."""
        array, at = self._call("open_entry", U(number))
        return tuple(int(word) for word in array[int(at) : int(at) + self.words])


def test_every_store_of_the_engine_is_tested() -> None:
    assert {Stored(plain_engine(), case).type for case in CASES} == {kind.__name__ for kind in STORES}


@pytest.mark.parametrize("words", [1, 3])
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_a_search_with_each_kind_finds_the_same(kind: StoreKind, words: int) -> None:
    """Compiled, and with many states; a lossy store with so much room loses none of them."""
    nodes = 20_000
    random = Random(words)
    edges = tuple(tuple(random.randrange(nodes) for _ in range(random.randrange(4))) for _ in range(nodes))
    graph = Graph(edges)
    outcome = explore(graph_kernel(graph, words), "bfs", store_kind=kind)
    assert outcome.statistics.recorded == len(graph.reachable()) > nodes // 2
    assert len(outcome.distinct()) == outcome.statistics.visited == outcome.statistics.recorded


@pytest.mark.parametrize("case", CASES, ids=str)
@given(steps=st.lists(st.tuples(st.booleans(), st.integers(0, 40)), max_size=150), wide=st.booleans())
@settings(max_examples=40)
def test_a_store_is_a_set_whose_entries_keep_their_numbers(
    case: Case, steps: list[tuple[bool, int]], wide: bool
) -> None:
    """Each step adds a state or, where it is there and the step says so, forgets it."""
    stored, words = Stored(plain_engine(), case), case.words
    expected: dict[Any, Any] = {}
    largest = (1 << 63) - 1 if words == 1 else (1 << 64) - 1
    for goes, number in steps:
        state = (largest - number if wide else number,) * words
        if goes and state in expected and stored.type in FORGETTING:
            stored.forget(state, expected.pop(state))
        else:
            added = stored.add(state)
            assert (added is None) == (state in expected)
            if added is not None:
                expected[state] = added
        for other in range(41):
            other_state = (largest - other if wide else other,) * words
            found = stored.find(other_state)
            assert (found != NONE) == (other_state in expected)
            if stored.tells_numbers and other_state in expected:
                assert found == expected[other_state]
    assert all(stored.state(number) == state for state, number in expected.items())
    assert int(stored.part.shape.count) == len(expected)
    stored.part.close()


@pytest.mark.parametrize(
    "case",
    [
        Case("numbered", tables, 1),
        Case("numbered", tables, 2),
        Case("slots", states_in_slots, 1),
        Case("paged", pages, 1),
        Case("paged", pages, 2),
    ],
    ids=str,
)
def test_equal_homes(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    """The worst hash: all states have the same home, and all but a few bits of the hash are equal."""
    engine = plain_engine()
    stored, words = Stored(engine, case), case.words
    expected: dict[Any, Any] = {}
    monkeypatch.setattr(stored, "_hash", lambda state: (np.array(state, dtype=U), U(state[0] & 3)))
    same = lambda array, at, words: U(int(array[int(at)]) & 3)  # noqa: E731
    for module in ("store.paged_kernel", "store.table_kernel"):
        if hasattr(engine.modules[module], "state_hash"):
            monkeypatch.setattr(engine.modules[module], "state_hash", same)
    monkeypatch.setattr(engine.modules["store.table_kernel"], "mix", lambda word: U(int(word) & 3))
    random = Random(1)
    for _ in range(400):
        state = (random.randrange(60),) * words
        if state in expected and random.random() < 0.5:
            stored.forget(state, expected.pop(state))
        elif (number := stored.add(state)) is not None:
            expected[state] = number
        assert all((stored.find((one,) * words) != NONE) == ((one,) * words in expected) for one in range(60))


@pytest.mark.parametrize("case", GROWING, ids=str)
def test_a_table_takes_what_memory_there_is(case: Case) -> None:
    """A table that cannot be doubled is filled further, then it grows by less; nothing is lost by that, nor when there
    is more memory again."""
    stored, random, words = Stored(plain_engine(), case), Random(3), case.words
    expected: dict[Any, Any] = {}
    stored.part.use_last_memory = True

    def add_some(most: int) -> None:
        while len(expected) < most:
            state = tuple(random.getrandbits(60) for _ in range(words))
            number = stored.add(state)
            assert number is not None
            expected[state] = number

    add_some(200)
    shape = stored.part.shape
    add_some(int(shape.most))
    places, usual = int(shape.places), int(shape.most)
    stored.affordable = stored.part.room + stored.part._table_words(places) * 9 // 10
    with pytest.raises(MemoryError):
        add_some(10 * usual)
    assert places <= int(shape.places) < 2 * places
    assert len(expected) > usual
    assert int(shape.count) <= int(shape.most) <= stored.part._fullest(int(shape.places))
    assert stored.part.room <= stored.affordable
    stored.affordable = 1 << 40
    add_some(len(expected) + 300)
    assert all(stored.find(state) != NONE for state in expected)
    assert all(not stored.tells_numbers or stored.find(state) == number for state, number in expected.items())
    assert int(stored.part.shape.count) == len(expected)


def test_chains_give_their_pages_back() -> None:
    """What is forgotten makes room: the store does not grow while as many states come as go."""
    with np.errstate(over="ignore"):
        engine = plain_engine()
        stored = Stored(engine, Case("paged", pages, 2))
        kernel = engine.modules["store.paged_kernel"]
        largest = 0
        for turn in range(6):
            numbers = [stored.add((turn, number)) for number in range(100)]
            assert None not in numbers
            walked, number = [], kernel.first_of(stored.store(), stored.chain)
            while number != NONE:
                walked.append(int(number))
                number = kernel.after(stored.store(), number)
            assert walked == numbers, "a layer is walked in the order of arrival"
            records = [int(kernel.record_of(stored.store(), U(number))) for number in walked]
            assert records == list(range(100 * turn, 100 * turn + 100))
            while not kernel.forget_chain(stored.store(), stored.chain, U(3)):
                pass
            assert all(stored.find((turn, number)) == NONE for number in range(100))
            largest = largest or int(stored.part.shape.pages)
        assert int(stored.part.shape.pages) == largest
        assert int(stored.part.shape.count) == 0


@pytest.mark.parametrize("words", [1, 2, 3])
def test_bytes_of_many_small_layers_are_those_of_the_states(words: int) -> None:
    """A hundred thousand states in one layer or in ten thousand: about the same memory."""
    sizes = {}
    for layers in (1, 2_000):
        nodes = 20_000
        fan = tuple(range(1, nodes))
        progress = ((0, 0), *((0, 1 + node % layers) for node in range(nodes - 1)))
        kernel = graph_kernel(Graph((fan, *((),) * (nodes - 1)), progress=progress), words)
        search = compiled_engine().SweepSearch(kernel, log=lambda links: None)
        while search.advance() is compiled_engine().Event.PAUSED:
            pass
        sizes[layers] = search._pages.words / nodes
        search.close()
    assert sizes[2_000] < 2.2 * sizes[1]
