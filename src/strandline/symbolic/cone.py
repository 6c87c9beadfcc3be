"""The cone of influence (004 §1.3.6): the slots and steps that can affect some sets of states.

A slot is in the cone if the sets depend on it, or if a step that writes a slot of the cone reads it. Steps outside the
cone change no slot of the cone, and steps inside it read only slots of the cone. So reachability within the cone can be
computed without the rest: the result is exactly the projection of the reachable states. Paths are not preserved, since
they also consist of steps outside the cone; so only questions about single states use it.
"""

from __future__ import annotations

from collections.abc import Iterable
from copy import copy

from strandline.symbolic.diagrams import Function
from strandline.symbolic.encoding import Encoding
from strandline.symbolic.space import Space
from strandline.symbolic.steps import Step, step_of
from strandline.transform.simultaneous import Slot


def cone_of(space: Space, sets: Iterable[Function]) -> frozenset[Slot]:
    """Return the slots that affect some sets or the states in which the model faults."""
    owners = {bit: slot for slot, field in space.encoding.fields.items() for bit in field.now}
    support = space.diagrams.support
    found = {owners[bit] for one in (*sets, space.faults) for bit in support(one)}
    reading = [(step, {owners[bit] for bit in support(step.enabled)}) for step in space.steps]
    while True:
        before = len(found)
        for step, read in reading:
            for slot, cases in step.updates:
                if slot in found:
                    found |= read | {owners[bit] for states in cases.values() for bit in support(states)}
        if len(found) == before:
            return frozenset(found)


def restrict_to_cone(space: Space, cone: frozenset[Slot]) -> Space:
    """Return the space of the same System restricted to the slots of a cone."""
    fields = space.encoding.fields
    outside = space.diagrams.cube(bit for slot, field in fields.items() if slot not in cone for bit in field.now)
    reduced = copy(space)
    vars(reduced).pop("valid", None)
    reduced.forget_step_facts()
    reduced.bits = tuple(bit for slot, field in fields.items() if slot in cone for bit in field.now)
    reduced.initial = space.diagrams.exists(space.initial, outside)
    reduced.steps = tuple(
        _restrict_step(step, cone, space.encoding) for step in space.steps if _writes_cone(step, cone)
    )
    return reduced


def _writes_cone(step: Step, cone: frozenset[Slot]) -> bool:
    return any(slot in cone for slot, _ in step.updates)


def _restrict_step(step: Step, cone: frozenset[Slot], encoding: Encoding) -> Step:
    kept = tuple((slot, cases) for slot, cases in step.updates if slot in cone)
    return step if len(kept) == len(step.updates) else step_of(step.enabled, dict(kept), encoding)
