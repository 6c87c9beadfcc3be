"""Which searches may take processes for each other (`strandline.model.symmetry`), and which processes that are."""

from __future__ import annotations

from collections.abc import Sequence

from strandline.compile.callback import CallableSystem
from strandline.compile.canonical import packed_alike
from strandline.errors import Option, UsageError
from strandline.model.expression import Expression
from strandline.model.layout import make_layout
from strandline.model.measure import Measure
from strandline.model.ranges import analyse_ranges
from strandline.model.symmetry import Exchange, find_exchanges
from strandline.model.system import System

STATES_ONLY = "it is for properties of states"


def no_symmetry(why: str) -> UsageError:
    """Symmetry is not used, and why."""
    return UsageError(f"{{}}: {why}", options=[Option("symmetry", True)])


def exchanges_of(system: System, seen: Sequence[Expression], measure: Measure | None) -> tuple[Exchange, ...]:
    """Processes that need not be told apart where only the truth of these expressions and the measure count. Raises
    `UsageError` where there are none, and says what tells them apart."""
    if isinstance(system, CallableSystem):
        raise no_symmetry("callables have no processes")
    found = find_exchanges(system, seen)
    if measure is not None and found.exchanges:
        found = find_exchanges(system, [*seen, measure.column, measure.layer, *measure.compared])
        if not found.exchanges:
            raise no_symmetry("the measure tells the processes apart; a sum over all of them does not")
    layout = make_layout(system, analyse_ranges(system).variables)
    exchanges = [one for one in found.exchanges if packed_alike(layout, [one])]
    uneven = [f"{one.names} have variables of different ranges" for one in found.exchanges if one not in exchanges]
    if not exchanges:
        raise no_symmetry("; ".join([*found.broken, *uneven]) or "no two processes with locations are alike")
    return tuple(exchanges)
