"""The result of a check: answers per property and overall, completeness, traces."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from strandline.checker.measures.prediction import Prediction
from strandline.checker.options.search import Options
from strandline.checker.properties.selection import Kind
from strandline.checker.verdicts.ctl import CtlSearch
from strandline.checker.verdicts.ltl import LtlSearch
from strandline.checker.verdicts.statistics import Statistics
from strandline.model.system import System
from strandline.rich_display import Reported, interrupted_lines
from strandline.traces.trace import Trace


class Answer(Enum):
    """The three possible verdicts on a property or a check."""

    HOLDS = "HOLDS"
    VIOLATED = "VIOLATED"
    UNKNOWN = "UNKNOWN"


@dataclass(frozen=True, slots=True)
class PropertyVerdict:
    """The answer for one property.

    `reason` says why the answer is unknown, or explains a violation; `trace` leads to the violation, or to the witness
    of a reachability claim that holds.
    """

    kind: Kind
    name: str
    answer: Answer
    reason: str | None = None
    trace: Trace | None = None
    search: LtlSearch | None = None
    """Statistics of the search for an LTL property."""
    ctl: CtlSearch | None = None
    """Statistics of the search for a CTL formula."""
    shortest: bool = True
    """False if the trace may not be a shortest one although the order of the search finds such."""


def without(answer: Answer, why: str) -> str:
    """Return the reason `why` an answer has no evidence, as a clause."""
    return f"no {'witness' if answer is Answer.HOLDS else 'counterexample'}: {why}"


@dataclass(frozen=True, slots=True, repr=False)
class Exploration(Reported):
    """The result of a search through the reachable states, without the answers for properties."""

    system: System
    options: Options
    complete: bool
    reason: str | None
    """The reason why the search is not complete; None if it is."""
    statistics: Statistics
    fault: PropertyVerdict | None = None
    """The run-time fault of the model that ended the search; None if there was none."""
    interrupted: bool = False
    prediction: Prediction | None = None
    """The predicted cost of a measure that was found automatically."""

    @property
    def answer(self) -> Answer:
        """VIOLATED after a run-time fault, else HOLDS if the search is complete, else UNKNOWN."""
        if self.fault is not None:
            return Answer.VIOLATED
        return Answer.HOLDS if self.complete else Answer.UNKNOWN

    @property
    def notes(self) -> tuple[str, ...]:
        """Limitations of the search, and interpretations of the model that may surprise, in sentences for people."""
        return self.system.notes

    @property
    def trace(self) -> Trace | None:
        return None if self.fault is None else self.fault.trace

    def __repr__(self) -> str:
        visited = f"{self.statistics.visited:,} states visited"
        return f"<Exploration {self.system.name}: {self.answer.value}, {visited}>"


@dataclass(frozen=True, slots=True, repr=False)
class Verdict(Reported):
    """The answers to all properties of a check. As a condition it is true exactly if every property holds."""

    exploration: Exploration
    properties: tuple[PropertyVerdict, ...]
    """The properties in the order they were asked for; a run-time fault of the model, always a violation, comes last.
    """

    @property
    def answer(self) -> Answer:
        """VIOLATED if any property is, else UNKNOWN if any is, else HOLDS."""
        answers = {one.answer for one in self.properties}
        for answer in (Answer.VIOLATED, Answer.UNKNOWN):
            if answer in answers:
                return answer
        return Answer.HOLDS if self.properties or self.complete else Answer.UNKNOWN

    @property
    def complete(self) -> bool:
        """True if all reachable states were explored by every search; a violation does not need that."""
        searches = [search for one in self.properties for search in (one.search, one.ctl) if search is not None]
        return self.exploration.complete and all(search.complete for search in searches)

    @property
    def reason(self) -> str | None:
        """The reason why the answer is UNKNOWN or the search is incomplete; None if it is decided and complete."""
        if self.answer is Answer.UNKNOWN:
            return next((one.reason for one in self.properties if one.answer is Answer.UNKNOWN), None) or (
                self.exploration.reason
            )
        return self.exploration.reason

    @property
    def notes(self) -> tuple[str, ...]:
        """Limitations of the search, in sentences."""
        return self.exploration.notes

    @property
    def statistics(self) -> Statistics:
        return self.exploration.statistics

    @property
    def system(self) -> System:
        return self.exploration.system

    @property
    def trace(self) -> Trace | None:
        """The trace of the first violated property; if none is violated, the first witness."""
        traced = [one for one in self.properties if one.trace is not None]
        violated = [one for one in traced if one.answer is Answer.VIOLATED]
        return next((one.trace for one in violated + traced), None)

    def __bool__(self) -> bool:
        return self.answer is Answer.HOLDS

    def __repr__(self) -> str:
        answers = "; ".join(f"{one.name}: {one.answer.value}" for one in self.properties)
        return f"<Verdict {self.system.name}: {self.answer.value} ({answers})>"


class Interrupted(KeyboardInterrupt):
    """Raised for Ctrl-C during a search; `result` is the partial result."""

    def __init__(self, result: Exploration | Verdict) -> None:
        super().__init__("interrupted")
        self.result = result

    def _render_traceback_(self) -> list[str]:
        """Return the lines that IPython shows for this exception: the result instead of a traceback."""
        return interrupted_lines(self.result)
