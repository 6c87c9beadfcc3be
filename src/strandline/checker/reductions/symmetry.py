"""Decide for which searches symmetry reduction is sound, and find the scalarsets of a search."""

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
    """Return the error for a search that symmetry reduction cannot be used for, with the reason."""
    return UsageError(f"{{}}: {why}", options=[Option("symmetry", True)])


def exchanges_of(system: System, seen: Sequence[Expression], measure: Measure | None) -> SymmetryFindings:
    """Return the scalarsets under which the System, the expressions `seen` and the measure are symmetric.

    Raises `UsageError`, with the reason why the model is not symmetric, if there are none.
    """
    if Capability.ACTIONS not in system.capabilities:
        raise no_symmetry("callables have no processes")
    if system.has_paths or system.has_idle:
        raise no_symmetry("steps of this model are paths of several actions, or possible only where nothing else is")
    found = find_scalarsets(system, seen)
    if measure is not None and found.scalarsets:
        found = find_scalarsets(system, [*seen, measure.column, measure.layer, *measure.compared])
        if not found.scalarsets:
            raise no_symmetry("the measure distinguishes the processes; use a sum over all of them")
    if not found.scalarsets:
        raise no_symmetry("; ".join(found.asymmetric) or _NONE)
    if close_initial_states(system, found.scalarsets) is None:
        names = "; ".join(one.names for one in found.scalarsets)
        raise no_symmetry(f"permuting {names} in the initial states makes too many initial states")
    return found
