"""Values of expressions during symbolic execution.

A value known statically is the Python value itself (numbers, names, None, tuples, functions). All others are instances
of the classes here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from strandline.languages.python.runtime.declarations import Marked
from strandline.languages.python.runtime.types import (
    BOOL,
    SCALAR,
    ArrayType,
    BoolType,
    EnumType,
    RecordType,
    Type,
)
from strandline.languages.symbolic_execution.building import add, choose, conjoin, interval, may_fault
from strandline.model.expression import FALSE, Binary, Const, Expression
from strandline.model.intervals import Interval, within
from strandline.model.system import Variable

OUTSIDE = Binary("-", Const(0), Const(1))
"""An index that is always out of range; not a constant, so that it is checked only where it is used."""


@dataclass(frozen=True, slots=True)
class IntKind:
    """The type of unbounded integers: the results of arithmetic."""

    names: str | None = None
    """The scalarset whose elements these numbers are, if they are not plain numbers."""

    def __str__(self) -> str:
        return "a number" if self.names is None else f"a value of '{self.names}'"


INT = IntKind()


@dataclass(frozen=True, slots=True)
class Symbol:
    """A number, Boolean or enumeration value that depends on the state."""

    kind: IntKind | BoolType | EnumType
    expression: Expression
    bounds: Interval | None = field(default=None, compare=False)
    """An interval of its values, if one is known that is more precise than that of the expression."""


@dataclass(frozen=True, slots=True)
class RecordSymbol:
    """A record that is not stored; its fields are values."""

    kind: RecordType
    fields: dict[str, Any]
    code: Expression | None = None
    """The code from which it was decoded, if any."""
    stored: frozenset[Variable] = field(default=frozenset(), compare=False)
    """The variables of the stored records whose value it is or may be."""


@dataclass(frozen=True, slots=True)
class Perhaps:
    """A value that is present where a condition holds, else None.

    `value` is meaningless where the condition does not hold.
    """

    present: Expression
    value: Any


@dataclass(frozen=True, slots=True)
class Place:
    """A stored object: a variable of the model, or a field, an array element or a container in it.

    `variables` are the System variables of the model's variable by suffix. The object is in those whose suffix begins
    with `prefix`, at index `position`, counted in objects of its size.
    """

    kind: Type
    variables: dict[str, Variable]
    prefix: str
    position: Expression
    shown: str
    around: Place | None = field(default=None, repr=False, compare=False)
    """The stored object of which it is a field or an element; None for a whole variable."""

    @property
    def variable(self) -> Variable:
        return self.variables[self.prefix]

    def field(self, name: str, kind: Type) -> Place:
        return Place(kind, self.variables, f"{self.prefix}.{name}", self.position, f"{self.shown}.{name}", self)

    def element(self, index: Expression) -> Place:
        """Return the `Place` of an array element; if the index is out of range, using the result is a fault."""
        assert isinstance(self.kind, ArrayType)
        length = self.kind.length
        inside = within(interval(index), (0, length - 1))
        shown = f"{self.shown}[{index.value if isinstance(index, Const) else '...'}]"
        if isinstance(index, Const) and not inside:
            return Place(self.kind.element, self.variables, self.prefix, OUTSIDE, shown, self)
        position = add_products(self.position, length, index)
        plain = isinstance(self.position, Const) and self.position.value == 0 and isinstance(self.kind.element, SCALAR)
        if not inside and not plain:
            fits = conjoin(Binary(">=", index, Const(0)), Binary("<", index, Const(length)))
            position = choose(fits, position, Const(-1))
        return Place(self.kind.element, self.variables, self.prefix, position, shown, self)

    def slot(self, size: int, number: int | Expression) -> Expression:
        """Return the index of slot `number` of a container with `size` slots in its System variable."""
        index = Const(number) if isinstance(number, int) else number
        if isinstance(self.position, Const) or within(interval(self.position), (0, 1 << 30)):
            return add_products(self.position, size, index)
        return choose(Binary(">=", self.position, Const(0)), add_products(self.position, size, index), Const(-1))


@dataclass(frozen=True, slots=True)
class Upcoming:
    """The value that an array element will have in a later iteration of a loop over the array."""

    place: Place


@dataclass(frozen=True, slots=True)
class Rounds:
    """The result of `enumerate`, `zip` or `reversed`, which only a loop can consume."""

    items: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Member:
    """A value that is present where a condition holds: a container's slot may be free, or a filter skip it.

    `place` is its number among the present values, if that is known statically, else None.
    """

    present: Expression
    value: Any
    place: int | None = None


@dataclass(frozen=True, slots=True)
class Listing:
    """A list whose length is not known statically: its possible members in order."""

    members: tuple[Member, ...]


@dataclass(frozen=True, slots=True)
class Contents:
    """Former contents of a bag, queue or set: the contents of its slots; it can be assigned and iterated."""

    kind: Type
    slots: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class ModelValue:
    """The model itself, `m`."""


@dataclass(frozen=True, slots=True)
class ProcessValue:
    """A process; used as a number it is its index."""

    group: str
    index: int


@dataclass(frozen=True, slots=True)
class ChosenProcess:
    """A process whose index depends on the state: `m.P[e]`."""

    group: str
    index: Expression


@dataclass(frozen=True, slots=True)
class GroupValue:
    """All processes of a class: `m.P`."""

    group: str
    count: int


@dataclass(frozen=True, slots=True)
class Method:
    """A method of a container (`owner`), or a function with its first arguments (the tuple `owner`)."""

    owner: Any
    name: str
    function: Callable[..., Any] | None = None


@dataclass(frozen=True, slots=True)
class ActionValue:
    """An action of the model or of one of its processes, as claims refer to it."""

    owner: tuple[ModelValue | ProcessValue, ...]
    marked: Marked


@dataclass(frozen=True, slots=True)
class Unbound:
    """A local variable without a usable value on some path; `reason` explains why."""

    reason: str


_ASKED = (Symbol, RecordSymbol, Perhaps, Place, Contents, Listing, ProcessValue, ChosenProcess, GroupValue)


def can_be_shown(value: Any) -> bool:
    """Return True if the value can be evaluated in a state."""
    if isinstance(value, tuple):
        return all(map(can_be_shown, value))
    return value is None or isinstance(value, (int, str, *_ASKED))


def add_products(position: Expression, size: int, index: Expression) -> Expression:
    """Return `position * size + index`."""
    if isinstance(position, Const) and isinstance(index, Const):
        return Const(position.value * size + index.value)
    if isinstance(position, Const):
        return add(index, position.value * size)
    scaled = position if size == 1 else Binary("*", position, Const(size))
    return add(scaled, index.value) if isinstance(index, Const) else Binary("+", scaled, index)


def map_expressions(value: Any, change: Callable[[Expression], Expression]) -> Any:
    """Return a value with `change` applied to its expressions; of an optional, only to its condition."""
    match value:
        case bool():
            return Symbol(BOOL, change(Const(int(value))))
        case int():
            return Symbol(INT, change(Const(value)), (value, value))
        case str():
            return Symbol(EnumType((value,)), change(FALSE))
        case Symbol(expression=expression):
            return replace(value, expression=change(expression))
        case ProcessValue(group=group, index=index):
            return ChosenProcess(group, change(Const(index)))
        case ChosenProcess(index=chosen):
            return replace(value, index=change(chosen))
        case RecordSymbol(fields=fields, code=code):
            kept = {name: map_expressions(inner, change) for name, inner in fields.items()}
            return replace(value, fields=kept, code=None if code is None else change(code))
        case Perhaps(present=present):
            return replace(value, present=change(present))
        case tuple():
            return tuple(map_expressions(inner, change) for inner in value)
    return value


def risks(value: Any) -> list[Expression]:
    """Return the expressions of a value that may fault when it is computed."""
    match value:
        case Symbol(expression=expression) | ChosenProcess(index=expression):
            return [expression] if may_fault(expression) else []
        case RecordSymbol(fields=fields):
            return [one for inner in fields.values() for one in risks(inner)]
        case Perhaps(present=present, value=inner):
            own = [present] if may_fault(present) else []
            return [*own, *(choose(present, one, FALSE) for one in risks(inner))]
        case Listing(members=members):
            return [one for inner in members for one in risks(Perhaps(inner.present, inner.value))]
        case tuple():
            return [one for inner in value for one in risks(inner)]
    return []


def describe(value: Any) -> str:
    """Describe a value for messages."""
    match value:
        case Symbol(kind=kind) | Place(kind=kind) | RecordSymbol(kind=kind) | Contents(kind=kind):
            return "a condition" if isinstance(kind, BoolType) else str(kind)
        case Perhaps(value=inner):
            return f"{describe(inner)} or None"
        case ModelValue():
            return "the model"
        case ProcessValue(group=group) | ChosenProcess(group=group):
            return f"a process of '{group}'"
        case GroupValue(group=group):
            return f"the processes '{group}'"
        case Method(name=name):
            return f"the method '{name}'"
        case ActionValue(marked=marked):
            return f"the action '{marked.function.__name__}'"
        case int() | str() | None:
            return repr(value)
        case tuple():
            return "a list or tuple"
        case Listing():
            return "a list whose length is not known beforehand"
        case Rounds():
            return "what enumerate, zip or reversed gives"
    return f"a value of type {type(value).__name__}"
