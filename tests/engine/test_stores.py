"""One suite that every store passes: it is a set of states whose entries keep their numbers, whatever grows or goes.

Run as plain Python, where array accesses are checked, against a dictionary; and compiled, with many states.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from plain import Engine, compiled_engine, plain_engine

from strandline.engine.runtime.codes import CONTINUE, GROW, NONE

U = np.uint64
State = tuple[int, ...]


def width(words: int) -> tuple[int, ...] | int:
    return (0,) * words if words <= 2 else words


def tables(engine: Engine, words: int, extra: int) -> Any:
    return engine.modules["store.parts"].TablePart(width(words), extra=extra, numbered=True)


def state_tables(engine: Engine, words: int, extra: int) -> Any:
    return engine.modules["store.parts"].TablePart(width(1), extra=extra)


def pages(engine: Engine, words: int, extra: int) -> Any:
    return engine.modules["store.parts"].PagedPart(width(words), extra=extra)


class Stored:
    """A store driven from outside, step by step, with arrays that grow only when it asks."""

    def __init__(self, engine: Engine, make: Callable[..., Any], words: int, extra: int) -> None:
        self.modules, self.words = engine.modules, words
        sizes = engine.sizes
        before = sizes.ENTRIES, sizes.TABLE, sizes.PAGES
        sizes.ENTRIES = sizes.TABLE = sizes.PAGES = 1
        self.part = make(engine, words, extra)
        sizes.ENTRIES, sizes.TABLE, sizes.PAGES = before
        self.tells_numbers = make is not state_tables
        self.chain = (
            self.modules["runtime.records"].record(self.modules["runtime.records"].CHAIN) if make is pages else None
        )
        self.next_number = 0
        self.affordable = 1 << 40
        """Words in all; a store that wants more is full."""

    def _call(self, name: str, *arguments: Any) -> Any:
        """A function of the interface, until it has what it wants; as a kernel would call it."""
        interface = self.modules["store.interface"]
        if not hasattr(interface, "_called"):
            interface._called = {}
        with np.errstate(over="ignore"):
            return getattr(interface, name)(self._store(), *arguments)

    def _store(self) -> Any:
        """The part imports its named tuple when it is asked for it: it must be the one of these modules."""
        module = self.modules["store.paged_kernel" if self.chain is not None else "store.table_kernel"]
        kind = type(self.part.store())
        return getattr(module, kind.__name__)(*self.part.store())

    def _hash(self, state: State) -> Any:
        array = np.array(state, dtype=U)
        with np.errstate(over="ignore"):
            return array, self.modules["runtime.hashing"].state_hash(array, U(0), width(self.words))

    def make_room(self) -> None:
        while (code := self._call("make_room")) != CONTINUE:
            if code == GROW:
                self._grow()

    def _grow(self) -> None:
        if not self.part.grow(lambda: max(0, self.affordable - self.part.room)):
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
        while (number := append(self._store(), self.chain, U(self.next_number))) == NONE:
            self._grow()
        self.next_number += 1
        return int(number)

    def forget(self, state: State, number: int) -> None:
        _, hash_value = self._hash(state)
        self._call("forget", U(number), hash_value)


KINDS = [(tables, 1, 0), (tables, 1, 1), (tables, 2, 1), (tables, 9, 2), (state_tables, 1, 0), (pages, 1, 0),
         (pages, 2, 1), (pages, 3, 0), (pages, 25, 3)]  # fmt: skip


@pytest.mark.parametrize(("make", "words", "extra"), KINDS)
@given(steps=st.lists(st.tuples(st.booleans(), st.integers(0, 40)), max_size=150), wide=st.booleans())
@settings(max_examples=40)
def test_a_store_is_a_set_whose_entries_keep_their_numbers(
    make: Callable[..., Any], words: int, extra: int, steps: list[tuple[bool, int]], wide: bool
) -> None:
    """Each step adds a state or, where it is there and the step says so, forgets it."""
    stored, expected = Stored(plain_engine(), make, words, extra), {}
    largest = (1 << 63) - 1 if words == 1 else (1 << 64) - 1
    for goes, number in steps:
        state = (largest - number if wide else number,) * words
        if goes and state in expected:
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
    assert all(stored.part.state(number) == state for state, number in expected.items())
    assert int(stored.part.shape.count) == len(expected)
    stored.part.close()


@pytest.mark.parametrize(("make", "words"), [(tables, 1), (tables, 2), (state_tables, 1), (pages, 1), (pages, 2)])
def test_equal_homes(make: Callable[..., Any], words: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The worst hash: all states have the same home, and all but a few bits of the hash are equal."""
    engine = plain_engine()
    stored, expected = Stored(engine, make, words, 0), {}
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


@pytest.mark.parametrize(("make", "words", "extra"), KINDS)
def test_a_table_takes_what_memory_there_is(make: Callable[..., Any], words: int, extra: int) -> None:
    """A table that cannot be doubled is filled further, then it grows by less; nothing is lost by that, nor when there
    is more memory again."""
    stored, random, expected = Stored(plain_engine(), make, words, extra), Random(3), {}

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
        stored = Stored(engine, pages, 2, 0)
        kernel = engine.modules["store.paged_kernel"]
        largest = 0
        for turn in range(6):
            numbers = [stored.add((turn, number)) for number in range(100)]
            assert None not in numbers
            walked, number = [], kernel.first_of(stored._store(), stored.chain)
            while number != NONE:
                walked.append(int(number))
                number = kernel.after(stored._store(), number)
            assert walked == numbers, "a layer is walked in the order of arrival"
            records = [int(kernel.record_of(stored._store(), U(number))) for number in walked]
            assert records == list(range(100 * turn, 100 * turn + 100))
            while not kernel.forget_chain(stored._store(), stored.chain, U(3)):
                pass
            assert all(stored.find((turn, number)) == NONE for number in range(100))
            largest = largest or int(stored.part.shape.pages)
        assert int(stored.part.shape.pages) == largest
        assert int(stored.part.shape.count) == 0


@pytest.mark.parametrize("words", [1, 2, 3])
def test_bytes_of_many_small_layers_are_those_of_the_states(words: int) -> None:
    """A hundred thousand states in one layer or in ten thousand: about the same memory."""
    from graph_kernel import Graph, graph_kernel

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
