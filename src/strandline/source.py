"""Sources of text: files, character offsets in them, and caret lines for messages."""

from __future__ import annotations

from dataclasses import dataclass, field

_HARMFUL = dict.fromkeys([*range(9), *range(11, 32), 127, *range(128, 160)], "\N{REPLACEMENT CHARACTER}")
"""Maps control characters, which could manipulate a terminal, to a visible one; line breaks and tabs are kept."""


def harmless(text: str) -> str:
    """Return the text with each control character, except line breaks and tabs, replaced by a visible one."""
    return text.translate(_HARMFUL)


_MOST_DIGITS = 100


def saturated_int(digits: str) -> int:
    """Return the value of decimal digits; more than a hundred significant ones count as 10^100.

    Python refuses numbers of more than 4,300 digits, and takes quadratic time for shorter ones. Every reader compares a
    number with a limit far below 10^100, so that a number that is too long gets the same message as any too large one,
    with its source position.
    """
    significant = digits.lstrip("0")
    return int(significant or "0") if len(significant) <= _MOST_DIGITS else 10**_MOST_DIGITS


@dataclass(frozen=True, slots=True)
class Span:
    """A half-open range of character offsets into one `Source`."""

    start: int
    end: int

    def to(self, other: Span) -> Span:
        """Return the smallest span that covers this one and the other."""
        return Span(min(self.start, other.start), max(self.end, other.end))

    def shift(self, offset: int) -> Span:
        """Return the span moved by `offset` characters."""
        return Span(self.start + offset, self.end + offset)


@dataclass(frozen=True, slots=True)
class Place:
    """A range of a file for tools: lines and columns from 1, in characters; its end is the first column behind it."""

    file: str
    line: int = 1
    column: int = 1
    end_line: int | None = None
    end_column: int | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Source:
    """A named text: a model file, an expression given on the command line, a formula."""

    name: str
    text: str = field(repr=False)
    inside: tuple[Source, int] | None = field(default=None, repr=False)
    """The text that contains this one verbatim, and the character offset in it; None if there is none."""

    def outermost(self, span: Span) -> tuple[Source, Span]:
        """Convert a span in this text to the outermost text that contains it, and the span there."""
        source, place = self, span
        while source.inside is not None:
            outer, offset = source.inside
            source, place = outer, place.shift(offset)
        return source, place

    def position(self, offset: int) -> tuple[int, int]:
        """Return line and column of a character offset, both counted from 1."""
        offset = max(0, min(offset, len(self.text)))
        line = self.text.count("\n", 0, offset) + 1
        return line, offset - (self.text.rfind("\n", 0, offset) + 1) + 1

    def where(self, span: Span) -> str:
        """Return `file:line:column`, the form that editors understand."""
        line, column = self.position(span.start)
        return f"{self.name}:{line}:{column}"

    def place(self, span: Span) -> Place:
        """Return the place of a span in the outermost text that contains it."""
        source, span = self.outermost(span)
        return Place(source.name, *source.position(span.start), *source.position(span.end))

    def caret(self, span: Span) -> str:
        """Return the source line of the span, with carets below the span; a long line is cut around it."""
        line_start = self.text.rfind("\n", 0, span.start) + 1
        line_end = self.text.find("\n", span.start)
        line = self.text[line_start : line_end if line_end >= 0 else len(self.text)].rstrip("\r")
        column = span.start - line_start
        width = max(1, min(span.end, line_start + len(line)) - span.start)
        cut = max(0, column - 60)
        shown = line[cut : cut + 110].replace("\t", " ")
        return f"  {shown}\n  {' ' * (column - cut)}{'^' * min(width, 110 - (column - cut))}"
