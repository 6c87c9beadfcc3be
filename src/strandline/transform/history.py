"""The last step as a part of the state: what `taken(action)` means where claims speak of states.

`taken(a)` is true in the states to which a step with action a has just led, and false in initial states. Where a run
has ended and stays in its last state, it stays as it was. The System does not know its last step, so it is asked of a
System that does: one bit for each such question, which every step sets or clears. Only what is asked is remembered.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from strandline.model.expression import Const, Expression, Read, variables_read
from strandline.model.system import Action, Assign, Domain, System, Variable
from strandline.transform.fairness import some_enabled


@dataclass(slots=True)
class Steps:
    """What can be asked about actions of a System; a scope has one."""

    system: System
    histories: dict[Variable, tuple[Action, ...]] = field(default_factory=dict)
    """What was asked of last steps so far."""
    _remembered: dict[str, Variable] = field(default_factory=dict)

    def enabled(self, actions: Iterable[Action]) -> Expression:
        """Whether one of them can be taken."""
        return some_enabled(self.system, actions)

    def taken(self, name: str, actions: Iterable[Action]) -> Expression:
        """Whether the last step took one of them; the name is theirs."""
        if name not in self._remembered:
            variable = self._remembered[name] = Variable(f"(taken {name})", Domain(0, 1), hidden=True)
            self.histories[variable] = tuple(actions)
        return Read(self._remembered[name])


def with_history(system: System, expressions: Iterable[Expression]) -> System:
    """The System that remembers of its last step what the expressions ask; itself where they ask nothing. Actions keep
    their places."""
    known = system.scope.histories
    read = {variable for one in expressions for variable in variables_read(one)} - set(system.variables)
    asked = [variable for variable in known if variable in read]
    if not asked:
        return system
    chosen = {variable: {id(action) for action in known[variable]} for variable in asked}
    actions = {id(action): _remembered(system, action, chosen) for action in system.actions}
    return replace(
        system,
        variables=(*system.variables, *asked),
        actions=tuple(actions[id(action)] for action in system.actions),
        initial=tuple(valuation + (0,) * len(asked) for valuation in system.initial),
        fairness=tuple(
            replace(one, actions=tuple(actions[id(action)] for action in one.actions)) for one in system.fairness
        ),
    )


def _remembered(system: System, action: Action, chosen: dict[Variable, set[int]]) -> Action:
    """In a synchronous system the action of the first process forgets, and all of them may remember."""
    forgets = not system.synchronous or action.moves[0].process == 0
    added = tuple(
        Assign(Read(variable), Const(int(id(action) in actions)))
        for variable, actions in chosen.items()
        if forgets or id(action) in actions
    )
    return replace(action, effects=(*action.effects, *added))
