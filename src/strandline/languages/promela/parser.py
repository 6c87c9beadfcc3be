"""Parser of models: proctypes, claims and statements. Inlines are expanded where they are called."""

from __future__ import annotations

from dataclasses import replace

from strandline.languages.promela.channels import leaf_declaration
from strandline.languages.promela.declaration_parser import DeclarationParser
from strandline.languages.promela.reading import Inline, Names, constant
from strandline.languages.promela.rewriting import split_arguments, text_of, unless_of
from strandline.languages.promela.syntax import (
    Argument,
    Assert,
    Assignment,
    BinaryExpr,
    Block,
    Break,
    ChannelQuery,
    Choose,
    Condition,
    Declaration,
    Declare,
    Else,
    Expr,
    Formula,
    Goto,
    Number,
    Print,
    Proctype,
    Receive,
    Reference,
    Send,
    Statement,
)
from strandline.languages.promela.tokens import Token

_DEEPEST_INLINE = 100
_ENDS = ("}", "::", "fi", "od")
_EMBEDDED = ("c_code", "c_decl", "c_expr", "c_state", "c_track")


def parse(tokens: list[Token]) -> Names:
    """Parse a model and return its names, with the program; raises `ParseError` or `ModelError`."""
    names = Names()
    parser = StatementParser(tokens, names)
    while parser.token.kind != "end":
        parser.unit()
    return names


