"""Which steps a path that never leaves a set can take for ever, found in single slots.

A step that is taken infinitely often changes every slot that it writes in a way that is undone again: from one value to
another, or the same, between which steps that are taken infinitely often lead back. So one whose changes of some slot
lie on no cycle of that slot's values is taken only finitely often, and neither is one whose cycles need such a step.
What is left goes on for ever, as far as single slots tell. Every infinite path of the set ends with these steps alone,
and EG need not go round by round through the others: a token that is passed on until it has been everywhere, people who
become hungry once.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from strandline.properties.automata.components import tarjan
from strandline.symbolic.diagrams import Function
from strandline.symbolic.encoding import Encoding
from strandline.symbolic.steps import Step
from strandline.transform.simultaneous import Slot

Move = tuple[int, int]
"""The value of a slot before a step and behind it."""
_MOST_NODES = 1 << 17
"""Nodes of the set, for all steps together, up to which it is looked at what they can do inside it; outside else."""
_MOST_MOVES = 1 << 14
"""Moves of a slot by one step; a slot with more is not looked at."""


def recurring(steps: Sequence[Step], encoding: Encoding, inside: Function) -> list[Step]:
    """The steps that may be taken infinitely often on a path inside a set."""
    diagrams = encoding.diagrams
    if diagrams.size(inside) * len(steps) > _MOST_NODES:
        inside = diagrams.true
    support = diagrams.support(inside)
    wide = {slot for step in steps for slot, cases in step.updates if _is_wide(encoding, slot, cases)}
    moves = {}
    for number, step in enumerate(steps):
        where = step.enabled
        if not support.isdisjoint(diagrams.support(where)):
            where = diagrams.both(where, inside)
        if where != diagrams.false:
            written = [(slot, cases) for slot, cases in step.updates if slot not in wide]
            moves[number] = {slot: frozenset(_moves(encoding, slot, cases, where)) for slot, cases in written}
    return [steps[number] for number in sorted(_going_on(moves))]


def _is_wide(encoding: Encoding, slot: Slot, cases: Mapping[int, Function]) -> bool:
    field = encoding.fields[slot]
    return len(cases) * (field.high - field.low + 1) > _MOST_MOVES


def _moves(encoding: Encoding, slot: Slot, cases: Mapping[int, Function], where: Function) -> Iterable[Move]:
    for after, states in cases.items():
        for before in encoding.values(slot, encoding.diagrams.both(where, states)):
            yield before, after


def _going_on(moves: Mapping[int, Mapping[Slot, frozenset[Move]]]) -> set[int]:
    """Those of which every slot has a move on a cycle, of moves of the same kind."""
    going = set(moves)
    writing: dict[Slot, set[int]] = {}
    for number, by_slot in moves.items():
        for slot in by_slot:
            writing.setdefault(slot, set()).add(number)
    waiting = dict.fromkeys(writing)
    while waiting:
        slot, _ = waiting.popitem()
        writers = writing[slot]
        cyclic = _on_cycles({move for number in writers for move in moves[number][slot]})
        for number in [one for one in writers if moves[one][slot].isdisjoint(cyclic)]:
            going.discard(number)
            for other in moves[number]:
                writing[other].discard(number)
                waiting[other] = None
    return going


def _on_cycles(moves: set[Move]) -> set[Move]:
    following: dict[int, list[int]] = {}
    for before, after in moves:
        following.setdefault(before, []).append(after)
    found = tarjan(following, lambda value: following.get(value, []))
    component = {value: number for number, members in enumerate(found) for value in members}
    return {move for move in moves if component[move[0]] == component[move[1]]}
