"""Declarations in DVE comments, such as `// invariant: x < 3`, and comments that resemble them.

A declaration fills its comment: from `//` to the end of the line, also behind other text, or in `/* */` on one line;
case does not matter. A comment that only resembles a declaration might be a claim that is silently dropped; so it is
refused if its text makes sense as a claim, else there may be a warning.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from difflib import get_close_matches

from strandline.errors import ParseError
from strandline.source import Source, Span

KINDS = ("invariant", "reachable", "valid end", "ltl", "ctl", "measure", "fair", "strongly fair")
_COMMENT = re.compile(r"//(?P<line>[^\n]*)|/\*(?P<block>.*?)\*/", re.DOTALL)
_SAID = re.compile(rf"[ \t]*(?P<kind>{'|'.join(KINDS).replace(' ', '[ ]+')})[ \t]*:[ \t]*(?P<text>.*?)[ \t\r]*", re.I)
_NEARLY = re.compile(r"(?P<mark>[ \t*/]*)(?P<word>[a-z]+(?:[ _-]+[a-z]+)?)[ \t]*:[ \t]*(?P<text>.*?)[ \t\r]*", re.I)
_NO_COLON = re.compile(rf"[ \t]*(?P<word>{'|'.join(KINDS).replace(' ', '[ ]+')})[ \t]+(?P<text>.*?)[ \t\r]*", re.I)
_ALIKE = 0.7
_LONG = 7
"""The least length of a kind of declaration that causes warnings about similar words; shorter ones occur in prose."""

MakesSense = Callable[[str, str], bool]
"""A predicate of a kind and a text: True if the text makes sense as a declaration of that kind."""


@dataclass(frozen=True, slots=True)
class CommentDeclaration:
    """A declaration in a comment: its kind (one of `KINDS`), its text, and the source position of the text."""

    kind: str
    text: str
    span: Span


def declarations_in(source: Source) -> Iterator[CommentDeclaration]:
    """Yield the declarations in comments, in order."""
    for start, comment in _comments(source):
        found = _SAID.fullmatch(comment)
        if found is not None:
            first, last = found.span("text")
            yield CommentDeclaration(_plain(found["kind"]), found["text"], Span(start + first, start + last))


def find_near_declarations(source: Source, understood: MakesSense) -> Iterator[str]:
    """Yield warnings about comments that resemble declarations.

    Raises `ParseError` for the first such comment whose text makes sense as a declaration by `understood`.
    """
    for start, comment in _comments(source):
        if _SAID.fullmatch(comment) is None:
            for line in re.finditer(r"[^\n]+", comment):
                alone = "\n" not in comment
                yield from _nearly(source, line[0], start + line.start(), understood, alone=alone)


def _comments(source: Source) -> Iterator[tuple[int, str]]:
    """Yield the text of each comment without delimiters, and its offset."""
    for found in _COMMENT.finditer(source.text):
        group = "line" if found["line"] is not None else "block"
        yield found.start(group), found[group]


def _nearly(source: Source, line: str, start: int, understood: MakesSense, *, alone: bool) -> Iterator[str]:
    """Yield a warning, or raise `ParseError`, if a line of a comment resembles a declaration."""
    found = _NEARLY.fullmatch(line)
    kind = None if found is None else _alike(_plain(found["word"]))
    if found is None or kind is None:
        found = _NO_COLON.fullmatch(line)
        kind = None if found is None else _plain(found["word"])
    if found is None or kind is None or not found["text"]:
        return
    span = Span(start + found.start("word"), start + found.end())
    how = f"write '// {kind}: {found['text']}'" + ("" if alone else " in a line of its own, outside of this comment")
    if understood(kind, found["text"]):
        raise ParseError(f"this comment is not recognised as a claim; {how}", source, span)
    if _NEARLY.fullmatch(line) and len(kind) >= _LONG:
        yield f"warning: {source.where(span)}: this comment is not checked; if it is a claim, {how}"


def _alike(word: str) -> str | None:
    return next(iter(get_close_matches(word, KINDS, n=1, cutoff=_ALIKE)), None)


def _plain(word: str) -> str:
    return " ".join(re.split(r"[ _-]+", word.casefold()))
