"""Find a better measure for a running sweep, from the states of its frontier.

That is sound: every state that is not expanded yet can be reached from the frontier. Expanded states that were deleted
may be found again, as in every sweep with regress edges.
"""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from strandline.analysis.ranges import analyse_ranges
from strandline.checker.driver.context import SearchSetup
from strandline.checker.limits.memory import return_memory
from strandline.checker.measures.prediction import Prediction, better_measure
from strandline.engine.handoff import Progress
from strandline.engine.runtime.memory import WordArray
from strandline.errors import InternalError
from strandline.model.layout import make_layout
from strandline.model.measure import Measure
from strandline.model.system import System
from strandline.progress.sampling import States


def better_prediction(
    setup: SearchSetup, starts: WordArray, *, less_memory: bool, begins_anew: bool = False
) -> tuple[SearchSetup, Prediction | None]:
    """Look for a measure better than the present one, on states that `starts` reach.

    Returns the setup, with a start time that leaves out the time for this, and the prediction; None if no measure is
    better.
    """
    specification, outlook = setup.specification, setup.outlook
    if outlook is None:
        raise InternalError("only a measure that was found is replaced")
    if not len(starts):
        return setup, None
    began = time.perf_counter()
    return_memory()
    system = specification.system if specification.measured is None else specification.measured
    better = better_measure(
        system,
        setup.resources.callback,
        specification.options.memory_limit,
        restrict_states(system, specification.system, starts),
        outlook.prediction,
        peak=less_memory,
        afresh=begins_anew,
    )
    started = specification.started + time.perf_counter() - began
    return replace(setup, specification=replace(specification, started=started)), better


def restrict_states(part: System, whole: System, states: WordArray) -> WordArray:
    """Convert packed states of the System `whole` to states of its part, without duplicates; one per row."""
    if part is whole:
        return states
    found = States(make_layout(whole, analyse_ranges(whole).variables), states)
    layout = make_layout(part, analyse_ranges(part).variables)
    cells = [found.cell(one.variable, index) for one in layout.fields for index in range(one.variable.length or 1)]
    rows = np.unique(np.column_stack(cells), axis=0)
    return np.array([layout.pack(row) for row in rows.tolist()], dtype=np.uint64).reshape(-1, layout.words)


def progress_by(system: System, measure: Measure) -> Progress:
    """Return a function that maps packed states, one per row, to rows of column and layer."""
    layout = make_layout(system, analyse_ranges(system).variables)

    def progress(states: WordArray) -> npt.NDArray[np.int64]:
        found = States(layout, states)
        return np.column_stack((found.values(measure.column), found.values(measure.layer)))

    return progress
