"""Select steps by stubborn sets: the definition.

Of a set of actions that is stubborn in a state (Valmari; strong stubborn sets), the enabled ones are selected:

- an enabled action adds all actions that do not accord with it,
- a disabled action adds all actions that could make one of its false conditions true.

The steps left out commute with the selected ones, whatever happens first, so no deadlock is lost. Every selected step
leads up in a fixed order of states (`order`), so every cycle has a state that is fully expanded, and no fault is lost
either. The order does not depend on the visited set, as the stack proviso C3 of 003 does: all searches select alike,
whatever they forget. To preserve the truth of predicates along runs (LTL without X), no visible action is selected (C2
of 003).

Every candidate is tried as a seed, and the first smallest set is taken; if there is none, all steps are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from strandline.compile.interpreted import SystemReference
from strandline.compile.reduction.facts import Facts
from strandline.compile.reduction.order import ActionOrder

MANY = 16


@dataclass(frozen=True, slots=True)
class Reduction:
    """A partial-order reduction; `visible` actions are never selected."""

    facts: Facts
    order: ActionOrder
    visible: int

    def select(self, enabled: int, greater: int, truth: int) -> int:
        """Return the actions to take out of the enabled ones.

        `greater` are the actions all of whose steps lead to states that are greater as words; `truth` are the true
        conditions.
        """
        allowed = enabled & (greater | self.order.always) & ~self.order.never & ~self.visible
        best, size = enabled, enabled.bit_count()
        for seed in bits(allowed):
            found = self._stubborn_set(seed, enabled, allowed, truth, size)
            if found is not None:
                best, size = found, found.bit_count()
            # A stubborn set that contains this seed is no smaller: skip the seed from now on.
            allowed &= ~(1 << seed)
        return best

    def _stubborn_set(self, seed: int, enabled: int, allowed: int, truth: int, size: int) -> int | None:
        """Return the enabled actions of a stubborn set around a seed, if all are allowed and fewer than `size`."""
        inside, visited = 1 << seed, 0
        while inside & ~visited:
            if inside & enabled & ~allowed or (inside & enabled).bit_count() >= size:
                return None
            number = lowest(inside & ~visited)
            visited |= 1 << number
            if enabled >> number & 1:
                inside |= self.facts.conflicts[number]
            else:
                inside |= self._smallest_enabling_set(number, enabled, truth, inside)
        return inside & enabled

    def _smallest_enabling_set(self, number: int, enabled: int, truth: int, inside: int) -> int:
        """Return the cheapest necessary enabling set of a disabled action.

        Actions that are `inside` already cost nothing, enabled actions cost most.
        """

        def count_added(actions: int) -> int:
            new = actions & ~inside
            return new.bit_count() + MANY * (new & enabled).bit_count()

        false = [self.facts.enabling[one] for one in self.facts.conditions_of[number] if not truth >> one & 1]
        return min(false, key=count_added)


def lowest(members: int) -> int:
    return (members & -members).bit_length() - 1


def bits(members: int) -> Iterator[int]:
    """Yield the numbers in a set, in order."""
    while members:
        yield lowest(members)
        members &= members - 1


class StepSelector:
    """Selects steps of a System by its reference."""

    def __init__(self, reference: SystemReference, reduction: Reduction) -> None:
        self.reference, self.reduction = reference, reduction
        self._numbers = {id(action): number for number, action in enumerate(reference.system.actions)}

    def selected_steps(self, state: tuple[int, ...]) -> Sequence[int]:
        """Return the numbers of the steps to take, in order; all of them at a deadlock or if one of them faults."""
        edges = self.reference.edges(state)
        taken = [self._numbers.get(id(actions[0])) for actions in self.reference.actions_of_steps(state)]
        enabled = greater = 0
        for number in taken:
            if number is None or edges[-1].fault is not None:
                return range(len(edges))
            enabled |= 1 << number
        greater = enabled
        for number, edge in zip(taken, edges, strict=True):
            if number is not None and (edge.target is None or edge.target <= state):
                greater &= ~(1 << number)
        chosen = self.reduction.select(enabled, greater, self._truth(state))
        return [step for step, number in enumerate(taken) if number is not None and chosen >> number & 1]

    def _truth(self, state: tuple[int, ...]) -> int:
        values = self.reference.values(state, self.reduction.facts.conditions)
        return sum(1 << number for number, value in enumerate(values) if value)
