"""What can go wrong, by who can mend it.

    StrandlineError
    ├── InputError            the user can mend it: shown with file, line and caret, no stack trace (exit 2)
    │   ├── UsageError        the command line or a call's arguments do not fit together
    │   ├── ParseError        a text is not in its language
    │   ├── ModelError        a text parses, but names, types, ranges or kinds do not fit
    │   └── MeasureError      a progress measure lies about being monotone
    ├── ResourceError         disk or memory gave out: the verdict is UNKNOWN with this reason (exit 3)
    └── InternalError         our bug: shown with a stack trace and a request to report it (exit 4)
        └── ReplayError       a trace that the search reported cannot be replayed: never shown as a verdict

A limit that was reached and a property that is violated are verdicts, not errors.
"""

from __future__ import annotations

from strandline.source import Source, Span


class StrandlineError(Exception):
    """Base of everything this package raises on purpose."""


class InputError(StrandlineError):
    """Something the user wrote cannot be used; `str()` is the complete message with the caret."""

    def __init__(self, message: str, source: Source | None = None, span: Span | None = None) -> None:
        self.message = message
        self.source = source
        self.span = span
        super().__init__(self._render())

    def _render(self) -> str:
        if self.source is None:
            return self.message
        if self.span is None:
            return f"{self.source.name}: {self.message}"
        return f"{self.source.where(self.span)}: {self.message}\n{self.source.caret(self.span)}"


class UsageError(InputError):
    """The command line or a call's arguments do not fit together."""


class ParseError(InputError):
    """A text is not in its language."""


class ModelError(InputError):
    """A text parses, but its names, types, ranges or kinds do not fit."""


class MeasureError(InputError):
    """A measure declared monotone decreases along an edge; the message names the edge."""


class ResourceError(StrandlineError):
    """Disk or memory gave out; the message says which and where."""


class InternalError(StrandlineError):
    """Strandline itself is wrong."""


class ReplayError(InternalError):
    """A recorded trace does not replay in the defining interpreter."""
