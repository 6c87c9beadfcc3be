"""Local names for records, arrays and containers of the state.

As in Python such a name is a reference: writes into the object are visible through it. An assignment to the whole
object replaces it, and the name keeps the old one: `Names.detach` gives names, and values still to be assigned, a
snapshot of the old contents.

A name for one of two records (`r = m.p if c else m.q`) has the joined values, and becomes unusable when one of the two
records is written (`Names.doubt`).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from strandline.languages.python.runtime.types import SCALAR, ArrayType, RecordType
from strandline.languages.python.symbolic_execution.coding import decode_variable
from strandline.languages.python.symbolic_execution.values import (
    Contents,
    Listing,
    Member,
    Perhaps,
    Place,
    RecordSymbol,
    Unbound,
    Upcoming,
)
from strandline.languages.symbolic_execution.building import equal
from strandline.languages.symbolic_execution.store import Store
from strandline.model.expression import FALSE, TRUE, Const, Expression
from strandline.model.system import Variable


@dataclass(slots=True)
class Names:
    """Local names of the functions under execution, and values about to be assigned."""

    frames: list[dict[str, Any]] = field(default_factory=lambda: [{}])
    """The local names of all active calls; the current function is last."""
    temporaries: list[list[Any]] = field(default_factory=list)
    """The values of tuple assignments in progress, which are still to be assigned."""

    def detach(self, store: Store, written: Place) -> None:
        """Replace references into a stored object, which is about to be assigned as a whole, by snapshots of it."""
        for frame in self.frames:
            for name, value in frame.items():
                frame[name] = _detach_value(store, written, value, f"'{name}'")
        for values in self.temporaries:
            values[:] = [_detach_value(store, written, value, "a value") for value in values]

    def doubt(self, variable: Variable) -> None:
        """Make each name for one of several records unusable, if the written variable holds one of these records."""
        for frame in self.frames:
            for name, value in frame.items():
                if _may_lie_in(value, variable):
                    frame[name] = _doubtful(f"'{name}'", variable)
        for values in self.temporaries:
            values[:] = [_doubtful("a value", variable) if _may_lie_in(one, variable) else one for one in values]


def _detach_value(store: Store, written: Place, value: Any, shown: str) -> Any:
    match value:
        case Place():
            same = _lies_in(value, written)
            if same == FALSE:
                return value
            if same == TRUE:
                return snapshot(store, value)
            return Unbound(
                f"{shown} stands for {value.shown}, which may have been in {written.shown} when that was assigned; "
                "keep the parts that you need in names of their own"
            )
        case Upcoming(place=place):
            same = _lies_in(place.around, written)
            return value if same == FALSE else _detach_value(store, written, place, shown)
        case tuple():
            return tuple(_detach_value(store, written, one, shown) for one in value)
        case Perhaps(value=inner) | Member(value=inner):
            return replace(value, value=_detach_value(store, written, inner, shown))
        case Listing(members=members):
            return Listing(_detach_value(store, written, members, shown))
        case RecordSymbol(fields=fields, stored=stored):
            kept = {name: _detach_value(store, written, one, shown) for name, one in fields.items()}
            if written.around is None:
                stored -= set(written.variables.values())
            return replace(value, fields=kept, stored=stored)
    return value


def _doubtful(shown: str, variable: Variable) -> Unbound:
    return Unbound(
        f"{shown} stands for one of several records, and '{variable.name}' was assigned since; keep the parts that "
        "you need in names of their own"
    )


def _may_lie_in(value: Any, variable: Variable) -> bool:
    match value:
        case RecordSymbol(stored=stored):
            return variable in stored
        case Perhaps(value=inner) | Member(value=inner):
            return _may_lie_in(inner, variable)
        case Listing(members=members):
            return _may_lie_in(members, variable)
        case tuple():
            return any(_may_lie_in(inner, variable) for inner in value)
    return False


def _lies_in(part: Place | None, whole: Place) -> Expression:
    """Return the condition that the stored object `part` is `whole` or a part of it."""
    while part is not None:
        if part.variables is whole.variables and part.prefix == whole.prefix and part.kind == whole.kind:
            return TRUE if part.position == whole.position else equal(part.position, whole.position)
        part = part.around
    return FALSE


def snapshot(store: Store, place: Place) -> Any:
    """Return the current contents of a stored object, as a value that later assignments do not change."""
    kind = place.kind
    if isinstance(kind, SCALAR):
        return decode_variable(kind, store.read(place.variable, place.position))
    if isinstance(kind, RecordType):
        fields = {name: snapshot(store, place.field(name, inner)) for name, inner in kind.fields}
        return RecordSymbol(kind, fields)
    if isinstance(kind, ArrayType):
        return tuple(snapshot(store, place.element(Const(index))) for index in range(kind.length))
    slots = getattr(kind, "capacity", None) or kind.element.size
    return Contents(kind, tuple(store.read(place.variable, place.slot(slots, slot)) for slot in range(slots)))
