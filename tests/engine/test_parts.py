"""The parts of the engine, run as plain Python, against dictionaries, sets and `heapq`."""

from __future__ import annotations

import heapq
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from plain import plain_engine

U = np.uint64


@pytest.fixture(autouse=True)
def _arithmetic_wraps() -> Iterator[None]:
    """Machine words overflow on purpose in hashes; in plain Python NumPy would warn of it."""
    with np.errstate(over="ignore"):
        yield


class Pools:
    """Registers and the two pools, as a Search makes them, large enough for what the tests do."""

    def __init__(self, size: int = 1 << 14) -> None:
        engine = plain_engine()
        self.r = engine.registers
        self.regs = np.zeros(self.r.REGISTERS, dtype=U)
        self.regs[self.r.FREE_LAYER] = self.r.NONE
        self.index, self.store = np.zeros(size, dtype=U), np.zeros(size, dtype=U)
        self.scratch = np.zeros(1 << 10, dtype=U)


def test_block_sizes_grow_four_times_an_octave() -> None:
    pool = plain_engine().pool
    sizes = [int(pool.class_size(U(number))) for number in range(13)]
    assert sizes == [16, 20, 24, 28, 32, 40, 48, 56, 64, 80, 96, 112, 128]
    for words in range(1, 200):
        found = int(pool.class_for(U(words)))
        assert pool.class_size(U(found)) >= words
        assert found == 0 or pool.class_size(U(found - 1)) < words


@given(st.lists(st.tuples(st.sampled_from(("take", "give", "enlarge")), st.integers(0, 9)), max_size=60))
def test_blocks_never_overlap_and_keep_their_contents(steps: list[tuple[str, int]]) -> None:
    with np.errstate(over="ignore"):
        pools, pool = Pools(1 << 9), plain_engine().pool
        top = pools.r.STORE_TOP
        place = (pools.store, pools.regs, top)
        held: dict[int, tuple[int, int]] = {}
        mark = 1
        for step, number in steps:
            if step == "take":
                offset = pool.take(*place, U(number))
                if offset == pools.r.NONE:
                    assert pools.regs[top + pools.r.WANT] > len(pools.store)
                    continue
            elif not held:
                continue
            else:
                offset = sorted(held)[number % len(held)]
                old, expected = held.pop(offset)
                size = int(pool.class_size(U(old)))
                assert (pools.store[offset : offset + size] == expected).all()
                if step == "give":
                    pool.give(*place, U(offset), U(old))
                    continue
                number = old + 1
                moved = pool.enlarge(*place, U(offset), U(old), U(number))
                if moved == pools.r.NONE:
                    held[offset] = (old, expected)
                    continue
                assert (pools.store[int(moved) : int(moved) + size] == expected).all()
                offset = moved
            size = int(pool.class_size(U(number)))
            pools.store[int(offset) : int(offset) + size] = mark
            held[int(offset)] = (number, mark)
            mark += 1
        sizes = {offset: int(pool.class_size(U(number))) for offset, (number, _) in held.items()}
        assert pools.regs[top] == sum(sizes.values()) + pools.regs[top + pools.r.IDLE], "no word is lost"
        for offset, (number, expected) in held.items():
            assert (pools.store[offset : offset + int(pool.class_size(U(number)))] == expected).all()


class PlainSet:
    """A bucket alone."""

    def __init__(self, words: int, entry: int) -> None:
        self.bucket, self.pools = plain_engine().bucket, Pools()
        self.words, self.entry = (0,) * words if words <= 2 else words, U(entry)
        self.width = words
        self.buckets = np.zeros(16, dtype=U)

    def add(self, state: tuple[int, ...], extra: int) -> int:
        array, pools = np.array(state, dtype=U), self.pools
        hash_value = self.bucket.state_hash(array, U(0), self.words)
        return self.bucket.add(
            array, U(0), hash_value, self.words, self.entry, U(extra), self.buckets, U(4),
            pools.index, pools.store, pools.regs, pools.scratch,
        )  # fmt: skip

    def contains(self, state: tuple[int, ...]) -> bool:
        array, pools = np.array(state, dtype=U), self.pools
        hash_value = self.bucket.state_hash(array, U(0), self.words)
        return self.bucket.contains(
            array, U(0), hash_value, self.words, self.entry, self.buckets, U(4), pools.index, pools.store
        )

    def entries(self) -> list[tuple[int, ...]]:
        """The arena: states in the order of arrival, each with its extra word where it has one."""
        r = self.pools.r
        count, arena = int(self.buckets[4 + r.COUNT]), int(self.buckets[4 + r.ARENA])
        entry = int(self.entry)
        rows = self.pools.store[arena : arena + count * entry].reshape(-1, entry)
        return [tuple(row) for row in rows.tolist()]


@pytest.mark.parametrize(("words", "entry"), [(1, 1), (1, 2), (2, 2), (2, 3), (3, 4), (10, 11), (25, 26)])
@given(numbers=st.lists(st.integers(0, 70), max_size=90), wide=st.booleans())
def test_a_bucket_is_a_set_in_the_order_of_arrival(words: int, entry: int, numbers: list[int], wide: bool) -> None:
    with np.errstate(over="ignore"):
        states, arrived = PlainSet(words, entry), {}
        top = (1 << 63) - 1 if words == 1 else (1 << 64) - 1
        for extra, number in enumerate(numbers):
            state = (top - number if wide else number,) * words
            assert states.contains(state) == (state in arrived)
            outcome = states.add(state, extra)
            assert outcome == (states.bucket.PRESENT if state in arrived else states.bucket.ADDED)
            arrived.setdefault(state, extra)
        expected = [state + ((extra,) if entry > words else ()) for state, extra in arrived.items()]
        assert states.entries() == expected
        assert all(states.contains(state) for state in arrived)


