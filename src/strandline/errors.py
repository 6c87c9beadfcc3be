"""Exceptions, by who can correct the cause.

    StrandlineError
    ├── InputError            the user can correct it: shown with file, line and caret, no stack trace (exit 2)
    │   ├── UsageError        the arguments of a command or a call do not fit together
    │   ├── ParseError        a text violates the syntax of its language
    │   ├── ModelError        a text parses, but names, types, ranges or kinds do not fit
    │   └── MeasureError      a progress measure declared monotone is not
    ├── ResourceError         time, disk or memory is exhausted: the verdict is UNKNOWN with this reason (exit 3)
    │   └── CannotWrite       standard output cannot be written to, so the verdict cannot be printed (exit 3)
    └── InternalError         our bug: shown with a stack trace and a request to report it (exit 4)
        └── ReplayError       a trace that the search reported cannot be replayed; it is never shown

A limit that was reached and a property that is violated are verdicts, not errors.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from strandline.source import Source, Span, harmless


class StrandlineError(Exception):
    """Base of all exceptions that this package raises on purpose."""


class InputError(StrandlineError):
    """The user's input cannot be used; `str()` is the complete message with the caret."""

    def __init__(self, message: str, source: Source | None = None, span: Span | None = None) -> None:
        if source is not None and span is not None:
            source, span = source.outermost(span)
        self.message = message
        self.source = source
        self.span = span
        super().__init__(harmless(self._render()))

    def _render(self) -> str:
        if self.source is None:
            return self.message
        if self.span is None:
            return f"{self.source.name}: {self.message}"
        return f"{self.source.where(self.span)}: {self.message}\n{self.source.caret(self.span)}"

    def on_command_line(self) -> str:
        """Return the complete message, with options spelled as on the command line."""
        return str(self)


@dataclass(frozen=True, slots=True)
class Option:
    """An option named in a message: `max_states=5` in a call, `--max-states 5` on the command line."""

    name: str
    value: object = None
    """Its value; None to name the option alone, a text in capitals for a placeholder."""
    flag: str | None = None
    """The flag on the command line, if it is not the name with dashes."""

    def as_argument(self) -> str:
        """Return the option as spelled in calls and in `expected.toml`."""
        if self.value is None:
            return f"{self.name}="
        placeholder = isinstance(self.value, str) and self.value.isupper()
        return f"{self.name}={self.value if placeholder else repr(self.value)}"

    def as_flag(self) -> str:
        """Return the option as spelled on the command line."""
        flag = self.flag or f"--{self.name.replace('_', '-')}"
        if self.value is None or self.value is True:
            return flag
        return f"--no-{flag[2:]}" if self.value is False else f"{flag} {shlex.quote(str(self.value))}"


class UsageError(InputError):
    """The arguments of a command or call do not fit together.

    A message about options has a `{}` for each of them, before any text from the user, and is rendered in the user's
    own spelling: arguments of a call or flags.
    """

    def __init__(
        self, message: str, source: Source | None = None, span: Span | None = None, *, options: Sequence[Option] = ()
    ) -> None:
        self._template, self._options = message, tuple(options)
        super().__init__(self._spell([one.as_argument() for one in options]), source, span)

    def on_command_line(self) -> str:
        if not self._options:
            return str(self)
        flags = self._spell([one.as_flag() for one in self._options])
        return str(UsageError(flags, self.source, self.span))

    def _spell(self, options: Sequence[str]) -> str:
        parts = self._template.split("{}", len(options))
        return "".join(part + option for part, option in zip(parts, [*options, ""], strict=True))


class ParseError(InputError):
    """A text violates the syntax of its language."""


class ModelError(InputError):
    """A text parses, but its names, types, ranges or kinds do not fit."""


class MeasureError(InputError):
    """A measure declared monotone decreases along an edge; the message names the edge."""


class ResourceError(StrandlineError):
    """Disk or memory is exhausted, or a limit of time, memory or disk is reached; the message says which."""


class CannotWrite(ResourceError):
    """The output cannot be written, because the disk is full or standard output is broken."""


class InternalError(StrandlineError):
    """A defect of Strandline itself."""


class ReplayError(InternalError):
    """A trace that a search reported cannot be replayed by the reference interpreter."""


def suggestion(name: str, known: Iterable[str]) -> str:
    """Return the end of a message about an unknown name: `; did you mean 'critical'?`, or "" if none is similar."""
    from difflib import get_close_matches

    # Leading dashes and case are ignored: they would make all flags look similar, and equal names look different.
    by_letters = {one.lstrip("-").casefold(): one for one in known}
    wanted = name.lstrip("-").casefold()
    close = [by_letters[one] for one in get_close_matches(wanted, list(by_letters), n=1, cutoff=0.6)]
    return f"; did you mean '{close[0]}'?" if close else ""
