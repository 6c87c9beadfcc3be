"""What a run searches: a frozen specification. A fallback replaces it by another one."""

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
    """A search for cycles goes on after the first one, up to this many accepting components."""

    most: int
    select: Callable[[Kernel, WordArray], WordArray] | None = None
    """Which states of each component to keep; None where none are kept."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class SearchSpecification:
    """A search: what is compiled, by which order, within which limits, and where it stops.

    The Kernel is compiled from the System with the predicates, which are the first bits of its labels, and the
    measure. The search stops once at each label of its stop mask, and ends when it has stopped at all of them.
    """

    system: System
    predicates: Sequence[Expression]
    measure: Measure | None
    searches: SearchMaker
    options: Options
    """Limits, and where files are kept."""
    started: float
    """From when the limit of time counts."""
    prediction: Prediction | None = None
    """The predicted cost of a measure that the program has found itself."""
    measured: System | None = None
    """The part of the System for which measures are looked for; None for all of it."""
    refine: Callable[[Measure], tuple[Measure, SearchMaker]] | None = None
    """Turns another measure for that part into one for the System, with the searches that go by it; None where it is
    used as it is."""
    for_device: bool = False
    """Whether the search runs on a GPU."""
    counts_distinct: bool = False
    """Whether distinct states are counted afterwards, where the search forgets some."""
    visible: Sequence[Expression] | None = None
    """The expressions whose truth along runs a reduction must preserve; None where nothing may be reduced."""
    checkpoints: Checkpoints | None = None
    observe: Callable[[Path, Kernel], SearchObserver] | None = None
    """Makes an observer of the search, whose files go to the folder; distinct states are not counted then."""
    observes_edges: bool = False
    explores_all: bool = False
    """Whether the search goes on when it has stopped at all labels."""
    components: EveryComponent | None = None
    """How a search for cycles goes on after the first one; None where it ends there."""


def needs_exact_store(options: Options) -> UsageError:
    """Return the error for a lossy store under a search whose observer needs the number of each state."""
    given = Option("store", options.store)
    return UsageError("{}: this search has to know where states are stored", options=[given])
