"""Expressions over the variables of a System: immutable integer-valued trees.

Values are exact integers; the result of every operator must fit 64 bits signed. What cannot be evaluated is a
*fault* of the model, never a silent wrong value:

- an array index outside the array,
- a division or remainder by zero,
- a shift by a negative amount or by more than 63,
- a result that does not fit 64 bits.

Truth is 0 or 1; any other non-zero value counts as true. `and`, `or`, `imply` and `Choice` evaluate only what they
need, so `i < 4 and a[i] == 0` cannot fault. Division truncates towards zero and the remainder has the dividend's
sign, as in C and DVE; `//` and `mod` are Python's floor versions.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from strandline.model.system import Variable
    from strandline.source import Span

COMPARISONS = frozenset({"==", "!=", "<", "<=", ">", ">="})
LOGICAL = frozenset({"and", "or", "imply"})
ARITHMETIC = frozenset({"+", "-", "*", "/", "%", "//", "mod", "&", "|", "^", "<<", ">>"})
BINARY_OPERATORS = COMPARISONS | LOGICAL | ARITHMETIC
UNARY_OPERATORS = frozenset({"-", "~", "not"})


@dataclass(frozen=True, slots=True)
class Const:
    """A literal integer."""

    value: int


@dataclass(frozen=True, slots=True)
class Read:
    """The value of a scalar variable."""

    variable: Variable
    span: Span | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Element:
    """One element of an array variable; faults when the index is outside it."""

    variable: Variable
    index: Expression
    span: Span | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Unary:
    """`-`, `~` (bitwise complement) or `not`."""

    operator: str
    operand: Expression
    span: Span | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Binary:
    """Any operator of `BINARY_OPERATORS`."""

    operator: str
    left: Expression
    right: Expression
    span: Span | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Choice:
    """`then` where the condition is true, else `otherwise`; the other branch is not evaluated."""

    condition: Expression
    then: Expression
    otherwise: Expression


Expression: TypeAlias = Const | Read | Element | Unary | Binary | Choice

TRUE = Const(1)
FALSE = Const(0)


def children(expression: Expression) -> tuple[Expression, ...]:
    """The direct sub-expressions, left to right."""
    match expression:
        case Element(index=index):
            return (index,)
        case Unary(operand=operand):
            return (operand,)
        case Binary(left=left, right=right):
            return (left, right)
        case Choice(condition=condition, then=then, otherwise=otherwise):
            return (condition, then, otherwise)
        case _:
            return ()


def walk(expression: Expression) -> Iterator[Expression]:
    """The expression and everything below it, without recursion; a part that is shared comes once."""
    stack = [expression]
    seen: set[int] = set()
    while stack:
        node = stack.pop()
        if id(node) not in seen:
            seen.add(id(node))
            yield node
            stack.extend(reversed(children(node)))


def variables_read(expression: Expression) -> set[Variable]:
    """Every variable whose value the expression may depend on."""
    return {node.variable for node in walk(expression) if isinstance(node, Read | Element)}


def conjunction(*parts: Expression | None) -> Expression | None:
    """The parts joined by `and`, left to right; None stands for true and vanishes."""
    joined: Expression | None = None
    for part in parts:
        if part is not None:
            joined = part if joined is None else Binary("and", joined, part)
    return joined


_PRECEDENCE = {"imply": 1, "or": 2, "and": 3, "|": 4, "^": 5, "&": 6, "==": 7, "!=": 7}
_PRECEDENCE |= dict.fromkeys(["<", "<=", ">", ">="], 8) | {"<<": 9, ">>": 9, "+": 10, "-": 10}
_PRECEDENCE |= dict.fromkeys(["*", "/", "%", "//", "mod"], 11)


def render(expression: Expression) -> str:
    """Text for people: the model's own names, no more parentheses than needed."""
    return _render(expression, 0)


def _render(expression: Expression, outer: int) -> str:
    match expression:
        case Const(value=value):
            return str(value)
        case Read(variable=variable):
            return variable.name
        case Element(variable=variable, index=index):
            return f"{variable.name}[{_render(index, 0)}]"
        case Unary(operator=operator, operand=operand):
            inner = _render(operand, 12)
            return f"{operator}{' ' if operator == 'not' or inner.startswith('-') else ''}{inner}"
        case Binary(operator="==", left=Read(variable=variable), right=Const(value=value)) if variable.names:
            name = variable.show(value)
            located = variable.is_location and 0 <= value < len(variable.names)
            return f"{variable.owner}.{name}" if located else f"{variable.name} == {name}"
        case Binary(operator=operator, left=left, right=right):
            level = _PRECEDENCE[operator]
            text = f"{_render(left, level)} {operator} {_render(right, level + 1)}"
            return f"({text})" if level < outer else text
        case Choice(condition=condition, then=then, otherwise=otherwise):
            return f"({_render(condition, 1)} ? {_render(then, 1)} : {_render(otherwise, 1)})"
