"""The result for an LTL property besides the answer."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from strandline.checker.verdicts.verdict import Statistics
    from strandline.traces.trace import Trace


@dataclass(frozen=True, slots=True)
class AtomValues:
    """An atomic proposition of the formula along a trace, state by state.

    `decisive` says where changing this one value, each time the run comes by, would make the run satisfy the formula.
    """

    name: str
    values: tuple[bool, ...]
    decisive: tuple[bool, ...]


@dataclass(frozen=True, slots=True)
class AcceptingComponent:
    """An SCC of the product with violating runs: its size, and a lasso through it.

    Of very many components only the first have a lasso.
    """

    states: int
    trace: Trace | None


@dataclass(frozen=True, slots=True)
class LtlSearch:
    """How an LTL property was decided.

    States and transitions in `statistics` are the product's: pairs of a state of the System and one of the automaton,
    with the counter for fairness if there is one.
    """

    formula: str | None
    """None where the property is a process of the model."""
    method: str
    why: str | None
    """Why `auto` picked it; None where the method was asked for."""
    automaton_states: int
    automaton_edges: int
    fairness: tuple[str, ...]
    finite_runs: str
    complete: bool
    reason: str | None
    statistics: Statistics
    cycle_kind: str | None = None
    """Of a sweep: S for a cycle inside one layer, M for one over several."""
    minimised: str | None = None
    """In which sense the trace is a shortest one; None if it is just the one that was found."""
    ended: bool = False
    """The violating run ends, and stays in its last state."""
    atoms: tuple[AtomValues, ...] = ()
    components: tuple[AcceptingComponent, ...] = ()
    """All accepting components, where they were asked for."""
    warnings: tuple[str, ...] = field(default=())
    """Reasons why the answer may be vacuous."""
