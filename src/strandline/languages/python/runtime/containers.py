"""Values of containers and records when a model runs as plain Python.

They behave like the compiled model: an operation on a full or empty container disables the step, a value that does not
fit is a fault, a negative index is out of range.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from strandline.languages.python.runtime.faults import NotEnabled, out_of_range, raise_out_of_range
from strandline.languages.python.runtime.types import (
    ArrayType,
    BagType,
    BoolType,
    EnumType,
    FifoType,
    FlatType,
    OptionalType,
    RangeType,
    RecordType,
    SetType,
    Type,
)


def convert(kind: Type, value: Any, place: str = "a value", outside: Callable[[str], None] = out_of_range) -> Any:
    """Convert a value to the type; compound values are copied.

    A number outside its range is reported by `outside`; one inside an optional record raises `OutOfRange` at once.
    Raises `TypeError` for a value of another type. `place` names the target in messages.
    """
    match kind:
        case BoolType() if isinstance(value, bool):
            return value
        case RangeType(low=low, high=high) if isinstance(value, int):
            if not low <= value <= high:
                outside(f"{place} = {int(value)} is outside {low}..{high}")
            return int(value)
        case EnumType(names=names) if isinstance(value, str) and value in names:
            return value
        case OptionalType(element=element):
            coded = isinstance(element, RecordType)
            return None if value is None else convert(element, value, place, raise_out_of_range if coded else outside)
        case RecordType(maker=maker, fields=fields) if isinstance(value, maker):
            parts = {name: convert(t, getattr(value, name), f"{place}.{name}", outside) for name, t in fields}
            return make_record(kind, parts)
        case ArrayType(element=inner, length=length) if isinstance(value, Iterable):
            values = list(value)
            if len(values) == length:
                return ArrayValue(kind, [convert(inner, one, place) for one in values])
        case BagType() if isinstance(value, Iterable):
            return _fill(BagValue(kind), value)
        case FifoType() if isinstance(value, Iterable):
            return _fill(FifoValue(kind), value)
        case SetType() if isinstance(value, Iterable):
            held = SetValue(kind)
            for one in value:
                held.add(one)
            return held
    raise TypeError(f"{place} is {kind}; it cannot hold {value!r}{_array_hint(kind, value)}")


def _array_hint(kind: Type, value: Any) -> str:
    """Return a hint how to write a value for each element of an array; empty for other types."""
    if not isinstance(kind, ArrayType):
        return ""
    if isinstance(value, Iterable) and not isinstance(value, str):
        return f": an array of {kind.length} has a value for each element"
    return f": an array has a value for each element, as in [{value!r}] * {kind.length}"


def make_record(kind: RecordType, values: dict[str, Any]) -> Any:
    """Return a record value; assignments to its fields are checked against the types in `kind`."""
    record: Any = object.__new__(kind.maker)
    object.__setattr__(record, "_kind", kind)
    object.__setattr__(record, "_values", values)
    return record


def _fill(container: Any, values: Iterable[Any]) -> Any:
    for value in values:
        container.put(value)
    return container


def sort_key(kind: FlatType, value: Any) -> Any:
    """Return a sort key that orders values as their codes do, including values out of range."""
    match kind:
        case RangeType():
            return value
        case OptionalType(element=element):
            return (0,) if value is None else (1, sort_key(element, value))
        case RecordType(fields=fields):
            return tuple(sort_key(inner, getattr(value, name)) for name, inner in reversed(fields))  # type: ignore[arg-type]
        case _:
            return kind.code(value)


class ArrayValue:
    """An array; indices start at 0, negative ones are out of range."""

    def __init__(self, kind: ArrayType, values: list[Any]) -> None:
        self._kind = kind
        self._values = values

    def _index(self, index: Any) -> int:
        if not isinstance(index, int) or not 0 <= index < len(self._values):
            raise IndexError(f"index {index!r} is outside 0..{len(self._values) - 1}")
        return int(index)

    def __getitem__(self, index: Any) -> Any:
        return self._values[self._index(index)]

    def __setitem__(self, index: Any, value: Any) -> None:
        place = self._index(index)
        self._values[place] = convert(self._kind.element, value, f"element {place}")

    def __len__(self) -> int:
        return len(self._values)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._values)

    def __contains__(self, value: Any) -> bool:
        return value in self._values

    def __repr__(self) -> str:
        return repr(self._values)


class _Container:
    """Base of bags, queues and sets."""

    def __init__(self, kind: Any) -> None:
        self._kind = kind
        self._values: list[Any] = []

    @property
    def empty(self) -> bool:
        return not self._values

    def clear(self) -> None:
        self._values.clear()

    def __len__(self) -> int:
        return len(self._values)

    def __bool__(self) -> bool:
        raise TypeError("write 'len(...) > 0' or 'not ....empty'")

    def __contains__(self, value: Any) -> bool:
        return value in self._values

    def __iter__(self) -> Iterator[Any]:
        """Iterate over a snapshot: changes during the loop do not affect it."""
        return iter(tuple(self._values))

    def __reversed__(self) -> Iterator[Any]:
        return iter(self._values[::-1])

    def __repr__(self) -> str:
        return f"{type(self).__name__.removesuffix('Value')}({self._values!r})"


class _Bounded(_Container):
    """Base of bags and queues, which have a capacity."""

    _kind: BagType | FifoType

    @property
    def full(self) -> bool:
        return len(self._values) == self._kind.capacity

    def _append(self, value: Any) -> None:
        if self.full:
            raise NotEnabled("the container is full")
        self._values.append(convert(self._kind.element, value, "a value put into the container", raise_out_of_range))

    def count(self, value: Any) -> int:
        return self._values.count(value)


class BagValue(_Bounded):
    """A multiset; the order of insertion is not kept."""

    def put(self, value: Any) -> None:
        """Add a value; raises `NotEnabled` if the bag is full."""
        self._append(value)
        self._values.sort(key=lambda one: sort_key(self._kind.element, one), reverse=True)

    def take(self, value: Any) -> None:
        """Remove one occurrence of the value; raises `NotEnabled` if there is none."""
        if value not in self._values:
            raise NotEnabled(f"{value!r} is not in the bag")
        self._values.remove(value)


class FifoValue(_Bounded):
    """A queue."""

    def put(self, value: Any) -> None:
        """Append a value; raises `NotEnabled` if the queue is full."""
        self._append(value)

    def get(self) -> Any:
        """Remove and return the oldest value; raises `NotEnabled` if the queue is empty."""
        if not self._values:
            raise NotEnabled("the queue is empty")
        return self._values.pop(0)

    @property
    def head(self) -> Any:
        """The oldest value; raises `NotEnabled` if the queue is empty."""
        if not self._values:
            raise NotEnabled("the queue is empty")
        return self._values[0]


class SetValue(_Container):
    """A set of flat values."""

    _kind: SetType

    def _check(self, value: Any) -> Any:
        """Return the value; raise `IndexError` if it is outside the element type."""
        kept = _inside(self._kind.element, value)
        if not kept:
            raise IndexError(f"{value!r} is outside {self._kind.element}")
        return convert(self._kind.element, value)

    def add(self, value: Any) -> None:
        value = self._check(value)
        if value not in self._values:
            self._values.append(value)
            self._values.sort(key=lambda one: sort_key(self._kind.element, one))

    def discard(self, value: Any) -> None:
        value = self._check(value)
        if value in self._values:
            self._values.remove(value)

    def remove(self, value: Any) -> None:
        """Remove a value; raises `NotEnabled` if it is not in the set."""
        if self._check(value) not in self._values:
            raise NotEnabled(f"{value!r} is not in the set")
        self._values.remove(value)

    @property
    def full(self) -> bool:
        return len(self._values) == self._kind.element.size


def _inside(kind: FlatType, value: Any) -> bool:
    match kind:
        case RangeType(low=low, high=high):
            return isinstance(value, int) and low <= value <= high
        case OptionalType(element=element):
            return value is None or _inside(element, value)
        case RecordType(fields=fields):
            return value is not None and all(_inside(inner, getattr(value, name)) for name, inner in fields)  # type: ignore[arg-type]
        case _:
            return value is not None


def freeze(kind: Type, value: Any) -> Any:
    """Return a hashable image of a value, from which `thaw` makes an equal one."""
    match kind:
        case RecordType(fields=fields):
            return tuple(freeze(inner, getattr(value, name)) for name, inner in fields)
        case OptionalType(element=element):
            return None if value is None else (freeze(element, value),)
        case ArrayType(element=inner):
            return tuple(freeze(inner, one) for one in value)
        case BagType(element=element) | FifoType(element=element) | SetType(element=element):
            return tuple(freeze(element, one) for one in value)
        case _:
            return value


def default(kind: Type) -> Any:
    """Return the initial value of a type where none is given."""
    match kind:
        case BoolType():
            return False
        case RangeType(low=low, high=high):
            return max(low, min(high, 0))
        case EnumType(names=names):
            return names[0]
        case OptionalType():
            return None
        case RecordType(maker=maker, fields=fields):
            return maker(**{name: default(inner) for name, inner in fields})
        case ArrayType(element=element, length=length):
            return ArrayValue(kind, [default(element) for _ in range(length)])
        case BagType():
            return BagValue(kind)
        case FifoType():
            return FifoValue(kind)
        case SetType():
            return SetValue(kind)


def thaw(kind: Type, picture: Any) -> Any:
    """Return the value of an image made by `freeze`."""
    match kind:
        case RecordType(fields=fields):
            parts = zip(fields, picture, strict=True)
            return make_record(kind, {name: thaw(inner, one) for (name, inner), one in parts})
        case OptionalType(element=element):
            return None if picture is None else thaw(element, picture[0])
        case ArrayType(element=inner):
            return ArrayValue(kind, [thaw(inner, one) for one in picture])
        case BagType(element=element) | FifoType(element=element) | SetType(element=element):
            held = default(kind)
            held._values = [thaw(element, one) for one in picture]
            return held
        case _:
            return picture
