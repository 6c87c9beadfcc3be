"""Find the steps that a path within a set may take infinitely often, slot by slot.

A step that is taken infinitely often changes every slot that it writes along a cycle of that slot's values, and all
moves of the cycle belong to steps taken infinitely often. So a step whose moves of some slot lie on no cycle is taken
only finitely often, and so is one whose cycles need such a step. The steps that remain after removing these
overapproximate the recurring ones. Every infinite path of the set has a suffix of these steps alone, so EG need not
iterate through the others, such as a token that is passed on until it has been everywhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from strandline.properties.automata.components import tarjan
from strandline.symbolic.diagrams import Function
from strandline.symbolic.encoding import Encoding
from strandline.symbolic.steps import Step
from strandline.transform.simultaneous import Slot

Move = tuple[int, int]
"""A pair of values that a slot has before and after a step."""
_MOST_NODES = 1 << 17
"""Size of the set times number of steps up to which moves are computed within the set, not in all states."""
_MOST_MOVES = 1 << 14
"""Most moves of a slot by one step; slots with more are ignored."""


def recurring_steps(steps: Sequence[Step], encoding: Encoding, inside: Function) -> list[Step]:
    """Return the steps that may be taken infinitely often on a path inside a set."""
    diagrams = encoding.diagrams
    if diagrams.size(inside) * len(steps) > _MOST_NODES:
        inside = diagrams.true
    support = diagrams.support(inside)
    wide = {slot for step in steps for slot, cases in step.updates if _is_wide(encoding, slot, cases)}
    moves = {}
    for number, step in enumerate(steps):
        where = step.enabled
        if not support.isdisjoint(diagrams.support(where)):
            where = diagrams.and_(where, inside)
        if where != diagrams.false:
            written = [(slot, cases) for slot, cases in step.updates if slot not in wide]
            moves[number] = {slot: frozenset(_moves(encoding, slot, cases, where)) for slot, cases in written}
    return [steps[number] for number in sorted(_prune_acyclic(moves))]


def _is_wide(encoding: Encoding, slot: Slot, cases: Mapping[int, Function]) -> bool:
    field = encoding.fields[slot]
    return len(cases) * (field.high - field.low + 1) > _MOST_MOVES


def _moves(encoding: Encoding, slot: Slot, cases: Mapping[int, Function], where: Function) -> Iterable[Move]:
    for after, states in cases.items():
        for before in encoding.values(slot, encoding.diagrams.and_(where, states)):
            yield before, after


def _prune_acyclic(moves: Mapping[int, Mapping[Slot, frozenset[Move]]]) -> set[int]:
    """Remove steps whose change of some slot lies on no cycle of the remaining changes, until there are none."""
    going = set(moves)
    writing: dict[Slot, set[int]] = {}
    for number, by_slot in moves.items():
        for slot in by_slot:
            writing.setdefault(slot, set()).add(number)
    waiting = dict.fromkeys(writing)
    while waiting:
        slot, _ = waiting.popitem()
        writers = writing[slot]
        cyclic = _moves_on_cycles({move for number in writers for move in moves[number][slot]})
        for number in [one for one in writers if moves[one][slot].isdisjoint(cyclic)]:
            going.discard(number)
            for other in moves[number]:
                writing[other].discard(number)
                waiting[other] = None
    return going


def _moves_on_cycles(moves: set[Move]) -> set[Move]:
    following: dict[int, list[int]] = {}
    for before, after in moves:
        following.setdefault(before, []).append(after)
    found = tarjan(following, lambda value: following.get(value, []))
    component = {value: number for number, members in enumerate(found) for value in members}
    return {move for move in moves if component[move[0]] == component[move[1]]}
