"""Static relations between the actions of a System: necessary enabling sets and accordance.

All of it errs on the side of more actions. The relations are those of Valmari's stubborn sets as Laarman, Pater, van de
Pol and Hansen state them for guards: a *necessary enabling set* of a false condition contains every action that could
make it true, and two actions *do not accord* if a state may enable both and either could disable the other or change
the effect of the other.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from strandline.analysis.dependencies import Accesses, dependencies_of, members
from strandline.analysis.ranges import Ranges, analyse_ranges
from strandline.compile.llvm.faults import may_fault
from strandline.model.expression import Binary, Const, Expression, Read, conjunction, conjuncts, size
from strandline.model.intervals import Contradiction, Environment
from strandline.model.system import Action, System, rows

_MOST_PAIRS = 200_000
"""Pairs of actions with a common place above which they are assumed not to accord, without analysing guards."""
_LARGE = 400
"""Size of expressions, as trees, up to which their values are analysed."""


@dataclass(frozen=True, eq=False)
class Facts:
    """The relations; a set of actions is a number with a bit per action, in the order of `System.actions`."""

    conditions: tuple[Expression, ...]
    """All conditions that enable actions: locations of processes, and conjuncts of guards."""
    conditions_of: tuple[tuple[int, ...], ...]
    """By action, the conditions that must all be true to enable it."""
    enabling: tuple[int, ...]
    """By condition, its necessary enabling set."""
    conflicts: tuple[int, ...]
    """By action, the actions that do not accord with it."""


@dataclass(frozen=True, slots=True)
class _ActionFacts:
    """The expressions and places of an action, as far as they were analysed."""

    action: Action
    conditions: tuple[Expression, ...]
    accesses: Accesses
    large: bool
    """True if its expressions are too large to analyse; it may do whatever the slots that it accesses allow."""


def is_large(expressions: Iterable[Expression | None]) -> bool:
    """Return True if expressions are too large for case analysis."""
    return sum(size(one) for one in expressions if one is not None) > _LARGE


def make_facts(system: System) -> Facts:
    """Compute the relations of an asynchronous System."""
    return _Finder(system).facts()


def actions_changing(system: System, expressions: Iterable[Expression]) -> int:
    """Return the actions that could change the truth of one of the expressions."""
    finder = _Finder(system)
    found = 0
    for expression in expressions:
        for truth in (False, True):
            found |= finder.actions_turning(expression, truth)
    return found


class _Finder:
    def __init__(self, system: System) -> None:
        self.system = system
        self.ranges: Ranges = analyse_ranges(system)
        self.dependencies = dependencies_of(system)
        self.actions = [
            self._action_facts(action, accesses)
            for action, accesses in zip(system.actions, self.dependencies.accesses, strict=True)
        ]

    def facts(self) -> Facts:
        conditions = tuple(dict.fromkeys(condition for one in self.actions for condition in one.conditions))
        numbers = {condition: number for number, condition in enumerate(conditions)}
        return Facts(
            conditions,
            tuple(tuple(numbers[condition] for condition in one.conditions) for one in self.actions),
            tuple(self.actions_turning(condition, True) for condition in conditions),
            tuple(self._conflicts()),
        )

    def _action_facts(self, action: Action, accesses: Accesses) -> _ActionFacts:
        large = is_large([action.guard, *(effect.value for effect in action.effects)])
        return _ActionFacts(action, tuple(dict.fromkeys(self._parts(action))), accesses, large)

    def _parts(self, action: Action) -> list[Expression]:
        """Return conditions that can be evaluated in every state: one that may fault is conjoined with earlier ones."""
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

    # --- effects of actions on conditions---------------------------------------------------------------------

    def actions_turning(self, condition: Expression, truth: bool) -> int:
        """Return the actions that could change the condition to this truth value."""
        found = 0
        for number in members(self.dependencies.writers_of(self.dependencies.slots.read_by(condition))):
            one = self.actions[number]
            if self._may_turn([one], one, condition, truth):
                found |= 1 << number
        return found

    def _may_turn(
        self, enabled: Sequence[_ActionFacts], taken: _ActionFacts, condition: Expression, truth: bool
    ) -> bool:
        """Return True if an action may make the condition `truth` in a state where all of `enabled` are enabled."""
        if any(one.large for one in enabled) or self._may_fault(condition):
            return True
        try:
            # Intervals must admit a state where the condition differs before the step and holds after it.
            environment = self._where(enabled)
            environment.assume(condition, not truth)
            for row in rows(taken.action.effects):
                environment.assign_row(row)
            environment.assume(condition, truth)
        except Contradiction:
            return False
        return True

    def _where(self, enabled: Iterable[_ActionFacts]) -> Environment:
        """Return the intervals in states where all actions are enabled.

        Raises `Contradiction` if there are no such states.
        """
        environment = self.ranges.environment(*(one.action for one in enabled))
        for one in enabled:
            for move in one.action.moves:
                environment.assume(self._stands(move.process, move.source))
            if one.action.guard is not None:
                environment.assume(one.action.guard)
        return environment

    # --- which actions accord ---------------------------------------------------------------------------------

    def _conflicts(self) -> list[int]:
        conflicts = [0] * len(self.actions)
        pairs = self._pairs()
        for first, second in pairs:
            if len(pairs) > _MOST_PAIRS or self._conflict(self.actions[first], self.actions[second]):
                conflicts[first] |= 1 << second
                conflicts[second] |= 1 << first
        return conflicts

    def _pairs(self) -> set[tuple[int, int]]:
        """Return the pairs of actions of which one writes a variable that the other accesses."""
        dependencies, pairs = self.dependencies, set[tuple[int, int]]()
        for variable in self.system.variables:
            slots = dependencies.slots.of_variable(variable)
            users = list(members(dependencies.users_of(slots)))
            for first in members(dependencies.writers_of(slots)):
                pairs.update((min(first, second), max(first, second)) for second in users if first != second)
        return pairs

    def _conflict(self, first: _ActionFacts, second: _ActionFacts) -> bool:
        if _have_disjoint_sources(first.action, second.action):
            return False
        if not (first.large or second.large):
            try:
                self._where([first, second])
            except Contradiction:
                return False
        if first.accesses.disturb(second.accesses) or second.accesses.disturb(first.accesses):
            return True
        return self._disables(first, second) or self._disables(second, first)

    def _disables(self, taken: _ActionFacts, other: _ActionFacts) -> bool:
        read_by = self.dependencies.slots.read_by
        return any(
            taken.accesses.writes & read_by(condition) and self._may_turn([taken, other], taken, condition, False)
            for condition in other.conditions
        )


def _have_disjoint_sources(first: Action, second: Action) -> bool:
    """Return True if they move a process from different locations, so that no state enables both."""
    sources = {move.process: move.source for move in first.moves}
    return any(sources.get(move.process, move.source) != move.source for move in second.moves)
