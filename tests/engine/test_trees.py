"""States as trees of parts: a set that loses nothing, whatever grows, is displaced or needs wider numbers."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from random import Random
from typing import Any

import numpy as np
import pytest
from graph_kernel import graph_kernel, random_graph
from hypothesis import given, settings
from hypothesis import strategies as st
from plain import Engine, compiled_engine, plain_engine
from running import Run, explore, smallest_arrays

import strandline
from strandline.checker.verdicts.verdict import Answer
from strandline.compile.host import compile_system
from strandline.engine.runtime.codes import CONTINUE, GROW, NONE
from strandline.engine.search import Event
from strandline.engine.store.kinds import TREE
from strandline.errors import ResourceError
from strandline.languages import dve
from strandline.report.style import Style
from strandline.report.text import verdict_text
from strandline.source import Source

U = np.uint64
State = tuple[int, ...]


class Stored:
    """A `Tree` of the plain engine, driven from outside, with arrays that grow only when it asks."""

    def __init__(self, engine: Engine, words: int, *, bits: int = 64) -> None:
        self._modules = engine.modules
        self._interface = engine.modules["store.interface"]
        width = (0,) * words if words <= 2 else words
        self.words = words
        self.part = engine.modules["store.tree"].TreePart(width, bits=bits)
        self.found, self.affordable = 0, 1 << 40

    def _store(self) -> Any:
        """The part imports its named tuples when it is asked for them: they must be those of these modules."""
        store, modules = self.part.store(), self._modules
        if self.words == 1:
            return modules["store.quotient_kernel"].Keys(*store)
        nodes = modules["store.table_kernel"].NumberTable(*store.nodes)
        return modules["store.tree_kernel"].Tree(*store._replace(nodes=nodes))

    def _until_done(self, work: Callable[[Any], int]) -> None:
        while (code := work(self._store())) != CONTINUE:
            if code == GROW and not self.part.grow(lambda: self.affordable):
                raise MemoryError

    def add(self, state: State) -> bool:
        """Whether the state is new."""
        interface, array = self._interface, np.array(state, dtype=U)
        if self.words > 1:
            self._until_done(lambda store: self._modules["store.tree_kernel"]._make_room_for_nodes(store, U(1)))
        hash_value = interface.fingerprint(self._store(), array, U(0))
        self._until_done(interface.make_room)
        while not interface.entry_room(self._store(), U(self.found)):
            assert self.part.grow(lambda: 1 << 40)
        known = interface.find(self._store(), array, U(0), hash_value) != NONE
        new = interface.add(self._store(), U(self.found), array, U(0), hash_value) == self.found
        assert new != known
        self.found += new
        return bool(new)

    def state(self, number: int) -> State:
        array, at = self._interface.open_entry(self._store(), U(number))
        return tuple(int(word) for word in array[int(at) : int(at) + self.words])


def narrow_numbers(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    """Numbers of parts that are used up after a few, and tables that begin with nothing."""
    for name, value in (("NODE_BITS", 3), ("FURTHER_NODE_BITS", 2), ("ENTRIES", 1), ("TABLE", 1), ("RECENT_NODES", 4)):
        monkeypatch.setattr(engine.sizes, name, value)


@pytest.mark.parametrize("words", [1, 2, 3, 5])
@given(st.lists(st.tuples(st.integers(0, 40), st.integers(0, 6)), max_size=80), st.booleans())
@settings(max_examples=15)
def test_a_tree_is_a_set(words: int, states: list[tuple[int, int]], wide: bool) -> None:
    engine = plain_engine()
    with pytest.MonkeyPatch.context() as patch, np.errstate(over="ignore"):
        narrow_numbers(engine, patch)
        stored, expected = Stored(engine, words), list[State]()
        for one, other in states:
            state = tuple((one, other)[place % 2] ^ (0xFFFF_FFFF_FFFF_FFFF if wide else 0) for place in range(words))
            assert stored.add(state) == (state not in expected)
            if state not in expected:
                expected.append(state)
        assert [stored.state(number) for number in range(len(expected))] == expected
        assert int(stored.part.shape.count) == len(expected)
        stored.part.close()


def test_keys_that_all_belong_to_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    """The worst case: they push each other further, and in the end are kept beside the table, which grows no more for
    that."""
    engine = plain_engine()
    monkeypatch.setattr(engine.modules["store.quotient_kernel"], "mix_key", lambda key, bits: key)
    with np.errstate(over="ignore"):
        stored = Stored(engine, 1)
        keys = list(range(150))
        Random(1).shuffle(keys)
        for key in keys:
            assert stored.add((key,))
            assert not stored.add((key,))
        assert all(not stored.add((key,)) for key in keys)
        assert int(stored.part.shape.deferred) > 0
        assert int(stored.part._form.buckets) < 1000
        monkeypatch.setattr(stored.part, "_scratch", stored.part._scratch[: int(stored.part.shape.deferred)])
        stored.add((1000,))
        with pytest.raises(ResourceError, match="too many states have the same hash slot"):
            stored.part.note_used(stored.found)


@pytest.mark.parametrize("bits", [40, 41, 47, 63, 64])
def test_a_value_is_told_from_its_line_and_its_quotient(bits: int) -> None:
    """For tables of any size; and mixed keys can be unmixed."""
    kernel, records = plain_engine().modules["store.bucket_kernel"], plain_engine().modules["runtime.records"]
    random = Random(bits)
    with np.errstate(over="ignore"):
        for lines in (64, 65, 127, 8192, 11_468, (1 << 31) - 1):
            form = records.record(records.FORM)
            kernel.set_form(form, U(bits), U(lines))
            most = (1 << bits) - 1
            for value in (0, 1, most, most - 1, *(random.randrange(most) for _ in range(50))):
                line, quotient = kernel.bucket_of(form, U(value)), kernel.quotient_of(form, U(value))
                assert int(line) < lines
                assert int(quotient) >> (bits - int(form.shift)) == 0
                assert int(kernel.value_of(form, line, quotient)) == value
                assert int(kernel.unmix_key(kernel.mix_key(U(value), U(bits)), U(bits))) == value


def test_a_table_that_cannot_grow_is_filled_further() -> None:
    with np.errstate(over="ignore"):
        stored, random = Stored(plain_engine(), 1), Random(2)
        while not stored.part.shape.most:
            stored.add((random.getrandbits(64),))
        usual, stored.affordable = int(stored.part.shape.most), 0
        with suppress(MemoryError):
            while True:
                stored.add((random.getrandbits(64),))
        assert usual < stored.found <= 0.98 * int(stored.part._form.buckets) * int(stored.part._form.room)
        stored.affordable = 1 << 40
        assert all(not stored.add(stored.state(number)) for number in range(0, stored.found, 7))


def test_more_tree_nodes_than_can_be_numbered(monkeypatch: pytest.MonkeyPatch) -> None:
    engine = plain_engine()
    narrow_numbers(engine, monkeypatch)
    monkeypatch.setattr(engine.modules["store.tree"], "_MOST_NODE_BITS", 5)
    stored = Stored(engine, 2)
    told = "tree compression has more than 32 tree nodes, the most that can be numbered"
    with np.errstate(over="ignore"):
        for number in range(31):
            assert stored.add((number, number))
        with pytest.raises(ResourceError, match=told):
            stored.add((99, 99))


@pytest.mark.parametrize("words", [1, 3, 12])
def test_plain_search_is_the_compiled_search(words: int) -> None:
    engine = plain_engine()
    keeping = engine.modules["store.kinds"].TREE
    for seed in range(3):
        kernel = graph_kernel(random_graph(Random(seed), 40, 90), words)
        usual = explore(kernel, "bfs")
        with smallest_arrays(engine), np.errstate(over="ignore"):
            plain = explore(kernel, "bfs", engine=engine, store_kind=keeping)
        compiled = explore(kernel, "bfs", store_kind=TREE)
        assert plain.links == compiled.links == usual.links
        assert plain.seen == compiled.seen == usual.seen
        assert plain.levels == compiled.levels == usual.levels


def test_numbers_become_wider_in_the_middle_of_a_search(monkeypatch: pytest.MonkeyPatch) -> None:
    kernel = graph_kernel(random_graph(Random(5), 400, 900), 3)
    usual = explore(kernel, "bfs")
    narrow_numbers(compiled_engine(), monkeypatch)
    run = Run(kernel, "bfs", store_kind=TREE)
    outcome = run.advance()
    assert (outcome.links, outcome.seen) == (usual.links, usual.seen)
    assert int(run.search._table._form.half) > 3
    run.search.close()


def counters(count: int, most: int, step: int = 1) -> Any:
    """Processes that count in steps; with large steps a state takes several words."""
    counting = f"trans a -> a {{ guard x < {most * step}; effect x = x + {step}; }}"
    process = f"{{ int x; state a; init a; {counting}; }}"
    text = "".join(f"process C{number} {process}\n" for number in range(count)) + "system async;"
    return dve.load(Source("counters", text))


def test_searches_with_trees_are_complete_and_small() -> None:
    wide = counters(5, 14, 2000)
    assert compile_system(wide).words > 1
    exact, tree = (strandline.explore(wide, store=store) for store in ("exact", "tree"))
    assert tree.complete
    for name in ("states", "transitions", "deadlocks", "visited", "levels"):
        assert getattr(tree.statistics, name) == getattr(exact.statistics, name), name
    assert tree.statistics.peak_bytes < 0.8 * exact.statistics.peak_bytes


def test_where_memory_is_short_the_table_grows_by_what_there_is() -> None:
    """It is enough for all states, though less than a table has that grows in its usual steps."""
    kernel = compile_system(counters(4, 27))
    free = Run(kernel, "bfs", store_kind=TREE, collect=False)
    assert free.advance().event is Event.DONE
    lines = int(free.search._table._form.buckets)
    limit = free.outcome.statistics.peak_bytes * 9 // 10
    limited = Run(kernel, "bfs", store_kind=TREE, collect=False, engine_bytes=limit)
    assert limited.advance().event is Event.DONE
    assert limited.outcome.levels == free.outcome.levels
    assert limited.outcome.links == free.outcome.links
    assert int(limited.search._table._form.buckets) < lines
    for run in (free, limited):
        run.search.close()


def test_a_trace_is_a_shortest_one() -> None:
    verdict = strandline.check(counters(4, 2), invariants=["C0.x + C3.x < 3", "C1.x < 3"], store="tree")
    assert [one.answer for one in verdict.properties] == [Answer.VIOLATED, Answer.HOLDS]
    assert verdict.trace is not None
    assert len(verdict.trace) == 3
    assert "no shorter one exists" in verdict_text(verdict, Style())
