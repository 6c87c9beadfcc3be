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
    """A terminal SCC: its number of states, and the first few of them, each as values by variable name."""

    states: int
    members: tuple[Mapping[str, Any], ...]


@dataclass(frozen=True, slots=True)
class Evidence:
    """The reason why a subformula holds in a state, or does not.

    `words` describe it, `trace` is a run from an initial state through that state, and `parts` is the evidence for the
    operands at the end of the run.
    """

    formula: str
    holds: bool
    words: str
    trace: Trace | None = None
    parts: tuple[Evidence, ...] = ()
    component: ComponentShown | None = None
    """The terminal SCC to which the run leads, if that is the evidence; else None."""

    def first_trace(self) -> Trace | None:
        """Return the most informative run: a lasso if there is one, else the run of the innermost part."""
        if self.trace is not None and self.trace.loop is not None:
            return self.trace
        for one in self.parts:
            inner = one.first_trace()
            if inner is not None:
                return inner
        return self.trace


@dataclass(frozen=True, slots=True)
class InitialStates:
    """The share of initial states in which a formula holds: all (SAT), none (NSAT) or some (PSAT).

    A formula holds of a model only if it holds in all. The names are those of Wang's thesis (see docs/papers.md, 004).
    """

    satisfying: int
    all: int

    @property
    def word(self) -> str:
        """The three-valued answer: SAT, PSAT or NSAT."""
        return "SAT" if self.satisfying == self.all else "PSAT" if self.satisfying else "NSAT"


@dataclass(frozen=True, slots=True)
class AbstractionFigures:
    """Statistics of a decision by abstraction.

    `decided_by` says whether an abstraction, the model itself or a search for a state decided the formula; `steps`
    describe the refinements, if the user asked for that.
    """

    decided_by: str
    refinements: int
    abstract_states: int
    visible: int
    """Number of slots of the state that are visible in the last abstraction."""
    steps: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CtlSearch:
    """The decision of one CTL formula: its method, the statistics of its search, and the evidence.

    Formulas that were decided in one search have the same statistics.
    """

    formula: str
    method: str
    method_reason: str | None
    """The reason why `auto` chose the method; None if the user chose it."""
    fairness: tuple[str, ...]
    finite_runs: str
    complete: bool
    reason: str | None
    statistics: Statistics
    product: bool = False
    """True if each searched state also records which fair actions the last step took."""
    records: int = 0
    """Number of states in the written graph, repetitions included if states were deleted and found again."""
    disk_bytes: int = 0
    blocks_read: int = 0
    """Number of blocks of the graph that were read from disk."""
    labelling_seconds: float = 0.0
    evidence: Evidence | None = None
    no_evidence_reason: str | None = None
    """The reason why evidence is missing; None if it is there."""
    initial: InitialStates | None = None
    """The share of initial states that satisfy the formula; None if unknown or if the method does not give it."""
    abstraction: AbstractionFigures | None = None
    """Statistics of the method `abstraction`."""
    warnings: tuple[str, ...] = ()
    """Reasons why the answer may be vacuous."""
