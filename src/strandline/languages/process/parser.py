"""From text to `Program`: declarations in any order, and one `system` line."""

from __future__ import annotations

from strandline.errors import ParseError
from strandline.languages.process.lexer import Kind
from strandline.languages.process.syntax import (
    Claim,
    Composition,
    Constant,
    Definition,
    FormulaSyntax,
    Import,
    MeasureSyntax,
    NetworkDefinition,
    Parameter,
    Pattern,
    ProcessDefinition,
    Program,
)
from strandline.languages.process.terms import TermReader
from strandline.source import Source, Span

_DECLARATIONS = (
    "'const', 'import', 'process', 'network', 'system', 'invariant', 'reachable', 'valid_end', 'ltl', 'ctl', 'label', "
    "'measure' or 'fair'"
)


def parse(source: Source) -> Program:
    """Parse a program; raises `ParseError` with the source position of the first mistake."""
    return _ProgramReader(source).program()


class _ProgramReader(TermReader):
    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self.constants: list[Constant] = []
        self.definitions: list[Definition] = []
        self.claims: list[Claim] = []
        self.formulas: list[FormulaSyntax] = []
        self.measures: list[MeasureSyntax] = []
        self.fair: list[Pattern] = []
        self.system: Composition | None = None

    def program(self) -> Program:
        while self.token.kind is not Kind.END:
            self._declaration()
        if self.system is None:
            raise ParseError("the 'system' line is missing", self.source, self.token.span)
        return Program(
            tuple(self.constants),
            tuple(self.definitions),
            self.system,
            tuple(self.claims),
            tuple(self.formulas),
            tuple(self.measures),
            tuple(self.fair),
        )

    def _declaration(self) -> None:
        match self.token.text if self.token.kind is Kind.KEYWORD else "":
            case "const":
                self.constants.append(self._constant())
            case "import":
                self.definitions.append(self._import())
            case "process":
                self.definitions.append(self._process())
            case "network":
                self.definitions.append(self._network())
            case "system":
                self._system()
            case "invariant" | "label":
                self.claims.append(self._claim())
            case "" if self.token.text in ("reachable", "valid_end") and self.token.kind is Kind.NAME:
                self.claims.append(self._claim())
            case "" if self.token.text in ("ltl", "ctl") and self.token.kind is Kind.NAME:
                self.formulas.append(self._formula())
            case "measure":
                self.measures.append(self._measure())
            case "fair":
                self._fair()
            case _:
                self.fail(_DECLARATIONS)
        self.expect(";")

    def _constant(self) -> Constant:
        self.place += 1
        name = self.name("the name of the constant")
        self.expect("=")
        return Constant(name.text, self.expression(), name.span)

    def _import(self) -> Import:
        self.place += 1
        name = self.name("a name for the component in the file")
        self.expect("=")
        if self.token.kind is not Kind.STRING:
            self.fail('the name of a file, as in "buffer.aut"')
        path = self.take()
        return Import(name.text, path.text, name.span, path.span)

    def _process(self) -> ProcessDefinition:
        self.place += 1
        name = self.name("the name of the process")
        parameters = self._parameters()
        alphabet = self.alphabet()
        self.expect("=")
        self.arrows = 0
        return ProcessDefinition(name.text, parameters, alphabet, self.term(), name.span)

    def _network(self) -> NetworkDefinition:
        self.place += 1
        name = self.name("the name of the network")
        parameters = self._parameters()
        self.expect("=")
        return NetworkDefinition(name.text, parameters, self.composition(), name.span)

    def _parameters(self) -> tuple[Parameter, ...]:
        if not self.skip("("):
            return ()
        found = [self._parameter()]
        while self.skip(","):
            found.append(self._parameter())
        self.end_list(")")
        return tuple(found)

    def _parameter(self) -> Parameter:
        start = self.name("the name of a parameter")
        if not self.skip(":"):
            return Parameter(start.text, None, None, start.span)
        bounds = self.range_(start.text, start)
        return Parameter(start.text, bounds.low, bounds.high, bounds.span)

    def _system(self) -> None:
        start = self.take()
        if self.system is not None:
            raise ParseError("there is a 'system' line already", self.source, start.span)
        self.system = self.composition()

    def _claim(self) -> Claim:
        kind = self.take().text
        name = self.name(f"the name of the {kind}")
        self.expect("=")
        self.located = True
        expression = self.expression()
        self.located = False
        return Claim(kind, name.text, expression, name.span)

    def _formula(self) -> FormulaSyntax:
        logic = self.take().text
        name = self.name("the name of the formula")
        self.expect("=")
        if self.token.kind is not Kind.STRING:
            self.fail('a formula in quotes, as in "G F taken(send)"')
        text = self.take()
        inside = Span(text.span.start + 1, text.span.end - 1)
        return FormulaSyntax(logic, name.text, text.text, inside, name.span)

    def _measure(self) -> MeasureSyntax:
        self.place += 1
        start = self.token
        monotone = start.text == "mono" and self.at_name_before("(")
        self.located = True
        if monotone:
            self.place += 2
        expression = self.expression()
        if monotone:
            self.expect(")")
        self.located = False
        span = self.since(start)
        text = " ".join(self.source.text[span.start : span.end].split())
        return MeasureSyntax(text, expression, monotone, span)

    def _fair(self) -> None:
        self.place += 1
        self.fair.append(self.component_pattern())
        while self.skip(","):
            self.fair.append(self.component_pattern())
