"""Base classes of the parts of a search: each owns arrays, and has a named tuple that kernels take.

This module imports no compiler; a part makes its named tuple when a kernel is about to run.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar

from strandline.engine.runtime.memory import WordArray, Words

Affordable = Callable[[], int]
"""A function that returns the number of words that may be added before the memory limit is reached."""
UNLIMITED = 1 << 60
"""The number of words that may be added where there is no memory limit."""


class Part(ABC):
    """Base of the parts of a search: an object that owns arrays."""

    limits: ClassVar[tuple[str, ...]] = ()
    """Names of attributes that a resumed run may choose differently; checkpoints do not store them."""

    @property
    @abstractmethod
    def words(self) -> int:
        """Return the number of words in use: memory that the process takes."""

    @property
    def room(self) -> int:
        """Return the number of words usable before an array must grow: the memory limit counts these."""
        return self.words

    def grow(self, affordable: Affordable) -> bool:
        """Grow the arrays that a kernel asked for. Return False, with nothing changed, if that is not affordable."""
        return True

    def load(self) -> None:
        """Load the machine code for growing, before memory is short."""
        return None

    def close(self) -> None:
        """Release all memory."""
        return None


def grow_array(words: Words, wanted: int, factor: float, affordable: Affordable, *, released: int = 0) -> bool:
    """Grow an array to at least `wanted` words, by `factor` if that is affordable; return False if `wanted` is not.

    Words at its front that were released (`released`) do not count.
    """
    if wanted <= len(words):
        return True
    size = min(max(wanted, released + int((len(words) - released) * factor)), len(words) + affordable())
    if size < wanted:
        return False
    words.grow(size)
    return True


class GrowingPart(Part):
    """A single array, whose wanted length a kernel writes to a field of a record."""

    def __init__(self, count: int, asking: Any, field: str = "wanted", *, factor: float = 1.5) -> None:
        self._asking, self._field, self._factor = asking, field, factor
        self._array = Words(count, large=True)

    @property
    def array(self) -> WordArray:
        return self._array.array

    @property
    def words(self) -> int:
        return len(self._array)

    def make(self, count: int) -> None:
        """Make room for at least `count` words."""
        self._array.grow(count)

    def grow(self, affordable: Affordable) -> bool:
        if not grow_array(self._array, int(getattr(self._asking, self._field)), self._factor, affordable):
            return False
        setattr(self._asking, self._field, 0)
        return True

    def close(self) -> None:
        self._array.close()
