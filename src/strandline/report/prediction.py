"""Render the predicted cost of an automatically found measure, beside the actual cost."""

from __future__ import annotations

from typing import Any

from strandline.checker.measures.notation import measure_texts
from strandline.checker.verdicts.verdict import Exploration


def prediction_rows(exploration: Exploration) -> list[tuple[str, str]]:
    """Return two rows of text: the prediction, and the actual cost as far as it is known; none without one."""
    prediction = exploration.prediction
    if prediction is None:
        return []
    seen = "all states" if prediction.exact else f"the first {prediction.sampled:,} states"
    rows = [("predicted", f"{_as_words(prediction.peak, prediction.visits)}, by {seen}")]
    peak, visits = _reality(exploration)
    now = exploration.statistics
    if not now.sweeps and prediction.measure.components:
        rows.append(("actual", "given up: nearly all states found had to be kept"))
    elif peak is not None and visits is not None:
        rows.append(("actual", _as_words(peak, visits)))
    elif exploration.complete and now.estimated_states:
        estimate = now.estimated_states
        rows.append(("actual", f"about {_as_words(min(now.peak_states / estimate, 1.0), now.visited / estimate)}"))
    else:
        rows.append(("actual", "not known without the number of states (--count-distinct)"))
    return rows


def _as_words(peak: float, visits: float) -> str:
    return f"{peak:.2%} of the states at a time, {visits:.2f} visits a state"


def prediction_data(exploration: Exploration) -> dict[str, Any] | None:
    """Return the prediction as plain data for `--json`; None if there is none.

    `actual_peak` and `actual_visits` are null if the number of states is not known.
    """
    prediction = exploration.prediction
    if prediction is None:
        return None
    peak, visits = _reality(exploration)
    return {
        "measure": list(measure_texts(prediction.measure, exploration.system)),
        "reason": prediction.reason,
        "sampled": prediction.sampled,
        "exact": prediction.exact,
        "seconds": round(prediction.seconds, 6),
        "peak": round(prediction.peak, 6),
        "visits": round(prediction.visits, 6),
        "actual_peak": None if peak is None else round(peak, 6),
        "actual_visits": None if visits is None else round(visits, 6),
    }


def _reality(exploration: Exploration) -> tuple[float | None, float | None]:
    """Return peak and visits of a complete search as fractions of its number of states; None if that is not known."""
    now = exploration.statistics
    if not exploration.complete or not now.states:
        return None, None
    return now.peak_states / now.states, now.visited / now.states
