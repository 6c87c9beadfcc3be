"""One symbolic execution of a function: the step, and the local names.

`Machine` works on values of the modelling language; the `Execution` in it works on expressions only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from strandline.languages.python.runtime.faults import FIELD_FAULT
from strandline.languages.python.runtime.types import BOOL, SCALAR, BoolType, EnumType, FlatType, RecordType
from strandline.languages.python.symbolic_execution.coding import (
    decode_variable,
    encode_for_variable,
    encode_if_possible,
    encode_name,
    encode_or_fault,
    number,
    optional,
    truth,
    value_or_fault,
)
from strandline.languages.python.symbolic_execution.references import Names
from strandline.languages.python.symbolic_execution.values import (
    INT,
    ChosenProcess,
    Contents,
    IntKind,
    Listing,
    Member,
    Method,
    Perhaps,
    Place,
    ProcessValue,
    RecordSymbol,
    Symbol,
    Unbound,
    Upcoming,
    describe,
    risks,
)
from strandline.languages.symbolic_execution.building import (
    choose,
    evaluation_of,
)
from strandline.languages.symbolic_execution.execution import Execution, Refused
from strandline.model.expression import (
    FALSE,
    TRUE,
    Const,
    Expression,
    variables_read,
)
from strandline.model.system import Variable
from strandline.source import Span

FELL_THROUGH = object()
"""The result of statements that end without a `return`."""
UNDECIDED = object()
"""The result of a function on paths where it has not returned yet."""


@dataclass(slots=True)
class Machine:
    """One symbolic execution of a function: the `execution` of the step, and the local names."""

    execution: Execution = field(default_factory=Execution)
    names: Names = field(default_factory=Names)
    may_write: bool = True
    statements: int = 0
    """The number of statements executed so far."""
    goes: tuple[ProcessValue, str] | None = None
    """The acting process, and the location to which the action's `to` moves it."""

    @property
    def frame(self) -> dict[str, Any]:
        return self.names.frames[-1]

    @frame.setter
    def frame(self, names: dict[str, Any]) -> None:
        self.names.frames[-1] = names

    # Reading and writing

    def load(self, value: Any, span: Span | None = None) -> Any:
        """Return the current value of a scalar `Place`; other values are returned unchanged."""
        if isinstance(value, Upcoming):
            value = value.place
        if isinstance(value, Place) and isinstance(value.kind, SCALAR):
            return decode_variable(value.kind, self.execution.store.read(value.variable, value.position, span))
        return value

    def whole(self, value: Any, span: Span | None = None) -> Any:
        """Load a value completely, including all fields of records."""
        value = self.load(value, span)
        match value:
            case Place(kind=RecordType() as kind):
                fields = {name: self.whole(value.field(name, inner), span) for name, inner in kind.fields}
                return RecordSymbol(kind, fields, stored=_stored_variables(value))
            case RecordSymbol(fields=fields):
                return replace(value, fields={name: self.whole(inner, span) for name, inner in fields.items()})
            case Perhaps(value=inner):
                return replace(value, value=self.whole(inner, span))
        return value

    def save(self, place: Place, value: Any, span: Span | None) -> None:
        """Assign a value to a `Place`; compound values are copied."""
        writes = list(self._copies(place, value, span))
        if not isinstance(place.kind, SCALAR):
            self.names.detach(self.execution.store, place)
        for target, expression in writes:
            self.put(target.variable, target.position, expression, span)

    def put(self, variable: Variable, index: Expression, value: Expression, span: Span | None) -> None:
        """Write one variable or array element."""
        if not self.may_write:
            raise Refused("only an action can change the state; here it can only be read")
        self.names.doubt(variable)
        self.execution.write(variable, index, value, span)

    def _copies(self, place: Place, value: Any, span: Span | None) -> Iterator[tuple[Place, Expression]]:
        kind = place.kind
        if isinstance(kind, SCALAR):
            yield place, encode_for_variable(kind, self.whole(value, span), span)
        elif isinstance(kind, RecordType):
            for name, inner in kind.fields:
                yield from self._copies(place.field(name, inner), self.field(value, name, kind, span), span)
        elif hasattr(kind, "length"):
            elements = self._elements(kind, value)
            for index, element in enumerate(elements):
                yield from self._copies(place.element(Const(index)), element, span)
        elif isinstance(value, Place) and value.kind == kind:
            slots = getattr(kind, "capacity", None) or kind.element.size
            for slot in range(slots):
                source, target = value.slot(slots, slot), place.slot(slots, slot)
                moved = Place(kind, place.variables, place.prefix, target, place.shown)
                yield moved, self.execution.store.read(value.variable, source, span)
        elif isinstance(value, Contents) and value.kind == kind:
            for slot, held in enumerate(value.slots):
                target = place.slot(len(value.slots), slot)
                yield Place(kind, place.variables, place.prefix, target, place.shown), held
        else:
            raise Refused(f"{kind} can only be assigned another {kind}; use put, add and clear")

    def _elements(self, kind: Any, value: Any) -> list[Any]:
        if isinstance(value, Place) and value.kind == kind:
            return [self.load(value.element(Const(index))) for index in range(kind.length)]
        if isinstance(value, tuple) and len(value) == kind.length:
            return list(value)
        raise Refused(f"{kind} needs {kind.length} values")

    def field(self, value: Any, name: str, kind: RecordType, span: Span | None = None) -> Any:
        """Return a field of a record, which may be a value or a stored record."""
        if isinstance(value, Perhaps):
            value = value_or_fault(value, FIELD_FAULT, span)
        if isinstance(value, RecordSymbol) and value.kind == kind:
            return value.fields[name]
        if isinstance(value, Place) and value.kind == kind:
            return self.load(value.field(name, dict(kind.fields)[name]))
        raise Refused(f"the record '{kind.name}' is needed here, not {describe(value)}")

    def code(self, kind: FlatType, value: Any, span: Span | None) -> Expression:
        """Return the code of a value in type `kind`, which faults where the value is outside the type."""
        return encode_or_fault(kind, self.whole(value, span), span)

    def encode(self, kind: FlatType, value: Any, span: Span | None) -> tuple[Expression, Expression]:
        """Return the condition that a value belongs to type `kind`, and the value's code where it does."""
        return encode_if_possible(kind, self.whole(value, span), span)

    # Requirements and risks

    def require(self, condition: Expression) -> None:
        """Add a condition to the action's guard, behind the evaluation of all expressions noted that may fault."""
        if not self.may_write:
            raise Refused("a requirement belongs in an action; return the condition here")
        self.execution.require(condition)

    def conditions(self, value: Any) -> list[Expression]:
        """Return conditions, over the state before the action, that are true but fault where computing a value does."""
        return [self.execution.here(evaluation_of(risk)) for risk in risks(value)]

    # Branches

    def branch(self, condition: Expression, then: Callable[[], Any], otherwise: Callable[[], Any]) -> Any:
        """Execute both branches and merge their effects; return the joined result."""
        frames, sides = self.names.frames, []

        def side(run: Callable[[], Any]) -> Any:
            self.names.frames = [dict(names) for names in frames]
            result = run()
            sides.append(self.names.frames)
            return result

        results = self.execution.branch(condition, lambda: side(then), lambda: side(otherwise))
        self.names.frames = [self._join_locals(condition, yes, no) for yes, no in zip(*sides, strict=True)]
        return self.join(condition, *results)

    def _join_locals(self, condition: Expression, yes: dict[str, Any], no: dict[str, Any]) -> dict[str, Any]:
        joined = {}
        for name in dict.fromkeys([*yes, *no]):
            if name not in yes or name not in no:
                joined[name] = Unbound(f"'{name}' is set on one path here only; give it a value before the 'if'")
                continue
            try:
                joined[name] = self.join(condition, yes[name], no[name])
            except Refused as refusal:
                joined[name] = Unbound(f"'{name}' has values of different types: {refusal}")
        return joined

    def join(self, condition: Expression, first: Any, second: Any) -> Any:
        """Return a value that is `first` where the condition holds and `second` elsewhere.

        Raises `Refused` if the two have no common type.
        """
        if first is second or (type(first) is type(second) and not isinstance(first, Method) and first == second):
            return first
        if first is UNDECIDED or second is UNDECIDED:
            return second if first is UNDECIDED else first
        # A function that ends without `return` returns None.
        if {id(first), id(second)} == {id(FELL_THROUGH), id(None)}:
            return None
        if first is FELL_THROUGH or second is FELL_THROUGH:
            raise Refused("a function must return a value on every path, or on none")
        for unusable in (first, second):
            if isinstance(unusable, Unbound):
                return unusable
        if isinstance(first, tuple) and isinstance(second, tuple) and len(first) == len(second):
            return tuple(self.join(condition, *pair) for pair in zip(first, second, strict=True))
        if isinstance(first, Member) and isinstance(second, Member) and first.present == second.present:
            return replace(first, value=self.join(condition, first.value, second.value))
        if isinstance(first, Upcoming) or isinstance(second, Upcoming):
            return Unbound(
                "the array that this loop runs over is assigned as a whole on one way only; assign its elements, or "
                "leave the loop with 'break'"
            )
        first, second = self.load(first), self.load(second)
        if any(one is None or isinstance(one, Perhaps) for one in (first, second)):
            return self._join_optionals(condition, first, second)
        if isinstance(first, bool | Symbol) and isinstance(second, bool | Symbol) and _truths(first, second):
            return Symbol(BOOL, choose(condition, truth(first), truth(second)))
        processes = [one.group for one in (first, second) if isinstance(one, ProcessValue | ChosenProcess)]
        if len(processes) == 2 and len(set(processes)) == 1:
            return ChosenProcess(processes[0], choose(condition, number(first), number(second)))
        records = [one.kind for one in (first, second) if isinstance(one, Place | RecordSymbol)]
        if records and isinstance(records[0], RecordType):
            record = records[0]
            fields = {
                name: self.join(condition, self.field(first, name, record), self.field(second, name, record))
                for name, _ in record.fields
            }
            return RecordSymbol(record, fields, stored=_stored_variables(first) | _stored_variables(second))
        if records:
            raise Refused(f"{records[0]} cannot be one of two alternatives; write the 'if' as a statement")
        kinds = [one.kind for one in (first, second) if isinstance(one, Symbol)]
        if any(isinstance(one, str) for one in (first, second)) or any(isinstance(k, EnumType) for k in kinds):
            enumeration = _common(first, second)
            codes = (encode_name(enumeration, one) for one in (first, second))
            return Symbol(enumeration, choose(condition, *codes))
        kind = next((one for one in kinds if isinstance(one, IntKind) and one.names is not None), INT)
        return Symbol(kind, choose(condition, number(first), number(second)))

    def _join_optionals(self, condition: Expression, first: Any, second: Any) -> Any:
        """Join two values of which at least one may be None."""
        sides = [one.present if isinstance(one, Perhaps) else FALSE if one is None else TRUE for one in (first, second)]
        values = [one.value if isinstance(one, Perhaps) else one for one in (first, second) if one is not None]
        value = self.join(condition, *values) if len(values) == 2 else self.whole(values[0])
        if isinstance(value, Place | tuple):
            raise Refused(f"{describe(value)} and None cannot be alternatives; write the 'if' as a statement")
        return optional(choose(condition, *sides), value)

    def settle(self) -> None:
        """Turn pending writes into assignments, if no local name refers to values that they replace."""
        if self.execution.store.pending:
            self.execution.settle(variable for value in self.frame.values() for variable in _variables(value))


