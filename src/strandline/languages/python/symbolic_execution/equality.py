"""Equality of two values in an action."""

from __future__ import annotations

from typing import Any

from strandline.errors import suggestion
from strandline.languages.python.runtime.types import EnumType, RecordType
from strandline.languages.python.symbolic_execution.coding import encode_name, number, translate_name
from strandline.languages.python.symbolic_execution.machine import Machine
from strandline.languages.python.symbolic_execution.values import Perhaps, Place, RecordSymbol, Symbol, describe, risks
from strandline.languages.symbolic_execution.building import all_of, choose, conjoin, equal, evaluation_of, negate
from strandline.languages.symbolic_execution.execution import Refused
from strandline.model.expression import FALSE, TRUE, Expression
from strandline.source import Span


def same_value(machine: Machine, left: Any, right: Any, span: Span | None) -> Expression:
    """Return the condition that two values are equal; raise `Refused` if they cannot be compared."""
    if any(side is None or isinstance(side, Perhaps) for side in (left, right)):
        return _same_optionals(machine, left, right, span)
    for first, second in ((left, right), (right, left)):
        if isinstance(first, Symbol | str) and (isinstance(first, str) or isinstance(first.kind, EnumType)):
            return _same_names(first, second)
        if isinstance(first, RecordSymbol | Place) and isinstance(first.kind, RecordType):
            return _same_records(machine, left, right, first.kind, span)
    for side in (left, right):
        if isinstance(side, tuple | Place):
            raise Refused(f"{describe(side)} cannot be compared as a whole; compare the parts")
    return equal(number(left, span), number(right, span), span)


def _same_records(machine: Machine, left: Any, right: Any, kind: RecordType, span: Span | None) -> Expression:
    """Return the condition that all fields are equal; all are evaluated before the first comparison."""
    sides = [[machine.field(side, name, kind, span) for name, _ in kind.fields] for side in (left, right)]
    first = [evaluation_of(risk) for side in sides for risk in risks(tuple(side))]
    return all_of([*first, *(same_value(machine, one, other, span) for one, other in zip(*sides, strict=True))])


def _same_optionals(machine: Machine, left: Any, right: Any, span: Span | None) -> Expression:
    """Return the condition that two values are equal, of which at least one may be None; both are evaluated first."""
    left, right = machine.whole(left), machine.whole(right)
    (first, one), (second, other) = (
        (side.present, side.value) if isinstance(side, Perhaps) else (FALSE if side is None else TRUE, side)
        for side in (left, right)
    )
    if left is None or right is None:
        same = negate(second if left is None else first)
    else:
        same = same_value(machine, one, other, span)
        same = conjoin(first, same) if second == TRUE else choose(first, conjoin(second, same), negate(second))
    return all_of([*map(evaluation_of, risks((left, right))), same])


def _same_names(first: Any, second: Any) -> Expression:
    if isinstance(first, str) and isinstance(second, str):
        return TRUE if first == second else FALSE
    if isinstance(first, str):
        first, second = second, first
    if not isinstance(first, Symbol) or not isinstance(first.kind, EnumType):
        raise Refused(f"{describe(first)} cannot be compared with an enumeration value")
    if isinstance(second, str):
        if second not in first.kind.names:
            known = ", ".join(first.kind.names)
            raise Refused(f"'{second}' is never the value: it is one of {known}" + suggestion(second, first.kind.names))
        return equal(first.expression, encode_name(first.kind, second))
    if isinstance(second, Symbol) and isinstance(second.kind, EnumType):
        if first.kind == second.kind:
            return equal(first.expression, second.expression)
        return equal(first.expression, translate_name(second.kind, second.expression, first.kind))
    raise Refused(f"an enumeration value cannot be compared with {describe(second)}")
