"""SPIN's never claims: a Büchi automaton written as a Promela process.

The first state is the initial one; states whose label begins with `accept` are accepting. A claim that terminates
accepts every continuation, and so does `assert` in the form in which SPIN writes it (`atomic { (g) -> assert(!(g)) }`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from strandline.errors import ParseError
from strandline.properties.automata import guard as guards
from strandline.properties.automata.automaton import Automaton
from strandline.properties.automata.guard import Guard, guard_text
from strandline.properties.formats.guard_syntax import (
    AtomPlaces,
    AutomatonText,
    DescribedState,
    accepting_among,
    automaton_from_formulas,
    parse_guard,
    require_state_based,
    with_single_initial,
)
from strandline.properties.ltl.formula import TRUE, Formula
from strandline.properties.ltl.printer import PLAIN_NAME
from strandline.scanner import Token, all_tokens
from strandline.source import Source


def write_never_claim(automaton: Automaton, *, name: str = "") -> str:
    """Return the Promela text of a state-based automaton; atoms that are no plain names are parenthesised."""
    require_state_based(automaton, "a never claim")
    automaton = with_single_initial(automaton)
    comment = f" /* {name.replace('*/', '* /')} */" if name else ""
    lines = [f"never {{{comment}"]
    for state in range(automaton.state_count):
        lines += _state_lines(automaton, state)
    lines.append("}")
    return "\n".join(lines) + "\n"


def _state_lines(automaton: Automaton, state: int) -> list[str]:
    edges = automaton.edges[state]
    label = f"{_label(automaton, state)}:"
    if not edges:
        return [label, "    false;"]
    if _accepts_everything(automaton, state):
        options = [f"    :: (true) -> goto {_label(automaton, state)}"]
    else:
        options = [
            f"    :: ({_guard_text(automaton, edge.guard)}) -> goto {_label(automaton, edge.target)}" for edge in edges
        ]
    return [label, "    do", *options, "    od;"]


def _accepts_everything(automaton: Automaton, state: int) -> bool:
    edges = automaton.edges[state]
    return (
        state in automaton.accepting_states
        and len(edges) == 1
        and edges[0].guard is guards.TRUE
        and edges[0].target == state
    )


def _label(automaton: Automaton, state: int) -> str:
    accepting = state in automaton.accepting_states
    if state == 0:
        return "accept_init" if accepting else "T0_init"
    if _accepts_everything(automaton, state):
        return "accept_all" if state == _first_accepting_everything(automaton) else f"accept_S{state}"
    return f"accept_S{state}" if accepting else f"T0_S{state}"


def _first_accepting_everything(automaton: Automaton) -> int:
    return next(state for state in range(1, automaton.state_count) if _accepts_everything(automaton, state))


def _guard_text(automaton: Automaton, guard: Guard) -> str:
    return guard_text(guard, lambda place: _atom_text(automaton.atoms[place]))


def _atom_text(name: str) -> str:
    return name if PLAIN_NAME.match(name) else f"({name})"


_TOKEN = re.compile(r"(?:\s|/\*.*?\*/|//[^\n]*)*(::|->|[A-Za-z_][A-Za-z0-9_]*|[0-9]+|[^\s]|$)", re.DOTALL)


@dataclass(slots=True)
class _State:
    labels: list[Token]
    edges: list[tuple[Formula, Token | None]] = field(default_factory=list)
    """Guards and the labels of the states they lead to; None is the end of the claim."""
    loops: list[Formula] = field(default_factory=list)
    falls_through: list[Formula] = field(default_factory=list)
    """Guards after which the claim continues with the next state in the text."""


def read_never_claim(source: Source) -> AutomatonText:
    """Parse a never claim; raises `ParseError` with the source position of the mistake."""
    return _Reader(source).read()


class _Reader:
    """The parser: a cursor over the tokens of the claim, and the states parsed so far."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.tokens = all_tokens(source, _TOKEN)
        self.place = 0
        self.states: list[_State] = []
        self.atom_places = AtomPlaces()

    def read(self) -> AutomatonText:
        self._word("never")
        if self._peek().text != "{":
            self._next()
        self._word("{")
        while self._peek().text != "}":
            self._state()
        self._word("}")
        if self._peek().text:
            raise self._error(f"unexpected '{self._peek().text}' behind the claim", self._peek())
        if not self.states:
            raise self._error("the claim has no state", self.tokens[0])
        states = self._described_states()
        automaton = automaton_from_formulas(self.source, (0,), states)
        return AutomatonText(automaton, self.source, self.atom_places.spans, accepting_among(states))

    def _state(self) -> None:
        labels = []
        while self.tokens[self.place + 1 : self.place + 2] and self.tokens[self.place + 1].text == ":":
            labels.append(self._next())
            self._next()
        if not labels:
            raise self._error(f"expected a label, not '{self._peek().text}'", self._peek())
        state = _State(labels)
        self.states.append(state)
        self._statement(state)
        while self._peek().text == ";":
            self._next()

    def _statement(self, state: _State) -> None:
        token = self._next()
        match token.text:
            case "if" | "do":
                self._options(state, token)
            case "skip" | "true":
                state.falls_through.append(TRUE)
            case "false":
                pass
            case "goto":
                state.edges.append((TRUE, self._next()))
            case _:
                raise self._error(f"expected if, do, skip or false, not '{token.text}'", token)

    def _options(self, state: _State, opening: Token) -> None:
        closing = "fi" if opening.text == "if" else "od"
        if self._peek().text != "::":
            raise self._error(f"expected '::' after {opening.text}", self._peek())
        while self._peek().text == "::":
            self._next()
            self._option(state, loops=opening.text == "do")
        self._word(closing)

    def _option(self, state: _State, loops: bool) -> None:
        if self._peek().text == "atomic":
            self._next()
            self._word("{")
            state.edges.append((self._guard(), None))
            self._assertion()
            self._word("}")
            return
        guard = self._guard() if self._peek().text != "goto" else TRUE
        if self._peek().text in ("->", ";"):
            self._next()
        if self._peek().text == "goto":
            self._next()
            state.edges.append((guard, self._next()))
        elif self._peek().text == "break":
            self._next()
            state.falls_through.append(guard)
        else:
            (state.loops if loops else state.falls_through).append(guard)
        while self._peek().text == ";":
            self._next()

    def _assertion(self) -> None:
        self._word("->")
        self._word("assert")
        self._parse_balanced()

    def _guard(self) -> Formula:
        """Parse the guard of an option: the tokens up to `->`, `;` or the next option, outside parentheses."""
        first = self._peek()
        last = first
        while self._peek().text not in ("->", ";", "::", "fi", "od", "}", ""):
            last = self._parse_balanced() if self._peek().text == "(" else self._next()
        if self._peek() is first:
            raise self._error(f"expected a guard, not '{first.text}'", first)
        if first.text == "else":
            raise self._error("'else' cannot be read in a never claim", first)
        parsed = parse_guard(self.source, first.span.to(last.span))
        self.atom_places.note(parsed.atom_spans)
        return parsed.formula

    def _parse_balanced(self) -> Token:
        opening = self._peek()
        self._word("(")
        depth = 1
        token = opening
        while depth:
            token = self._next()
            depth += (token.text == "(") - (token.text == ")")
            if not token.text:
                raise self._error("this '(' is never closed", opening)
        return token

    def _described_states(self) -> list[DescribedState]:
        number = {label.text: place for place, state in enumerate(self.states) for label in state.labels}
        end = len(self.states)
        described: list[DescribedState] = []
        for place, state in enumerate(self.states):
            edges = [(guard, self._target(label, number, end)) for guard, label in state.edges]
            edges += [(guard, place) for guard in state.loops]
            edges += [(guard, place + 1) for guard in state.falls_through]
            described.append((edges, any(label.text.startswith("accept") for label in state.labels)))
        if any(target == end for edges, _ in described for _, target in edges):
            described.append(([(TRUE, end)], True))
        return described

    def _target(self, label: Token | None, number: dict[str, int], end: int) -> int:
        if label is None:
            return end
        if label.text not in number:
            raise self._error(f"there is no label '{label.text}'", label)
        return number[label.text]

    def _peek(self) -> Token:
        return self.tokens[self.place]

    def _next(self) -> Token:
        token = self.tokens[self.place]
        self.place = min(self.place + 1, len(self.tokens) - 1)
        return token

    def _word(self, text: str) -> None:
        token = self._next()
        if token.text != text:
            found = f"'{token.text}'" if token.text else "the end of the file"
            raise self._error(f"expected '{text}', not {found}", token)

    def _error(self, message: str, token: Token) -> ParseError:
        return ParseError(message, self.source, token.span)
