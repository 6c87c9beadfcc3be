"""From generalised to state-based Büchi automata, component by component (Babiak et al. 2013).

A state is split into levels: level i waits for acceptance set number i of a chosen order, the last level is
accepting and starts again. A component that rejects, or in which every cycle is accepting, needs one level.
An edge that enters a component may start at any level; choices are tried and the smallest result is kept.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, permutations

from strandline.properties.automata.automaton import Automaton, Edge, merge_parallel
from strandline.properties.automata.components import Components, components, is_weak_component
from strandline.properties.automata.simulation import reduce_by_simulation
from strandline.properties.automata.trimming import trim

MAXIMUM_ORDERS = 6
_REJECTING = -1
"""The level of states in rejecting components, which wait for no acceptance set."""


@dataclass(frozen=True, slots=True)
class _Plan:
    """A degeneralisation plan: the order of the acceptance sets, and the level at which components are entered.

    This is the last level if `enter_accepting`, else level 0; with `reuse_levels`, the first level used for the state.
    """

    order: tuple[int, ...]
    enter_accepting: bool
    reuse_levels: bool


def degeneralise(automaton: Automaton) -> list[Automaton]:
    """Return state-based automata with the same language, made by several plans, smallest first."""
    automaton = trim(automaton)
    results = [_split(automaton, plan) for plan in _plans(automaton.acceptance_sets)]
    results.sort(key=lambda result: (result.state_count, result.edge_count))
    distinct: dict[tuple[int, int], Automaton] = {}
    for result in results:
        distinct.setdefault((result.state_count, result.edge_count), result)
    return list(distinct.values())


def smallest_state_based(automaton: Automaton) -> Automaton:
    """Return the smallest of the degeneralised automata after reduction."""
    reduced = [reduce_by_simulation(split, keep_state_based=True) for split in degeneralise(automaton)]
    return min(reduced, key=lambda split: (split.state_count, split.edge_count))


def _plans(count: int) -> Iterator[_Plan]:
    for order in islice(permutations(range(count)), MAXIMUM_ORDERS):
        for enter_accepting in (False, True):
            for reuse_levels in (False, True):
                yield _Plan(order, enter_accepting, reuse_levels)


class _Splitter:
    """Numbers the pairs (state, level), which are the states of the result, as they are reached."""

    def __init__(self, automaton: Automaton, plan: _Plan, parts: Components) -> None:
        self.automaton = automaton
        self.plan = plan
        self.parts = parts
        self.last = len(plan.order)
        accepting = parts.accepting(automaton)
        # The only level of a component that needs no counting; None where counting is needed.
        self.fixed = [
            _REJECTING if not accepting[number] else self._fixed_if_weak(number) for number in range(len(accepting))
        ]
        self.number: dict[tuple[int, int], int] = {}
        self.pairs: list[tuple[int, int]] = []
        self.first_level: dict[int, int] = {}

    def _fixed_if_weak(self, number: int) -> int | None:
        return self.last if is_weak_component(self.automaton, self.parts, number) else None

    def place(self, state: int, level: int) -> int:
        pair = (state, level)
        if pair not in self.number:
            self.number[pair] = len(self.pairs)
            self.pairs.append(pair)
            self.first_level.setdefault(state, level)
        return self.number[pair]

    def entry_level(self, state: int) -> int:
        fixed = self.fixed[self.parts.of[state]]
        if fixed is not None:
            return fixed
        if self.plan.reuse_levels and state in self.first_level:
            return self.first_level[state]
        return self.last if self.plan.enter_accepting else 0

    def next_level(self, state: int, level: int, edge: Edge) -> int:
        if self.parts.of[state] != self.parts.of[edge.target]:
            return self.entry_level(edge.target)
        fixed = self.fixed[self.parts.of[state]]
        if fixed is not None:
            return fixed
        level = 0 if level == self.last else level
        while level < self.last and edge.marks >> self.plan.order[level] & 1:
            level += 1
        return level


def _split(automaton: Automaton, plan: _Plan) -> Automaton:
    splitter = _Splitter(automaton, plan, components(automaton))
    initial = tuple(splitter.place(state, splitter.entry_level(state)) for state in automaton.initial)
    edges: list[Sequence[Edge]] = []
    for state, level in splitter.pairs:
        mark = int(level == splitter.last)
        edges.append(
            merge_parallel(
                Edge(edge.guard, splitter.place(edge.target, splitter.next_level(state, level, edge)), mark)
                for edge in automaton.edges[state]
            )
        )
    return trim(Automaton(automaton.atoms, initial, tuple(map(tuple, edges)), 1))
