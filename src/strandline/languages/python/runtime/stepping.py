"""Steps of a model that runs as plain Python: what is possible, and taking it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from strandline.languages.python.runtime.choices import check_arguments, combinations
from strandline.languages.python.runtime.declarations import LOCATION, Marked
from strandline.languages.python.runtime.faults import NotEnabled, begin_step, end_step, in_step

if TYPE_CHECKING:
    from strandline.languages.python.runtime.model import Model


@dataclass(frozen=True, slots=True)
class BoundAction:
    """An action of a model, or of one of its processes: called, it takes the step."""

    model: Model
    me: tuple[Any, ...]
    marked: Marked

    def __call__(self, *arguments: Any) -> None:
        take_step(self.model, self.me, self.marked, arguments)

    def is_enabled(self) -> bool:
        """Whether it can be taken now, with some arguments; one that would be a fault can."""
        before = self.model.state()
        for arguments in combinations(self.model, self.me, self.marked):
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
    """Whether an action can be taken in this state, for claims: `enabled(m.P[0].enter)`, `enabled(me.enter)`."""
    if not isinstance(action, BoundAction):
        raise TypeError("enabled asks for an action, as in enabled(m.P[0].enter)")
    if in_step():
        raise TypeError("'enabled' is for claims: an action says when it is possible by itself, with require(...)")
    return action.is_enabled()


def take_step(model: Model, me: tuple[Any, ...], marked: Marked, arguments: tuple[Any, ...]) -> None:
    """Take one step or raise, in which case the model is as it was before."""
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
    """A step that is possible: `model.take(choice)` takes it."""

    process: str | None
    index: int | None
    action: str
    arguments: tuple[Any, ...]


def candidates(model: Model) -> Iterator[StepChoice]:
    """Every action with every value of its parameters, possible or not."""
    for name, marked in type(model)._marked.items():
        if marked.kind == "action":
            for arguments in combinations(model, (), marked):
                yield StepChoice(None, None, name, arguments)
    for group_name, group in model._members.items():
        for name, marked in type(group[0])._marked.items():
            for member in group if marked.kind == "action" else ():
                for arguments in combinations(model, (member,), marked):
                    yield StepChoice(group_name, int(member), name, arguments)


def possible(model: Model) -> list[StepChoice]:
    """The steps that can be taken now; one that would be a fault can."""
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
