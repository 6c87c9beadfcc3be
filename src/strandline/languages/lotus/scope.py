"""Expressions over a LOTUS model: equations between variables and values, `!`, `&`, `|`, `->`, and arithmetic.

    body = Full & !(state = Busy)        `==` is the same as `=`
    2 * (body = Full) + week

On the right of an equation a word is a value of the variable on its left, if that has such a value, else a variable;
`(word)` is the variable in any case, and `(3)` the number that a value is kept as.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from strandline.errors import ModelError, ParseError, suggestion
from strandline.model.expression import Binary, Const, Expression, Read, Unary, deep_recursion
from strandline.model.notation import STRONGEST, Infix, Notation, Prefix, Write
from strandline.model.scope import Scope, fitting
from strandline.model.system import Variable
from strandline.source import Source, Span

_COMPARISON, _SIGN = 4, 7
_SPELLED = {"->": "imply", "|": "or", "||": "or", "&": "and", "&&": "and", "=": "==", "!": "not"}
"""What is written otherwise than the vocabulary has it."""
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
_TOKEN = re.compile(r"\s*(->|&&|\|\||[!<>=]=|[-+*/%!&|<>=()]|\d+|[A-Za-z_]\w*|$)")

_WORD = re.compile(r"-?\d+|[A-Za-z_]\w*")
_RECKONING = ("+", "-", "*", "/", "%")


class _Token(NamedTuple):
    text: str
    span: Span


class LotusScope(Scope):
    """Reads and writes expressions over a LOTUS model."""

    equality = "="

    def __init__(self, variables: Iterable[Variable]) -> None:
        self.variables = {variable.name: variable for variable in variables}

    def parse(self, text: str, *, name: str = "expression") -> Expression:
        """The expression; raises `ParseError` or `ModelError`."""
        source = Source(name, text)
        with deep_recursion():
            return fitting(_Parser(source, self.variables).whole(), source)

    def render(self, expression: Expression, *, longest: int | None = None) -> str:
        return NOTATION.write(expression, self._leaf, longest)

    def _leaf(self, expression: Expression, write: Write) -> tuple[str, int] | None:
        match expression:
            case Read(variable=variable):
                return variable.name, STRONGEST
            case Binary(operator="==" | "!=" as operator, left=Read(variable=variable), right=right) if variable.names:
                said = _said(variable, right)
                sign = NOTATION.infixes[operator].spelling
                return None if said is None else (f"{variable.name} {sign} {said}", _COMPARISON)
        return None


def _said(variable: Variable, right: Expression) -> str | None:
    """The right side of an equation with a variable whose values have names; None where it is as anywhere else."""
    names = variable.names or ()
    match right:
        case Const(value=value) if 0 <= value < len(names):
            return names[value]
        case Const(value=value):
            return f"({value})"
        case Read(variable=other) if other.name in names:
            return f"({other.name})"
    return None


class _Parser:
    """By operator precedence; rows are loops, so that only nesting is recursion."""

    def __init__(self, source: Source, variables: dict[str, Variable]) -> None:
        self.source, self.variables = source, variables
        self.offset = 0
        self.here = self._token()

    def _token(self) -> _Token:
        found = _TOKEN.match(self.source.text, self.offset)
        if found is None:
            rest = self.source.text[self.offset :]
            start = self.offset + len(rest) - len(rest.lstrip())
            raise ParseError(f"unexpected '{self.source.text[start]}'", self.source, Span(start, start + 1))
        return _Token(found[1], Span(*found.span(1)))

    def _next(self) -> _Token:
        token = self.here
        self.offset = token.span.end
        self.here = self._token()
        return token

    def whole(self) -> Expression:
        expression = self._row(0)
        if self.here.text:
            raise ParseError(f"'{self.here.text}' is not wanted here", self.source, self.here.span)
        return expression

    def _row(self, weakest: int) -> Expression:
        """Operands and operators that are stronger than `weakest`."""
        left = self._operand()
        while True:
            operator = _SPELLED.get(self.here.text, self.here.text)
            infix = NOTATION.infixes.get(operator)
            if infix is None or infix.strength <= weakest:
                return left
            token = self._next()
            right = self._value_of(left) if operator in ("==", "!=") else None
            left = Binary(operator, left, self._row(infix.strength) if right is None else right, token.span)
            again = NOTATION.infixes.get(_SPELLED.get(self.here.text, self.here.text))
            if infix.alone and again is not None and again.strength == infix.strength:
                message = f"'{self.here.text}' cannot follow '{token.text}'; write parentheses"
                raise ParseError(message, self.source, self.here.span)

    def _value_of(self, left: Expression) -> Const | None:
        """The value that is next, if the expression in front of it is a variable that has it, and nothing is
        reckoned with it."""
        if not isinstance(left, Read) or not left.variable.names:
            return None
        names, token = left.variable.names, self.here
        found = _WORD.match(self.source.text, token.span.start)
        if found is None:
            return None
        if found[0] in names:
            after = _TOKEN.match(self.source.text, found.end())
            if after is not None and after[1] in _RECKONING:
                return None
            self.offset = found.end()
            self.here = self._token()
            return Const(names.index(found[0]))
        if found[0][0] not in "-0123456789" and found[0] not in self.variables:
            message = f"there is no value of '{left.variable.name}' '{found[0]}'{suggestion(found[0], names)}"
            raise ModelError(message, self.source, token.span)
        return None

    def _operand(self) -> Expression:
        token = self.here
        if token.text in ("!", "-"):
            return self._prefixed(self._next())
        if token.text == "(":
            self._next()
            inner = self._row(0)
            if self.here.text != ")":
                raise ParseError("the parenthesis is never closed", self.source, token.span)
            self._next()
            return inner
        if token.text.isdigit():
            return Const(int(self._next().text))
        if not re.fullmatch(r"[A-Za-z_]\w*", token.text):
            found = f"'{token.text}'" if token.text else "the end"
            raise ParseError(f"a variable or a number is wanted here, not {found}", self.source, token.span)
        if token.text not in self.variables:
            message = f"there is no variable '{token.text}'{suggestion(token.text, self.variables)}"
            raise ModelError(message, self.source, token.span)
        return Read(self.variables[token.text], self._next().span)

    def _prefixed(self, token: _Token) -> Expression:
        if token.text == "-" and self.here.text.isdigit() and self.here.span.start == token.span.end:
            return Const(-int(self._next().text))
        return Unary(_SPELLED.get(token.text, token.text), self._operand(), token.span)
