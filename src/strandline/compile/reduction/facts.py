"""What a System tells of its actions once and for all: what can enable them, and which of them do not get along.

All of it errs on the side of more actions. The relations are those of Valmari's stubborn sets as Laarman, Pater, van de
Pol and Hansen state them for guards: a *necessary enabling set* of a condition that is false holds every action that
could make it true, and two actions *do not accord* where a state may enable both and either could disable the other or
change what the other does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from strandline.analysis.ranges import Ranges, analyse_ranges
from strandline.compile.llvm.faults import may_fault
from strandline.compile.reduction.places import Effects, Place, effects_of, is_large, overlap, places_read
from strandline.model.expression import Binary, Const, Expression, Read, conjunction, conjuncts
from strandline.model.intervals import Contradiction, Environment
from strandline.model.system import Action, System, Variable, rows

_MOST_PAIRS = 200_000
"""Pairs of actions that touch the same places, above which they are taken not to accord without a look at guards."""


@dataclass(frozen=True, eq=False)
class Facts:
    """Sets of actions are numbers whose bits say which, in the order of `System.actions`."""

    conditions: tuple[Expression, ...]
    """All that enables actions: where processes stand, and the parts of guards."""
    conditions_of: tuple[tuple[int, ...], ...]
    """By action: it is enabled where all of these are true."""
    enabling: tuple[int, ...]
    """By condition: the actions that could make it true."""
    conflicts: tuple[int, ...]
    """By action: those with which it does not accord."""


@dataclass(frozen=True, slots=True)
class _Told:
    """What is known of an action."""

    action: Action
    conditions: tuple[Expression, ...]
    tests: frozenset[Place]
    effects: Effects
    large: bool
    """Too large to be followed: it may do whatever its places allow."""


def facts_of(system: System) -> Facts:
    """The facts of an asynchronous System."""
    return _Finder(system).facts()


def changing(system: System, expressions: Iterable[Expression]) -> int:
    """The actions that could change the truth of one of the expressions."""
    finder = _Finder(system)
    found = 0
    for expression in expressions:
        for truth in (False, True):
            found |= finder.turning(expression, truth)
    return found


class _Finder:
    def __init__(self, system: System) -> None:
        self.system = system
        self.ranges: Ranges = analyse_ranges(system)
        self.told = [self._told(action) for action in system.actions]
        self.writers = _by_variable(self.told, lambda one: one.effects.writes)

    def facts(self) -> Facts:
        conditions = tuple(dict.fromkeys(condition for one in self.told for condition in one.conditions))
        numbers = {condition: number for number, condition in enumerate(conditions)}
        return Facts(
            conditions,
            tuple(tuple(numbers[condition] for condition in one.conditions) for one in self.told),
            tuple(self.turning(condition, True) for condition in conditions),
            tuple(self._conflicts()),
        )

    def _told(self, action: Action) -> _Told:
        parts = self._parts(action)
        tests = frozenset(place for part in parts for place in places_read(part))
        large = is_large([action.guard, *(effect.value for effect in action.effects)])
        return _Told(action, tuple(dict.fromkeys(parts)), tests, effects_of(action), large)

    def _parts(self, action: Action) -> list[Expression]:
        """Conditions that can be evaluated in every state: one that might fault comes behind those before it."""
        standing = [self._stands(move.process, move.source) for move in action.moves]
        if not action.committed:
            standing += [
                Binary("!=", Read(process.location), Const(place))
                for process in self.system.processes
                for place in sorted(process.committed)
            ]
        parts, before = list(standing), list(standing)
        for part in [] if action.guard is None else conjuncts(action.guard):
            before.append(part)
            behind = conjunction(*before) if self._may_fault(part) else part
            assert behind is not None
            parts.append(behind)
        return parts

    def _may_fault(self, condition: Expression) -> bool:
        return is_large([condition]) or may_fault(condition, self.ranges.environment())

    def _stands(self, process: int, place: int) -> Expression:
        return Binary("==", Read(self.system.processes[process].location), Const(place))

    # --- what actions do to conditions ------------------------------------------------------------------------

    def turning(self, condition: Expression, truth: bool) -> int:
        """The actions that could give the condition this truth where it had the other."""
        places = list(places_read(condition))
        found = 0
        for number in sorted({number for variable, _ in places for number in self.writers.get(variable, ())}):
            told = self.told[number]
            if overlap(told.effects.writes, places) and self._turns([told], told, condition, truth):
                found |= 1 << number
        return found

    def _turns(self, enabled: Sequence[_Told], taken: _Told, condition: Expression, truth: bool) -> bool:
        """Whether the condition can have this truth after an action that is taken where it has the other and all of
        these actions are enabled."""
        if any(one.large for one in enabled) or self._may_fault(condition):
            return True
        try:
            environment = self._where(enabled)
            environment.assume(condition, not truth)
            for row in rows(taken.action.effects):
                environment.assign_row(row)
            environment.assume(condition, truth)
        except Contradiction:
            return False
        return True

    def _where(self, enabled: Iterable[_Told]) -> Environment:
        """What is known where actions are enabled; raises `Contradiction` where they never are together."""
        environment = self.ranges.environment(*(one.action for one in enabled))
        for one in enabled:
            for move in one.action.moves:
                environment.assume(self._stands(move.process, move.source))
            if one.action.guard is not None:
                environment.assume(one.action.guard)
        return environment

    # --- which actions accord ---------------------------------------------------------------------------------

    def _conflicts(self) -> list[int]:
        conflicts = [0] * len(self.told)
        pairs = self._pairs()
        for first, second in pairs:
            if len(pairs) > _MOST_PAIRS or self._conflict(self.told[first], self.told[second]):
                conflicts[first] |= 1 << second
                conflicts[second] |= 1 << first
        return conflicts

    def _pairs(self) -> set[tuple[int, int]]:
        """Pairs of actions of which one writes a variable that the other looks at."""
        lookers = _by_variable(self.told, lambda one: one.tests | one.effects.reads | one.effects.writes)
        pairs: set[tuple[int, int]] = set()
        for variable, writers in self.writers.items():
            for first in writers:
                pairs.update((min(first, second), max(first, second)) for second in lookers[variable])
        return {(first, second) for first, second in pairs if first != second}

    def _conflict(self, first: _Told, second: _Told) -> bool:
        if _stand_apart(first.action, second.action):
            return False
        if not (first.large or second.large):
            try:
                self._where([first, second])
            except Contradiction:
                return False
        if first.effects.disturb(second.effects) or second.effects.disturb(first.effects):
            return True
        return self._disables(first, second) or self._disables(second, first)

    def _disables(self, taken: _Told, other: _Told) -> bool:
        return any(
            overlap(taken.effects.writes, places_read(condition))
            and self._turns([taken, other], taken, condition, False)
            for condition in other.conditions
        )


def _stand_apart(first: Action, second: Action) -> bool:
    """Whether they move a process from different locations, so that no state enables both."""
    sources = {move.process: move.source for move in first.moves}
    return any(sources.get(move.process, move.source) != move.source for move in second.moves)


def _by_variable(told: Sequence[_Told], places: Callable[[_Told], Iterable[Place]]) -> dict[Variable, list[int]]:
    found: dict[Variable, list[int]] = {}
    for number, one in enumerate(told):
        for variable in {variable for variable, _ in places(one)}:
            found.setdefault(variable, []).append(number)
    return found
