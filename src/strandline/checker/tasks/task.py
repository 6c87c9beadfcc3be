"""Tasks: the questions that one search decides. A session holds the objects that the tasks of one check share."""

from __future__ import annotations

from dataclasses import dataclass, field

from strandline.checker.checkpoints.run_folder import Checkpoints
from strandline.checker.limits.progress import ProgressCallback
from strandline.checker.measures.choice import SweepMeasures
from strandline.checker.options.search import Options
from strandline.model.system import System


@dataclass(frozen=True, slots=True, eq=False)
class Task:
    """A question about a System, with options. It is a `StatesTask`, a `RunsTask` or a `TreesTask`."""

    system: System
    options: Options
    want_traces: bool = field(default=True, kw_only=True)
    """True if traces are wanted for the states found; always False if the options turn off traces."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "want_traces", self.want_traces and self.options.traces)


@dataclass(frozen=True, slots=True, eq=False)
class Session:
    """The objects that the tasks of one check share: callback, start time, known measures, checkpoints."""

    callback: ProgressCallback
    started: float
    """The start of the time limit, on the clock of `time.perf_counter`."""
    measures: SweepMeasures
    checkpoints: Checkpoints | None = None
    """The checkpoints of the check; None if none are written."""
