"""Expressions over a LOTUS model: equations between variables and values, Boolean operators, arithmetic.

    body = Full & !(state = Busy)        `==` is the same as `=`
    2 * (body = Full) + week

On one side of an equation a word or a number is a value of the variable on the other side, if that variable has such a
value; else a word is a variable, and a number is refused. `(word)` is always a variable, and `(3)` can be any number.
Two variables are equal if their values are, whatever their types. A variable with values that are words can be compared
by `=` and `!=` only; `position(x)` is the position of its value in the type, counted from 0.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from strandline.errors import ModelError, ParseError, suggestion
from strandline.languages.lotus.syntax import Type
from strandline.model.expression import FALSE, Binary, Const, Expression, Read, Unary, deep_recursion, row
from strandline.model.notation import STRONGEST, Infix, Notation, Prefix, Write
from strandline.model.scope import Evaluate, Scope
from strandline.model.system import Variable
from strandline.scanner import Scanner, Token
from strandline.source import Source, Span

_COMPARISON, _SIGN = 4, 7
_SPELLED = {"->": "imply", "|": "or", "||": "or", "&": "and", "&&": "and", "=": "==", "!": "not"}
"""Operators that LOTUS spells differently from `strandline.model.expression`."""
NOTATION = Notation(
    prefixes={"not": Prefix("!", _SIGN, _SIGN), "-": Prefix("-", _SIGN, _SIGN)},
    infixes={
        "imply": Infix("->", 1, alone=True),
        "or": Infix("|", 2),
        "and": Infix("&", 3),
        "==": Infix("=", _COMPARISON, alone=True),
        **{sign: Infix(sign, _COMPARISON, alone=True) for sign in ("!=", "<", "<=", ">", ">=")},
        "+": Infix("+", 5),
        "-": Infix("-", 5),
        "*": Infix("*", 6),
        "/": Infix("/", 6),
        "%": Infix("%", 6),
    },
)
POSITION = "position"
_LONGEST = 100
"""The most digits of a number that is parsed; its range is checked with the whole expression."""
_TOKEN = re.compile(r"\s*(->|&&|\|\||[!<>=]=|[-+*/%!&|<>=()]|\d+|[A-Za-z_]\w*|$)")


class LotusScope(Scope):
    """Parses and renders expressions over a LOTUS model."""

    equality = "="

    def __init__(self, types: Mapping[Variable, Type]) -> None:
        self.types = dict(types)
        self.variables = {variable.name: variable for variable in types}

    def read(self, text: str, name: str) -> Expression:
        """Parse an expression; raises `ParseError` or `ModelError`."""
        source = Source(name, text)
        with deep_recursion():
            return _Parser(source, self).whole()

    def question(self, text: str, *, name: str = "expression") -> Callable[[Evaluate], Any]:
        """Parse a question about a state: an expression, or any variable, also one whose values are words."""
        variable = self.variables.get(text.strip())
        if variable is not None:
            return lambda evaluate: variable.value(evaluate(Read(variable)))
        return super().question(text, name=name)

    def render(self, expression: Expression, *, longest: int | None = None) -> str:
        return NOTATION.write(expression, self._leaf, longest)

    def _leaf(self, expression: Expression, write: Write) -> tuple[str, int] | None:
        match expression:
            case Read(variable=variable) if variable.names is not None:
                return f"{POSITION}({variable.name})", STRONGEST
            case Read(variable=variable):
                return variable.name, STRONGEST
            case Binary(operator="==" | "!=" as operator, left=Read(variable=variable), right=Const(value=value)):
                sign = NOTATION.infixes[operator].spelling
                names = variable.names
                if names is not None:
                    known = value in range(len(names))
                    return (f"{variable.name} {sign} {names[value]}", _COMPARISON) if known else None
                known = value in (self.types[variable].numbers or ())
                return f"{variable.name} {sign} {value if known else f'({value})'}", _COMPARISON
        return None


class _Operand(NamedTuple):
    """One side of an operator: an expression, or a word whose meaning depends on the other side."""

    expression: Expression | None
    """The expression; None for a variable or an unknown word, which may be a value of the other side's variable."""
    span: Span
    word: str | None = None
    """The word or number, if it has no parentheses and so may be a value of the other side's variable."""
    variable: Variable | None = None
    """The variable, if the operand is one, in parentheses or not."""


