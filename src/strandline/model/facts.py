"""Static facts of a System: what actions read and write."""

from __future__ import annotations

from strandline.model.expression import Element, Expression, variables_read
from strandline.model.system import Action, System, Variable


def expressions(action: Action) -> list[Expression]:
    """Every expression of an action: its guard, the targets and values of its effects."""
    found: list[Expression] = [] if action.guard is None else [action.guard]
    for effect in action.effects:
        found += [effect.target, effect.value]
    return found


def reads(action: Action, system: System) -> set[Variable]:
    """The variables on which the action's being enabled or its effects may depend, locations included."""
    found = {system.processes[move.process].location for move in action.moves}
    if action.guard is not None:
        found |= variables_read(action.guard)
    for effect in action.effects:
        found |= variables_read(effect.value)
        if isinstance(effect.target, Element):
            found |= variables_read(effect.target.index)
    return found


def writes(action: Action) -> set[Variable]:
    """The variables that the action may change."""
    return {effect.target.variable for effect in action.effects}
