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

    `decisive` is True at the indices where changing this one value, each time the run visits the state, would make the
    run satisfy the formula.
    """

    name: str
    values: tuple[bool, ...]
    decisive: tuple[bool, ...]


@dataclass(frozen=True, slots=True)
class AcceptingComponent:
    """An SCC of the product with violating runs: its number of states, and a lasso through it.

    Of very many SCCs only the first have a lasso; `trace` is None for the others.
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
    """The text of the LTL formula; None for an automaton, a regular expression or a property process."""
    method: str
    method_reason: str | None
    """The reason why `auto` chose the method; None if the user chose it."""
    automaton_states: int
    automaton_edges: int
    fairness: tuple[str, ...]
    finite_runs: str
    complete: bool
    reason: str | None
    statistics: Statistics
    cycle_kind: str | None = None
    """For a sweep: S for a cycle inside one layer, M for one over several layers; else None."""
    minimised: str | None = None
    """The sense in which the trace is a shortest one; None if it is simply the first one found."""
    ended: bool = False
    """True if the violating run ends in a deadlock, and stays in its last state."""
    atoms: tuple[AtomValues, ...] = ()
    components: tuple[AcceptingComponent, ...] = ()
    """All accepting SCCs, if the user asked for them."""
    warnings: tuple[str, ...] = field(default=())
    """Reasons why the answer may be vacuous."""
