"""The directory of one run: the parent log and other files of a search.

It is removed when the run ends, unless the process is killed. A run holds a lock on the file `pid` inside its
directory, which the operating system releases with the process: so a directory whose lock is free is left over from a
killed run, even if its process number has been reused.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from strandline.errors import ResourceError

PREFIX = "strandline-run-"
_LOCK = "pid"
_DAY = 86_400.0
_YOUNG_SECONDS = 10.0
"""Age in seconds up to which a directory may belong to a run that is about to lock it."""


class RunDirectory:
    """A fresh directory inside `parent` (default: the system's directory for temporary files).

    A context manager; the directory is removed at the end. Raises `ResourceError` if it cannot be created.
    """

    def __init__(self, parent: Path | None = None) -> None:
        self.parent = Path(tempfile.gettempdir()) if parent is None else parent
        try:
            self.parent.mkdir(parents=True, exist_ok=True)
            self.path = Path(tempfile.mkdtemp(prefix=PREFIX, dir=self.parent))
            self._lock = -1
            self._take_lock()
        except OSError as error:
            raise ResourceError(f"{self.parent}: no directory for this run: {error.strerror}") from None

    def _take_lock(self) -> None:
        try:
            self._lock = os.open(self.path / _LOCK, os.O_RDWR | os.O_CREAT, 0o600)
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            os.write(self._lock, f"{os.getpid()}\n".encode())
        except OSError:
            self.close()
            raise

    def close(self) -> None:
        """Remove the directory and everything in it. Safe to call twice."""
        shutil.rmtree(self.path, ignore_errors=True)
        if self._lock >= 0:
            os.close(self._lock)
            self._lock = -1

    def __enter__(self) -> RunDirectory:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        self.close()


@dataclass(frozen=True, slots=True)
class LeftOver:
    """The directory of a run that was killed."""

    path: Path
    size: int
    """Size of the files in bytes."""
    days: float
    """Time since something was last created or removed in it."""


def left_over(parent: Path | None = None) -> list[LeftOver]:
    """Return directories of killed runs that belong to this user."""
    folder = Path(tempfile.gettempdir()) if parent is None else parent
    found = sorted(path for path in folder.glob(f"{PREFIX}*") if _is_abandoned(path))
    return [LeftOver(path, _size_of(path), (time.time() - _last_change(path)) / _DAY) for path in found]


def remove_left_over(run: LeftOver) -> bool:
    """Remove the directory of a killed run, unless it is in use again; return True if it is gone."""
    if _is_abandoned(run.path):
        shutil.rmtree(run.path, ignore_errors=True)
    return not run.path.exists()


def _size_of(folder: Path) -> int:
    """Return the size of the files in a directory tree in bytes, ignoring those that have just vanished."""
    size = 0
    for place, _, names in os.walk(folder):
        for name in names:
            with suppress(OSError):
                size += os.lstat(os.path.join(place, name)).st_size
    return size


def _last_change(folder: Path) -> float:
    try:
        return folder.stat().st_mtime
    except OSError:
        return time.time()


def _is_abandoned(folder: Path) -> bool:
    try:
        status = folder.stat()
        if status.st_uid != os.getuid() or time.time() - status.st_mtime < _YOUNG_SECONDS:
            return False
        lock = os.open(folder / _LOCK, os.O_RDWR)
    except OSError:
        return False
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    else:
        return True
    finally:
        os.close(lock)
