"""Choose the progress measure of a System: given by the user, else declared in the model, else found automatically."""

from __future__ import annotations

from dataclasses import dataclass

from strandline.analysis.measure_combination import measure_of
from strandline.checker.checkpoints.run_folder import Checkpoints
from strandline.checker.limits.progress import ProgressCallback
from strandline.checker.measures.notation import parse_measures
from strandline.checker.measures.prediction import AUTOMATIC, Prediction, noted_prediction, predicted_measure
from strandline.checker.options.search import Options
from strandline.errors import InternalError, UsageError
from strandline.model.measure import Measure
from strandline.model.system import Capability, System

LOOKING = "no progress measure is given or declared: looking for one ..."


@dataclass(frozen=True, slots=True, eq=False)
class SweepMeasure:
    """A measure, with its predicted cost if it was found automatically."""

    measure: Measure
    prediction: Prediction | None = None


class SweepMeasures:
    """The measures of the Systems of one check: each is determined once and used for all searches."""

    def __init__(self, options: Options, callback: ProgressCallback, checkpoints: Checkpoints | None = None) -> None:
        self._options, self._callback, self._checkpoints = options, callback, checkpoints
        self._known: dict[int, tuple[System, SweepMeasure]] = {}

    def of(self, system: System) -> SweepMeasure:
        """Return the measure of a System. Raises `InputError` if it cannot be parsed or none can be found."""
        if id(system) not in self._known:
            self._known[id(system)] = system, self._worked_out(system)
        return self._known[id(system)][1]

    def share(self, known: System, other: System) -> None:
        """Use the measure of `known`, if it is determined already, for `other`, which has the same variables."""
        if id(known) in self._known:
            self._known.setdefault(id(other), (other, self._known[id(known)][1]))

    def _worked_out(self, system: System) -> SweepMeasure:
        options = self._options
        if options.measures and options.measures != AUTOMATIC:
            return SweepMeasure(parse_measures(options.measures, system, componentwise=options.componentwise))
        if not options.measures and system.measures:
            return SweepMeasure(measure_of(system.measures, system, componentwise=options.componentwise))
        if Capability.ACTIONS not in system.capabilities:
            raise UsageError("no measure can be found for callables: give from_callables the argument progress")
        if not options.measures:
            self._callback.stage(LOOKING)
        prediction = self._predict(system)
        found = prediction.measure.components
        return SweepMeasure(measure_of(found, system, componentwise=options.componentwise), prediction)

    def _predict(self, system: System) -> Prediction:
        """Return the automatically found measure with its cost; in a resumed run, the one noted before."""

        def find() -> Prediction:
            return predicted_measure(system, self._callback, self._options.memory_limit)

        prediction = noted_prediction(self._checkpoints, f"measure {len(self._known) + 1}", system, find)
        if prediction is None:
            raise InternalError("the checkpoint lacks a prediction that it names")
        return prediction
