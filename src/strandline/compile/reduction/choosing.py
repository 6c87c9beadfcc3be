"""The choice of steps in a state, as it is defined.

Of a set of actions that is stubborn in a state (Valmari; the strong kind), the enabled ones are chosen:

- an enabled action brings along all with which it does not accord,
- an action that is not enabled brings along all that could make one of its false conditions true.

What is left out then commutes with what is chosen, whatever happens first, so that no deadlock is lost. Every step that
is chosen leads up in a fixed order of states (`order`), so that on every cycle there is a state where nothing is left
out, and no fault is lost either. The order does not depend on what a search has stored, as the stack of 003's C3 does:
all searches choose alike, whatever they forget. To keep the truth of predicates along runs as well (next-free LTL),
nothing visible is chosen (C2 of 003).

Sets are tried from each candidate in turn, and the first of the smallest is taken; where there is none, all steps are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from strandline.compile.interpreted import SystemReference
from strandline.compile.reduction.facts import Facts
from strandline.compile.reduction.order import Rising

MANY = 16


@dataclass(frozen=True, slots=True)
class Reduction:
    """How steps are chosen: by these facts; `visible` actions are not."""

    facts: Facts
    rising: Rising
    visible: int

    def choose(self, enabled: int, greater: int, truth: int) -> int:
        """The actions to take of those that are enabled. `greater`: those all of whose steps lead to states that are
        greater as words; `truth`: the conditions that are true."""
        allowed = enabled & (greater | self.rising.always) & ~self.rising.never & ~self.visible
        best, size = enabled, enabled.bit_count()
        for seed in bits(allowed):
            found = self._stubborn(seed, enabled, allowed, truth, size)
            if found is not None:
                best, size = found, found.bit_count()
            # A set that has this one inside is no smaller.
            allowed &= ~(1 << seed)
        return best

    def _stubborn(self, seed: int, enabled: int, allowed: int, truth: int, size: int) -> int | None:
        """The enabled actions of the smallest stubborn set around an action, if all are allowed and they are fewer
        than `size`."""
        inside, looked_at = 1 << seed, 0
        while inside & ~looked_at:
            if inside & enabled & ~allowed or (inside & enabled).bit_count() >= size:
                return None
            number = lowest(inside & ~looked_at)
            looked_at |= 1 << number
            if enabled >> number & 1:
                inside |= self.facts.conflicts[number]
            else:
                inside |= self._enabling(number, enabled, truth, inside)
        return inside & enabled

    def _enabling(self, number: int, enabled: int, truth: int, inside: int) -> int:
        """Of what could make one of an action's false conditions true, that which adds least: enabled actions count for
        many."""

        def added(actions: int) -> int:
            new = actions & ~inside
            return new.bit_count() + MANY * (new & enabled).bit_count()

        false = [self.facts.enabling[one] for one in self.facts.conditions_of[number] if not truth >> one & 1]
        return min(false, key=added)


def lowest(members: int) -> int:
    return (members & -members).bit_length() - 1


def bits(members: int) -> Iterator[int]:
    """The numbers in a set, in order."""
    while members:
        yield lowest(members)
        members &= members - 1


class Chooser:
    """Chooses among the steps of a System as its reference tells them."""

    def __init__(self, reference: SystemReference, reduction: Reduction) -> None:
        self.reference, self.reduction = reference, reduction
        self._numbers = {id(action): number for number, action in enumerate(reference.system.actions)}

    def chosen(self, state: tuple[int, ...]) -> Sequence[int]:
        """The numbers of the steps to take, in order. Where one of them faults, or the system itself has none, all."""
        edges = self.reference.edges(state)
        taken = [self._numbers.get(id(actions[0])) for actions in self.reference.taken(state)]
        enabled = greater = 0
        for number in taken:
            if number is None or edges[-1].fault is not None:
                return range(len(edges))
            enabled |= 1 << number
        greater = enabled
        for number, edge in zip(taken, edges, strict=True):
            if number is not None and (edge.target is None or edge.target <= state):
                greater &= ~(1 << number)
        chosen = self.reduction.choose(enabled, greater, self._truth(state))
        return [step for step, number in enumerate(taken) if number is not None and chosen >> number & 1]

    def _truth(self, state: tuple[int, ...]) -> int:
        values = self.reference.values(state, self.reduction.facts.conditions)
        return sum(1 << number for number, value in enumerate(values) if value)
