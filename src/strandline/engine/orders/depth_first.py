"""Depth-first search: it reaches deep states early; every state is stored."""

from __future__ import annotations

from typing import Unpack

import numpy as np

from strandline.compile.kernel import Kernel
from strandline.engine.parts.expansion import width_of
from strandline.engine.parts.stack import StackPart
from strandline.engine.search import Search, SearchArguments
from strandline.engine.store.parts import TablePart
from strandline.errors import InternalError


class DepthFirstSearch(Search):
    """Depth-first search; see `strandline.engine.orders.depth_first_kernel`."""

    loop = "orders.depth_first_kernel.depth_first"

    def __init__(self, kernel: Kernel, **terms: Unpack[SearchArguments]) -> None:
        if kernel.measured:
            raise InternalError("depth-first search takes a kernel without a measure")
        self._table, self._stack = TablePart(width_of(kernel)), StackPart()
        super().__init__(kernel, self._table, self._stack, **terms)
        self._stack.start(kernel)

    def run(self, budget: np.uint64) -> int:
        from strandline.engine.orders.depth_first_kernel import DepthFirst, depth_first

        search = DepthFirst(
            self.expansion.expansion(), self._table.store(), self._stack.stack(), self.journal.journal()
        )
        code = int(depth_first(search, budget))
        self._table.note_used(int(self.journal.counts.recorded))
        return code
