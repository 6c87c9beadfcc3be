"""Exit codes by name: the only module that contains these numbers.

It imports nothing, because the command line's entry point needs the codes before any other import.
"""

from __future__ import annotations

HOLDS, USAGE, UNKNOWN, BUG, UNEXPECTED, WRONG_COUNT, NOT_WRITTEN = 0, 2, 3, 4, 5, 6, 7
DEADLOCK, SAFETY, LIVENESS, INTERRUPTED = 11, 12, 13, 130

_signals: list[int] = []
"""The number of the signal that is ending the process, if there is one."""


def note_signal(number: int) -> None:
    """Note that the process is about to end by this signal, which is another one than that of Ctrl-C."""
    _signals[:] = [number]


def interrupted_code() -> int:
    """Return the exit code of an interrupted run: 128 plus the number of the signal."""
    return 128 + _signals[0] if _signals else INTERRUPTED


WORST_FIRST = (BUG, USAGE, SAFETY, DEADLOCK, LIVENESS, UNEXPECTED, WRONG_COUNT, UNKNOWN, NOT_WRITTEN, HOLDS)

MEANINGS = {
    HOLDS: "holds",
    DEADLOCK: "deadlock",
    SAFETY: "safety violated",
    LIVENESS: "liveness violated",
    USAGE: "bad usage or input",
    UNKNOWN: "unknown (a limit)",
    BUG: "a bug of ours",
    UNEXPECTED: "not as expected",
    WRONG_COUNT: "not as counted before",
    NOT_WRITTEN: "holds, but a file could not be written",
    INTERRUPTED: "interrupted",
}
"""The meanings of the exit codes in a few words, for `--help`."""
