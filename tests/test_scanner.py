"""The scanner that small text formats share."""

from __future__ import annotations

import re

import pytest

from strandline.errors import ParseError
from strandline.scanner import Scanner, all_tokens, token_at
from strandline.source import Source

PATTERN = re.compile(r"(?:\s|//[^\n]*)*(->|[a-z]+|[;]|$)")


def test_tokens_have_their_source_positions_and_end_with_an_empty_one() -> None:
    source = Source("x", " ab -> c; // rest\n")
    tokens = all_tokens(source, PATTERN)
    assert [token.text for token in tokens] == ["ab", "->", "c", ";", ""]
    assert [source.text[token.span.start : token.span.end] for token in tokens] == ["ab", "->", "c", ";", ""]
    assert tokens[-1].span.start == len(source.text)


def test_a_foreign_character_is_refused_at_its_position() -> None:
    with pytest.raises(ParseError) as caught:
        token_at(Source("x", "ab\n  ? c"), PATTERN, 2)
    assert str(caught.value).startswith("x:2:3: unexpected '?'\n")


def test_several_tokens_are_skipped_together_or_not_at_all() -> None:
    scanner = Scanner(Source("x", "weak fair ; weak x"), PATTERN)
    assert scanner.skip_if("weak", "fair")
    assert scanner.here.text == ";"
    scanner.expect(";")
    assert not scanner.skip_if("weak", "fair")
    assert scanner.next().text == "weak"
    with pytest.raises(ParseError, match="expected ';', found 'x'"):
        scanner.expect(";")
    scanner.next()
    with pytest.raises(ParseError, match="expected ';', found the end of the file"):
        scanner.expect(";")
