"""The arrays of a sweep's profile and its sample of regress edges (see `profile_recorder_kernel`)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from strandline.engine.parts.part import Part
from strandline.engine.parts.profile import LayerFigures, swept_layers, with_layer
from strandline.engine.runtime import sizes
from strandline.engine.runtime.memory import WordArray
from strandline.engine.runtime.records import CELL, RECORDER, fields, record, rows_of

if TYPE_CHECKING:
    from strandline.engine.parts.profile_recorder_kernel import Recorder


class RecorderPart(Part):
    """The profile and the sample of regress edges of one thread of a sweep."""

    def __init__(self, words: int) -> None:
        self._words = words
        self._cells: WordArray = np.zeros(sizes.PROFILE_CELLS * len(fields(CELL)), dtype=np.uint64)
        self._sample: WordArray = np.zeros(sizes.SAMPLED_EDGES * (words + 1), dtype=np.uint64)
        self._state = record(RECORDER, grain=1)

    def recorder(self) -> Recorder:
        from strandline.engine.parts.profile_recorder_kernel import Recorder

        return Recorder(rows_of(self._cells, CELL), self._sample, self._state)

    @property
    def words(self) -> int:
        return len(self._cells) + len(self._sample)

    def layers(self, standing: tuple[tuple[int, int], int] | None, counts: Any) -> tuple[LayerFigures, ...]:
        """Return the profile: finished layers, and the one where the line stands (`LayersPart.standing`)."""
        left = swept_layers(rows_of(self._cells, CELL)[: int(self._state.cells)])
        if standing is None:
            return left
        key, taken = standing
        expanded = int(counts.visited - self._state.visited)
        present = LayerFigures(
            first=key,
            last=key,
            layers=1,
            stored=int(counts.stored),
            visited=expanded,
            revisited=0,
            persistent=expanded - min(expanded, taken),
        )
        return with_layer(left, present)

    def leave_out(self, visits: int) -> None:
        """Count visits without assigning them to a layer of the profile."""
        self._state.visited += np.uint64(visits)

    def regress_edges(self) -> list[tuple[tuple[int, ...], int]]:
        """Return the sampled edges; see `Details`."""
        size = self._words + 1
        rows = self._sample[: int(self._state.sampled) * size].reshape(-1, size).tolist()
        return [(tuple(row[: self._words]), row[self._words]) for row in rows]
