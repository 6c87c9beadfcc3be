"""The stack of a depth-first search (`strandline.engine.parts.stack_kernel`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from strandline.compile.kernel import Kernel
from strandline.engine.parts.expansion import initial_links
from strandline.engine.parts.part import GrowingPart
from strandline.engine.runtime import sizes
from strandline.engine.runtime.records import STACK, record

if TYPE_CHECKING:
    from strandline.engine.parts.stack_kernel import Stack


class StackPart(GrowingPart):
    """An initially empty stack."""

    def __init__(self) -> None:
        self.top = record(STACK)
        super().__init__(sizes.STACK, self.top)

    def stack(self) -> Stack:
        from strandline.engine.parts.stack_kernel import Stack

        return Stack(self.array, self.top)

    def start(self, kernel: Kernel) -> None:
        """Push the initial states, the first on top."""
        count, size = len(kernel.initial), kernel.words + 1
        self.make(count * size)
        items = self.array[: count * size].reshape(count, size)
        items[:, : kernel.words] = kernel.initial[::-1]
        items[:, kernel.words] = initial_links(kernel)[::-1]
        self.top.count = count
