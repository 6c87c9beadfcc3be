"""The arrays of open SCCs (`strandline.engine.cycles.open_kernel`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from strandline.engine.parts.part import Affordable, GrowingPart, Part
from strandline.engine.runtime import sizes
from strandline.engine.runtime.memory import WordArray
from strandline.engine.runtime.records import COMPONENTS, record

if TYPE_CHECKING:
    from strandline.engine.cycles.open_kernel import OpenComponents


class OpenComponentsPart(Part):
    """The roots of open SCCs and their states."""

    def __init__(self, accepting: int, *, whole: bool = False) -> None:
        self.state = record(COMPONENTS, accepting=accepting, whole=int(whole))
        self._roots = GrowingPart(sizes.STACK, self.state, "wanted_roots")
        self._active = GrowingPart(sizes.STACK, self.state, "wanted_active")

    def open_sccs(self) -> OpenComponents:
        from strandline.engine.cycles.open_kernel import OpenComponents

        return OpenComponents(self._roots.array, self._active.array, self.state)

    def last_active(self, count: int) -> WordArray:
        """Return the `count` entries that were opened last."""
        end = int(self.state.active)
        return self._active.array[end - count : end]

    @property
    def words(self) -> int:
        return self._roots.words + self._active.words

    def grow(self, affordable: Affordable) -> bool:
        return self._roots.grow(affordable) and self._active.grow(affordable)

    def close(self) -> None:
        self._roots.close()
        self._active.close()
