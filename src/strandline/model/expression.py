"""Expressions over the variables of a System: immutable, integer-valued, with shared parts.

Values are exact integers; the result of every operator must fit 64 bits signed. What cannot be evaluated is a
*fault* of the model, never a silent wrong value:

- an array index outside the array,
- a division or remainder by zero,
- a shift by a negative amount or by more than 63,
- a result that does not fit 64 bits,
- whatever a language puts as `Undefined` where its own rules give no value.

Truth is 0 or 1; any other non-zero value counts as true. `and`, `or`, `imply` and `Choice` evaluate only what they
need, so `i < 4 and a[i] == 0` cannot fault. Division truncates towards zero and the remainder has the dividend's
sign, as in C and DVE; `//` and `mod` are Python's floor versions.
"""

from __future__ import annotations

import gc
import sys
from array import array
from collections.abc import Callable, Container, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import reduce
from hashlib import sha256
from typing import TYPE_CHECKING, TypeAlias, TypeVar

if TYPE_CHECKING:
    from strandline.model.system import Variable
    from strandline.source import Span

Fact = TypeVar("Fact")

DEEPEST = 5000
"""Most levels of an expression that a language should build."""
_FRAMES = 12 * DEEPEST

_LONGEST_ROW = 1000

COMPARISONS = frozenset({"==", "!=", "<", "<=", ">", ">="})
LOGICAL = frozenset({"and", "or", "imply"})
ARITHMETIC = frozenset({"+", "-", "*", "/", "%", "//", "mod", "&", "|", "^", "<<", ">>"})
BINARY_OPERATORS = COMPARISONS | LOGICAL | ARITHMETIC
UNARY_OPERATORS = frozenset({"-", "~", "not"})

INDEX_FAULT = "array index out of range"
DIVISION_FAULT = "division by zero"
SHIFT_FAULT = "shift amount outside 0..63"
OVERFLOW_FAULT = "result does not fit 64 bits"
RANGE_FAULT = "value outside the variable's range"
"""The kind of the fault that an assignment of a value outside the variable's domain causes."""


class Node:
    """Base class of expressions.

    Two are equal if they mean the same, wherever they stand. Subexpressions may be shared, so that a small graph can
    represent a tree of any size: nothing here traverses it as a tree. Computed facts are cached in the node.
    """

    __slots__ = ("_declared", "_extent", "_hash", "_may_fault")
    _extent: tuple[int, int]

    def __hash__(self) -> int:
        return get_or_compute(self, "_hash", _digest)  # type: ignore[arg-type]

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if type(self) is not type(other) or hash(self) != hash(other):
            return False
        return _same(self, other)  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True, eq=False)
class Const(Node):
    """A literal integer."""

    value: int

    def __hash__(self) -> int:
        return hash(self.value)

    def __eq__(self, other: object) -> bool:
        return type(other) is Const and self.value == other.value


@dataclass(frozen=True, slots=True, eq=False)
class Read(Node):
    """The value of a scalar variable."""

    variable: Variable
    span: Span | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Element(Node):
    """One element of an array variable; faults when the index is outside it."""

    variable: Variable
    index: Expression
    span: Span | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Unary(Node):
    """`-`, `~` (bitwise complement) or `not`."""

    operator: str
    operand: Expression
    span: Span | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Binary(Node):
    """Any operator of `BINARY_OPERATORS`."""

    operator: str
    left: Expression
    right: Expression
    span: Span | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Choice(Node):
    """`then` where the condition is true, else `otherwise`; the other branch is not evaluated."""

    condition: Expression
    then: Expression
    otherwise: Expression


@dataclass(frozen=True, slots=True, eq=False)
class Undefined(Node):
    """An expression without a value: evaluating it is a fault, whose kind is the reason.

    It stands where evaluation only arrives if something is wrong: as one side of a `Choice`, or right of an `or`.
    """

    reason: str
    span: Span | None = None


class Table:
    """A constant table of 64-bit numbers. Compared by identity: there may be very many numbers."""

    __slots__ = ("_range", "symbol", "values")

    def __init__(self, values: Sequence[int]) -> None:
        self.values = tuple(values)
        self.symbol = f"table_{sha256(array('q', self.values)).hexdigest()[:24]}"
        """Its name, a hash of its content."""
        self._range = (min(0, *self.values), max(0, *self.values)) if self.values else (0, 0)

    @property
    def range(self) -> tuple[int, int]:
        """The least and the largest result of a lookup."""
        return self._range


@dataclass(frozen=True, slots=True, eq=False)
class Lookup(Node):
    """The number at an index of a constant table, counted from 0; 0 if the index is out of range."""

    table: Table
    index: Expression


Expression: TypeAlias = Const | Read | Element | Unary | Binary | Choice | Undefined | Lookup

TRUE = Const(1)
FALSE = Const(0)


def children(expression: Expression) -> tuple[Expression, ...]:
    """Return the direct subexpressions, left to right."""
    match expression:
        case Element(index=index) | Lookup(index=index):
            return (index,)
        case Unary(operand=operand):
            return (operand,)
        case Binary(left=left, right=right):
            return (left, right)
        case Choice(condition=condition, then=then, otherwise=otherwise):
            return (condition, then, otherwise)
        case _:
            return ()


