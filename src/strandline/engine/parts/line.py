"""The arrays of a sweep's layers, and their counters (`strandline.engine.parts.line_kernel`)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from strandline.engine.parts.part import Affordable, Part
from strandline.engine.parts.sketch import estimate, new_sketch
from strandline.engine.runtime import sizes
from strandline.engine.runtime.codes import BIAS, NONE
from strandline.engine.runtime.memory import WordArray, Words
from strandline.engine.runtime.records import CHAIN, LINE, ROW, fields, record, rows_of
from strandline.engine.search import Statistics

if TYPE_CHECKING:
    from strandline.engine.parts.layer_table_kernel import Layers

LAYERS, SWEEPS, COLUMNS = 1, 2, 4
"""Events of the line that a search can ask for."""
_ROW_WORDS, _CHAIN_WORDS = len(fields(ROW)), len(fields(CHAIN))
_WORDS_A_LAYER = _ROW_WORDS + 2 * _CHAIN_WORDS + 5


class LayersPart(Part):
    """The layers ahead of the line and those with persistent states.

    With `partial`, the Kernel marks the edges that regress.
    """

    def __init__(self, observed: int = 0, *, partial: bool = False) -> None:
        fields_of_events = {"observed": observed, "partial": int(partial)}
        self.line = record(LINE, row=int(NONE), free_row=int(NONE), sweeps=1, column_sweep=1, **fields_of_events)
        sizes_of_rows = (sizes.LAYERS * _ROW_WORDS, sizes.LAYERS * 2 * _CHAIN_WORDS)
        self._rows, self._chains = (Words(count, large=True) for count in sizes_of_rows)
        self._places: WordArray = np.zeros(2 * sizes.LAYERS, dtype=np.uint64)
        self._heap, self._pending, self._keepers = (Words(sizes.LAYERS, large=True) for _ in range(3))
        self.sketch = new_sketch()

    def layers(self) -> Layers:
        from strandline.engine.parts.layer_table_kernel import Layers

        rows, chains = rows_of(self._rows.array, ROW), rows_of(self._chains.array, CHAIN)
        lists = (self._heap.array, self._pending.array, self._keepers.array)
        return Layers(rows, chains, self._places, *lists, self.sketch, self.line)

    @property
    def count(self) -> int:
        """The number of layers for which there is room."""
        return len(self._heap)

    @property
    def key(self) -> tuple[int, int]:
        """Column and layer of the line."""
        return int(self.line.column) - BIAS, int(self.line.layer) - BIAS

    @property
    def distinct(self) -> int:
        """The estimated number of distinct states that were stored."""
        return estimate(self.sketch)

    def standing(self) -> tuple[tuple[int, int], int] | None:
        """Return the key of the line's layer and how many of its ordinary states were taken for expansion.

        Returns None while the line is between two layers.
        """
        if self.line.row == NONE or self.line.leaving:
            return None
        chains = rows_of(self._chains.array, CHAIN)
        return self.key, int(chains[2 * int(self.line.row)].taken)

    def join_spans(self) -> None:
        """Extend the span of each layer that has persistent states to the end of its block; see `block_ends`."""
        rows = rows_of(self._rows.array, ROW)
        numbers = self._keepers.array[: int(self.line.keepers)]
        rows["span"][numbers] = block_ends(rows["layer"][numbers], rows["span"][numbers])

    @property
    def words(self) -> int:
        return self.count * _WORDS_A_LAYER + len(self.sketch)

    def grow(self, affordable: Affordable) -> bool:
        if self.line.wanted_rows:
            # While the map is rebuilt, both maps are in memory.
            if self.count * _WORDS_A_LAYER + len(self._places) > affordable():
                return False
            self._double()
            self.line.wanted_rows = 0
        return True

    def load(self) -> None:
        from strandline.engine.parts.layer_table_kernel import rebuild_map
        from strandline.engine.runtime.jit import precompile

        precompile(rebuild_map, rows_of(self._rows.array, ROW), self._places, self._places)

    def _double(self) -> None:
        from strandline.engine.parts.layer_table_kernel import rebuild_map

        count = 2 * self.count
        for words in (self._heap, self._pending, self._keepers):
            words.grow(count)
        self._rows.grow(count * _ROW_WORDS)
        self._chains.grow(count * 2 * _CHAIN_WORDS)
        places: WordArray = np.zeros(2 * count, dtype=np.uint64)
        rebuild_map(rows_of(self._rows.array, ROW), self._places, places)
        self._places = places

    def close(self) -> None:
        for words in (self._rows, self._chains, self._heap, self._pending, self._keepers):
            words.close()


def add_line_counts(statistics: Statistics, *threads: LayersPart) -> Statistics:
    """Add the counters of all threads' lines to the statistics."""
    lines = [layers.line for layers in threads]
    persistent = sum(int(line.persistent) for line in lines)
    distinct = estimate(np.maximum.reduce([layers.sketch for layers in threads]))
    return replace(
        statistics,
        exact=statistics.exact and not persistent,
        persistent=persistent,
        regress_edges=sum(int(line.regress_edges) for line in lines),
        sweeps=int(lines[0].sweeps),
        layers=int(lines[0].layers_left),
        distinct=distinct,
        repeats=statistics.recorded / max(distinct, 1),
    )


def block_ends(layers: WordArray, spans: WordArray) -> WordArray:
    """Return the highest layer of the block of each layer, a block being layers whose spans overlap (001 §5.2).

    The span of a layer reaches up to the highest layer from which a regress edge leads to it; `spans` has that layer,
    or 0 if there is no such edge.
    """
    order = np.argsort(layers)
    reached = np.maximum.accumulate(spans[order])
    last = np.append(layers[order][1:] > reached[:-1], True)
    ends = np.empty_like(spans)
    ends[order] = reached[last][np.cumsum(last) - last]
    return ends
