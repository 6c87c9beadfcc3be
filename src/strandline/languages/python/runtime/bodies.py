"""Descriptors for the contents of the body of a model or process class.

An instance has its own values of variables (`_values`), of parameters (`_bindings`) and its processes (`_members`).
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from strandline.languages.python.runtime.annotations import annotations_of
from strandline.languages.python.runtime.containers import convert
from strandline.languages.python.runtime.declarations import FormulaText, Marked
from strandline.languages.python.runtime.deferred import Deferred, Parameter, resolve
from strandline.languages.python.runtime.steps import BoundAction

if TYPE_CHECKING:
    from strandline.languages.python.runtime.model import Model, Process


class Field:
    """Descriptor of a variable of a model or a process; assignments are checked."""

    def __init__(self, name: str, default: Any) -> None:
        self.name, self.default = name, default

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        return self if instance is None else instance._values[self.name]

    def __set__(self, instance: Any, value: Any) -> None:
        instance._values[self.name] = convert(instance._kinds[self.name], value, self.name)


class Constant:
    """Descriptor of a name whose value depends on parameters."""

    def __init__(self, value: Deferred) -> None:
        self.value = value

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        return self.value if instance is None else resolve(self.value, instance._bindings)


class Decorated:
    """Descriptor of an action or a claim: as an attribute of an instance it is a callable that runs on the instance."""

    def __init__(self, marked: Marked) -> None:
        self.marked = marked
        self.__doc__ = marked.function.__doc__

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        if instance is None:
            return self
        model, leading = instance._leading()
        if self.marked.kind == "action":
            return BoundAction(model, leading[1:], self.marked)
        return lambda *arguments: self.marked.function(*leading, *arguments)


class Helper:
    """Descriptor of a plain function of a process; it takes the model and the process first, as actions do."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        if instance is None:
            return self.function
        return lambda *arguments: self.function(*instance._leading()[1], *arguments)


class Members(tuple[Any, ...]):
    """The processes of a class; like arrays they have no negative indices."""

    def __getitem__(self, index: Any) -> Any:
        if not isinstance(index, int) or not 0 <= index < len(self):
            raise IndexError(f"there is no process {index!r}; they are 0..{len(self) - 1}")
        return super().__getitem__(index)


class Group:
    """Descriptor of a process class in a model: the class itself, or an instance's processes."""

    def __init__(self, process: type[Process]) -> None:
        self.process = process

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        if instance is None:
            return self.process
        members = instance._members[self.process.__name__]
        return members if self.process._count is not None else members[0]


def attributes(cls: type) -> Iterator[tuple[str, Any]]:
    """Yield all attributes of a class and its bases; overridden ones once."""
    found: dict[str, Any] = {}
    for base in reversed(cls.__mro__):
        found |= vars(base)
    yield from found.items()


def declaration_of(value: Any) -> Marked | None:
    """Return the `Marked` of a decorated function; None for anything else."""
    return value.marked if isinstance(value, Decorated) else None


def process_class_of(value: Any) -> type[Process] | None:
    """Return the process class of a `Group`; None for anything else."""
    return value.process if isinstance(value, Group) else None


def groups_of(model: type[Model]) -> list[type[Process]]:
    """Return the process classes of a model."""
    return [one.process for _, one in attributes(model) if isinstance(one, Group)]


def parameters_of_model(cls: type[Model]) -> dict[str, Parameter]:
    """Return the parameters of a model by name."""
    return {name: one for name, one in attributes(cls) if isinstance(one, Parameter)}


def adopt_parameters(cls: type[Model]) -> None:
    """Give a model the parameters that its file declares above the classes, and values derived from them."""
    module, own = sys.modules.get(cls.__module__), dict(attributes(cls))
    for name, value in list(vars(module).items()) if module else ():
        if isinstance(value, Parameter) and not value.name:
            value.__set_name__(cls, name)
        if isinstance(value, Deferred) and name not in own:
            setattr(cls, getattr(value, "name", name), value)


def install_descriptors(cls: Any, process: type[Process], *, helpers: bool) -> None:
    """Replace the contents of a class body by descriptors and list them in `_fields`, `_marked` and `_formulas`.

    `process` is the base of process classes. With `helpers`, plain functions take the model and the process first.
    """
    cls._fields = annotations_of(cls)
    cls._formulas = {name: one for name, one in attributes(cls) if isinstance(one, FormulaText)}
    cls._marked = {
        name: one.marked
        for base in reversed(cls.__mro__)
        for name, one in vars(base).items()
        if isinstance(one, Decorated)
    }
    for name, value in list(vars(cls).items()):
        if isinstance(value, Marked):
            cls._marked[name] = value
            setattr(cls, name, Decorated(value))
        elif isinstance(value, Deferred) and not isinstance(value, Parameter) and name not in cls._fields:
            setattr(cls, name, Constant(value))
        elif isinstance(value, type) and issubclass(value, process):
            setattr(cls, name, Group(value))
        elif helpers and callable(value) and not name.startswith("_") and not isinstance(value, type):
            setattr(cls, name, Helper(value))
    for name in vars(cls).get("__annotations__", {}):
        if not name.startswith("_"):
            setattr(cls, name, Field(name, vars(cls).get(name)))
