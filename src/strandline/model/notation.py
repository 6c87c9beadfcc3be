"""Render expressions as text, by tables of operators and precedences that each language provides.

A complete text has no more parentheses than its language needs and can be parsed back. A very large expression can be
abbreviated for people; that text cannot be parsed.
"""

# The type checker does not know the results that walks get by `yield`.
# mypy: no-warn-return-any

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, NoReturn

from strandline.errors import InternalError
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
    size,
)
from strandline.model.walk import Walk, walk_down

if TYPE_CHECKING:
    from strandline.model.system import Variable

LONGEST = 40_000
"""Most nodes of an expression that are rendered for people; parts beyond them are left out."""
STRONGEST = 100
"""The precedence of a name, a number, or an expression in parentheses."""

Write = Callable[[Expression], str]
Leaf = Callable[[Expression, Write], tuple[str, int] | None]
"""A function that renders the expressions for which a language has a name; returns text and precedence.

Its second argument renders subexpressions.
"""


@dataclass(frozen=True, slots=True)
class Prefix:
    """A prefix operator of a language: its spelling, its precedence, and the least precedence of its operand."""

    spelling: str
    strength: int
    wanted: int


@dataclass(frozen=True, slots=True)
class Infix:
    """An infix operator of a language, which associates to the left unless it cannot be chained."""

    spelling: str
    strength: int
    alone: bool = False
    """True if it cannot be an operand of an operator of the same precedence, not even on the left."""
    unmixed: bool = False
    """True if all operators in a chain of this precedence must be the same."""


@dataclass(frozen=True, slots=True)
class Notation:
    """The operators of a language. Those that are in no table are rendered as calls: `imply(a, b)`."""

    prefixes: Mapping[str, Prefix]
    infixes: Mapping[str, Infix]
    choice: str | None = None
    """The template of a conditional, with `{condition}`, `{then}` and `{otherwise}`."""
    calls: Mapping[str, str] | None = None
    undefined: Callable[[str], str] | None = None
    """A function that renders an undefined value, given its reason."""

    def write(self, expression: Expression, leaf: Leaf, longest: int | None = None) -> str:
        """Render the expression.

        `leaf` is called first for every part: it renders names, and returns None for the others. With `longest`, parts
        of an expression with more nodes are left out.
        """
        return walk_down(_Renderer(self, leaf).text(expression, 0, longest))


class _Wanted(Exception):
    """Raised while a language's function renders a leaf and asks for the text of a part that is not rendered yet."""

    def __init__(self, part: Expression) -> None:
        super().__init__()
        self.part = part


class _Renderer:
    def __init__(self, notation: Notation, leaf: Leaf) -> None:
        self.notation, self.leaf = notation, leaf

    def text(self, expression: Expression, wanted: int, most: int | None) -> Walk[str]:
        """Render an operand of a least precedence; in parentheses if it has a lower one."""
        if most is not None and size(expression) > most:
            most //= max(len(children(expression)), 1)
            if most < LONGEST >> 10:
                return "..."
        text, strength = yield self._render(expression, most)
        return f"({text})" if strength < wanted else text

    def _render(self, expression: Expression, most: int | None) -> Walk[tuple[str, int]]:
        """Return the text and its precedence."""
        known = yield self._render_leaf(expression, most)
        if known is not None:
            return known
        match expression:
            case Const(value=value):
                return str(value), STRONGEST if value >= 0 else self.notation.prefixes["-"].strength
            case Unary(operator=operator, operand=operand):
                return (yield self._render_prefix(operator, operand, most))
            case Binary(operator=operator, left=left, right=right):
                return (yield self._render_infix(operator, left, right, most))
            case Choice(condition=condition, then=then, otherwise=otherwise) if self.notation.choice is not None:
                texts = {}
                for name, part in (("condition", condition), ("then", then), ("otherwise", otherwise)):
                    texts[name] = yield self.text(part, 1, most)
                return self.notation.choice.format_map(texts), 0
            case Undefined(reason=reason) if self.notation.undefined is not None:
                return self.notation.undefined(reason), STRONGEST
        return self._unknown(type(expression).__name__)

    def _render_leaf(self, expression: Expression, most: int | None) -> Walk[tuple[str, int] | None]:
        """Render an expression that has a name in the language; repeat that when a part it asked for is rendered."""
        texts: dict[Expression, str] = {}

        def write(part: Expression) -> str:
            if part not in texts:
                raise _Wanted(part)
            return texts[part]

        while True:
            try:
                return self.leaf(expression, write)
            except _Wanted as wanted:
                part = wanted.part
            texts[part] = yield self.text(part, 0, most)

    def _render_prefix(self, operator: str, operand: Expression, most: int | None) -> Walk[tuple[str, int]]:
        prefix = self.notation.prefixes.get(operator)
        if prefix is None:
            return (yield self._render_call(operator, (operand,), most))
        inner = yield self.text(operand, prefix.wanted, most)
        # Keep the parentheses: `-(1)` is an operator, `-1` a literal.
        if operator == "-" and isinstance(operand, Const):
            inner = f"({operand.value})"
        blank = " " if prefix.spelling.isalpha() or inner.startswith(prefix.spelling) else ""
        return f"{prefix.spelling}{blank}{inner}", prefix.strength

    def _render_infix(
        self, operator: str, left: Expression, right: Expression, most: int | None
    ) -> Walk[tuple[str, int]]:
        infix = self.notation.infixes.get(operator)
        if infix is None:
            return (yield self._render_call(operator, (left, right), most))
        least = infix.strength + (infix.alone or (infix.unmixed and self._is_other_operator(left, operator)))
        first = yield self.text(left, least, most)
        second = yield self.text(right, self._right_precedence(infix, right), most)
        return f"{first} {infix.spelling} {second}", infix.strength

    def _right_precedence(self, infix: Infix, right: Expression) -> int:
        """Return the least precedence that the right operand may have without parentheses.

        A prefix operator there is unambiguous.
        """
        return infix.strength if isinstance(right, Unary) else infix.strength + 1

    def _is_other_operator(self, operand: Expression, operator: str) -> bool:
        """Return True if the operand is another operator of the same precedence."""
        if not isinstance(operand, Binary) or operand.operator == operator:
            return False
        infixes = self.notation.infixes
        return operand.operator in infixes and infixes[operand.operator].strength == infixes[operator].strength

    def _render_call(self, operator: str, operands: tuple[Expression, ...], most: int | None) -> Walk[tuple[str, int]]:
        name = (self.notation.calls or {}).get(operator)
        if name is None:
            return self._unknown(operator)
        texts = []
        for operand in operands:
            texts.append((yield self.text(operand, 0, most)))
        return f"{name}({', '.join(texts)})", STRONGEST

    def _unknown(self, what: str) -> NoReturn:
        raise InternalError(f"the model's language has no words for '{what}'")


def render_place(expression: Expression, names: Mapping[Variable, str], write: Write) -> tuple[str, int] | None:
    """Render a variable or an array element by the names that variables have in the language."""
    match expression:
        case Read(variable=variable):
            return names[variable], STRONGEST
        case Element(variable=variable, index=index):
            return f"{names[variable]}[{write(index)}]", STRONGEST
        case _:
            return None
