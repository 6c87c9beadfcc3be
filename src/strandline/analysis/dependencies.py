"""Variables and expressions that actions read and write."""

from __future__ import annotations

from collections.abc import Iterator

from strandline.model.expression import Element, Expression, variables_read
from strandline.model.system import Action, System, Variable


def expressions(action: Action) -> list[Expression]:
    """Return every expression of an action: its guard, and the targets and values of its effects."""
    found: list[Expression] = [] if action.guard is None else [action.guard]
    for effect in action.effects:
        found += [effect.target, effect.value]
    return found


def evaluated_expressions(action: Action) -> Iterator[Expression]:
    """Yield what is evaluated when the action is taken: its guard, the indices of its targets, and the values."""
    if action.guard is not None:
        yield action.guard
    for effect in action.effects:
        yield effect.value
        if isinstance(effect.target, Element):
            yield effect.target.index


def reads(action: Action, system: System) -> set[Variable]:
    """Return the variables on which enabledness or effects of the action may depend, locations included."""
    found = {system.processes[move.process].location for move in action.moves}
    for expression in evaluated_expressions(action):
        found |= variables_read(expression)
    return found


def writes(action: Action) -> set[Variable]:
    """Return the variables that the action may change."""
    return {effect.target.variable for effect in action.effects}
