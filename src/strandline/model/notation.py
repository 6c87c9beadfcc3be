"""Expressions as text: what all languages have in common. Each says how strong its operators are, and its names.

A text is complete and has no more parentheses than its language needs, so that it can be read back. What is vast can be
cut short for people; such a text cannot.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

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
    deep_recursion,
    size,
)

if TYPE_CHECKING:
    from strandline.model.system import Variable

LONGEST = 40_000
"""Nodes that are written out of one expression for people; beyond them parts are left out."""
STRONGEST = 100
"""A name, a number, something in parentheses."""

Write = Callable[[Expression], str]
Leaf = Callable[[Expression, Write], tuple[str, int] | None]
"""What a language has a name for: its text and how strong that is. The other function writes parts of it."""


@dataclass(frozen=True, slots=True)
class Prefix:
    """An operator in front of its operand: how it is spelled, how strong it is where it is an operand itself, and how
    strong its operand must be."""

    spelling: str
    strength: int
    wanted: int


@dataclass(frozen=True, slots=True)
class Infix:
    """An operator between its operands, which groups to the left unless it cannot stand in a row."""

    spelling: str
    strength: int
    alone: bool = False
    """It cannot stand beside one of the same strength, not even in front of it."""
    unmixed: bool = False
    """In a row of the same strength all must be the same operator."""


@dataclass(frozen=True, slots=True)
class Notation:
    """A language's operators. Those that are in no table are written as `calls`, as in `imply(a, b)`."""

    prefixes: Mapping[str, Prefix]
    infixes: Mapping[str, Infix]
    choice: str | None = None
    """A conditional, with `{condition}`, `{then}` and `{otherwise}` in it."""
    calls: Mapping[str, str] | None = None
    undefined: Callable[[str], str] | None = None
    """How the reason of what has no value is written."""

    def write(self, expression: Expression, leaf: Leaf, longest: int | None = None) -> str:
        """The expression. `leaf` is asked first, of every part: it writes names, and answers None for the others. With
        `longest`, parts of what has more nodes are left out."""
        with deep_recursion():
            return _Writing(self, leaf).text(expression, 0, longest)


class _Writing:
    def __init__(self, notation: Notation, leaf: Leaf) -> None:
        self.notation, self.leaf = notation, leaf

    def text(self, expression: Expression, wanted: int, most: int | None) -> str:
        """The text of an operand that must be so strong; in parentheses where it is weaker."""
        if most is not None and size(expression) > most:
            most //= max(len(children(expression)), 1)
            if most < LONGEST >> 10:
                return "..."
        text, strength = self._written(expression, most)
        return f"({text})" if strength < wanted else text

    def _written(self, expression: Expression, most: int | None) -> tuple[str, int]:
        """A text and how strong it is."""
        known = self.leaf(expression, lambda part: self.text(part, 0, most))
        if known is not None:
            return known
        match expression:
            case Const(value=value):
                return str(value), STRONGEST if value >= 0 else self.notation.prefixes["-"].strength
            case Unary(operator=operator, operand=operand):
                return self._prefixed(operator, operand, most)
            case Binary(operator=operator, left=left, right=right):
                return self._joined(operator, left, right, most)
            case Choice(condition=condition, then=then, otherwise=otherwise) if self.notation.choice is not None:
                parts = {"condition": condition, "then": then, "otherwise": otherwise}
                texts = {name: self.text(part, 1, most) for name, part in parts.items()}
                return self.notation.choice.format_map(texts), 0
            case Undefined(reason=reason) if self.notation.undefined is not None:
                return self.notation.undefined(reason), STRONGEST
        return self._unknown(type(expression).__name__)

    def _prefixed(self, operator: str, operand: Expression, most: int | None) -> tuple[str, int]:
        prefix = self.notation.prefixes.get(operator)
        if prefix is None:
            return self._call(operator, (operand,), most)
        inner = self.text(operand, prefix.wanted, most)
        # What stands in parentheses is no literal: `-(1)` is an operator, `-1` a number.
        if operator == "-" and isinstance(operand, Const):
            inner = f"({operand.value})"
        blank = " " if prefix.spelling.isalpha() or inner.startswith(prefix.spelling) else ""
        return f"{prefix.spelling}{blank}{inner}", prefix.strength

    def _joined(self, operator: str, left: Expression, right: Expression, most: int | None) -> tuple[str, int]:
        infix = self.notation.infixes.get(operator)
        if infix is None:
            return self._call(operator, (left, right), most)
        first = infix.strength + (infix.alone or (infix.unmixed and self._differs(left, operator)))
        texts = self.text(left, first, most), self.text(right, self._behind(infix, right), most)
        return f" {infix.spelling} ".join(texts), infix.strength

    def _behind(self, infix: Infix, right: Expression) -> int:
        """How strong the right operand must be; a prefix ends what is on its left anyway."""
        return infix.strength if isinstance(right, Unary) else infix.strength + 1

    def _differs(self, operand: Expression, operator: str) -> bool:
        """Whether the operand is another operator of the same strength."""
        if not isinstance(operand, Binary) or operand.operator == operator:
            return False
        infixes = self.notation.infixes
        return operand.operator in infixes and infixes[operand.operator].strength == infixes[operator].strength

    def _call(self, operator: str, operands: tuple[Expression, ...], most: int | None) -> tuple[str, int]:
        name = (self.notation.calls or {}).get(operator)
        if name is None:
            return self._unknown(operator)
        return f"{name}({', '.join(self.text(one, 0, most) for one in operands)})", STRONGEST

    def _unknown(self, what: str) -> tuple[str, int]:
        raise InternalError(f"the model's language has no words for '{what}'")


def stored(expression: Expression, names: Mapping[Variable, str], write: Write) -> tuple[str, int] | None:
    """A variable or an element of an array, by the names that variables have in the language."""
    match expression:
        case Read(variable=variable):
            return names[variable], STRONGEST
        case Element(variable=variable, index=index):
            return f"{names[variable]}[{write(index)}]", STRONGEST
        case _:
            return None
