"""Simulate sweeps over a sample: what a measure would store and visit, without compiling it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from strandline.progress import kernels
from strandline.progress.sampling import Integers, Sample


@dataclass(frozen=True, slots=True)
class Figures:
    """The result of a sweep over a sample. If `finished` is false it was abandoned; these are lower bounds."""

    states: int
    peak_states: int
    visited: int
    persistent: int
    regress_edges: int
    sweeps: int
    layers: int
    finished: bool

    @property
    def peak(self) -> float:
        """Most states stored at a time, as a fraction of the states."""
        return self.peak_states / self.states

    @property
    def visits(self) -> float:
        """Expansions per state."""
        return self.visited / self.states

    @property
    def score(self) -> float:
        """Peak times visits, by which 001's Table 2 compares algorithms; less is better."""
        return self.peak * self.visits


@dataclass(frozen=True, slots=True, eq=False)
class Ranking:
    """The rank of every state in some order: numbers from 0 to `count` - 1, all of which occur."""

    ranks: npt.NDArray[np.int32]
    count: int

    @classmethod
    def of(cls, values: Integers) -> Ranking:
        """Rank states by plain values."""
        low, high = int(values.min()), int(values.max())
        if high - low < 4 * len(values):
            present = np.zeros(high - low + 1, dtype=np.int32)
            present[values - low] = 1
            places = np.cumsum(present, dtype=np.int32)
            return cls(places[values - low] - np.int32(1), int(places[-1]))
        order = np.argsort(values, kind="stable")
        ranks = np.zeros(len(values), dtype=np.int32)
        ascending = values[order]
        ranks[order[1:]] = np.cumsum(ascending[1:] != ascending[:-1])
        return cls(ranks, int(ranks[order[-1]]) + 1)

    def then(self, other: Ranking) -> Ranking:
        """Refine this order by another one among states of equal rank."""
        result, order, buffer = (np.zeros(len(self.ranks), dtype=np.int32) for _ in range(3))
        counts = np.zeros(max(self.count, other.count) + 1, dtype=np.int32)
        count = kernels.refine(self.ranks, self.count, other.ranks, other.count, result, order, buffer, counts)
        return Ranking(result, int(count))


def extrapolate(now: float, before: float) -> float:
    """Extrapolate a figure from its values on the beginning of a sample and on all of it.

    The trend continues half as far again, in proportion. Over models of BEEM with up to six times as many states as the
    sample this comes closer to the truth than the figure itself.
    """
    return now * float(np.sqrt(now / before))


class Simulator:
    """Simulates sweeps over one sample; `visited` sums up the visits of all of them, as a work budget."""

    def __init__(self, sample: Sample) -> None:
        self.sample = sample
        self.visited = 0
        count = sample.count
        self._per_state = [np.zeros(count, dtype=np.int32) for _ in range(3)]
        self._heads = np.full(64, -1, dtype=np.int32)
        self._tails, self._bits = np.zeros(64, dtype=np.int32), np.zeros(2, dtype=np.uint64)

    def sweep(self, ranking: Ranking, columns: Ranking | None = None, most: float = np.inf) -> Figures:
        """Sweep in the order of a ranking, whose columns are coarser; give up when the score exceeds `most`."""
        column_of = np.zeros(ranking.count, dtype=np.int64)
        if columns is not None:
            column_of[ranking.ranks] = columns.ranks
        if ranking.count > len(self._heads):
            self._heads = np.full(ranking.count, -1, dtype=np.int32)
            self._tails = np.zeros(ranking.count, dtype=np.int32)
            self._bits = np.zeros(ranking.count // 64 + 2, dtype=np.uint64)
        figures = np.zeros(kernels.FIGURES, dtype=np.int64)
        sample, limit = self.sample, most * self.sample.count * self.sample.count
        following, waiting, kept = self._per_state
        finished = kernels.sweep(
            sample.offsets, sample.targets, sample.initial, ranking.ranks << np.int32(2), column_of, limit, figures,
            following, self._heads, self._tails, waiting, kept, self._bits[: ranking.count // 64 + 2],
        )  # fmt: skip
        peak, visited, persistent, regress, sweeps, layer_count = (int(figure) for figure in figures)
        self.visited += visited
        return Figures(sample.count, peak, visited, persistent, regress, sweeps, layer_count, bool(finished))
