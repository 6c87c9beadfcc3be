"""Output to the terminal while a command runs: notices and the progress line, all on stderr."""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, TextIO

from strandline.errors import CannotWrite
from strandline.source import harmless

if TYPE_CHECKING:
    from strandline.checker.limits.progress import Progress

_EVERY = 0.1
_PATIENCE = 0.4
"""Seconds before the progress line of a search is shown."""


def may_colour(stream: TextIO) -> bool:
    """Return True if a stream is a terminal and the user has not turned colours off (https://no-color.org)."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


_OWN_COLOURS = re.compile(r"(\x1b\[[0-9;]{1,5}m)")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def printable(text: str) -> str:
    """Return the text with each control character but those of colours replaced by a visible one.

    Names of a model, which somebody else may have written, must not move the cursor or change the terminal.
    """
    if _CONTROL.search(text) is None:
        return text
    return "".join(part if number % 2 else harmless(part) for number, part in enumerate(_OWN_COLOURS.split(text)))


def emit(text: str) -> None:
    """Print a text to stdout at once, without control characters (see `printable`).

    A closed pipe is ignored: the verdict stands without a reader. Raises `CannotWrite` on other errors, such as a full
    disk.
    """
    emit_pieces([text])


def emit_pieces(pieces: Iterable[str]) -> None:
    """Print a text that is given in pieces, as `emit` does."""
    try:
        sys.stdout.writelines(map(printable, pieces))
        print(flush=True)
    except BrokenPipeError:
        _forget_output()
    except OSError as error:
        _forget_output()
        raise CannotWrite(f"standard output cannot be written to: {error.strerror}") from None


def _forget_output() -> None:
    """Redirect stdout to the null device, so that buffered output causes no error at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


class Console:
    """Prints notices on stderr, unless quiet, and a progress line on a terminal.

    It is a `strandline.checker.limits.progress.ProgressCallback`.
    """

    def __init__(self, *, quiet: bool = False) -> None:
        self._quiet = quiet
        self._live = not quiet and sys.stderr.isatty() and os.environ.get("TERM") != "dumb"
        self._shown = False
        self._next = _PATIENCE
        self._last = (0.0, 0)

    def notice(self, text: str) -> None:
        """Print a notice in a line of its own, which stays; nothing if quiet."""
        if not self._quiet:
            self.clear()
            self._write(f"{printable(text)}\n")

    def warning(self, text: str) -> None:
        """Print a warning, which is shown even if notices are off."""
        self.clear()
        self._write(f"{printable(text)}\n")

    def stage(self, text: str) -> None:
        self.notice(text)

    def progress(self, progress: Progress) -> None:
        if not self._live or progress.seconds < self._next:
            return
        self._next = progress.seconds + _EVERY
        then, visited = self._last
        rate = (progress.visited - visited) / max(progress.seconds - then, 1e-9)
        if progress.seconds - then > 1.0:
            self._last = (progress.seconds, progress.visited)
        from strandline.report.progress import progress_text

        self._draw(progress_text(progress, rate))

    def _draw(self, text: str) -> None:
        columns = shutil.get_terminal_size().columns
        self._write(f"\r{printable(text)[: columns - 1]}\x1b[K")
        self._shown = True

    def clear(self) -> None:
        """Remove the progress line."""
        if self._shown:
            self._write("\r\x1b[K")
            self._shown = False

    def _write(self, text: str) -> None:
        try:
            sys.stderr.write(text)
            sys.stderr.flush()
        except OSError:
            # stderr is closed or full; that does not end a search.
            self._quiet, self._live = True, False
