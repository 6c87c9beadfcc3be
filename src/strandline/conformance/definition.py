"""The definition of conforming, over the interpreter: slow, and written to be read.

A log conforms to a model if the model has a run on which its events occur in order. Each event is a step that is one of
the pattern's alternatives, with the arguments and values that the event reports; in front of each, up to `at_most`
unlogged steps may occur. An event that is no step observes the state reached. The candidates are the states in which
such a run may be after the events so far: none are left where the log deviates.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from strandline.compile.interpret import Interpreter, Step, Valuation
from strandline.conformance.patterns import Pattern
from strandline.conformance.questions import Check, Questionnaire

_MOST_KNOWN = 4096
"""Most states whose steps are kept."""
Taken = tuple[Valuation, int]
"""A state and the number of the step taken in it."""


@dataclass(frozen=True, slots=True)
class Matched:
    """The states after an event, and how they are reached.

    `unlogged` are the states in front of the event, each with the step behind which it lies, or None for a candidate;
    `targets` are the states after it, each with the step of the event, or None if the event is no step.
    """

    unlogged: Mapping[Valuation, Taken | None]
    targets: Mapping[Valuation, tuple[Valuation, int | None]]


class Definition:
    """Decides by the interpreter which states a log may have led to."""

    def __init__(self, questionnaire: Questionnaire, unlogged: frozenset[int] = frozenset(), at_most: int = 1) -> None:
        self.questionnaire, self.system = questionnaire, questionnaire.system
        self.interpreter = Interpreter(self.system)
        self.numbers = {id(action): number for number, action in enumerate(self.system.actions)}
        self._steps: dict[Valuation, list[Step]] = {}
        self.unlogged, self.at_most = unlogged, at_most if unlogged else 0

    def steps(self, state: Valuation) -> list[Step]:
        """Return the steps of a state; one that faults is no event, and does not keep others from being one."""
        known = self._steps.get(state)
        if known is None:
            if len(self._steps) > _MOST_KNOWN:
                self._steps.clear()
            known = self._steps[state] = self.interpreter.all_steps(state)
        return known

    def actions(self, step: Step) -> list[int]:
        """Return the numbers of the actions of a step."""
        return [self.numbers[id(action)] for action in step.actions]

    def before_event(
        self, candidates: Iterable[Valuation], at_most: int | None = None
    ) -> dict[Valuation, Taken | None]:
        """Return the states that unlogged steps reach from the candidates, these included."""
        found: dict[Valuation, Taken | None] = dict.fromkeys(candidates)
        frontier = list(found)
        for _ in range(self.at_most if at_most is None else at_most):
            reached = []
            for state in frontier:
                for number, step in enumerate(self.steps(state)):
                    target = step.target
                    if target is not None and target not in found and self.unlogged.issuperset(self.actions(step)):
                        found[target] = state, number
                        reached.append(target)
            frontier = reached
        return found

    def follow(self, candidates: Iterable[Valuation], pattern: Pattern) -> Matched:
        """Return the states that an event may lead to from the candidates."""
        unlogged = self.before_event(candidates)
        targets: dict[Valuation, tuple[Valuation, int | None]] = {}
        for state in unlogged:
            for number, target in self._events_at(state, pattern):
                targets.setdefault(target, (state, number))
        return Matched(unlogged, targets)

    def matches_at(self, state: Valuation, pattern: Pattern) -> bool:
        """Return True if the event may occur in a state, without unlogged steps in front of it."""
        return next(self._events_at(state, pattern), None) is not None

    def _events_at(self, state: Valuation, pattern: Pattern) -> Iterator[tuple[int | None, Valuation]]:
        """Yield the steps of a state that may be the event, by number, with their targets; None is no step."""
        if pattern.stays:
            if self.agrees((*pattern.before, *pattern.after), state):
                yield None, state
        elif self.agrees(pattern.before, state):
            for number, step in enumerate(self.steps(state)):
                if step.target is not None and self.is_step(pattern, state, step):
                    yield number, step.target

    def is_step(self, pattern: Pattern, state: Valuation, step: Step) -> bool:
        """Return True if a step from a state that agrees with the pattern may be the event."""
        taken = self.actions(step)
        may_be = any(one.action in taken and self.agrees(one.arguments, state) for one in pattern.alternatives)
        return may_be and step.target is not None and self.agrees(pattern.after, step.target)

    def agrees(self, checks: Iterable[Check], state: Valuation) -> bool:
        """Return True if all checks agree with a state."""
        return all(self.questionnaire.agrees(one, state) for one in checks)

    def conforms(self, patterns: Iterable[Pattern], start: Iterable[Valuation] | None = None) -> bool:
        """Return True if events with these patterns are a behaviour of the model."""
        candidates: Iterable[Valuation] = self.system.initial if start is None else start
        for pattern in patterns:
            candidates = self.follow(candidates, pattern).targets
            if not candidates:
                return False
        return True


def path_to(layers: Iterable[Matched], last: Valuation) -> tuple[Valuation, list[int], list[int]]:
    """Return the path through matched events to a state: its start, its steps, and their number at each event."""
    steps: list[int] = []
    lengths: list[int] = []
    state = last
    for matched in reversed(list(layers)):
        before = len(steps)
        source, number = matched.targets[state]
        if number is not None:
            steps.append(number)
        while (taken := matched.unlogged[source]) is not None:
            source, number = taken
            steps.append(number)
        lengths.append(len(steps) - before)
        state = source
    return state, steps[::-1], lengths[::-1]
