"""What a search is put together from: parts that own arrays, each with the named tuple that kernels see of it.

This module imports no compiler; a part makes its named tuple when a kernel is about to run.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar

from strandline.engine.runtime.memory import WordArray, Words

Affordable = Callable[[], int]
"""How many words may still be added before the memory limit is reached."""


class Part(ABC):
    """Some arrays of a search."""

    limits: ClassVar[tuple[str, ...]] = ()
    """Attributes that another run of the same search may choose otherwise: a checkpoint does not keep them."""

    @property
    @abstractmethod
    def words(self) -> int:
        """How many words of them are in use: memory that the process takes."""

    @property
    def room(self) -> int:
        """How many words they may use before they must grow: what a memory limit counts."""
        return self.words

    def grow(self, affordable: Affordable) -> bool:
        """Give the kernel what it asked for; False, with nothing changed, where that is not affordable."""
        return True

    def load(self) -> None:
        """Have the machine code for growing: when that is needed, memory may be short."""
        return None

    def close(self) -> None:
        """Give all memory back."""
        return None


def grown(words: Words, wanted: int, factor: float, affordable: Affordable, *, given_back: int = 0) -> bool:
    """Make an array at least `wanted` long, by `factor` longer if that is affordable; False where it is not. What was
    given back of it does not count."""
    if wanted <= len(words):
        return True
    size = min(max(wanted, given_back + int((len(words) - given_back) * factor)), len(words) + affordable())
    if size < wanted:
        return False
    words.grow(size)
    return True


class GrowingPart(Part):
    """A single array, which grows when a kernel says in a field of a record how long it must be."""

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
        """Make room for so many words at once."""
        self._array.grow(count)

    def grow(self, affordable: Affordable) -> bool:
        if not grown(self._array, int(getattr(self._asking, self._field)), self._factor, affordable):
            return False
        setattr(self._asking, self._field, 0)
        return True

    def close(self) -> None:
        self._array.close()
