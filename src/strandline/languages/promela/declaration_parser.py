"""Parser of declarations: variables, channels, structures, symbols."""

from __future__ import annotations

from strandline.languages.promela.expression_parser import ExpressionParser
from strandline.languages.promela.reading import constant
from strandline.languages.promela.syntax import SIMPLE, ChannelInit, Declaration, Number, Structure
from strandline.languages.promela.tokens import Token

_VISIBLE = ("hidden", "show", "local")


class DeclarationParser(ExpressionParser):
    """Parses declarations."""

    def starts_declaration(self) -> bool:
        """Return True if a declaration of variables stands here."""
        text = self.text
        if text in _VISIBLE:
            return True
        if text == "mtype":
            return self.ahead() not in ("=", "{") and not (self.ahead() == ":" and self.ahead(3) in ("=", "{"))
        known = text in SIMPLE or text == "unsigned" or text in self.names.structures
        return known and self.tokens[self.at].kind == "name"

    def declarations(self) -> list[Declaration]:
        """Parse a declaration of one or more variables of a type, and add them to the scope."""
        hidden = False
        while self.text in _VISIBLE:
            hidden |= self.next().text == "hidden"
        type_name, subtype = self._type()
        found: list[Declaration] = []
        while True:
            declaration = self._variable_of(type_name, subtype)
            declaration.hidden = hidden
            self.names.declare(declaration)
            found.append(declaration)
            if not self.take(","):
                return found

    def _type(self) -> tuple[str, str | None]:
        token = self.next()
        subtype = None
        if token.text == "mtype" and self.text == ":":
            self.next()
            subtype = self.name().text
        return token.text, subtype

    def _make(self, type_name: str, subtype: str | None, name: str, token: Token) -> Declaration:
        return Declaration(name, token, type_name, self.names.structures.get(type_name), names=subtype)

    def _variable_of(self, type_name: str, subtype: str | None) -> Declaration:
        token = self.name()
        declaration = self._make(type_name, subtype, token.text, token)
        if type_name == "unsigned":
            self._width(declaration)
        if self.take("["):
            declaration.length = constant(self.expression(), "the length of an array")
            if declaration.length < 1:
                token.model_error("an array needs at least one element")
            self.expect("]")
        if type_name == "unsigned" and declaration.width is None:
            self._width(declaration)
        if self.take("="):
            self._initial(declaration)
        return declaration

    def _width(self, declaration: Declaration) -> None:
        if self.take(":"):
            declaration.width = constant(self.expression(), "the width of a variable")
            if not 1 <= declaration.width <= 32:
                declaration.token.model_error("an unsigned variable has 1 to 32 bits")
        elif self.text != "[":
            self.fail("expected ':' and the number of bits")

    def _initial(self, declaration: Declaration) -> None:
        if declaration.type == "chan" and self.text == "[":
            declaration.channel = self._channel()
        elif self.text == "{":
            self.next()
            declaration.initial_list = [self.expression()]
            while self.take(","):
                declaration.initial_list.append(self.expression())
            self.expect("}")
        else:
            declaration.initial = self.expression()

    def _channel(self) -> ChannelInit:
        token = self.expect("[")
        capacity = constant(self.expression(), "the capacity of a channel")
        if not 0 <= capacity <= 255:
            token.model_error("the capacity of a channel must be from 0 to 255")
        self.expect("]")
        self.expect("of")
        self.expect("{")
        fields: list[Declaration] = []
        while not self.take("}"):
            type_name, subtype = self._type()
            if type_name not in SIMPLE and type_name != "unsigned" and type_name not in self.names.structures:
                self.tokens[self.at - 1].model_error(f"unknown type '{type_name}'")
            field = self._make(type_name, subtype, f"{len(fields)}", token)
            if type_name == "unsigned":
                self._width(field)
            fields.append(field)
            if self.text != "}":
                self.expect(",")
        return ChannelInit(capacity, fields, token)

    def parameters(self) -> list[Declaration]:
        """Parse the parameters of a proctype, in parentheses, and add them to the scope."""
        self.expect("(")
        found: list[Declaration] = []
        while not self.take(")"):
            if not self.starts_declaration():
                self.fail("expected the type of a parameter")
            found += self.declarations()
            if self.text != ")" and not self.take(";", ","):
                self.fail("expected ';' or ')'")
        for one in found:
            one.parameter = True
            if one.length is not None:
                one.token.model_error("an array cannot be a parameter")
        return found

    def structure(self) -> None:
        """Parse a typedef."""
        self.expect("typedef")
        name = self.name()
        self.expect("{")
        fields: list[Declaration] = []
        while not self.take("}"):
            if self.take(";"):
                continue
            while self.text in _VISIBLE:
                self.next()
            if not self.starts_declaration():
                self.fail("expected the type of a field")
            type_name, subtype = self._type()
            fields.append(self._variable_of(type_name, subtype))
            while self.take(","):
                fields.append(self._variable_of(type_name, subtype))
        for field in fields:
            if field.channel is not None:
                continue
            if field.initial_list is not None:
                field.token.model_error("an array in a structure cannot have a list of initial values")
        self.names.structures[name.text] = Structure(name.text, fields)

    def symbols(self) -> None:
        """Parse a list of mtype symbols; they are numbered from the last to the first, above earlier ones."""
        self.expect("mtype")
        subtype = self.name().text if self.take(":") else ""
        self.take("=")
        self.expect("{")
        names: list[Token] = []
        while not self.take("}"):
            names.append(self.name())
            self.take(",")
        program = self.names.program
        known = program.subtypes.setdefault(subtype, [])
        start = len(known)
        for number, token in enumerate(reversed(names)):
            if token.text in program.symbols or token.text in self.names.scopes[0]:
                token.model_error(f"the name '{token.text}' is declared twice")
            value = start + number + 1
            if value > 255:
                token.model_error("more than 255 symbols")
            program.symbols[token.text] = Number(value, token, token.text)
            known.append((token.text, value))
