"""The profile of a search: stored and visited states, layer by layer, in bounded space.

A sweep collects it in cells (`strandline.engine.parts.profile_recorder_kernel`). The layers of a breadth-first search
are the distances from the initial states, and its profile follows from the sizes of the levels.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise
from typing import Any

import numpy as np

from strandline.engine.runtime.codes import BIAS
from strandline.engine.runtime.memory import WordArray


@dataclass(frozen=True, slots=True)
class LayerFigures:
    """Figures of one layer, or of several neighbouring ones. Keys are (column, layer)."""

    first: tuple[int, int]
    last: tuple[int, int]
    layers: int
    """The number of layers; where neighbours are merged, layers that only a later sweep found may be missing."""
    stored: int
    """Most states stored at a time, in all layers, while the line stood here."""
    visited: int
    """Expansions here, in all sweeps."""
    revisited: int
    """Expansions here in later passes of the line: revisits, and first visits after regress edges."""
    persistent: int
    """Expansions of persistent states among these; each is expanded once."""

    def __add__(self, other: LayerFigures) -> LayerFigures:
        """Merge two neighbours."""
        return LayerFigures(
            min(self.first, other.first),
            max(self.last, other.last),
            self.layers + other.layers,
            max(self.stored, other.stored),
            self.visited + other.visited,
            self.revisited + other.revisited,
            self.persistent + other.persistent,
        )


def swept_layers(cells: Any) -> tuple[LayerFigures, ...]:
    """Convert the cells of a sweep's profile, records of type `CELL`, to figures."""
    found = []
    for *keys, layers, stored, visited, revisited, persistent in cells.tolist():
        first, last = (keys[0] - BIAS, keys[1] - BIAS), (keys[2] - BIAS, keys[3] - BIAS)
        found.append(LayerFigures(first, last, layers, stored, visited, revisited, persistent))
    return tuple(found)


def with_layer(layers: Sequence[LayerFigures], further: LayerFigures) -> tuple[LayerFigures, ...]:
    """Add a layer to a profile that may contain it already."""
    before = [one for one in layers if one.first <= further.first]
    after = layers[len(before) :]
    if before and further.first <= before[-1].last:
        further = before.pop() + replace(further, layers=0, revisited=further.visited)
    return (*before, further, *after)


def without_ranks(layers: Sequence[LayerFigures], ranks: int) -> tuple[LayerFigures, ...]:
    """Remove the rank, the lowest bits of a layer, from a profile; the result has the layers of the measure."""
    found: list[LayerFigures] = []
    for one in layers if ranks > 1 else ():
        first, last = ((column, layer // ranks) for column, layer in (one.first, one.last))
        one = replace(one, first=first, last=last, layers=-(-one.layers // ranks))
        if found and found[-1].last == first:
            one = found.pop() + replace(one, layers=one.layers - 1)
        found.append(one)
    return tuple(found if ranks > 1 else layers)


def level_layers(sizes: WordArray, visited: int, most: int) -> tuple[LayerFigures, ...]:
    """Return the profile of a breadth-first search, in at most `most` parts.

    While a level is expanded, the next one is being stored.
    """
    found = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(sizes, dtype=np.int64)]).tolist()
    count = len(sizes)
    parts = min(count, most)
    bounds = [count * part // max(parts, 1) for part in range(parts + 1)]
    return tuple(
        LayerFigures(
            first=(0, start),
            last=(0, end - 1),
            layers=end - start,
            stored=found[min(end + 1, count)],
            visited=min(max(visited - found[start], 0), found[end] - found[start]),
            revisited=0,
            persistent=0,
        )
        for start, end in pairwise(bounds)
    )


def coarser(layers: Sequence[LayerFigures], most: int) -> tuple[LayerFigures, ...]:
    """Merge a profile to at most `most` parts of about as many layers each."""
    if len(layers) <= most:
        return tuple(layers)
    total = sum(one.layers for one in layers)
    before = accumulate((one.layers for one in layers), initial=0)
    parts: dict[int, LayerFigures] = {}
    for one, place in zip(layers, before, strict=False):
        part = place * most // total
        parts[part] = parts[part] + one if part in parts else one
    return tuple(parts.values())
