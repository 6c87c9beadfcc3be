"""Encoding of values: as numbers, as conditions, and as the codes stored in variables.

The *code* of a value is its number in a flat type, from 0 (see `runtime.types`): containers and optionals store codes.
"""

from __future__ import annotations

from typing import Any

from strandline.languages.python.runtime.faults import FIELD_FAULT, NONE_FAULT, VALUE_FAULT
from strandline.languages.python.runtime.types import (
    BOOL,
    BoolType,
    EnumType,
    FlatType,
    OptionalType,
    RangeType,
    RecordType,
    Type,
)
from strandline.languages.python.symbolic_execution.values import (
    ChosenProcess,
    IntKind,
    Perhaps,
    Place,
    ProcessValue,
    RecordSymbol,
    Symbol,
    describe,
    map_expressions,
)
from strandline.languages.symbolic_execution.building import add, choose, conjoin, equal, in_bounds, interval, negate
from strandline.languages.symbolic_execution.execution import Refused
from strandline.model.expression import FALSE, RANGE_FAULT, TRUE, Binary, Const, Expression, Undefined
from strandline.model.intervals import INT64, Interval, within
from strandline.source import Span


def number(value: Any, span: Span | None = None) -> Expression:
    """Return a value as a numeric expression; raise `Refused` if it is no number."""
    match value:
        case int():
            return _constant(int(value))
        case Symbol(kind=IntKind() | BoolType(), expression=expression):
            return expression
        case ProcessValue(index=index):
            return Const(index)
        case ChosenProcess(index=chosen):
            return chosen
        case Perhaps():
            return number(value_or_fault(value, NONE_FAULT, span), span)
        case Symbol(kind=EnumType()) | str():
            raise Refused("an enumeration value cannot be used as a number; compare it with == or use a Range")
        case None:
            return Undefined(NONE_FAULT, span)
    raise Refused(f"{describe(value)} cannot be used as a number")


def _constant(value: int) -> Const:
    if not INT64[0] <= value <= INT64[1]:
        raise Refused("the number does not fit 64 bits")
    return Const(value)


def refuse_scalarset_values(*values: Any) -> None:
    """Raise `Refused` if a value belongs to a scalarset, which has no arithmetic and no order."""
    for value in values:
        inner = value.value if isinstance(value, Perhaps) else value
        if isinstance(inner, Symbol) and isinstance(inner.kind, IntKind) and inner.kind.names is not None:
            raise Refused(
                f"{inner.kind} is no number: it can be assigned, compared by == and !=, chosen and used as an index; "
                "use a Range for numbers"
            )


def truth(value: Any) -> Expression:
    """Return a value as a condition; raise `Refused` if it is no Boolean."""
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


def encode_for_variable(kind: Type, value: Any, span: Span | None) -> Expression:
    """Return the number stored in a variable of a scalar type when the value is assigned.

    A number outside a `Range` is returned as it is: the write to the variable checks it.
    """
    match kind:
        case OptionalType(element=element):
            return _encode_optional(element, value, span)
        case _ if value is None:
            raise Refused(f"{kind} cannot hold None; declare it as Optional[{kind}]")
        case RangeType():
            return number(value, span)
        case _ if isinstance(value, Perhaps):
            return encode_for_variable(kind, value_or_fault(value, VALUE_FAULT, span), span)
        case BoolType():
            if isinstance(value, bool) or (isinstance(value, Symbol) and isinstance(value.kind, BoolType)):
                return truth(value)
            raise Refused(f"a bool cannot hold {describe(value)}; write a comparison or True, False")
        case EnumType():
            return encode_name(kind, value)
    raise Refused(f"{kind} cannot hold {describe(value)}")


def _encode_optional(element: FlatType, value: Any, span: Span | None) -> Expression:
    """Return the number stored for an optional: 0 for None, else the code of the value plus 1.

    A number below the range has a negative code. That is stored as it is: with the plus 1, -1 would become 0, the None.
    """
    match value:
        case None:
            return FALSE
        case Perhaps(present=present, value=inner):
            return choose(present, _encode_optional(element, inner, span), FALSE)
    if not isinstance(element, RangeType):
        return add(encode_or_fault(element, value, span), 1)
    expression = number(value, span)
    shifted = add(expression, -element.low)
    if _bounds(value, expression)[0] >= element.low:
        return add(shifted, 1)
    return choose(Binary(">=", shifted, FALSE), add(shifted, 1), shifted)


def encode_name(kind: EnumType, value: Any) -> Expression:
    """Return the code of an enumeration value."""
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
        return translate_name(value.kind, value.expression, kind)
    raise Refused(f"{kind} cannot hold {describe(value)}")


def translate_name(old: EnumType, expression: Expression, new: EnumType) -> Expression:
    """Return the code in `new` of the name with this code in `old`; -1 for names that `new` lacks."""
    result: Expression = Const(-1)
    for position, name in enumerate(old.names):
        target = new.names.index(name) if name in new.names else -1
        result = choose(equal(expression, Const(position)), Const(target), result)
    return result


