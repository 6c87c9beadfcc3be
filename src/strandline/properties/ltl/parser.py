"""Parser of LTL and CTL formulas, by operator precedence with explicit stacks (no nesting is too deep).

From loose to tight: `->` and `<->` (to the right), `||`, `xor`, `&&`, `U R W M` (to the right), `X F G` and, in CTL,
`A` and `E`, comparisons, `+ -`, `* / %`, unary minus and `!`. Comparisons and arithmetic build *expressions*, which
become one atomic proposition each: `x[1] >= 2`, `(a + b) == 1`. The parser does not look into them; the language of the
model resolves them later. `!x == 3` is refused, because languages disagree about it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from strandline.errors import ParseError
from strandline.properties.ltl.formula import (
    FALSE,
    QUANTIFIERS,
    TEMPORAL_OPERATORS,
    TRUE,
    UNARY_OPERATORS,
    Formula,
    Operator,
    atom,
    make,
    temporal_height,
)
from strandline.properties.ltl.tokens import Token, TokenKind, tokenize, unquote
from strandline.source import Source, Span

MAXIMUM_NESTING = 1000
"""The most temporal operators inside each other."""


@dataclass(frozen=True, slots=True)
class ParsedFormula:
    """A formula with the source position of the first occurrence of each atomic proposition."""

    formula: Formula
    source: Source
    atom_spans: Mapping[str, Span]


def parse_ltl(text: str | Source, *, member_arrow: bool = False, equality: str = "==") -> ParsedFormula:
    """Parse an LTL formula; raises `ParseError` with the source position of the mistake.

    `member_arrow` makes `a->b` without blanks a member of `a`, as DVE's guards need it. `equality` is a further
    comparison operator for equality, `=` in LOTUS.
    """
    source = text if isinstance(text, Source) else Source("<formula>", text)
    return _Parser(source, tokenize(source, member_arrow=member_arrow, equality=equality)).run()


def parse_ctl(text: str | Source, *, equality: str = "==") -> ParsedFormula:
    """Parse a CTL formula: `AG (p -> AF q)`, `E [p U q]`.

    Raises `ParseError` with the source position of the mistake, which may be a temporal operator without a path
    quantifier or the reverse. `equality` is that of `parse_ltl`.
    """
    source = text if isinstance(text, Source) else Source("<formula>", text)
    return _Parser(source, tokenize(source, quantified=True, equality=equality), quantified=True).run()


_COMPARISONS = frozenset({"=", "==", "!=", "<=", ">=", "<", ">"})
_COMPARISON_PRECEDENCE = 7
_WORDS = frozenset(("in", "is", "not", "and", "or", "for", "if", "imply"))
"""Keywords of modelling languages without a meaning in formulas."""
_LOGICAL_PRECEDENCE = {
    Operator.IMPLIES: 1,
    Operator.EQUIVALENT: 1,
    Operator.OR: 2,
    Operator.EXCLUSIVE_OR: 3,
    Operator.AND: 4,
    Operator.UNTIL: 5,
    Operator.RELEASE: 5,
    Operator.WEAK_UNTIL: 5,
    Operator.STRONG_RELEASE: 5,
    Operator.NEXT: 6,
    Operator.EVENTUALLY: 6,
    Operator.ALWAYS: 6,
    Operator.EXISTS: 6,
    Operator.ALL: 6,
    Operator.NOT: 11,
}
_ARITHMETIC_PRECEDENCE = dict.fromkeys(_COMPARISONS, _COMPARISON_PRECEDENCE) | {
    "+": 8,
    "-": 8,
    "*": 9,
    "/": 9,
    "%": 9,
}
_MINUS_PRECEDENCE = 10
_CLOSING = {"(": ")", "[": "]"}
_TO_THE_RIGHT = frozenset({1, 5})


@dataclass(slots=True)
class _Operand:
    """A formula, or an expression that has not become an atomic proposition yet."""

    span: Span
    formula: Formula | None = None
    expression: str = ""


@dataclass(slots=True)
class _Pending:
    """An operator or opening parenthesis on the stack."""

    token: Token
    precedence: int
    prefix: bool = False


class _Parser:
    """A shunting-yard parser; `operands` and `pending` are its two stacks."""

    def __init__(self, source: Source, tokens: list[Token], *, quantified: bool = False) -> None:
        self.source = source
        self.tokens = tokens
        self.quantified = quantified
        self.operands: list[_Operand] = []
        self.pending: list[_Pending] = []
        self.atom_spans: dict[str, Span] = {}

    def run(self) -> ParsedFormula:
        want_operand = True
        for token in self.tokens:
            want_operand = self._operand(token) if want_operand else self._after_operand(token)
        whole = self.operands.pop()
        formula = self._as_formula(whole)
        self._check_states(formula, whole.span)
        if temporal_height(formula) > MAXIMUM_NESTING:
            raise self._error(f"temporal operators are nested more than {MAXIMUM_NESTING:,} deep", whole.span)
        return ParsedFormula(formula, self.source, MappingProxyType(self.atom_spans))

    def _operand(self, token: Token) -> bool:
        """Take a token where an operand may begin; return True if an operand is still expected."""
        if token.kind is TokenKind.OPEN:
            self.pending.append(_Pending(token, 0))
            return True
        if token.kind is TokenKind.ARITHMETIC and token.text == "-":
            self.pending.append(_Pending(token, _MINUS_PRECEDENCE, prefix=True))
            return True
        if token.operator in UNARY_OPERATORS:
            self.pending.append(_Pending(token, _LOGICAL_PRECEDENCE[token.operator], prefix=True))
            return True
        self.operands.append(self._leaf(token))
        return False

    def _leaf(self, token: Token) -> _Operand:
        if token.operator is Operator.TRUE:
            return _Operand(token.span, TRUE)
        if token.operator is Operator.FALSE:
            return _Operand(token.span, FALSE)
        if token.kind is TokenKind.BRACES:
            return _Operand(token.span, self._atom(token.text, token.span))
        if token.kind in (TokenKind.EXPRESSION, TokenKind.STRING):
            return _Operand(token.span, expression=token.text)
        if token.kind is TokenKind.END:
            if not self.operands and not self.pending:
                raise self._error("the formula is empty", token.span)
            raise self._error("the formula ends where a proposition is expected", token.span)
        hint = f"; a name that is an operator is written {{{token.text}}}" if token.text.isalpha() else ""
        raise self._error(f"expected a proposition, not '{token.text}'{hint}", token.span)

    def _after_operand(self, token: Token) -> bool:
        """Take a token behind a complete operand; return True if an operand is expected next."""
        if token.kind is TokenKind.CLOSE:
            self._close(token)
            return False
        if token.kind is TokenKind.END:
            self._reduce_while(lambda precedence: precedence > 0)
            if self.pending:
                opening = self.pending[-1].token
                raise self._error(f"this '{opening.text}' is never closed", opening.span)
            return False
        precedence = self._binary_precedence(token)
        if precedence in _TO_THE_RIGHT:
            self._reduce_while(lambda waiting: waiting > precedence)
        else:
            self._reduce_while(lambda waiting: waiting >= precedence)
        self.pending.append(_Pending(token, precedence))
        return True

    def _binary_precedence(self, token: Token) -> int:
        if token.kind is TokenKind.ARITHMETIC:
            return _ARITHMETIC_PRECEDENCE[token.text]
        if token.operator in _LOGICAL_PRECEDENCE and token.operator not in UNARY_OPERATORS:
            return _LOGICAL_PRECEDENCE[token.operator]
        hint = "; conditions with such words stand in braces, as in {x in y}" if token.text in _WORDS else ""
        raise self._error(f"expected an operator before '{token.text}'{hint}", token.span)

    def _close(self, token: Token) -> None:
        self._reduce_while(lambda precedence: precedence > 0)
        if not self.pending:
            raise self._error(f"this '{token.text}' closes nothing", token.span)
        opening = self.pending.pop().token
        if _CLOSING[opening.text] != token.text:
            raise self._error(f"'{opening.text}' is closed by '{token.text}'", opening.span.to(token.span))
        operand = self.operands[-1]
        operand.span = opening.span.to(token.span)
        if operand.formula is None:
            operand.expression = f"({operand.expression})"

    def _reduce_while(self, binds: Callable[[int], bool]) -> None:
        while self.pending and self.pending[-1].precedence > 0 and binds(self.pending[-1].precedence):
            self._reduce(self.pending.pop())

    def _reduce(self, pending: _Pending) -> None:
        right = self.operands.pop()
        left = None if pending.prefix else self.operands.pop()
        span = (left.span if left else pending.token.span).to(right.span)
        if pending.token.kind is TokenKind.ARITHMETIC:
            self.operands.append(_Operand(span, expression=self._arithmetic(pending.token, left, right)))
            return
        operator = pending.token.operator
        assert operator is not None
        given = [part for part in (left, right) if part is not None]
        parts = [self._as_formula(part) for part in given]
        for part, formula in zip(given, parts, strict=True):
            if operator in QUANTIFIERS:
                self._check_path(operator, formula, part.span)
            else:
                self._check_states(formula, part.span)
        if operator in (Operator.AND, Operator.OR):
            parts = [piece for part in parts for piece in (part.operands if part.operator is operator else (part,))]
        self.operands.append(_Operand(span, make(operator, *parts)))

    def _check_states(self, formula: Formula, span: Span) -> None:
        """Check that a CTL formula is a state formula, as all must be except operands of path quantifiers."""
        if self.quantified and formula.operator in TEMPORAL_OPERATORS:
            word = formula.operator.value
            path = f"{word} ..." if formula.operator in UNARY_OPERATORS else f" [... {word} ...]"
            raise self._error(f"'{word}' needs a path quantifier in CTL: 'A{path}' or 'E{path}'", span)

    def _check_path(self, quantifier: Operator, formula: Formula, span: Span) -> None:
        if formula.operator not in TEMPORAL_OPERATORS:
            word = quantifier.value
            raise self._error(
                f"'{word}' must be followed by X, F, G or, in brackets, U, R, W, M: '{word}F p', '{word} [p U q]'", span
            )

    def _arithmetic(self, token: Token, left: _Operand | None, right: _Operand) -> str:
        for operand in (left, right):
            if operand is not None and operand.formula is not None:
                raise self._error(
                    f"'{token.text}' needs numbers, and this is a formula (write braces around an expression "
                    "of the model, or parentheses as in '!(x == 3)')",
                    operand.span,
                )
        if left is None:
            return f"-{right.expression}"
        if token.text in _COMPARISONS and any(_is_bare_comparison(part) for part in (left, right)):
            raise self._error("comparisons cannot be chained", token.span)
        return f"{left.expression} {token.text} {right.expression}"

    def _as_formula(self, operand: _Operand) -> Formula:
        if operand.formula is not None:
            return operand.formula
        text = _strip_parentheses(operand.expression)
        if text in ("0", "1"):
            return TRUE if text == "1" else FALSE
        if text.isdigit():
            raise self._error(f"the number {text} is not a proposition", operand.span)
        if text[0] in "\"'" and _string_is_whole(text):
            text = unquote(text)
        return self._atom(text, operand.span)

    def _atom(self, text: str, span: Span) -> Formula:
        if not text:
            raise self._error("an atomic proposition is empty", span)
        self.atom_spans.setdefault(text, span)
        return atom(text)

    def _error(self, message: str, span: Span) -> ParseError:
        return ParseError(message, self.source, span)


def _is_bare_comparison(operand: _Operand) -> bool:
    """Return True if the expression is a comparison without parentheses around it."""
    depth = 0
    words = operand.expression.split(" ")
    for word in words:
        if depth == 0 and word in _COMPARISONS:
            return True
        depth += word.count("(") + word.count("[") - word.count(")") - word.count("]")
    return False


def _strip_parentheses(text: str) -> str:
    """Remove parentheses that enclose the whole expression."""
    opening = len(text) - len(text.lstrip("("))
    closing = len(text) - len(text.rstrip(")"))
    # As many pairs enclose the whole as are open everywhere between the first and the last of them.
    pairs = depth = min(opening, len(text) - closing)
    for character in text[depth : len(text) - closing]:
        depth += (character == "(") - (character == ")")
        pairs = min(pairs, depth)
    pairs = max(0, min(pairs, closing))
    return text[pairs : len(text) - pairs]


def _string_is_whole(text: str) -> bool:
    offset = 1
    while offset < len(text):
        if text[offset] == "\\":
            offset += 1
        elif text[offset] == text[0]:
            return offset == len(text) - 1
        offset += 1
    return False
