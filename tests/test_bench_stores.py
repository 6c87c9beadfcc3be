"""The stores that are measured beside those of the product: each is a set, and the automaton is the smallest."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numba
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import _automaton_kernel
import _collapse_kernel
from _stores import AutomatonPart, CollapsePart, components_of, symbols_of
from strandline.compile.module import emit
from strandline.engine.runtime.codes import CONTINUE, GROW, NONE
from strandline.languages import load

U = np.uint64
njit: Any = partial(numba.njit, nogil=True, _nrt=False)()
"""As the engine's kernels are compiled, but nothing is kept: what is measured only is no part of the engine's cache."""
State = tuple[int, ...]
WORDS = 2

# Symbols of one to five bits in two words, and components of one word and of both.
SYMBOLS = [(0, 0, 0b11), (0, 2, 0b1), (1, 60, 0b1111), (0, 40, 0b11111), (1, 0, 0b111)]
COMPONENTS = [((0, 0b111),), ((0, 0b11111 << 40), (1, 0b111)), ((1, 0b1111 << 60),)]


def state_of(symbols: Sequence[int]) -> State:
    words = [0] * WORDS
    for value, (word, shift, mask) in zip(symbols, SYMBOLS, strict=True):
        words[word] |= (value & mask) << shift
    return tuple(words)


states = st.tuples(*(st.integers(0, mask) for _, _, mask in SYMBOLS)).map(state_of)
tiny = st.tuples(*(st.integers(0, 1) for _ in SYMBOLS)).map(state_of)
"""So few that whole parts of the automaton become equal."""
near = st.tuples(*(st.integers(0, min(mask, 2)) for _, _, mask in SYMBOLS)).map(state_of)


@njit
def _add_to_automaton(store, rows, new, first):
    """Add rows from `first` on; which are new. Up to which, and why no further."""
    for row in range(first, U(len(new))):
        if store.shape.count >= store.shape.most:
            code = _automaton_kernel.grow_table(store)
            if code != CONTINUE:
                return row, code
        if (store.shape.count + U(1)) * store.entry > U(len(store.entries)):
            store.shape.wanted_entries = (store.shape.count + U(1)) * store.entry
            return row, GROW
        number = store.shape.count
        new[row] = _automaton_kernel.add(store, number, rows, row * U(WORDS), U(0)) == number
    return U(len(new)), CONTINUE


@njit
def _add_to_collapse(store, rows, new, first):
    """As for the automaton; no row has a source."""
    for row in range(first, U(len(new))):
        key, room = _collapse_kernel._folded(store, rows, row * U(WORDS), NONE)
        if not room:
            return row, GROW
        if store.shape.count >= store.shape.most:
            code = _collapse_kernel.grow_table(store)
            if code != CONTINUE:
                return row, code
        number = store.shape.count
        value = _collapse_kernel.mix_key(key, store.keys.form.bits)
        new[row] = _collapse_kernel.add(store, number, rows, row * U(WORDS), value) == number
    return U(len(new)), CONTINUE


@njit
def _in_automaton(store, rows, found):
    for row in range(U(len(found))):
        found[row] = _automaton_kernel.find(store, rows, row * U(WORDS), U(0)) != NONE


@njit
def _open_all(store, rows):
    for row in range(store.shape.count):
        array, at = _collapse_kernel.open_entry(store, row)
        for word in range(U(WORDS)):
            rows[row * U(WORDS) + word] = array[at + word]


@njit
def _in_collapse(store, rows, found):
    for row in range(U(len(found))):
        found[row] = _collapse_kernel.find(store, rows, row * U(WORDS), U(0)) != NONE


def automaton() -> AutomatonPart:
    return AutomatonPart((0,) * WORDS, SYMBOLS)


def collapse() -> CollapsePart:
    return CollapsePart((0,) * WORDS, COMPONENTS)


def flat(rows: Sequence[State]) -> Any:
    return np.array(rows, dtype=U).reshape(-1)


def add_all(part: Any, rows: Sequence[State]) -> list[bool]:
    """Which of the states are new, added one after the other."""
    kernel = _add_to_automaton if isinstance(part, AutomatonPart) else _add_to_collapse
    new, first, code = np.zeros(len(rows), dtype=np.bool_), 0, GROW
    while code != CONTINUE:
        first, code = kernel(part.store(), flat(rows), new, U(first))
        part.note_used(int(part.store().shape.count))
        if code == GROW:
            assert part.grow(lambda: 1 << 60)
    return [bool(one) for one in new]


def has(part: Any, rows: Sequence[State]) -> list[bool]:
    found = np.zeros(len(rows), dtype=np.bool_)
    (_in_automaton if isinstance(part, AutomatonPart) else _in_collapse)(part.store(), flat(rows), found)
    return [bool(one) for one in found]


def news(rows: Sequence[State]) -> list[bool]:
    """Return the answers of a set."""
    known: set[State] = set()
    return [not (row in known or known.add(row)) for row in rows]  # type: ignore[func-returns-value]


def least_nodes(rows: Sequence[State]) -> int:
    """How many nodes the smallest automaton with these layers has: of each layer, as many as there are different sets
    of what may follow."""

    def layer(words: frozenset[State]) -> set[tuple[int, frozenset[State]]]:
        followed: set[tuple[int, frozenset[State]]] = {(len(next(iter(words))), words)}
        for symbol in {word[0] for word in words}:
            rest = frozenset(word[1:] for word in words if word[0] == symbol)
            if rest != {()}:
                followed |= layer(rest)
        return followed

    words = frozenset(tuple((row[word] >> shift) & mask for word, shift, mask in SYMBOLS) for row in rows)
    return len(layer(words))


@pytest.mark.parametrize("make", [automaton, collapse])
@given(rows=st.lists(near | states, min_size=1, max_size=60), others=st.lists(near | states, min_size=1, max_size=20))
@settings(max_examples=60, deadline=None)
def test_a_store_is_a_set(make: Any, rows: list[State], others: list[State]) -> None:
    part = make()
    assert add_all(part, rows) == news(rows)
    assert has(part, rows + others) == [row in set(rows) for row in rows + others]
    assert int(part.store().shape.count) == len(set(rows))
    part.close()


@given(rows=st.lists(tiny, min_size=1, max_size=40) | st.lists(near | states, min_size=1, max_size=60))
@settings(max_examples=150, deadline=None)
def test_the_automaton_is_the_smallest_one_after_every_insertion(rows: list[State]) -> None:
    part = automaton()
    for count in range(1, len(rows) + 1, max(1, len(rows) // 8)):
        add_all(part, rows[:count])
        assert int(part.form.nodes) == least_nodes(rows[:count])
    part.close()


def test_all_states_make_one_node_a_layer() -> None:
    rows = [state_of(symbols) for symbols in np.ndindex(*(mask + 1 for _, _, mask in SYMBOLS))]
    np.random.default_rng(1).shuffle(rows)
    part = automaton()
    assert all(add_all(part, rows))
    assert (int(part.form.nodes), int(part.form.edges)) == (len(SYMBOLS), sum(mask + 1 for _, _, mask in SYMBOLS))
    assert not any(add_all(part, rows))
    part.close()


@pytest.mark.parametrize("make", [automaton, collapse])
def test_many_states_make_tables_grow(make: Any) -> None:
    chance = np.random.default_rng(2)
    rows = [state_of(chance.integers(0, 32, len(SYMBOLS)).tolist()) for _ in range(20_000)]
    part = make()
    assert add_all(part, rows) == news(rows)
    assert not any(add_all(part, rows))
    assert all(has(part, rows))
    part.close()


def test_opened_states_of_a_collapse_are_what_was_added() -> None:
    part, rows = collapse(), [state_of(symbols) for symbols in np.ndindex(3, 2, 3, 4, 5)]
    add_all(part, rows)
    found = np.zeros(WORDS * len(rows), dtype=U)
    _open_all(part.store(), found)
    assert (found == flat(rows)).all()
    part.close()


MODEL = """
byte x = 0; int wide = 0;
process P {
  byte y = 0;
  state a, b;
  init a;
  trans a -> b { effect y = (y + 1) % 200, x = y; }, b -> a { effect wide = x; };
}
process Q { state c, d, e; init c; trans c -> d {}, d -> e {}, e -> c {}; }
system async;
"""


def test_symbols_and_components_cover_every_bit_once(tmp_path: Any) -> None:
    file = tmp_path / "model.dve"
    file.write_text(MODEL)
    system = load(file)
    layout = emit(system).layout
    fields = [0] * layout.words
    for field in layout.fields:
        fields[field.word] |= field.mask << field.shift
    symbols, components = [0] * layout.words, [0] * layout.words
    for word, shift, mask in symbols_of(layout):
        assert not symbols[word] & mask << shift
        assert mask.bit_length() <= _automaton_kernel.SYMBOL_BITS
        symbols[word] |= mask << shift
    for component in components_of(system, layout):
        for word, mask in component:
            assert not components[word] & mask
            components[word] |= mask
    assert len(components_of(system, layout)) == 3, "the global variables, P and Q"
    assert symbols == components == fields
