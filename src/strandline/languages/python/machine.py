"""One symbolic execution: the store, the way taken so far, what it requires and what may go wrong on it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any

from strandline.languages.python.build import (
    both,
    choose,
    either,
    evaluates,
    implies,
    interval,
    may_fault,
    negate,
)
from strandline.languages.python.faults import FIELD_FAULT
from strandline.languages.python.references import detach, doubt
from strandline.languages.python.store import Store
from strandline.languages.python.types import BOOL, SCALAR, BoolType, EnumType, OptionalType, RangeType, RecordType
from strandline.languages.python.values import (
    INT,
    ChosenProcess,
    Contents,
    Method,
    Place,
    RecordSymbol,
    Refused,
    Symbol,
    Unbound,
    code,
    coded_name,
    decoded,
    number,
    stored,
    truth,
)
from strandline.model.expression import (
    DEEPEST,
    LOGICAL,
    RANGE_FAULT,
    TRUE,
    Binary,
    Choice,
    Const,
    Element,
    Expression,
    Undefined,
    children,
    depth,
    size,
    variables_read,
    walk,
)
from strandline.model.system import Variable
from strandline.source import Span

TOO_INVOLVED = (
    "too many branches depend on each other here; split the action in two, or let a variable of the model hold the "
    "result in between"
)
_LARGEST = 50_000
"""Most nodes of one expression, shared parts counted once."""
TOO_DEEP = (
    "a value is computed from itself in too many rounds here; let several actions do it, or a variable of the model "
    "hold the result in between"
)
FELL_THROUGH = object()
"""The result of statements that do not return."""


@dataclass(slots=True)
class Machine:
    """See the module's docstring."""

    store: Store = field(default_factory=Store)
    frames: list[dict[str, Any]] = field(default_factory=lambda: [{}])
    """Local names of the function that is being executed, last, and of those that have called it."""
    temporaries: list[list[Any]] = field(default_factory=list)
    """Values that are still to be assigned."""
    guards: list[Expression] = field(default_factory=list)
    """What must hold before the action."""
    path: list[Expression] = field(default_factory=list)
    """Conditions of the branches that are being executed."""
    risks: list[tuple[Expression, Expression]] = field(default_factory=list)
    """What may fault: as it was evaluated, and as a condition before the action."""
    late: list[Expression] = field(default_factory=list)
    """Faults that count only where the action is enabled."""
    may_write: bool = True
    statements: int = 0
    """How many were executed."""

    @property
    def frame(self) -> dict[str, Any]:
        return self.frames[-1]

    @frame.setter
    def frame(self, names: dict[str, Any]) -> None:
        self.frames[-1] = names

    # Reading and writing

    def load(self, value: Any, span: Span | None = None) -> Any:
        """What a place holds, for scalars; anything else stands for itself."""
        if isinstance(value, Place) and isinstance(value.kind, SCALAR):
            expression = self.store.read(value.variable, value.position, span)
            kind = value.kind
            if isinstance(kind, RangeType):
                return Symbol(INT, expression, (kind.low, kind.high))
            return Symbol(kind, expression)
        return value

    def save(self, place: Place, value: Any, span: Span | None) -> None:
        """Assign; compound values are copied."""
        writes = list(self._copied(place, value, span))
        if not isinstance(place.kind, SCALAR):
            detach(self, place)
        for target, expression in writes:
            self.put(target.variable, target.position, expression, span)

    def put(self, variable: Variable, index: Expression, value: Expression, span: Span | None) -> None:
        """One write."""
        if not self.may_write:
            raise Refused("only an action can change the state; here it can only be read")
        limit(value)
        limit(index)
        doubt(self, variable)
        self.note(value)
        if variable.length is not None:
            self.note(Element(variable, index, span))
        domain = variable.domain
        for lost in self.store.write(variable, index, value, span):
            inside = fits(lost.value, domain.low, domain.high)
            if inside != TRUE:
                # It is overwritten, but it was out of range: still a fault of the step.
                self.late.append(self._here(either(inside, Undefined(RANGE_FAULT, lost.span))))

    def _copied(self, place: Place, value: Any, span: Span | None) -> Iterator[tuple[Place, Expression]]:
        kind = place.kind
        if isinstance(kind, SCALAR):
            yield place, self._scalar(kind, value, span)
        elif isinstance(kind, RecordType):
            for name, inner in kind.fields:
                yield from self._copied(place.field(name, inner), self.field(value, name, kind, span), span)
        elif hasattr(kind, "length"):
            elements = self._elements(kind, value)
            for index, element in enumerate(elements):
                yield from self._copied(place.element(Const(index)), element, span)
        elif isinstance(value, Place) and value.kind == kind:
            slots = getattr(kind, "capacity", None) or kind.element.size
            for slot in range(slots):
                source, target = value.slot(slots, slot), place.slot(slots, slot)
                moved = Place(kind, place.variables, place.prefix, target, place.shown)
                yield moved, self.store.read(value.variable, source, span)
        elif isinstance(value, Contents) and value.kind == kind:
            for slot, held in enumerate(value.slots):
                target = place.slot(len(value.slots), slot)
                yield Place(kind, place.variables, place.prefix, target, place.shown), held
        else:
            raise Refused(f"{kind} can only be assigned another {kind}; use put, add and clear")

    def _scalar(self, kind: Any, value: Any, span: Span | None, *, exact: bool = False) -> Expression:
        if isinstance(kind, OptionalType) and isinstance(kind.element, RecordType):
            value = self.load(value)
            if value is None or isinstance(value, Symbol):
                return code(kind, value, span)
            return Binary("+", self.code(kind.element, value, span, exact=exact), Const(1))
        return stored(kind, self.load(value), span)

    def _elements(self, kind: Any, value: Any) -> list[Any]:
        if isinstance(value, Place) and value.kind == kind:
            return [self.load(value.element(Const(index))) for index in range(kind.length)]
        if isinstance(value, tuple) and len(value) == kind.length:
            return list(value)
        raise Refused(f"{kind} needs {kind.length} values")

    def field(self, value: Any, name: str, kind: RecordType, span: Span | None = None) -> Any:
        """A field of a record, stored or not."""
        if isinstance(value, Symbol) and isinstance(value.kind, OptionalType) and value.kind.element == kind:
            value = self.unwrapped(value, span)
        if isinstance(value, RecordSymbol) and value.kind == kind:
            return value.fields[name]
        if isinstance(value, Place) and value.kind == kind:
            return self.load(value.field(name, dict(kind.fields)[name]))
        raise Refused(f"a {kind.name} is needed here")

    def unwrapped(self, value: Symbol, span: Span | None = None) -> Any:
        """What an optional record holds; where it is None, using a field is a fault."""
        assert isinstance(value.kind, OptionalType)
        present = Binary("!=", value.expression, Const(0))
        held = Binary("-", value.expression, Const(1))
        return decoded(value.kind.element, choose(present, held, Undefined(FIELD_FAULT, span)))

    def code(self, kind: Any, value: Any, span: Span | None, *, exact: bool = False) -> Expression:
        """A value as the code of a flat type, records included. It may be rubbish for a number that is out of its
        variable's range since this step, which makes the step a fault; if it is `exact`, it is then one that no place
        has: that matters where it decides whether there is a step at all."""
        value = self.load(value, span)
        if exact and isinstance(value, Symbol) and not value.certain:
            value = replace(value, bounds=None)
        if not isinstance(kind, RecordType):
            if isinstance(kind, OptionalType):
                return self._scalar(kind, value, span, exact=exact)
            return code(kind, value, span)
        if isinstance(value, RecordSymbol) and value.kind == kind and value.code is not None:
            return value.code
        total: Expression | None = None
        for name, inner, shift, _ in kind.shifts():
            part = self.code(inner, self.field(value, name, kind, span), span, exact=exact)
            if shift:
                part = Const(part.value << shift) if isinstance(part, Const) else Binary("*", part, Const(1 << shift))
            total = part if total is None else _plus(total, part)
        assert total is not None
        return total

    # Requirements and risks

    def note(self, expression: Expression) -> None:
        """The expression is evaluated here; remember it where that may fault."""
        if may_fault(expression):
            self.risks.append((expression, self._here(evaluates(expression))))

    def require(self, condition: Expression) -> None:
        """The action is enabled only where this holds; what may fault before it comes first."""
        if not self.may_write:
            raise Refused("a requirement belongs into an action; here return the condition")
        self.flush_risks()
        guard = self._here(condition)
        limit(guard)
        if guard != TRUE:
            self.guards.append(guard)

    def flush_risks(self) -> None:
        self.guards += [condition for _, condition in self.risks]
        self.risks.clear()

    def _here(self, condition: Expression) -> Expression:
        """A condition that matters only on the present way, over the state before the action."""
        for test in reversed(self.path):
            condition = implies(test, condition)
        return self.store.before(condition)

    # Branches

    def branch(self, condition: Expression, then: Callable[[], Any], otherwise: Callable[[], Any]) -> Any:
        """Execute both branches and join what they leave behind; returns their joined results."""
        self.note(condition)
        start, frames = self.store, self.frames
        results, stores, sides = [], [], []
        for test, run in ((condition, then), (negate(condition), otherwise)):
            self.store, self.frames = start.fork(), [dict(names) for names in frames]
            self.path.append(test)
            results.append(run())
            self.path.pop()
            stores.append(self.store)
            sides.append(self.frames)
        self.store = start
        start.merge(condition, *stores)
        self.frames = [self._joined(condition, yes, no) for yes, no in zip(*sides, strict=True)]
        return self.join(condition, *results)

    def _joined(self, condition: Expression, yes: dict[str, Any], no: dict[str, Any]) -> dict[str, Any]:
        joined = {}
        for name in dict.fromkeys([*yes, *no]):
            if name not in yes or name not in no:
                joined[name] = Unbound(f"'{name}' is set on one way here only; give it a value before the 'if'")
                continue
            try:
                joined[name] = self.join(condition, yes[name], no[name])
            except Refused as refusal:
                joined[name] = Unbound(f"'{name}' has values that do not go together: {refusal}")
        return joined

    def join(self, condition: Expression, first: Any, second: Any) -> Any:
        """One value where the condition holds, another where not."""
        if first is second or (type(first) is type(second) and not isinstance(first, Method) and first == second):
            return first
        if {id(first), id(second)} == {id(FELL_THROUGH), id(None)}:
            return None
        if first is FELL_THROUGH or second is FELL_THROUGH:
            raise Refused("a function must return a value on every way, or on none")
        for unusable in (first, second):
            if isinstance(unusable, Unbound):
                return unusable
        if isinstance(first, tuple) and isinstance(second, tuple) and len(first) == len(second):
            return tuple(self.join(condition, *pair) for pair in zip(first, second, strict=True))
        first, second = self.load(first), self.load(second)
        kinds = [one.kind for one in (first, second) if isinstance(one, Symbol)]
        for kind in kinds:
            if isinstance(kind, OptionalType):
                return Symbol(kind, choose(condition, self.code(kind, first, None), self.code(kind, second, None)))
        if isinstance(first, bool | Symbol) and isinstance(second, bool | Symbol) and _truths(first, second):
            return Symbol(BOOL, choose(condition, truth(first), truth(second)))
        records = [one.kind for one in (first, second) if isinstance(one, Place | RecordSymbol)]
        if records and isinstance(records[0], RecordType):
            record = records[0]
            fields = {
                name: self.join(condition, self.field(first, name, record), self.field(second, name, record))
                for name, _ in record.fields
            }
            return RecordSymbol(record, fields, stored=_stored(first) | _stored(second))
        if records:
            raise Refused(f"{records[0]} cannot be one of two alternatives; write the 'if' as a statement")
        if any(isinstance(one, str) for one in (first, second)) or any(isinstance(k, EnumType) for k in kinds):
            enumeration = _common(first, second)
            codes = (coded_name(enumeration, one) for one in (first, second))
            return Symbol(enumeration, choose(condition, *codes))
        return Symbol(INT, choose(condition, number(first), number(second)))

    # The end

    def settle(self) -> None:
        """Between two statements outside all branches: make writes stand where nothing remembers older values, and
        where all fit: what follows may ask for a value that does not, and turn out not to be enabled."""
        if self.path or not self.store.pending:
            return
        remembered = {
            variable
            for value in self.frame.values()
            for variable in _variables(value)
        }
        if not remembered & set(self.store.pending) and self.store.surely_fits():
            self.store.settle()

    def finish(self) -> Expression | None:
        """Make all writes stand; the guard of the action."""
        self.store.settle()
        certain = _eager(part for effect in self.store.effects for part in (effect.value, effect.target))
        self.risks = [risk for risk in self.risks if risk[0] not in certain]
        self.flush_risks()
        guard: Expression = TRUE
        for part in dict.fromkeys([*self.guards, *self.late]):
            guard = both(guard, part)
        return None if guard == TRUE else guard


