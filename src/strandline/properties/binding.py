"""Binding of a formula's atomic propositions to the model."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Protocol, TypeVar

from strandline.errors import InputError
from strandline.source import Source, Span

Resolved = TypeVar("Resolved")
_GLUED = re.compile(r"([GFX]+)([a-z_]\w*)\Z")


class WithAtoms(Protocol):
    """A parsed text with the source position of the first occurrence of each atomic proposition."""

    @property
    def source(self) -> Source: ...

    @property
    def atom_spans(self) -> Mapping[str, Span]: ...


def bind_atoms(parsed: WithAtoms, resolve: Callable[[str, Span], Resolved]) -> dict[str, Resolved]:
    """Resolve every atomic proposition at its first occurrence, in the order of the text.

    `resolve` gets the text of the proposition and its span in `parsed.source`. An `InputError` without a source
    position gets that span and, for names such as `GFp`, a hint.
    """
    bound: dict[str, Resolved] = {}
    for name, span in sorted(parsed.atom_spans.items(), key=lambda item: item[1].start):
        try:
            bound[name] = resolve(name, span)
        except InputError as error:
            if error.source is not None:
                raise
            raise type(error)(f"{error.message}{glued_hint(name)}", parsed.source, span) from None
    return bound


def glued_hint(name: str) -> str:
    """Return a hint for names that other tools read as operators glued to a name; empty for all others."""
    match = _GLUED.match(name)
    if match is None:
        return ""
    return f" (if operators are meant, write '{' '.join(match.group(1))} {match.group(2)}')"
