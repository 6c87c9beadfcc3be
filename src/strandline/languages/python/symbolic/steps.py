"""What claims ask about actions: whether one is enabled, whether it was the last one taken."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from strandline.languages.python.runtime.declarations import Marked
from strandline.languages.python.symbolic.values import ActionValue, ModelValue, ProcessValue
from strandline.model.expression import Expression, Read
from strandline.model.fairness import some_enabled
from strandline.model.history import remembering
from strandline.model.system import Action, System, Variable

Owner = ProcessValue | None


@dataclass(slots=True)
class Steps:
    """The actions of a System, by what they were made of: the process, and the function."""

    system: System
    taken_by: Mapping[tuple[Owner, str], tuple[Action, ...]]
    histories: dict[Variable, tuple[Action, ...]] = field(default_factory=dict)
    """What was asked of last steps so far; see `strandline.model.history`."""
    _remembered: dict[tuple[Owner, str], Variable] = field(default_factory=dict)

    def enabled(self, action: ActionValue) -> Expression:
        """Whether it can be taken, with some values of its parameters."""
        return some_enabled(self.system, self._actions(action))

    def taken(self, action: ActionValue) -> Expression:
        """Whether the last step took it, with whatever values of its parameters."""
        key = _key(action)
        if key not in self._remembered:
            variable = self._remembered[key] = remembering(_title(*key))
            self.histories[variable] = self._actions(action)
        return Read(self._remembered[key])

    def _actions(self, action: ActionValue) -> tuple[Action, ...]:
        return self.taken_by.get(_key(action), ())


def key_of(process: Owner, marked: Marked) -> tuple[Owner, str]:
    """By what an action's steps are known."""
    return process, marked.function.__name__


def _key(action: ActionValue) -> tuple[Owner, str]:
    last = action.owner[-1]
    return key_of(None if isinstance(last, ModelValue) else last, action.marked)


def _title(process: Owner, name: str) -> str:
    return name if process is None else f"{process.group}[{process.index}].{name}"
