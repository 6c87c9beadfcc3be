"""A neutral notation for expressions, in Python's syntax, which can express everything.

For example `x + a[2] * (P == 'idle')` or `a if c else b`. Variables have the names that the System gives them, with
dots; a name that is not of this form is written `var('name')`. A named value can be compared by name, and `P.idle` is
short for `P == 'idle'`. Operators that Python lacks are calls: `imply(a, b)`, `div(a, b)` and `rem(a, b)` (which
truncate, unlike Python's `//` and `%`), `fault('reason')`.
"""

from __future__ import annotations

import ast
import keyword
import re
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, NoReturn, TypeAlias

from strandline.errors import ModelError, ParseError, suggestion
from strandline.model.expression import (
    Binary,
    Choice,
    Const,
    Element,
    Expression,
    Read,
    Unary,
    Undefined,
    children,
    deep_recursion,
    rebuild,
    upwards,
)
from strandline.model.notation import Infix, Notation, Prefix, Write, render_place
from strandline.model.scope import Scope
from strandline.source import Source, Span

if TYPE_CHECKING:
    from strandline.model.system import Variable

_LARGEST = 1 << 63
_COMPARISON, _PRODUCT, _SIGN = 4, 10, 11
NOTATION = Notation(
    prefixes={"not": Prefix("not", 3, 3), "-": Prefix("-", _SIGN, _SIGN), "~": Prefix("~", _SIGN, _SIGN)},
    infixes={
        "or": Infix("or", 1),
        "and": Infix("and", 2),
        **{sign: Infix(sign, _COMPARISON, alone=True) for sign in ("==", "!=", "<", "<=", ">", ">=")},
        "|": Infix("|", 5),
        "^": Infix("^", 6),
        "&": Infix("&", 7),
        "<<": Infix("<<", 8),
        ">>": Infix(">>", 8),
        "+": Infix("+", 9),
        "-": Infix("-", 9),
        "*": Infix("*", _PRODUCT),
        "//": Infix("//", _PRODUCT),
        "mod": Infix("%", _PRODUCT),
    },
    choice="{then} if {condition} else {otherwise}",
    calls={"imply": "imply", "/": "div", "%": "rem"},
    undefined=lambda reason: f"fault({reason!r})",
)
_CALLS = {"imply": "imply", "div": "/", "rem": "%"}
_WRITTEN = {"&&": "and", "||": "or", "!": "not"}
_FOREIGN = re.compile(r"&&|\|\||!(?!=)")
"""Operators of other languages that Python does not have."""
_OPERATORS: dict[type[ast.AST], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.FloorDiv: "//",
    ast.Mod: "mod",
    ast.BitAnd: "&",
    ast.BitOr: "|",
    ast.BitXor: "^",
    ast.LShift: "<<",
    ast.RShift: ">>",
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.And: "and",
    ast.Or: "or",
    ast.Not: "not",
    ast.USub: "-",
    ast.Invert: "~",
}


Meaning: TypeAlias = "Callable[[Lowering, ast.expr], Expression | None]"
"""A function by which a language gives its own meaning to a syntax node; None for all other nodes.

It reports mistakes by `Lowering.fail`.
"""


class PlainScope(Scope):
    """A scope in which variables have the names that the System gives them."""

    def __init__(self, variables: Iterable[Variable]) -> None:
        self.variables = tuple(variables)

    @cached_property
    def _by_name(self) -> dict[str, Variable]:
        return {variable.name: variable for variable in self.variables}

    @cached_property
    def _names(self) -> dict[Variable, str]:
        return {variable: spell(variable.name) for variable in self.variables}

    def read(self, text: str, name: str) -> Expression:
        """Parse an expression. Raises `ParseError` or `ModelError`."""
        source, node = python_expression(text, name)
        return self.lower(node, source)

    def lower(self, node: ast.expr, source: Source, *, meaning: Meaning | None = None) -> Expression:
        """Lower a syntax tree to an expression. `meaning` is called first for every node."""
        with deep_recursion():
            return Lowering(self._by_name, source, meaning).value(node)

    def render(self, expression: Expression, *, longest: int | None = None) -> str:
        return NOTATION.write(expression, self.leaf, longest)

    def leaf(self, expression: Expression, write: Write) -> tuple[str, int] | None:
        """Render a variable, element or named value, with its precedence; return None for everything else."""
        match expression:
            case Binary(operator="==" | "!=" as sign, left=Read() | Element() as place, right=Const(value=value)):
                shown = value_name(place.variable, value)
                return None if shown is None else (f"{write(place)} {sign} {shown!r}", _COMPARISON)
            case _:
                return render_place(expression, self._names, write)


