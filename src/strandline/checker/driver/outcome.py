"""What comes out of a run, as data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from strandline.checker.measures.prediction import Prediction
from strandline.checker.verdicts.verdict import PropertyVerdict, Statistics
from strandline.compile.kernel import FaultSite
from strandline.engine.runtime.memory import WordArray
from strandline.traces.lassos import Lasso

DECIDED = "every property is decided"
INTERRUPTED = "interrupted"
"""Reasons why a run ended."""


@dataclass(slots=True)
class RunOutcome:
    """How far a run came.

    It is filled in while the run goes on, and completed afterwards: by the words of a fault, or by a limit that
    labelling the graph reached.
    """

    fault: PropertyVerdict | None = None
    complete: bool = False
    reason: str | None = None
    interrupted: bool = False
    statistics: Statistics = field(default_factory=Statistics)
    prediction: Prediction | None = None
    """The predicted cost of a measure that the program has found itself."""

    def stop_at_limit(self, error: BaseException) -> None:
        """Note the limit, the full disk or the Ctrl-C that ended the run or what is made of it."""
        if isinstance(error, KeyboardInterrupt):
            self.interrupted, self.reason = True, INTERRUPTED
        elif isinstance(error, MemoryError):
            self.reason = "the machine's memory is used up"
        else:
            self.reason = str(error)


class Path(NamedTuple):
    """The number of an initial state and the steps from there, by their numbers in the Kernel's reference."""

    initial: int
    steps: Sequence[int]


class StateStop(NamedTuple):
    """A state with labels of the stop mask. `path` is None while the parent log has the path to its record."""

    record: int
    labels: int
    path: Path | None = None


class FaultStop(NamedTuple):
    """A run-time fault of the model in the step that leaves a state."""

    record: int
    site: FaultSite
    path: Path | None = None


@dataclass(frozen=True, slots=True, eq=False)
class CycleStop:
    """An accepting cycle or component: its size, a lasso through it, and the states that were to be kept."""

    kind: str | None
    size: int = 0
    lasso: Lasso | None = None
    kept: WordArray | None = None
