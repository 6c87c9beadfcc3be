"""The expected cost of a sweep by an automatically found measure, and the test whether the sweep exceeds it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from strandline.checker.measures.prediction import Prediction
from strandline.engine.search import Statistics

_TIMES, _MORE = 2.0, 0.5
"""Factor and number by which visits per state may exceed the prediction.

Another measure is not free: where everything can be reached from everywhere, all states are visited again.
"""
_SAMPLES = 4
"""A sweep is judged once it has stored this many times as many states as the sample had."""
_MOST_PLANS = 3
_MOST_STORED = 0.5
"""Largest share of the states found that a sweep may store; above it, sweeping does not pay."""


@dataclass(frozen=True, slots=True)
class Outlook:
    """The prediction for the measure in use, and the number of measures used so far."""

    prediction: Prediction
    begun: int = 0
    """Number of states stored before this measure was used."""
    plans: int = 1
    forgets_little: bool = False
    """True if the sweep stored most of the states found when memory was full, and no better measure was found."""

    @property
    def is_exhausted(self) -> bool:
        """True if no further measure is to be tried."""
        return self.plans >= _MOST_PLANS

    def disappointment(self, now: Statistics) -> str | None:
        """Return a description of how far visits exceed the prediction; None if they do not."""
        stored = now.recorded - self.begun
        if self.is_exhausted or stored < _SAMPLES * self.prediction.sampled:
            return None
        if now.repeats <= _TIMES * self.prediction.visits + _MORE:
            return None
        return (
            f"about {now.repeats:.2f} visits a state after {now.visited:,}, where {self.prediction.visits:.2f} were "
            "predicted"
        )

    def continue_with(self, prediction: Prediction | None, now: Statistics | None) -> Outlook:
        """Return the outlook for another prediction; if that is None, the cost so far becomes the prediction.

        `now` is None for a search that starts over.
        """
        expected = self.prediction if prediction is None else prediction
        if prediction is None and now is not None:
            expected = replace(expected, visits=now.repeats)
        return replace(self, prediction=expected, begun=0 if now is None else now.recorded, plans=self.plans + 1)

    def give_up(self, now: Statistics) -> Outlook:
        """Return the outlook after no measure was found that needs less memory."""
        return replace(self, forgets_little=now.stored > _MOST_STORED * now.distinct)
