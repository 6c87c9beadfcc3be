"""Check the user's claims about a measure on a sample: it does not fault, and is as monotone as promised."""

from __future__ import annotations

import numpy as np

from strandline.compile.interpret import Fault
from strandline.errors import MeasureError
from strandline.progress.candidates import Candidate
from strandline.progress.sampling import Sample

_EVALUATED = 1_000
"""States, spread over the sample, in which a measure is evaluated by the interpreter."""


def examine(candidate: Candidate, sample: Sample) -> None:
    """Check a measure on a sample. Raises `MeasureError` with the counterexample."""
    _evaluate(candidate, sample)
    falling = np.zeros(len(sample.targets), dtype=bool)
    undecided = sample.targets >= 0
    for term in candidate.terms[: candidate.columns]:
        values = sample.values(term.expression)
        before, after = values[sample.sources], values[sample.targets]
        falling |= undecided & (after < before)
        if falling.any():
            edge = int(np.argmax(falling))
            source = int(sample.sources[edge])
            step = sample.kernel.reference.edges(_state(sample, source))[edge - int(sample.offsets[source])]
            fall = f"from {before[edge]} to {after[edge]}"
            raise MeasureError(f"'{term.reason.subject}' is not monotone: '{step.action}' takes it {fall}")
        undecided &= after == before


def _evaluate(candidate: Candidate, sample: Sample) -> None:
    expressions = [term.expression for term in candidate.terms]
    chosen = np.unique(np.linspace(0, sample.count - 1, min(sample.count, _EVALUATED)).astype(np.int64))
    for number in chosen.tolist():
        for term, expression in zip(candidate.terms, expressions, strict=True):
            try:
                sample.kernel.reference.values(_state(sample, number), [expression])
            except Fault as fault:
                where = "an initial state" if number < sample.initial else "a reachable state"
                raise MeasureError(f"'{term.reason.subject}' cannot be evaluated: {fault.kind}, in {where}") from None


def _state(sample: Sample, number: int) -> tuple[int, ...]:
    return tuple(int(word) for word in sample.states[number])
