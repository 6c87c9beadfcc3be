"""A stream of tokens, and the names that are visible at the point where it is read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NoReturn

from strandline.errors import suggestion
from strandline.languages.promela.syntax import (
    BinaryExpr,
    Conditional,
    Declaration,
    Expr,
    Number,
    Proctype,
    Program,
    Structure,
    UnaryExpr,
)
from strandline.languages.promela.tokens import Token

KEYWORDS = frozenset(
    [
        "active",
        "assert",
        "atomic",
        "bit",
        "bool",
        "break",
        "byte",
        "chan",
        "d_step",
        "D_proctype",
        "d_proctype",
        "do",
        "else",
        "empty",
        "enabled",
        "eval",
        "false",
        "fi",
        "for",
        "full",
        "get_priority",
        "goto",
        "hidden",
        "if",
        "init",
        "inline",
        "int",
        "len",
        "local",
        "ltl",
        "mtype",
        "nempty",
        "never",
        "nfull",
        "notrace",
        "np_",
        "od",
        "of",
        "pc_value",
        "pid",
        "printf",
        "printm",
        "priority",
        "proctype",
        "provided",
        "return",
        "run",
        "select",
        "set_priority",
        "short",
        "show",
        "skip",
        "timeout",
        "trace",
        "true",
        "typedef",
        "unless",
        "unsigned",
        "xr",
        "xs",
        "c_code",
        "c_decl",
        "c_expr",
        "c_state",
        "c_track",
    ]
)


@dataclass(slots=True)
class Inline:
    """An inline: its parameters and the tokens of its body, braces included."""

    name: str
    parameters: list[str]
    body: list[Token]


@dataclass(slots=True)
class Names:
    """The names of the model as far as it has been read."""

    program: Program = field(default_factory=Program)
    scopes: list[dict[str, Declaration]] = field(default_factory=lambda: [{}])
    structures: dict[str, Structure] = field(default_factory=dict)
    inlines: dict[str, Inline] = field(default_factory=dict)
    proctype: Proctype | None = None
    """The proctype whose body is being read."""
    calls: tuple[int, ...] = ()
    """The numbers of the calls of inlines that are being expanded in each other."""
    call_count: int = 0

    def find(self, name: str) -> Declaration | None:
        """Return the variable that a name means here."""
        for scope in reversed(self.scopes):
            if name in scope:
                return scope[name]
        return None

    def declare(self, declaration: Declaration) -> None:
        """Add a variable to the innermost scope. Raises `ModelError` if it is there already."""
        name = declaration.name
        if self.proctype is not None and name in self.scopes[0]:
            declaration.token.model_error(f"'{name}' is a global variable already, which Promela does not hide")
        if name in self.scopes[-1] or name in self.program.symbols:
            declaration.token.model_error(f"the name '{name}' is declared twice")
        self.scopes[-1][name] = declaration
        if self.proctype is None:
            self.program.variables.append(declaration)
        else:
            declaration.owner = self.proctype.name
            declaration.number = len(self.proctype.variables)
            self.proctype.variables.append(declaration)


class Reader:
    """Reads tokens one by one."""

    def __init__(self, tokens: Sequence[Token], names: Names) -> None:
        self.tokens, self.names, self.at = tokens, names, 0

    @property
    def token(self) -> Token:
        return self.tokens[self.at]

    @property
    def text(self) -> str:
        return self.tokens[self.at].text if self.tokens[self.at].kind != "string" else ""

    def ahead(self, count: int = 1) -> str:
        """Return the text of a later token."""
        place = self.at + count
        return self.tokens[place].text if place < len(self.tokens) else ""

    def next(self) -> Token:
        token = self.tokens[self.at]
        if token.kind == "end":
            token.parse_error("the text ends too early")
        self.at += 1
        return token

    def take(self, *texts: str) -> bool:
        """Pass a token if it is one of these."""
        if self.text in texts and self.token.kind != "end":
            self.at += 1
            return True
        return False

    def expect(self, text: str) -> Token:
        if self.text != text or self.token.kind == "end":
            self.fail(f"expected '{text}'")
        return self.next()

    def name(self) -> Token:
        """Pass a name that is no keyword."""
        token = self.token
        if token.kind != "name" or token.text in KEYWORDS:
            self.fail("expected a name")
        return self.next()

    def fail(self, expected: str) -> NoReturn:
        token = self.token
        found = token.text if token.kind == "end" else f"'{token.text}'"
        token.parse_error(f"{expected}, not {found}")

    def balanced(self, opening: str, closing: str) -> list[Token]:
        """Pass a text in brackets and return its tokens, brackets included."""
        start, depth = self.at, 0
        first = self.expect(opening)
        depth = 1
        while depth:
            if self.token.kind == "end":
                first.parse_error(f"this '{opening}' is not closed")
            token = self.next()
            if token.kind != "string":
                depth += (token.text == opening) - (token.text == closing)
        return list(self.tokens[start : self.at])

    def unknown(self, token: Token) -> NoReturn:
        """Raise `ModelError` for a name that means nothing here."""
        known = [name for scope in self.names.scopes for name in scope]
        known += [*self.names.program.symbols, *self.names.inlines, *KEYWORDS]
        token.model_error(f"unknown name '{token.text}'" + suggestion(token.text, known))


def constant(expression: Expr, what: str) -> int:
    """Return the value of a constant expression. Raises `ModelError` if it is none."""
    match expression:
        case Number(value=value):
            return value
        case UnaryExpr(operator=operator, operand=operand):
            inner = constant(operand, what)
            return {"-": -inner, "~": ~inner, "!": int(not inner)}[operator]
        case BinaryExpr(operator=operator, left=left, right=right, token=token):
            return _binary(operator, constant(left, what), constant(right, what), token)
        case Conditional(condition=condition, then=then, otherwise=otherwise):
            return constant(then if constant(condition, what) else otherwise, what)
    expression.token.model_error(f"{what} must be a constant")


def _binary(operator: str, left: int, right: int, token: Token) -> int:
    if operator in ("/", "%"):
        if right == 0:
            token.model_error("division by zero")
        quotient = abs(left) // abs(right) * (1 if (left < 0) == (right < 0) else -1)
        return quotient if operator == "/" else left - quotient * right
    if operator in ("<<", ">>"):
        if not 0 <= right <= 31:
            token.model_error("a shift by less than 0 or more than 31")
        value = left << right if operator == "<<" else left >> right
    else:
        value = {
            "+": left + right, "-": left - right, "*": left * right, "&": left & right, "|": left | right,
            "^": left ^ right, "==": int(left == right), "!=": int(left != right), "<": int(left < right),
            "<=": int(left <= right), ">": int(left > right), ">=": int(left >= right),
            "&&": int(bool(left and right)), "||": int(bool(left or right)),
        }[operator]  # fmt: skip
    return (value + (1 << 31)) % (1 << 32) - (1 << 31)


def is_constant(expression: Expr) -> bool:
    """Return True if an expression consists of literals alone."""
    match expression:
        case Number():
            return True
        case UnaryExpr(operand=operand):
            return is_constant(operand)
        case BinaryExpr(left=left, right=right):
            return is_constant(left) and is_constant(right)
        case Conditional(condition=condition, then=then, otherwise=otherwise):
            return is_constant(condition) and is_constant(then) and is_constant(otherwise)
    return False
