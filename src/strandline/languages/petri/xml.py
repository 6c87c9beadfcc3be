"""A minimal XML tree whose elements know their source positions.

Texts are parsed by expat. Document type declarations, and with them all entities, are refused, as is excessive nesting.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from typing import NoReturn
from xml.parsers import expat

from strandline.errors import ModelError, ParseError
from strandline.source import Source, Span

_DEEPEST = 1000
"""The deepest nesting of elements; files of the Model Checking Contest have 30 levels."""


@dataclass(slots=True, eq=False)
class Element:
    """An element with its local name; namespaces are dropped."""

    tag: str
    attributes: dict[str, str]
    source: Source = field(repr=False)
    start: int
    """The offset of its start tag in the text."""
    children: list[Element] = field(default_factory=list, repr=False)
    text: str = ""
    """Its character data without that of its children."""

    @property
    def span(self) -> Span:
        """The source position of its start tag."""
        end = self.source.text.find(">", self.start)
        return Span(self.start, len(self.source.text) if end < 0 else end + 1)

    def span_of(self, attribute: str) -> Span:
        """Return the source position of an attribute's value, or of the start tag if the value cannot be found."""
        tag = self.span
        written = f'"{self.attributes.get(attribute, "")}"'
        place = self.source.text.find(written, tag.start, tag.end)
        return tag if place < 0 else Span(place + 1, place + len(written) - 1)

    def child(self, tag: str) -> Element | None:
        """Return the first child with this name; None if there is none."""
        return next((one for one in self.children if one.tag == tag), None)

    def every(self, tag: str) -> Iterator[Element]:
        """Return all children with this name."""
        return (one for one in self.children if one.tag == tag)

    def attribute(self, name: str) -> str:
        """Return the value of a required attribute; raises `ModelError` if it is missing."""
        if name not in self.attributes:
            raise ModelError(f"'{self.tag}' has no attribute '{name}'", self.source, self.span)
        return self.attributes[name]

    def refuse(self, message: str) -> NoReturn:
        """Raise a `ModelError` that points at the start tag."""
        raise ModelError(message, self.source, self.span)


def read_xml(source: Source, *, ignored: Collection[str] = ()) -> Element:
    """Return the root of a document, without the elements whose names are in `ignored`.

    Raises `ParseError` for text that is not XML or uses a refused feature.
    """
    return _Reader(source, frozenset(ignored)).run()


class _Reader:
    def __init__(self, source: Source, ignored: frozenset[str]) -> None:
        self.source, self.ignored = source, ignored
        # Surrogates are no valid text; expat reports them.
        self.data = source.text.encode("utf-8", "surrogatepass")
        self.continued = (
            [] if len(self.data) == len(source.text) else [i for i, byte in enumerate(self.data) if byte & 0xC0 == 0x80]
        )
        """Offsets of UTF-8 continuation bytes, to convert byte offsets to characters."""
        self.root: Element | None = None
        self.open: list[Element] = []
        self.texts: list[list[str]] = []
        self.skipping = 0
        """The number of open elements inside an ignored one, including itself."""
        self.parser = expat.ParserCreate("utf-8", " ")
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self._begin
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._characters
        self.parser.StartDoctypeDeclHandler = self._doctype

    def run(self) -> Element:
        try:
            self.parser.Parse(self.data, True)
        except expat.ExpatError as error:
            offset = self._offset(self.parser.ErrorByteIndex)
            message = f"this is not XML: {expat.ErrorString(error.code)}"
            raise ParseError(message, self.source, Span(offset, offset + 1)) from None
        assert self.root is not None, "expat refuses a document without a root"
        return self.root

    def _offset(self, byte: int) -> int:
        return byte - bisect_left(self.continued, byte)

    def _begin(self, name: str, attributes: dict[str, str]) -> None:
        tag = name.rpartition(" ")[2]
        if self.skipping or tag in self.ignored:
            self.skipping += 1
            return
        element = Element(tag, attributes, self.source, self._offset(self.parser.CurrentByteIndex))
        if self.open:
            self.open[-1].children.append(element)
        else:
            self.root = element
        if len(self.open) >= _DEEPEST:
            raise ParseError(f"more than {_DEEPEST} levels of nested elements", self.source, element.span)
        self.open.append(element)
        self.texts.append([])

    def _end(self, name: str) -> None:
        if self.skipping:
            self.skipping -= 1
            return
        self.open.pop().text = "".join(self.texts.pop())

    def _characters(self, text: str) -> None:
        if not self.skipping:
            self.texts[-1].append(text)

    def _doctype(self, name: str, system: str | None, public: str | None, internal: int) -> None:
        offset = self._offset(self.parser.CurrentByteIndex)
        start = self.source.text.rfind("<!DOCTYPE", 0, offset + 1)
        place = Span(start, start + len("<!DOCTYPE")) if start >= 0 else Span(offset, offset + 1)
        raise ParseError("a document type declaration is not supported: it could define entities", self.source, place)
