"""Types of a model's variables, with all parameters bound.

A type is *flat* when its values can be numbered 0, 1, ... (`code`, `value_of`): ranges, bool, enumerations, optionals
and records of them. Containers hold flat values. Every type lists the System variables (`leaves`) that hold its values,
and converts a plain Python value into the numbers stored in them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

from strandline.model.system import Domain, Names

EMPTY = "-"
_MOST_NAMES = 1024
"""The most values of a flat type whose codes are shown by the names of the values, not as numbers."""


@dataclass(frozen=True, slots=True)
class BoolType:
    """The type of Booleans: True or False."""

    size = 2

    def code(self, value: Any) -> int:
        return int(value)

    def value_of(self, code: int) -> Any:
        return bool(code)

    def __str__(self) -> str:
        return "bool"


@dataclass(frozen=True, slots=True)
class RangeType:
    """The type of integers from `low` to `high`.

    With `names` it is the scalarset of this name: its values are interchangeable.
    """

    low: int
    high: int
    names: str | None = None

    @property
    def size(self) -> int:
        return self.high - self.low + 1

    def code(self, value: Any) -> int:
        return int(value) - self.low

    def value_of(self, code: int) -> Any:
        return code + self.low

    def __str__(self) -> str:
        if self.names is not None:
            return self.names
        return f"Range[{self.low}, {self.high}]"


@dataclass(frozen=True, slots=True)
class EnumType:
    """The type of an enumeration."""

    names: tuple[str, ...]

    @property
    def size(self) -> int:
        return len(self.names)

    def code(self, value: Any) -> int:
        return self.names.index(value)

    def value_of(self, code: int) -> Any:
        return self.names[code]

    def __str__(self) -> str:
        return f"Enum[{', '.join(map(repr, self.names))}]"


@dataclass(frozen=True, slots=True)
class OptionalType:
    """The type of a flat value or None (code 0)."""

    element: FlatType

    @property
    def size(self) -> int:
        return self.element.size + 1

    def code(self, value: Any) -> int:
        return 0 if value is None else self.element.code(value) + 1

    def value_of(self, code: int) -> Any:
        return None if code == 0 else self.element.value_of(code - 1)

    def __str__(self) -> str:
        return f"Optional[{self.element}]"


@dataclass(frozen=True, slots=True)
class RecordType:
    """The type of a record.

    In the code of a record each field has its own bits, so that extracting one is a shift.
    """

    maker: type
    fields: tuple[tuple[str, Type], ...]

    @property
    def name(self) -> str:
        return self.maker.__name__

    def shifts(self) -> list[tuple[str, FlatType, int, int]]:
        """Return name, type, shift and mask of every field."""
        found, shift = [], 0
        for name, kind in self.fields:
            width = (kind.size - 1).bit_length()  # type: ignore[union-attr]
            found.append((name, kind, shift, (1 << width) - 1))
            shift += width
        return found  # type: ignore[return-value]

    @property
    def size(self) -> int:
        return sum((kind.size - 1) << shift for _, kind, shift, _ in self.shifts()) + 1

    def code(self, value: Any) -> int:
        return sum(kind.code(getattr(value, name)) << shift for name, kind, shift, _ in self.shifts())

    def value_of(self, code: int) -> Any:
        fields = {
            name: kind.value_of(min(code >> shift & mask, kind.size - 1)) for name, kind, shift, mask in self.shifts()
        }
        return self.maker(**fields)

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class ArrayType:
    """The type of an array of `length` values, numbered from 0."""

    element: Type
    length: int

    def __str__(self) -> str:
        return f"Array[{self.element}, {self.length}]"


@dataclass(frozen=True, slots=True)
class BagType:
    """The type of a multiset of at most `capacity` values, kept in descending order of their codes."""

    element: FlatType
    capacity: int

    def __str__(self) -> str:
        return f"Bag[{self.element}, {self.capacity}]"


@dataclass(frozen=True, slots=True)
class FifoType:
    """The type of a queue of at most `capacity` values, oldest first."""

    element: FlatType
    capacity: int

    def __str__(self) -> str:
        return f"Fifo[{self.element}, {self.capacity}]"


@dataclass(frozen=True, slots=True)
class SetType:
    """The type of a set of flat values, stored as one bit for each possible value."""

    element: FlatType

    def __str__(self) -> str:
        return f"Set[{self.element}]"


FlatType: TypeAlias = BoolType | RangeType | EnumType | OptionalType | RecordType
Type: TypeAlias = FlatType | ArrayType | BagType | FifoType | SetType
FLAT = (BoolType, RangeType, EnumType, OptionalType, RecordType)
SCALAR = (BoolType, RangeType, EnumType, OptionalType)
BOOL = BoolType()


@dataclass(frozen=True, slots=True)
class Leaf:
    """A System variable that holds (a part of) a value of a type: suffix of its name, domain, value names, slots."""

    suffix: str
    domain: Domain
    names: tuple[str, ...] | None
    slots: int
    is_array: bool


def is_flat(kind: Type) -> bool:
    """Return True if the type is flat, so that a container can hold its values."""
    if isinstance(kind, RecordType):
        return all(is_flat(inner) for _, inner in kind.fields)
    return isinstance(kind, FLAT)


def leaves(kind: Type, suffix: str = "") -> list[Leaf]:
    """Return the System variables that hold a value of the type."""
    match kind:
        case BoolType():
            return [Leaf(suffix, Domain(0, 1), ("False", "True"), 1, False)]
        case RangeType(low=low, high=high):
            return [Leaf(suffix, Domain(low, high, names=_names(kind, low)), None, 1, False)]
        case EnumType(names=names):
            return [Leaf(suffix, Domain(0, len(names) - 1), names, 1, False)]
        case OptionalType(element=element):
            domain = Domain(0, element.size, names=_names(element, 1))
            return [Leaf(suffix, domain, _slot_names(element, "None"), 1, False)]
        case RecordType(fields=fields):
            return [leaf for name, inner in fields for leaf in leaves(inner, f"{suffix}.{name}")]
        case ArrayType(element=inner_type, length=length):
            return [
                Leaf(leaf.suffix, leaf.domain, leaf.names, leaf.slots * length, True)
                for leaf in leaves(inner_type, suffix)
            ]
        case BagType(element=element, capacity=capacity) | FifoType(element=element, capacity=capacity):
            domain = Domain(0, element.size, names=_names(element, 1))
            return [Leaf(suffix, domain, _slot_names(element, EMPTY), capacity, True)]
        case SetType(element=element):
            return [Leaf(suffix, Domain(0, 1), ("False", "True"), element.size, True)]


def _names(kind: FlatType, first: int) -> Names | None:
    """Return the scalarset that a type is, with `first` as the number of its first value; None for other types."""
    return Names(kind.names, kind.size, first) if isinstance(kind, RangeType) and kind.names is not None else None


def _slot_names(element: FlatType, nothing: str) -> tuple[str, ...] | None:
    """Return names for the contents of a slot: `nothing` for 0, then those of the element's values by code.

    Returns None if there are too many to list.
    """
    if element.size > _MOST_NAMES:
        return None
    return (nothing, *(str(element.value_of(code)) for code in range(element.size)))


def numbers(kind: Type, value: Any) -> list[list[int]]:
    """Convert a plain Python value to the numbers in its System variables, in the order of `leaves`."""
    match kind:
        case RangeType():
            return [[int(value)]]
        case BoolType() | EnumType() | OptionalType():
            return [[kind.code(value)]]
        case RecordType(fields=fields):
            return [one for name, inner in fields for one in numbers(inner, getattr(value, name))]
        case ArrayType(element=element):
            parts = [numbers(element, inner) for inner in value]
            return [[number for part in parts for number in part[place]] for place in range(len(parts[0]))]
        case BagType(element=flat, capacity=capacity):
            codes = sorted((flat.code(inner) + 1 for inner in value), reverse=True)
            return [codes + [0] * (capacity - len(codes))]
        case FifoType(element=flat, capacity=capacity):
            codes = [flat.code(inner) + 1 for inner in value]
            return [codes + [0] * (capacity - len(codes))]
        case SetType(element=flat):
            held = {flat.code(inner) for inner in value}
            return [[int(code in held) for code in range(flat.size)]]
