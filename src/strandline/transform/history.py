"""Encode the last step into the state, which gives `taken(action)` a meaning in state formulas.

`taken(a)` is true in the states that a step with action a has just entered, and false in initial states. In a deadlock,
where the last state repeats for ever, it keeps its value. The state of a System does not contain the last step, so it
is extended by one bit for each such atom, which every step sets or clears.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from strandline.model.expression import Const, Expression, Read, variables_read
from strandline.model.system import Action, Assign, Domain, System, Variable
from strandline.transform.fairness import some_enabled


@dataclass(slots=True)
class Steps:
    """Makes the expressions for `enabled(...)` and `taken(...)` over one System; every scope owns one instance."""

    system: System
    histories: dict[Variable, tuple[Action, ...]] = field(default_factory=dict)
    """The actions of each `taken(...)` atom parsed so far, by the variable that stands for it."""
    _recording_effects: dict[str, Variable] = field(default_factory=dict)

    def enabled_expression(self, actions: Iterable[Action]) -> Expression:
        """Return the expression that one of the actions is enabled."""
        return some_enabled(self.system, actions)

    def taken_expression(self, name: str, actions: Iterable[Action]) -> Expression:
        """Return the expression that the last step took one of the actions, which have this name."""
        if name not in self._recording_effects:
            variable = self._recording_effects[name] = Variable(f"(taken {name})", Domain(0, 1), hidden=True)
            self.histories[variable] = tuple(actions)
        return Read(self._recording_effects[name])


def with_history(system: System, expressions: Iterable[Expression]) -> System:
    """Extend the System by a bit for every `taken` atom in the expressions.

    Returns the System itself if there are none. Actions keep their positions.
    """
    known = system.scope.histories
    read = {variable for one in expressions for variable in variables_read(one)} - set(system.variables)
    asked = [variable for variable in known if variable in read]
    if not asked:
        return system
    chosen = {variable: {id(action) for action in known[variable]} for variable in asked}
    actions = {id(action): _recording_effects(system, action, chosen) for action in system.actions}
    return replace(
        system,
        variables=(*system.variables, *asked),
        actions=tuple(actions[id(action)] for action in system.actions),
        initial=tuple(valuation + (0,) * len(asked) for valuation in system.initial),
        fairness=tuple(
            replace(one, actions=tuple(actions[id(action)] for action in one.actions)) for one in system.fairness
        ),
    )


def _recording_effects(system: System, action: Action, chosen: dict[Variable, set[int]]) -> Action:
    """Add the effects that set the bits; in a synchronous system the first process clears them."""
    forgets = not system.synchronous or action.moves[0].process == 0
    added = tuple(
        Assign(Read(variable), Const(int(id(action) in actions)))
        for variable, actions in chosen.items()
        if forgets or id(action) in actions
    )
    return replace(action, effects=(*action.effects, *added))
