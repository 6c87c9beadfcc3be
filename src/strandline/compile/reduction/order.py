"""Which actions lead up in a fixed order of states, as far as that can be told of an action once and for all.

The order: first the sum of those variables that nothing ever makes smaller; then the sum of the ranks of the locations
in which processes stand, where the rank of a location grows along the edges of the process's control graph, those that
lead back left out; then states as words. Every cycle of states has a step that does not lead up.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from graphlib import TopologicalSorter

from strandline.analysis.ranges import analyse_ranges
from strandline.compile.reduction.facts import Facts
from strandline.compile.reduction.places import adding, is_large
from strandline.model.intervals import Contradiction, within
from strandline.model.system import Action, System, Variable, rows


@dataclass(frozen=True, slots=True)
class Rising:
    """Sets of actions: those whose steps always lead up, and those whose steps never do. Of the others, states tell."""

    always: int
    never: int


def rising_of(system: System, facts: Facts) -> Rising:
    counters = _counters(system)
    climbing = [_grows(action, counters) for action in system.actions]
    ranks = _ranks(system, facts, climbing)
    always = never = 0
    for number, action in enumerate(system.actions):
        change = 1 if climbing[number] else sum(_climb(action, system, ranks))
        always |= (change > 0) << number
        never |= (change < 0) << number
    return Rising(always, never)


def _counters(system: System) -> set[Variable]:
    """Variables to which actions add nothing negative, and that never wrap around."""
    shrinking = set()
    for action in (*system.actions, *(() if system.observer is None else system.observer.edges)):
        wrapping = _wrapping(action, system)
        for effect in action.effects:
            added = adding(effect)
            if added is None or added[1] < 0 or effect.target.variable in wrapping:
                shrinking.add(effect.target.variable)
    return {one for one in system.variables if one not in shrinking}


def _wrapping(action: Action, system: System) -> set[Variable]:
    """Variables of which the action may assign values that are outside their ranges, and wrap around."""
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
                if domain.wraps and not within(environment.fitted(effect.value), (domain.low, domain.high)):
                    found.add(effect.target.variable)
            environment.assign_row(row)
    except Contradiction:
        pass
    return found


def _grows(action: Action, counters: set[Variable]) -> bool:
    written = [added for effect in action.effects if (added := adding(effect)) is not None]
    return any(cell[0] in counters and amount > 0 for cell, amount in written)


def _climb(action: Action, system: System, ranks: Mapping[tuple[int, int], int]) -> list[int]:
    return [
        ranks[move.process, move.target] - ranks[move.process, move.source]
        for move in action.moves
        if not system.processes[move.process].jumps
    ]


def _ranks(system: System, facts: Facts, climbing: Sequence[bool]) -> dict[tuple[int, int], int]:
    """By process and location. Actions that get along with more others are the first to lead up: it is they that can be
    chosen. Those that make a counter grow are on no cycle and have no say."""
    ranks: dict[tuple[int, int], int] = {}
    numbers = [number for number, grows in enumerate(climbing) if not grows]
    by_conflicts = sorted(numbers, key=lambda number: facts.conflicts[number].bit_count())
    for process in range(len(system.processes)):
        edges = [
            (move.source, move.target)
            for number in by_conflicts
            for move in system.actions[number].moves
            if move.process == process and move.source != move.target
        ]
        places = range(max(1, len(system.processes[process].locations)))
        for rank, place in enumerate(_sorted(places, _without_cycles(edges))):
            ranks[process, place] = rank
    return ranks


Graph = dict[int, set[int]]


def _without_cycles(edges: Iterable[tuple[int, int]]) -> Graph:
    """The edges, first come first served, that close no cycle."""
    kept: Graph = {}
    for source, target in edges:
        if source not in _reached(target, kept):
            kept.setdefault(source, set()).add(target)
    return kept


def _reached(start: int, edges: Graph) -> set[int]:
    reached, waiting = {start}, [start]
    while waiting:
        for target in edges.get(waiting.pop(), set()) - reached:
            reached.add(target)
            waiting.append(target)
    return reached


def _sorted(places: Iterable[int], edges: Graph) -> Iterable[int]:
    sorter: TopologicalSorter[int] = TopologicalSorter({place: set() for place in places})
    for source, targets in edges.items():
        for target in targets:
            sorter.add(target, source)
    return sorter.static_order()
