"""Expressions of an action: syntax to values."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterator
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from strandline.languages.python.build import all_of, any_of, both, either, equal, evaluates, may_fault, negate
from strandline.languages.python.containers_symbolic import contains
from strandline.languages.python.machine import Machine
from strandline.languages.python.text import Text
from strandline.languages.python.types import (
    BOOL,
    ArrayType,
    BagType,
    EnumType,
    FifoType,
    OptionalType,
    RecordType,
    SetType,
)
from strandline.languages.python.values import (
    INT,
    ChosenProcess,
    GroupValue,
    Method,
    ModelValue,
    Place,
    ProcessValue,
    RecordSymbol,
    Refused,
    Symbol,
    Unbound,
    coded_name,
    describe,
    number,
    translated,
    truth,
)
from strandline.model.expression import FALSE, TRUE, Binary, Const, Expression, Unary

if TYPE_CHECKING:
    from strandline.languages.python.structure import Structure

ARITHMETIC: dict[type[ast.operator], tuple[str, Callable[[Any, Any], Any]]] = {
    ast.Add: ("+", operator.add),
    ast.Sub: ("-", operator.sub),
    ast.Mult: ("*", operator.mul),
    ast.FloorDiv: ("//", operator.floordiv),
    ast.Mod: ("mod", operator.mod),
    ast.BitAnd: ("&", operator.and_),
    ast.BitOr: ("|", operator.or_),
    ast.BitXor: ("^", operator.xor),
    ast.LShift: ("<<", operator.lshift),
    ast.RShift: (">>", operator.rshift),
}
_COMPARISONS: dict[type[ast.cmpop], tuple[str, Callable[[Any, Any], Any]]] = {
    ast.Lt: ("<", operator.lt),
    ast.LtE: ("<=", operator.le),
    ast.Gt: (">", operator.gt),
    ast.GtE: (">=", operator.ge),
}
_INSTEAD = {
    ast.Lambda: "a lambda cannot be compiled; write a function with 'def'",
    ast.Dict: "a dictionary cannot be used in an action; use an Array or a Record in the model",
    ast.DictComp: "a dictionary cannot be used in an action; use an Array or a Record in the model",
    ast.Set: "write 'x == 1 or x == 2', or 'x in (1, 2)' with a tuple",
    ast.SetComp: "a set cannot be made in an action; declare a Set in the model",
    ast.JoinedStr: "text cannot be made in an action; use the names of an Enum",
    ast.Await: "an action is one atomic step: nothing can be awaited in it",
    ast.Yield: "an action is one atomic step: it cannot yield; write two actions",
    ast.NamedExpr: "write the assignment as a statement of its own",
    ast.Starred: "'*' cannot be used here; write the values one by one",
    ast.Slice: "a slice cannot be compiled; use a loop over range(...)",
}


class Reader:
    """Reads the expressions of one function. `names` finds what is not local."""

    def __init__(
        self, text: Text, machine: Machine, structure: Structure, names: Callable[[str], Any], depth: int = 0
    ) -> None:
        self.text, self.machine, self.structure, self.names, self.depth = text, machine, structure, names, depth

    def value(self, node: ast.expr) -> Any:
        """What an expression stands for."""
        try:
            return self._value(node)
        except Refused as refusal:
            self.text.fail(str(refusal), node)

    def truth(self, node: ast.expr) -> Expression:
        try:
            return truth(self._loaded(node))
        except Refused as refusal:
            self.text.fail(str(refusal), node)

    def _loaded(self, node: ast.expr) -> Any:
        return self.machine.load(self.value(node), self.text.span(node))

    def _value(self, node: ast.expr) -> Any:
        match node:
            case ast.Constant(value=value):
                if isinstance(value, bool | int | str) or value is None:
                    return value
                raise Refused(f"{value!r} cannot be used in a model; values are integers, truths and names")
            case ast.Name(id=name):
                return self._name(name, node)
            case ast.Attribute(value=inner, attr=name):
                return self._attribute(self.value(inner), name, node)
            case ast.Subscript(value=inner, slice=index):
                return self._subscript(self.value(inner), index, node)
            case ast.BinOp(left=left, op=op, right=right):
                return self.arithmetic(op, self._loaded(left), self._loaded(right), node)
            case ast.UnaryOp(op=op, operand=operand):
                return self._unary(op, operand, node)
            case ast.BoolOp(op=op, values=values):
                return self._joined(isinstance(op, ast.And), values)
            case ast.Compare(left=left, ops=ops, comparators=comparators):
                return self._compare(left, ops, comparators, node)
            case ast.IfExp(test=test, body=body, orelse=orelse):
                condition = self.truth(test)
                if isinstance(condition, Const):
                    return self.value(body if condition.value else orelse)
                return self.machine.branch(condition, lambda: self._loaded(body), lambda: self._loaded(orelse))
            case ast.Tuple(elts=elements) | ast.List(elts=elements):
                return tuple(self._loaded(one) for one in elements)
            case ast.ListComp() | ast.GeneratorExp():
                return tuple(value for value, _ in self.generated(node, filtered=False))
            case ast.Call():
                from strandline.languages.python.calls import call

                return call(self, node)
        raise Refused(_INSTEAD.get(type(node), f"'{type(node).__name__}' is not part of the modelling language"))

    def _joined(self, conjunction: bool, values: list[ast.expr]) -> Any:
        """`and` or `or`: what stands further right is evaluated only where it matters."""
        join, decided = (both, FALSE) if conjunction else (either, TRUE)
        total = self.truth(values[0])
        for one in values[1:]:
            if total == decided:
                break
            total = join(total, self._under(total if conjunction else negate(total), self.truth, one))
        return _as_truth(total)

    def _under(self, condition: Expression, read: Callable[[ast.expr], Any], node: ast.expr) -> Any:
        """Evaluate where only a condition makes Python evaluate."""
        if isinstance(condition, Const):
            return read(node)
        self.machine.path.append(condition)
        before = {variable: list(writes) for variable, writes in self.machine.store.pending.items()}
        result = read(node)
        self.machine.path.pop()
        if self.machine.store.pending != before:
            self.text.fail("what changes the state cannot stand here; call it in a statement of its own", node)
        return result

    # Names and parts

    def _name(self, name: str, node: ast.AST) -> Any:
        if name in self.machine.frame:
            value = self.machine.frame[name]
            if isinstance(value, Unbound):
                raise Refused(value.reason)
            return value
        try:
            return self.names(name)
        except NameError:
            known = [*self.machine.frame, *self.structure.names()]
            if name in self.structure.names():
                raise Refused(f"'{name}' belongs to the model; write 'm.{name}'") from None
            raise Refused(f"unknown name '{name}'" + _meant(name, known)) from None

    def _attribute(self, owner: Any, name: str, node: ast.AST) -> Any:
        match owner:
            case ModelValue():
                return self.structure.attribute(name)
            case ProcessValue():
                return self.structure.process_attribute(owner, name)
            case ChosenProcess(group=group, index=index):
                return self._chosen(group, index, name)
            case RecordSymbol(kind=kind) | Place(kind=RecordType() as kind):
                return self._field(owner, kind, name)
            case Symbol(kind=OptionalType(element=RecordType() as kind)):
                return self._field(self.machine.unwrapped(owner, self.text.span(node)), kind, name)
            case Place(kind=OptionalType(element=RecordType() as kind)):
                loaded = self.machine.load(owner)
                return self._field(self.machine.unwrapped(loaded, self.text.span(node)), kind, name)
            case Place(kind=BagType() | FifoType() | SetType()):
                if name in ("full", "empty", "head"):
                    from strandline.languages.python.containers_symbolic import queried

                    return queried(self.machine, owner, name)
                return Method(owner, name)
            case GroupValue(group=group):
                raise Refused(f"'{group}' is a class of processes; choose one: m.{group}[index].{name}")
        raise Refused(f"{describe(owner)} has no part '{name}'")

    def _field(self, owner: Any, kind: RecordType, name: str) -> Any:
        fields = dict(kind.fields)
        if name not in fields:
            raise Refused(f"{kind.name} has no field '{name}'" + _meant(name, fields))
        return owner.field(name, fields[name]) if isinstance(owner, Place) else owner.fields[name]

    def _chosen(self, group: str, index: Expression, name: str) -> Any:
        """A field of the process that an expression chooses."""
        members = self.structure.members(group)
        values = [self.machine.load(self.structure.process_attribute(member, name)) for member in members]
        if any(isinstance(value, Place) for value in values):
            raise Refused(f"'{name}' is a container: choose its process by a constant, a parameter or a loop")
        result = values[-1]
        for position in range(len(members) - 2, -1, -1):
            result = self.machine.join(equal(index, Const(position)), values[position], result)
        return result

    def _subscript(self, owner: Any, index: ast.expr, node: ast.AST) -> Any:
        if isinstance(index, ast.Slice):
            raise Refused(_INSTEAD[ast.Slice])
        position, span = self._loaded(index), self.text.span(index)
        match owner:
            case Place(kind=ArrayType()):
                return owner.element(number(position, span))
            case GroupValue(group=group, count=count):
                return self.structure.member(group, count, number(position, span), self.text.span(node))
            case tuple() if isinstance(position, int):
                if not 0 <= position < len(owner):
                    raise Refused(f"index {position} is outside 0..{len(owner) - 1}")
                return owner[position]
            case tuple():
                raise Refused("a tuple can only be indexed by a constant; use an Array in the model")
        raise Refused(f"{describe(owner)} cannot be indexed")

    # Operators

    def arithmetic(self, op: ast.operator, left: Any, right: Any, node: ast.AST) -> Any:
        """A binary operator on two values."""
        if isinstance(op, ast.Div):
            raise Refused("'/' gives fractions; write '//' for whole numbers")
        if isinstance(op, ast.Pow) and isinstance(left, int) and isinstance(right, int):
            return left**right
        if type(op) not in ARITHMETIC:
            raise Refused(f"the operator '{type(op).__name__}' cannot be compiled; use + - * // % & | ^ << >>")
        symbol, function = ARITHMETIC[type(op)]
        left, right = (one.index if isinstance(one, ProcessValue) else one for one in (left, right))
        if isinstance(left, tuple) and isinstance(right, int) and symbol == "*":
            return left * right
        if isinstance(left, int) and isinstance(right, int):
            try:
                return function(left, right)
            except (ZeroDivisionError, ValueError):
                pass
        span = self.text.span(node)
        if symbol in ("&", "|", "^") and _is_truth(left) and _is_truth(right):
            return Symbol(BOOL, Binary(symbol, truth(left), truth(right), span))
        first, second = number(left, span), number(right, span)
        if symbol in ("+", "-") and second == FALSE:
            return Symbol(INT, first)
        if symbol == "+" and first == FALSE:
            return Symbol(INT, second)
        return Symbol(INT, Binary(symbol, first, second, span))

    def _unary(self, op: ast.unaryop, operand: ast.expr, node: ast.AST) -> Any:
        if isinstance(op, ast.Not):
            return _as_truth(negate(self.truth(operand)))
        value = self._loaded(operand)
        if isinstance(value, int):
            return -value if isinstance(op, ast.USub) else +value if isinstance(op, ast.UAdd) else ~value
        if isinstance(op, ast.UAdd):
            return Symbol(INT, number(value, self.text.span(node)))
        span = self.text.span(node)
        return Symbol(INT, Unary("-" if isinstance(op, ast.USub) else "~", number(value, span), span))

    def _compare(self, left: ast.expr, ops: list[ast.cmpop], others: list[ast.expr], node: ast.AST) -> Any:
        total: Expression = TRUE
        first = self.value(left)
        for op, other in zip(ops, others, strict=True):
            second = self._under(total, self.value, other)
            try:
                total = both(total, self._comparison(op, first, second, node))
            except Refused as refusal:
                self.text.fail(str(refusal), node)
            first = second
        return _as_truth(total)

    def _comparison(self, op: ast.cmpop, left: Any, right: Any, node: ast.AST) -> Expression:
        if isinstance(op, ast.In | ast.NotIn):
            found = self._contains(right, left, node)
            return found if isinstance(op, ast.In) else negate(found)
        left, right = self.machine.load(left, self.text.span(node)), self.machine.load(right, self.text.span(node))
        if isinstance(op, ast.Is | ast.IsNot) and left is not None and right is not None:
            raise Refused("'is' compares with None only; write '=='")
        if isinstance(op, ast.Eq | ast.NotEq | ast.Is | ast.IsNot):
            same = self.equal(left, right, node)
            return same if isinstance(op, ast.Eq | ast.Is) else negate(same)
        symbol, function = _COMPARISONS[type(op)]
        left, right = (one.index if isinstance(one, ProcessValue) else one for one in (left, right))
        if isinstance(left, int) and isinstance(right, int):
            return Const(int(function(left, right)))
        span = self.text.span(node)
        return Binary(symbol, number(left, span), number(right, span), span)

    def equal(self, left: Any, right: Any, node: ast.AST) -> Expression:
        """Whether two values are the same."""
        span = self.text.span(node)
        for first, second in ((left, right), (right, left)):
            if isinstance(first, Symbol) and isinstance(first.kind, OptionalType):
                return self._equal_optional(first, second, node)
            if isinstance(first, Symbol | str) and (isinstance(first, str) or isinstance(first.kind, EnumType)):
                return _equal_names(first, second)
            if isinstance(first, RecordSymbol | Place) and isinstance(first.kind, RecordType):
                return self._equal_records(left, right, first.kind, node)
        if left is None or right is None:
            if left is right:
                return TRUE
            raise Refused("only an Optional can be None")
        return equal(number(left, span), number(right, span), span)

    def _equal_records(self, left: Any, right: Any, kind: RecordType, node: ast.AST) -> Expression:
        """Whether all fields are the same; all are evaluated before the first is compared."""
        span = self.text.span(node)
        sides = [[self.machine.field(side, name, kind, span) for name, _ in kind.fields] for side in (left, right)]
        values = [value.expression for side in sides for value in side if isinstance(value, Symbol)]
        risks = [evaluates(value) for value in values if may_fault(value)]
        return all_of([*risks, *(self.equal(one, other, node) for one, other in zip(*sides, strict=True))])

    def _equal_optional(self, optional: Symbol, other: Any, node: ast.AST) -> Expression:
        kind = optional.kind
        assert isinstance(kind, OptionalType)
        if isinstance(other, Symbol) and isinstance(other.kind, OptionalType) and other.kind != kind:
            raise Refused(f"{kind} and {other.kind} cannot be compared")
        return equal(optional.expression, self.machine.code(kind, other, self.text.span(node), exact=True))

    def _contains(self, holder: Any, value: Any, node: ast.AST) -> Expression:
        value = self.machine.load(value, self.text.span(node))
        members: Iterator[Any]
        if isinstance(holder, tuple):
            members = iter(holder)
        elif isinstance(holder, Place) and isinstance(holder.kind, ArrayType):
            length = holder.kind.length
            members = (self.machine.load(holder.element(Const(index))) for index in range(length))
        elif isinstance(holder, Place):
            return contains(self.machine, holder, value)
        else:
            raise Refused(f"'in' needs a container or a tuple, not {describe(holder)}")
        return any_of(self.equal(member, value, node) for member in members)

    # Loops inside expressions

    def generated(self, node: ast.GeneratorExp | ast.ListComp, *, filtered: bool) -> list[tuple[Any, Expression]]:
        """The values that a generator gives, each with the condition of its `if`."""
        found: list[tuple[Any, Expression]] = []
        outer = dict(self.machine.frame)

        def run(generators: list[ast.comprehension], condition: Expression) -> None:
            if not generators:
                found.append((self._loaded(node.elt), condition))
                return
            first = generators[0]
            for item in self.sequence(first.iter):
                self.bind(first.target, item)
                test = condition
                for clause in first.ifs:
                    test = both(test, self.truth(clause))
                if test == FALSE:
                    continue
                if test != TRUE and not filtered:
                    self.text.fail("a condition of a list must be known beforehand", first.ifs[0])
                run(generators[1:], test)

        run(node.generators, TRUE)
        self.machine.frame = outer
        return found

    def sequence(self, node: ast.expr) -> list[Any]:
        """What a loop runs over; it must be known beforehand."""
        value = self.value(node)
        match value:
            case tuple() | range():
                return list(value)
            case GroupValue(group=group):
                return list(self.structure.members(group))
            case Place(kind=ArrayType(length=length)):
                return [value.element(Const(index)) for index in range(length)]
            case Place():
                self.text.fail(
                    "what a container holds is not known beforehand; loop over range(...) and test with 'in', or "
                    'take it as a parameter: x: any_of("...")',
                    node,
                )
        self.text.fail(f"a loop needs range(...), processes, an Array or a tuple, not {describe(value)}", node)

    def bind(self, target: ast.expr, value: Any) -> None:
        """Set the variable of a loop."""
        if isinstance(target, ast.Name):
            self.machine.frame[target.id] = self.machine.load(value)
        elif isinstance(target, ast.Tuple) and isinstance(value, tuple) and len(value) == len(target.elts):
            for inner, one in zip(target.elts, value, strict=True):
                self.bind(inner, one)
        else:
            self.text.fail("a loop's variable must be a name, or names for the parts of a tuple", target)


def _as_truth(expression: Expression) -> Any:
    return bool(expression.value) if isinstance(expression, Const) else Symbol(BOOL, expression)


def _is_truth(value: Any) -> bool:
    return isinstance(value, bool) or (isinstance(value, Symbol) and value.kind == BOOL)


def _equal_names(first: Any, second: Any) -> Expression:
    if isinstance(first, str) and isinstance(second, str):
        return TRUE if first == second else FALSE
    if isinstance(first, str):
        first, second = second, first
    if not isinstance(first, Symbol) or not isinstance(first.kind, EnumType):
        raise Refused(f"{describe(first)} cannot be compared with a name")
    if isinstance(second, str):
        if second not in first.kind.names:
            known = ", ".join(first.kind.names)
            raise Refused(f"'{second}' is never the value: it is one of {known}" + _meant(second, first.kind.names))
        return equal(first.expression, coded_name(first.kind, second))
    if isinstance(second, Symbol) and isinstance(second.kind, EnumType):
        if first.kind == second.kind:
            return equal(first.expression, second.expression)
        return equal(first.expression, translated(second.kind, second.expression, first.kind))
    raise Refused(f"a name cannot be compared with {describe(second)}")


def _meant(name: str, known: Any) -> str:
    close = get_close_matches(name, list(known), n=1, cutoff=0.6)
    return f"; did you mean '{close[0]}'?" if close else ""

