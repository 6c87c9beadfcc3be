"""What is expected of a sweep by a measure that the program has found, and whether the sweep keeps it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from strandline.checker.measures.prediction import Prediction
from strandline.engine.search import Statistics

_TIMES, _MORE = 2.0, 0.5
"""So many times as many visits as predicted, and so many more, are too many. Another measure is not free: where
everything can be reached from everywhere, all states are visited again."""
_SAMPLES = 4
"""A sweep is judged when it has stored so many times as many states as its measure was judged by."""
_MOST_PLANS = 3
_MOST_STORED = 0.5
"""Of the states that a sweep has met, the share that it may store: where that is more, sweeping is not worth it."""


@dataclass(frozen=True, slots=True)
class Outlook:
    """A prediction, since when it holds, and how many measures were tried."""

    prediction: Prediction
    begun: int = 0
    """States that were stored before the measure was used."""
    plans: int = 1
    forgets_little: bool = False
    """Whether memory was full of most of the states met, and no measure was found that does better."""

    @property
    def exhausted(self) -> bool:
        """Whether enough measures were tried."""
        return self.plans >= _MOST_PLANS

    def disappointment(self, now: Statistics) -> str | None:
        """Say that states are stored more often than was predicted; None if they are not."""
        stored = now.recorded - self.begun
        if self.exhausted or stored < _SAMPLES * self.prediction.sampled:
            return None
        if now.repeats <= _TIMES * self.prediction.visits + _MORE:
            return None
        return (
            f"about {now.repeats:.2f} visits a state after {now.visited:,}, where {self.prediction.visits:.2f} were "
            "predicted"
        )

    def continue_with(self, prediction: Prediction | None, now: Statistics | None) -> Outlook:
        """Return the outlook for another prediction; without one, what the present measure has shown so far.

        `now` is None for a search that begins anew.
        """
        expected = self.prediction if prediction is None else prediction
        if prediction is None and now is not None:
            expected = replace(expected, visits=now.repeats)
        return replace(self, prediction=expected, begun=0 if now is None else now.recorded, plans=self.plans + 1)

    def give_up(self, now: Statistics) -> Outlook:
        """Note that no other measure needs less memory."""
        return replace(self, forgets_little=now.stored > _MOST_STORED * now.distinct)
