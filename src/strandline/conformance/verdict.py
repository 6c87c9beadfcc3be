"""The result of comparing a log with a model: verdict, deviation with its reasons, and coverage of the model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

from strandline.conformance.logs import Entry
from strandline.model.system import System
from strandline.traces.trace import Trace


class Conforms(Enum):
    """The three possible verdicts on a log."""

    CONFORMS = "CONFORMS"
    DEVIATES = "DEVIATES"
    UNKNOWN = "UNKNOWN"


@dataclass(frozen=True, slots=True)
class Reason:
    """Why an action was not the event that the log has: in how many of the candidate states, and the cause."""

    action: str
    kind: str
    """`location`, `guard`, `argument`, `before`, `after`, `fault` or `committed`.

    For events of several nodes also `order`, if another event comes first, and `search`, if the event is possible, but
    the search for the longest prefix that matches reached its limit.
    """
    words: str
    part: str | None = None
    """The part of the guard that is false, or the question whose answer differs."""
    model: Any = None
    """The value in the model."""
    logged: Any = None
    """The value in the log."""
    states: int = 1
    of: int = 1


@dataclass(frozen=True, slots=True)
class Difference:
    """A variable that differs among the candidate states, with some of its values."""

    name: str
    values: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Deviation:
    """The first event that no run of the model has, and why."""

    event: Entry
    last: Entry | None
    """The event in front of it, the last that matches; None if it is the first."""
    matched: int
    """The number of events that match."""
    candidates: int
    """The number of states in which the model may be then."""
    state: Mapping[str, Any]
    """One of them."""
    differences: tuple[Difference, ...]
    reasons: tuple[Reason, ...]
    missing: tuple[str, ...]
    """Steps after which the event would match; empty if a few steps do not suffice."""
    trace: Trace
    """A run that has the events that match, or the last of them."""
    events: tuple[Entry | None, ...]
    """For each step of the trace its event; None for an unlogged step."""
    first: int
    """The number of events in front of the trace."""


@dataclass(frozen=True, slots=True)
class ModelCoverage:
    """The actions and locations of a model that logs exercised.

    `certain` are the actions that every explanation of some event takes, `possible` those that only some takes.
    """

    certain: tuple[str, ...]
    possible: tuple[str, ...]
    never: tuple[str, ...]
    locations: tuple[str, ...] = ()
    unreached: tuple[str, ...] = ()

    @property
    def actions(self) -> int:
        """The number of actions of the model."""
        return len(self.certain) + len(self.possible) + len(self.never)


@dataclass(frozen=True, slots=True)
class Conformance:
    """The verdict on one or several logs; `deviation` belongs to the first log that deviates."""

    system: System
    answer: Conforms
    reason: str | None
    logs: Sequence[str]
    events: int
    """The number of events read."""
    candidates: int
    """The number of states in which the model may be at the end, or where the log deviates."""
    deviation: Deviation | None
    coverage: ModelCoverage
    seconds: float

    def __bool__(self) -> bool:
        """Return True if the log conforms, for `assert strandline.conform(...)`."""
        return self.answer is Conforms.CONFORMS

    def __str__(self) -> str:
        from importlib import import_module

        # By a name, as in `rich_display`: reports come later in the order of packages.
        text: str = import_module("strandline.report.conformance").conformance_text(self)
        return text
