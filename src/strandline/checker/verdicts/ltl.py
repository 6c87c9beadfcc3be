"""The result for an LTL property: counterexample and statistics."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from strandline.checker.verdicts.statistics import Statistics
    from strandline.traces.trace import Trace


@dataclass(frozen=True, slots=True)
class AtomValues:
    """The values of an atomic proposition along a trace, state by state.

    `decisive` marks the places where changing this one value, each time the run visits it, would make the run satisfy
    the formula.
    """

    name: str
    values: tuple[bool, ...]
    decisive: tuple[bool, ...]


@dataclass(frozen=True, slots=True)
class AcceptingComponent:
    """An SCC of the product with violating runs: its size, and a lasso through it.

    If there are very many components only the first have a lasso.
    """

    states: int
    trace: Trace | None


@dataclass(frozen=True, slots=True)
class LtlSearch:
    """Statistics of the search that decided an LTL property.

    States and transitions in `statistics` are the product's: pairs of a state of the System and one of the automaton,
    with the counter for fairness if there is one.
    """

    formula: str | None
    """The formula; None if the property is a process of the model."""
    method: str
    method_reason: str | None
    """The reason why `auto` chose the method; None if the method was asked for."""
    automaton_states: int
    automaton_edges: int
    fairness: tuple[str, ...]
    finite_runs: str
    complete: bool
    reason: str | None
    statistics: Statistics
    cycle_kind: str | None = None
    """For a sweep: S for a cycle inside one layer, M for one over several layers."""
    minimised: str | None = None
    """The sense in which the trace is a shortest one; None if it is the one that was found first."""
    ended: bool = False
    """True if the violating run ends in a deadlock, and stays in its last state."""
    atoms: tuple[AtomValues, ...] = ()
    components: tuple[AcceptingComponent, ...] = ()
    """All accepting components, if they were asked for."""
    warnings: tuple[str, ...] = field(default=())
    """Reasons why the answer may be vacuous."""
