"""The disk limit of a run."""

from __future__ import annotations

import shutil
from pathlib import Path
from threading import Lock

from strandline.checker.limits.memory import shown_bytes
from strandline.errors import ResourceError

_SHARE_OF_FREE_DISK = 0.9


class DiskBudget:
    """Counts the bytes written and removed; raises `ResourceError` before a write that exceeds the limit.

    Call it with the bytes to be written, or with a negative number for removed ones. If `limit` is None, the limit is
    most of the free space on the disk of `folder`: a full disk hurts others too.
    """

    def __init__(self, limit: int | None, folder: Path) -> None:
        self._given = limit is not None
        self._limit = int(shutil.disk_usage(folder).free * _SHARE_OF_FREE_DISK) if limit is None else limit
        self._used, self._lock = 0, Lock()

    def __call__(self, count: int) -> None:
        with self._lock:
            if count > 0 and self._used + count > self._limit:
                if self._given:
                    raise ResourceError(f"the disk limit of {shown_bytes(self._limit)} is reached")
                raise ResourceError("nearly all free disk space is used (the option 'disk' sets another limit)")
            self._used += count

    def find(self, folder: Path) -> None:
        """Count the files that a folder already contains, which are from before the run was resumed."""
        found = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
        if not self._given:
            self._limit += found
        self(found)
