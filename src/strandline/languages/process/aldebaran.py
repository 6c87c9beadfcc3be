"""Aldebaran `.aut` files: labelled transition systems as other tools write them.

    des (0, 2, 2)
    (0, "PUT !1", 1)
    (1, i, 0)

The header has the initial state, the number of transitions and the number of states; states are numbered from 0. A
label may stand in quotes; `i` and `tau` are the internal action, with quotes or without.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import NoReturn

from strandline.errors import InputError, ParseError
from strandline.languages.process.composition import single
from strandline.languages.process.lowering import lower
from strandline.languages.process.lts import TAU, Lts, Transition
from strandline.languages.process.scope import ProcessScope
from strandline.model.system import System
from strandline.model.validate import validate
from strandline.source import Source, Span, saturated_int

__all__ = ["load", "read", "write"]

COMPONENT = "LTS"
"""The name of the component that an `.aut` file becomes when it is loaded as a model."""
MAXIMUM_STATES = 1 << 20

_HEADER = re.compile(r"\s*des\s*\(\s*(\d+)\s*,\s*(\d+)\s*,\s*(\d+)\s*\)\s*")
_TRANSITION = re.compile(r"\s*\(\s*(\d+)\s*,\s*(.*\S)\s*,\s*(\d+)\s*\)\s*")
_LINE = re.compile(r"[^\n]*")
_INTERNAL = frozenset({"i", TAU})


def load(source: Source) -> System:
    """Load the System with this file as its only component, called `LTS`."""
    system = lower(source, single(COMPONENT, read(source)))
    return validate(replace(system, scope=ProcessScope(system.processes, {})))


def read(source: Source) -> Lts:
    """Parse a labelled transition system; raises `ParseError` with the line of the first mistake."""
    return _Reader(source).lts()


def write(lts: Lts) -> str:
    """Return the text of an .aut file; states become numbers.

    Raises `InputError` for a label that the format cannot represent.
    """
    lines = [f"des ({lts.initial}, {len(lts.transitions)}, {len(lts.states)})"]
    for transition in lts.transitions:
        lines.append(f"({transition.source}, {_write_label(transition.label)}, {transition.target})")
    return "\n".join(lines) + "\n"


def _write_label(label: str) -> str:
    if label == TAU:
        return "i"
    if label in _INTERNAL or '"' in label or "\n" in label:
        raise InputError(f"the action '{label}' cannot be written to an .aut file; rename it")
    return f'"{label}"'


class _Reader:
    def __init__(self, source: Source) -> None:
        self.source = source
        self.lines = self._filled_lines()

    def lts(self) -> Lts:
        header = next(self.lines, Span(0, 0))
        initial, transitions, states = self._header(header)
        found = [self._transition(line, states) for line in self.lines]
        if len(found) != transitions:
            message = f"the header announces {transitions} transitions, and the file has {len(found)}"
            raise ParseError(message, self.source, header)
        alphabet = frozenset(one.label for one in found) - {TAU}
        return Lts(tuple(map(str, range(states))), tuple(sorted(set(found))), alphabet, initial)

    def _filled_lines(self) -> Iterator[Span]:
        text = self.source.text
        for line in _LINE.finditer(text):
            filled = line.group().strip()
            if filled:
                start = line.start() + line.group().index(filled)
                yield Span(start, start + len(filled))

    def _header(self, line: Span) -> tuple[int, int, int]:
        match = _HEADER.fullmatch(self._text(line))
        if match is None:
            self._fail("expected 'des (initial state, transitions, states)'", line)
        initial, transitions, states = (saturated_int(number) for number in match.groups())
        if not 1 <= states <= MAXIMUM_STATES:
            self._fail(f"a file must have from 1 to {MAXIMUM_STATES} states, not {states}", line)
        if initial >= states:
            self._fail(f"the initial state {initial} is not one of the states 0..{states - 1}", line)
        return initial, transitions, states

    def _transition(self, line: Span, states: int) -> Transition:
        match = _TRANSITION.fullmatch(self._text(line))
        if match is None:
            self._fail('expected a transition, as in (0, "label", 1)', line)
        source, target, label = saturated_int(match[1]), saturated_int(match[3]), match[2]
        for state in (source, target):
            if state >= states:
                self._fail(f"state {state} is not one of the states 0..{states - 1}", line)
        if label.startswith('"'):
            if len(label) < 3 or not label.endswith('"'):
                self._fail("a quoted label must be closed and not empty", line)
            label = label[1:-1]
        return Transition(source, TAU if label in _INTERNAL else label, target)

    def _text(self, line: Span) -> str:
        return self.source.text[line.start : line.end]

    def _fail(self, message: str, line: Span) -> NoReturn:
        raise ParseError(message, self.source, line)
