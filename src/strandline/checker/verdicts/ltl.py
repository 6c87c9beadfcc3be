"""What a search for a violation of an LTL property may claim besides its answer."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from strandline.checker.verdicts.verdict import Statistics
    from strandline.traces.trace import Trace


@dataclass(frozen=True, slots=True)
class AtomValues:
    """An atomic proposition of the formula along a trace, state by state. `decisive` says where changing this one
    value, each time the run comes by, would make the run satisfy the formula."""

    name: str
    values: tuple[bool, ...]
    decisive: tuple[bool, ...]


@dataclass(frozen=True, slots=True)
class AcceptingComponent:
    """A strongly connected component of the product that holds violating runs: how many states it has, and a lasso
    through it. Of very many components only the first have one."""

    states: int
    trace: Trace | None


@dataclass(frozen=True, slots=True)
class LtlSearch:
    """How an LTL property was decided. States and transitions in `statistics` are the product's: pairs of a
    state of the system and one of the automaton, with the counter for fairness where there is one."""

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
    """What the trace is a least one of; None where it is just the one that was found."""
    ended: bool = False
    """The violating run ends, and stays in its last state."""
    atoms: tuple[AtomValues, ...] = ()
    components: tuple[AcceptingComponent, ...] = ()
    """All accepting components, where they were asked for."""
    warnings: tuple[str, ...] = field(default=())
    """Why the answer may not mean what it seems to mean."""
