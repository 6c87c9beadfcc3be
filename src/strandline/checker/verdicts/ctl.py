"""The result for a CTL formula: evidence and statistics."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from strandline.checker.verdicts.statistics import Statistics
    from strandline.traces.trace import Trace


@dataclass(frozen=True, slots=True)
class ComponentShown:
    """A terminal component: its number of states, and the first of them, with their values."""

    states: int
    members: tuple[Mapping[str, Any], ...]


@dataclass(frozen=True, slots=True)
class Evidence:
    """The reason why a subformula holds in a state, or does not.

    It consists of words, a run from an initial state through that state, and the evidence for operands at the end of
    the run.
    """

    formula: str
    holds: bool
    words: str
    trace: Trace | None = None
    parts: tuple[Evidence, ...] = ()
    component: ComponentShown | None = None
    """The terminal component to which the run leads, if that is the evidence."""

    def first_trace(self) -> Trace | None:
        """Return the run that shows most: a lasso if there is one, else the run of the innermost part."""
        if self.trace is not None and self.trace.loop is not None:
            return self.trace
        for one in self.parts:
            inner = one.first_trace()
            if inner is not None:
                return inner
        return self.trace


@dataclass(frozen=True, slots=True)
class InitialStates:
    """The share of initial states in which a formula holds: all (SAT), none (NSAT), or some (PSAT, 004 §2.1.3).

    A formula holds of a model only if it holds in all.
    """

    satisfying: int
    all: int

    @property
    def word(self) -> str:
        """The three-valued answer."""
        return "SAT" if self.satisfying == self.all else "PSAT" if self.satisfying else "NSAT"


@dataclass(frozen=True, slots=True)
class AbstractionFigures:
    """Statistics of a decision by abstraction.

    They are the kind of abstraction, the number of refinements and of abstract states; `steps` describe the
    refinements, if that was asked for.
    """

    decided_by: str
    refinements: int
    abstract_states: int
    visible: int
    """Slots of the state that are visible in the last abstraction."""
    steps: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CtlSearch:
    """Statistics of the search that decided CTL formulas: one exploration for several of them."""

    formula: str
    method: str
    method_reason: str | None
    """The reason why `auto` chose the method; None if the method was asked for."""
    fairness: tuple[str, ...]
    finite_runs: str
    complete: bool
    reason: str | None
    statistics: Statistics
    product: bool = False
    """True if searched states are states of the model with the fair actions of the last step."""
    records: int = 0
    """Number of records of the graph: more than states if states were deleted and found again."""
    disk_bytes: int = 0
    blocks_read: int = 0
    """Number of blocks of the graph that were read from disk."""
    labelling_seconds: float = 0.0
    evidence: Evidence | None = None
    no_evidence_reason: str | None = None
    """The reason why evidence is missing."""
    initial: InitialStates | None = None
    """The values in initial states; None if the method does not distinguish them, or nothing was decided."""
    abstraction: AbstractionFigures | None = None
    """Statistics of the method `abstraction`."""
    warnings: tuple[str, ...] = ()
    """Reasons why the answer may be vacuous."""
