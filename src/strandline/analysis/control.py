"""Control paths of actions, and the control graphs of processes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod

from strandline.analysis.dependencies import writes
from strandline.analysis.ranges import analyse_ranges
from strandline.model.expression import Binary, Const, Read
from strandline.model.intervals import Contradiction, Environment, Interval
from strandline.model.system import Action, Observer, Process, System, Variable, rows

_MAX_CONTROL_PATHS = 1000
"""An action with more control paths is not analysed: its locations are unknown."""

Moves = dict[Variable, tuple[int, int]]
"""For each location variable, the location before and after a step."""


@dataclass(frozen=True, slots=True)
class ControlPath:
    """One way to take an action: the locations before and after, and the intervals on entry."""

    moves: Moves
    environment: Environment


def control_paths(action: Action, system: System) -> Iterator[ControlPath]:
    """Yield the control paths of an action of an asynchronous System; none if its guard is never true.

    Every step of the action follows one of them. If effects assign a location without a move, there is a path for each
    pair of locations that guard and effects allow.
    """
    moves = {system.processes[move.process].location: (move.source, move.target) for move in action.moves}
    assigned = [one for one in writes(action) if one in system.locations and one not in moves]
    if prod(one.domain.size for one in assigned) > _MAX_CONTROL_PATHS:
        assigned = []
    for sources in product(*(range(one.domain.size) for one in assigned)):
        environment = _entry_environment(action, system, dict(zip(assigned, sources, strict=True)))
        if environment is None:
            continue
        reached = _exit_values(action, environment.copy(), assigned) if assigned else ()
        for targets in product(*reached):
            taken = zip(assigned, zip(sources, targets, strict=True), strict=True)
            yield ControlPath({**moves, **dict(taken)}, environment)


def _entry_environment(action: Action, system: System, standing: dict[Variable, int]) -> Environment | None:
    """Return the intervals on entry to the action, assuming the given locations; None if unreachable."""
    try:
        environment = analyse_ranges(system).environment(action)
        for location, place in standing.items():
            environment.assume(Binary("==", Read(location), Const(place)))
        if action.guard is not None:
            environment.assume(action.guard)
    except Contradiction:
        return None
    return environment


def _exit_values(action: Action, environment: Environment, assigned: Sequence[Variable]) -> list[range]:
    """Return the possible values of the variables after the action; none if an effect certainly faults."""
    try:
        for row in rows(action.effects):
            environment.assign_row(row)
    except Contradiction:
        return [range(0)]
    intervals: list[Interval] = [environment.interval(Read(one)) for one in assigned]
    return [range(low, high + 1) for low, high in intervals]


def control_edges(system: System, process: Process | Observer) -> set[tuple[int, int]]:
    """Return the control graph of a process, or of the property process, as edges between locations."""
    location = process.location
    if isinstance(process, Observer):
        return {(edge.moves[0].source, edge.moves[0].target) for edge in process.edges}
    number = system.processes.index(process)
    found = {(move.source, move.target) for action in system.actions for move in action.moves if move.process == number}
    if process.jumps:
        places = range(location.domain.size)
        everywhere = {(source, target) for source in places for target in places}
        for action in system.actions:
            if location in writes(action):
                for control_path in control_paths(action, system):
                    found |= {control_path.moves[location]} if location in control_path.moves else everywhere
    return found
