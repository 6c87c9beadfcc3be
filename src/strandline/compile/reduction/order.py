"""A static order of states that replaces the cycle proviso: which actions lead up in it.

The order compares first the sum of the variables that never decrease; then the sum of the ranks of the processes'
locations, where the rank increases along the edges of a process's control graph, back edges excluded; then states as
words. Every cycle of states has a step that does not lead up.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from graphlib import TopologicalSorter

from strandline.analysis.dependencies import added_constant
from strandline.analysis.ranges import analyse_ranges
from strandline.compile.reduction.facts import Facts, is_large
from strandline.model.intervals import Contradiction, within
from strandline.model.system import Action, System, Variable, rows


@dataclass(frozen=True, slots=True)
class ActionOrder:
    """The actions whose steps always lead up in the order, and those whose steps never do.

    Other actions have steps of both kinds.
    """

    always: int
    never: int


def order_actions(system: System, facts: Facts) -> ActionOrder:
    counters = _counters(system)
    growing = [_increases_counter(action, counters) for action in system.actions]
    ranks = _ranks(system, facts, growing)
    always = never = 0
    for number, action in enumerate(system.actions):
        change = 1 if growing[number] else sum(_rank_changes(action, system, ranks))
        always |= (change > 0) << number
        never |= (change < 0) << number
    return ActionOrder(always, never)


def _counters(system: System) -> set[Variable]:
    """Return the variables that actions never decrease and that never wrap around."""
    shrinking = set()
    for action in (*system.actions, *(() if system.observer is None else system.observer.edges)):
        wrapping = _wrapping(action, system)
        for effect in action.effects:
            added = added_constant(effect)
            if added is None or added[1] < 0 or effect.target.variable in wrapping:
                shrinking.add(effect.target.variable)
    return {one for one in system.variables if one not in shrinking}


def _wrapping(action: Action, system: System) -> set[Variable]:
    """Return the variables to which the action may assign out-of-range values that wrap around."""
    if is_large([action.guard, *(effect.value for effect in action.effects)]):
        return {effect.target.variable for effect in action.effects if effect.target.variable.domain.wraps}
    found: set[Variable] = set()
    try:
        environment = analyse_ranges(system).environment(action)
        if action.guard is not None:
            environment.assume(action.guard)
        for row in rows(action.effects):
            for effect in row:
                domain = effect.target.variable.domain
                if domain.wraps and not within(environment.checked_interval(effect.value), (domain.low, domain.high)):
                    found.add(effect.target.variable)
            environment.assign_row(row)
    except Contradiction:
        pass
    return found


def _increases_counter(action: Action, counters: set[Variable]) -> bool:
    written = [added for effect in action.effects if (added := added_constant(effect)) is not None]
    return any(cell[0] in counters and amount > 0 for cell, amount in written)


def _rank_changes(action: Action, system: System, ranks: Mapping[tuple[int, int], int]) -> list[int]:
    return [
        ranks[move.process, move.target] - ranks[move.process, move.source]
        for move in action.moves
        if not system.processes[move.process].jumps
    ]


def _ranks(system: System, facts: Facts, growing: Sequence[bool]) -> dict[tuple[int, int], int]:
    """Return the ranks by process and location.

    Not every action can lead up. Those that accord with most others come first, since they are the ones that can be
    selected. Actions that increase a counter lie on no cycle and do not matter.
    """
    ranks: dict[tuple[int, int], int] = {}
    numbers = [number for number, grows in enumerate(growing) if not grows]
    by_conflicts = sorted(numbers, key=lambda number: facts.conflicts[number].bit_count())
    for process in range(len(system.processes)):
        edges = [
            (move.source, move.target)
            for number in by_conflicts
            for move in system.actions[number].moves
            if move.process == process and move.source != move.target
        ]
        places = range(max(1, len(system.processes[process].locations)))
        for rank, place in enumerate(_topological_order(places, _acyclic_subset(edges))):
            ranks[process, place] = rank
    return ranks


Graph = dict[int, set[int]]


def _acyclic_subset(edges: Iterable[tuple[int, int]]) -> Graph:
    """Return an acyclic subset of the edges, chosen greedily in their order."""
    kept: Graph = {}
    for source, target in edges:
        if source not in _reachable(target, kept):
            kept.setdefault(source, set()).add(target)
    return kept


def _reachable(start: int, edges: Graph) -> set[int]:
    reached, waiting = {start}, [start]
    while waiting:
        for target in edges.get(waiting.pop(), set()) - reached:
            reached.add(target)
            waiting.append(target)
    return reached


def _topological_order(places: Iterable[int], edges: Graph) -> Iterable[int]:
    sorter: TopologicalSorter[int] = TopologicalSorter({place: set() for place in places})
    for source, targets in edges.items():
        for target in targets:
            sorter.add(target, source)
    return sorter.static_order()
