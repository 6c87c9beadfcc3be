"""Output to the terminal while a command runs: notices and the progress line, all on stderr."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, TextIO

from strandline.errors import CannotWrite

if TYPE_CHECKING:
    from strandline.checker.limits.progress import Progress

_EVERY = 0.1
_PATIENCE = 0.4
"""A search that takes less than this shows no progress line."""


def may_colour(stream: TextIO) -> bool:
    """Colours go to terminals only, and not where the user declines them (https://no-color.org)."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def emit(text: str) -> None:
    """Print to stdout, at once.

    A closed pipe is ignored: the verdict stands without a reader. Raises `CannotWrite` on other errors, such as a full
    disk.
    """
    emit_pieces([text])


def emit_pieces(pieces: Iterable[str]) -> None:
    """Print a text in pieces, as `emit` does."""
    try:
        sys.stdout.writelines(pieces)
        print(flush=True)
    except BrokenPipeError:
        _forget_output()
    except OSError as error:
        _forget_output()
        raise CannotWrite(f"standard output cannot be written to: {error.strerror}") from None


def _forget_output() -> None:
    """Discard pending output, about which Python would complain at the end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


class Console:
    """Notices on stderr, unless quiet, and one live line on a terminal.

    It is a `strandline.checker.limits.progress.ProgressCallback`.
    """

    def __init__(self, *, quiet: bool = False) -> None:
        self._quiet = quiet
        self._live = not quiet and sys.stderr.isatty() and os.environ.get("TERM") != "dumb"
        self._shown = False
        self._next = _PATIENCE
        self._last = (0.0, 0)

    def notice(self, text: str) -> None:
        """Print one line that stays."""
        if not self._quiet:
            self.clear()
            self._write(f"{text}\n")

    def warning(self, text: str) -> None:
        """Print one line that is shown even if notices are not."""
        self.clear()
        self._write(f"{text}\n")

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
        self._write(f"\r{text[: columns - 1]}\x1b[K")
        self._shown = True

    def clear(self) -> None:
        """Take the live line away."""
        if self._shown:
            self._write("\r\x1b[K")
            self._shown = False

    def _write(self, text: str) -> None:
        try:
            sys.stderr.write(text)
            sys.stderr.flush()
        except OSError:
            # Nobody listens any more, or can; a search does not end for that.
            self._quiet, self._live = True, False
