"""Statement merging: a step that only its own process can tell of becomes the end of the steps before it.

A location is passed over where one step alone leaves it, always, to another location, and reads and writes nothing but
what its process alone reads and writes, the truth of what is asked included. Such a step commutes with all others, and
nothing can happen in its stead; so whoever comes to the location can as well take it at once (Holzmann, The engineering
of a model checker: the Gnu i-protocol case study revisited, SPIN 1999; 003 §3).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from strandline.analysis.dependencies import evaluated, expressions
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
"""Operators whose results exist, and fit 64 bits where they are stored in variables."""


@dataclass(frozen=True, slots=True)
class Merged:
    """A System in which some locations are never entered. `parts`: of the actions that stand for several, told by `id`,
    what they are made of."""

    system: System
    parts: dict[int, tuple[Action, ...]]
    passed_over: tuple[str, ...]
    """The locations, as people name them."""


def merge(system: System, watched: Iterable[Expression]) -> Merged:
    """The System with steps merged, such that deadlocks and, in all that is reachable, the truth of these expressions
    stay what they are."""
    passed: list[str] = []
    if system.synchronous or system.observer is not None or system.has_committed:
        return Merged(system, {}, ())
    merging = _Merging(system, {one for expression in watched for one in variables_read(expression)})
    for process, own in enumerate(system.processes):
        for location, name in enumerate(own.locations):
            if merging.pass_over(process, location):
                passed.append(f"{own.name}.{name}")
    if not passed:
        return Merged(system, {}, ())
    made = replace(system, actions=tuple(merging.actions))
    return Merged(made, {key: parts for key, parts in merging.parts.items() if len(parts) > 1}, tuple(passed))


class _Merging:
    """The actions as they are so far."""

    def __init__(self, system: System, watched: set[Variable]) -> None:
        self._system, self._ranges = system, analyse_ranges(system)
        self.actions = list(system.actions)
        self.parts: dict[int, tuple[Action, ...]] = {id(action): (action,) for action in system.actions}
        self._shared = watched | set(self._read_by_others())
        self._begun = {
            (process, valuation[system.offsets[own.location]])
            for valuation in system.initial
            for process, own in enumerate(system.processes)
        }

    def _read_by_others(self) -> Iterator[Variable]:
        """Variables that more than one process reads or writes, and locations that anybody reads."""
        users: dict[Variable, set[int]] = {}
        for action in self._system.actions:
            movers = {move.process for move in action.moves}
            for expression in evaluated(action):
                yield from (one for one in variables_read(expression) if one in self._system.locations)
            for expression in expressions(action):
                for variable in variables_read(expression):
                    users.setdefault(variable, set()).update(movers or {-1})
        yield from (variable for variable, processes in users.items() if len(processes) > 1)

    def pass_over(self, process: int, location: int) -> bool:
        """Let nobody come to a location, if that makes no difference; whether it is so."""
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
        replaced = {id(one): self._joined(one, step, process, target) for one in entering}
        self.actions = [replaced.get(id(one), one) for one in self.actions if one is not step]
        return True

    def _is_private(self, step: Action, location: Variable) -> bool:
        """Whether a step can always be made, without a fault, and nobody else can tell."""
        if step.guard is not None and step.guard != Const(1):
            return False
        if location in self._shared:
            return False
        used = {one for part in expressions(step) for one in variables_read(part)} - {location}
        return not used & self._shared and _cannot_fault(step, self._ranges)

    def _joined(self, first: Action, second: Action, process: int, target: int) -> Action:
        """One action for two, one after the other."""
        location = self._system.processes[process].location
        moves = tuple(Move(m.process, m.source, target) if m.process == process else m for m in first.moves)
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
    """Whether only constants, variables and elements at known places are read and written, and sums and comparisons
    made of them."""
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
