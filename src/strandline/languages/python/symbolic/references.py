"""Local names for records, arrays and containers of the state.

As in Python such a name stands for the thing itself: what is written into it is seen through the name. An assignment
to the whole puts another thing into its place, and the name keeps the old one. `detach` is called before such an
assignment and gives names, and values that are still to be assigned, what the place holds until then.

A name for one of two records (`r = m.p if c else m.q`) has the values of both, and is refused after one of them was
written into (`doubt`).
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from strandline.languages.python.runtime.types import SCALAR, ArrayType, RecordType
from strandline.languages.python.symbolic.build import equal
from strandline.languages.python.symbolic.values import Contents, Perhaps, Place, RecordSymbol, Unbound, Upcoming
from strandline.model.expression import FALSE, TRUE, Const, Expression
from strandline.model.system import Variable

if TYPE_CHECKING:
    from strandline.languages.python.symbolic.machine import Machine


def detach(machine: Machine, written: Place) -> None:
    """See the module's docstring."""
    for frame in machine.frames:
        for name, value in frame.items():
            frame[name] = _detached(machine, written, value, f"'{name}'")
    for values in machine.temporaries:
        values[:] = [_detached(machine, written, value, "a value") for value in values]


def _detached(machine: Machine, written: Place, value: Any, shown: str) -> Any:
    match value:
        case Place():
            same = _lies_in(value, written)
            if same == FALSE:
                return value
            if same == TRUE:
                return snapshot(machine, value)
            return Unbound(
                f"{shown} stands for {value.shown}, which may have been in {written.shown} when that was assigned; "
                "keep the parts that you need in names of their own"
            )
        case Upcoming(place=place):
            same = _lies_in(place.around, written)
            return value if same == FALSE else _detached(machine, written, place, shown)
        case tuple():
            return tuple(_detached(machine, written, one, shown) for one in value)
        case Perhaps(value=inner):
            return replace(value, value=_detached(machine, written, inner, shown))
        case RecordSymbol(fields=fields, stored=stored):
            kept = {name: _detached(machine, written, one, shown) for name, one in fields.items()}
            if written.around is None:
                stored -= set(written.variables.values())
            return replace(value, fields=kept, stored=stored)
    return value


def doubt(machine: Machine, variable: Variable) -> None:
    """A variable is written: names for records of which one may lie in it cannot be used any more."""
    for frame in machine.frames:
        for name, value in frame.items():
            if _may_lie_in(value, variable):
                frame[name] = _doubtful(f"'{name}'", variable)
    for values in machine.temporaries:
        values[:] = [_doubtful("a value", variable) if _may_lie_in(one, variable) else one for one in values]


def _doubtful(shown: str, variable: Variable) -> Unbound:
    return Unbound(
        f"{shown} stands for one of several records, and '{variable.name}' was assigned since; keep the parts that "
        "you need in names of their own"
    )


def _may_lie_in(value: Any, variable: Variable) -> bool:
    match value:
        case RecordSymbol(stored=stored):
            return variable in stored
        case Perhaps(value=inner):
            return _may_lie_in(inner, variable)
        case tuple():
            return any(_may_lie_in(inner, variable) for inner in value)
    return False


def _lies_in(part: Place | None, whole: Place) -> Expression:
    """Whether a place is another one, or a part of it: a truth, or a condition where that depends on the state."""
    while part is not None:
        if part.variables is whole.variables and part.prefix == whole.prefix and part.kind == whole.kind:
            return TRUE if part.position == whole.position else equal(part.position, whole.position)
        part = part.around
    return FALSE


def snapshot(machine: Machine, place: Place) -> Any:
    """What a place holds now, as a value that no later assignment changes."""
    kind = place.kind
    if isinstance(kind, SCALAR):
        return machine.load(place)
    if isinstance(kind, RecordType):
        fields = {name: snapshot(machine, place.field(name, inner)) for name, inner in kind.fields}
        return RecordSymbol(kind, fields)
    if isinstance(kind, ArrayType):
        return tuple(snapshot(machine, place.element(Const(index))) for index in range(kind.length))
    slots = getattr(kind, "capacity", None) or kind.element.size
    return Contents(kind, tuple(machine.store.read(place.variable, place.slot(slots, slot)) for slot in range(slots)))
