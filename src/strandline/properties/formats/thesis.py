"""The automaton file of Lilleskare's thesis (docs/papers.md, 000, §7.4.2).

First line: the initial states; second line: the accepting states; then one line per state: its name and, in
turn, action and successor. An action is `true` or literals glued together: `p!q` means p and not q.

The thesis does not say where one name ends and the next begins. Given the alphabet, the longest name that
fits is taken: `crit1!crit2`. Without it a name is one letter with the digits that follow. Our extension: where
`&` occurs in an action, names are separated by it and may be of any length; the writer uses it (`true&!cs0`)
where gluing would not read back.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from strandline.errors import ParseError, UsageError
from strandline.properties.automata.automaton import Automaton
from strandline.properties.automata.guard import Cube
from strandline.properties.formats.guard_syntax import (
    AtomPlaces,
    AutomatonText,
    DescribedState,
    accepting_among,
    automaton_from_formulas,
    require_state_based,
)
from strandline.properties.ltl.formula import TRUE, Formula, Operator, atom, make
from strandline.source import Source, Span

_SHORT_NAME = re.compile(r"[A-Za-z][0-9]*")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.]*\Z")


@dataclass(frozen=True, slots=True)
class _Word:
    text: str
    span: Span


def read_thesis_automaton(source: Source, atoms: Sequence[str] = ()) -> AutomatonText:
    """Parse an automaton file; `atoms` is the alphabet, if known; states are numbered in the order of their lines."""
    lines = _lines(source)
    if len(lines) < 2:
        raise ParseError(
            "expected a line of initial states and a line of accepting states",
            source,
            Span(len(source.text), len(source.text)),
        )
    number: dict[str, int] = {}
    for line in lines[2:]:
        if line[0].text in number:
            raise ParseError(f"state {line[0].text} is described twice", source, line[0].span)
        number[line[0].text] = len(number)
    accepting = {_state(source, number, word) for word in lines[1]}
    states: list[DescribedState] = []
    places = AtomPlaces()
    for place, line in enumerate(lines[2:]):
        if len(line) % 2 == 0:
            raise ParseError("an action without a successor", source, line[-1].span)
        edges = [
            (_action(source, action, atoms, places), _state(source, number, successor))
            for action, successor in zip(line[1::2], line[2::2], strict=True)
        ]
        states.append((edges, place in accepting))
    initial = tuple(_state(source, number, word) for word in lines[0])
    automaton = automaton_from_formulas(source, initial, states)
    return AutomatonText(automaton, source, places.spans, accepting_among(states))


def _lines(source: Source) -> list[list[_Word]]:
    """Return the words of every line.

    Blank lines are dropped, except an empty second line, which means that no state is accepting.
    """
    lines: list[list[_Word]] = []
    offset = 0
    for text in source.text.split("\n"):
        words = [
            _Word(match.group(), Span(offset + match.start(), offset + match.end()))
            for match in re.finditer(r"\S+", text)
        ]
        if words or len(lines) == 1:
            lines.append(words)
        offset += len(text) + 1
    return lines


def _state(source: Source, number: dict[str, int], word: _Word) -> int:
    if word.text not in number:
        raise ParseError(f"state {word.text} has no line that describes it", source, word.span)
    return number[word.text]


def _action(source: Source, word: _Word, atoms: Sequence[str], places: AtomPlaces) -> Formula:
    literals: list[Formula] = []
    offset = 0
    while offset < len(word.text):
        positive = word.text[offset] != "!"
        start = offset if positive else offset + 1
        name = _name_at(word.text, start, atoms)
        if not name:
            place = word.span.start + offset
            raise ParseError("expected a literal", source, Span(place, word.span.end))
        if name != "true":
            places.note({name: Span(word.span.start + start, word.span.start + start + len(name))})
            literals.append(atom(name) if positive else make(Operator.NOT, atom(name)))
        elif not positive:
            raise ParseError("'!true' is no action", source, word.span)
        offset = start + len(name)
        if word.text[offset : offset + 1] == "&":
            offset += 1
    return make(Operator.AND, *literals) if len(literals) > 1 else (literals or [TRUE])[0]


def _name_at(text: str, start: int, atoms: Sequence[str]) -> str:
    if "&" in text:
        return re.split(r"[&!]", text[start:], maxsplit=1)[0]
    if re.match(r"true(?![A-Za-z0-9_])", text[start:]):
        return "true"
    known = max((name for name in atoms if text.startswith(name, start)), key=len, default="")
    match = _SHORT_NAME.match(text, start)
    return max(known, match.group() if match else "", key=len)


def write_thesis_automaton(automaton: Automaton) -> str:
    """Return the file of a state-based automaton; a guard with several cubes becomes several actions."""
    require_state_based(automaton, "the automaton file")
    for name in automaton.atoms:
        if not _NAME.match(name):
            raise UsageError(f"the automaton file cannot hold the proposition '{name}'")
    glue = all(_SHORT_NAME.fullmatch(name) for name in automaton.atoms)
    lines = [
        " ".join(map(str, automaton.initial)),
        " ".join(map(str, sorted(automaton.accepting_states))),
    ]
    for state, edges in enumerate(automaton.edges):
        words = [str(state)]
        for edge in edges:
            for cube in edge.guard.cubes():
                words += [_action_text(cube, automaton.atoms, glue), str(edge.target)]
        lines.append(" ".join(words))
    return "\n".join(lines) + "\n"


def _action_text(cube: Cube, atoms: tuple[str, ...], glue: bool) -> str:
    positive, negative = cube
    literals = [
        name if positive >> place & 1 else f"!{name}"
        for place, name in enumerate(atoms)
        if (positive | negative) >> place & 1
    ]
    if not literals:
        return "true"
    return "".join(literals) if glue else "&".join(["true", *literals])
