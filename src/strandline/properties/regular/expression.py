"""Regular expressions over labels, and their automata.

    letters      p   !p   P_0.CS   {p && x == 3}   .  (any letter)
    sequence     concatenation, with a blank or `;`
    choice       a | b
    repetition   a*   a+   a?   a[3]   a[2,4]

`.* {p && !q} (!r)* s` describes the words that end with s after p without q, with no r in between.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from strandline.errors import ParseError
from strandline.properties.automata.automaton import Edge, merge_parallel
from strandline.properties.formats.guard_syntax import AtomPlaces, parse_guard
from strandline.properties.ltl.formula import TRUE, Formula, atoms_of
from strandline.properties.ltl.implication import boolean_guard
from strandline.properties.regular.finite import FiniteAutomaton, minimal_deterministic, trim
from strandline.scanner import Token, all_tokens
from strandline.source import Source, Span, saturated_int

MAXIMUM_NESTING = 100
MAXIMUM_POSITIONS = 2000
_TOKEN = re.compile(r"\s*(\{[^{}]*\}|\[\s*\d+\s*(?:,\s*\d+\s*)?\]|!?\s*[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*|[.();|*+?]|$)")


@dataclass(frozen=True, slots=True)
class RegularText:
    """A parsed regular expression with the source position of the first occurrence of each atomic proposition."""

    automaton: FiniteAutomaton
    """Its automaton on finite words; small but not always minimal."""
    positions: FiniteAutomaton
    """Its position automaton (Glushkov): an initial state, and one for each letter of the text."""
    source: Source
    atom_spans: Mapping[str, Span]


def parse_regular(text: str | Source) -> RegularText:
    """Parse a regular expression; raises `ParseError` with the source position of the mistake."""
    source = text if isinstance(text, Source) else Source("<expression>", text)
    parser = _Parser(source)
    positions = parser.automaton()
    minimal = minimal_deterministic(positions)
    smaller = minimal is not None and minimal.state_count <= positions.state_count
    automaton = minimal if smaller and minimal is not None else positions
    return RegularText(automaton, positions, source, parser.atom_places.spans)


@dataclass(frozen=True, slots=True)
class _Part:
    """A subexpression: nullability, and its first and last positions."""

    empty: bool
    first: frozenset[int]
    last: frozenset[int]


_EMPTY_WORD = _Part(True, frozenset(), frozenset())


class _Parser:
    """A recursive-descent parser; it numbers the positions of letters and collects which may `follow` which."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.tokens = all_tokens(source, _TOKEN)
        self.place = 0
        self.letters: list[Formula] = []
        self.follow: list[set[int]] = []
        self.atom_places = AtomPlaces()

    def automaton(self) -> FiniteAutomaton:
        whole = self._choice(0)
        if self._peek().text:
            raise self._error(f"unexpected '{self._peek().text}'", self._peek())
        atoms = tuple(sorted({name for letter in self.letters for name in atoms_of(letter)}))
        successors = [whole.first, *self.follow]
        edges = tuple(
            merge_parallel(
                Edge(boolean_guard(self.letters[position], atoms), position + 1) for position in sorted(following)
            )
            for following in successors
        )
        final = frozenset(position + 1 for position in whole.last) | ({0} if whole.empty else set())
        return trim(FiniteAutomaton(atoms, (0,), edges, final))

    def _choice(self, depth: int) -> _Part:
        if depth > MAXIMUM_NESTING:
            raise self._error("the expression is nested too deeply", self._peek())
        part = self._sequence(depth)
        while self._peek().text == "|":
            self.place += 1
            other = self._sequence(depth)
            part = _Part(part.empty or other.empty, part.first | other.first, part.last | other.last)
        return part

    def _sequence(self, depth: int) -> _Part:
        part = self._repetition(depth)
        while self._peek().text not in ("", ")", "|"):
            if self._peek().text == ";":
                self.place += 1
            part = self._then(part, self._repetition(depth))
        return part

    def _then(self, left: _Part, right: _Part) -> _Part:
        for position in left.last:
            self.follow[position] |= right.first
        return _Part(
            left.empty and right.empty,
            left.first | (right.first if left.empty else frozenset()),
            right.last | (left.last if right.empty else frozenset()),
        )

    def _repetition(self, depth: int) -> _Part:
        start = self.place
        part = self._base(depth)
        end = self.place
        while self._peek().text[:1] in ("*", "+", "?", "["):
            token = self._peek()
            if token.text.startswith("["):
                part = self._repeat(token, start, end, depth)
            else:
                if token.text != "?":
                    self._then(part, part)
                part = _Part(part.empty or token.text != "+", part.first, part.last)
            self.place += 1
            end = self.place
        return part

    def _again(self, start: int, end: int, depth: int) -> _Part:
        """Parse the tokens with indices from `start` to before `end` again, as letters with positions of their own."""
        tokens, place = self.tokens, self.place
        self.tokens = [*tokens[start:end], Token("", tokens[end].span)]
        self.place = 0
        part = self._repetition(depth + 1)
        self.tokens, self.place = tokens, place
        return part

    def _repeat(self, token: Token, start: int, end: int, depth: int) -> _Part:
        numbers = [saturated_int(number) for number in re.findall(r"\d+", token.text)]
        least, most = numbers[0], numbers[-1]
        if least > most:
            raise self._error("the smaller number comes first", token)
        if most > MAXIMUM_POSITIONS:
            raise self._error(f"more than {MAXIMUM_POSITIONS} repetitions", token)
        result = _EMPTY_WORD
        for number in range(most):
            part = self._again(start, end, depth)
            result = self._then(result, part if number < least else _Part(True, part.first, part.last))
        return result

    def _base(self, depth: int) -> _Part:
        token = self._peek()
        self.place += 1
        if token.text == "(":
            part = self._choice(depth + 1)
            if self._peek().text != ")":
                raise self._error("this '(' is never closed", token)
            self.place += 1
            return part
        if token.text == ".":
            return self._letter(TRUE, token)
        if token.text[:1] == "{":
            return self._parse_guard(Span(token.span.start + 1, token.span.end - 1), token)
        if token.text and (token.text[0] in "!_" or token.text[0].isalpha()):
            return self._parse_guard(token.span, token)
        found = f"'{token.text}'" if token.text else "the end"
        raise self._error(f"expected a letter, not {found}", token)

    def _parse_guard(self, span: Span, token: Token) -> _Part:
        parsed = parse_guard(self.source, span)
        self.atom_places.note(parsed.atom_spans)
        return self._letter(parsed.formula, token)

    def _letter(self, formula: Formula, token: Token) -> _Part:
        if len(self.letters) >= MAXIMUM_POSITIONS:
            raise self._error(f"the expression has more than {MAXIMUM_POSITIONS} letters", token)
        position = len(self.letters)
        self.letters.append(formula)
        self.follow.append(set())
        return _Part(False, frozenset({position}), frozenset({position}))

    def _peek(self) -> Token:
        return self.tokens[self.place]

    def _error(self, message: str, token: Token) -> ParseError:
        return ParseError(message, self.source, token.span)