def with_meanings(expression: Expression, meant: Mapping[Variable, Expression]) -> Expression:
    """Replace variables that stand for expressions by these expressions."""
    if not meant:
        return expression
    done: dict[int, Expression] = {}
    for node in upwards(expression, done):
        if isinstance(node, Read) and node.variable in meant:
            done[id(node)] = meant[node.variable]
        else:
            done[id(node)] = rebuild(node, [done[id(part)] for part in children(node)])
    return done[id(expression)]


def value_name(variable: Variable, value: int) -> str | None:
    """Return the name of a variable's value, if it has one that no other value has."""
    names = variable.names or ()
    if not 0 <= value < len(names) or names.index(names[value]) != value or names == ("False", "True"):
        return None
    return names[value]


def spell(name: str) -> str:
    """Spell the name of a variable so that it can be parsed."""
    parts = name.split(".")
    plain = all(part.isidentifier() and not keyword.iskeyword(part) for part in parts)
    return name if plain else f"var({name!r})"


def python_expression(text: str, name: str) -> tuple[Source, ast.expr]:
    """Parse a text to a syntax tree whose columns are those of the text. Raises `ParseError`."""
    source = Source(name, text)
    try:
        with deep_recursion():
            tree = ast.parse(f"({text}\n)", mode="eval")
    except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
        foreign = _FOREIGN.search(text)
        if foreign is not None:
            written = f"'{foreign[0]}' is written '{_WRITTEN[foreign[0]]}' here"
            raise ParseError(f"not an expression: {written}", source, Span(*foreign.span())) from None
        if (getattr(error, "lineno", None) or 1) > text.count("\n") + 1:
            end = max(1, len(text.rstrip()))
            raise ParseError("not an expression: it ends too early", source, Span(end - 1, end)) from None
        message, offset = getattr(error, "msg", str(error)), getattr(error, "offset", None)
        start = max(0, min((offset or 2) - 2, max(0, len(text) - 1)))
        raise ParseError(f"not an expression: {message}", source, Span(start, start + 1)) from None
    # A parenthesis in front lets an expression span several lines; columns are shifted back by it.
    for node in ast.walk(tree):
        if getattr(node, "lineno", 0) == 1:
            node.col_offset -= 1  # type: ignore[attr-defined]
            if node.end_lineno == 1:  # type: ignore[attr-defined]
                node.end_col_offset -= 1  # type: ignore[attr-defined]
    return source, tree.body


