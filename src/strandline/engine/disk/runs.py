"""Files of rows: written once from beginning to end, then read in pieces, then removed."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeAlias

import numpy as np

from strandline.engine.runtime.memory import WordArray
from strandline.engine.runtime.writer import Collected, Writer
from strandline.errors import ResourceError

Account: TypeAlias = Callable[[int], None]
"""A callback for the number of bytes about to be written, or, if negative, removed.

It raises `ResourceError` if the limit on disk space would be exceeded.
"""

Release: TypeAlias = Callable[[Path, Callable[[], None]], None]
"""A callback for a file that the search does not need any more, but perhaps a checkpoint does.

The function given with it is called when the file is removed.
"""


class RunFiles:
    """The files of a search in a folder, and the bytes they take."""

    def __init__(
        self, folder: Path, account: Account, release: Release | None = None, writer: Writer | None = None
    ) -> None:
        self._folder, self._account, self._release = folder, account, release
        self.writer = writer or Writer()
        self.made = 0
        self.bytes = self.peak_bytes = 0
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise ResourceError(f"{folder}: the folder cannot be created: {error.strerror}") from None

    def new(self, row_words: int) -> RunFile:
        self.made += 1
        return RunFile(self, self._folder, self.made, row_words)

    def reopen(self, number: int, row_words: int, rows: int) -> RunFile:
        """Open a file that was finished before the search was saved."""
        return RunFile(self, self._folder, number, row_words, rows)

    def remove(self, path: Path, size: int) -> None:
        self.bytes -= size
        if self._release is not None:
            self._release(path, lambda: self._account(-size))
            return
        path.unlink(missing_ok=True)
        self._account(-size)

    def count(self, size: int) -> None:
        """Account for `size` bytes that are being written."""
        self._account(size)
        self.bytes += size
        self.peak_bytes = max(self.peak_bytes, self.bytes)


class RunFile:
    """Rows of `row_words` words each; they can be read after `finish`."""

    def __init__(self, files: RunFiles, folder: Path, number: int, row_words: int, rows: int | None = None) -> None:
        self._files, self.number, self._row_words = files, number, row_words
        self.path, self.rows = folder / f"run-{number}", rows or 0
        self._written = rows is not None
        self._file = -1 if self._written else self._open(os.O_WRONLY | os.O_CREAT | os.O_EXCL)
        self._collected = Collected(lambda words: files.writer.write(self._file, self.path, words))

    def _open(self, flags: int) -> int:
        try:
            return os.open(self.path, flags, 0o600)
        except OSError as error:
            raise ResourceError(f"{self.path}: cannot be opened: {error.strerror}") from None

    def append(self, words: WordArray) -> None:
        """Append whole rows."""
        self._files.count(words.nbytes)
        self._collected.add(words)
        self.rows += len(words) // self._row_words

    def finish(self) -> None:
        """Close the file for writing."""
        self._collected.hand_over()
        self._files.writer.close(self._file, self.path)
        self._file = -1

    def read(self, first: int, count: int) -> WordArray:
        """Read `count` rows from row `first` on into a new array."""
        words: WordArray = np.empty(count * self._row_words, dtype=np.uint64)
        rest, offset = words.data.cast("B"), 8 * first * self._row_words
        with self.reading() as file:
            while rest:
                try:
                    done = os.preadv(file, [rest], offset)
                except OSError as error:
                    raise self.unreadable(error) from None
                if done <= 0:
                    raise self.unreadable()
                rest, offset = rest[done:], offset + done
        return words

    @contextmanager
    def reading(self) -> Iterator[int]:
        """Open the file for reading; yield its descriptor."""
        if not self._written:
            self._files.writer.settle()
            self._written = True
        file = self._open(os.O_RDONLY)
        try:
            yield file
        finally:
            os.close(file)

    def unreadable(self, error: OSError | None = None) -> ResourceError:
        """Return the error that says that the file cannot be read."""
        return ResourceError(f"{self.path}: cannot be read back" + (f": {error.strerror}" if error else ""))

    def remove(self) -> None:
        """Remove the file."""
        if self._file >= 0:
            self.finish()
        self._files.remove(self.path, 8 * self.rows * self._row_words)
        self.rows = 0
