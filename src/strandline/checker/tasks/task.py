"""Tasks: the work of one search. A session holds what the tasks of one check share."""

from __future__ import annotations

from dataclasses import dataclass, field

from strandline.checker.checkpoints.run_folder import Checkpoints
from strandline.checker.limits.progress import ProgressCallback
from strandline.checker.measures.choice import SweepMeasures
from strandline.checker.options.search import Options
from strandline.checker.options.temporal import TemporalOptions
from strandline.model.system import System


@dataclass(frozen=True, slots=True, eq=False)
class Task:
    """What is to be decided of a System, and how. It is one of `StatesTask`, `RunsTask` and `TreesTask`."""

    system: System
    options: Options
    temporal: TemporalOptions = field(default_factory=TemporalOptions, kw_only=True)
    want_traces: bool = field(default=True, kw_only=True)
    """Whether the path to a state that is found is wanted; never where the options say that no traces are."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "want_traces", self.want_traces and self.options.traces)


@dataclass(frozen=True, slots=True, eq=False)
class Session:
    """What the tasks of one check share: the progress callback, the start, and the measures known already."""

    callback: ProgressCallback
    started: float
    """From when a limit of time counts, on the clock of `time.perf_counter`."""
    measures: SweepMeasures
    checkpoints: Checkpoints | None = None
    """Where searches are saved."""
