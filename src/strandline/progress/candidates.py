"""Measures worth a trial, out of what is known of the model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce

from strandline.compile.kernel import Measure
from strandline.model.expression import Binary, Const, Element, Expression, Read, render
from strandline.model.facts import control_edges, writes
from strandline.model.ranges import Ranges
from strandline.model.system import System, Variable
from strandline.progress.static import component_ranks, distance_ranks, never_decreasing

_MOST_SINGLE = 8
"""How many variables are tried on their own, those with the largest ranges first."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A measure: a monotone part, a part that may fall back, and where they come from."""

    column: Expression | None
    layer: Expression | None
    reason: str

    @property
    def measure(self) -> Measure:
        return Measure(self.column or Const(0), self.layer or Const(0))

    @property
    def texts(self) -> tuple[str, ...]:
        """As given to `--measure`."""
        parts = [] if self.column is None else [f"mono({render(self.column)})"]
        return (*parts, *([] if self.layer is None else [render(self.layer)]))


def candidates(system: System, ranges: Ranges) -> tuple[list[Candidate], list[Candidate]]:
    """Measures to try: the monotone ones, and those that may fall back."""
    growing = never_decreasing(system, ranges)
    counters = _sum([_total(variable) for variable in growing])
    counter_names = ", ".join(variable.name for variable in growing)
    phases = _sum([_ranked(system, number, "components") for number in range(len(system.processes))])
    distance = _sum([_ranked(system, number, "distance") for number in range(len(system.processes))])
    columns: list[tuple[Expression, str]] = []
    if counters is not None:
        columns.append((counters, f"{counter_names} never decrease"))
    if phases is not None:
        columns.append((phases, "phases of processes that are never entered again"))
    if counters is not None and phases is not None:
        columns.append((Binary("+", counters, phases), f"{counter_names} never decrease, nor do phases"))
    return (
        [Candidate(column, None, reason) for column, reason in columns],
        [Candidate(None, layer, reason) for layer, reason in _layers(system, ranges, growing, distance)],
    )


def combined(column: Candidate, layer: Candidate) -> Candidate:
    """Columns of the one, inside them layers of the other."""
    return Candidate(column.column, layer.layer, f"{column.reason}; inside, {layer.reason}")


def _layers(
    system: System, ranges: Ranges, growing: Sequence[Variable], distance: Expression | None
) -> Iterator[tuple[Expression, str]]:
    if distance is not None:
        yield distance, "distance of processes from their initial locations"
    written = set().union(*(writes(action) for action in system.actions))
    sizes = {
        variable: ranges.variables[variable][1] - ranges.variables[variable][0]
        for variable in system.variables
        if variable in written and not variable.is_location and variable not in growing
    }
    for variable in sorted(sizes, key=lambda one: -sizes[one])[:_MOST_SINGLE]:
        if sizes[variable] >= 2:
            yield _total(variable), f"projection on {variable.name}"


def _total(variable: Variable) -> Expression:
    """The variable, or the sum of an array's elements."""
    if variable.length is None:
        return Read(variable)
    elements: list[Expression] = [Element(variable, Const(index)) for index in range(variable.length)]
    return reduce(lambda left, right: Binary("+", left, right), elements)


def _ranked(system: System, number: int, kind: str) -> Expression | None:
    """The rank of a process's location as a sum over its locations; None where all ranks are the same."""
    process = system.processes[number]
    edges = control_edges(system, number)
    count = len(process.locations)
    if kind == "components":
        ranks = component_ranks(count, edges)
    else:
        ranks = distance_ranks(count, edges, system.initial[0][system.offsets[process.location]])
    terms: list[Expression] = []
    for location, rank in enumerate(ranks):
        here: Expression = Binary("==", Read(process.location), Const(location))
        if rank:
            terms.append(here if rank == 1 else Binary("*", Const(rank), here))
    return _sum(terms) if len(set(ranks)) > 1 else None


def _sum(terms: Sequence[Expression | None]) -> Expression | None:
    present = [term for term in terms if term is not None]
    return reduce(lambda left, right: Binary("+", left, right), present) if present else None
