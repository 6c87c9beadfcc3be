"""Combine terms to measures: beam search over lexicographic combinations and sums, scored by simulated sweeps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from strandline.progress.candidates import Block, Candidate
from strandline.progress.sampling import Sample
from strandline.progress.simulation import Figures, Ranking, Simulator, extrapolate

_BASE = 32
"""Number of single blocks that are scored on the large sample."""
_GOOD, _CHEAP = 12, 8
"""Numbers of blocks that are combined with others: the best by score, and those with few visits."""
_WIDTH = 4
_PROMOTED = 8
"""Number of candidates of a round that are scored on the large sample."""
_MOST_TERMS = 5
_ENOUGH = 0.98
"""Factor by which a round must improve the best score for the search to go on."""


@dataclass(frozen=True, slots=True)
class Scored:
    """A candidate with the result of a simulated sweep by it on the sample."""

    candidate: Candidate
    figures: Figures
    earlier: Figures | None = None
    """The result on a smaller sample."""

    @property
    def score(self) -> float:
        """Peak times visits, extrapolated."""
        if self.earlier is None:
            return self.figures.score
        peak = min(extrapolate(self.figures.peak, self.earlier.peak), 1.0)
        return peak * max(extrapolate(self.figures.visits, self.earlier.visits), 1.0)

    @property
    def key(self) -> tuple[float, int]:
        """The sort key of candidates: the score times the effort of computing the measure, then its number of terms."""
        return self.score * self.candidate.effort, len(self.candidate.terms)


class Judge:
    """Simulates sweeps by candidates over one sample."""

    def __init__(self, sample: Sample) -> None:
        self.sample = sample
        self.simulator = Simulator(sample)
        self._rankings: dict[Block, Ranking] = {}

    def judge(self, candidate: Candidate, most: float = np.inf) -> Figures:
        """Simulate a sweep by the candidate; give up when its score exceeds `most`."""
        columns = self._ranking(candidate.terms[: candidate.columns]) if candidate.columns else None
        return self.simulator.sweep(self.ranking(candidate), columns, most)

    def ranking(self, candidate: Candidate) -> Ranking:
        """Return the order of the sample's states by the candidate."""
        known = self._rankings.get(candidate.terms)
        if known is not None:
            return known
        first, last = candidate.parts
        return self._ranking(first).then(self._ranking(last)) if last else self._ranking(first)

    def _ranking(self, terms: Block) -> Ranking:
        """Return the order of the sample's states by the terms; cached."""
        known = self._rankings.get(terms)
        if known is None:
            if not terms:
                known = Ranking(np.zeros(self.sample.count, dtype=np.int32), 1)
            elif len(terms) == 1:
                known = Ranking.of(self.sample.values(terms[0].expression))
            else:
                known = self._ranking(terms[:-1]).then(self._ranking(terms[-1:]))
            self._rankings[terms] = known
        return known


class Combiner:
    """The beam search.

    Candidates are scored on a small sample; the best of them compete on a larger one, because many terms fit a small
    sample by chance. One beam starts with the best blocks, one with the best monotone ones.
    """

    def __init__(self, blocks: Sequence[Block], alone: Sequence[Block], small: Sample, large: Sample) -> None:
        """Blocks in `alone` are scored but not combined with others."""
        self.blocks, self.alone = blocks, alone
        self.small, self.large = Judge(small), Judge(large)
        self._tried: set[Block] = set()

    def run(self, most_visits: int) -> list[Scored]:
        """Return the best candidates, the best first, within about `most_visits` simulated visits."""
        singles = self._singles(self.blocks)
        monotone = [one for one in singles if one.candidate.monotone]
        judged = self._promote(singles, _BASE) + self._promote(monotone, _PROMOTED)
        base = self._base(_without_duplicates(sorted(judged, key=lambda one: one.key)))
        best: list[Scored] = []
        for seeds in (judged, [one for one in judged if one.candidate.monotone]):
            beam = _without_duplicates(sorted(seeds, key=lambda one: one.key))[:_WIDTH]
            best += beam
            for _ in range(1, _MOST_TERMS):
                found = self._promote(self._extend(beam, base, most_visits), _PROMOTED)
                best += found
                if not found or found[0].score > _ENOUGH * beam[0].score:
                    break
                beam = _without_duplicates(sorted([*beam, *found], key=lambda one: one.key))[:_WIDTH]
        best += self._promote(self._singles(self.alone), _PROMOTED)
        return _without_duplicates(sorted(best, key=lambda one: one.key))

    def _singles(self, blocks: Sequence[Block]) -> list[Scored]:
        """Score single blocks on the small sample."""
        judged = [Scored(one, self.small.judge(one, 1.5)) for one in map(Candidate, blocks)]
        return _without_duplicates(sorted((one for one in judged if one.figures.finished), key=lambda one: one.key))

    @property
    def trial_count(self) -> int:
        """Number of candidates that were scored."""
        return len(self._tried) + len(self.blocks) + len(self.alone)

    def _base(self, judged: Sequence[Scored]) -> list[Block]:
        """Return the blocks that extend candidates: good ones, and some with few visits."""
        cheap = sorted(judged, key=lambda one: one.score * one.figures.visits**4)
        chosen = {id(one): one.candidate.terms for one in (*judged[:_GOOD], *cheap[:_CHEAP])}
        return list(chosen.values())

    def _extend(self, beam: Sequence[Scored], base: Sequence[Block], most_visits: int) -> list[Scored]:
        found: list[Scored] = []
        for scored in beam:
            bound = self.small.judge(scored.candidate).score * 1.05
            for candidate in _extensions(scored.candidate, base):
                if candidate.terms in self._tried or self.small.simulator.visited > most_visits:
                    continue
                self._tried.add(candidate.terms)
                if len(found) >= _PROMOTED:
                    bound = min(bound, found[_PROMOTED - 1].figures.score)
                figures = self.small.judge(candidate, bound)
                if figures.finished:
                    found = _without_duplicates(sorted([*found, Scored(candidate, figures)], key=lambda one: one.key))
        return found

    def _promote(self, ordered: Sequence[Scored], count: int) -> list[Scored]:
        """Score the first ones on the large sample."""
        if self.large.sample.count == self.small.sample.count:
            return list(ordered[:count])
        judged: list[Scored] = []
        for one in ordered[:count]:
            bound = 1.5 * judged[_WIDTH - 1].figures.score if len(judged) >= _WIDTH and count < _BASE else 1.5
            figures = self.large.judge(one.candidate, bound)
            if figures.finished:
                before = None if self.large.sample.whole else one.figures
                judged = sorted([*judged, Scored(one.candidate, figures, before)], key=lambda scored: scored.key)
        return _without_duplicates(judged)


def _without_duplicates(ordered: Sequence[Scored]) -> list[Scored]:
    """Drop candidates whose sweeps are the same as an earlier one's."""
    found: dict[tuple[int, int, int], Scored] = {}
    for one in ordered:
        found.setdefault((one.figures.peak_states, one.figures.visited, one.figures.persistent), one)
    return list(found.values())


def _extensions(candidate: Candidate, base: Sequence[Block]) -> list[Candidate]:
    found = []
    for block in base:
        fresh = tuple(term for term in block if all(term is not other for other in candidate.terms))
        if fresh:
            found.append(Candidate((*candidate.terms, *fresh), len(candidate.terms)))
            found.append(Candidate((*fresh, *candidate.terms), len(fresh)))
    return found
