"""`--measure auto`: find the measure of a sweep, and predict its cost."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any

from strandline.analysis.measure_combination import measure_of
from strandline.checker.checkpoints.run_folder import Checkpoints
from strandline.checker.limits.memory import in_another_process, resident_bytes, return_memory
from strandline.checker.limits.progress import ProgressCallback
from strandline.checker.measures.notation import measure_texts, parse_measures
from strandline.engine.runtime.memory import WordArray
from strandline.errors import Option, UsageError
from strandline.model.expression import Const
from strandline.model.measure import Measure
from strandline.model.system import System

if TYPE_CHECKING:
    from strandline.progress.finding import Found, Trial

AUTOMATIC = ("auto",)
KEEP_ALL = Measure(Const(0), Const(0), columns=(0, 0), layers=(0, 0))
"""The measure by which all states lie in one layer, and none is forgotten."""
_BYTES_A_STATE, _BYTES_A_WORD = 16, 10.5
"""Bytes that a sweep stores for each state: a slot in a table, and its words and one more, with room to grow."""

_BYTES_OF_SAMPLES, _BYTES_OF_KERNELS = 600 << 20, 80 << 20
"""Bytes that the search for a measure takes at most: its samples, and its kernels."""
_LEAST_SHARE = 0.02
"""The least part of the samples that is still representative."""
_TRIAL_SHARE = 0.001
"""A part of them by which all machine code is made that looking for a measure needs."""
_CLEARLY_BETTER, _CLEARLY_LESS = 0.7, 0.5
"""The cost of another measure, relative to the present one, below which it takes its place."""
_LONGEST = 300
"""Characters of a measure in a notice."""


@dataclass(frozen=True, slots=True)
class Prediction:
    """A measure that was found, and the predicted cost of a sweep by it."""

    measure: Measure
    """Without components where all states are kept."""
    reason: str
    peak: float
    """Most states stored at a time, as a fraction of the states."""
    visits: float
    """Expansions for each state."""
    sampled: int
    """The number of states that the prediction rests on."""
    exact: bool
    """These were all states; else the first ones."""
    seconds: float
    """The time that finding it took."""


def predicted_measure(system: System, callback: ProgressCallback, memory: int | None = None) -> Prediction:
    """Find the best measure that fits the memory.

    It is the fastest, if speed and memory can be predicted, else the one with the least product of peak and visits. If
    no measure beats keeping all states, that is predicted. Raises `UsageError` if the model has no variables to look
    at.
    """
    from strandline.progress.finding import find_measures

    if memory is not None:
        in_another_process(lambda: find_measures(system, share=_TRIAL_SHARE))
    found = find_measures(system, watch=callback.stage, share=_share(memory))
    return_memory()
    if not found.states:
        raise UsageError(
            "no measure of progress was found in this model; give one: {}", options=[Option("measure", "EXPR")]
        )
    prediction = _prediction(found, found.best(_largest_peak(found, memory)))
    callback.stage(_told(prediction, system))
    return prediction


def _share(memory: int | None) -> float:
    """Return the size of samples within a limit of memory, as a part of the usual size."""
    if memory is None:
        return 1.0
    room = memory - resident_bytes() - _BYTES_OF_KERNELS
    return min(max(room / _BYTES_OF_SAMPLES, _LEAST_SHARE), 1.0)


def better_measure(
    system: System,
    callback: ProgressCallback,
    memory: int | None,
    starts: WordArray,
    present: Prediction,
    *,
    peak: bool,
    afresh: bool = False,
) -> Prediction | None:
    """Find a measure that is clearly better than the present one in the first states reached from `starts`.

    Better means by peak and visits together; with `peak`, storing half as many states at a time; with `afresh`, where
    the work done so far is lost, half as many visits. None if there is none.
    """
    from strandline.progress.finding import find_measures

    found = find_measures(system, watch=callback.stage, given=[present.measure], share=_share(memory), starts=starts)
    return_memory()
    given = next((trial for trial in found.trials if trial.given), None)
    others = [trial for trial in found.trials if not trial.given and max(trial.cost, trial.rank) < 1]
    if peak:
        best = min(others, key=lambda trial: trial.peak, default=None)
        better = best is not None and given is not None and best.peak <= _CLEARLY_LESS * given.peak
    elif afresh:
        best = min(others, key=lambda trial: trial.visits, default=None)
        better = best is not None and given is not None and best.visits <= _CLEARLY_LESS * given.visits
    else:
        best = min(others, key=lambda trial: trial.rank, default=None)
        better = best is not None and (given is None or best.rank <= _CLEARLY_BETTER * given.rank)
    if best is None or not better:
        callback.stage("no better measure was found from here")
        return None
    prediction = replace(_prediction(found, best), exact=False)
    callback.stage(_told(prediction, system))
    return prediction


def noted_prediction(
    checkpoints: Checkpoints | None, key: str, system: System, find: Callable[[], Prediction | None]
) -> Prediction | None:
    """Return the prediction that is found, or, in a resumed run, the one noted under this key in the run before."""
    if checkpoints is None:
        return find()
    found: list[Prediction | None] = []

    def make() -> dict[str, Any] | None:
        found.append(find())
        return None if found[0] is None else _as_data(found[0], system)

    data = checkpoints.noted(key, make)
    if found:
        return found[0]
    return None if data is None else _from_data(data, system)


def _as_data(prediction: Prediction, system: System) -> dict[str, Any]:
    """Convert a prediction to data for JSON: its measure is written in the model's language."""
    data = {one.name: getattr(prediction, one.name) for one in fields(prediction) if one.name != "measure"}
    return {**data, "measure": measure_texts(prediction.measure, system) if prediction.measure.components else ()}


def _from_data(data: Mapping[str, Any], system: System) -> Prediction:
    given = parse_measures(data["measure"], system).components
    found = [replace(one, name=None, reason=None, source=None, span=None) for one in given]
    return Prediction(**{**data, "measure": measure_of(found, system) if found else KEEP_ALL})


def _largest_peak(found: Found, memory: int | None) -> float | None:
    """Return the largest peak that fits so many bytes of the process; None if the number of states is not known."""
    if memory is None or not found.whole:
        return None
    each = _BYTES_A_STATE + _BYTES_A_WORD * (found.words + 1)
    return max(memory - resident_bytes(), 0) / (each * found.states)


def _prediction(found: Found, best: Trial | None) -> Prediction:
    if best is None:
        reason = "no measure was found that saves more than it costs: all states are kept"
        return Prediction(KEEP_ALL, reason, 1.0, 1.0, found.states, found.whole, found.seconds)
    return Prediction(
        best.measure,
        best.measure.reason,
        best.peak,
        best.visits,
        found.states,
        best.exact,
        found.seconds,
    )


def _told(prediction: Prediction, system: System) -> str:
    if not prediction.measure.components:
        return f"{prediction.reason} (looked for {prediction.seconds:.1f} s)"
    given = " ".join(f'--measure "{text}"' for text in measure_texts(prediction.measure, system))
    if len(given) > _LONGEST:
        given = f"{given[:_LONGEST]} ... (`strandline measures --full` shows all of it)"
    kind = "this will take" if prediction.exact else f"by the first {prediction.sampled:,} states it will take"
    return (
        f"found in {prediction.seconds:.1f} s: {prediction.reason}; {kind} {prediction.peak:.1%} of the "
        f"states at a time and {prediction.visits:.2f} visits a state\n{given}"
    )
