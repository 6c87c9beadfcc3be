"""`--measure auto`: find the measure of a sweep, and predict its cost."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any

from strandline.analysis.measure_combination import measure_of
from strandline.analysis.ranges import analyse_ranges
from strandline.checker.checkpoints.run_folder import Checkpoints
from strandline.checker.limits.child_process import fill_cache
from strandline.checker.limits.memory import resident_bytes, return_memory
from strandline.checker.limits.progress import ProgressCallback
from strandline.checker.measures.notation import measure_texts, parse_measures
from strandline.engine.runtime.memory import WordArray
from strandline.errors import Option, UsageError
from strandline.model.expression import Binary, Const, Read
from strandline.model.layout import make_layout
from strandline.model.measure import Measure
from strandline.model.system import Action, Assign, Domain, Move, Process, System, Variable
from strandline.source import Source

if TYPE_CHECKING:
    from strandline.progress.finding import Found, Trial

AUTOMATIC = ("auto",)
KEEP_ALL = Measure(Const(0), Const(0), columns=(0, 0), layers=(0, 0))
"""The measure that puts all states into one layer, so that none is deleted."""
_BYTES_A_STATE, _BYTES_A_WORD = 16, 10.5
"""Bytes that a sweep takes for each stored state: a constant, and for each of its words and one word more.

They include the slot in the hash table and room to grow.
"""

_BYTES_OF_SAMPLES, _BYTES_OF_KERNELS = 600 << 20, 80 << 20
"""Most bytes that the search for a measure takes: for its samples, and for its kernels."""
_LEAST_SHARE = 0.02
"""Least share of the usual sample size that is still representative."""
_TRIAL_SHARE = 0.001
"""Share of the usual sample size that is enough to compile all machine code for finding measures."""
_WORKERS, _DONE = ("first", "second"), 20
_ANY_WIDTH = 3
"""States of more words than this use the machine code for states of this many words."""
_CLEARLY_BETTER, _CLEARLY_LESS = 0.7, 0.5
"""Fractions of the present measure's figures that another measure must not exceed to replace it.

The first is for the product of peak and time, the second for the peak alone or the visits alone.
"""
_LONGEST = 300
"""Most characters of a measure in a notice."""


@dataclass(frozen=True, slots=True)
class Prediction:
    """A measure that was found automatically, and the predicted cost of a sweep by it."""

    measure: Measure
    """The measure; without components if all states are kept."""
    reason: str
    peak: float
    """Most states stored at a time, as a fraction of the states."""
    visits: float
    """Expansions per state."""
    sampled: int
    """Number of states in the sample on which the prediction is based."""
    exact: bool
    """True if the sample was the whole state space."""
    seconds: float
    """Time for finding the measure."""


def predicted_measure(system: System, callback: ProgressCallback, memory: int | None = None) -> Prediction:
    """Find the best measure by which a sweep fits the memory, and predict its cost.

    It is the fastest one if speed and memory can be predicted, else the one with the least product of peak and visits.
    If no measure is better than keeping all states, the prediction's measure is `KEEP_ALL`. Raises `UsageError` if the
    model has no variables to measure.
    """
    from strandline.progress.finding import find_measures

    if memory is not None:
        words = make_layout(system, analyse_ranges(system).variables).words
        fill_cache(_load_for_width, min(words, _ANY_WIDTH))
    found = find_measures(system, watch=callback.stage, share=_share(memory))
    return_memory()
    if not found.states:
        raise UsageError(
            "no progress measure was found in this model; give one: {}", options=[Option("measure", "EXPR")]
        )
    prediction = _prediction(found, found.best(_largest_peak(found, memory)))
    callback.stage(_describe(prediction, system))
    return prediction


def _load_for_width(words: int) -> None:
    """Compile or load the machine code for finding measures of models with `words` words per state.

    It is run in a child process, which puts the code into the cache on disk.
    """
    from strandline.progress.finding import find_measures

    find_measures(_small_system(words), share=_TRIAL_SHARE)


def _small_system(words: int) -> System:
    """Return a System of a few hundred states of `words` words: two processes that count, one of which starts over."""
    places = [Variable(f"at {name}", Domain(0, 1), names=("idle", "busy"), owner=name) for name in _WORKERS]
    counts = [Variable(f"count of {name}", Domain(0, _DONE)) for name in _WORKERS]
    actions: list[Action] = []
    for number, count in enumerate(counts):
        counted = Assign(Read(count), Binary("+", Read(count), Const(1)))
        actions.append(Action("begin", (Move(number, 0, 1),), Binary("<", Read(count), Const(_DONE)), (counted,)))
        actions.append(Action("end", (Move(number, 1, 0),), None, ()))
    actions.append(Action("again", (Move(0, 1, 0),), None, (Assign(Read(counts[0]), Const(0)),)))
    variables = [*places, *counts]
    if words > 1:
        variables.append(Variable("padding", Domain(0, (1 << 63) - 1, tight=True), words - 1, (0,) * (words - 1)))
    processes = tuple(Process(name, place) for name, place in zip(_WORKERS, places, strict=True))
    source = Source("a model of a few states", "")
    return System.create(source.name, source, tuple(variables), processes, tuple(actions))


def _share(memory: int | None) -> float:
    """Return the share of the usual sample size that fits a memory limit."""
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
    """Find a measure clearly better than the present one, on the first states reached from `starts`.

    Measures are compared by the product of peak and time. With `peak`, the new one must instead store at most half as
    many states at a time; with `afresh`, for a sweep that would begin again, it must need at most half as many visits.
    Returns None if there is no such measure.
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
        callback.stage("no better measure was found")
        return None
    prediction = replace(_prediction(found, best), exact=False)
    callback.stage(_describe(prediction, system))
    return prediction


def noted_prediction(
    checkpoints: Checkpoints | None, key: str, system: System, find: Callable[[], Prediction | None]
) -> Prediction | None:
    """Return the result of `find`, or, in a resumed run, the result that was noted under `key` before.

    None, the result if no measure was found, is noted too.
    """
    if checkpoints is None:
        return find()
    found: list[Prediction | None] = []

    def make() -> dict[str, Any] | None:
        found.append(find())
        return None if found[0] is None else _as_data(found[0], system)

    data = checkpoints.note(key, make)
    if found:
        return found[0]
    return None if data is None else _from_data(data, system)


def _as_data(prediction: Prediction, system: System) -> dict[str, Any]:
    """Convert a prediction to data for JSON; its measure is rendered in the model's language."""
    data = {one.name: getattr(prediction, one.name) for one in fields(prediction) if one.name != "measure"}
    return {**data, "measure": measure_texts(prediction.measure, system) if prediction.measure.components else ()}


def _from_data(data: Mapping[str, Any], system: System) -> Prediction:
    given = parse_measures(data["measure"], system).components
    found = [replace(one, name=None, reason=None, source=None, span=None) for one in given]
    return Prediction(**{**data, "measure": measure_of(found, system) if found else KEEP_ALL})


def _largest_peak(found: Found, memory: int | None) -> float | None:
    """Return the largest peak, as a fraction of all states, that fits the memory; None if it cannot be computed."""
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


def _describe(prediction: Prediction, system: System) -> str:
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
