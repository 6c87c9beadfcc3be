"""Binding of parameters: the types of variables and their initial values.

Errors point to the declaration where its source position is known.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from strandline.errors import ModelError, UsageError, suggestion
from strandline.languages.python.runtime.annotations import bind_type
from strandline.languages.python.runtime.bodies import groups_of
from strandline.languages.python.runtime.containers import convert, default
from strandline.languages.python.runtime.declarations import LOCATION, Marked
from strandline.languages.python.runtime.deferred import resolve
from strandline.languages.python.runtime.text import field_place, text_of
from strandline.languages.python.runtime.types import EnumType, Type

if TYPE_CHECKING:
    from strandline.languages.python.runtime.model import Model


def convert_parameter(cls: type[Model], name: str, value: Any, default: Any) -> Any:
    """Convert a parameter's value to the type of its default.

    0 and 1 become False and True where the default is a bool. Raises `UsageError` for a value of another type, as in
    `-D N=three`.
    """
    for kind, words in ((bool, "True or False"), (int, "a number"), (str, "a text")):
        if isinstance(default, kind):
            fits = isinstance(value, int) and value in (0, 1) if kind is bool else isinstance(value, kind)
            if not fits:
                shown = f"{cls.__name__}: parameter '{name}' is {words}, {default!r} where nothing is given"
                raise UsageError(f"{shown}, not {value!r}")
            return bool(value) if kind is bool else value
    return value


def bind_types(cls: Any, bindings: Mapping[str, Any], what: str) -> dict[str, Type]:
    """Return the type of every variable that the class declares."""
    bound = {}
    for name, kind in cls._fields.items():
        try:
            bound[name] = bind_type(kind, bindings, f"{what}.{name}")
        except ModelError as error:
            raise error_at_declaration(cls, name, error.message) from None
        except (ArithmeticError, TypeError, ValueError) as error:
            raise error_at_declaration(cls, name, f"{what}.{name}: its type cannot be computed: {error}") from None
    return bound


def error_at_declaration(cls: Any, name: str, message: str) -> ModelError:
    """Return an error about a declaration, with its source position if that can be found."""
    functions = [marked.function for owner in (cls, *groups_of(cls)) for marked in owner._marked.values()]
    place = field_place(cls, functions, name)
    return ModelError(message) if place is None else ModelError(message, *place)


def make_initial_values(cls: Any, kinds: Mapping[str, Type], bindings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the initial value of every variable, and check the locations that decorators name."""
    values = {}
    for name, kind in kinds.items():
        try:
            given = resolve(getattr(cls, name).default, bindings)
            values[name] = default(kind) if given is None else convert(kind, given, name)
        except (ArithmeticError, TypeError, ValueError) as error:
            message = f"{cls.__name__}.{name}: the initial value does not fit: {error}"
            raise error_at_declaration(cls, name, message) from None
    location = kinds.get(LOCATION)
    for marked in cls._marked.values():
        for place in (*marked.at, *([] if marked.to is None else [marked.to])):
            if not isinstance(location, EnumType) or place not in location.names:
                raise _no_location(cls, marked, place, location)
    return values


def _no_location(cls: Any, marked: Marked, place: str, location: Type | None) -> ModelError:
    """Return the error for a value of `at` or `to` that is no location.

    The error points at that value if it can be found.
    """
    where = f"{cls.__name__}.{marked.function.__name__}"
    text, node = text_of(marked.function)
    if not isinstance(location, EnumType):
        message = f"{where}: 'at' and 'to' need a field 'pc: Enum[...]' in the process"
        return ModelError(message, text.source, text.place(node))
    hint = suggestion(place, location.names) or f"; it is one of {', '.join(map(repr, location.names))}"
    spelled = (
        one
        for decorator in node.decorator_list
        for one in ast.walk(decorator)
        if isinstance(one, ast.Constant) and one.value == place
    )
    return ModelError(f"{where}: '{place}' is not a value of pc{hint}", text.source, text.place(next(spelled, node)))


def unknown_name_message(owner: str, name: str, known: Any, kind: str = "variable") -> str:
    """Return the message for an unknown name, with a suggestion."""
    return f"{owner} has no {kind} '{name}'" + suggestion(name, known)