def encode_if_possible(kind: FlatType, value: Any, span: Span | None = None) -> tuple[Expression, Expression]:
    """Return the condition that a value belongs to a flat type, and its code where it does."""
    match kind:
        case OptionalType(element=element):
            if value is None:
                return TRUE, FALSE
            if isinstance(value, Perhaps):
                possible, inner = encode_if_possible(element, value.value, span)
                return choose(value.present, possible, TRUE), choose(value.present, add(inner, 1), FALSE)
            possible, inner = encode_if_possible(element, value, span)
            return possible, add(inner, 1)
        case _ if value is None:
            return FALSE, FALSE
        case _ if isinstance(value, Perhaps):
            possible, inner = encode_if_possible(kind, value.value, span)
            return conjoin(value.present, possible), inner
        case RangeType(low=low, high=high):
            expression = number(value, span)
            inside = TRUE if within(_bounds(value, expression), (low, high)) else in_bounds(expression, low, high)
            return inside, add(expression, -low)
        case RecordType():
            return _encode_record(kind, value, span)
        case _:
            return TRUE, encode_for_variable(kind, value, span)


def _bounds(value: Any, expression: Expression) -> Interval:
    """Return an interval of `value`, whose numeric expression is `expression`."""
    return (isinstance(value, Symbol) and value.bounds) or interval(expression)


def _encode_record(kind: RecordType, value: Any, span: Span | None) -> tuple[Expression, Expression]:
    if not isinstance(value, RecordSymbol) or value.kind != kind:
        raise Refused(f"{describe(value)} is no {kind.name}")
    if value.code is not None:
        return TRUE, value.code
    every: Expression = TRUE
    total: Expression = FALSE
    for name, inner, shift, _ in kind.shifts():
        possible, part = encode_if_possible(inner, value.fields[name], span)
        every = conjoin(every, possible)
        if shift:
            part = Const(part.value << shift) if isinstance(part, Const) else Binary("*", part, Const(1 << shift))
        total = part if total == FALSE else _sum(total, part)
    return every, total


def _sum(left: Expression, right: Expression) -> Expression:
    return add(left, right.value) if isinstance(right, Const) else Binary("+", left, right)


def encode_or_fault(kind: FlatType, value: Any, span: Span | None) -> Expression:
    """Return the code of a value in a flat type; a value outside the type faults immediately."""
    if value is None and not isinstance(kind, OptionalType):
        raise Refused(f"{kind} cannot hold None; declare it as Optional[{kind}]")
    if isinstance(value, Perhaps) and not isinstance(kind, OptionalType):
        faults = {RangeType: NONE_FAULT, RecordType: FIELD_FAULT}
        value = value_or_fault(value, faults.get(type(kind), VALUE_FAULT), span)
    possible, kept = encode_if_possible(kind, value, span)
    return choose(possible, kept, Undefined(RANGE_FAULT, span))


def decode(kind: FlatType, expression: Expression) -> Any:
    """Return the value of a flat type whose code is `expression`."""
    match kind:
        case RangeType(low=low, high=high):
            return Symbol(IntKind(kind.names), add(expression, low), (low, high))
        case RecordType():
            fields = {}
            for name, inner, shift, mask in kind.shifts():
                part = expression if shift == 0 else Binary(">>", expression, Const(shift))
                last = name == kind.fields[-1][0]
                fields[name] = decode(inner, part if last else Binary("&", part, Const(mask)))
            return RecordSymbol(kind, fields, expression)
        case OptionalType(element=element):
            return optional(_present(expression), decode(element, add(expression, -1)))
        case _:
            return Symbol(kind, expression)


def literal(kind: FlatType, value: Any) -> Any:
    """Return a statically known value in the form that `decode` returns, with constant conditions."""
    match kind:
        case OptionalType(element=element):
            return None if value is None else literal(element, value)
        case RecordType(fields=fields):
            parts = {name: literal(inner, getattr(value, name)) for name, inner in fields}  # type: ignore[arg-type]
            return RecordSymbol(kind, parts, Const(kind.code(value)))
    return value


def decode_variable(kind: Type, expression: Expression) -> Any:
    """Return the value of a variable of a scalar type; the inverse of `encode_for_variable`."""
    match kind:
        case RangeType():
            return Symbol(IntKind(kind.names), expression)
        case OptionalType(element=RangeType(low=low) as element) if not within(interval(expression), (0, element.size)):
            # Numbers below the range are stored without the plus 1, see `_encode_optional`.
            shifted = choose(Binary(">", expression, FALSE), add(expression, -1), expression)
            return optional(_present(expression), Symbol(IntKind(element.names), add(shifted, low)))
    return decode(kind, expression)  # type: ignore[arg-type]


def _present(expression: Expression) -> Expression:
    low, high = interval(expression)
    return negate(equal(expression, FALSE)) if low <= 0 <= high else TRUE


def optional(present: Expression, value: Any) -> Any:
    """Return an optional that has the value where the condition holds.

    If the condition is constantly false, `value` is kept nevertheless: a join with another value may need its type.
    """
    return value if present == TRUE else Perhaps(present, value)


def value_or_fault(optional: Perhaps, fault: str, span: Span | None) -> Any:
    """Return the value of an optional; its expressions fault where the optional is None."""
    return map_expressions(optional.value, lambda part: choose(optional.present, part, Undefined(fault, span)))


def as_truth(condition: Expression) -> Any:
    """Return a condition as a value, a Python bool where it is constant."""
    return bool(condition.value) if isinstance(condition, Const) else Symbol(BOOL, condition)