def limit(expression: Expression) -> None:
    """Refuse what has grown beyond all measure."""
    if depth(expression) > DEEPEST:
        raise Refused(TOO_DEEP)
    if size(expression) > _LARGEST and next(islice(walk(expression), _LARGEST, None), None) is not None:
        raise Refused(TOO_INVOLVED)


def _truths(*values: bool | Symbol) -> bool:
    return all(isinstance(one, bool) or isinstance(one.kind, BoolType) for one in values)


def _stored(value: Any) -> frozenset[Variable]:
    """Where a record lies, or may lie."""
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
            raise Refused("a name and something else cannot be alternatives")
    return EnumType(tuple(names))


def _variables(value: Any) -> set[Variable]:
    """The variables on which a value depends that was read before."""
    match value:
        case Symbol(expression=expression) | ChosenProcess(index=expression) | Place(position=expression):
            return variables_read(expression)
        case RecordSymbol(fields=fields):
            return {variable for inner in fields.values() for variable in _variables(inner)}
        case Contents(slots=slots):
            return {variable for slot in slots for variable in variables_read(slot)}
        case tuple():
            return {variable for inner in value for variable in _variables(inner)}
    return set()


def _eager(expressions: Iterable[Expression]) -> set[Expression]:
    """The parts of expressions that are evaluated whenever these are."""
    found: set[Expression] = set()
    waiting, seen = list(expressions), set()
    while waiting:
        node = waiting.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        found.add(node)
        lazy = isinstance(node, Choice) or (isinstance(node, Binary) and node.operator in LOGICAL)
        waiting += children(node)[:1] if lazy else children(node)
    return found


def _plus(left: Expression, right: Expression) -> Expression:
    if isinstance(left, Const) and isinstance(right, Const):
        return Const(left.value + right.value)
    return Binary("+", left, right)


def fits(expression: Expression, low: int, high: int) -> Expression:
    """Whether a number lies between bounds; true without a test where it always does."""
    box = interval(expression)
    if low <= box[0] and box[1] <= high:
        return TRUE
    return both(Binary(">=", expression, Const(low)), Binary("<=", expression, Const(high)))
