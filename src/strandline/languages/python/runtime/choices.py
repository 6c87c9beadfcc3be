"""Parameters of actions: their domains, and their values in a state when the model runs as plain Python."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from strandline.languages.python.runtime.annotations import bind_type, evaluate_annotation
from strandline.languages.python.runtime.declarations import AnyOf, AnyValue, Marked
from strandline.languages.python.runtime.faults import NotEnabled

if TYPE_CHECKING:
    from strandline.languages.python.runtime.model import Model


def check_arguments(model: Model, me: tuple[Any, ...], marked: Marked, arguments: tuple[Any, ...]) -> None:
    """Check arguments against the domains of the parameters.

    Raises `NotEnabled` where the state does not allow a value, and `TypeError` where no state would.
    """
    wanted = parameters_of(marked.function, 1 + len(me), type(model))
    name = marked.function.__name__
    if len(wanted) != len(arguments):
        raise TypeError(f"'{name}' takes {len(wanted)} arguments ({', '.join(wanted)}), not {len(arguments)}")
    earlier: dict[str, Any] = {}
    for (parameter, domain), value in zip(wanted.items(), arguments, strict=True):
        if value not in choices(model, me, domain, earlier, parameter):
            if isinstance(domain, AnyOf):
                raise NotEnabled(f"{parameter} = {value!r} is not in '{domain.text}'")
            raise TypeError(f"'{name}': {parameter} = {value!r} is outside its domain")
        earlier[parameter] = value


def argument_tuples(model: Model, me: tuple[Any, ...], marked: Marked) -> Iterator[tuple[Any, ...]]:
    """Return all tuples of arguments that the domains of the parameters allow in the current state."""
    wanted = list(parameters_of(marked.function, 1 + len(me), type(model)).items())

    def extend(given: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
        if len(given) == len(wanted):
            yield given
            return
        name, domain = wanted[len(given)]
        earlier = {one: value for (one, _), value in zip(wanted, given, strict=False)}
        for value in choices(model, me, domain, earlier, name):
            yield from extend((*given, value))

    return extend(())


def parameters_of(function: Callable[..., Any], leading: int, owner: type) -> dict[str, Any]:
    """Return the parameters of a function behind the first `leading` ones by name, with their domains.

    A domain is the `any_of` given as default, else the annotation. The first parameters are the model and the process.
    """
    code, defaults = function.__code__, function.__defaults__ or ()
    names = code.co_varnames[: code.co_argcount]
    offered = dict(zip(names[len(names) - len(defaults) :], defaults, strict=True))
    found = {}
    for name in names[leading:]:
        domain = offered.get(name)
        if not isinstance(domain, AnyOf | AnyValue):
            domain = evaluate_annotation(function.__annotations__.get(name), function.__globals__, owner)
        found[name] = domain.kind if isinstance(domain, AnyValue) else domain
    return found


def choices(model: Model, me: tuple[Any, ...], domain: Any, earlier: Mapping[str, Any], name: str) -> list[Any]:
    """Return the distinct values in the domain of a parameter in the current state."""
    if isinstance(domain, AnyOf):
        held = eval(domain.text, {"__builtins__": {}}, Visible(model, me, earlier))
        found: list[Any] = []
        for one in held:
            if one not in found:
                found.append(one)
        return found
    kind: Any = bind_type(domain, model._bindings, name)
    return [kind.value_of(code) for code in range(kind.size)]


class Visible(dict[str, Any]):
    """Names visible in the text of `any_of`: earlier parameters, `m`, `me`, fields of the process and the model."""

    def __init__(self, model: Model, me: tuple[Any, ...], earlier: Mapping[str, Any]) -> None:
        super().__init__({"m": model, **({"me": me[0]} if me else {}), **earlier})
        self._owners = (*me, model)

    def __missing__(self, name: str) -> Any:
        for owner in self._owners:
            if hasattr(type(owner), name):
                return getattr(owner, name)
        raise KeyError(name)
