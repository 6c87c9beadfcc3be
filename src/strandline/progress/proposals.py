"""Propose terms of measures: projections on cells of the state, phases, distances, orders.

- every cell on its own, smallest or largest value first, as the projections of 001 §6;
- the SCCs of a control graph, the property automaton's included (002 §5: monotone);
- the distance from the initial location (002 §5's spanning tree), and the order in which locations are declared;
- an order of a cell's values with few backward edges in the sample: a spanning order of its projected graph;
- arrays, and the same cell of processes with the same internal names: their sum, and one after the other;
- for models without processes, weighted sums of all variables, from the incidence matrix (`incidence`).

Distances from other locations (`propose_roots`) begin a cycle elsewhere. They may be the best single terms; they are
not combined with others, because they would displace many of them.

Whether a term never decreases is not decided here but proved from its changes by each action.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from strandline.analysis.control import control_edges
from strandline.model.expression import Const, Element, Expression
from strandline.model.measure import Reason
from strandline.model.system import System, Variable
from strandline.progress.candidates import Block, Term, negate, rank_sum, total
from strandline.progress.changes import Changes
from strandline.progress.incidence import linear_measures
from strandline.progress.state_fields import Cell
from strandline.progress.static import component_ranks, distance_ranks

_MOST_IN_A_ROW = 12
_MOST_ROOTS = 8
"""Locations of a process, besides the initial one, from which distances are computed."""
_MOST_LEARNED = 48
"""Most values of a cell for which an order is learned."""


def propose(system: System, changes: Changes, cells: Sequence[Cell]) -> list[Block]:
    """Return terms in a fixed order, none of them constant, and sequences of terms that belong together."""
    return [block for block in _Proposals(system, changes, cells).all() if block]


def propose_roots(system: System, changes: Changes, cells: Sequence[Cell]) -> list[Block]:
    """Return distances from other than the initial location, for one process and for all with the same locations."""
    return list(_Proposals(system, changes, cells).rooted_distances())


class _Proposals:
    def __init__(self, system: System, changes: Changes, cells: Sequence[Cell]) -> None:
        self.system, self.changes, self.cells = system, changes, cells

    def all(self) -> Iterator[Block]:
        kinds: dict[tuple[str, str], list[Term]] = {}
        for cell in self.cells:
            terms = self._of_locations(cell) if cell.located else self._both_directions(cell.expression, cell.name)
            for term in (*terms, *self._learned_orders(cell)):
                yield (term,)
                kinds.setdefault((cell.family, term.reason.kind), []).append(term)
        yield from (tuple(terms) for terms in kinds.values() if 1 < len(terms) <= _MOST_IN_A_ROW)
        yield from ((term,) for term in self._totals())
        yield from ((term,) for term in self._families())
        yield from ((term,) for term in self._all_distances())
        if not self.system.processes:
            for measure in linear_measures(self.changes):
                yield (self._term(measure, "{} that independent steps increase by one", "a sum of variables"),)

    def _term(self, expression: Expression, kind: str, subject: str) -> Term:
        return Term(expression, Reason(kind, subject), self.changes)

    def _both_directions(self, expression: Expression, name: str) -> Iterator[Term]:
        """Yield smallest first and largest first, or only the one that is proved to be monotone."""
        rising = self._term(expression, "{} rising", name)
        falling = self._term(negate(expression), "{} falling", name)
        for term, kind in ((rising, "{} never decreasing"), (falling, "{} never increasing")):
            if term.monotone:
                yield self._term(term.expression, kind, name)
                return
        yield rising
        yield falling

    def _of_locations(self, cell: Cell) -> Iterator[Term]:
        variable, count = cell.variable, len(cell.variable.names or ())
        owner, edges, start = self._control(variable)
        declared = {value: value for value in cell.present}
        distances = dict(enumerate(distance_ranks(count, edges, start)))
        phases = dict(enumerate(component_ranks(count, edges)))
        tables = [
            (phases, "phases of {} that are never entered again"),
            (distances, "distance of {} from the initial location"),
            (_reverse(distances), "distance of {} from the initial location, falling"),
            (declared, "locations of {} as declared"),
            (_reverse(declared), "locations of {} as declared, falling"),
        ]
        seen = set()
        for ranks, kind in tables:
            order = tuple(ranks[value] - min(ranks.values()) for value in cell.present)
            if len(set(order)) > 1 and order not in seen:
                seen.add(order)
                yield self._term(rank_sum(variable, ranks), kind, owner)

    def rooted_distances(self) -> Iterator[Block]:
        kinds: dict[tuple[str, str], list[Term]] = {}
        for cell in self.cells:
            variable, names = cell.variable, cell.variable.names or ()
            if not cell.located:
                continue
            owner, edges, start = self._control(variable)
            roots = [place for place in cell.present if place != start]
            for root in roots[:_MOST_ROOTS]:
                ranks = dict(enumerate(distance_ranks(len(names), edges, root)))
                term = self._term(rank_sum(variable, ranks), f"distance of {{}} from {names[root]}", owner)
                yield (term,)
                kinds.setdefault((cell.family, term.reason.kind), []).append(term)
        yield from (tuple(terms) for terms in kinds.values() if 1 < len(terms) <= _MOST_IN_A_ROW)

    def _control(self, location: Variable) -> tuple[str, set[tuple[int, int]], int]:
        """Return name, control graph and initial location of the process, or property process, with this location."""
        process = self.system.locations[location]
        start = self.system.initial[0][self.system.offsets[location]]
        return process.name, control_edges(self.system, process), start

    def _learned_orders(self, cell: Cell) -> Iterator[Term]:
        from strandline.progress.kernels import order_values

        count = len(cell.present)
        if not 2 < count <= _MOST_LEARNED:
            return
        present = np.array(cell.present)
        sources, targets = np.searchsorted(present, cell.before), np.searchsorted(present, cell.after)
        weights = np.bincount(sources * count + targets, minlength=count * count).reshape(count, count)
        np.fill_diagonal(weights, 0)
        order = np.arange(count)
        order_values(weights, order)
        if any(np.array_equal(order, plain) for plain in (np.arange(count), np.arange(count)[::-1])):
            return
        ranks = {cell.present[value]: rank for rank, value in enumerate(order)}
        yield self._term(cell.rank_expression(ranks), "{} in an order that few edges go against", cell.name)

    def _totals(self) -> Iterator[Term]:
        for variable in {one.variable: None for one in self.cells if one.index is not None}:
            elements: list[Expression] = [Element(variable, Const(index)) for index in range(variable.slots)]
            if len(elements) > 1:
                yield from self._both_directions(total(elements), f"the sum of {variable.name}")

    def _families(self) -> Iterator[Term]:
        """Yield sums over corresponding variables of processes: `P_0.x`, `P_1.x`."""
        families: dict[str, list[Cell]] = {}
        for cell in self.cells:
            if cell.index is None and cell.variable.owner and not cell.located:
                families.setdefault(cell.name.removeprefix(cell.variable.owner), []).append(cell)
        for name, members in families.items():
            if len(members) > 1:
                yield from self._both_directions(
                    total([one.expression for one in members]), f"the sum of all {name[1:]}"
                )

    def _all_distances(self) -> Iterator[Term]:
        """Yield sums of the distances, and of the phases, of all processes."""
        distances, phases = [], []
        for process in self.system.processes:
            _, edges, start = self._control(process.location)
            count = len(process.locations)
            distances.append((process.location, distance_ranks(count, edges, start)))
            phases.append((process.location, component_ranks(count, edges)))
        for tables, kind in (
            (distances, "distances of {} from their initial locations"),
            (phases, "phases of {} that are never entered again"),
        ):
            parts = [rank_sum(place, dict(enumerate(ranks))) for place, ranks in tables if len(set(ranks)) > 1]
            if len(parts) > 1:
                yield self._term(total(parts), kind, "all processes")


def _reverse(ranks: dict[int, int]) -> dict[int, int]:
    highest = max(ranks.values())
    return {value: highest - rank for value, rank in ranks.items()}
