"""A text in LOTUS as it is written: names are looked up, nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from strandline.source import Source, Span


@dataclass(frozen=True, slots=True)
class Type:
    """The values of a variable, as words. Where all of them are numbers a state has these numbers, else the place of a
    value among the words."""

    name: str
    values: tuple[str, ...]
    numbers: Sequence[int] | None = None
    """The values as numbers, where they are; in a range from the first to the last."""

    def number(self, word: str) -> int | None:
        """What a word stands for in a state; None where it is no value of the type."""
        if self.numbers is not None:
            value = int(word) if is_number(word) else None
            return value if value in self.numbers else None
        word = canonical(word)
        return self.values.index(word) if word in self.values else None


def is_number(word: str) -> bool:
    """Return True for `3` and `-3`."""
    return word.lstrip("-").isdecimal()


def canonical(word: str) -> str:
    """The word by which a value is known: `7` for `07`, which is the same number."""
    return str(int(word)) if is_number(word) else word


@dataclass(frozen=True, slots=True)
class Declaration:
    """A variable."""

    name: str
    type: Type
    span: Span


@dataclass(frozen=True, slots=True)
class Equation:
    """`variable=value`; the value is the number that stands for it."""

    variable: str
    value: int
    span: Span


@dataclass(frozen=True, slots=True)
class Edge:
    """`s=begin, w=1 => s=end`: from all states of which the left side is true, whatever else they are."""

    sources: tuple[Equation, ...]
    targets: tuple[Equation, ...]
    text: str
    span: Span


@dataclass(frozen=True, slots=True)
class Passage:
    """A formula or a condition as it stands in the text, comments blanked."""

    text: str
    span: Span


@dataclass(frozen=True, slots=True)
class Module:
    """The whole text."""

    source: Source
    variables: tuple[Declaration, ...]
    initial: tuple[tuple[Equation, ...], ...]
    edges: tuple[Edge, ...]
    fairness: tuple[Passage, ...]
    formulas: tuple[Passage, ...]
