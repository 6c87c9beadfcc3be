"""Syntax of a LOTUS text, with names resolved."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from strandline.source import Source, Span, saturated_int


@dataclass(frozen=True, slots=True)
class Type:
    """A type: its name, and its values as words.

    If all values are numbers, states contain the number itself, else the index of the value in `values`.
    """

    name: str
    values: tuple[str, ...]
    numbers: Sequence[int] | None = None
    """The values as numbers, in the order of `values`; None if one is not a number."""

    def number(self, word: str) -> int | None:
        """Return the number that represents a word in states; None if the word is no value of the type."""
        if self.numbers is not None:
            value = signed(word) if is_number(word) else None
            return value if value in self.numbers else None
        word = canonical(word)
        return self.values.index(word) if word in self.values else None


def is_number(word: str) -> bool:
    """Return True if a word is a number such as `3` or `-3`."""
    return word.lstrip("-").isdecimal()


def signed(word: str) -> int:
    """Return the value of a decimal number with an optional sign, bounded as by `saturated_int`."""
    value = saturated_int(word.lstrip("-"))
    return -value if word.startswith("-") else value


def canonical(word: str) -> str:
    """Return the normal form of a value: `7` for `07`."""
    return str(signed(word)) if is_number(word) else word


@dataclass(frozen=True, slots=True)
class Declaration:
    """A declared variable."""

    name: str
    type: Type
    span: Span


@dataclass(frozen=True, slots=True)
class Equation:
    """An equation `variable=value`; `value` is the number that represents the value in states."""

    variable: str
    value: int
    span: Span


@dataclass(frozen=True, slots=True)
class Edge:
    """Transitions from all states that satisfy the left side: `s=begin, w=1 => s=end`."""

    sources: tuple[Equation, ...]
    targets: tuple[Equation, ...]
    text: str
    span: Span


@dataclass(frozen=True, slots=True)
class Passage:
    """The text of a formula or a condition, and its source position."""

    text: str
    span: Span


@dataclass(frozen=True, slots=True)
class Module:
    """A parsed LOTUS text."""

    source: Source
    variables: tuple[Declaration, ...]
    initial: tuple[tuple[Equation, ...], ...]
    edges: tuple[Edge, ...]
    fairness: tuple[Passage, ...]
    formulas: tuple[Passage, ...]
