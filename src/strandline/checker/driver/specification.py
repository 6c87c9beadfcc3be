"""The specification of a search: an immutable object. A fallback replaces it by another one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from strandline.checker.checkpoints.run_folder import Checkpoints
from strandline.checker.driver.searches import SearchMaker
from strandline.checker.measures.prediction import Prediction
from strandline.checker.options.search import Options
from strandline.compile.kernel import Kernel
from strandline.engine.parts.search_output import SearchObserver
from strandline.engine.runtime.memory import WordArray
from strandline.errors import Option, UsageError
from strandline.model.expression import Expression
from strandline.model.measure import Measure
from strandline.model.system import System


@dataclass(frozen=True, slots=True)
class EveryComponent:
    """A request to report every accepting SCC, not only the first cycle; at most `most` of them with a lasso."""

    most: int
    select: Callable[[Kernel, WordArray], WordArray] | None = None
    """A function that selects the states of each SCC to be kept; None if none are kept."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class SearchSpecification:
    """A search: the model to compile, the order, the limits, and the labels at which it stops.

    The Kernel is compiled from the System with the predicates, which are the first bits of its labels, and the measure.
    The search stops once at each label of its stop mask, and ends when it has stopped at all of them.
    """

    system: System
    predicates: Sequence[Expression]
    measure: Measure | None
    searches: SearchMaker
    options: Options
    """The options with the limits and the folder for files."""
    started: float
    """The start of the time limit, on the clock of `time.perf_counter`."""
    prediction: Prediction | None = None
    """The predicted cost of a measure that was found automatically."""
    measured: System | None = None
    """The part of the System for which measures are found automatically; None for all of it."""
    refine: Callable[[Measure], tuple[Measure, SearchMaker]] | None = None
    """A function that turns a measure for `measured` into one for the System, with the searches by it.

    None if the measure is used unchanged.
    """
    for_device: bool = False
    """True if the search runs on a GPU."""
    counts_distinct: bool = False
    """True if distinct states are counted afterwards, after a search that deletes states."""
    visible: Sequence[Expression] | None = None
    """The expressions whose truth along runs a reduction must preserve; None if nothing may be reduced."""
    checkpoints: Checkpoints | None = None
    observe: Callable[[Path, Kernel], SearchObserver] | None = None
    """Makes a search observer, whose files go to the folder; distinct states are not counted then."""
    load_observer: Callable[[], object] | None = None
    """Loads the observer's own machine code, if it has some; a function that can be pickled."""
    observes_edges: bool = False
    explores_all: bool = False
    """True if the search goes on after it has stopped at all labels."""
    components: EveryComponent | None = None
    """The request to report every accepting SCC; None if the search ends at its first cycle."""


def needs_exact_store(options: Options) -> UsageError:
    """Return the error for a lossy store in a search that needs the number of each stored state."""
    given = Option("store", options.store)
    return UsageError("{}: this search needs the number of each stored state", options=[given])