def _truths(*values: bool | Symbol) -> bool:
    return all(isinstance(one, bool) or isinstance(one.kind, BoolType) for one in values)


def _stored_variables(value: Any) -> frozenset[Variable]:
    """Return the variables in which a record is or may be stored."""
    if isinstance(value, Place):
        return frozenset(value.variables.values())
    return value.stored if isinstance(value, RecordSymbol) else frozenset()


def _common(first: Any, second: Any) -> EnumType:
    names: dict[str, None] = {}
    for value in (first, second):
        if isinstance(value, Symbol) and isinstance(value.kind, EnumType):
            names |= dict.fromkeys(value.kind.names)
        elif isinstance(value, str):
            names[value] = None
        else:
            raise Refused("one alternative is an enumeration value, the other one is not")
    return EnumType(tuple(names))


def _variables(value: Any) -> set[Variable]:
    """Return the variables that the expressions of a value read."""
    match value:
        case Symbol(expression=expression) | ChosenProcess(index=expression) | Place(position=expression):
            return variables_read(expression)
        case RecordSymbol(fields=fields):
            return {variable for inner in fields.values() for variable in _variables(inner)}
        case Perhaps(present=present, value=inner):
            return variables_read(present) | _variables(inner)
        case Member(present=present, value=inner):
            return variables_read(present) | _variables(inner)
        case Listing(members=members):
            return _variables(members)
        case Upcoming(place=place):
            return _variables(place)
        case Contents(slots=slots):
            return {variable for slot in slots for variable in variables_read(slot)}
        case tuple():
            return {variable for inner in value for variable in _variables(inner)}
    return set()
