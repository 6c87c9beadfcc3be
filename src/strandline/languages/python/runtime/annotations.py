"""Type annotations of models: for variables, record fields and action parameters.

In a class body a type may still depend on parameters; `bind_type` turns it into a type of the module `types`.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from strandline.errors import ModelError
from strandline.languages.python.runtime.containers import convert
from strandline.languages.python.runtime.deferred import resolve
from strandline.languages.python.runtime.types import (
    BOOL,
    ArrayType,
    BagType,
    EnumType,
    FifoType,
    OptionalType,
    RangeType,
    RecordType,
    SetType,
    Type,
    is_flat,
)

_MOST_VALUES = 1 << 16


@dataclass(frozen=True, slots=True)
class TypeExpression:
    """A type whose sizes may still depend on parameters."""

    maker: str
    arguments: tuple[Any, ...]


class BracketType:
    """Base of the types written with brackets: `Range[0, 3]`."""

    def __class_getitem__(cls, arguments: Any) -> TypeExpression:
        return TypeExpression(cls.__name__, arguments if isinstance(arguments, tuple) else (arguments,))

    def __new__(cls, *arguments: Any, **_: Any) -> Any:
        inside = ", ".join(map(repr, arguments)) or "..."
        raise TypeError(f"{cls.__name__} is written with brackets: {cls.__name__}[{inside}]")


class Range(BracketType):
    """The annotation `Range[low, high]`: the integers from low to high, both included."""


class Enum(BracketType):
    """The annotation `Enum["idle", "busy"]`: one of these names; the first is the default."""


class Array(BracketType):
    """The annotation `Array[type, length]`: a fixed-size array."""


class Bag(BracketType):
    """The annotation `Bag[type, capacity]`: a multiset."""


class Fifo(BracketType):
    """The annotation `Fifo[type, capacity]`: a queue."""


class Set(BracketType):
    """The annotation `Set[type]`: a set of values of the type."""


class Optional(BracketType):
    """The annotation `Optional[type]`: a value of the type, or None."""


class EnclosingNamespace(dict[str, Any]):
    """Namespace of a class inside a model; names of the enclosing class body are visible in it."""

    def __init__(self, enclosing: Mapping[str, Any]) -> None:
        super().__init__()
        self._enclosing = enclosing

    def __missing__(self, name: str) -> Any:
        if name.startswith("__"):
            raise KeyError(name)
        return self._enclosing[name]


class NestedClassMeta(type):
    """Metaclass of classes inside a model, whose bodies can use names of the enclosing class body."""

    if TYPE_CHECKING:
        # In a model's functions the name of a process class stands for its processes.
        def __iter__(cls) -> Iterator[Any]: ...
        def __len__(cls) -> int: ...
        def __getitem__(cls, index: Any) -> Any: ...
        def __getattr__(cls, name: str) -> Any: ...

    @classmethod
    def __prepare__(cls, name: str, bases: tuple[type, ...], /, **keywords: Any) -> Any:
        return EnclosingNamespace(sys._getframe(1).f_locals)

    def __new__(cls, name: str, bases: tuple[type, ...], namespace: Any, /, **keywords: Any) -> Any:
        enclosing = getattr(namespace, "_enclosing", {})
        return super().__new__(cls, name, bases, {**namespace, "_enclosing": enclosing}, **keywords)


class Scalar(metaclass=NestedClassMeta):
    """Base of scalarsets: sets of interchangeable values.

    After `class Item(Scalar, count=3): ...` a variable `x: Item` holds one of three items, numbered from 0. Items can
    be assigned, compared by == and !=, chosen and used as indices, and nothing else.
    """

    _count: Any = None

    def __init_subclass__(cls, count: Any = None, **keywords: Any) -> None:
        super().__init_subclass__(**keywords)
        cls._count = count


class Record(metaclass=NestedClassMeta):
    """Base of record types; annotate the fields in the class body.

    `Message(kind="ack", number=3)` makes a value.
    """

    def __init__(self, *values: Any, **fields: Any) -> None:
        names = list(annotations_of(type(self)))
        given = dict(zip(names, values, strict=False)) | fields
        if len(values) > len(names) or set(given) != set(names):
            raise TypeError(f"{type(self).__name__} needs exactly the fields {', '.join(names)}")
        object.__setattr__(self, "_kind", None)
        object.__setattr__(self, "_values", given)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name not in self._values:
            raise AttributeError(f"{type(self).__name__} has no field '{name}'")
        return self._values[name]

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in self._values:
            raise AttributeError(f"{type(self).__name__} has no field '{name}'")
        kind = None if self._kind is None else dict(self._kind.fields)[name]
        self._values[name] = value if kind is None else convert(kind, value, name)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, type(self)) and self._values == other._values

    def __hash__(self) -> int:
        return hash(tuple(self._values.values()))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={value}' for name, value in self._values.items())})"


def annotations_of(cls: type) -> dict[str, Any]:
    """Return the annotations of a class and its bases, base first, with string annotations evaluated."""
    found: dict[str, Any] = {}
    for base in reversed(cls.__mro__):
        module = sys.modules.get(base.__module__)
        for name, annotation in inspect.get_annotations(base).items():
            if name.startswith("_"):
                continue
            found[name] = evaluate_annotation(annotation, vars(module) if module else {}, base)
    return found


def evaluate_annotation(annotation: Any, names: Mapping[str, Any], owner: type | None) -> Any:
    """Evaluate an annotation if it is a string, as under `from __future__ import annotations`; else return it."""
    if not isinstance(annotation, str):
        return annotation
    scope: dict[str, Any] = dict(getattr(owner, "_enclosing", {}) or {})
    scope |= dict(vars(owner)) if owner is not None else {}
    return eval(annotation, dict(names), scope)


def bind_type(annotation: Any, bindings: Mapping[str, Any], what: str) -> Type:
    """Return the type of an annotation; `bindings` are the values of parameters.

    `what` names the declaration in messages. Raises `ModelError` for anything that is no type of a model.
    """
    if annotation is bool:
        return BOOL
    if isinstance(annotation, type) and issubclass(annotation, Record):
        fields = annotations_of(annotation)
        if not fields:
            raise ModelError(f"{what}: the record '{annotation.__name__}' has no fields")
        given = next((name for name in fields if any(name in vars(base) for base in annotation.__mro__)), None)
        if given is not None:
            raise ModelError(
                f"{what}: field '{given}' of the record '{annotation.__name__}' has a default, which records do not "
                "have; give the variable an initial value instead"
            )
        bound = ((name, bind_type(inner, bindings, f"{what}.{name}")) for name, inner in fields.items())
        return RecordType(annotation, tuple(bound))
    if isinstance(annotation, type) and issubclass(annotation, Scalar):
        name = annotation.__name__
        if annotation._count is None:
            raise ModelError(f"{what}: how many are there of '{name}'? Write class {name}(Scalar, count=3): ...")
        return RangeType(0, _size(annotation._count, bindings, f"{what}: {name}") - 1, name)
    if isinstance(annotation, TypeExpression):
        return _bind_expression(annotation, bindings, what)
    if annotation is int:
        raise ModelError(f"{what}: an int without bounds is too large for a state; write Range[low, high]")
    if annotation is str:
        raise ModelError(f'{what}: text cannot be stored; write Enum["one", "two"] with the names it may have')
    shown = getattr(annotation, "__name__", None) or repr(annotation)
    raise ModelError(
        f"{what}: '{shown}' is no type of a model; "
        "use bool, Range, Enum, Array, Bag, Fifo, Set, Optional, a Record or a Scalar"
    )


def _bind_expression(expression: TypeExpression, bindings: Mapping[str, Any], what: str) -> Type:
    arguments = expression.arguments
    maker = expression.maker
    if maker == "Enum":
        names = [one for one in arguments if isinstance(one, str)]
        if not names or len(set(names)) != len(arguments):
            raise ModelError(f'{what}: Enum needs different names, as in Enum["idle", "busy"]')
        return EnumType(arguments)
    wanted = {"Range": 2, "Array": 2, "Bag": 2, "Fifo": 2, "Set": 1, "Optional": 1}[maker]
    if len(arguments) != wanted:
        shape = {"Range": "Range[low, high]", "Set": "Set[type]", "Optional": "Optional[type]"}
        raise ModelError(f"{what}: write {shape.get(maker, f'{maker}[type, size]')}")
    if maker == "Range":
        low, high = (_integer(one, bindings, what) for one in arguments)
        if low > high:
            raise ModelError(f"{what}: Range[{low}, {high}] is empty")
        return RangeType(low, high)
    element = bind_type(arguments[0], bindings, what)
    if maker == "Array":
        return ArrayType(element, _size(arguments[1], bindings, what))
    if not is_flat(element):
        raise ModelError(f"{what}: {maker} cannot hold {element}; it holds numbers, names, optionals and records")
    if maker == "Set":
        if element.size > _MOST_VALUES:  # type: ignore[union-attr]
            raise ModelError(f"{what}: a Set of {element} takes a bit for each of its values; they are too many")
        return SetType(element)  # type: ignore[arg-type]
    if maker == "Optional":
        return element if isinstance(element, OptionalType) else OptionalType(element)  # type: ignore[arg-type]
    make = BagType if maker == "Bag" else FifoType
    return make(element, _size(arguments[1], bindings, what))  # type: ignore[arg-type]


def _integer(value: Any, bindings: Mapping[str, Any], what: str) -> int:
    number = resolve(value, bindings)
    if not isinstance(number, int):
        raise ModelError(f"{what}: a bound must be an integer, not {number!r}")
    return int(number)


def _size(value: Any, bindings: Mapping[str, Any], what: str) -> int:
    number = _integer(value, bindings, what)
    if number < 1:
        raise ModelError(f"{what}: a size must be 1 or more, not {number}")
    return number
