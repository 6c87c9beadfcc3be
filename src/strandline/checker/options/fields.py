"""Options as fields of classes: the command line, completion and messages read the field's metadata.

An option is one field. Its name is the keyword of `strandline.check` and the key in an `expected.toml`; with dashes it
is the flag of the command line; its default and its type determine the kind of flag.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import Field, dataclass, fields
from pathlib import Path
from typing import Any

from strandline.errors import Option, UsageError

_KEY = "strandline"
_UNITS = {"": 0, "K": 10, "M": 20, "G": 30, "T": 40}
_SECONDS = {"": 1, "s": 1, "m": 60, "h": 3600}
_DURATION = re.compile(r"(\d+(?:\.\d+)?)\s*([smh]?)", re.IGNORECASE)
_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*([KMGT]?)(?:I?B)?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class OptionFacts:
    """The facts about an option besides its default and type: help text, group, value name, choices, parser, flag."""

    help: str
    group: str
    metavar: str | None = None
    choices: tuple[str, ...] = ()
    parse: Callable[[str], Any] | None = None
    """The function that converts the text of a value; it raises `UsageError` for a wrong one."""
    flag: str | None = None
    """The flag on the command line, if it is not the field's name with dashes.

    One that begins with `--no-` turns the option off, and no flag turns it on.
    """


def option(
    help: str,
    *,
    group: str,
    metavar: str | None = None,
    choices: Sequence[str] = (),
    parse: Callable[[str], Any] | None = None,
    flag: str | None = None,
) -> Mapping[str, OptionFacts]:
    """Return the `metadata` argument for a dataclass field that is an option."""
    return {_KEY: OptionFacts(help, group, metavar, tuple(choices), parse, flag)}


def options_in(options: type[Any]) -> Iterator[tuple[Field[Any], OptionFacts]]:
    """Yield the fields of a class that are options, with their facts."""
    for field in fields(options):
        if _KEY in field.metadata:
            yield field, field.metadata[_KEY]


def flag_of(field: Field[Any], facts: OptionFacts) -> str:
    """Return the spelling of the option on the command line."""
    return facts.flag or f"--{field.name.replace('_', '-')}"


def find_option(options: type[Any], name: str) -> Option:
    """Return the option of the field `name` of a class, without a value, for use in a message."""
    return next(Option(name, flag=facts.flag) for field, facts in options_in(options) if field.name == name)


def texts(given: str | Path | Sequence[str | Path], what: str) -> tuple[str, ...]:
    """Return one text or path, or a sequence of them, as a tuple of texts.

    `what` begins the message of the `UsageError` for other types.
    """
    if isinstance(given, str | Path):
        return (str(given),)
    if not isinstance(given, Sequence) or not all(isinstance(one, str | Path) for one in given):
        raise UsageError(f"{what}, not {given!r}")
    return tuple(str(one) for one in given)


MOST = {"max_states": (1 << 63) - 1, "max_seconds": 10**9, "memory": (1 << 63) - 1}
"""The largest allowed limits: bounded by 64-bit counters and by the timeouts that the operating system accepts."""


def parse_count(text: str) -> int:
    """Parse a number of states; `1_000_000`, `1e6`, `20M` are accepted."""
    units = {"K": 1_000, "M": 1_000_000, "G": 1_000_000_000}
    try:
        if text[-1:].upper() in units:
            return int(float(text[:-1]) * units[text[-1].upper()])
        return int(float(text)) if "e" in text.lower() else int(text)
    except (ValueError, OverflowError):
        raise UsageError(f"'{text}' is not a number of states") from None


def parse_seconds(text: str) -> float:
    """Parse a number of seconds."""
    try:
        return float(text)
    except ValueError:
        raise UsageError(f"'{text}' is not a number of seconds") from None


def parse_duration(text: str) -> float:
    """Parse a duration such as `60s`, `5m`, `1h` or `90` to seconds."""
    match = _DURATION.fullmatch(text.strip())
    seconds = float(match[1]) * _SECONDS[match[2].lower()] if match else 0.0
    if not 0 < seconds <= MOST["max_seconds"]:
        raise UsageError(f"'{text}' is not a time; write for example 60s or 5m")
    return seconds


def parse_size(text: str) -> int:
    """Parse a size such as `512M`, `2G`, `1.5GiB` or `100000` to bytes; the units are powers of 1024."""
    match = _SIZE.fullmatch(text.strip())
    size = float(match[1]) * (1 << _UNITS[match[2].upper()]) if match else 0.0
    if not 1 <= size <= MOST["memory"]:
        raise UsageError(f"'{text}' is not a size of memory; write for example 512M or 2G")
    return int(size)
