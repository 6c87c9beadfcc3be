"""A hand-off in files, so that the next search begins after the memory of the former one has been freed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from strandline.engine.handoff import FRONTIER, HandOff
from strandline.engine.runtime.memory import WordArray
from strandline.errors import ResourceError

SAMPLE = 2_000
"""Number of frontier states from which the search for the next measure starts."""


class HandOffFiles:
    """The blocks of a hand-off, one file for each kind of block.

    `account` is called with the number of bytes written or removed. Raises `ResourceError` if the disk is full.
    """

    def __init__(self, handoff: HandOff, folder: Path, words: int, account: Callable[[int], None]) -> None:
        self._counters = handoff.counters
        self._files = {
            name: _BlockFile(folder / f"handoff-{number}", words, account) for number, name in enumerate(handoff.blocks)
        }
        for name, blocks in handoff.blocks.items():
            self._files[name].write(blocks)

    def read(self, rows: int) -> HandOff:
        """Return the hand-off from the files, in blocks of at most `rows` rows."""
        return HandOff(self._counters, {name: file.blocks(rows) for name, file in self._files.items()})

    def sample_frontier(self) -> WordArray:
        """Return some states of the frontier, evenly spread, one per row."""
        return self._files[FRONTIER].sample(SAMPLE)

    def remove(self) -> None:
        for file in self._files.values():
            file.remove()


class _BlockFile:
    """A file of rows, each a packed state and its link."""

    def __init__(self, path: Path, words: int, account: Callable[[int], None]) -> None:
        self._path, self._row, self._account = path, words + 1, account
        self._rows = 0

    def write(self, blocks: Iterator[WordArray]) -> None:
        try:
            with open(self._path, "wb") as file:
                for block in blocks:
                    self._account(block.nbytes)
                    file.write(block.tobytes())
                    self._rows += len(block)
        except OSError as error:
            raise ResourceError(f"{self._path}: cannot be written: {error.strerror}") from None

    def blocks(self, rows: int) -> Iterator[WordArray]:
        with open(self._path, "rb") as file:
            while data := file.read(8 * self._row * rows):
                yield np.frombuffer(data, dtype=np.uint64).reshape(-1, self._row)

    def sample(self, most: int) -> WordArray:
        """Return at most `most` of the states, evenly spread, without their links."""
        numbers = np.unique(np.linspace(0, self._rows - 1, min(self._rows, most)).astype(np.int64))
        with open(self._path, "rb") as file:
            found = []
            for number in numbers.tolist():
                file.seek(8 * self._row * number)
                found.append(np.frombuffer(file.read(8 * (self._row - 1)), dtype=np.uint64))
        return np.array(found, dtype=np.uint64).reshape(-1, self._row - 1)

    def remove(self) -> None:
        self._account(-8 * self._row * self._rows)
        self._path.unlink(missing_ok=True)
