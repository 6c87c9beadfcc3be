"""The map of layers and the heap, run as plain Python, against a dictionary and `heapq`."""

from __future__ import annotations

import heapq
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from plain import plain_engine

from strandline.engine.runtime.codes import NONE

U = np.uint64


class Rows:
    """The layers of a sweep that has not begun."""

    def __init__(self, layers: int) -> None:
        engine = plain_engine()
        self.kernel = engine.modules["parts.layer_table_kernel"]
        before, engine.sizes.LAYERS = engine.sizes.LAYERS, layers
        self.part = engine.modules["parts.line"].LayersPart()
        engine.sizes.LAYERS = before

    def make(self, column: int, layer: int) -> int:
        return int(self.kernel._new_row(self.part.layers(), U(column), U(layer)))

    def find(self, column: int, layer: int) -> int:
        return int(self.kernel.find_row(self.part.layers(), U(column), U(layer)))

    def remove(self, row: int) -> None:
        self.kernel.remove_row(self.part.layers(), U(row))


keys = st.tuples(st.integers(0, 2), st.integers(0, 6))


@given(st.lists(keys, max_size=120))
def test_the_map_of_layers_is_a_dictionary(steps: list[tuple[int, int]]) -> None:
    """Each step makes the layer where there is none and removes it where there is one."""
    with np.errstate(over="ignore"):
        rows = Rows(12)
        expected: dict[Any, Any] = {}
        for key in steps:
            if key in expected:
                rows.remove(expected.pop(key))
            else:
                row = rows.make(*key)
                if row == int(NONE):
                    assert len(expected) == 12
                    assert rows.part.line.wanted_rows == 13
                else:
                    assert row not in expected.values()
                    expected[key] = row
            for column in range(3):
                for layer in range(7):
                    assert rows.find(column, layer) == expected.get((column, layer), int(NONE))


@given(st.lists(keys, unique=True, max_size=12))
def test_layers_that_must_grow_keep_everything(layers: list[tuple[int, int]]) -> None:
    with np.errstate(over="ignore"):
        rows = Rows(1)
        expected = {}
        for key in layers:
            while (row := rows.make(*key)) == int(NONE):
                assert rows.part.grow(lambda: 1 << 40)
            expected[key] = row
        assert all(rows.find(*key) == row for key, row in expected.items())


@given(st.lists(st.one_of(st.none(), keys), max_size=60))
def test_layers_leave_the_heap_in_order(steps: list[tuple[int, int] | None]) -> None:
    """A key is pushed, None takes the least; a layer that waits already is not pushed twice."""
    with np.errstate(over="ignore"):
        rows = Rows(21)
        known: dict[tuple[int, int], int] = {}
        waiting: list[tuple[int, int]] = []
        for key in [*steps, *[None] * len(steps)]:
            if key is not None:
                row = known.setdefault(key, rows.make(*key) if key not in known else 0)
                rows.kernel.queue_layer(rows.part.layers(), U(row))
                if key not in waiting:
                    heapq.heappush(waiting, key)
            elif waiting:
                assert int(rows.kernel.pop_layer(rows.part.layers())) == known[heapq.heappop(waiting)]
            assert rows.part.line.waiting == len(waiting)
