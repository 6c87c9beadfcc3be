"""Reading automata in the Hanoi Omega-Automata format, version 1 (Babiak et al. 2015).

Supported: one automaton with (generalised) Büchi acceptance or none, several initial states, labels on edges or states,
implicit labels, aliases, acceptance on states or edges. Refused, with the source position: alternation and other
acceptance.
"""

from __future__ import annotations

from strandline.errors import ParseError
from strandline.properties.automata import guard as guards
from strandline.properties.automata.automaton import Automaton, Edge, merge_parallel
from strandline.properties.automata.guard import MAXIMUM_ATOMS, Guard, conjunction, literal
from strandline.properties.formats.guard_syntax import AutomatonText
from strandline.properties.formats.hoa_tokens import HoaKind, HoaToken, tokenize_hoa
from strandline.source import Source, Span, saturated_int

MAXIMUM_NESTING = 100
MAXIMUM_STATES, MAXIMUM_SETS = 100_000, 256
"""The most states and acceptance sets; no search could use an automaton with more."""


def read_hoa(source: Source) -> AutomatonText:
    """Parse a HOA text; raises `ParseError` with the source position of the mistake."""
    return _Reader(source).read()


class _Reader:
    """The parser: a cursor over the tokens, the contents of the header, and the states parsed so far."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.tokens = tokenize_hoa(source)
        self.place = 0
        self.states: int | None = None
        self.starts: list[int] = []
        self.start_tokens: list[HoaToken] = []
        self.atoms: tuple[str, ...] | None = None
        self.atom_spans: dict[str, Span] = {}
        self.aliases: dict[str, Guard] = {}
        self.set_count: int | None = None
        self.used_sets: list[int] = []
        self.never = False
        self.bodies: dict[int, list[Edge]] = {}
        self.state_marks: dict[int, int] = {}
        self.names: dict[int, str] = {}
        self.targets: list[tuple[int, HoaToken]] = []

    def read(self) -> AutomatonText:
        self._header()
        while self._peek().kind is not HoaKind.MARKER:
            self._state()
        marker = self._next()
        if marker.text != "--END--":
            raise self._error(f"expected --END--, not {marker.text}", marker)
        if self._peek().kind is not HoaKind.END:
            raise self._error("only one automaton per file can be read", self._peek())
        return AutomatonText(self._automaton(), self.source, self.atom_spans, self._final())

    def _header(self) -> None:
        first = self._next()
        version = self._next()
        if first.text != "HOA" or first.kind is not HoaKind.HEADER or version.text != "v1":
            raise self._error("a HOA file begins with 'HOA: v1'", first)
        while self._peek().kind is HoaKind.HEADER:
            self._header_item(self._next())
        body = self._next()
        if body.text != "--BODY--":
            raise self._error(f"expected a header item or --BODY--, not '{body.text}'", body)
        if self.set_count is None:
            raise self._error("the header lacks 'Acceptance:'", body)

    def _header_item(self, item: HoaToken) -> None:
        match item.text:
            case "States":
                self.states = self._count(MAXIMUM_STATES, "states")
            case "Start":
                self.start_tokens.append(self._peek())
                self.starts.append(self._number())
                if self._peek().text == "&":
                    raise self._error("alternating automata cannot be read", self._peek())
            case "AP":
                self._propositions(item)
            case "Alias":
                name = self._expect(HoaKind.ALIAS)
                self.aliases[name.text] = self._label(0)
            case "Acceptance":
                self.set_count = self._count(MAXIMUM_SETS, "acceptance sets")
                self._acceptance()
            case _:
                self._skip_item(item)

    def _skip_item(self, item: HoaToken) -> None:
        if item.text[0].isupper():
            raise self._error(f"'{item.text}:' changes the meaning of the file and is not known", item)
        while self._peek().kind not in (HoaKind.HEADER, HoaKind.MARKER, HoaKind.END):
            self._next()

    def _propositions(self, item: HoaToken) -> None:
        if self.atoms is not None:
            raise self._error("a second 'AP:'", item)
        count = self._number()
        strings = [self._expect(HoaKind.STRING) for _ in range(count)]
        self.atoms = tuple(string.text for string in strings)
        # Without the quotation marks.
        self.atom_spans = {one.text: Span(one.span.start + 1, one.span.end - 1) for one in strings}
        if len(set(self.atoms)) != count:
            raise self._error("an atomic proposition is declared twice", item)
        if count > MAXIMUM_ATOMS:
            raise self._error(f"more than {MAXIMUM_ATOMS} atomic propositions", item)

    def _acceptance(self) -> None:
        """Parse a conjunction of `Inf(i)`, `t`, or `f`."""
        depth = 0
        while True:
            while self._peek().text == "(":
                self._next()
                depth += 1
            self._acceptance_term()
            while depth and self._peek().text == ")":
                self._next()
                depth -= 1
            if self._peek().text != "&":
                break
            self._next()
        if depth or self._peek().text == "|":
            raise self._error("only Büchi and generalised Büchi acceptance can be read", self._peek())

    def _acceptance_term(self) -> None:
        token = self._next()
        if token.text == "Inf" and self._peek().text == "(":
            self._next()
            if self._peek().kind is HoaKind.NUMBER:
                place = self._peek()
                self.used_sets.append(self._number())
                if self.used_sets[-1] >= (self.set_count or 0):
                    raise self._error(f"acceptance set {place.text} is not declared", place)
                self._symbol(")")
                return
        elif token.text == "f":
            self.never = True
            return
        elif token.text == "t":
            return
        raise self._error("only Büchi and generalised Büchi acceptance can be read", token)

    def _state(self) -> None:
        header = self._next()
        if header.kind is not HoaKind.HEADER or header.text != "State":
            raise self._error(f"expected 'State:' or --END--, not '{header.text}'", header)
        label = self._bracketed_label()
        number_token = self._peek()
        number = self._number()
        self._check_state(number, number_token)
        if number in self.bodies:
            raise self._error(f"state {number} is described twice", number_token)
        if self._peek().kind is HoaKind.STRING:
            self.names[number] = self._next().text
        marks = self.state_marks[number] = self._marks()
        self.bodies[number] = self._edges(label, marks, number_token)

    def _edges(self, label: Guard | None, marks: int, state: HoaToken) -> list[Edge]:
        edges: list[Edge] = []
        implicit = 0
        while self._peek().kind is HoaKind.NUMBER or self._peek().text == "[":
            guard = self._bracketed_label()
            if guard is None:
                guard = self._letter(implicit, state) if label is None else label
                implicit += label is None
            token = self._peek()
            target = self._number()
            if self._peek().text == "&":
                raise self._error("alternating automata cannot be read", self._peek())
            self._check_state(target, token)
            self.targets.append((target, token))
            edges.append(Edge(guard, target, marks | self._marks()))
        if implicit and implicit != 1 << len(self.atoms or ()):
            raise self._error(f"a state with implicit labels needs {1 << len(self.atoms or ())} edges", state)
        return edges

    def _letter(self, index: int, state: HoaToken) -> Guard:
        count = len(self.atoms or ())
        if index >= 1 << count:
            raise self._error(f"a state with implicit labels needs {1 << count} edges", state)
        # Implicit labels enumerate the letters: bit i of the number of the edge is proposition i.
        return conjunction(literal(place, bool(index >> place & 1)) for place in range(count))

    def _marks(self) -> int:
        if self._peek().text != "{" or self._peek().kind is not HoaKind.SYMBOL:
            return 0
        self._next()
        marks = 0
        while self._peek().kind is HoaKind.NUMBER:
            token = self._peek()
            number = self._number()
            if number >= (self.set_count or 0):
                raise self._error(f"acceptance set {number} is not declared", token)
            marks |= 1 << number
        self._symbol("}")
        return marks

    def _bracketed_label(self) -> Guard | None:
        if self._peek().text != "[" or self._peek().kind is not HoaKind.SYMBOL:
            return None
        self._next()
        label = self._label(0)
        self._symbol("]")
        return label

    def _label(self, depth: int) -> Guard:
        guard = self._label_conjunction(depth)
        while self._peek().text == "|":
            self._next()
            guard = guard | self._label_conjunction(depth)
        return guard

    def _label_conjunction(self, depth: int) -> Guard:
        guard = self._label_literal(depth)
        while self._peek().text == "&":
            self._next()
            guard = guard & self._label_literal(depth)
        return guard

    def _label_literal(self, depth: int) -> Guard:
        token = self._next()
        if depth > MAXIMUM_NESTING:
            raise self._error("the label is nested too deeply", token)
        if token.text == "!":
            return ~self._label_literal(depth + 1)
        if token.text == "(":
            guard = self._label(depth + 1)
            self._symbol(")")
            return guard
        if token.kind is HoaKind.NUMBER:
            if saturated_int(token.text) >= len(self.atoms or ()):
                raise self._error(f"atomic proposition {token.text} is not declared", token)
            return literal(saturated_int(token.text))
        if token.kind is HoaKind.ALIAS:
            if token.text not in self.aliases:
                raise self._error(f"the alias {token.text} is not defined", token)
            return self.aliases[token.text]
        if token.kind is HoaKind.NAME and token.text in ("t", "f"):
            return guards.TRUE if token.text == "t" else guards.FALSE
        raise self._error(f"expected a label, not '{token.text}'", token)

    def _automaton(self) -> Automaton:
        declared = [*self.bodies, *self.starts, *(target for target, _ in self.targets)]
        count = self.states if self.states is not None else max(declared, default=-1) + 1
        for start, token in zip(self.starts, self.start_tokens, strict=True):
            if start >= count:
                raise self._error(f"state {start} is not declared", token)
        sets = sorted(set(self.used_sets))
        edges = tuple(
            merge_parallel(
                Edge(edge.guard, edge.target, self._renumber(edge.marks, sets)) for edge in self.bodies.get(state, [])
            )
            for state in range(count)
        )
        names = tuple(self.names.get(state, str(state)) for state in range(count)) if self.names else None
        initial = tuple(dict.fromkeys(self.starts))
        return Automaton(self.atoms or (), initial, edges, 1 if self.never else len(sets), names)

    def _final(self) -> frozenset[int] | None:
        """Return the accepting states; None for an automaton in which edges have marks of their own."""
        if any(edge.marks != self.state_marks[state] for state, edges in self.bodies.items() for edge in edges):
            return None
        wanted = sum(1 << number for number in set(self.used_sets))
        accepting = [state for state, marks in self.state_marks.items() if marks & wanted == wanted]
        return frozenset() if self.never else frozenset(accepting)

    def _renumber(self, marks: int, sets: list[int]) -> int:
        if self.never:
            return 0
        return sum((marks >> number & 1) << place for place, number in enumerate(sets))

    def _check_state(self, number: int, token: HoaToken) -> None:
        if self.states is not None and number >= self.states:
            raise self._error(f"state {number} is not declared", token)
        if number >= MAXIMUM_STATES:
            raise self._error(f"states are numbered from 0 to {MAXIMUM_STATES - 1}", token)

    def _peek(self) -> HoaToken:
        return self.tokens[self.place]

    def _next(self) -> HoaToken:
        token = self.tokens[self.place]
        self.place = min(self.place + 1, len(self.tokens) - 1)
        return token

    def _expect(self, kind: HoaKind) -> HoaToken:
        token = self._next()
        if token.kind is not kind:
            raise self._error(f"expected a {kind.name.lower()}, not '{token.text}'", token)
        return token

    def _count(self, most: int, what: str) -> int:
        token = self._peek()
        count = self._number()
        if count > most:
            raise self._error(f"more than {most} {what}", token)
        return count

    def _number(self) -> int:
        return saturated_int(self._expect(HoaKind.NUMBER).text)

    def _symbol(self, text: str) -> None:
        token = self._next()
        if token.text != text or token.kind is not HoaKind.SYMBOL:
            raise self._error(f"expected '{text}', not '{token.text}'", token)

    def _error(self, message: str, token: HoaToken) -> ParseError:
        return ParseError(message, self.source, token.span)
