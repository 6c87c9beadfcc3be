"""Parser of expressions."""

from __future__ import annotations

from strandline.languages.promela.reading import KEYWORDS, Reader
from strandline.languages.promela.syntax import (
    Argument,
    BinaryExpr,
    ChannelQuery,
    Conditional,
    Enabled,
    Expr,
    Number,
    Poll,
    Reference,
    Remote,
    Run,
    Special,
    UnaryExpr,
)
from strandline.languages.promela.tokens import Token
from strandline.source import saturated_int

_LEVELS: tuple[tuple[str, ...], ...] = (
    ("||",),
    ("&&",),
    ("|",),
    ("^",),
    ("&",),
    ("==", "!="),
    ("<", "<=", ">", ">="),
    ("<<", ">>"),
    ("+", "-"),
    ("*", "/", "%"),
)
_QUERIES = ("len", "empty", "nempty", "full", "nfull")
_SPECIAL = ("_pid", "_nr_pr", "_last", "np_", "timeout")
_ESCAPES = {"n": 10, "t": 9, "r": 13, "0": 0, "\\": 92, "'": 39}


class ExpressionParser(Reader):
    """Parses expressions; variables are resolved by the scopes at this point of the text."""

    def expression(self, level: int = 0) -> Expr:
        """Parse an expression whose operators bind at least as strongly as a level."""
        if level == len(_LEVELS):
            return self._unary()
        left = self.expression(level + 1)
        while self.text in _LEVELS[level] and self.token.kind == "sign":
            token = self.next()
            left = BinaryExpr(token.text, left, self.expression(level + 1), token)
        return left

    def _unary(self) -> Expr:
        token = self.token
        if token.text in ("!", "~", "-") and token.kind == "sign":
            self.next()
            operand = self._unary()
            if token.text == "!" and isinstance(operand, ChannelQuery) and operand.name != "len":
                opposite = {"full": "nfull", "nfull": "full", "empty": "nempty", "nempty": "empty"}[operand.name]
                token.model_error(f"'!{operand.name}' is refused by Promela; write '{opposite}'")
            return UnaryExpr(token.text, operand, token)
        if token.text == "!!":
            self.next()
            return UnaryExpr("!", UnaryExpr("!", self._unary(), token), token)
        return self._primary()

    def _primary(self) -> Expr:
        token = self.next()
        if token.kind == "number":
            if not token.text.isdigit():
                token.parse_error(f"'{token.text}' is no number")
            return Number(self.number(token), token)
        if token.kind == "string" and token.text[0] == "'":
            inner = token.text[1:-1]
            return Number(_ESCAPES.get(inner[1], ord(inner[1])) if inner[0] == "\\" else ord(inner), token)
        if token.text == "(":
            return self._parenthesis()
        if token.kind == "name":
            return self._named(token)
        self.at -= 1
        return self.fail("expected an expression")

    def number(self, token: Token) -> int:
        """Return the value of a number, which C holds in 32 bits."""
        value = saturated_int(token.text)
        if value >= 1 << 32:
            token.model_error("the number does not fit 32 bits")
        return (value + (1 << 31)) % (1 << 32) - (1 << 31)

    def _parenthesis(self) -> Expr:
        inner = self.expression()
        if self.text == "->":
            token = self.next()
            then = self.expression()
            self.expect(":")
            inner = Conditional(inner, then, self.expression(), token)
        self.expect(")")
        return inner

    def _named(self, token: Token) -> Expr:
        name = token.text
        if name in ("true", "skip"):
            return Number(1, token)
        if name == "false":
            return Number(0, token)
        if name in _SPECIAL and self.names.find(name) is None:
            self.names.program.uses_last |= name == "_last"
            return Special(name, token)
        if name in _QUERIES:
            self.expect("(")
            channel = self.reference(self.next())
            self.expect(")")
            return ChannelQuery(name, channel, token)
        if name == "enabled":
            self.expect("(")
            pid = self.expression()
            self.expect(")")
            return Enabled(pid, token)
        if name == "run":
            return self._run(token)
        if name in ("pc_value", "get_priority", "set_priority", "c_expr", "return"):
            token.model_error(f"'{name}' is not supported")
        if name in KEYWORDS:
            self.at -= 1
            return self.fail("expected an expression")
        return self._variable(token)

    def _run(self, token: Token) -> Run:
        name = self.name()
        self.expect("(")
        arguments: list[Expr] = []
        while not self.take(")"):
            arguments.append(self.expression())
            if self.text != ")":
                self.expect(",")
        if self.text == "priority":
            self.token.model_error("priorities are not supported")
        return Run(name.text, arguments, token)

    def _variable(self, token: Token) -> Expr:
        """Parse a variable, a symbol, a poll, or a reference to another process."""
        name = token.text
        declaration = self.names.find(name)
        if declaration is None and name in self.names.program.symbols:
            return Number(self.names.program.symbols[name].value, token, name)
        if declaration is None and name not in self.names.inlines and self.text in ("[", "@", ":"):
            remote = self._remote(token)
            if remote is not None:
                return remote
        if declaration is None:
            if name in self.names.inlines:
                token.model_error("an inline is a statement; inlines that return values are not supported")
            self.unknown(token)
        reference = self.reference(token)
        if self.text in ("?", "??") and self.ahead() == "[":
            random = self.next().text == "??"
            self.next()
            arguments = self.arguments("]")
            self.expect("]")
            return Poll(reference, arguments, random, token)
        self.names.program.read.add(reference.declaration)
        return reference

    def _remote(self, token: Token) -> Remote | None:
        start, pid = self.at, None
        if self.take("["):
            pid = self.expression()
            self.expect("]")
        if self.text not in ("@", ":") or self.tokens[self.at + 1].kind not in ("name", "string"):
            self.at = start
            return None
        is_label = self.next().text == "@"
        name = self.next()
        if is_label:
            self.names.program.referenced.setdefault(token.text, set()).add(name.text)
        remote = Remote(token.text, pid, name.text, is_label, token)
        if not is_label:
            if self.take("["):
                remote.index = self.expression()
                self.expect("]")
            remote.fields = self._fields()
        return remote

    def reference(self, token: Token) -> Reference:
        """Parse a variable or a part of one, behind its name."""
        declaration = self.names.find(token.text)
        if declaration is None:
            self.unknown(token)
        return Reference(declaration, self._index(), self._fields(), token)

    def _index(self) -> Expr | None:
        if not self.take("["):
            return None
        index = self.expression()
        self.expect("]")
        return index

    def _fields(self) -> list[tuple[str, Expr | None, Token]]:
        found: list[tuple[str, Expr | None, Token]] = []
        while self.text == "." and self.token.kind == "sign":
            self.next()
            token = self.next()
            found.append((token.text, self._index(), token))
        return found

    # --- arguments of channel operations ----------------------------------------------------------------------

    def arguments(self, closing: str) -> list[Argument]:
        """Parse the arguments of a receive, up to the closing sign, which is not passed."""
        found: list[Argument] = []
        while True:
            found.append(self._argument())
            if self.text == "(" and len(found) == 1:
                self.next()
                found += [] if self.text == ")" else self.arguments(")")
                self.expect(")")
                return found
            if not self.take(","):
                return found

    def _argument(self) -> Argument:
        token = self.token
        if token.text == "_":
            self.next()
            return Argument("drop", None, token)
        if token.text == "eval":
            self.next()
            self.expect("(")
            expression = self.expression()
            self.expect(")")
            return Argument("match", expression, token)
        if token.text == "-" or token.kind in ("number", "string") or token.text in ("true", "false", "skip", "("):
            return Argument("match", self._unary(), token)
        name = self.next()
        if self.names.find(name.text) is not None:
            return Argument("set", self.reference(name), token)
        expression = self._named(name)
        return Argument("set" if isinstance(expression, Reference) else "match", expression, token)

    def values(self) -> list[Expr]:
        """Parse the arguments of a send."""
        found = [self.expression()]
        if self.text == "(":
            self.next()
            while not self.take(")"):
                found.append(self.expression())
                if self.text != ")":
                    self.expect(",")
            return found
        while self.take(","):
            found.append(self.expression())
        return found
