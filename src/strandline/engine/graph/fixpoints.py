"""The temporal operators of CTL on sets of records: EX, EU and EG, by passes over the blocks of a graph log.

Values are propagated against the edges. A pass takes the blocks from the last to the first; a block is read again only
if target records of its edges have changed, so that a pass against the order of a monotone measure is the last one, and
regress edges cost what they propagate (000 §9.3; Clarke, Emerson, Sistla 1986). The least fixpoint starts with the
empty set and the greatest with the full one, for every record alike: then any order of passes ends in the same set.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from strandline.engine.graph.log import Bits, Block, GraphLog, Rows
from strandline.engine.runtime.memory import WordArray

Step = Callable[[Rows, WordArray, int], int]
"""A kernel over the rows of a block that returns how many records changed.

It takes the rows, the versions of chunks and the next version.
"""


@dataclass(frozen=True, slots=True)
class DeadEnds:
    """The meaning of a state without successors.

    With `repeats`, a path that ends there counts as one that stays there for ever, which for EU and EG is the same;
    without it, no path that reaches the state counts. With `next_repeats`, the state is its own successor for EX as
    well.
    """

    repeats: bool = True
    next_repeats: bool = True


class Fixpoints:
    """The operators over one graph. `watch` is called between blocks, and may raise to stop."""

    def __init__(self, graph: GraphLog, dead_ends: DeadEnds, watch: Callable[[], None]) -> None:
        self._graph, self._dead, self._watch = graph, dead_ends, watch
        self.blocks_read = 0

    def full(self) -> Bits:
        """Return the set of all records."""
        return self._graph.full()

    def empty(self) -> Bits:
        """Return the empty set."""
        return self._graph.empty()

    def and_(self, one: Bits, other: Bits) -> Bits:
        return one & other

    def or_(self, one: Bits, other: Bits) -> Bits:
        return one | other

    def xor(self, one: Bits, other: Bits) -> Bits:
        return one ^ other

    def not_(self, one: Bits) -> Bits:
        """Return the complement of a set."""
        return self._graph.full() & ~one

    def next(self, operand: Bits) -> Bits:
        """Return EX operand: the records with a successor in the set."""
        return self._predecessors(operand, self._dead.next_repeats)

    def until(self, through: Bits, goal: Bits) -> Bits:
        """Return E [through U goal]."""
        from strandline.engine.graph.fixpoints_kernel import grow_until

        result = goal.copy()

        def step(rows: Rows, versions: WordArray, now: int) -> int:
            return int(grow_until(rows, through, result, versions, np.uint64(now)))

        self._iterate(step)
        return result

    def always(self, operand: Bits) -> Bits:
        """Return EG operand, without fairness."""
        from strandline.engine.graph.fixpoints_kernel import shrink_always

        result, repeats = operand.copy(), self._dead.repeats

        def step(rows: Rows, versions: WordArray, now: int) -> int:
            return int(shrink_always(rows, result, repeats, versions, np.uint64(now)))

        self._iterate(step)
        return result

    def fair_always(self, operand: Bits, conditions: Sequence[Bits]) -> Bits:
        """Return EG operand on paths that satisfy each condition infinitely often (Emerson, Lei 1986)."""
        result = self.always(operand)
        while conditions:
            before = result
            for one in conditions:
                # A path that stays in a state without successors stays for ever, whatever EX means there.
                result = result & self._predecessors(self.until(result, result & one), self._dead.repeats)
            if np.array_equal(result, before):
                break
            result = self.always(result)
        return result

    def _predecessors(self, operand: Bits, dead_repeats: bool) -> Bits:
        from strandline.engine.graph.fixpoints_kernel import add_predecessors

        result = self._graph.empty()
        for block in self._graph.blocks:
            add_predecessors(self._read(block), operand, result, dead_repeats)
        return result

    def _read(self, block: Block) -> Rows:
        self._watch()
        self.blocks_read += 1
        return self._graph.read(block)

    def _iterate(self, step: Step) -> None:
        """Apply a step to the blocks, the last one first, until nothing changes."""
        from strandline.engine.graph.log_kernel import CHUNK_BITS

        blocks = self._graph.blocks
        versions = np.zeros((self._graph.records >> CHUNK_BITS) + 1, dtype=np.uint64)
        seen = [-1] * len(blocks)
        now, changed = 0, True
        while changed:
            changed = False
            for number in range(len(blocks) - 1, -1, -1):
                block = blocks[number]
                if seen[number] >= 0 and not (versions[block.chunks] > seen[number]).any():
                    continue
                rows = self._read(block)
                while True:
                    now += 1
                    seen[number] = now
                    if not step(rows, versions, now + 1):
                        break
                    changed = True
                    if not (versions[block.chunks] > now).any():
                        break
