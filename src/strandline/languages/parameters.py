"""Values of model parameters given on the command line: `-D NAME=VALUE`."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping
from typing import Any

from strandline.errors import UsageError

Given = Mapping[str, Any]
MOST_COMBINATIONS = 10_000
"""Most combinations of values of parameters that one command runs."""
_RANGE = re.compile(r"(-?\d{1,15})\.\.(-?\d{1,15})")


def given_parameters(texts: Iterable[str]) -> dict[str, Any]:
    """Return the values by name from texts such as `N=3`; a value that is no Python literal is a string.

    Raises `UsageError` for a malformed text or a repeated name.
    """
    found: dict[str, Any] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name.strip().isidentifier():
            raise UsageError(f"-D {text}: write NAME=VALUE, as in -D N=3")
        if name.strip() in found:
            raise UsageError(f"-D {text}: '{name.strip()}' is given twice")
        if _several(value.strip()) is not None:
            raise UsageError(f"-D {text}: several values are for 'check', which runs every combination")
        found[name.strip()] = _literal(value.strip())
    return found


def has_several(texts: Iterable[str]) -> bool:
    """Return True if a text such as `N=2..5` or `LOSS=0,1` gives several values."""
    return any(_several(text.partition("=")[2].strip()) is not None for text in texts)


def grid_of(texts: Iterable[str]) -> dict[str, list[Any]]:
    """Return the values by name, several for texts such as `N=2..5` and `LOSS=0,1`, as `given_parameters` does."""
    found: dict[str, list[Any]] = {}
    for text in texts:
        name, _, value = text.partition("=")
        several = _several(value.strip())
        if several is None:
            [(key, one)] = given_parameters([text]).items()
            several = [one]
        else:
            key = next(iter(given_parameters([f"{name}=0"])))
        if not several:
            raise UsageError(f"-D {text}: there is no value from the first to the last")
        if key in found:
            raise UsageError(f"-D {text}: '{key}' is given twice")
        found[key] = several
    return found


def _several(text: str) -> list[Any] | None:
    """Return the values of a range or a list; None for a single value."""
    ends = _RANGE.fullmatch(text)
    if ends is not None:
        first, last = int(ends[1]), int(ends[2])
        if last - first >= MOST_COMBINATIONS:
            raise UsageError(f"{text} has more than {MOST_COMBINATIONS:,} values")
        return list(range(first, last + 1))
    if "," in text and not text.startswith(("(", "[", "{", "'", '"')):
        return [_literal(one.strip()) for one in text.split(",")]
    return None


def _literal(text: str) -> Any:
    if text in ("true", "false"):
        return text == "true"
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return text


def refuse_unknown(model: str, given: Iterable[str], known: Iterable[str], noun: str) -> None:
    """Raise `UsageError` for a name in `given` that is not in `known`; the message lists those in `known`.

    `noun` is the word of the language for such a name, for example "constant".
    """
    names = list(known)
    for name in given:
        if name not in names:
            raise UsageError(f"{model} has no {noun} '{name}' (it has {', '.join(names) or 'none'})")


def whole_number(name: str, value: Any) -> int:
    """Return the value as an integer (True is 1); raise `UsageError` if it is no integer."""
    if not isinstance(value, int):
        raise UsageError(f"'{name}' is a number, not {value!r}")
    return int(value)
