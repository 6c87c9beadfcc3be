"""Evaluation of symbolic values in a state, to Python values for display.

Only present parts are evaluated: the contents of an empty slot or of an Optional that is None are skipped.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from strandline.languages.python.runtime.types import (
    SCALAR,
    ArrayType,
    BagType,
    BoolType,
    EnumType,
    FifoType,
    RecordType,
    SetType,
)
from strandline.languages.python.symbolic_execution.containers import members
from strandline.languages.python.symbolic_execution.machine import Machine
from strandline.languages.python.symbolic_execution.structure import Structure
from strandline.languages.python.symbolic_execution.values import (
    ChosenProcess,
    Contents,
    GroupValue,
    Listing,
    Member,
    Perhaps,
    Place,
    ProcessValue,
    RecordSymbol,
    Symbol,
    describe,
)
from strandline.languages.symbolic_execution.execution import Refused
from strandline.model.expression import Const, Expression
from strandline.model.values import Multiset, Queue, RecordValue

_KINDS: dict[type, Callable[..., Any]] = {BagType: Multiset, FifoType: Queue, SetType: frozenset}


def answer(structure: Structure, value: Any, evaluate: Callable[[Expression], int]) -> Any:
    """Return the Python value of a symbolic value, whose expressions `evaluate` evaluates in a state.

    Raises `Refused` for a value that cannot be shown, and any exception that `evaluate` raises.
    """

    def one(inner: Any) -> Any:
        return answer(structure, inner, evaluate)

    def present(held: list[Member] | tuple[Member, ...]) -> list[Any]:
        return [one(member.value) for member in held if evaluate(member.present)]

    match value:
        case Symbol(kind=BoolType(), expression=expression):
            return bool(evaluate(expression))
        case Symbol(kind=EnumType(names=names), expression=expression):
            return names[evaluate(expression)]
        case Symbol(expression=expression) | ChosenProcess(index=expression):
            return evaluate(expression)
        case Perhaps(present=there, value=inner):
            return one(inner) if evaluate(there) else None
        case RecordSymbol(kind=kind, fields=fields):
            return RecordValue(kind.name, {name: one(inner) for name, inner in fields.items()})
        case Place(kind=RecordType() as kind):
            return RecordValue(kind.name, {name: one(value.field(name, inner)) for name, inner in kind.fields})
        case Place(kind=ArrayType(length=length)):
            return tuple(one(value.element(Const(index))) for index in range(length))
        case Place(kind=kind) if isinstance(kind, SCALAR):
            return one(Machine().load(value))
        case Place(kind=kind) | Contents(kind=kind):
            return _KINDS[type(kind)](present(members(Machine(), value)))
        case Listing(members=held):
            return tuple(present(held))
        case ProcessValue():
            fields = structure.member_fields[value]
            return RecordValue(structure.instance_name(value), {name: one(place) for name, place in fields.items()})
        case GroupValue(group=group):
            return tuple(one(member) for member in structure.members(group))
        case tuple():
            return tuple(one(inner) for inner in value)
        case int() | str() | None:
            return value
    raise Refused(f"{describe(value)} has no value to show")
