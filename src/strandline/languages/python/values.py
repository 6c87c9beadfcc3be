"""What an expression in an action stands for while the action is executed symbolically.

A value known beforehand is the Python value itself (numbers, names, None, tuples, functions). Everything else is one of
the classes here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from strandline.languages.python.build import add, both, choose, equal, interval
from strandline.languages.python.faults import NONE_FAULT
from strandline.languages.python.types import (
    SCALAR,
    ArrayType,
    BoolType,
    EnumType,
    FlatType,
    OptionalType,
    RangeType,
    RecordType,
    Type,
)
from strandline.model.expression import Binary, Const, Expression, Undefined
from strandline.model.intervals import Interval, within
from strandline.model.system import Variable
from strandline.source import Span

_IMPOSSIBLE = Const(1 << 40)
"""Outside the domain of every coded place, and larger than all in it: storing it is a fault."""

OUTSIDE = Binary("-", Const(0), Const(1))
"""The index of no place; it is no constant, so that it is looked at only where it is used."""


class Refused(Exception):
    """A value cannot be used so; the message says what to write instead. The reader of the text adds the place."""


@dataclass(frozen=True, slots=True)
class IntKind:
    """Integers without bounds: what arithmetic gives."""

    def __str__(self) -> str:
        return "a number"


INT = IntKind()


@dataclass(frozen=True, slots=True)
class Symbol:
    """A number, truth, name or optional that depends on the state; names and optionals are coded."""

    kind: IntKind | BoolType | EnumType | OptionalType
    expression: Expression
    bounds: Interval | None = field(default=None, compare=False)
    """Between which numbers it lies unless the step is a fault."""
    certain: bool = field(default=False, compare=False)
    """It lies there in any case."""


@dataclass(frozen=True, slots=True)
class RecordSymbol:
    """A record that is not stored; its fields are values."""

    kind: RecordType
    fields: dict[str, Any]
    code: Expression | None = None
    """Its code, where it was decoded from one."""
    stored: frozenset[Variable] = field(default=frozenset(), compare=False)
    """It is one of several stored records, which lie in these variables."""


@dataclass(frozen=True, slots=True)
class Place:
    """Something stored: instance number `position` of its type in the leaves that begin with `prefix`."""

    kind: Type
    variables: dict[str, Variable]
    prefix: str
    position: Expression
    shown: str
    around: Place | None = field(default=None, repr=False, compare=False)
    """What it is a field or an element of."""

    @property
    def variable(self) -> Variable:
        return self.variables[self.prefix]

    def field(self, name: str, kind: Type) -> Place:
        return Place(kind, self.variables, f"{self.prefix}.{name}", self.position, f"{self.shown}.{name}", self)

    def element(self, index: Expression) -> Place:
        """An element of an array; an index outside leads to a place outside, which is a fault."""
        assert isinstance(self.kind, ArrayType)
        length = self.kind.length
        inside = within(interval(index), (0, length - 1))
        shown = f"{self.shown}[{index.value if isinstance(index, Const) else '...'}]"
        if isinstance(index, Const) and not inside:
            return Place(self.kind.element, self.variables, self.prefix, OUTSIDE, shown, self)
        position = add_products(self.position, length, index)
        plain = isinstance(self.position, Const) and self.position.value == 0 and isinstance(self.kind.element, SCALAR)
        if not inside and not plain:
            fits = both(Binary(">=", index, Const(0)), Binary("<", index, Const(length)))
            position = choose(fits, position, Const(-1))
        return Place(self.kind.element, self.variables, self.prefix, position, shown, self)

    def slot(self, size: int, number: int | Expression) -> Expression:
        """The index of one of the `size` slots of a container."""
        index = Const(number) if isinstance(number, int) else number
        if isinstance(self.position, Const) or within(interval(self.position), (0, 1 << 30)):
            return add_products(self.position, size, index)
        return choose(Binary(">=", self.position, Const(0)), add_products(self.position, size, index), Const(-1))


@dataclass(frozen=True, slots=True)
class Contents:
    """What a bag, queue or set has held: the codes in its slots. It can only be assigned."""

    kind: Type
    slots: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class ModelValue:
    """`m`."""


@dataclass(frozen=True, slots=True)
class ProcessValue:
    """A process; as a number it is its index."""

    group: str
    index: int


@dataclass(frozen=True, slots=True)
class ChosenProcess:
    """`m.P[e]` where `e` depends on the state."""

    group: str
    index: Expression


@dataclass(frozen=True, slots=True)
class GroupValue:
    """`m.P`: all processes of a class."""

    group: str
    count: int


@dataclass(frozen=True, slots=True)
class Method:
    """A method of a container, or a function with its first arguments."""

    owner: Any
    name: str
    function: Callable[..., Any] | None = None


@dataclass(frozen=True, slots=True)
class Unbound:
    """A local variable that has no usable value on some way here."""

    reason: str


def add_products(position: Expression, size: int, index: Expression) -> Expression:
    """`position * size + index`."""
    if isinstance(position, Const) and isinstance(index, Const):
        return Const(position.value * size + index.value)
    if isinstance(position, Const):
        return add(index, position.value * size)
    scaled = position if size == 1 else Binary("*", position, Const(size))
    return add(scaled, index.value) if isinstance(index, Const) else Binary("+", scaled, index)


def number(value: Any, span: Span | None = None) -> Expression:
    """A value as a number; raises `Refused` for what is none."""
    match value:
        case int():
            return Const(int(value))
        case Symbol(kind=IntKind() | BoolType(), expression=expression):
            return expression
        case ProcessValue(index=index):
            return Const(index)
        case ChosenProcess(index=chosen):
            return chosen
        case Symbol(kind=OptionalType(element=RangeType() | BoolType() as inner), expression=expression):
            low = inner.low if isinstance(inner, RangeType) else 0
            return add(_present(expression, span), low)
        case Symbol(kind=EnumType()) | str():
            raise Refused("a name cannot be used as a number; compare it with == or use a Range")
        case None:
            raise Refused("None cannot be used as a number")
    raise Refused(f"{describe(value)} cannot be used as a number")


def _present(code: Expression, span: Span | None) -> Expression:
    """The code of what an optional holds; None is a fault."""
    return choose(Binary("!=", code, Const(0)), add(code, -1), Undefined(NONE_FAULT, span))


def truth(value: Any) -> Expression:
    """A value as a condition."""
    match value:
        case bool():
            return Const(int(value))
        case Symbol(kind=BoolType(), expression=expression):
            return expression
        case int() | Symbol(kind=IntKind()):
            raise Refused("a number is no condition; write '!= 0'")
        case Symbol(kind=OptionalType()) | None:
            raise Refused("an optional is no condition; write 'is not None'")
        case Place():
            raise Refused("a container is no condition; write 'len(...) > 0'")
    raise Refused(f"{describe(value)} is no condition")


def stored(kind: Type, value: Any, span: Span | None) -> Expression:
    """What lies in the variable of a scalar type when the value is assigned to it; a number outside is left
    to the variable's own check."""
    match kind:
        case RangeType():
            return number(value, span)
        case BoolType():
            if isinstance(value, bool) or (isinstance(value, Symbol) and isinstance(value.kind, BoolType)):
                return truth(value)
            raise Refused(f"a bool cannot hold {describe(value)}; write a comparison or True, False")
        case EnumType():
            return coded_name(kind, value)
        case OptionalType():
            return code(kind, value, span)
    raise Refused(f"{kind} cannot hold {describe(value)}")


