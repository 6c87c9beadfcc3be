"""Statement merging: join a local step that no other process observes to the step before it.

A location is removed if a single step leaves it, which is always enabled, leads to another location, and accesses only
variables that its process alone accesses and no property reads. Such a step commutes with all others, and nothing can
happen in its place; so it can be taken at once when the location is entered (Holzmann, The engineering of a model
checker: the Gnu i-protocol case study revisited, SPIN 1999; 003 §3).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from strandline.analysis.dependencies import dependencies_of
from strandline.analysis.ranges import Ranges, analyse_ranges
from strandline.model.expression import (
    COMPARISONS,
    LOGICAL,
    Binary,
    Const,
    Element,
    Expression,
    Read,
    Unary,
    variables_read,
    walk,
)
from strandline.model.intervals import Contradiction, within
from strandline.model.system import Action, Assign, Move, System, Variable

_FAULTLESS = COMPARISONS | LOGICAL | {"not", "+", "-"}
"""Operators whose results are defined, and fit 64 bits where they are stored in variables."""


@dataclass(frozen=True, slots=True)
class Merged:
    """A System with merged locations. `parts` lists, by `id` of a merged action, the actions that it joins."""

    system: System
    parts: dict[int, tuple[Action, ...]]
    merged_locations: tuple[str, ...]
    """The merged locations, by name."""


def merge(system: System, watched: Iterable[Expression]) -> Merged:
    """Merge steps such that deadlocks and the truth of the expressions in all reachable states are preserved."""
    passed: list[str] = []
    if system.synchronous or system.observer is not None or system.has_committed or system.has_paths or system.has_idle:
        return Merged(system, {}, ())
    merging = _Merger(system, {one for expression in watched for one in variables_read(expression)})
    for process, own in enumerate(system.processes):
        for location, name in enumerate(own.locations):
            if merging.remove_location(process, location):
                passed.append(f"{own.name}.{name}")
    if not passed:
        return Merged(system, {}, ())
    made = replace(system, actions=tuple(merging.actions))
    return Merged(made, {key: parts for key, parts in merging.parts.items() if len(parts) > 1}, tuple(passed))


class _Merger:
    """The current actions while locations are removed."""

    def __init__(self, system: System, watched: set[Variable]) -> None:
        self._system, self._ranges = system, analyse_ranges(system)
        self._dependencies = dependencies_of(system)
        self.actions = list(system.actions)
        self.parts: dict[int, tuple[Action, ...]] = {id(action): (action,) for action in system.actions}
        self._shared = watched | set(self._read_by_others())
        self._begun = {
            (process, valuation[system.offsets[own.location]])
            for valuation in system.initial
            for process, own in enumerate(system.processes)
        }

    def _read_by_others(self) -> Iterator[Variable]:
        """Yield variables that more than one process accesses, and locations that are read."""
        slots, users = self._dependencies.slots, dict[Variable, set[int]]()
        for action, accesses in zip(self._system.actions, self._dependencies.accesses, strict=True):
            movers = {move.process for move in action.moves} or {-1}
            yield from (one for one in slots.variables(accesses.evaluated) if one in self._system.locations)
            for variable in slots.variables(accesses.expressions):
                users.setdefault(variable, set()).update(movers)
        yield from (variable for variable, processes in users.items() if len(processes) > 1)

    def remove_location(self, process: int, location: int) -> bool:
        """Remove a location if that is sound; return True if it was removed."""
        own = self._system.processes[process]
        leaving = [one for one in self.actions if any((m.process, m.source) == (process, location) for m in one.moves)]
        if own.jumps or (process, location) in self._begun or len(leaving) != 1:
            return False
        step = leaving[0]
        if len(step.moves) != 1 or step.moves[0].target == location or not self._is_private(step, own.location):
            return False
        entering = [one for one in self.actions if any((m.process, m.target) == (process, location) for m in one.moves)]
        if not entering:
            return False
        target = step.moves[0].target
        replaced = {id(one): self._compose(one, step, process, target) for one in entering}
        self.actions = [replaced.get(id(one), one) for one in self.actions if one is not step]
        return True

    def _is_private(self, step: Action, location: Variable) -> bool:
        """Return True if a step is always enabled, cannot fault, and is invisible to others."""
        if step.guard is not None and step.guard != Const(1):
            return False
        if location in self._shared:
            return False
        used = {*self._dependencies.slots.variables(self._dependencies.of(step).expressions)} - {location}
        return not used & self._shared and _cannot_fault(step, self._ranges)

    def _compose(self, first: Action, second: Action, process: int, target: int) -> Action:
        """Return the sequential composition of two actions."""
        location = self._system.processes[process].location
        moves = tuple(Move(m.process, m.source, target) if m.process == process else m for m in first.moves)
        # The first action no longer enters the removed location; the moves have the new target.
        effects = tuple(one for one in first.effects if one.target != Read(location))
        made = Action(first.name, moves, first.guard, (*effects, *second.effects), first.committed, first.span)
        self.parts[id(made)] = (*self.parts[id(first)], *self.parts[id(second)])
        return made


def _cannot_fault(step: Action, ranges: Ranges) -> bool:
    try:
        environment = ranges.environment(step)
    except Contradiction:
        return False
    for effect in step.effects:
        if not _is_simple(effect):
            return False
        domain = effect.target.variable.domain
        if not domain.wraps and not within(environment.interval(effect.value), (domain.low, domain.high)):
            return False
        environment.assign(effect)
    return True


def _is_simple(effect: Assign) -> bool:
    """Return True if only constants, scalars, elements at constant indices, sums and comparisons are used."""
    if effect.together:
        return False
    for node in (*walk(effect.target), *walk(effect.value)):
        match node:
            case Const() | Read() | Element(index=Const()):
                continue
            case Unary(operator=operator) | Binary(operator=operator) if operator in _FAULTLESS:
                continue
            case _:
                return False
    return True
