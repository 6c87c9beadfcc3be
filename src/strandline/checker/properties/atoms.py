"""Atomic propositions of formulas, automata and regular expressions: bound to labels and expressions of a model."""

from __future__ import annotations

import re

from strandline.errors import InputError
from strandline.model.expression import Expression
from strandline.model.scope import Scope
from strandline.model.system import System
from strandline.properties import WithAtoms, bind_atoms
from strandline.source import Source, Span


def bound_atoms(text: WithAtoms, system: System, scope: Scope | None = None) -> dict[str, Expression]:
    """Return the expression of each atom: a label of the model, or an expression in its language.

    Atoms are in the System's own language or that of `scope`. Raises `InputError` with the position in the text.
    """
    labels = {one.name: one.expression for one in system.labels}
    source, words = text.source, system.scope if scope is None else scope

    def resolve(atom: str, span: Span) -> Expression:
        if atom in labels:
            return labels[atom]
        try:
            return words.condition(atom, name=source.name)
        except InputError as error:
            place = span if error.span is None else _place_in(source, span, atom, error.span)
            raise type(error)(error.message + _meant(atom, words), source, place) from None

    return bind_atoms(text, resolve)


def _place_in(source: Source, span: Span, atom: str, inner: Span) -> Span:
    """Return the source position of `inner`, a part of an atom, in the text where the atom is at `span`.

    Blanks may differ between text and atom. If the atom's letters are not found there, `span` is returned.
    """
    written = [place for place in range(span.start, span.end) if not source.text[place].isspace()]
    letters = "".join(atom.split())
    start = "".join(source.text[place] for place in written).find(letters)
    first, last = (len("".join(atom[:end].split())) for end in (inner.start, inner.end))
    if start < 0 or not first < last <= len(letters):
        return span
    return Span(written[start + first], written[start + last - 1] + 1)


def atom_source(text: WithAtoms, atom: str) -> Source:
    """Return the source of an atom, so that mistakes in it are reported at their position in the whole text."""
    span, outer = text.atom_spans.get(atom), text.source
    start = -1 if span is None else outer.text.find(atom, span.start, span.end)
    return Source(outer.name, atom, None if start < 0 else (outer, start))


def _meant(atom: str, scope: Scope) -> str:
    """Return a hint for an unknown name such as `GFp`, which was perhaps meant as `G F p`; "" if there is none."""
    found = re.match(r"([GFX]+)([A-Za-z_].*)", atom, re.DOTALL)
    if found is None:
        return ""
    try:
        scope.parse(found[2], name="atom")
    except InputError:
        apart = len(found[1]) > 1 or len(found[2]) == 1
        return f"; operators stand apart from names: '{' '.join(found[1])} {found[2]}'" if apart else ""
    return f"; did you mean '{' '.join(found[1])} {found[2]}'?"
