"""The parent log: for every stored state, the record of its parent and the step that led to it.

A link is `parent record << STEP_BITS | step`; its position in the log is the record's number. An initial state has the
parent `ROOT` and its own number as step; the step `SAME` marks a record of the same state as its parent. The file holds
batches of compressed links (`strandline.engine.parts.links`), written by a separate thread with plain `write()`: a
memory mapping would count against the resident set.

Several threads have a file each, `parts` of the log: record `r` is in part `r % parts`, at position `r // parts`. With
a single part a parent's record always has a smaller number than its child's, so every chain ends; with several parts no
chain is longer than the number of records.
"""

from __future__ import annotations

import contextlib
import os
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

import numpy as np

from strandline.engine.parts.links import HEADER, Batch, Bytes, batch_of, header_of, join_blocks, links_of
from strandline.engine.runtime.codes import LINK_BLOCK, ROOT, SAME, STEP_BITS
from strandline.engine.runtime.memory import WordArray
from strandline.engine.runtime.writer import Collected, Writer, write_all
from strandline.errors import ReplayError, ResourceError

_STEP_MASK = (1 << STEP_BITS) - 1
_CACHED_BLOCKS = 64
"""Most decompressed blocks that are cached: a path often returns to the same ones."""

Account = Callable[[int], None]


class ParentLog:
    """An append-only log, which may exist already.

    Raises `ResourceError` if the disk does not take what is appended, immediately or some time later; `account` is
    called with the number of bytes before, and may raise it too.
    """

    def __init__(self, path: Path, account: Account = lambda count: None, writer: Writer | None = None) -> None:
        self.path, self._account, self._writer = path, account, writer or Writer()
        self._further: list[ParentLog] = []
        self._collected = Collected(lambda links: self._writer.do(partial(self._write, links), links.nbytes))
        try:
            self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        except OSError as error:
            raise ResourceError(f"{path}: the parent log cannot be made: {error.strerror}") from None

    def append(self, links: WordArray) -> None:
        """Append links; they get the next record numbers."""
        self._collected.add(links)

    def append_encoded(self, links: int, sizes: WordArray, pieces: Sequence[Bytes]) -> None:
        """Append links that are encoded already: the sizes of their blocks, which lie in the pieces."""
        self._collected.hand_over()
        data = join_blocks(links, sizes, pieces)
        self._writer.do(partial(self._write_batch, data), data.nbytes)

    def _write(self, links: WordArray) -> None:
        self._write_batch(batch_of(links))

    def _write_batch(self, data: Bytes) -> None:
        self._account(data.nbytes)
        write_all(self._file, self.path, data)

    def parts(self, count: int) -> list[Callable[[WordArray], None]]:
        """Return the functions that append to each of `count` parts; the first part is the log itself."""
        if not self._further:
            names = [self.path.with_name(f"{self.path.name}-{number}") for number in range(1, count)]
            self._further = [ParentLog(name, self._account, self._writer) for name in names]
        return [part.append for part in (self, *self._further)]

    def settle(self) -> None:
        """Wait until all appended links are in the files."""
        for part in (self, *self._further):
            part._collected.hand_over()
        self._writer.settle()

    def path_to(self, record: int) -> tuple[int, list[int]]:
        """Return the number of the initial state and of each step on the path to a record.

        Raises `ReplayError` if the log is damaged: a record is missing, or its parent was written after it.
        """
        with contextlib.ExitStack() as files:
            parts = [files.enter_context(LinkFile(path)) for path in self._settled_files()]
            records = sum(len(links) for links in parts)
            steps: list[int] = []
            while True:
                links, place = parts[record % len(parts)], record // len(parts)
                if not 0 <= place < len(links):
                    raise ReplayError(f"{self.path}: record {record} is not in the log of {records} records")
                parent, step = links[place] >> STEP_BITS, links[place] & _STEP_MASK
                if parent == ROOT:
                    return step, steps[::-1]
                # With several threads a parent may have a larger record; then counting the steps finds a cycle.
                if len(parts) == 1 and parent >= record:
                    raise ReplayError(f"{self.path}: record {record} names the later record {parent} as its parent")
                if len(steps) == records:
                    raise ReplayError(f"{self.path}: the parents of record {record} form a cycle")
                # A search that continues another one stores a known state again, linked to its old record.
                if step != SAME:
                    steps.append(step)
                record = parent

    def parents(self) -> Iterator[int | None]:
        """Yield the parent of every record, in order, of a log of one part; None for an initial state."""
        (path,) = self._settled_files()
        with LinkFile(path) as links:
            for block in links.blocks():
                for link in block.tolist():
                    parent = link >> STEP_BITS
                    yield None if parent == ROOT else parent

    def _settled_files(self) -> list[Path]:
        """Return the files after waiting for all appended links."""
        self.settle()
        return [part.path for part in (self, *self._further)]

    def close(self) -> None:
        """Close the files, which stay on disk. Write errors are not reported here (see `settle`)."""
        # A failure of the writer has been raised to its other users already.
        with contextlib.suppress(ResourceError):
            self._collected.hand_over()
        self._writer.wait()
        for part in self._further:
            part.close()
        if self._file >= 0:
            os.close(self._file)
            self._file = -1


class LinkFile:
    """The links in a file, by number. An incomplete batch at the end is ignored."""

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            self._file = os.open(path, os.O_RDONLY)
        except OSError as error:
            raise ReplayError(f"{path}: the parent log cannot be read: {error.strerror}") from None
        self._firsts: list[int] = []
        self._batches: list[tuple[int, Batch]] = []
        self._count = 0
        self._at_hand: dict[tuple[int, int], WordArray] = {}
        self._scan_batches()

    def _scan_batches(self) -> None:
        """Find the beginnings of the batches without reading them."""
        place, size = 0, os.fstat(self._file).st_size
        while place + HEADER < size:
            batch = header_of(os.pread(self._file, HEADER, place))
            end = place + HEADER + batch.bytes
            if end > size or 4 * batch.blocks > batch.bytes:
                break
            self._firsts.append(self._count)
            self._batches.append((place + HEADER, batch))
            self._count += batch.links
            place = end

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, number: int) -> int:
        batch = bisect_right(self._firsts, number) - 1
        block, place = divmod(number - self._firsts[batch], LINK_BLOCK)
        found = self._at_hand.get((batch, block))
        if found is None:
            if len(self._at_hand) == _CACHED_BLOCKS:
                del self._at_hand[next(iter(self._at_hand))]
            found = self._at_hand[batch, block] = self._read(batch, block)
        return int(found[place])

    def blocks(self) -> Iterator[WordArray]:
        """Yield all links in order, in blocks."""
        for number, (_, batch) in enumerate(self._batches):
            for block in range(batch.blocks):
                yield self._read(number, block)

    def _read(self, number: int, block: int) -> WordArray:
        place, batch = self._batches[number]
        bounds = [0, *np.frombuffer(os.pread(self._file, 4 * batch.blocks, place), dtype="<u4").tolist()]
        begin, end = bounds[block], bounds[block + 1]
        data = os.pread(self._file, max(0, end - begin), place + 4 * batch.blocks + begin)
        found = links_of(np.frombuffer(data, dtype=np.uint8), min(LINK_BLOCK, batch.links - LINK_BLOCK * block))
        if found is None:
            raise ReplayError(f"{self._path}: the parent log is damaged")
        return found

    def __enter__(self) -> LinkFile:
        return self

    def __exit__(self, *raised: object) -> None:
        os.close(self._file)
