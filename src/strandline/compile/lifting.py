"""Merged steps, one by one: what a search over a merged System found, as a run of the whole one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from strandline.analysis.ranges import analyse_ranges
from strandline.compile.interpreted import SystemReference
from strandline.compile.kernel import Kernel
from strandline.errors import InternalError
from strandline.model.layout import make_layout
from strandline.model.system import Action, System
from strandline.transform.merging import Merged


def separated(kernel: Kernel, merged: Merged, system: System) -> Kernel:
    """The Kernel of a merged System with the whole System for its reference: traces show every step."""
    folded = kernel.reference
    assert isinstance(folded, SystemReference)
    layout = make_layout(system, analyse_ranges(system).variables)
    whole = SystemReference(system, layout, folded.predicates, folded.measure)
    return replace(kernel, reference=whole, separate=_Separating(folded, whole, merged).steps)


class _Separating:
    def __init__(self, folded: SystemReference, whole: SystemReference, merged: Merged) -> None:
        self._folded, self._whole, self._merged = folded, whole, merged

    def steps(self, initial: int, steps: Sequence[int]) -> Sequence[int]:
        """Steps from an initial state, by their numbers in the whole System."""
        stored, state, found = self._folded.initial()[initial], self._whole.initial()[initial], []
        for step in steps:
            (action,) = self._folded.taken(stored)[step]
            target = self._folded.edges(stored)[step].target
            if target is None:
                break
            stored = target
            for part in self._merged.parts.get(id(action), (action,)):
                number, state = self._follow(state, part)
                found.append(number)
        return found

    def _follow(self, state: tuple[int, ...], part: Action) -> tuple[int, tuple[int, ...]]:
        for number, (actions, edge) in enumerate(zip(self._whole.taken(state), self._whole.edges(state), strict=True)):
            if actions[0] is part and edge.target is not None:
                return number, edge.target
        raise InternalError(f"a merged step has a part, '{part.name}', that cannot be taken")
