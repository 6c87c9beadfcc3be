"""Output files of a command: tested for writing before the search, written after the verdict."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from strandline.cli.console import Console
from strandline.errors import InputError, ResourceError, UsageError
from strandline.report.exit_codes import HOLDS, NOT_WRITTEN


def try_file(path: Path | None, noun: str | None = None) -> None:
    """Raise `UsageError` if a file cannot be written, before a search computes its contents.

    An existing file is left unchanged, and no new one remains; None means no file. `noun` names the file in the
    message.
    """
    if path is None:
        return
    try:
        if is_special(path):
            # Opening a pipe would block until it has a reader, or end the reader's input.
            _refuse_folder(path)
            return
        fresh = not path.exists()
        file = os.open(path, os.O_WRONLY | os.O_CREAT, 0o666)
        try:
            if fresh:
                os.write(file, b"\n")
        finally:
            os.close(file)
            if fresh:
                path.unlink()
    except OSError as error:
        subject = "" if noun is None else f"the {noun} "
        raise UsageError(f"{path}: {subject}cannot be written: {error.strerror}") from None


def is_special(path: Path) -> bool:
    """Return True if the path is no regular file: a pipe, a device, a folder."""
    return path.exists() and not path.is_file()


def _refuse_folder(path: Path) -> None:
    if path.is_dir():
        raise IsADirectoryError(0, "Is a directory")
    if not os.access(path, os.W_OK):
        raise PermissionError(0, "Permission denied")


class Outputs:
    """The output files of one command, written after its verdict.

    If a file cannot be written, for whatever reason, there is a warning: the verdict stands.
    """

    def __init__(self, console: Console) -> None:
        self._console = console
        self.complete = True
        """True as long as no file has failed."""

    def write(self, path: Path, write: Callable[[], None]) -> None:
        """Write a file by calling `write`; a failure becomes a warning."""
        try:
            write()
        except InputError as error:
            self._lose(error.on_command_line())
        except ResourceError as error:
            self._lose(f"{path} is not written: {error}")
        except OSError as error:
            self._lose(f"{path}: cannot be written: {error.strerror}")
        except MemoryError:
            self._lose(f"{path}: cannot be written: the machine's memory is used up")
        else:
            self._console.notice(f"written: {path}")

    def _lose(self, message: str) -> None:
        self.complete = False
        self._console.warning(f"warning: {message}")

    def exit_code(self, code: int) -> int:
        """Return the exit code of the command: that of the verdict, unless it is 0 and a file was not written."""
        return NOT_WRITTEN if code == HOLDS and not self.complete else code
