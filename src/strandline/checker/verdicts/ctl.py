"""The result for a formula of CTL besides the answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from strandline.checker.verdicts.verdict import Statistics
    from strandline.traces.trace import Trace


@dataclass(frozen=True, slots=True)
class ComponentShown:
    """A terminal component: how many states it has, and the first of them, with their values."""

    states: int
    members: tuple[Mapping[str, Any], ...]


@dataclass(frozen=True, slots=True)
class Evidence:
    """Why a part of the formula holds, or does not, in a state.

    It is given in words, by a run from an initial state that passes through it, and by the evidence for its operands at
    the end of that run.
    """

    formula: str
    holds: bool
    words: str
    trace: Trace | None = None
    parts: tuple[Evidence, ...] = ()
    component: ComponentShown | None = None
    """The terminal component to which the run leads, if that is the evidence."""

    def first_trace(self) -> Trace | None:
        """Return the most telling run: a lasso, or else that of the innermost part."""
        if self.trace is not None and self.trace.loop is not None:
            return self.trace
        for one in self.parts:
            inner = one.first_trace()
            if inner is not None:
                return inner
        return self.trace


@dataclass(frozen=True, slots=True)
class InitialStates:
    """In how many of the initial states a formula holds: in all (SAT), in none (NSAT), or in some (PSAT, 004 §2.1.3).

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
    """How a formula was decided by abstraction.

    By which abstraction, after how many refinements, with how many abstract states; `steps` describe the refinements,
    where that was asked for.
    """

    decided_by: str
    refinements: int
    abstract_states: int
    visible: int
    """Slots of the state that are visible in the end."""
    steps: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CtlSearch:
    """How formulas of CTL were decided: by one exploration for several of them."""

    formula: str
    method: str
    why: str | None
    """Why `auto` picked it; None where the method was asked for."""
    fairness: tuple[str, ...]
    finite_runs: str
    complete: bool
    reason: str | None
    statistics: Statistics
    product: bool = False
    """The searched states are states of the model with the fair actions of the last step."""
    records: int = 0
    """Of the graph: as many as states, unless some were forgotten and found again."""
    disk_bytes: int = 0
    blocks_read: int = 0
    """Blocks of the graph that were read from disk."""
    labelling_seconds: float = 0.0
    evidence: Evidence | None = None
    without_evidence: str | None = None
    """Why there is no evidence, where there could be."""
    initial: InitialStates | None = None
    """None if the method does not distinguish them, or nothing was decided."""
    abstraction: AbstractionFigures | None = None
    """Of the method `abstraction`."""
    warnings: tuple[str, ...] = ()
    """Reasons why the answer may be vacuous."""
