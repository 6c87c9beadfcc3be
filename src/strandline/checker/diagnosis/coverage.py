"""Coverage of a model by a search: actions never taken, locations never reached, bounds that were reached.

It comes from coverage bits that the compiled model sets (`strandline.compile.llvm.coverage`), so every search has it at
no cost. A search that is not complete, or one of a product, which follows only runs that can violate a property,
reports the coverage of the part that it explored; reports say so.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from strandline.compile.interpret import Interpreter
from strandline.compile.kernel import Kernel
from strandline.model.system import Action, Process, System
from strandline.source import Span

GUARD_NEVER_HOLDS = "its guard never holds"
_CALL = re.compile(r"([\w.]+)\(.*\)", re.DOTALL)
"""Matches the name of an action with the values of its parameters, such as `send(1, 2)`."""


@dataclass(frozen=True, slots=True)
class NeverTaken:
    """An action that was never taken with any values of its parameters, and the reason, if it is known."""

    action: str
    why: str


@dataclass(frozen=True, slots=True)
class Coverage:
    """The coverage of a model: numbers of actions, locations and bounds, and the names of those not covered.

    Actions are counted as the author wrote them: once for all values of parameters.
    """

    actions: int
    never_taken: tuple[NeverTaken, ...]
    locations: int
    never_reached: tuple[str, ...]
    bounds: int
    full: tuple[str, ...]
    """The channels and other bounds that were full in some state, so that a step had to wait."""

    @property
    def remarkable(self) -> bool:
        return bool(self.never_taken or self.never_reached or self.full)


def coverage_of(system: System, kernel: Kernel) -> Coverage | None:
    """Return the coverage by all searches since the Kernel was made; None if it has no coverage bits."""
    if kernel.coverage_bits is None:
        return None
    marks: list[int] = kernel.coverage_bits.tolist()
    reached = _find_reached_locations(system, marks)
    groups = actions_by_title(system)
    never = [
        NeverTaken(title, _why(system, [system.actions[number] for number in numbers], reached))
        for title, numbers in groups.items()
        if not any(marks[number] for number in numbers)
    ]
    never += [NeverTaken(title, "its guard can never hold") for title in system.impossible]
    missing = [
        f"{process.name}.{name}"
        for process, places in zip(system.processes, reached, strict=True)
        for number, name in enumerate(process.locations)
        if number not in places
    ]
    interpreter, bounds = Interpreter(system), marks[len(marks) - len(system.bounds) :]
    full = [
        one.name
        for one, mark in zip(system.bounds, bounds, strict=True)
        if mark or any(interpreter.evaluate(one.expression, state) for state in system.initial)
    ]
    locations = sum(len(process.locations) for process in system.processes)
    actions = len(groups) + len(system.impossible)
    return Coverage(actions, tuple(never), locations, tuple(missing), len(bounds), tuple(full))


def _find_reached_locations(system: System, marks: Sequence[int]) -> list[set[int]]:
    """Return the set of location numbers that each process has reached, by the coverage bits `marks`."""
    offsets = [system.offsets[process.location] for process in system.processes]
    reached = [{state[offset] for state in system.initial} for offset in offsets]
    for action, mark in zip(system.actions, marks, strict=False):
        if mark:
            for move in action.moves:
                reached[move.process].add(move.target)
    place = len(system.actions)
    for process, places in zip(system.processes, reached, strict=True):
        if process.jumps:
            size = process.location.domain.size
            places.update(number for number in range(size) if marks[place + number])
            place += size
    return reached


def actions_by_title(system: System) -> Mapping[str, list[int]]:
    """Return the numbers of actions by title, one title for each action that the author wrote.

    Actions of the same name have their line numbers in their titles.
    """
    spans: dict[str, dict[Span | None, list[int]]] = {}
    for number, action in enumerate(system.actions):
        called = _CALL.fullmatch(action.name)
        title = action.name if called is None else called[1]
        spans.setdefault(title, {}).setdefault(action.span, []).append(number)
    groups: dict[str, list[int]] = {}
    for title, places in spans.items():
        for span, numbers in places.items():
            line = "" if len(places) == 1 or span is None else f" (line {system.source.position(span.start)[0]})"
            groups.setdefault(title + line, []).extend(numbers)
    return groups


def _why(system: System, actions: Sequence[Action], reached: Sequence[set[int]]) -> str:
    """Return the probable reason why none of these actions was taken, given the `reached` locations of each process."""
    absent = [[move for move in action.moves if move.source not in reached[move.process]] for action in actions]
    if all(absent):
        move = absent[0][0]
        process: Process = system.processes[move.process]
        return f"{process.name} is never at {process.locations[move.source]}"
    if any(action.guard is not None for action in actions):
        return GUARD_NEVER_HOLDS + (" there" if actions[0].moves else "")
    if any(len(action.moves) > 1 for action in actions):
        return "its processes are never there together"
    return "others always go first"
