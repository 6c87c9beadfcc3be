"""Parameters of a model and arithmetic on them: expressions evaluated at instantiation.

In a class body, or above it, `N = param(2)` is not a number yet, so `Range[0, N - 1]` keeps the expression `N - 1`
until the model is instantiated.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Any

_OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "floordiv": operator.floordiv,
    "mod": operator.mod,
    "pow": operator.pow,
}


class Deferred:
    """An expression over parameters; `value(bindings)` evaluates it."""

    def __init__(self, compute: Callable[[Mapping[str, Any]], Any], shown: str) -> None:
        self._compute = compute
        self._shown = shown

    def value(self, bindings: Mapping[str, Any]) -> Any:
        return self._compute(bindings)

    def __repr__(self) -> str:
        return self._shown

    def __neg__(self) -> Deferred:
        return Deferred(lambda bindings: -self.value(bindings), f"-{self!r}")

    def __bool__(self) -> bool:
        raise TypeError(
            f"'{self!r}' has no value in the class body, only in an instance: "
            "conditions on parameters belong in actions, where they are written 'm.NAME'"
        )

    def __eq__(self, other: object) -> bool:
        return self is other or self.__bool__()

    __index__ = __int__ = __bool__
    __hash__ = object.__hash__


def resolve(value: Any, bindings: Mapping[str, Any]) -> Any:
    """Evaluate a deferred value, also inside lists and tuples: `[money] * accounts`."""
    found = value.value(bindings) if isinstance(value, Deferred) else value
    if type(found) in (list, tuple):
        return type(found)(resolve(one, bindings) for one in found)
    return found


def _combine(name: str, function: Callable[[Any, Any], Any]) -> None:
    def forward(self: Deferred, other: Any) -> Deferred:
        return Deferred(lambda b: function(resolve(self, b), resolve(other, b)), f"{name}({self!r}, {other!r})")

    def backward(self: Deferred, other: Any) -> Deferred:
        return Deferred(lambda b: function(resolve(other, b), resolve(self, b)), f"{name}({other!r}, {self!r})")

    setattr(Deferred, f"__{name}__", forward)
    setattr(Deferred, f"__r{name}__", backward)


for _name, _function in _OPERATORS.items():
    _combine(_name, _function)


class Parameter(Deferred):
    """A parameter of a model with a default value; its name is that of the attribute it is assigned to."""

    def __init__(self, default: Any) -> None:
        super().__init__(lambda bindings: bindings[self.name], "parameter")
        self.default = default
        self.name = ""

    def __set_name__(self, owner: type, name: str) -> None:
        # In `x: Range[0, N] = N` it is the initial value of a variable, and `x` is not its name.
        if not self.name and name not in vars(owner).get("__annotations__", {}):
            self.name = self._shown = name

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        return self if instance is None else instance._bindings[self.name]

    def __set__(self, instance: Any, value: Any) -> None:
        raise AttributeError(f"'{self.name}' is a parameter: it is fixed when the model is instantiated")


def param(default: Any) -> Any:
    """Declare a parameter of a model: `N = param(2)`; `Mutex(N=3)` gives it another value."""
    return Parameter(default)
