"""What a run is told and what it tells: a `Plan` in, `Findings` out, and a `Goal` that is asked on the way."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from strandline.check.automatic import Prediction
from strandline.check.checkpoints.keeping import Checkpoints
from strandline.check.engine_searches import SearchMaker
from strandline.check.options import Options
from strandline.check.verdict import PropertyVerdict, Statistics
from strandline.compile.kernel import FaultSite, Kernel
from strandline.engine.journal import Listener
from strandline.engine.search import Event
from strandline.errors import Option, UsageError
from strandline.model.expression import Expression
from strandline.model.measure import Measure
from strandline.model.system import System

if TYPE_CHECKING:
    from strandline.check.running import Run

DECIDED = "every property is decided"
INTERRUPTED = "interrupted"
"""Reasons why a run ended."""


@dataclass(slots=True)
class Findings:
    """How far a run came; it grows while the run goes on."""

    fault: PropertyVerdict | None = None
    complete: bool = False
    reason: str | None = None
    interrupted: bool = False
    statistics: Statistics = field(default_factory=Statistics)
    prediction: Prediction | None = None
    """What was expected of a measure that the program has found itself."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Plan:
    """What a run searches. The Kernel is compiled from the System with the predicates, which are the first bits of its
    labels, and the measure."""

    system: System
    predicates: Sequence[Expression]
    measure: Measure | None
    searches: SearchMaker
    options: Options
    """Limits, and where files are kept."""
    started: float
    """From when the limit of time counts."""
    prediction: Prediction | None = None
    """What is expected of the measure, where the program has found it itself."""
    measured: System | None = None
    """The part of the System for which measures are looked for; None where that is all of it."""
    refined: Callable[[Measure], tuple[Measure, SearchMaker]] | None = None
    """What another measure for that part becomes, and who searches by it; None where it is used as it is."""
    for_device: bool = False
    """Whether the search is one on a device."""
    counts_distinct: bool = False
    """Whether distinct states are counted afterwards, where the search forgets some."""
    seen: Sequence[Expression] | None = None
    """The expressions whose truth along runs a reduction must keep; None where nothing may be reduced."""
    checkpoints: Checkpoints | None = None
    """Where the search is saved, if that is wanted."""
    listens: Callable[[Path, Kernel], Listener] | None = None
    """Makes a listener for the search, whose files are to be in the folder; then distinct states are not counted."""
    tells_edges: bool = False
    """Whether that listener is told of edges too."""


class Goal(Protocol):
    """What a run looks for."""

    def stopped(self, run: Run, event: Event) -> bool:
        """The search stopped at a state with a label of its mask, or with a cycle; whether it is to go on."""

    def faulted(self, run: Run, record: int, site: FaultSite) -> PropertyVerdict:
        """The search ended at a run-time fault of the state of this record: what that means. Raises `InputError` where
        the fault is in an expression that the user gave beside the model."""

    def finished(self, run: Run, folder: Path) -> None:
        """The search has ended without a fault or error; files may still be made in the folder."""


def unplaced(options: Options) -> UsageError:
    """Why a lossy store is refused by whoever listens to where states are stored."""
    given = Option("store", options.store)
    return UsageError("{}: this search has to know where states are stored", options=[given])