class _Parser(Scanner):
    """An operator-precedence parser; it recurses for nesting only."""

    def __init__(self, source: Source, scope: LotusScope) -> None:
        super().__init__(source, _TOKEN)
        self.variables, self.types = scope.variables, scope.types

    def whole(self) -> Expression:
        """Parse the whole text."""
        operand = self._row(0)
        if self.here.text:
            raise ParseError(f"unexpected '{self.here.text}'", self.source, self.here.span)
        return self._number(operand)

    def _row(self, weakest: int) -> _Operand:
        """Parse operands joined by operators of a higher precedence than `weakest`."""
        left = self._operand()
        while True:
            operator = _SPELLED.get(self.here.text, self.here.text)
            infix = NOTATION.infixes.get(operator)
            if infix is None or infix.strength <= weakest:
                return left
            token = self.next()
            right = self._row(infix.strength)
            left = _Operand(self._join(operator, left, right, token.span), left.span.to(right.span))
            again = NOTATION.infixes.get(_SPELLED.get(self.here.text, self.here.text))
            if infix.alone and again is not None and again.strength == infix.strength:
                message = f"'{self.here.text}' cannot follow '{token.text}'; write parentheses"
                raise ParseError(message, self.source, self.here.span)

    def _join(self, operator: str, left: _Operand, right: _Operand, span: Span) -> Expression:
        if operator in ("==", "!="):
            found = self._equation(operator, left, right, span) or self._equation(operator, right, left, span)
            if found is not None:
                return found
        return Binary(operator, self._number(left), self._number(right), span)

    # --- values -------------------------------------------------------------------------------------------------

    def _equation(self, operator: str, one: _Operand, other: _Operand, span: Span) -> Expression | None:
        """Return `one = other` (or `!=`) lowered, if it compares a variable with a value or with another variable.

        Returns None if the equation compares numbers.
        """
        variable = one.variable
        if variable is None:
            return None
        kind = self.types[variable]
        if other.word is not None:
            value = kind.number(other.word)
            if value is not None:
                return Binary(operator, Read(variable, one.span), Const(value), span)
            if other.variable is None:
                message = f"there is no value of '{variable.name}' '{other.word}'{suggestion(other.word, kind.values)}"
                raise ModelError(message, self.source, other.span)
        second = other.variable
        if second is None or (one.word is not None and self.types[second].number(one.word) is not None):
            return None
        if variable.names == second.names:
            return Binary(operator, Read(variable, one.span), Read(second, other.span), span)
        return self._same(operator, variable, second, span)

    def _same(self, operator: str, one: Variable, other: Variable, span: Span) -> Expression:
        """Return the comparison of two variables of different types, equal if their values are the same words."""
        if one.names is None:
            one, other = other, one
        pairs = [
            (number, value)
            for number, word in enumerate(one.names or ())
            if (value := self.types[other].number(word)) is not None
        ]
        both = [
            Binary("and", Binary("==", Read(one), Const(number), span), Binary("==", Read(other), Const(value), span))
            for number, value in pairs
        ]
        same = row("or", both) if both else FALSE
        return same if operator == "==" else Unary("not", same, span)

    def _number(self, operand: _Operand) -> Expression:
        """Return an operand as a number or condition; raises `ModelError` for a word."""
        variable = operand.variable
        if operand.expression is not None:
            return operand.expression
        if variable is None:
            message = f"there is no variable '{operand.word}'{suggestion(operand.word or '', self.variables)}"
            raise ModelError(message, self.source, operand.span)
        if variable.names is not None:
            example = f"{variable.name} = {variable.names[0]}"
            message = (
                f"the values of '{variable.name}' are words: compare it with one of them, as in '{example}'; the place "
                f"of its value among them is '{POSITION}({variable.name})'"
            )
            raise ModelError(message, self.source, operand.span)
        return Read(variable, operand.span)

    # --- operands -----------------------------------------------------------------------------------------------

    def _operand(self) -> _Operand:
        token = self.here
        if token.text in ("!", "-"):
            return self._parse_prefix(self.next())
        if token.text == "(":
            inner = self._parse_parentheses()
            if inner.variable is None and inner.expression is None:
                self._number(inner)
            return inner._replace(word=None)
        if token.text.isdigit():
            return _Operand(self._constant(self.next()), token.span, token.text)
        if not re.fullmatch(r"[A-Za-z_]\w*", token.text):
            found = f"'{token.text}'" if token.text else "the end"
            raise ParseError(f"expected a variable or a number, found {found}", self.source, token.span)
        self.next()
        if token.text == POSITION and self.here.text == "(":
            return self._position()
        return _Operand(None, token.span, token.text, self.variables.get(token.text))

    def _parse_parentheses(self) -> _Operand:
        opening = self.next()
        inner = self._row(0)
        if self.here.text != ")":
            raise ParseError("the parenthesis is never closed", self.source, opening.span)
        self.next()
        return inner

    def _position(self) -> _Operand:
        """Parse `position(x)`, the number that represents the value of variable x in a state."""
        inner = self._parse_parentheses()
        if inner.variable is None:
            raise ModelError(f"'{POSITION}' expects a variable", self.source, inner.span)
        return _Operand(Read(inner.variable, inner.span), inner.span)

    def _constant(self, token: Token) -> Const:
        if len(token.text) > _LONGEST:
            raise ParseError("the number does not fit 64 bits", self.source, token.span)
        return Const(int(token.text))

    def _parse_prefix(self, token: Token) -> _Operand:
        if token.text == "-" and self.here.text.isdigit() and self.here.span.start == token.span.end:
            number = self.next()
            return _Operand(Const(-self._constant(number).value), token.span.to(number.span), f"-{number.text}")
        operand = self._operand()
        negated = Unary(_SPELLED.get(token.text, token.text), self._number(operand), token.span)
        return _Operand(negated, token.span.to(operand.span))
