"""Which searches may take names for each other (`strandline.analysis.symmetry.detection`), and which names that are."""

from __future__ import annotations

from collections.abc import Sequence

from strandline.analysis.symmetry.detection import SymmetryFindings, find_scalarsets
from strandline.analysis.symmetry.permutation import close_initial_states
from strandline.errors import Option, UsageError
from strandline.model.expression import Expression
from strandline.model.measure import Measure
from strandline.model.system import Capability, System

_NONE = "no two processes with locations are alike, and no set of names is declared"
STATES_ONLY = "it is for properties of states"


def no_symmetry(why: str) -> UsageError:
    """Symmetry is not used, and why."""
    return UsageError(f"{{}}: {why}", options=[Option("symmetry", True)])


def exchanges_of(system: System, seen: Sequence[Expression], measure: Measure | None) -> SymmetryFindings:
    """Return the scalarsets under which these expressions and the measure are symmetric.

    Raises `UsageError` if there are none, with what breaks the symmetry.
    """
    if Capability.ACTIONS not in system.capabilities:
        raise no_symmetry("callables have no processes")
    found = find_scalarsets(system, seen)
    if measure is not None and found.scalarsets:
        found = find_scalarsets(system, [*seen, measure.column, measure.layer, *measure.compared])
        if not found.scalarsets:
            raise no_symmetry("the measure tells the processes apart; a sum over all of them does not")
    if not found.scalarsets:
        raise no_symmetry("; ".join(found.asymmetric) or _NONE)
    if close_initial_states(system, found.scalarsets) is None:
        names = "; ".join(one.names for one in found.scalarsets)
        raise no_symmetry(f"there are too many initial states in which {names} are exchanged")
    return found
