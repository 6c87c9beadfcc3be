"""A background thread that writes files (000, section 9.3), so that a search does not wait for the disk."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable
from functools import partial
from pathlib import Path
from threading import Condition, Thread
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from strandline.engine.runtime.memory import WordArray
from strandline.errors import ResourceError

AT_ONCE = 1 << 16
"""Words per write."""
_MOST_BYTES = 4 * 8 * AT_ONCE
"""Bytes that may be queued."""
_NO_WORDS: WordArray = np.empty(0, dtype=np.uint64)
_OWN_BYTES = 512
"""Bytes that a queued task takes itself."""


class _Work(NamedTuple):
    do: Callable[[], None]
    size: int
    always: bool
    """True if the task also runs after a failure."""


class Writer:
    """Runs tasks in order in a background thread, which lives while there are tasks.

    The queue is bounded: `do` blocks while it is full. After a failure no further task runs, and all later calls raise
    it.
    """

    def __init__(self) -> None:
        self._changed = Condition()
        self._waiting: deque[_Work] = deque()
        self._bytes = 0
        self._working = False
        self._failure: BaseException | None = None

    def do(self, work: Callable[[], None], size: int = 0) -> None:
        """Queue a task that holds `size` bytes until it is done."""
        size += _OWN_BYTES
        with self._changed:
            while self._bytes and self._bytes + size > _MOST_BYTES:
                self._changed.wait()
            self._raise_failure()
            self._give(_Work(work, size, always=False))

    def write(self, file: int, path: Path, words: WordArray) -> None:
        """Queue words to be appended to an open file; the array must not change any more."""
        for first in range(0, len(words), AT_ONCE):
            some = words[first : first + AT_ONCE]
            self.do(partial(write_all, file, path, some), some.nbytes)

    def close(self, file: int, path: Path) -> None:
        """Queue the closing of a file; it is closed after a failure, too."""
        with self._changed:
            self._give(_Work(partial(_close, file, path), _OWN_BYTES, always=True))

    def wait(self) -> None:
        """Wait until the queue is empty."""
        with self._changed:
            while self._working:
                self._changed.wait()

    def settle(self) -> None:
        """Wait until the queue is empty, and raise the first failure."""
        self.wait()
        self._raise_failure()

    def _give(self, work: _Work) -> None:
        self._waiting.append(work)
        self._bytes += work.size
        if self._working:
            return
        try:
            Thread(target=self._work, name="strandline-writer", daemon=True).start()
        except RuntimeError as error:
            self._waiting.clear()
            self._bytes = 0
            self._failure = ResourceError(f"cannot start the thread that writes files: {error}")
            raise self._failure from None
        self._working = True

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
                work = self._waiting.popleft()
            if self._failure is None or work.always:
                try:
                    work.do()
                except BaseException as failure:  # noqa: BLE001 - raised again in the thread that waits
                    self._failure = self._failure or failure
            size = work.size
            del work
            with self._changed:
                self._bytes -= size
                self._changed.notify_all()


class Collected:
    """Buffers small writes and passes them to `take` in blocks, which are not changed afterwards."""

    def __init__(self, take: Callable[[WordArray], None]) -> None:
        self._take, self._count = take, 0
        self._words = _NO_WORDS

    def add(self, words: WordArray) -> None:
        """Copy words to the buffer."""
        while len(words):
            if not self._count:
                self._words = np.empty(AT_ONCE, dtype=np.uint64)
            some = words[: AT_ONCE - self._count]
            self._words[self._count : self._count + len(some)] = some
            self._count += len(some)
            words = words[len(some) :]
            if self._count == AT_ONCE:
                self.hand_over()

    def hand_over(self) -> None:
        """Pass the buffered words on."""
        if self._count:
            words, self._words, self._count = self._words[: self._count], _NO_WORDS, 0
            self._take(words)


def write_all(file: int, path: Path, data: npt.NDArray[np.unsignedinteger[Any]]) -> None:
    """Append an array to an open file, little-endian. Raises `ResourceError` if the disk is full."""
    little = np.ascontiguousarray(data, dtype=data.dtype.newbyteorder("<"))
    rest = little.data.cast("B")
    try:
        while rest:
            rest = rest[os.write(file, rest) :]
    except OSError as error:
        raise ResourceError(f"{path}: cannot be written: {error.strerror}") from None


def _close(file: int, path: Path) -> None:
    try:
        os.close(file)
    except OSError as error:
        raise ResourceError(f"{path}: cannot be written: {error.strerror}") from None
