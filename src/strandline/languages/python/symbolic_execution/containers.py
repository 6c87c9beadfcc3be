"""Bags, queues and sets in the compiled model.

A free slot of a bag or a queue holds 0, others the value's code plus 1. The slots of a bag are in descending order, the
oldest value of a queue is in slot 0, free slots come last: so equal contents are equal states. A set has one bit for
each possible value.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from strandline.languages.python.runtime.faults import HEAD_FAULT, MEMBER_FAULT
from strandline.languages.python.runtime.types import (
    BOOL,
    ArrayType,
    BagType,
    FifoType,
    RecordType,
    SetType,
)
from strandline.languages.python.symbolic_execution.coding import decode, literal
from strandline.languages.python.symbolic_execution.machine import Machine
from strandline.languages.python.symbolic_execution.values import INT, Contents, Listing, Member, Place, Symbol, risks
from strandline.languages.symbolic_execution.building import (
    add,
    all_of,
    any_of,
    choose,
    conjoin,
    equal,
    evaluation_of,
    join_with,
    less,
    may_fault,
    negate,
)
from strandline.languages.symbolic_execution.execution import Refused
from strandline.model.expression import FALSE, TRUE, Binary, Const, Element, Expression, Undefined
from strandline.source import Span

_FREE = Const(0)
METHODS: dict[type, tuple[str, ...]] = {
    BagType: ("put", "take", "count", "clear"),
    FifoType: ("put", "get", "count", "clear"),
    SetType: ("add", "discard", "remove", "clear"),
}


def slots(machine: Machine, place: Place) -> list[Expression]:
    """Return the current contents of every slot of a container, as expressions."""
    size = size_of(place)
    return [machine.execution.store.read(place.variable, place.slot(size, position)) for position in range(size)]


def size_of(place: Place) -> int:
    """Return the number of slots of a container."""
    kind = place.kind
    if isinstance(kind, SetType):
        return kind.element.size
    assert isinstance(kind, BagType | FifoType)
    return kind.capacity


def containers_in(place: Place) -> Iterator[Place]:
    """Yield the bags and queues inside a stored object."""
    match place.kind:
        case BagType() | FifoType():
            yield place
        case ArrayType(length=length):
            for index in range(length):
                yield from containers_in(place.element(Const(index)))
        case RecordType(fields=fields):
            for name, kind in fields:
                yield from containers_in(place.field(name, kind))


def range_check(place: Place, span: Span | None = None) -> Expression:
    """Return an expression that faults where the container is an array element out of range."""
    index = place.slot(size_of(place), 0)
    return TRUE if place.variable.length is None else Element(place.variable, index, span)


def apply(machine: Machine, place: Place, name: str, arguments: list[Any], span: Span | None) -> Any:
    """Execute the method `name` of a container; return its result."""
    kind = place.kind
    known = METHODS[type(kind)]
    if name not in known:
        raise Refused(f"{kind} has no method '{name}'; it has {', '.join(known)}, full, empty, len and 'in'")
    wanted = 0 if name in ("get", "clear") else 1
    if len(arguments) != wanted:
        raise Refused(f"'{name}' takes {'one value' if wanted else 'no value'}")
    if name == "clear":
        for position in range(size_of(place)):
            machine.put(place.variable, place.slot(size_of(place), position), _FREE, span)
        return None
    if isinstance(kind, SetType):
        return _set(machine, place, name, arguments[0], span)
    if name == "get":
        return _get(machine, place, span)
    if name == "count":
        return _count(machine, place, arguments[0], span)
    if name == "take":
        return _take(machine, place, arguments[0], span)
    return _put(machine, place, arguments[0], span)


def _put(machine: Machine, place: Place, value: Any, span: Span | None) -> None:
    held = slots(machine, place)
    size = len(held)
    value = machine.whole(value, span)
    for risk in risks(value):
        machine.execution.note(risk)
    machine.require(equal(held[-1], _FREE))
    machine.execution.note(machine.code(place.kind.element, value, span))  # type: ignore[union-attr, arg-type]
    code = add(machine.encode(place.kind.element, value, span)[1], 1)  # type: ignore[union-attr, arg-type]
    # A slot keeps its code, or takes the new one or, in a bag, that of the slot before it.
    for position in range(size - 1, -1, -1):
        if isinstance(place.kind, BagType):
            above = code if position == 0 else choose(less(held[position - 1], code), held[position - 1], code)
            value = choose(less(held[position], code), above, held[position])
        else:
            free = equal(held[position], _FREE)
            here = free if position == 0 else conjoin(free, Binary("!=", held[position - 1], _FREE))
            value = choose(here, code, held[position])
        machine.put(place.variable, place.slot(size, position), value, span)


def _take(machine: Machine, place: Place, value: Any, span: Span | None) -> None:
    held = slots(machine, place)
    machine.require(contains(machine, place, value))
    code = add(machine.encode(place.kind.element, value, span)[1], 1)  # type: ignore[union-attr, arg-type]
    # If the value is statically that of a slot, the slots before it do not change.
    first = held.index(code) if code in held else -1
    for position, slot in enumerate(held):
        if position < first:
            continue
        following = held[position + 1] if position + 1 < len(held) else _FREE
        shifted = following if first >= 0 else choose(less(code, slot), slot, following)
        machine.put(place.variable, place.slot(len(held), position), shifted, span)


def _get(machine: Machine, place: Place, span: Span | None) -> Any:
    held = slots(machine, place)
    kind = place.kind
    assert isinstance(kind, FifoType)
    machine.require(Binary("!=", held[0], _FREE))
    for position in range(len(held)):
        following = held[position + 1] if position + 1 < len(held) else _FREE
        machine.put(place.variable, place.slot(len(held), position), following, span)
    return decode(kind.element, add(held[0], -1))


def _count(machine: Machine, place: Place, value: Any, span: Span | None) -> Any:
    value = machine.whole(value, span)
    possible, code = machine.encode(place.kind.element, value, span)  # type: ignore[union-attr, arg-type]
    total = join_with("+", [equal(slot, add(code, 1)) for slot in slots(machine, place)])
    return Symbol(INT, choose(_after_evaluation(place, value, possible), total, FALSE))


def _set(machine: Machine, place: Place, name: str, value: Any, span: Span | None) -> None:
    kind = place.kind
    assert isinstance(kind, SetType)
    value = machine.whole(value, span)
    possible, code = machine.encode(kind.element, value, span)
    fault = Undefined(MEMBER_FAULT, span)
    position = choose(_after_evaluation(place, value, possible), place.slot(kind.element.size, code), fault)
    present = machine.execution.store.read(place.variable, position, span)
    if name == "remove":
        machine.execution.note(present)
        machine.require(present)
    machine.put(place.variable, position, TRUE if name == "add" else FALSE, span)


def contains(machine: Machine, place: Place, value: Any) -> Expression:
    """Return the condition that a container holds a value; False for a value outside its type."""
    kind = place.kind
    value = machine.whole(value)
    possible, code = machine.encode(kind.element, value, None)  # type: ignore[union-attr, arg-type]
    found: Expression
    if isinstance(kind, SetType):
        found = machine.execution.store.read(place.variable, place.slot(kind.element.size, code))
    else:
        found = any_of(equal(slot, add(code, 1)) for slot in slots(machine, place))
    return conjoin(_after_evaluation(place, value, possible), found)


def _after_evaluation(place: Place, value: Any, condition: Expression) -> Expression:
    """Return the condition, preceded by the evaluation of all that may fault in `value` and the container's index."""
    faulty = [one for one in (*risks(value), range_check(place)) if may_fault(one)]
    return all_of([*map(evaluation_of, faulty), condition])


