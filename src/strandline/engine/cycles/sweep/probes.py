"""Probes: short depth-first searches beside a sweep, which may find a cycle sooner."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from strandline.compile.kernel import Kernel
from strandline.engine.cycles.components import ComponentSearch
from strandline.engine.cycles.cycle_extraction import State
from strandline.engine.cycles.cycle_search import Cycle
from strandline.engine.cycles.nested import NestedSearch
from strandline.engine.runtime.codes import ROOT, STEP_BITS, STEP_MASK
from strandline.engine.runtime.memory import WordArray


class Probe:
    """A depth-first search from the kernel's initial states.

    `roots` has the records of the roots, or -1 - k for the k-th initial state of the model, which may not be in the
    parent log yet. With `most` the probe is bounded; without, a cycle is known to exist and the probe runs until it is
    found.
    """

    def __init__(
        self, kernel: Kernel, roots: Sequence[int], accepting: int, *, most: int | None, engine_bytes: int | None
    ) -> None:
        self._roots = roots
        self._links: list[WordArray] = []
        kind = ComponentSearch if most is None else NestedSearch
        self.search = kind(
            kernel,
            accepting=accepting,
            log=lambda links: self._links.append(links.copy()),
            engine_bytes=engine_bytes,
            max_states=most,
        )

    @property
    def proves(self) -> bool:
        """True if the cycle is known to exist."""
        return isinstance(self.search, ComponentSearch)

    def path(self) -> tuple[int, State, list[int], Cycle]:
        """Return the path to the cycle that was found: its root, as in `roots`, the root's state, steps, and cycle."""
        links = np.concatenate(self._links)
        steps: list[int] = []
        record = self.search.cycle.record
        while (link := int(links[record])) >> STEP_BITS != ROOT:
            steps.append(link & STEP_MASK)
            record = link >> STEP_BITS
        number = link & STEP_MASK
        state = tuple(int(word) for word in self.search.kernel.initial[number])
        return self._roots[number], state, steps[::-1], self.search.cycle
