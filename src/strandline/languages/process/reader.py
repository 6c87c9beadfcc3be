"""Parsing of expressions and labels, which all parts of the language use.

Precedence of operators, lowest first; operators on one line associate to the left:

    or
    and
    not                      (prefix)
    ==  !=  <  <=  >  >=     (not associative: `a < b < c` is refused)
    +  -
    *  /  %
    -                        (prefix)
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import NoReturn

from strandline.errors import ParseError
from strandline.languages.process.lexer import LARGEST_NUMBER, Kind, Token, tokenize
from strandline.languages.process.lts import TAU
from strandline.languages.process.syntax import (
    Arithmetic,
    Asked,
    Binary,
    Binder,
    Label,
    Located,
    Name,
    Number,
    Pattern,
    Unary,
)
from strandline.source import Source, Span

MAXIMUM_NESTING = 50
"""The deepest nesting of parentheses and conditions."""

_COMPARISONS = frozenset({"==", "!=", "<", "<=", ">", ">="})
_LEVELS = {"or": 1, "and": 2} | dict.fromkeys(_COMPARISONS, 4) | {"+": 5, "-": 5} | dict.fromkeys("*/%", 6)
_NOT_LEVEL, _COMPARISON_LEVEL, _MINUS_LEVEL = 3, 4, 7


QUESTIONS = ("enabled", "taken")
"""Functions of an action, such as `enabled(send)`, allowed in expressions that may refer to components."""


class Reader:
    """Parses the tokens of a source in one pass; `token` is the current one.

    If `located` is true, an expression may refer to states of components: `P.State`, `P[1]`.
    """

    def __init__(self, source: Source, largest_number: int = LARGEST_NUMBER) -> None:
        self.source = source
        self.tokens = tokenize(source, largest_number)
        self.place = 0
        self.located = False
        self._depth = 0

    # Tokens

    @property
    def token(self) -> Token:
        return self.tokens[self.place]

    def at(self, *texts: str) -> bool:
        """Return True if the next token is one of these symbols or keywords."""
        return self.token.kind in (Kind.SYMBOL, Kind.KEYWORD) and self.token.text in texts

    def at_name_before(self, *symbols: str) -> bool:
        """Return True if the next token is a name followed by one of these symbols."""
        if self.token.kind is not Kind.NAME:
            return False
        following = self.tokens[self.place + 1]
        return following.kind is Kind.SYMBOL and following.text in symbols

    def skip(self, text: str) -> bool:
        if self.at(text):
            self.place += 1
            return True
        return False

    def expect(self, *texts: str) -> Token:
        if not self.at(*texts):
            self.fail(" or ".join(f"'{text}'" for text in texts))
        return self.take()

    def take(self) -> Token:
        token = self.token
        self.place += 1
        return token

    def name(self, meaning: str) -> Token:
        """Skip a name that an author can declare and return its token; an error says that `meaning` was expected."""
        if self.token.kind is not Kind.NAME or "'" in self.token.text:
            self.fail(meaning)
        return self.take()

    def fail(self, expected: str) -> NoReturn:
        raise ParseError(f"expected {expected}, found {self.token.describe()}", self.source, self.token.span)

    def since(self, start: Token) -> Span:
        """Return the source position from token `start` to the last token skipped."""
        return start.span.to(self.tokens[self.place - 1].span)

    @contextmanager
    def nested(self) -> Iterator[None]:
        self._depth += 1
        if self._depth > MAXIMUM_NESTING:
            raise ParseError(f"nested deeper than {MAXIMUM_NESTING} levels", self.source, self.token.span)
        yield
        self._depth -= 1

    # Expressions

    def expression(self) -> Arithmetic:
        with self.nested():
            return self._operators(1)

    def _operators(self, least: int) -> Arithmetic:
        """Parse an operand, and behind it all operators of precedence `least` or higher with their operands."""
        start = self.token
        left = self._operand()
        while (level := self._level()) >= least:
            operator = self.take()
            right = self._operators(level + 1)
            left = Binary(operator.text, left, right, self.since(start))
            if level == _COMPARISON_LEVEL and self._level() == level:
                message = "comparisons cannot stand in a row; join them by 'and'"
                raise ParseError(message, self.source, self.token.span)
        return left

    def _level(self) -> int:
        """Return the precedence of the next token; 0 if it is no binary operator."""
        return _LEVELS.get(self.token.text, 0) if self.token.kind in (Kind.SYMBOL, Kind.KEYWORD) else 0

    def _operand(self) -> Arithmetic:
        token = self.token
        if self.at("not", "-"):
            self.place += 1
            with self.nested():
                operand = self._operators(_MINUS_LEVEL if token.text == "-" else _NOT_LEVEL)
            return Unary(token.text, operand, self.since(token))
        if self.skip("("):
            inner = self.expression()
            self.expect(")")
            return replace(inner, grouped=True) if isinstance(inner, Binary) else inner
        if token.kind is Kind.NUMBER:
            return Number(int(self.take().text), token.span)
        if self.at("true", "false"):
            return Number(int(self.take().text == "true"), token.span)
        if token.kind is Kind.NAME:
            return self._parse_name()
        self.fail("an expression")

    def _parse_name(self) -> Arithmetic:
        start = self.token
        if self.located and start.text in QUESTIONS and self.at_name_before("("):
            self.place += 2
            action = self.component_pattern()
            self.expect(")")
            return Asked(start.text, action, self.since(start))
        if not (self.located and self.at_name_before(".", "[")):
            return Name(self.name("an expression").text, start.span)
        component = self.component_pattern()
        state = self._state_pattern() if self.skip(".") else None
        return Located(component, state, self.since(start))

    def component_pattern(self) -> Pattern:
        """Parse a component pattern: `Slave`, `Slave[3]`, `Slave[_]`."""
        start = self.name("the name of a component")
        positions: list[Arithmetic | None] = []
        while self.skip("["):
            positions.append(self._position())
            self.expect("]")
        return Pattern(start.text, tuple(positions), self.since(start))

    def _state_pattern(self) -> Pattern:
        """Parse a state pattern: `Busy`, `Busy(1, _)`, `STOP`, `Slave'1`, or the number of an imported state."""
        start = self.token
        if start.kind not in (Kind.NAME, Kind.NUMBER) and not self.at("STOP"):
            self.fail("the name of a state")
        self.place += 1
        if not self.skip("("):
            return Pattern(start.text, None, start.span)
        positions = [self._position()]
        while self.skip(","):
            positions.append(self._position())
        self.end_list(")")
        return Pattern(start.text, tuple(positions), self.since(start))

    def _position(self) -> Arithmetic | None:
        if self.token.kind is Kind.NAME and self.token.text == "_":
            self.place += 1
            return None
        return self.expression()

    # Ranges and labels

    def range_(self, name: str | None, start: Token) -> Binder:
        low = self.expression()
        self.expect("..")
        high = self.expression()
        return Binder(name, low, high, self.since(start))

    def binder(self) -> Binder:
        """Parse `i: low..high`."""
        start = self.name("the name of an index")
        self.expect(":")
        return self.range_(start.text, start)

    def binders(self) -> tuple[Binder, ...]:
        """Parse `i: 0..2, j: 0..3 .`, including the dot."""
        found = [self.binder()]
        while self.skip(","):
            found.append(self.binder())
        self.expect(".")
        return tuple(found)

    def label(self) -> Label:
        """Parse a label: `job[i]`, `job[i: 0..3]`, `job[0..3]` or a quoted one."""
        start = self.token
        if start.kind is Kind.STRING:
            if start.text == TAU:
                raise ParseError("the internal action is written without quotes", self.source, start.span)
            self.place += 1
            return Label(start.text, (), start.span)
        if not self.skip(TAU):
            self.name("the name of an action")
        indices: list[Arithmetic | Binder] = []
        while start.text != TAU and self.skip("["):
            indices.append(self._index())
            self.expect("]")
        return Label(start.text, tuple(indices), self.since(start))

    def _index(self) -> Arithmetic | Binder:
        if self.at_name_before(":"):
            return self.binder()
        start = self.token
        low = self.expression()
        if not self.skip(".."):
            return low
        high = self.expression()
        return Binder(None, low, high, self.since(start))

    def visible_label(self) -> Label:
        """Parse a label other than the internal action."""
        if self.at(TAU):
            raise ParseError("'tau' is internal: it can neither be shared nor renamed", self.source, self.token.span)
        return self.label()

    def end_list(self, closer: str) -> None:
        """Skip the token that ends a list; an error also names the comma, which could continue the list."""
        if not self.skip(closer):
            self.fail(f"',' or '{closer}'")
