"""Replay a recorded trace on a System, for evaluating expressions along it."""

from __future__ import annotations

from dataclasses import dataclass

from strandline.compile.interpreted import SystemReference
from strandline.model.system import System
from strandline.traces.evaluate import Evaluator
from strandline.traces.interpreter_walk import reference_of
from strandline.traces.matching import Fitted, MisfitError, RecordedTrace, fit
from strandline.traces.trace import Trace


@dataclass(frozen=True, slots=True)
class FittedTrace:
    """A trace of a System, and the reference by which it was replayed."""

    reference: SystemReference
    fitted: Fitted

    @property
    def system(self) -> System:
        return self.reference.system

    @property
    def trace(self) -> Trace:
        return self.fitted.replayed.trace

    def evaluator(self) -> Evaluator:
        return Evaluator(self.reference)


def fit_system(system: System, recorded: RecordedTrace) -> FittedTrace:
    """Replay a recorded trace. Raises `MisfitError` if it is not a trace of the System.

    Traces to safety violations are of the system alone, others of its product with the property process; a file does
    not say of which, so both are tried, and the error is that of the attempt that went further.
    """
    claims = recorded.fault is not None and recorded.fault.action is None
    alone = reference_of(system.alone, claims=claims)
    try:
        return FittedTrace(alone, fit(alone, recorded))
    except MisfitError as misfit:
        if system.observer is None:
            raise
        first = misfit
    product = reference_of(system, claims=claims)
    try:
        return FittedTrace(product, fit(product, recorded))
    except MisfitError as second:
        raise (second if second.place > first.place else first) from None
