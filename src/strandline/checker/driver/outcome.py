"""The outcome of a run, as data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from strandline.checker.measures.prediction import Prediction
from strandline.checker.verdicts.statistics import Statistics
from strandline.checker.verdicts.verdict import PropertyVerdict
from strandline.compile.kernel import FaultSite
from strandline.engine.runtime.memory import WordArray
from strandline.traces.lassos import Lasso

DECIDED = "every property is decided"
INTERRUPTED = "interrupted"
"""The reason of a run that was interrupted."""


@dataclass(slots=True)
class RunOutcome:
    """The outcome of a run: completeness, reason, fault and statistics.

    It is filled in while the run goes on, and completed afterwards: by the description of a fault, or by a limit that
    was reached while the graph was labelled.
    """

    fault: PropertyVerdict | None = None
    complete: bool = False
    reason: str | None = None
    interrupted: bool = False
    statistics: Statistics = field(default_factory=Statistics)
    prediction: Prediction | None = None
    """The predicted cost of a measure that was found automatically."""

    def stop_at_limit(self, error: BaseException) -> None:
        """Record the exception for a limit, a full disk or Ctrl-C that ended the run or its evaluation."""
        if isinstance(error, KeyboardInterrupt):
            self.interrupted, self.reason = True, INTERRUPTED
        elif isinstance(error, MemoryError):
            self.reason = "the machine's memory is used up"
        else:
            self.reason = str(error)


class Path(NamedTuple):
    """The index of an initial state and the steps from there.

    A step is an index into the edges that the Kernel's reference lists for the state.
    """

    initial: int
    steps: Sequence[int]


class StateStop(NamedTuple):
    """A stop at a state; `labels` are its labels in the stop mask, `record` is its number in the parent log.

    `path` is None as long as the parent log contains the path to the record.
    """

    record: int
    labels: int
    path: Path | None = None


class FaultStop(NamedTuple):
    """A stop at a run-time fault of the model in a step from the state with the number `record` in the parent log.

    `path` is None as long as the parent log contains the path to the record.
    """

    record: int
    site: FaultSite
    path: Path | None = None


@dataclass(frozen=True, slots=True, eq=False)
class CycleStop:
    """A stop at an accepting cycle or SCC: its size, a lasso through it, and the states selected by `EveryComponent`.

    `kind` is S for a cycle inside one layer of a sweep, M for one over several layers, else None.
    """

    kind: str | None
    size: int = 0
    lasso: Lasso | None = None
    kept: WordArray | None = None
