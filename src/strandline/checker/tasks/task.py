"""A task: one search's worth of work, frozen. And what the tasks of one check share."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from strandline.checker.checkpoints.run_folder import Checkpoints
from strandline.checker.limits.progress import ProgressCallback
from strandline.checker.measures.choice import SweepMeasures
from strandline.checker.options.search import Options
from strandline.checker.options.temporal import TemporalOptions
from strandline.checker.properties.selection import Property
from strandline.model.system import System

if TYPE_CHECKING:
    from strandline.checker.tasks.runs import Question
    from strandline.checker.tasks.trees import CtlQuestion


@dataclass(frozen=True, slots=True, eq=False)
class Task:
    """What is to be decided of a System, and how: properties of single states, all of them in one search, or a
    question about its runs, or one about its computation trees."""

    system: System
    options: Options
    properties: tuple[Property, ...] = ()
    question: Question | None = None
    branching: CtlQuestion | None = None
    temporal: TemporalOptions = field(default_factory=TemporalOptions)
    want_traces: bool = True
    """Whether the way to what is found is wanted, or only that it was found; never where the options say that no traces
    are."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "want_traces", self.want_traces and self.options.traces)


@dataclass(frozen=True, slots=True, eq=False)
class Session:
    """What the tasks of one check share: who watches, when it began, and the measures that are known already."""

    callback: ProgressCallback
    started: float
    """From when a limit of time counts, on the clock of `time.perf_counter`."""
    measures: SweepMeasures
    checkpoints: Checkpoints | None = None
    """Where searches are saved."""
