"""What an expression in an action stands for while the action is executed symbolically.

A value known beforehand is the Python value itself (numbers, names, None, tuples, functions). Everything else is one of
the classes here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from strandline.languages.python.build import add, both, choose, equal, interval, may_fault, negate
from strandline.languages.python.faults import FIELD_FAULT, NONE_FAULT, VALUE_FAULT
from strandline.languages.python.types import (
    BOOL,
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
from strandline.model.expression import FALSE, RANGE_FAULT, TRUE, Binary, Const, Expression, Undefined
from strandline.model.intervals import Interval, within
from strandline.model.system import Variable
from strandline.source import Span

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
    """A number, truth or name that depends on the state; names are coded."""

    kind: IntKind | BoolType | EnumType
    expression: Expression
    bounds: Interval | None = field(default=None, compare=False)
    """Between which numbers it lies, where more is known than the expression tells."""


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
class Perhaps:
    """A value where a condition holds, else None; what it holds means nothing there."""

    present: Expression
    value: Any


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
class Upcoming:
    """The element of an array that a later round of a loop will find there."""

    place: Place


@dataclass(frozen=True, slots=True)
class Rounds:
    """What `enumerate`, `zip` and `reversed` give: a loop takes it, and nothing else."""

    items: tuple[Any, ...]


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
        case Perhaps():
            return number(held(value, NONE_FAULT, span), span)
        case Symbol(kind=EnumType()) | str():
            raise Refused("a name cannot be used as a number; compare it with == or use a Range")
        case None:
            return Undefined(NONE_FAULT, span)
    raise Refused(f"{describe(value)} cannot be used as a number")


def truth(value: Any) -> Expression:
    """A value as a condition."""
    match value:
        case bool():
            return Const(int(value))
        case Symbol(kind=BoolType(), expression=expression):
            return expression
        case int() | Symbol(kind=IntKind()):
            raise Refused("a number is no condition; write '!= 0'")
        case Perhaps() | None:
            raise Refused("an optional is no condition; write 'is not None', or 'v if v is not None else ...'")
        case Place():
            raise Refused("a container is no condition; write 'len(...) > 0'")
    raise Refused(f"{describe(value)} is no condition")


def stored(kind: Type, value: Any, span: Span | None) -> Expression:
    """What lies in the variable of a scalar type when the value is assigned to it; a number outside is left
    to the variable's own check."""
    match kind:
        case OptionalType(element=element):
            return _stored_optional(element, value, span)
        case _ if value is None:
            raise Refused(f"{kind} cannot hold None; declare it as Optional[{kind}]")
        case RangeType():
            return number(value, span)
        case _ if isinstance(value, Perhaps):
            return stored(kind, held(value, VALUE_FAULT, span), span)
        case BoolType():
            if isinstance(value, bool) or (isinstance(value, Symbol) and isinstance(value.kind, BoolType)):
                return truth(value)
            raise Refused(f"a bool cannot hold {describe(value)}; write a comparison or True, False")
        case EnumType():
            return coded_name(kind, value)
    raise Refused(f"{kind} cannot hold {describe(value)}")


def _stored_optional(element: FlatType, value: Any, span: Span | None) -> Expression:
    """0 for None, else the code plus 1; a number below the range leaves out the 0, so that all stay different."""
    match value:
        case None:
            return FALSE
        case Perhaps(present=present, value=inner):
            return choose(present, _stored_optional(element, inner, span), FALSE)
    if not isinstance(element, RangeType):
        return add(code(element, value, span), 1)
    expression = number(value, span)
    shifted = add(expression, -element.low)
    if _bounds(value, expression)[0] >= element.low:
        return add(shifted, 1)
    return choose(Binary(">=", shifted, FALSE), add(shifted, 1), shifted)


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


def coded(kind: FlatType, value: Any, span: Span | None = None) -> tuple[Expression, Expression]:
    """Whether a value is one of a flat type at all, and its code if so."""
    match kind:
        case OptionalType(element=element):
            if value is None:
                return TRUE, FALSE
            if isinstance(value, Perhaps):
                possible, inner = coded(element, value.value, span)
                return choose(value.present, possible, TRUE), choose(value.present, add(inner, 1), FALSE)
            possible, inner = coded(element, value, span)
            return possible, add(inner, 1)
        case _ if value is None:
            return FALSE, FALSE
        case _ if isinstance(value, Perhaps):
            possible, inner = coded(kind, value.value, span)
            return both(value.present, possible), inner
        case RangeType(low=low, high=high):
            expression = number(value, span)
            inside = TRUE if within(_bounds(value, expression), (low, high)) else fits(expression, low, high)
            return inside, add(expression, -low)
        case RecordType():
            return _coded_record(kind, value, span)
        case _:
            return TRUE, stored(kind, value, span)


def _bounds(value: Any, expression: Expression) -> Interval:
    """Between which numbers a value lies, which is this expression."""
    return (isinstance(value, Symbol) and value.bounds) or interval(expression)