def query_property(machine: Machine, place: Place, name: str, span: Span | None = None) -> Any:
    """Return `full`, `empty` or `head` of a container.

    The head of an empty queue disables an action and is a fault in a claim.
    """
    held = slots(machine, place)
    kind = place.kind
    if name == "head":
        if not isinstance(kind, FifoType):
            raise Refused(f"{kind} has no head; only a Fifo has")
        some = Binary("!=", held[0], _FREE)
        if not machine.may_write:
            # A claim cannot be disabled like a step: without a head it cannot be evaluated.
            return decode(kind.element, choose(some, add(held[0], -1), Undefined(HEAD_FAULT, span)))
        machine.require(some)
        return decode(kind.element, add(held[0], -1))
    if isinstance(kind, SetType):
        bound = Const(0 if name == "empty" else len(held))
        return Symbol(BOOL, equal(length(machine, place), bound))
    if name == "empty":
        return Symbol(BOOL, equal(held[0], _FREE))
    return Symbol(BOOL, Binary("!=", held[-1], _FREE))


def length(machine: Machine, place: Place) -> Expression:
    """Return the number of values in a container."""
    held = slots(machine, place)
    return join_with("+", held if isinstance(place.kind, SetType) else [Binary("!=", slot, _FREE) for slot in held])


def members(machine: Machine, held: Place | Contents) -> list[Member]:
    """Return the possible values of a container in the order of iteration.

    Slots that are statically free are left out, because their codes have no value.
    """
    kind = held.kind
    codes = list(held.slots) if isinstance(held, Contents) else slots(machine, held)
    if isinstance(kind, SetType):
        values = map(kind.element.value_of, range(len(codes)))
        found = [
            Member(present, literal(kind.element, value))
            for code, (value, present) in enumerate(zip(values, codes, strict=True))
            if kind.element.code(value) == code
        ]
    else:
        assert isinstance(kind, BagType | FifoType)
        found = [
            Member(negate(equal(code, _FREE)), decode(kind.element, add(code, -1)), place)
            for place, code in enumerate(codes)
        ]
    return [member for member in found if member.present != FALSE]


def fill(machine: Machine, place: Place, listing: Listing, span: Span | None) -> None:
    """Replace the contents of a container by a list; the action is not enabled where the list is too long."""
    machine.names.detach(machine.execution.store, place)
    apply(machine, place, "clear", [], span)
    method = "add" if isinstance(place.kind, SetType) else "put"
    for member in listing.members:
        put = partial(apply, machine, place, method, [member.value], span)
        if member.present == TRUE:
            put()
        else:
            machine.branch(member.present, put, lambda: None)


def offer_value(machine: Machine, place: Place, number: int) -> tuple[Expression, Any]:
    """Return the condition that a slot offers its value to an action's parameter, and the value.

    A slot does not offer a value that an earlier slot offers.
    """
    kind = place.kind
    held = slots(machine, place)
    if isinstance(kind, SetType):
        return held[number], decode(kind.element, Const(number))
    assert isinstance(kind, BagType | FifoType)
    condition: Expression = Binary("!=", held[number], _FREE)
    earlier = held[max(0, number - 1) : number] if isinstance(kind, BagType) else held[:number]
    for other in earlier:
        condition = conjoin(condition, Binary("!=", other, held[number]))
    return condition, decode(kind.element, add(held[number], -1))
