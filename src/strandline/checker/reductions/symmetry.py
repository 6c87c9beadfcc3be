"""Which searches may take names for each other (`strandline.analysis.symmetry.detection`), and which names that are."""

from __future__ import annotations

from collections.abc import Sequence

from strandline.analysis.symmetry.detection import Found, find_exchanges
from strandline.analysis.symmetry.permutation import closed
from strandline.errors import Option, UsageError
from strandline.model.expression import Expression
from strandline.model.measure import Measure
from strandline.model.system import Capability, System

_NONE = "no two processes with locations are alike, and no set of names is declared"
STATES_ONLY = "it is for properties of states"


def no_symmetry(why: str) -> UsageError:
    """Symmetry is not used, and why."""
    return UsageError(f"{{}}: {why}", options=[Option("symmetry", True)])


def exchanges_of(system: System, seen: Sequence[Expression], measure: Measure | None) -> Found:
    """Return the scalarsets under which these expressions and the measure are symmetric.

    Raises `UsageError` if there are none, with what breaks the symmetry.
    """
    if Capability.ACTIONS not in system.capabilities:
        raise no_symmetry("callables have no processes")
    found = find_exchanges(system, seen)
    if measure is not None and found.exchanges:
        found = find_exchanges(system, [*seen, measure.column, measure.layer, *measure.compared])
        if not found.exchanges:
            raise no_symmetry("the measure tells the processes apart; a sum over all of them does not")
    if not found.exchanges:
        raise no_symmetry("; ".join(found.broken) or _NONE)
    if closed(system, found.exchanges) is None:
        names = "; ".join(one.names for one in found.exchanges)
        raise no_symmetry(f"there are too many initial states in which {names} are exchanged")
    return found
