"""Parse TOML, with mistakes as errors that point into the file."""

from __future__ import annotations

import re
import tomllib
from typing import Any

from strandline.errors import ParseError
from strandline.source import Source, Span

_TOML_PLACE = re.compile(r" \(at line (\d+), column (\d+)\)$")


def parse_toml(source: Source) -> dict[str, Any]:
    """Parse a TOML document. Raises `ParseError` with the position of the first mistake."""
    try:
        return tomllib.loads(source.text)
    except tomllib.TOMLDecodeError as error:
        message = str(error)
    except ValueError as error:
        message = f"not TOML: {error}"
    except RecursionError:
        message = "not TOML: nested too deeply"
    place = _TOML_PLACE.search(message)
    if place is None:
        raise ParseError(message, source)
    lines = source.text.splitlines(keepends=True)[: int(place[1]) - 1]
    start = sum(map(len, lines)) + int(place[2]) - 1
    raise ParseError(message[: place.start()], source, Span(start, start + 1))
