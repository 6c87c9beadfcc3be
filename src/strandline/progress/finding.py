"""Find measures: propose terms, combine them, try the best combinations on the largest affordable sample.

A sample that is the whole state space gives the exact cost of a sweep. One that is its beginning only predicts it, and
the result is marked as a prediction.

000 §9.3 leaves open what "optimal" means for a measure. Here it is the least predicted time among the measures whose
predicted peak fits a given limit. Without a limit it is the least product of peak and time, as 001's Table 2 compares
algorithms by the product of peak and visits: by time alone, no sweep beats a search that keeps everything.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from strandline.analysis.measure_combination import measure_of
from strandline.analysis.ranges import analyse_ranges
from strandline.compile.kernel import Reference
from strandline.engine.runtime.memory import WordArray
from strandline.model.expression import Expression
from strandline.model.intervals import Interval
from strandline.model.measure import Measure, Reason
from strandline.model.system import Capability, System
from strandline.progress.candidates import Candidate, fit_to_64_bits
from strandline.progress.changes import Changes
from strandline.progress.combining import Combiner, Judge, Scored
from strandline.progress.measure_checks import examine
from strandline.progress.packing import fits
from strandline.progress.proposals import propose, propose_roots
from strandline.progress.rankings import rankings
from strandline.progress.sampling import Exploration, Sample, States
from strandline.progress.simulation import Figures, extrapolate
from strandline.progress.state_fields import find_cells

SMALL_SAMPLE, MIDDLE_SAMPLE, LARGE_SAMPLE = 30_000, 120_000, 500_000
"""Sizes of the samples on which candidates are combined, better ones compete, and the finalists are tried."""
_MOST_VISITS = 10_000_000
"""Expansions that the search for combinations simulates."""
_FINALISTS = 8
_ABANDON_FACTOR = 3.0
"""A trial is abandoned when its peak times visits exceeds that of a search that keeps everything by this factor."""
_SAMPLED_EDGES = 200

Watch = Callable[[str], None]
SampledEdge = tuple[tuple[int, ...], int]
"""A packed state and the number of a step from it."""


@dataclass(frozen=True, slots=True)
class Trial:
    """The simulated sweep by a measure on the sample."""

    measure: Measure
    figures: Figures
    effort: float = 1.0
    """The relative time of a visit including the computation of the measure."""
    exact: bool = True
    """True if the sample was the whole state space; otherwise this is a prediction."""
    earlier: Figures | None = None
    """The result on the beginning of the sample, if it shows a trend."""
    regress_sample: tuple[SampledEdge, ...] = ()
    """Some of the regress edges, spread over all of them."""
    given: bool = False
    """True if the measure was declared by the model or given by the user."""

    @property
    def peak(self) -> float:
        """Most states stored at a time, as a fraction of the states."""
        now = self.figures.peak
        return now if self.earlier is None else min(extrapolate(now, self.earlier.peak), 1.0)

    @property
    def visits(self) -> float:
        """Expansions per state."""
        now = self.figures.visits
        return now if self.earlier is None else max(extrapolate(now, self.earlier.visits), 1.0)

    @property
    def time(self) -> float:
        """The relative time of the sweep; a search that keeps all states and computes no measure takes 1."""
        return self.visits * self.effort

    @property
    def cost(self) -> float:
        """Peak times visits; 1 for a search that keeps all states."""
        return self.peak * self.visits

    @property
    def rank(self) -> float:
        """Peak times time, by which trials are ordered.

        A sweep that regresses early regresses more later: a prediction is penalised by its visits and persistent
        states.
        """
        if self.earlier is None:
            return self.peak * self.time
        return self.peak * self.time * self.visits * (1 + 5 * self.figures.persistent / self.figures.states)


@dataclass(frozen=True, slots=True)
class Found:
    """The result of the search for measures: trials, the best first."""

    trials: tuple[Trial, ...]
    states: int
    """Number of states in the sample."""
    whole: bool
    """True if the sample is the whole state space."""
    tried: int
    """Number of candidates that were tried."""
    seconds: float
    """Seconds that finding them took."""
    rate: float = 0.0
    """States per second that the exploration of the sample expanded."""
    words: int = 1
    """Words of a packed state."""
    reference: Reference | None = field(default=None, repr=False)
    """The reference that describes states of the sample."""

    def best(self, largest_peak: float | None = None) -> Trial | None:
        """Return the fastest trial within a limit on the peak; without one, or if none fits, the first.

        Returns None if no measure beats keeping all states.
        """
        useful = [trial for trial in self.trials if max(trial.cost, trial.rank) < 1]
        fitting = [trial for trial in useful if largest_peak is not None and trial.peak <= largest_peak]
        if fitting:
            return min(fitting, key=lambda trial: (trial.time, trial.cost))
        return useful[0] if useful else None


def find_measures(
    system: System,
    sample: int = LARGE_SAMPLE,
    watch: Watch = lambda text: None,
    given: Sequence[Measure] = (),
    share: float = 1.0,
    starts: WordArray | None = None,
) -> Found:
    """Find measures of a System on a sample of at most `sample` states, and try declared and given ones.

    Raises `MeasureError` if these do not have the promised properties. The effort is bounded by the sample and by the
    simulated visits. `share` scales all samples, and so the memory that they take. With `starts` they begin at these
    states, one per row, instead of the initial ones.
    """
    started = time.perf_counter()
    if Capability.ACTIONS not in system.capabilities:
        return Found((), 0, False, 0, 0.0)
    watch("looking for a progress measure ...")
    finder = _Finder(system, sample, share, starts)
    try:
        trials = finder.run(given)
    finally:
        finder.exploration.close()
    large, exploration = finder.large, finder.exploration
    return Found(
        trials,
        states=large.count,
        whole=large.whole,
        tried=finder.tried,
        seconds=time.perf_counter() - started,
        rate=exploration.rate,
        words=exploration.kernel.words,
        reference=exploration.kernel.reference,
    )


class _Finder:
    def __init__(self, system: System, sample: int, share: float, starts: WordArray | None) -> None:
        small, middle, large = (int(share * size) for size in (SMALL_SAMPLE, MIDDLE_SAMPLE, sample))
        self.system = system
        self.changes = Changes(system)
        self.exploration = Exploration(system, starts)
        self.walked, self._linked = self.exploration.walks()
        self.small = self.exploration.prefix(min(small, large))
        self.middle = self.small if self.small.whole else self.exploration.prefix(min(middle, large))
        self.large = self.middle if self.middle.whole else self.exploration.prefix(large)
        self.tried = 0

    def run(self, given: Sequence[Measure]) -> tuple[Trial, ...]:
        if self.large.count == 0:
            return ()  # The first step faults already.
        judge = Judge(self.large)
        earlier = None if self.large.whole or self.large.count <= self.middle.count else Judge(self.middle)
        known = [Candidate.of(one, self.changes) for one in (*given, *self._declared_measure())]
        for one in known:
            examine(one, self.large)
        trials = []
        for candidate in (*known, *self._find_candidates()):
            figures = judge.judge(candidate, _ABANDON_FACTOR if candidate.given is None else np.inf)
            if figures.finished:
                before = None if earlier is None else earlier.judge(candidate)
                edges = self._regress_sample(judge, candidate)
                trials.append(self._trial(candidate, figures, before, edges))
        return tuple(sorted(trials, key=lambda trial: (trial.rank, trial.visits)))

    def _find_candidates(self) -> list[Candidate]:
        cells = find_cells(self.system, self.small, self.walked, self._linked)
        blocks = [
            *propose(self.system, self.changes, cells),
            *rankings(cells, self.changes, lambda one: _bounds(one, self.small, self.walked)),
        ]
        environment = analyse_ranges(self.system).environment()
        blocks, alone = (
            [block for block in some if all(fits(term.expression, environment) for term in block)]
            for some in (blocks, propose_roots(self.system, self.changes, cells))
        )
        if not blocks:
            return []
        combiner = Combiner(blocks, alone, self.small, self.middle)
        found = _finalists(combiner.run(_MOST_VISITS))
        self.tried = combiner.trial_count
        return [fit_to_64_bits(one, environment, lambda part: _bounds(part, self.large, self.walked)) for one in found]

    def _declared_measure(self) -> Iterator[Measure]:
        """Yield the measure that the model declares, if any."""
        if self.system.measures:
            yield measure_of(
                [
                    replace(one, reason=Reason("declared in the model: {}", one.name or ""))
                    for one in self.system.measures
                ],
                self.system,
            )

    def _trial(
        self, candidate: Candidate, figures: Figures, before: Figures | None, edges: tuple[SampledEdge, ...]
    ) -> Trial:
        measure = candidate.given or measure_of(candidate.components, self.system)
        return Trial(measure, figures, candidate.effort, self.large.whole, before, edges, candidate.given is not None)

    def _regress_sample(self, judge: Judge, candidate: Candidate) -> tuple[SampledEdge, ...]:
        sample: Sample = self.large
        if not candidate.terms:
            return ()
        ranks = judge.ranking(candidate).ranks
        falling = np.flatnonzero((sample.targets >= 0) & (ranks[sample.targets] < ranks[sample.sources]))
        falling = falling[np.linspace(0, len(falling) - 1, min(len(falling), _SAMPLED_EDGES)).astype(np.int64)]
        sources = sample.sources[falling]
        steps = falling - sample.offsets[sources]
        return tuple(
            (tuple(state), step) for state, step in zip(sample.states[sources].tolist(), steps.tolist(), strict=True)
        )


def _finalists(found: Sequence[Scored]) -> list[Candidate]:
    """Return the best candidates, and the best of each kind whose predictions tend to hold.

    These kinds are: few targets of regress edges, monotone, simple, not based on observations.
    """
    calm = sorted(found, key=lambda one: one.score * (1 + 10 * one.figures.persistent / one.figures.states))
    monotone = [one for one in found if one.candidate.monotone]
    simple = [one for one in found if one.candidate.joint == 0]
    projections = [one for one in found if not any(term.observed for term in one.candidate.terms)]
    first = (*found[:2], *calm[:2], *monotone[:1], *simple[:1], *projections[:3], *found[:_FINALISTS])
    chosen = {id(one): one.candidate for one in first}
    return list(chosen.values())[:_FINALISTS]


def _bounds(expression: Expression, *samples: States) -> Interval:
    """Return the bounds of an expression in the samples."""
    found = [sample.values(expression) for sample in samples]
    return min(int(one.min()) for one in found), max(int(one.max()) for one in found)
