"""Files are written by a thread of their own (000, section 9.3): a search does not wait for the disk."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable
from functools import partial
from pathlib import Path
from threading import Condition, Thread
from typing import Any

import numpy as np
import numpy.typing as npt

from strandline.engine.memory import WordArray
from strandline.errors import ResourceError

AT_ONCE = 1 << 16
"""Words that are handed over at a time."""
_MOST_BYTES = 4 * 8 * AT_ONCE
"""What may wait to be written."""


class Writer:
    """Does what it is given, in that order, in a thread that lives as long as there is something to do. Whoever gives
    more than may wait, waits. What goes wrong is raised by all later calls, and nothing is done after it."""

    def __init__(self) -> None:
        self._changed = Condition()
        self._waiting: deque[tuple[Callable[[], None], int]] = deque()
        self._bytes = 0
        self._working = False
        self._failure: Exception | None = None

    def do(self, work: Callable[[], None], size: int = 0) -> None:
        """Do this some time; until then it holds so many bytes."""
        with self._changed:
            while self._bytes and self._bytes + size > _MOST_BYTES:
                self._changed.wait()
            self._raise_failure()
            self._waiting.append((work, size))
            self._bytes += size
            if not self._working:
                self._working = True
                Thread(target=self._work, name="strandline-writer", daemon=True).start()

    def write(self, file: int, path: Path, words: WordArray) -> None:
        """Write words to an open file, little-endian, behind what was written before. They may change afterwards."""
        for first in range(0, len(words), AT_ONCE):
            some = words[first : first + AT_ONCE].copy()
            self.do(partial(write_all, file, path, some), some.nbytes)

    def wait(self) -> None:
        """Until there is nothing more to do."""
        with self._changed:
            while self._working:
                self._changed.wait()

    def settle(self) -> None:
        """All is done, and all went well."""
        self.wait()
        self._raise_failure()

    def _raise_failure(self) -> None:
        if self._failure is not None:
            raise self._failure

    def _work(self) -> None:
        while True:
            with self._changed:
                if not self._waiting:
                    self._working = False
                    self._changed.notify_all()
                    return
                work, size = self._waiting.popleft()
            if self._failure is None:
                try:
                    work()
                except Exception as failure:  # noqa: BLE001 - whoever waits for it is told
                    self._failure = failure
            del work
            with self._changed:
                self._bytes -= size
                self._changed.notify_all()


def write_all(file: int, path: Path, data: npt.NDArray[np.unsignedinteger[Any]]) -> None:
    """Append an array to an open file, little-endian; a disk that is full is a `ResourceError`."""
    little = np.ascontiguousarray(data, dtype=data.dtype.newbyteorder("<"))
    rest = little.data.cast("B")
    try:
        while rest:
            rest = rest[os.write(file, rest) :]
    except OSError as error:
        raise ResourceError(f"{path}: cannot be written: {error.strerror}") from None