def _own(expression: Expression) -> object:
    """Return the fields that distinguish a node from others with the same subexpressions; spans are not among them."""
    match expression:
        case Const(value=value):
            return value
        case Read(variable=variable) | Element(variable=variable):
            return variable
        case Unary(operator=operator) | Binary(operator=operator):
            return operator
        case Undefined(reason=reason):
            return reason
        case Lookup(table=table):
            return table
        case _:
            return None


def _digest(expression: Expression) -> int:
    return hash((type(expression), _own(expression), *map(hash, children(expression))))


def _same(first: Expression, second: Expression) -> bool:
    waiting, seen = [(first, second)], set()
    while waiting:
        one, other = waiting.pop()
        if one is other or (id(one), id(other)) in seen:
            continue
        if type(one) is not type(other) or _own(one) != _own(other):
            return False
        seen.add((id(one), id(other)))
        waiting += zip(children(one), children(other), strict=True)
    return True


def get_or_compute(expression: Expression, slot: str, compute: Callable[[Expression], Fact]) -> Fact:
    """Return a fact about the node from its cache slot; compute it bottom-up where it is missing.

    `compute` finds the slots of the children filled, so it needs no recursion.
    """
    try:
        return getattr(expression, slot)  # type: ignore[no-any-return]
    except AttributeError:
        waiting = [expression]
    while waiting:
        node = waiting[-1]
        missing = [child for child in children(node) if not hasattr(child, slot)]
        if missing:
            waiting += missing
        else:
            waiting.pop()
            object.__setattr__(node, slot, compute(node))
    return getattr(expression, slot)  # type: ignore[no-any-return]


def extent(expression: Expression) -> tuple[int, int]:
    """Return the size of the expression as a tree, in which shared parts count repeatedly, and its depth."""
    try:
        return expression._extent
    except AttributeError:
        return get_or_compute(expression, "_extent", _extent)


def size(expression: Expression) -> int:
    """Return the number of nodes of the expression as a tree."""
    return extent(expression)[0]


def depth(expression: Expression) -> int:
    """Return the depth of the expression."""
    return extent(expression)[1]


def _extent(expression: Expression) -> tuple[int, int]:
    below = [child._extent for child in children(expression)]
    return 1 + sum(size for size, _ in below), 1 + max((depth for _, depth in below), default=0)


@contextmanager
def deep_recursion() -> Iterator[None]:
    """Raise the recursion limit for readers of text that recurse a few times per level of an expression.

    Passes over expressions do not recurse; see `strandline.model.walk`.
    Python's own limit protects the C stack, which calls from Python to Python do not use.
    """
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, _FRAMES))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)


@contextmanager
def without_collecting() -> Iterator[None]:
    """Disable the garbage collector while many long-lived objects are made."""
    before = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if before:
            gc.enable()


def walk(expression: Expression) -> Iterator[Expression]:
    """Yield the expression and all its subexpressions, each once, without recursion."""
    stack = [expression]
    seen: set[int] = set()
    while stack:
        node = stack.pop()
        if id(node) not in seen:
            seen.add(id(node))
            yield node
            stack.extend(reversed(children(node)))


def upwards(expression: Expression, known: Container[int]) -> Iterator[Expression]:
    """Yield the expression and all its subexpressions bottom-up, each once, without recursion.

    Parts whose `id` is in `known` are skipped; the caller adds the yielded parts to it.
    """
    waiting = [(expression, False)]
    while waiting:
        node, opened = waiting.pop()
        if id(node) in known:
            continue
        if opened:
            yield node
        else:
            waiting.append((node, True))
            waiting += [(child, False) for child in reversed(children(node))]


def rebuild(expression: Expression, parts: Sequence[Expression]) -> Expression:
    """Return a copy of the node with other subexpressions; the node itself if they are the same."""
    if all(new is old for new, old in zip(parts, children(expression), strict=True)):
        return expression
    match expression:
        case Element(variable=variable, span=span):
            return Element(variable, parts[0], span)
        case Unary(operator=operator, span=span):
            return Unary(operator, parts[0], span)
        case Binary(operator=operator, span=span):
            return Binary(operator, parts[0], parts[1], span)
        case Lookup(table=table):
            return Lookup(table, parts[0])
        case _:
            return Choice(*parts)


def variables_read(expression: Expression) -> set[Variable]:
    """Return every variable on whose value the expression may depend."""
    return {node.variable for node in walk(expression) if isinstance(node, Read | Element)}


def row(operator: str, parts: Sequence[Expression], span: Span | None = None) -> Expression:
    """Combine parts, at least one, by an associative operator, grouped to the left.

    Very many parts become a tree of such chains, which is less deep.
    """
    if len(parts) <= _LONGEST_ROW:
        return reduce(lambda left, right: Binary(operator, left, right, span), parts)
    middle = len(parts) // 2
    return Binary(operator, row(operator, parts[:middle], span), row(operator, parts[middle:], span), span)


def conjuncts(expression: Expression) -> list[Expression]:
    """Return the conjuncts of an expression, left to right."""
    found, waiting = [], [expression]
    while waiting:
        part = waiting.pop()
        if isinstance(part, Binary) and part.operator == "and":
            waiting += [part.right, part.left]
        else:
            found.append(part)
    return found


def conjunction(*parts: Expression | None) -> Expression | None:
    """Return the conjunction of the parts, left to right; None stands for true and is left out."""
    joined: Expression | None = None
    for part in parts:
        if part is not None:
            joined = part if joined is None else Binary("and", joined, part)
    return joined
