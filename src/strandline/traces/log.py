"""The parent log: for every state that was stored, the record of its parent and the step that led to it.

A file of little-endian 64-bit links, `parent record << STEP_BITS | step`; the link's position is the record's
number. An initial state has the parent `ROOT` and its own number as step; the step `SAME` says that the record is of
the same state as its parent. Written with plain `write()`: a mapping would count against the resident set.

Several threads have a file each, `parts` of the log: record `r` is in part `r % parts`, at position `r // parts`. With
a single part a parent's record always has a smaller number than its child's, so every chain ends; of several parts no
chain is longer than there are records.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from strandline.engine.codes import ROOT, SAME, STEP_BITS
from strandline.engine.memory import WordArray
from strandline.errors import ReplayError, ResourceError

_LINK = np.dtype("<u8")
_STEP_MASK = (1 << STEP_BITS) - 1


class ParentLog:
    """An append-only log, which may be there already. Raises `ResourceError` when the disk does not take what is
    appended; `account` is told how many bytes that are, before, and may raise it too."""

    def __init__(self, path: Path, account: Callable[[int], None] | None = None) -> None:
        self.path, self._account = path, account
        self._further: list[ParentLog] = []
        try:
            self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
            self.records = os.fstat(self._file).st_size // _LINK.itemsize
        except OSError as error:
            raise ResourceError(f"{path}: the parent log cannot be made: {error.strerror}") from None

    def append(self, links: WordArray) -> None:
        """Write links behind the ones before; they get the next record numbers."""
        if self._account is not None:
            self._account(_LINK.itemsize * len(links))
        write_all(self._file, self.path, links)
        self.records += len(links)

    def parts(self, count: int) -> list[Callable[[WordArray], None]]:
        """What appends to each of so many parts; the first is the log itself."""
        names = [self.path.with_name(f"{self.path.name}-{number}") for number in range(1, count)]
        self._further = [ParentLog(name, self._account) for name in names]
        return [part.append for part in (self, *self._further)]

    def path_to(self, record: int) -> tuple[int, list[int]]:
        """How a state was reached: the number of the initial state and, from there on, the number of each
        step.

        Raises `ReplayError` where the log is damaged: a record that is not there, or one whose parent was
        written after it.
        """
        parts = [part._links() for part in (self, *self._further)]
        records = sum(len(links) for links in parts)
        steps: list[int] = []
        while True:
            links, place = parts[record % len(parts)], record // len(parts)
            if not 0 <= place < len(links):
                raise ReplayError(f"{self.path}: record {record} is not in the log of {records} records")
            link = int(links[place])
            parent, step = link >> STEP_BITS, link & _STEP_MASK
            if parent == ROOT:
                return step, steps[::-1]
            if len(parts) == 1 and parent >= record:
                raise ReplayError(
                    f"{self.path}: record {record} names the later record {parent} as its parent"
                )
            if len(steps) == records:
                raise ReplayError(f"{self.path}: the parents of record {record} go round in a circle")
            if step != SAME:
                steps.append(step)
            record = parent

    def parents(self) -> Iterator[int | None]:
        """The parent of every record, in order; None for an initial state."""
        for link in self._links().tolist():
            parent = link >> STEP_BITS
            yield None if parent == ROOT else parent

    def _links(self) -> WordArray:
        if not self.path.stat().st_size and self._further:
            return np.zeros(0, dtype=_LINK)
        try:
            return np.memmap(self.path, dtype=_LINK, mode="r")
        except (OSError, ValueError) as error:
            raise ReplayError(f"{self.path}: the parent log cannot be read: {error}") from None

    def close(self) -> None:
        """Close the files; they stay on disk."""
        for part in self._further:
            part.close()
        if self._file >= 0:
            os.close(self._file)
            self._file = -1


def write_all(file: int, path: Path, words: WordArray) -> None:
    """Append words to an open file, little-endian; a disk that is full is a `ResourceError`."""
    rest = np.ascontiguousarray(words, dtype=_LINK).data.cast("B")
    try:
        while rest:
            rest = rest[os.write(file, rest) :]
    except OSError as error:
        raise ResourceError(f"{path}: cannot be written: {error.strerror}") from None