class Lowering:
    """Lowers syntax trees of one text to expressions."""

    def __init__(self, variables: Mapping[str, Variable], source: Source, meaning: Meaning | None = None) -> None:
        self.variables, self.source, self.meaning = variables, source, meaning
        self.lines = source.text.splitlines(keepends=True)

    def value(self, node: ast.expr) -> Expression:
        """Return the expression that a node means."""
        meant = None if self.meaning is None else self.meaning(self, node)
        return self._value(node) if meant is None else meant

    def _value(self, node: ast.expr) -> Expression:
        match node:
            case ast.Constant(value=bool() | int() as number):
                return self._number(int(number), node)
            case ast.Name() | ast.Attribute() | ast.Subscript():
                return self._place(node)
            case ast.UnaryOp(op=operator, operand=operand) if type(operator) in _OPERATORS:
                return self._lower_unary(node, _OPERATORS[type(operator)], operand)
            case ast.BinOp(left=left, op=operator, right=right) if type(operator) in _OPERATORS:
                return Binary(_OPERATORS[type(operator)], self.value(left), self.value(right), self.span(node))
            case ast.BoolOp(op=operator, values=[first, *others]):
                found = self.value(first)
                for other in others:
                    found = Binary(_OPERATORS[type(operator)], found, self.value(other), self.span(node))
                return found
            case ast.Compare(left=left, ops=[operator], comparators=[right]) if type(operator) in _OPERATORS:
                return self._lower_comparison(node, _OPERATORS[type(operator)], left, right)
            case ast.Compare():
                self.fail("comparisons cannot stand in a row; join them by 'and'", node)
            case ast.IfExp(test=test, body=body, orelse=otherwise):
                return Choice(self.value(test), self.value(body), self.value(otherwise))
            case ast.Call():
                return self._call(node)
        self.fail("this is no part of an expression over the variables of a model", node)

    def _number(self, value: int, node: ast.expr) -> Const:
        if not -_LARGEST <= value < _LARGEST:
            self.fail("the number does not fit 64 bits", node)
        return Const(value)

    def _lower_unary(self, node: ast.UnaryOp, operator: str, operand: ast.expr) -> Expression:
        literal = isinstance(operand, ast.Constant) and isinstance(operand.value, int)
        adjacent = operand.col_offset == node.col_offset + 1 and operand.lineno == node.lineno
        if operator == "-" and literal and adjacent:
            return self._number(-operand.value, node)  # type: ignore[attr-defined]
        return Unary(operator, self.value(operand), self.span(node))

    def _lower_comparison(self, node: ast.expr, operator: str, left: ast.expr, right: ast.expr) -> Expression:
        match right:
            case ast.Constant(value=str() as name):
                place = self.value(left)
                names = place.variable.names or () if isinstance(place, Read | Element) else ()
                if name not in names:
                    self.fail(f"there is no value '{name}' here" + suggestion(name, names), right)
                return Binary(operator, place, Const(names.index(name)), self.span(node))
        return Binary(operator, self.value(left), self.value(right), self.span(node))

    # Names

    def _place(self, node: ast.expr) -> Expression:
        match node:
            case ast.Subscript(value=array, slice=index):
                variable = self._variable(array)
                if variable.length is None:
                    self.fail(f"'{variable.name}' is not an array", array)
                return Element(variable, self.value(index), self.span(node))
        name = _dotted_name(node)
        owner, _, last = name.rpartition(".")
        location = self.variables.get(owner)
        if name not in self.variables and location is not None and last in (location.names or ()):
            return Binary("==", Read(location), Const((location.names or ()).index(last)), self.span(node))
        return self._read(self._variable(node), node)

    def _read(self, variable: Variable, node: ast.expr) -> Expression:
        if variable.length is not None:
            self.fail(f"'{variable.name}' is an array and needs an index", node)
        return Read(variable, self.span(node))

    def _variable(self, node: ast.expr) -> Variable:
        match node:
            case ast.Call(func=ast.Name(id="var"), args=[ast.Constant(value=str() as name)], keywords=[]):
                pass
            case _:
                name = _dotted_name(node)
                if not name:
                    self.fail("this is not the name of a variable", node)
        if name not in self.variables:
            self.fail(f"unknown name '{name}'" + suggestion(name, self.variables), node)
        return self.variables[name]

    def _call(self, node: ast.Call) -> Expression:
        match node:
            case ast.Call(func=ast.Name(id="var")):
                return self._read(self._variable(node), node)
            case ast.Call(func=ast.Name(id="fault"), args=[ast.Constant(value=str() as reason)], keywords=[]):
                return Undefined(reason, self.span(node))
            case ast.Call(func=ast.Name(id=name), args=[left, right], keywords=[]) if name in _CALLS:
                return Binary(_CALLS[name], self.value(left), self.value(right), self.span(node))
        self.fail("only imply, div, rem, fault and var can be called here", node)

    # Places

    def span(self, node: ast.expr) -> Span:
        """Return the span of a node in the text."""
        last, end = node.end_lineno or node.lineno, node.end_col_offset
        return Span(self._offset(node.lineno, node.col_offset), self._offset(last, end or node.col_offset + 1))

    def _offset(self, line: int, column: int) -> int:
        """Return the offset of a line and a column, which counts bytes."""
        before = sum(len(one) for one in self.lines[: line - 1])
        here = self.lines[line - 1] if line <= len(self.lines) else ""
        return before + len(here.encode()[:column].decode(errors="replace"))

    def fail(self, message: str, node: ast.expr) -> NoReturn:
        """Raise `ModelError` at a node."""
        raise ModelError(message, self.source, self.span(node))


def _dotted_name(node: ast.expr) -> str:
    """Return `a.b.c`; the empty string for anything else."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return ".".join(reversed([*parts, node.id])) if isinstance(node, ast.Name) else ""