def spread(width: tuple[int, ...], table: np.ndarray, scratch: np.ndarray) -> bool:
    """Grow a table in place from 16 to 24 slots; False, and said why, when the scratch array is too small."""
    engine = plain_engine()
    regs = np.zeros(engine.registers.REGISTERS, dtype=U)
    regs[engine.registers.SPREAD_NEXT] = 16
    done = engine.bucket.spread(width, table, U(0), U(24), regs, scratch)
    assert bool(regs[engine.registers.CLUSTERED]) is not done
    return done


@pytest.mark.parametrize("words", [1, 2])
@given(hashes=st.lists(st.integers(1, (1 << 63) - 1), unique=True, min_size=1, max_size=11))
def test_spreading_keeps_every_entry_findable(words: int, hashes: list[int]) -> None:
    """Any contents at all, also those with one home: a table grows in place from 16 to 24 slots."""
    with np.errstate(over="ignore"):
        bucket = plain_engine().bucket
        width = (0,) * words
        contents = [number | 1 << 63 if words == 1 else number for number in hashes]
        table = np.zeros(24, dtype=U)

        def home(content: int, slots: int) -> int:
            return int(bucket._home_of_content(width, U(content), U(slots)))

        for content in contents:
            slot = home(content, 16)
            while table[slot]:
                slot = (slot + 1) % 16
            table[slot] = content
        assert spread(width, table, np.zeros(16, dtype=U))
        assert sorted(table[table != 0].tolist()) == sorted(contents)
        for content in contents:
            slot = home(content, 24)
            while table[slot] != content:
                assert table[slot], "a gap between home and entry: it would not be found"
                slot = (slot + 1) % 24


def test_spreading_says_when_its_scratch_is_too_small() -> None:
    """Eleven entries whose home is slot 0, old and new: all but the first must be put off."""
    with np.errstate(over="ignore"):
        table = np.zeros(24, dtype=U)
        table[:11] = np.arange(1, 12)
        assert not spread((0, 0), table.copy(), np.zeros(9, dtype=U))
        assert spread((0, 0), table, np.zeros(10, dtype=U))


class Rows:
    """The map of layers."""

    def __init__(self, layers: int) -> None:
        self.engine, self.pools = plain_engine(), Pools()
        self.buckets = np.zeros(layers * 16, dtype=U)
        self.places = np.zeros(2 * layers, dtype=U)
        self.heap = np.zeros(layers, dtype=U)

    def make(self, column: int, layer: int) -> int:
        return int(
            self.engine.layers.make_layer(U(column), U(layer), self.buckets, self.places, self.heap, self.pools.regs)
        )

    def find(self, column: int, layer: int) -> int:
        return int(self.engine.layers.find_layer(U(column), U(layer), self.buckets, self.places))

    def remove(self, row: int) -> None:
        self.engine.layers.remove_layer(U(row), self.buckets, self.places, self.pools.regs)


keys = st.tuples(st.integers(0, 2), st.integers(0, 6))


@given(st.lists(keys, max_size=120))
def test_the_map_of_layers_is_a_dictionary(steps: list[tuple[int, int]]) -> None:
    """Each step makes the layer where there is none and removes it where there is one."""
    with np.errstate(over="ignore"):
        rows, expected = Rows(12), {}
        nothing = int(rows.pools.r.NONE)
        for key in steps:
            if key in expected:
                rows.remove(expected.pop(key))
            else:
                row = rows.make(*key)
                if row == nothing:
                    assert len(expected) == 12
                    assert rows.pools.regs[rows.pools.r.WANT_LAYERS] == 13
                else:
                    assert row not in expected.values()
                    expected[key] = row
            for column in range(3):
                for layer in range(7):
                    assert rows.find(column, layer) == expected.get((column, layer), nothing)


@given(st.lists(keys, unique=True, max_size=12))
def test_a_rebuilt_map_has_everything(layers: list[tuple[int, int]]) -> None:
    with np.errstate(over="ignore"):
        rows = Rows(12)
        expected = {key: rows.make(*key) for key in layers}
        larger = np.zeros(100, dtype=U)
        rows.engine.layers.rebuild_map(rows.places, larger, rows.buckets)
        rows.places = larger
        assert all(rows.find(*key) == row for key, row in expected.items())


@given(st.lists(st.one_of(st.none(), keys), max_size=60))
def test_layers_leave_the_heap_in_order(steps: list[tuple[int, int] | None]) -> None:
    """A key is pushed, None takes the least; a layer that waits already is not pushed twice."""
    with np.errstate(over="ignore"):
        rows, layers = Rows(21), plain_engine().layers
        known: dict[tuple[int, int], int] = {}
        waiting: list[tuple[int, int]] = []
        regs = rows.pools.regs
        for key in [*steps, *[None] * len(steps)]:
            if key is not None:
                row = known.setdefault(key, rows.make(*key) if key not in known else 0)
                layers.push(U(row), rows.heap, rows.buckets, regs)
                if key not in waiting:
                    heapq.heappush(waiting, key)
            elif waiting:
                assert int(layers.pop(rows.heap, rows.buckets, regs)) == known[heapq.heappop(waiting)]
            assert regs[rows.pools.r.HEAP_COUNT] == len(waiting)
