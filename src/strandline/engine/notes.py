"""What a sweep has noted for reports (`strandline.engine.noting`): its profile and some of its regress edges."""

from __future__ import annotations

import numpy as np

from strandline.engine import registers as r
from strandline.engine import sizes
from strandline.engine.memory import WordArray
from strandline.engine.profile import LayerFigures, swept_layers, with_layer


class Notes:
    """The arrays that the kernels of a sweep fill, and what they say; of a search without a measure they are empty."""

    def __init__(self, regs: WordArray, words: int, *, measured: bool) -> None:
        self._regs, self._words = regs, words
        self.profile: WordArray = np.zeros(sizes.PROFILE_CELLS * r.CELL if measured else 0, dtype=np.uint64)
        self.sample: WordArray = np.zeros(sizes.SAMPLED_EDGES * (words + 1) if measured else 0, dtype=np.uint64)
        regs[r.PROFILE_GRAIN] = 1

    def __len__(self) -> int:
        return len(self.profile) + len(self.sample)

    def layers(self, line: tuple[int, int], buckets: WordArray) -> tuple[LayerFigures, ...]:
        """The profile: layers that were left, and the one in which the line stands."""
        regs = self._regs
        left = swept_layers(self.profile[: int(regs[r.PROFILE_COUNT]) * r.CELL])
        if regs[r.CURRENT] == r.NONE:
            return left
        expanded = int(regs[r.VISITED] - regs[r.PROFILE_VISITED])
        present = LayerFigures(
            first=line,
            last=line,
            layers=1,
            stored=int(regs[r.STORED]),
            visited=expanded,
            revisited=0,
            persistent=expanded - min(expanded, int(buckets[int(regs[r.CURRENT]) + r.LIVE + r.HEAD])),
        )
        return with_layer(left, present)

    def leave_out(self, visits: int) -> None:
        """Visits that are counted and belong to no layer."""
        self._regs[r.PROFILE_VISITED] += np.uint64(visits)

    def regress_edges(self) -> list[tuple[tuple[int, ...], int]]:
        """See `BaseSearch.sampled_regress_edges`."""
        rows = self.sample[: int(self._regs[r.SAMPLE_COUNT]) * (self._words + 1)].reshape(-1, self._words + 1).tolist()
        return [(tuple(row[: self._words]), row[self._words]) for row in rows]
