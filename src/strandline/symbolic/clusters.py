"""Combine steps into few relations (Ranjan, Aziz, Brayton, Plessier, Pixley 1995).

EX applies every step to the whole set; a few relations of some thousand nodes are faster than thousands of small ones,
each of which traverses the set. Steps that are neighbours in the bit order are combined as long as the result stays
small; slots that one of two steps writes and the other does not are unchanged in the other.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from strandline.symbolic.diagrams import Diagrams, Function
from strandline.symbolic.encoding import Encoding
from strandline.symbolic.steps import Step
from strandline.transform.simultaneous import Slot

_LARGEST = 20_000
"""Most nodes of a combined relation."""


@dataclass(frozen=True, slots=True)
class Relation:
    """A relation between states and the next values of the slots that it writes."""

    written: frozenset[Slot]
    between: Function


@dataclass(frozen=True, slots=True)
class Cluster:
    """A relation with the cubes and substitutions for its images."""

    diagrams: Diagrams
    written: frozenset[Slot]
    between: Function
    now: Function
    next: Function
    forward: object
    backward: object

    def preimage(self, states: Function) -> Function:
        """Return the predecessors of a set."""
        diagrams = self.diagrams
        return diagrams.and_exists(self.between, self.behind(states), self.next)

    def behind(self, states: Function) -> Function:
        """Return a set with the slots that the relation writes renamed from current to next bits."""
        return self.diagrams.rename(states, self.backward)

    def image(self, states: Function) -> Function:
        """Return the successors of a set."""
        diagrams = self.diagrams
        return diagrams.rename(diagrams.and_exists(states, self.between, self.now), self.forward)


def identity_relation(encoding: Encoding, slots: Sequence[Slot] | frozenset[Slot]) -> Function:
    """Return the relation that leaves slots unchanged."""
    diagrams = encoding.diagrams
    pairs = [pair for slot in slots for pair in zip(encoding.fields[slot].now, encoding.fields[slot].next, strict=True)]
    found = diagrams.true
    for now, later in sorted(pairs, reverse=True):
        found = diagrams.and_(diagrams.not_(diagrams.xor(diagrams.bit(now), diagrams.bit(later))), found)
    return found


def relation_of(step: Step, encoding: Encoding) -> Relation:
    """Return the relation of a single step."""
    diagrams = encoding.diagrams
    between = step.relation
    if step.target is not None:
        constants = [encoding.equal(slot, value, next=True) for slot, cases in step.updates for value in cases]
        between = diagrams.and_(step.enabled, diagrams.all_of(constants))
    return Relation(frozenset(slot for slot, _ in step.updates), between)


def cluster_steps(steps: Sequence[Step], encoding: Encoding, watch: Callable[[], None]) -> list[Cluster]:
    """Combine steps into few relations whose union is all steps."""
    relations = [relation_of(step, encoding) for step in sorted(steps, key=lambda step: step.top)]
    done: list[Relation] = []
    while len(relations) > 1:
        larger: list[Relation] = []
        for one, other in zip(relations[::2], relations[1::2], strict=False):
            watch()
            both = union(one, other, encoding)
            if encoding.diagrams.size(both.between) <= _LARGEST:
                larger.append(both)
            else:
                done += [one, other]
        relations = larger + (relations[-1:] if len(relations) % 2 else [])
    return [_cluster(one, encoding) for one in done + relations]


def union(one: Relation, other: Relation, encoding: Encoding) -> Relation:
    """Return the union of two relations; slots that only one of them writes are unchanged in the other."""
    both, either = encoding.diagrams.and_, encoding.diagrams.or_
    return Relation(
        one.written | other.written,
        either(
            both(one.between, identity_relation(encoding, other.written - one.written)),
            both(other.between, identity_relation(encoding, one.written - other.written)),
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
