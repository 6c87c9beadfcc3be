"""Where processes go: the courses that an action can take, and the control graphs of processes."""

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

_MOST_COURSES = 1000
"""An action with more of them is not taken apart: nothing is known of where it goes."""

Moves = dict[Variable, tuple[int, int]]
"""Locations before and after a step, by the variables that hold them."""


@dataclass(frozen=True, slots=True)
class Course:
    """One way to take an action: the locations that it goes from and to, and what is known where it begins."""

    moves: Moves
    environment: Environment


def courses(action: Action, system: System) -> Iterator[Course]:
    """Every step of an action of an asynchronous System is one of these; there are none where its guard is never true.
    Where effects assign a location without a move, there is a course for each pair of locations that guard and effects
    allow."""
    moves = {system.processes[move.process].location: (move.source, move.target) for move in action.moves}
    assigned = [one for one in writes(action) if one in system.locations and one not in moves]
    if prod(one.domain.size for one in assigned) > _MOST_COURSES:
        assigned = []
    for sources in product(*(range(one.domain.size) for one in assigned)):
        environment = _beginning(action, system, dict(zip(assigned, sources, strict=True)))
        if environment is None:
            continue
        reached = _reached(action, environment.copy(), assigned) if assigned else ()
        for targets in product(*reached):
            taken = zip(assigned, zip(sources, targets, strict=True), strict=True)
            yield Course({**moves, **dict(taken)}, environment)


def _beginning(action: Action, system: System, standing: dict[Variable, int]) -> Environment | None:
    """What is known where the action begins while processes stand there; None where that cannot be."""
    try:
        environment = analyse_ranges(system).environment(action)
        for location, place in standing.items():
            environment.assume(Binary("==", Read(location), Const(place)))
        if action.guard is not None:
            environment.assume(action.guard)
    except Contradiction:
        return None
    return environment


def _reached(action: Action, environment: Environment, assigned: Sequence[Variable]) -> list[range]:
    """The values of variables behind the action; nothing at all where an effect is certain to fault."""
    try:
        for row in rows(action.effects):
            environment.assign_row(row)
    except Contradiction:
        return [range(0)]
    boxes: list[Interval] = [environment.interval(Read(one)) for one in assigned]
    return [range(low, high + 1) for low, high in boxes]


def control_edges(system: System, process: Process | Observer) -> set[tuple[int, int]]:
    """The control graph of a process, or of the observer: from which location it can go to which."""
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
                for course in courses(action, system):
                    found |= {course.moves[location]} if location in course.moves else everywhere
    return found
