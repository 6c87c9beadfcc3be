"""Checksums of the files of a run: what is damaged is detected, and never continued from."""

from __future__ import annotations

import hashlib
import json
import os
import zlib
from pathlib import Path
from typing import Any, NamedTuple

_PIECE, _TAIL = 1 << 20, 1 << 12


class Damaged(Exception):
    """Raised for a checkpoint that cannot be used, with the reason."""


def sealed(data: Any) -> str:
    """Return data as JSON behind a line with its digest."""
    text = json.dumps(data)
    return f"{_digest(text)}\n{text}\n"


def read_sealed(path: Path) -> Any:
    """Return the data of a file that `sealed` made. Raises `Damaged` if anything in it has changed."""
    try:
        digest, _, text = path.read_text(encoding="utf-8").partition("\n")
    except (OSError, ValueError) as error:
        raise Damaged(f"{path}: cannot be read: {error}") from None
    if not text.endswith("\n") or _digest(text[:-1]) != digest:
        raise Damaged(f"{path}: has another checksum than when it was written")
    return json.loads(text)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


class _Known(NamedTuple):
    inode: int
    length: int
    checksum: int
    tail: int
    """The checksum of the last bytes: another file can have the same name and inode."""


class GrowingFiles:
    """Computes the checksums of files that only grow, each time of their new end alone."""

    def __init__(self) -> None:
        self._known: dict[Path, _Known] = {}

    def checksum(self, path: Path, length: int) -> int:
        """Return the checksum of the first `length` bytes of a file."""
        with path.open("rb") as file:
            inode = os.fstat(file.fileno()).st_ino
            known = self._known.get(path)
            if (
                known is None
                or known.inode != inode
                or known.length > length
                or _tail(file, known.length) != known.tail
            ):
                known = _Known(inode, 0, 0, 0)
            found = known.checksum
            file.seek(known.length)
            left = length - known.length
            while left > 0 and (piece := file.read(min(_PIECE, left))):
                found = zlib.crc32(piece, found)
                left -= len(piece)
            self._known[path] = _Known(inode, length, found, _tail(file, length))
        return found


def _tail(file: Any, length: int) -> int:
    begins = max(0, length - _TAIL)
    file.seek(begins)
    return zlib.crc32(file.read(length - begins))
