"""A search in two phases that forget, each of which chooses its steps by what it has stored: what the cycle proviso
by a fixed order of states avoids.

A sweep meets regress edges, keeps their targets as persistent states, and sweeps again from them. A later phase, as the
search for cycles is, starts from the persistent states that the first one has found, and relies on meeting no others.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from strandline.compile.interpreted import SystemReference
from strandline.compile.reduction.order import ActionOrder
from strandline.compile.reduction.selection import Reduction, StepSelector

State = tuple[int, ...]


class StoreProviso(StepSelector):
    """Stubborn sets none of whose steps leads to a state that is stored, instead of only to greater ones."""

    def __init__(self, reference: SystemReference, reduction: Reduction) -> None:
        super().__init__(reference, Reduction(reduction.facts, ActionOrder(0, 0), reduction.visible))
        self.stored: set[State] = set()

    def steps(self, state: State) -> Sequence[int]:
        edges = self.reference.edges(state)
        taken = [self._numbers[id(actions[0])] for actions in self.reference.actions_of_steps(state)]
        enabled = new = sum(1 << number for number in set(taken))
        for number, edge in zip(taken, edges, strict=True):
            if edge.target in self.stored:
                new &= ~(1 << number)
        chosen = self.reduction.select(enabled, new, self._truth(state))
        return [step for step, number in enumerate(taken) if chosen >> number & 1]


class OrderProviso(StepSelector):
    """The choice that does not look at what is stored."""

    def __init__(self, reference: SystemReference, reduction: Reduction) -> None:
        super().__init__(reference, reduction)
        self.stored: set[State] = set()

    def steps(self, state: State) -> Sequence[int]:
        return self.selected_steps(state)


def phase(chooser: StoreProviso | OrderProviso, layer: Callable[[State], int], persistent: set[State]) -> set[State]:
    """Sweep from the initial and the persistent states, and again as long as regress edges lead to others: all targets
    of regress edges that were met."""
    reference, met, kept = chooser.reference, set[State](), set(persistent)
    roots = {tuple(state) for state in reference.initial()} | kept
    while roots:
        waiting, chooser.stored = set(roots), set(roots) | kept
        again: set[State] = set()
        while waiting:
            line = min(map(layer, waiting))
            state = next(one for one in sorted(waiting) if layer(one) == line)
            waiting.remove(state)
            # What lies behind the line is forgotten.
            chooser.stored = {one for one in chooser.stored if layer(one) >= line or one in kept}
            edges = reference.edges(state)
            for step in chooser.steps(state):
                target = edges[step].target
                assert target is not None
                if layer(target) < line:
                    met.add(target)
                    if target not in kept:
                        kept.add(target)
                        again.add(target)
                        chooser.stored.add(target)
                elif target not in chooser.stored:
                    chooser.stored.add(target)
                    waiting.add(target)
        roots = again
    return met


def unknown_to_the_first_phase(chooser: StoreProviso | OrderProviso, layer: Callable[[State], int]) -> set[State]:
    """Targets of regress edges that a second phase meets, from the persistent states of a first one, and that this has
    not kept."""
    first = phase(chooser, layer, set())
    return phase(chooser, layer, first) - first