def _coded_record(kind: RecordType, value: Any, span: Span | None) -> tuple[Expression, Expression]:
    if not isinstance(value, RecordSymbol) or value.kind != kind:
        raise Refused(f"{describe(value)} is no {kind.name}")
    if value.code is not None:
        return TRUE, value.code
    every: Expression = TRUE
    total: Expression = FALSE
    for name, inner, shift, _ in kind.shifts():
        possible, part = coded(inner, value.fields[name], span)
        every = both(every, possible)
        if shift:
            part = Const(part.value << shift) if isinstance(part, Const) else Binary("*", part, Const(1 << shift))
        total = part if total == FALSE else _sum(total, part)
    return every, total


def _sum(left: Expression, right: Expression) -> Expression:
    return add(left, right.value) if isinstance(right, Const) else Binary("+", left, right)


def code(kind: FlatType, value: Any, span: Span | None) -> Expression:
    """The code with which a value is kept; one that is none of the type is a fault at once."""
    if value is None and not isinstance(kind, OptionalType):
        raise Refused(f"{kind} cannot hold None; declare it as Optional[{kind}]")
    if isinstance(value, Perhaps) and not isinstance(kind, OptionalType):
        faults = {RangeType: NONE_FAULT, RecordType: FIELD_FAULT}
        value = held(value, faults.get(type(kind), VALUE_FAULT), span)
    possible, kept = coded(kind, value, span)
    return choose(possible, kept, Undefined(RANGE_FAULT, span))


def decoded(kind: FlatType, expression: Expression) -> Any:
    """The value that a code of a flat type means."""
    match kind:
        case RangeType(low=low, high=high):
            return Symbol(INT, add(expression, low), (low, high))
        case RecordType():
            fields = {}
            for name, inner, shift, mask in kind.shifts():
                part = expression if shift == 0 else Binary(">>", expression, Const(shift))
                last = name == kind.fields[-1][0]
                fields[name] = decoded(inner, part if last else Binary("&", part, Const(mask)))
            return RecordSymbol(kind, fields, expression)
        case OptionalType(element=element):
            return perhaps(_present(expression), decoded(element, add(expression, -1)))
        case _:
            return Symbol(kind, expression)


def loaded(kind: Type, expression: Expression) -> Any:
    """The value that lies in the variable of a scalar type, where `stored` has put it."""
    match kind:
        case RangeType():
            return Symbol(INT, expression)
        case OptionalType(element=RangeType(low=low) as element) if not within(interval(expression), (0, element.size)):
            shifted = choose(Binary(">", expression, FALSE), add(expression, -1), expression)
            return perhaps(_present(expression), Symbol(INT, add(shifted, low)))
    return decoded(kind, expression)  # type: ignore[arg-type]


def _present(expression: Expression) -> Expression:
    low, high = interval(expression)
    return negate(equal(expression, FALSE)) if low <= 0 <= high else TRUE


def perhaps(present: Expression, value: Any) -> Any:
    """A value where a condition holds, else None; what it would be is kept where that is never."""
    return value if present == TRUE else Perhaps(present, value)


def held(optional: Perhaps, fault: str, span: Span | None) -> Any:
    """What an optional holds; None is a fault."""
    return mapped(optional.value, lambda part: choose(optional.present, part, Undefined(fault, span)))


def mapped(value: Any, change: Callable[[Expression], Expression]) -> Any:
    """A value with all the expressions changed by which it depends on the state."""
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
            kept = {name: mapped(inner, change) for name, inner in fields.items()}
            return replace(value, fields=kept, code=None if code is None else change(code))
        case Perhaps(present=present):
            return replace(value, present=change(present))
        case tuple():
            return tuple(mapped(inner, change) for inner in value)
    return value


def risks(value: Any) -> list[Expression]:
    """What may fault when a value is computed."""
    match value:
        case Symbol(expression=expression) | ChosenProcess(index=expression):
            return [expression] if may_fault(expression) else []
        case RecordSymbol(fields=fields):
            return [one for inner in fields.values() for one in risks(inner)]
        case Perhaps(present=present, value=inner):
            own = [present] if may_fault(present) else []
            return [*own, *(choose(present, one, FALSE) for one in risks(inner))]
        case tuple():
            return [one for inner in value for one in risks(inner)]
    return []


def fits(expression: Expression, low: int, high: int) -> Expression:
    """Whether a number lies between bounds; a bound that it always keeps is not tested."""
    least, most = interval(expression)
    above = TRUE if low <= least else Binary(">=", expression, Const(low))
    return both(above, TRUE if most <= high else Binary("<=", expression, Const(high)))


def describe(value: Any) -> str:
    """A value in words, for messages."""
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
        case int() | str() | None:
            return repr(value)
        case tuple():
            return "a list or tuple"
        case Rounds():
            return "what enumerate, zip or reversed gives"
    return f"a value of type {type(value).__name__}"
