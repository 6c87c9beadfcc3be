"""Compute a static variable order from the structure of the System.

Slots that an action reads and writes should be close together. FORCE (Aloul, Markov, Sakallah 2003) moves every slot to
the middle of the actions that touch it and every action to the middle of its slots, until the sum of the actions' spans
no longer decreases. It starts from the order of declaration, which stays if nothing better is found. Slots that nearly
every action touches come first.
"""

from __future__ import annotations

from collections.abc import Sequence

_MOST_ROUNDS = 40
_FEW = 8
"""Number of actions up to which a slot is never treated as a hub."""


def force_order(count: int, groups: Sequence[frozenset[int]]) -> list[int]:
    """Return a permutation of `range(count)` that places the members of each group close together."""
    touching: list[list[int]] = [[] for _ in range(count)]
    for number, group in enumerate(groups):
        for member in group:
            touching[member].append(number)
    # A member of most groups would pull all of them together; it is put first instead.
    hubs = {member for member in range(count) if len(touching[member]) > max(_FEW, len(groups) // 2)}
    groups = [group - hubs for group in groups]
    best = order = list(range(count))
    least = _spans(order, groups)
    for _ in range(_MOST_ROUNDS):
        place = {member: number for number, member in enumerate(order)}
        centres = [sum(place[member] for member in group) / len(group) if group else 0.0 for group in groups]
        weight = {
            member: sum(centres[number] for number in touching[member]) / len(touching[member])
            if touching[member]
            else float(place[member])
            for member in range(count)
        }
        order = sorted(order, key=lambda member: (weight[member], place[member]))
        now = _spans(order, groups)
        if now >= least:
            break
        best, least = order, now
    return sorted(best, key=lambda member: member not in hubs)


def _spans(order: Sequence[int], groups: Sequence[frozenset[int]]) -> int:
    place = {member: number for number, member in enumerate(order)}
    found = 0
    for group in groups:
        if group:
            places = [place[member] for member in group]
            found += max(places) - min(places)
    return found
