"""Values of model parameters given on the command line: `-D NAME=VALUE`."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from typing import Any

from strandline.errors import UsageError

Given = Mapping[str, Any]


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
        found[name.strip()] = _literal(value.strip())
    return found


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
