"""The values of a model's variables, as shown to people and passed to programs.

Numbers, truth values, names (texts) and None are Python's own; an array is a tuple, a set a frozenset. The classes here
add `RecordValue`, `Queue` and `Multiset`, all of them immutable. How a System's variables represent such values is
defined by its `Scope` (`Scope.views`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple


class RecordValue(Mapping[str, Any]):
    """A record: `value.kind`, `value["kind"]`, `dict(value)`. It equals any record of this name with these fields."""

    __slots__ = ("_fields", "_name")
    _fields: dict[str, Any]
    _name: str

    def __init__(self, name: str, fields: Mapping[str, Any]) -> None:
        object.__setattr__(self, "_name", name)
        object.__setattr__(self, "_fields", dict(fields))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name not in self._fields:
            raise AttributeError(f"{self._name} has no field '{name}'; it has {', '.join(self._fields)}")
        return self._fields[name]

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"a {self._name} of a trace cannot be changed")

    def __getitem__(self, name: str) -> Any:
        return self._fields[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._fields)

    def __len__(self) -> int:
        return len(self._fields)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, RecordValue):
            return (self._name, self._fields) == (other._name, other._fields)
        fields = getattr(other, "_values", None)
        return (type(other).__name__, fields) == (self._name, self._fields) if fields is not None else NotImplemented

    def __hash__(self) -> int:
        return hash(tuple(self._fields.values()))

    def __reduce__(self) -> Any:
        return RecordValue, (self._name, self._fields)

    def __repr__(self) -> str:
        return f"{self._name}({', '.join(f'{name}={value!r}' for name, value in self._fields.items())})"


class Queue(tuple[Any, ...]):
    """The content of a queue, the oldest first."""

    __slots__ = ()


class Multiset(tuple[Any, ...]):
    """The content of a bag. Two are equal if they hold the same values equally often, in any order."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, tuple | list) and Counter(self) == Counter(other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash(frozenset(Counter(self).items()))

    def without(self, other: Iterable[Any]) -> Multiset:
        """Return the multiset difference."""
        return Multiset((Counter(self) - Counter(other)).elements())

    def __repr__(self) -> str:
        return f"Multiset({list(self)!r})"


def show(value: Any) -> str:
    """Render a value for people: names without quotes, `[1, 2]` for arrays and queues, `{1, 2}` for sets and bags."""
    match value:
        case RecordValue():
            return f"{value._name}({', '.join(f'{name}={show(value[name])}' for name in value)})"
        case Multiset():
            return f"{{{', '.join(map(show, value))}}}"
        case frozenset():
            return f"{{{', '.join(map(show, in_stable_order(value)))}}}"
        case tuple():
            return f"[{', '.join(map(show, value))}]"
    return str(value)


def in_stable_order(values: frozenset[Any]) -> list[Any]:
    """Return the members of a set in an order that does not change from run to run."""
    return sorted(values, key=lambda one: (str(type(one)), one if isinstance(one, int) else 0, show(one)))


def parts(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the elements of arrays and fields of records, recursively, with their paths; other values as a whole."""
    if type(value) is tuple:
        for index, inner in enumerate(value):
            yield from parts(inner, f"{path}[{index}]")
    elif isinstance(value, RecordValue):
        for name in value:
            yield from parts(value[name], f"{path}.{name}")
    else:
        yield path, value


class Difference(NamedTuple):
    """One part of a value that differs between two states; `path` is its position, as in `[1].says`."""

    path: str
    old: Any
    new: Any


def differences(old: Any, new: Any, path: str = "") -> Iterator[Difference]:
    """Yield the differences of two values of one variable, by elements of arrays and fields of records."""
    if type(old) is tuple and type(new) is tuple and len(old) == len(new):
        for index, (one, other) in enumerate(zip(old, new, strict=True)):
            yield from differences(one, other, f"{path}[{index}]")
    elif isinstance(old, RecordValue) and isinstance(new, RecordValue) and list(old) == list(new):
        for name in old:
            yield from differences(old[name], new[name], f"{path}.{name}")
    elif old != new or type(old) is not type(new):
        yield Difference(path, old, new)
