"""Trial sweeps: each candidate is swept by for a while, and ranked by what it stored and visited.

A trial that sees the whole state space tells exactly what a sweep costs. One that is cut off tells how it begins: its
peak is a prediction and its visits are a lower bound, since what is persistent was not swept again; it is marked so.
"Best" is the least product of peak and visits, the figure of 001's Table 1; with a limit on the peak, the fewest
visits among those that keep it (000 §9.3 leaves the meaning of optimal open).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from strandline.compile.llvm import compile_system
from strandline.engine.search import Event, Order, Search
from strandline.errors import InternalError
from strandline.model.ranges import analyse_ranges
from strandline.model.system import System
from strandline.progress.candidates import Candidate, candidates, combined

DEFAULT_SAMPLE = 200_000
_PATIENCE = 5
"""A trial may visit this many times the states before it is given up: the measure falls back too often."""
_REFINED = 3
"""How many measures that may fall back are tried inside the best monotone one."""


@dataclass(frozen=True, slots=True)
class Trial:
    """What a sweep by a candidate did within the sample."""

    candidate: Candidate
    peak: float
    """Most states stored at a time, as a fraction of the states seen."""
    visits: float
    """Expansions for each state seen."""
    exact: bool
    """The trial saw the whole state space; else this is a prediction from its beginning."""
    persistent: int
    regress_edges: int
    layers: int
    expanded: int

    @property
    def cost(self) -> float:
        """Peak times visits; persistent states of a trial that was cut off will be expanded once more at least."""
        return self.peak * (self.visits + (0.0 if self.exact else self.persistent_share))

    @property
    def persistent_share(self) -> float:
        return self.persistent / self.expanded


def find_measures(
    system: System, sample: int = DEFAULT_SAMPLE, watch: Callable[[str], None] = lambda text: None
) -> list[Trial]:
    """Measures of the system, the best first: monotone ones, others, and the best of both kinds together."""
    return _Finder(system, sample, watch).run()


def choose(trials: list[Trial], largest_peak: float | None = None) -> Trial | None:
    """The best trial; with a limit on the peak, the one with the fewest visits among those that keep it."""
    fitting = [trial for trial in trials if largest_peak is not None and trial.peak <= largest_peak]
    if fitting:
        return min(fitting, key=lambda trial: trial.visits)
    return trials[0] if trials else None


class _Finder:
    def __init__(self, system: System, sample: int, watch: Callable[[str], None]) -> None:
        self.system, self.sample, self.watch = system, sample, watch
        self.ranges = analyse_ranges(system)

    def run(self) -> list[Trial]:
        self.watch("looking for a measure of progress ...")
        self._count_states()
        columns, layers = candidates(self.system, self.ranges)
        monotone, others = self._try_all(columns), self._try_all(layers)
        both = [combined(first.candidate, second.candidate) for first in monotone[:1] for second in others[:_REFINED]]
        return _ranked([*monotone, *others, *self._try_all(both)])

    def _count_states(self) -> None:
        """How many states breadth-first search finds within the sample, and whether that is all of them."""
        kernel = compile_system(self.system, ranges=self.ranges)
        search = Search(kernel, Order.BREADTH_FIRST, log=lambda links: None, max_states=self.sample)
        self.whole = _run(search, self.sample) is Event.DONE
        self.states = max(search.statistics().stored, 1)
        search.close()

    def _try_all(self, options: list[Candidate]) -> list[Trial]:
        trials = []
        for candidate in options:
            trial = self._try(candidate)
            if trial is not None:
                trials.append(trial)
        return _ranked(trials)

    def _try(self, candidate: Candidate) -> Trial | None:
        """Sweep by the candidate; None where it falls back so often that the trial was given up."""
        records = self.states * _PATIENCE if self.whole else self.states
        kernel = compile_system(self.system, (), candidate.measure, self.ranges)
        search = Search(kernel, Order.SWEEP, log=lambda links: None, max_states=records)
        event = _run(search, records)
        figures = search.statistics()
        search.close()
        if event is Event.COLUMN_DECREASED:
            raise InternalError(f"{candidate.texts[0]} was taken for monotone and is not")
        exact = self.whole and event is Event.DONE
        if self.whole and not exact:
            return None
        seen = self.states if exact else max(figures.visited, 1)
        return Trial(
            candidate=candidate,
            peak=figures.peak_states / seen,
            visits=figures.visited / seen,
            exact=exact,
            persistent=figures.persistent,
            regress_edges=figures.regress_edges,
            layers=figures.layers,
            expanded=max(figures.visited, 1),
        )


def _ranked(trials: list[Trial]) -> list[Trial]:
    return sorted(trials, key=lambda trial: (trial.cost, trial.visits))


def _run(search: Search, most_visits: int) -> Event:
    """Search until something happens, or until so much was visited."""
    while True:
        event = search.advance()
        if event is not Event.PAUSED or search.statistics().visited > most_visits:
            return event
