"""Steps joined into few relations, for what looks at all of them at once.

EX asks every step; so a few relations of some thousand nodes are better than thousands of small ones, each of which
would have the whole set be walked through (Ranjan, Aziz, Brayton, Plessier, Pixley 1995). Neighbours in the order of
bits are joined as long as the result stays small; what the one writes and the other does not stays the same in the
other.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from strandline.symbolic.diagrams import Diagrams, Function
from strandline.symbolic.encoding import Encoding
from strandline.symbolic.steps import Step
from strandline.transform.simultaneous import Slot

_LARGEST = 20_000
"""Nodes of a relation that is joined from others."""


@dataclass(frozen=True, slots=True)
class Relation:
    """Between states and, of the slots that are written, next states."""

    written: frozenset[Slot]
    between: Function


@dataclass(frozen=True, slots=True)
class Cluster:
    """A relation with what images by it need."""

    diagrams: Diagrams
    written: frozenset[Slot]
    between: Function
    now: Function
    next: Function
    forward: object
    backward: object

    def before(self, states: Function) -> Function:
        """The states that it relates to one of these."""
        diagrams = self.diagrams
        return diagrams.some_of_both(self.between, self.behind(states), self.next)

    def behind(self, states: Function) -> Function:
        """A set, said of what is behind it: of next bits where it writes them."""
        return self.diagrams.renamed(states, self.backward)

    def after(self, states: Function) -> Function:
        """The states that it relates these to."""
        diagrams = self.diagrams
        return diagrams.renamed(diagrams.some_of_both(states, self.between, self.now), self.forward)


def unchanged(encoding: Encoding, slots: Sequence[Slot] | frozenset[Slot]) -> Function:
    """That slots stay what they are."""
    diagrams = encoding.diagrams
    pairs = [pair for slot in slots for pair in zip(encoding.fields[slot].now, encoding.fields[slot].next, strict=True)]
    found = diagrams.true
    for now, later in sorted(pairs, reverse=True):
        found = diagrams.both(diagrams.denied(diagrams.differ(diagrams.bit(now), diagrams.bit(later))), found)
    return found


def relation_of(step: Step, encoding: Encoding) -> Relation:
    """A step alone."""
    diagrams = encoding.diagrams
    between = step.relation
    if step.target is not None:
        constants = [encoding.equal(slot, value, next=True) for slot, cases in step.updates for value in cases]
        between = diagrams.both(step.enabled, diagrams.all_of(constants))
    return Relation(frozenset(slot for slot, _ in step.updates), between)


def clustered(steps: Sequence[Step], encoding: Encoding, watch: Callable[[], None]) -> list[Cluster]:
    """Few relations that together are all steps."""
    relations = [relation_of(step, encoding) for step in sorted(steps, key=lambda step: step.top)]
    done: list[Relation] = []
    while len(relations) > 1:
        larger: list[Relation] = []
        for one, other in zip(relations[::2], relations[1::2], strict=False):
            watch()
            both = joined(one, other, encoding)
            if encoding.diagrams.size(both.between) <= _LARGEST:
                larger.append(both)
            else:
                done += [one, other]
        relations = larger + (relations[-1:] if len(relations) % 2 else [])
    return [_cluster(one, encoding) for one in done + relations]


def joined(one: Relation, other: Relation, encoding: Encoding) -> Relation:
    """What either of two relations does; what one writes and the other does not stays the same in the other."""
    both, either = encoding.diagrams.both, encoding.diagrams.either
    return Relation(
        one.written | other.written,
        either(
            both(one.between, unchanged(encoding, other.written - one.written)),
            both(other.between, unchanged(encoding, one.written - other.written)),
        ),
    )


def _cluster(relation: Relation, encoding: Encoding) -> Cluster:
    diagrams, fields = encoding.diagrams, [encoding.fields[slot] for slot in relation.written]
    now = [bit for field in fields for bit in field.now]
    later = [bit for field in fields for bit in field.next]
    return Cluster(
        diagrams,
        relation.written,
        relation.between,
        diagrams.cube(now),
        diagrams.cube(later),
        diagrams.renaming(dict(zip(later, now, strict=True))),
        diagrams.renaming(dict(zip(now, later, strict=True))),
    )
