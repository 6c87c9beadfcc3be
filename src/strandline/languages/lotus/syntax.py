"""A text in LOTUS as it is written: names are looked up, nothing else."""

from __future__ import annotations

from dataclasses import dataclass

from strandline.source import Source, Span


@dataclass(frozen=True, slots=True)
class Type:
    """The values of a variable, as words; a range has `low`, the number of its first value."""

    name: str
    values: tuple[str, ...]
    low: int | None = None

    def number(self, word: str) -> int | None:
        """What a word stands for in a state; None where it is no value of the type."""
        if self.low is None:
            return self.values.index(word) if word in self.values else None
        return int(word) if word in self.values else None


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
