"""Atomic propositions of formulas, automata and regular expressions: labels and expressions of a model."""

from __future__ import annotations

import re

from strandline.errors import InputError
from strandline.model.expression import Expression
from strandline.model.system import System
from strandline.properties import WithAtoms, bind_atoms
from strandline.source import Span


def bound_atoms(text: WithAtoms, system: System) -> dict[str, Expression]:
    """Every atom as a label of the model or an expression in its language. Raises `InputError` with the place in the
    text."""
    labels = {one.name: one.expression for one in system.labels}
    source = text.source

    def resolve(atom: str, span: Span) -> Expression:
        if atom in labels:
            return labels[atom]
        try:
            return system.scope.parse(atom, name=source.name)
        except InputError as error:
            # Its place is one in the atom: shown where that stands, if it stands there word for word.
            same = error.span is not None and source.text[span.start : span.end] == atom
            place = Span(span.start + error.span.start, span.start + error.span.end) if same and error.span else span
            raise type(error)(error.message + _meant(atom, system), source, place) from None

    return bind_atoms(text, resolve)


def _meant(atom: str, system: System) -> str:
    """`GFp` is a name, and was perhaps meant to be `G F p`."""
    found = re.match(r"([GFX]+)([A-Za-z_].*)", atom, re.DOTALL)
    if found is None:
        return ""
    try:
        system.scope.parse(found[2], name="atom")
    except InputError:
        return ""
    return f"; did you mean '{' '.join(found[1])} {found[2]}'?"