class StatementParser(DeclarationParser):
    """Parses units of a model and statements."""

    def unit(self) -> None:
        """Parse one unit: a declaration, a proctype, a claim."""
        token, program = self.token, self.names.program
        if self.take(";"):
            return
        match token.text:
            case "typedef":
                self.structure()
            case "mtype" if not self.starts_declaration():
                self.symbols()
            case "inline":
                self._inline()
            case "active" | "proctype" | "D_proctype" | "d_proctype":
                self._proctype()
            case "init":
                self.next()
                self._body(self._enter("init", token, 1))
            case "never":
                self.next()
                name = self.next().text if self.token.kind == "name" else f"never_{len(program.claims)}"
                claim = Proctype(name, token)
                program.claims.append(claim)
                self._body(claim)
            case "ltl":
                self._formula()
            case "trace" | "notrace":
                token.model_error("trace assertions are not supported")
            case _ if token.text in _EMBEDDED:
                token.model_error("embedded C cannot be checked")
            case _ if self.starts_declaration():
                self.declarations()
            case "xr" | "xs":
                self._exclusive()
            case _:
                self.fail("expected a declaration, a proctype or a claim")

    def _exclusive(self) -> None:
        self.next()
        self.reference(self.next())
        while self.take(","):
            self.reference(self.next())

    def _inline(self) -> None:
        self.next()
        name = self.name()
        self.expect("(")
        parameters: list[str] = []
        while not self.take(")"):
            parameters.append(self.next().text)
            self.take(",")
        if name.text in self.names.inlines:
            name.model_error(f"the inline '{name.text}' is declared twice")
        self.names.inlines[name.text] = Inline(name.text, parameters, self.balanced("{", "}"))

    def _enter(self, name: str, token: Token, active: int) -> Proctype:
        if name in self.names.program.proctypes:
            token.model_error(f"the proctype '{name}' is declared twice")
        proctype = Proctype(name, token, active=active)
        self.names.program.proctypes[name] = proctype
        return proctype

    def _proctype(self) -> None:
        active = 0
        if self.take("active"):
            active = 1
            if self.take("["):
                active = constant(self.expression(), "the number of processes")
                self.expect("]")
        self.next()
        name = self.name()
        self._body(self._enter(name.text, name, active))

    def _body(self, proctype: Proctype) -> None:
        """Parse parameters, if there are any, and the body of a proctype or a claim."""
        self.names.proctype = proctype
        self.names.scopes.append({})
        if self.text == "(":
            proctype.parameters = self.parameters()
        if self.text == "priority":
            self.token.model_error("priorities are not supported")
        if self.take("provided"):
            self.expect("(")
            proctype.provided = self.expression()
            self.expect(")")
        self.names.scopes.append({})
        opening = self.expect("{")
        proctype.leading = self._leading()
        proctype.body = self._sequence("}", opening)
        proctype.end = self.expect("}")
        del self.names.scopes[-2:]
        self.names.proctype = None

    def _leading(self) -> list[Declaration]:
        found: list[Declaration] = []
        while True:
            if self.take(";"):
                continue
            if self.text in ("xr", "xs"):
                self._exclusive()
            elif self.starts_declaration():
                found += self.declarations()
            else:
                return found

    def _formula(self) -> None:
        token = self.next()
        number = len(self.names.program.formulas) + len(self.names.program.claims)
        name = self.name().text if self.text != "{" else f"ltl_{number}"
        tokens = self.balanced("{", "}")
        self.names.program.formulas.append(Formula(name, tokens[1:-1], token))

    # --- statements -------------------------------------------------------------------------------------------

    def _sequence(self, closing: str, opening: Token) -> list[Statement]:
        """Parse statements up to a closing sign, which is not passed."""
        found: list[Statement] = []
        while True:
            while self.take(";", "->"):
                pass
            if self.text in (closing, "::") or self.text in _ENDS or self.token.kind == "end":
                break
            first = self.at
            found += self._step()
            for one in found:
                if one.last is None:
                    one.last = self.tokens[self.at - 1]
            ended = self.tokens[self.at - 1].text in ("}", "fi", "od") or self.at == first or self._on_next_line()
            if not ended and self.text not in (";", "->", closing, "::"):
                self.fail("expected ';'")
        if not found:
            opening.parse_error("there is no statement in this sequence")
        return found

    def _on_next_line(self) -> bool:
        """Return True if the last token was the last one of its line: a statement may end there without `;`."""
        before, here = self.tokens[self.at - 1], self.token
        if before.source is not here.source or before.origins or here.origins:
            return True
        return "\n" in here.source.text[before.span.end : here.span.start]

    def _step(self) -> list[Statement]:
        """Parse a statement or a declaration, with `unless` behind it."""
        if self.text in ("xr", "xs"):
            self._exclusive()
            return []
        if self.starts_declaration():
            token = self.token
            return [Declare(token, one) for one in self.declarations()]
        statements = self._expanded()
        if self.text == "unless":
            token = self.next()
            return [unless_of(token, statements, self._expanded())]
        return statements

    def _expanded(self) -> list[Statement]:
        """Parse one statement; some are short for several."""
        labels: list[Token] = []
        while self.token.kind == "name" and self.ahead() == ":" and self.ahead(2) != ":" and self._is_label():
            labels.append(self.next())
            self.next()
        if labels and self.text in _ENDS:
            found: list[Statement] = [Condition(labels[-1], Number(1, labels[-1]))]
        else:
            found = self._statement()
        found[0].labels[:0] = labels
        for one in found:
            one.scope = self.names.calls
        return found

    def _is_label(self) -> bool:
        return self.names.find(self.text) is None and self.text not in ("else", "skip", "true", "false", "timeout")

    def _statement(self) -> list[Statement]:
        token = self.token
        match token.text if token.kind != "string" else "":
            case "if" | "do":
                return [self._choose()]
            case "atomic" | "d_step":
                self.next()
                return [self._block(token.text, token)]
            case "{":
                return [self._block("plain", token)]
            case "goto":
                self.next()
                return [Goto(token, self.name().text)]
            case "break":
                self.next()
                return [Break(token)]
            case "else":
                self.next()
                return [Else(token)]
            case "for":
                return self._for()
            case "select":
                return self._select()
            case "assert":
                return [self._assert()]
            case "printf" | "printm":
                self.next()
                self.balanced("(", ")")
                return [Print(token)]
            case "set_priority" | "return":
                token.model_error(f"'{token.text}' is not supported")
            case one if one in _EMBEDDED:
                token.model_error("embedded C cannot be checked")
        if token.kind == "name" and token.text in self.names.inlines and self.ahead() == "(":
            return [self._call()]
        if token.text == "_" and self.ahead() == "=":
            self.at += 2
            return [Condition(token, BinaryExpr("||", Number(1, token), self._full_expression(), token))]
        if token.kind == "name" and self.names.find(token.text) is not None:
            return [self._operation()]
        return [Condition(token, self._full_expression())]

    def _full_expression(self) -> Expr:
        return self.expression()

    def _assert(self) -> Assert:
        token = self.next()
        start = self.at
        expression = self.expression()
        return Assert(token, expression, text_of(self.tokens[start : self.at]))

    def _block(self, kind: str, token: Token) -> Block:
        opening = self.expect("{")
        self.names.scopes.append({})
        body = self._sequence("}", opening)
        self.names.scopes.pop()
        self.expect("}")
        return Block(token, kind, body)

    def _choose(self) -> Choose:
        token = self.next()
        closing = "fi" if token.text == "if" else "od"
        options: list[list[Statement]] = []
        if self.text != "::":
            self.fail("expected '::'")
        while self.text == "::":
            opening = self.next()
            self.names.scopes.append({})
            options.append(self._sequence(closing, opening))
            self.names.scopes.pop()
        self.expect(closing)
        return Choose(token, options, token.text == "do")

    def _operation(self) -> Statement:
        """Parse an assignment, a send, a receive, or a condition that begins with a variable."""
        start, token = self.at, self.next()
        reference = self.reference(token)
        match self.text:
            case "=":
                self.next()
                return Assignment(token, reference, self._full_expression())
            case "++" | "--":
                sign = self.next()
                self.names.program.read.add(reference.declaration)
                return Assignment(token, reference, BinaryExpr(sign.text[0], reference, Number(1, sign), sign))
            case "!" | "!!":
                is_sorted = self.next().text == "!!"
                return Send(token, reference, self.values(), is_sorted)
            case "?" | "??" if self.ahead() != "[":
                random = self.next().text == "??"
                keeps = self.tokens[self.at].text == "<"
                if keeps:
                    self.next()
                arguments = self.arguments(">" if keeps else "")
                if keeps:
                    self.expect(">")
                return Receive(token, reference, arguments, random, keeps)
        self.at = start
        return Condition(token, self._full_expression())

    def _call(self) -> Block:
        """Expand a call of an inline."""
        place = self.next()
        inline = self.names.inlines[place.text]
        arguments = split_arguments(self.balanced("(", ")")[1:-1])
        if len(arguments) != len(inline.parameters):
            wanted = f"{len(inline.parameters)} arguments, not {len(arguments)}"
            place.model_error(f"the inline '{inline.name}' takes {wanted}")
        given = dict(zip(inline.parameters, arguments, strict=True))
        tokens: list[Token] = []
        for token in inline.body:
            if token.kind == "name" and token.text in given:
                tokens += given[token.text]
            else:
                tokens.append(token.moved(place, inline.name))
        tokens.append(replace(place, kind="end", text=f"the end of '{inline.name}'"))
        self.names.call_count += 1
        self.names.calls += (self.names.call_count,)
        if len(self.names.calls) > _DEEPEST_INLINE:
            place.model_error("inlines call each other without end")
        block = StatementParser(tokens, self.names)._block("plain", place)
        self.names.calls = self.names.calls[:-1]
        return block

    # --- statements that are short for others -----------------------------------------------------------------

    def _for(self) -> list[Statement]:
        token = self.next()
        self.expect("(")
        name = self.next()
        reference = self.reference(name)
        if self.take("in"):
            over = self.reference(self.next())
            return self._for_in(token, reference, over)
        self.expect(":")
        low = self.expression()
        self.expect("..")
        high = self.expression()
        if isinstance(low, Number) and isinstance(high, Number) and low.value > high.value:
            token.model_error("the first value of this loop is larger than its last")
        return self._loop(token, reference, low, high, [])

    def _for_in(self, token: Token, reference: Reference, over: Reference) -> list[Statement]:
        declaration = leaf_declaration(over)
        if declaration is None:
            over.token.model_error("there is no such field")
        if declaration.type != "chan" or (declaration.length is not None and over.index is None and not over.fields):
            if declaration.length is None:
                over.token.model_error("'in' needs an array or a channel")
            return self._loop(token, reference, Number(0, token), Number(declaration.length - 1, token), [])
        counter = Declaration(f"_counter_{token.span.start}", token, "int")
        counter.name += f"_{len(self.names.proctype.variables) if self.names.proctype else 0}"
        self.names.declare(counter)
        length = BinaryExpr("-", ChannelQuery("len", over, token), Number(1, token), token)
        first: list[Statement] = [
            Receive(token, over, [Argument("set", reference, token)], False, False),
            Send(token, over, [reference], False),
        ]
        return self._loop(token, Reference(counter, None, [], token), Number(0, token), length, first)

    def _loop(
        self, token: Token, reference: Reference, low: Expr, high: Expr, first: list[Statement]
    ) -> list[Statement]:
        self.expect(")")
        self.take(";", "->")
        opening = self.expect("{")
        self.names.scopes.append({})
        body = self._sequence("}", opening)
        self.names.scopes.pop()
        self.expect("}")
        increment = Assignment(token, reference, BinaryExpr("+", reference, Number(1, token), token))
        options: list[list[Statement]] = [
            [Condition(token, BinaryExpr("<=", reference, high, token)), *first, *body, increment],
            [Else(token), Break(token)],
        ]
        return [Assignment(token, reference, low), Choose(token, options, True)]

    def _select(self) -> list[Statement]:
        token = self.next()
        self.expect("(")
        reference = self.reference(self.next())
        self.expect(":")
        low = self.expression()
        self.expect("..")
        high = self.expression()
        self.expect(")")
        if isinstance(low, Number) and isinstance(high, Number):
            first, last = low.value, high.value
            if first > last:
                token.model_error("the first value to select from is larger than the last")
            if last - first <= 32:
                values = [Assignment(token, reference, Number(one, token)) for one in range(first, last + 1)]
                return [Choose(token, [[one] for one in values], False)]
        increment = Assignment(token, reference, BinaryExpr("+", reference, Number(1, token), token))
        less = Condition(token, BinaryExpr("<", reference, high, token))
        return [
            Assignment(token, reference, low),
            Choose(token, [[less, increment], [Break(token)]], True),
        ]
