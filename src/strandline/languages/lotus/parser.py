"""From text to syntax, by the grammar of Wang's thesis (docs/papers.md, 004, §3.3).

    DEFINE   type : value, value;   type : 0..4;        also {value, value} and 0...4
    MODULE
    VAR      type name;             type name, name;
    INIT     name=value, name=value;                    one line for each initial state
    TRANS    name=value, name=value => name=value;
    FAIRNESS condition; condition                       optional
    SPEC     CTLSPEC formula; CTLSPEC formula           optional

`//` begins a comment. The last semicolon of FAIRNESS and of SPEC is optional. Names in conditions and formulas are
resolved by `scope.py`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NoReturn, TypeVar

from strandline.errors import ModelError, suggestion
from strandline.languages.lotus.syntax import (
    Declaration,
    Edge,
    Equation,
    Module,
    Passage,
    Type,
    canonical,
    is_number,
)
from strandline.scanner import Scanner, Token
from strandline.source import Source, Span

KEYWORDS = ("DEFINE", "MODULE", "VAR", "INIT", "TRANS", "FAIRNESS", "SPEC", "CTLSPEC")
_COMMENT = re.compile(r"//[^\n]*")
_TOKEN = re.compile(r"\s*(=>|\.\.\.?|[,;:={}]|-?\d+|[A-Za-z_]\w*|$)")
_WORD = re.compile(r"[A-Za-z_]\w*")
_NUMBER = re.compile(r"-?\d+")
_LONGEST = 18
"""The most digits of a number."""
_WIDEST = 1 << 16
"""The most values of a range."""

Found = TypeVar("Found")


def read(source: Source) -> Module:
    """Parse a text; raises `ParseError` or `ModelError` with the source position of the first mistake."""
    return _Reader(source).module()


class _Reader(Scanner):
    def __init__(self, source: Source) -> None:
        # Comments become blanks, which keeps all offsets valid.
        self.text = _COMMENT.sub(lambda comment: " " * len(comment[0]), source.text)
        super().__init__(source, _TOKEN, self.text)
        self.types: dict[str, Type] = {}
        self.variables: dict[str, Declaration] = {}

    # --- tokens -------------------------------------------------------------------------------------------------

    def _name(self, what: str) -> Token:
        if not _WORD.fullmatch(self.here.text) or self.here.text in KEYWORDS:
            self.refuse(what)
        return self.next()

    def _at_keyword(self) -> bool:
        return self.here.text in KEYWORDS or not self.here.text

    # --- sections -----------------------------------------------------------------------------------------------

    def module(self) -> Module:
        self.expect("DEFINE")
        while not self._at_keyword():
            self._type()
        self.expect("MODULE")
        self.expect("VAR")
        while not self._at_keyword():
            self._parse_declarations()
        if not self.variables:
            self.refuse("a variable")
        self.expect("INIT")
        initial = tuple(self._each(self._initial_state))
        if not initial:
            self.refuse("an initial state")
        self.expect("TRANS")
        edges = tuple(self._each(self._edge))
        fairness = tuple(self._passages("FAIRNESS")) if self._at("FAIRNESS") else ()
        formulas: tuple[Passage, ...] = ()
        if self.skip_if("SPEC"):
            formulas = tuple(one for _ in self._while("CTLSPEC") for one in self._passages("CTLSPEC"))
        if self.here.text:
            self.refuse("'SPEC'" if not formulas and self.here.text != "CTLSPEC" else "'CTLSPEC'")
        return Module(self.source, tuple(self.variables.values()), initial, edges, fairness, formulas)

    def _at(self, keyword: str) -> bool:
        return self.here.text == keyword

    def _while(self, keyword: str) -> Iterator[None]:
        if not self._at(keyword):
            self.refuse(f"'{keyword}'")
        while self._at(keyword):
            yield None

    def _each(self, one: Callable[[], Found]) -> Iterator[Found]:
        while not self._at_keyword():
            yield one()

    def _passages(self, keyword: str) -> Iterator[Passage]:
        """Yield the texts behind a keyword, split at semicolons, up to the next keyword."""
        start = self.here.span.end
        ends = re.compile(rf"\b(?:{'|'.join(KEYWORDS)})\b").search(self.text, start)
        end = ends.start() if ends else len(self.text)
        found = False
        for part in re.finditer(r"[^;]+", self.text[start:end]):
            text = part[0].strip()
            if text:
                found = True
                begins = start + part.start() + part[0].index(text)
                yield Passage(text, Span(begins, begins + len(text)))
        self.go_to(end)
        if not found:
            self.refuse("a formula" if keyword == "CTLSPEC" else "a condition")

    # --- types and variables ------------------------------------------------------------------------------------

    def _type(self) -> None:
        name = self._name("the name of a type or 'MODULE'")
        if name.text in self.types:
            raise ModelError(f"the type '{name.text}' is defined twice", self.source, name.span)
        self.expect(":")
        braced = self.skip_if("{")
        first = self._value()
        if self.here.text in ("..", "..."):
            self.next()
            self.types[name.text] = self._range(name, first, self._value())
        else:
            self.types[name.text] = self._enumeration(name, first)
        if braced:
            self.expect("}")
        self.expect(";")

    def _value(self) -> Token:
        if _NUMBER.fullmatch(self.here.text):
            if len(self.here.text.lstrip("-")) > _LONGEST:
                message = f"a number has at most {_LONGEST} digits"
                raise ModelError(message, self.source, self.here.span)
            return self.next()
        return self._name("a value")

    def _range(self, name: Token, first: Token, last: Token) -> Type:
        for token in (first, last):
            if not _NUMBER.fullmatch(token.text):
                message = f"a range goes from one number of at most {_LONGEST} digits to another"
                raise ModelError(message, self.source, token.span)
        low, high = int(first.text), int(last.text)
        place = first.span.to(last.span)
        if low > high:
            raise ModelError(f"the range of '{name.text}' is empty", self.source, place)
        if high - low >= _WIDEST:
            raise ModelError(f"the range of '{name.text}' has more than {_WIDEST} values", self.source, place)
        numbers = range(low, high + 1)
        return Type(name.text, tuple(map(str, numbers)), numbers)

    def _enumeration(self, name: Token, first: Token) -> Type:
        values = [canonical(first.text)]
        while self.skip_if(","):
            token = self._value()
            if canonical(token.text) in values:
                raise ModelError(f"the value '{token.text}' occurs twice in '{name.text}'", self.source, token.span)
            values.append(canonical(token.text))
        numbers = tuple(map(int, values)) if all(map(is_number, values)) else None
        return Type(name.text, tuple(values), numbers)

    def _parse_declarations(self) -> None:
        kind = self._name("the name of a type or 'INIT'")
        if kind.text not in self.types:
            self._unknown("type", kind, list(self.types))
        while True:
            name = self._name("the name of a variable")
            if name.text in self.variables:
                raise ModelError(f"the variable '{name.text}' is declared twice", self.source, name.span)
            self.variables[name.text] = Declaration(name.text, self.types[kind.text], name.span)
            if not self.skip_if(","):
                break
        self.expect(";")

    def _unknown(self, what: str, token: Token, known: list[str]) -> NoReturn:
        raise ModelError(f"there is no {what} '{token.text}'{suggestion(token.text, known)}", self.source, token.span)

    # --- states and edges ---------------------------------------------------------------------------------------

    def _initial_state(self) -> tuple[Equation, ...]:
        equations = self._equations()
        self.expect(";")
        return equations

    def _edge(self) -> Edge:
        start = self.here.span
        sources = self._equations()
        self.expect("=>")
        targets = self._equations()
        whole = start.to(targets[-1].span)
        self.expect(";")
        return Edge(sources, targets, " ".join(self.text[whole.start : whole.end].split()), whole)

    def _equations(self) -> tuple[Equation, ...]:
        found: dict[str, Equation] = {}
        while True:
            name = self._name("a variable")
            if name.text not in self.variables:
                self._unknown("variable", name, list(self.variables))
            if name.text in found:
                raise ModelError(f"'{name.text}' is given a value twice", self.source, name.span)
            self.expect("=")
            found[name.text] = self._equation(name)
            if not self.skip_if(","):
                return tuple(found.values())

    def _equation(self, name: Token) -> Equation:
        value, kind = self._value(), self.variables[name.text].type
        number = kind.number(value.text)
        if number is None:
            self._unknown(f"value of '{name.text}'", value, list(kind.values))
        return Equation(name.text, number, name.span.to(value.span))