def coded_name(kind: EnumType, value: Any) -> Expression:
    """A name's number in an enumeration."""
    if isinstance(value, str):
        if value not in kind.names:
            raise Refused(f"'{value}' is not one of {', '.join(kind.names)}")
        return Const(kind.names.index(value))
    if isinstance(value, Symbol) and isinstance(value.kind, EnumType):
        if value.kind == kind:
            return value.expression
        missing = [name for name in value.kind.names if name not in kind.names]
        if missing:
            raise Refused(f"'{missing[0]}' is not one of {', '.join(kind.names)}")
        return translated(value.kind, value.expression, kind)
    raise Refused(f"{kind} cannot hold {describe(value)}")


def translated(old: EnumType, expression: Expression, new: EnumType) -> Expression:
    """The number of a name in another enumeration; -1 where it has no such name."""
    result: Expression = Const(-1)
    for position, name in enumerate(old.names):
        target = new.names.index(name) if name in new.names else -1
        result = choose(equal(expression, Const(position)), Const(target), result)
    return result


def code(kind: FlatType, value: Any, span: Span | None) -> Expression:
    """A value as the code of a flat type; a number outside its range becomes a code that no place takes."""
    match kind:
        case RangeType(low=low, high=high):
            expression = stored(kind, value, span)
            bounds = (isinstance(value, Symbol) and value.bounds) or interval(expression)
            if within(bounds, (low, high)):
                return add(expression, -low)
            fits = both(Binary(">=", expression, Const(low)), Binary("<=", expression, Const(high)))
            return choose(fits, add(expression, -low), _IMPOSSIBLE)
        case BoolType() | EnumType():
            return stored(kind, value, span)
        case OptionalType(element=element):
            if value is None:
                return Const(0)
            if isinstance(value, Symbol) and value.kind == kind:
                return value.expression
            return add(code(element, value, span), 1)
        case RecordType():
            raise Refused(f"{describe(value)} is no {kind.name}")


def decoded(kind: FlatType, expression: Expression) -> Any:
    """The value that a code of a flat type means."""
    match kind:
        case RangeType(low=low, high=high):
            return Symbol(INT, add(expression, low), (low, high), certain=True)
        case RecordType():
            fields = {}
            for name, inner, shift, mask in kind.shifts():
                part = expression if shift == 0 else Binary(">>", expression, Const(shift))
                last = name == kind.fields[-1][0]
                fields[name] = decoded(inner, part if last else Binary("&", part, Const(mask)))
            return RecordSymbol(kind, fields, expression)
        case _:
            return Symbol(kind, expression)


def describe(value: Any) -> str:
    """A value in words, for messages."""
    match value:
        case Symbol(kind=kind) | Place(kind=kind) | RecordSymbol(kind=kind) | Contents(kind=kind):
            return "a condition" if isinstance(kind, BoolType) else str(kind)
        case ModelValue():
            return "the model"
        case ProcessValue(group=group) | ChosenProcess(group=group):
            return f"a process of '{group}'"
        case GroupValue(group=group):
            return f"the processes '{group}'"
        case Method(name=name):
            return f"the method '{name}'"
        case int() | str() | None:
            return repr(value)
    return f"a value of type {type(value).__name__}"
