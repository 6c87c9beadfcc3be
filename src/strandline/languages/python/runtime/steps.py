"""Steps of a model that runs as plain Python."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from strandline.languages.python.runtime.choices import argument_tuples, check_arguments
from strandline.languages.python.runtime.declarations import LOCATION, Marked
from strandline.languages.python.runtime.faults import NotEnabled, begin_step, end_step, in_step

if TYPE_CHECKING:
    from strandline.languages.python.runtime.model import Model


@dataclass(frozen=True, slots=True)
class BoundAction:
    """An action of a model or of one of its processes; calling it takes the step."""

    model: Model
    me: tuple[Any, ...]
    marked: Marked

    def __call__(self, *arguments: Any) -> None:
        take_step(self.model, self.me, self.marked, arguments)

    def is_enabled(self) -> bool:
        """Return True if the action can be taken now with some arguments, even if it would fault."""
        before = self.model.state()
        for arguments in argument_tuples(self.model, self.me, self.marked):
            try:
                self(*arguments)
            except NotEnabled:
                continue
            except (ValueError, IndexError, ZeroDivisionError, TypeError):
                return True
            self.model.restore(before)
            return True
        return False


def enabled(action: Any) -> bool:
    """Return True if an action is enabled, for claims: `enabled(m.P[0].enter)`, `enabled(me.enter)`.

    Raises `TypeError` for anything that is no action, and inside an action.
    """
    if not isinstance(action, BoundAction):
        raise TypeError("enabled asks for an action, as in enabled(m.P[0].enter)")
    if in_step():
        raise TypeError("'enabled' is for claims only; in an action, write require(...) with the condition")
    return action.is_enabled()


def take_step(model: Model, me: tuple[Any, ...], marked: Marked, arguments: tuple[Any, ...]) -> None:
    """Take one step; if it raises an exception, the model is unchanged."""
    if in_step():
        raise TypeError("an action cannot call another action; put the common part into a helper function")
    before = model.state()
    noted = begin_step()
    try:
        check_arguments(model, me, marked, arguments)
        if marked.at and getattr(me[0], LOCATION) not in marked.at:
            raise NotEnabled(f"the process is at '{getattr(me[0], LOCATION)}'")
        marked.function(model, *me, *arguments)
        if marked.to is not None:
            setattr(me[0], LOCATION, marked.to)
        if noted:
            raise noted[0]
    except BaseException:
        model.restore(before)
        raise
    finally:
        end_step()


@dataclass(frozen=True, slots=True)
class StepChoice:
    """A step, for `Model.take`; `process` and `index` are None for an action of the model itself."""

    process: str | None
    index: int | None
    action: str
    arguments: tuple[Any, ...]


def candidates(model: Model) -> Iterator[StepChoice]:
    """Yield every action with all arguments that its domains allow in the current state, enabled or not."""
    for name, marked in type(model)._marked.items():
        if marked.kind == "action":
            for arguments in argument_tuples(model, (), marked):
                yield StepChoice(None, None, name, arguments)
    for group_name, group in model._members.items():
        for name, marked in type(group[0])._marked.items():
            for member in group if marked.kind == "action" else ():
                for arguments in argument_tuples(model, (member,), marked):
                    yield StepChoice(group_name, int(member), name, arguments)


def possible_steps(model: Model) -> list[StepChoice]:
    """Return the enabled steps, including those that would fault when taken."""
    before, found = model.state(), []
    for choice in candidates(model):
        try:
            model.take(choice)
        except NotEnabled:
            continue
        except (ValueError, IndexError, ZeroDivisionError, TypeError):
            pass
        else:
            model.restore(before)
        found.append(choice)
    return found
