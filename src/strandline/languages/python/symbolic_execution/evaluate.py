"""Evaluation of the expressions of an action."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from strandline.errors import suggestion
from strandline.languages.python.runtime.annotations import Record
from strandline.languages.python.runtime.faults import FIELD_FAULT
from strandline.languages.python.runtime.text import Text
from strandline.languages.python.runtime.types import (
    BOOL,
    ArrayType,
    BagType,
    FifoType,
    OptionalType,
    RecordType,
    SetType,
)
from strandline.languages.python.symbolic_execution.calls import call
from strandline.languages.python.symbolic_execution.coding import (
    as_truth,
    number,
    refuse_scalarset_values,
    truth,
    value_or_fault,
)
from strandline.languages.python.symbolic_execution.containers import contains, query_property
from strandline.languages.python.symbolic_execution.equality import same_value
from strandline.languages.python.symbolic_execution.machine import Machine
from strandline.languages.python.symbolic_execution.sequences import STARRED, make_list, parts, unroll_generator
from strandline.languages.python.symbolic_execution.structure import Structure
from strandline.languages.python.symbolic_execution.values import (
    INT,
    ChosenProcess,
    GroupValue,
    Listing,
    Method,
    ModelValue,
    Perhaps,
    Place,
    ProcessValue,
    RecordSymbol,
    Rounds,
    Symbol,
    Unbound,
    describe,
    map_expressions,
    risks,
)
from strandline.languages.symbolic_execution.building import (
    all_of,
    any_of,
    choose,
    conjoin,
    disjoin,
    equal,
    evaluation_of,
    in_bounds,
    interval,
    negate,
)
from strandline.languages.symbolic_execution.execution import Refused
from strandline.model.expression import FALSE, INDEX_FAULT, TRUE, Binary, Const, Expression, Unary, Undefined

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
_MOST_BITS = 1 << 14
_INSTEAD = {
    ast.Lambda: "a lambda cannot be compiled; write a function with 'def'",
    ast.Dict: "a dictionary cannot be used in an action; use an Array or a Record in the model",
    ast.DictComp: "a dictionary cannot be used in an action; use an Array or a Record in the model",
    ast.Set: "a set cannot be made in an action; use add and discard of a Set in the model, or 'x in (1, 2)'",
    ast.SetComp: "a set cannot be made in an action; use add and discard of a Set in the model, or 'x in (1, 2)'",
    ast.JoinedStr: "text cannot be made in an action; use the names of an Enum",
    ast.Await: "an action is one atomic step: nothing can be awaited in it",
    ast.Yield: "an action is one atomic step: it cannot yield; write two actions",
    ast.NamedExpr: "write the assignment as a statement of its own",
    ast.Starred: STARRED,
    ast.Slice: "a slice cannot be compiled; use a loop over range(...)",
}


class Evaluator:
    """Evaluates the expressions of one function; implements `Reader`.

    `names` returns the value of a non-local name.
    """

    def __init__(
        self, text: Text, machine: Machine, structure: Structure, names: Callable[[str], Any], depth: int = 0
    ) -> None:
        self.text, self.machine, self.structure, self.names, self.depth = text, machine, structure, names, depth

    def for_function(self, text: Text, names: Callable[[str], Any]) -> Evaluator:
        return Evaluator(text, self.machine, self.structure, names, self.depth + 1)

    def value(self, node: ast.expr) -> Any:
        try:
            return self._value(node)
        except Refused as refusal:
            self.text.fail(str(refusal), node)

    def truth(self, node: ast.expr) -> Expression:
        try:
            return truth(self.load(node))
        except Refused as refusal:
            self.text.fail(str(refusal), node)

    def load(self, node: ast.expr) -> Any:
        return self.machine.load(self.value(node), self.text.span(node))

    def in_order(self, nodes: Sequence[ast.expr]) -> list[Any]:
        found: list[Any] = []
        for node in nodes:
            found.append(self._read_after(tuple(found), self.load, node))
        return found

    def _read_after(self, values: tuple[Any, ...], read: Callable[[ast.expr], Any], node: ast.expr) -> Any:
        guards = self.machine.execution.guards
        known = len(guards)
        result = read(node)
        # `read` added requirements: the evaluation of the earlier values must come before them in the guard.
        if len(guards) > known:
            guards[known:known] = self.machine.conditions(values)
        return result

    def record_risks(self, value: Any) -> None:
        for risk in risks(value):
            self.machine.execution.note(risk)

    def _value(self, node: ast.expr) -> Any:
        match node:
            case ast.Constant(value=value):
                if isinstance(value, bool | int | str) or value is None:
                    return value
                raise Refused(
                    f"{value!r} cannot be used in a model; values are integers, Booleans and enumeration values"
                )
            case ast.Name(id=name):
                return self._name(name, node)
            case ast.Attribute(value=inner, attr=name):
                return self.attribute(self.value(inner), name, node)
            case ast.Subscript(value=inner, slice=index):
                return self.subscript(self.value(inner), index, node)
            case ast.BinOp(left=left, op=op, right=right):
                one, other = self.in_order([left, right])
                return self.arithmetic(op, one, other, node)
            case ast.UnaryOp(op=op, operand=operand):
                return self._unary(op, operand, node)
            case ast.BoolOp(op=op, values=values):
                return self._short_circuit(isinstance(op, ast.And), values)
            case ast.Compare(left=left, ops=ops, comparators=comparators):
                return self._compare(left, ops, comparators, node)
            case ast.IfExp(test=test, body=body, orelse=orelse):
                condition = self.truth(test)
                if isinstance(condition, Const):
                    return self.value(body if condition.value else orelse)
                return self.machine.branch(condition, lambda: self.load(body), lambda: self.load(orelse))
            case ast.Tuple(elts=elements) | ast.List(elts=elements):
                return tuple(self.in_order(elements))
            case ast.ListComp() | ast.GeneratorExp():
                return make_list(unroll_generator(self, node))
            case ast.Call():
                return call(self, node)
        raise Refused(_INSTEAD.get(type(node), f"'{type(node).__name__}' is not part of the modelling language"))

    def _short_circuit(self, conjunction: bool, values: list[ast.expr]) -> Any:
        """Evaluate `and` or `or` with short-circuit evaluation."""
        join, decided = (conjoin, FALSE) if conjunction else (disjoin, TRUE)
        total = self.truth(values[0])
        for one in values[1:]:
            if total == decided:
                break
            total = join(total, self.under(total if conjunction else negate(total), self.truth, one))
        return as_truth(total)

    def under(self, condition: Expression, read: Callable[[ast.expr], Any], node: ast.expr) -> Any:
        if isinstance(condition, Const):
            return read(node)
        execution = self.machine.execution
        before = {variable: list(writes) for variable, writes in execution.store.pending.items()}
        result = execution.under(condition, lambda: read(node))
        if execution.store.pending != before:
            self.text.fail("a call that changes the state cannot be used here; call it in a statement of its own", node)
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
            raise Refused(f"unknown name '{name}'" + suggestion(name, known)) from None

    def attribute(self, owner: Any, name: str, node: ast.AST) -> Any:
        match owner:
            case ModelValue():
                return self.structure.attribute(name)
            case ProcessValue():
                return self.structure.process_attribute(owner, name)
            case ChosenProcess(group=group, index=index):
                return self._field_of_chosen(group, index, name)
            case RecordSymbol(kind=kind) | Place(kind=RecordType() as kind):
                return self._field(owner, kind, name)
            case Perhaps():
                return self.attribute(value_or_fault(owner, FIELD_FAULT, self.text.span(node)), name, node)
            case Place(kind=OptionalType()):
                return self.attribute(self.machine.load(owner), name, node)
            case Place(kind=BagType() | FifoType() | SetType()):
                if name in ("full", "empty", "head"):
                    return query_property(self.machine, owner, name, self.text.span(node))
                return Method(owner, name)
            case GroupValue(group=group):
                raise Refused(f"'{group}' is a class of processes; choose one: m.{group}[index].{name}")
        if isinstance(owner, type) and issubclass(owner, Record):
            nested = vars(owner).get(name)
            if isinstance(nested, type) and issubclass(nested, Record):
                return nested
            shown = owner.__name__
            raise Refused(f"the record '{shown}' has no '{name}' before it is made: {shown}(...).{name}")
        raise Refused(f"{describe(owner)} has no part '{name}'")

    def _field(self, owner: Any, kind: RecordType, name: str) -> Any:
        fields = dict(kind.fields)
        if name not in fields:
            raise Refused(f"{kind.name} has no field '{name}'" + suggestion(name, fields))
        return owner.field(name, fields[name]) if isinstance(owner, Place) else owner.fields[name]

    def _field_of_chosen(self, group: str, index: Expression, name: str) -> Any:
        """Return a field of the process that an expression chooses."""
        members = self.structure.members(group)
        values = [self.machine.load(self.structure.process_attribute(member, name)) for member in members]
        if any(isinstance(value, Place) for value in values):
            raise Refused(f"'{name}' is a container: its process must be a constant, a parameter or a loop variable")
        result = values[-1]
        for position in range(len(members) - 2, -1, -1):
            result = self.machine.join(equal(index, Const(position)), values[position], result)
        return result

    def subscript(self, owner: Any, index: ast.expr, node: ast.AST) -> Any:
        if isinstance(index, ast.Slice):
            raise Refused(_INSTEAD[ast.Slice])
        self.record_risks(owner)
        position, span = self.load(index), self.text.span(index)
        match owner:
            case Place(kind=ArrayType()):
                return owner.element(number(position, span))
            case GroupValue(group=group, count=count):
                return self.structure.member(group, count, number(position, span), self.text.span(node))
            case tuple() if isinstance(position, int):
                if not 0 <= position < len(owner):
                    raise Refused(f"index {position} is outside 0..{len(owner) - 1}")
                return owner[position]
            case tuple() if owner:
                return self._look_up(owner, number(position, span), self.text.span(node))
        raise Refused(f"{describe(owner)} cannot be indexed")

    def _look_up(self, table: tuple[Any, ...], index: Expression, span: Any) -> Any:
        """Return the element of a tuple that an expression chooses."""
        if interval(index)[0] < 0:
            raise Refused("the index of a tuple must never be negative; write 'index % length'")
        result = table[-1]
        for position in range(len(table) - 2, -1, -1):
            result = self.machine.join(equal(index, Const(position)), table[position], result)
        inside = in_bounds(index, 0, len(table) - 1)
        return map_expressions(result, lambda part: choose(inside, part, Undefined(INDEX_FAULT, span)))

    # Operators

    def arithmetic(self, op: ast.operator, left: Any, right: Any, node: ast.AST) -> Any:
        if isinstance(op, ast.Div):
            raise Refused("'/' is a division with fractions; write '//' for whole numbers")
        if isinstance(op, ast.Pow) and isinstance(left, int) and isinstance(right, int):
            if right < 0:
                raise Refused("a power with a negative exponent is no whole number")
            _refuse_huge(left.bit_length() * right)
            return left**right
        if type(op) not in ARITHMETIC:
            raise Refused("this operator cannot be compiled; use + - * // % & | ^ << >>, and a product for a power")
        symbol, function = ARITHMETIC[type(op)]
        refuse_scalarset_values(left, right)
        left, right = (one.index if isinstance(one, ProcessValue) else one for one in (left, right))
        if isinstance(left, tuple) and isinstance(right, int) and symbol == "*":
            return left * right
        if isinstance(left, int) and isinstance(right, int):
            _refuse_huge(right if symbol == "<<" and left else 0)
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
            return as_truth(negate(self.truth(operand)))
        value = self.load(operand)
        refuse_scalarset_values(value)
        if isinstance(value, int):
            return -value if isinstance(op, ast.USub) else +value if isinstance(op, ast.UAdd) else ~value
        if isinstance(op, ast.UAdd):
            return Symbol(INT, number(value, self.text.span(node)))
        span = self.text.span(node)
        return Symbol(INT, Unary("-" if isinstance(op, ast.USub) else "~", number(value, span), span))

    def _compare(self, left: ast.expr, ops: list[ast.cmpop], others: list[ast.expr], node: ast.AST) -> Any:
        total: Expression = TRUE
        first = self.load(left)
        for op, other in zip(ops, others, strict=True):
            second = self._read_after((first,), partial(self.under, total, self.load), other)
            try:
                total = conjoin(total, self._comparison(op, first, second, node))
            except Refused as refusal:
                self.text.fail(str(refusal), node)
            first = second
        return as_truth(total)

    def _comparison(self, op: ast.cmpop, left: Any, right: Any, node: ast.AST) -> Expression:
        if isinstance(op, ast.In | ast.NotIn):
            found = self._contains(right, left, node)
            return found if isinstance(op, ast.In) else negate(found)
        left, right = self.machine.load(left, self.text.span(node)), self.machine.load(right, self.text.span(node))
        if isinstance(op, ast.Is | ast.IsNot) and left is not None and right is not None:
            raise Refused("'is' compares with None only; write '=='")
        if isinstance(op, ast.Eq | ast.NotEq | ast.Is | ast.IsNot):
            same = same_value(self.machine, left, right, self.text.span(node))
            return same if isinstance(op, ast.Eq | ast.Is) else negate(same)
        symbol, function = _COMPARISONS[type(op)]
        refuse_scalarset_values(left, right)
        left, right = (one.index if isinstance(one, ProcessValue) else one for one in (left, right))
        if isinstance(left, int) and isinstance(right, int):
            return Const(int(function(left, right)))
        span = self.text.span(node)
        return Binary(symbol, number(left, span), number(right, span), span)

    def _contains(self, holder: Any, value: Any, node: ast.AST) -> Expression:
        if isinstance(holder, Place) and isinstance(holder.kind, BagType | FifoType | SetType):
            return contains(self.machine, holder, value)
        if isinstance(holder, Listing):
            return self._listed_in(holder, value, node)
        members = parts(self, holder)
        if members is None or isinstance(holder, Rounds):
            raise Refused(f"'in' needs a container, a range or a tuple, not {describe(holder)}")
        first = [evaluation_of(risk) for risk in risks((value, holder))]
        span = self.text.span(node)
        members = [self.machine.load(one) for one in members]
        return all_of([*first, any_of(same_value(self.machine, one, value, span) for one in members)])

    def _listed_in(self, holder: Listing, value: Any, node: ast.AST) -> Expression:
        first = [evaluation_of(risk) for risk in risks((value, holder))]
        span = self.text.span(node)
        same = (conjoin(one.present, same_value(self.machine, one.value, value, span)) for one in holder.members)
        return all_of([*first, any_of(same)])


def _refuse_huge(bits: int) -> None:
    """Raise `Refused` for a constant of too many bits before it is computed: it takes long and fits no variable."""
    if bits > _MOST_BITS:
        raise Refused("the number does not fit 64 bits")


def _is_truth(value: Any) -> bool:
    return isinstance(value, bool) or (isinstance(value, Symbol) and value.kind == BOOL)
