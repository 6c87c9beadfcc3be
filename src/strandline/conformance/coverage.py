"""Coverage of a model by logs: the actions that they took, and the locations that they reached."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from strandline.conformance.verdict import ModelCoverage
from strandline.model.system import System


def coverage_of(system: System, certain: Collection[int], possible: Collection[int]) -> ModelCoverage:
    """Return the coverage by actions, given by numbers. Actions with parameters count once for all their values."""
    titles: dict[str, int] = {}
    for number, action in enumerate(system.actions):
        rank = 2 if number in certain else 1 if number in possible else 0
        title = action.name.partition("(")[0]
        titles[title] = max(rank, titles.get(title, 0))
    visited = _locations(system, possible)
    every = [(process.name, name) for process in system.processes for name in process.locations]
    certainly, perhaps, never = (
        tuple(title for title, rank in titles.items() if rank == wanted) for wanted in (2, 1, 0)
    )
    return ModelCoverage(
        certainly,
        perhaps,
        never,
        tuple(f"{process}.{name}" for process, name in every if (process, name) in visited),
        tuple(f"{process}.{name}" for process, name in every if (process, name) not in visited),
    )


def _locations(system: System, taken: Iterable[int]) -> set[tuple[str, str]]:
    """Return the locations where processes begin and to which actions moved them."""
    found: set[tuple[str, str]] = set()
    for process in system.processes:
        slot = system.offsets[process.location]
        found.update((process.name, process.location.show(state[slot])) for state in system.initial)
    for number in taken:
        for move in system.actions[number].moves:
            process = system.processes[move.process]
            found.add((process.name, process.location.show(move.target)))
    return found


def merge_coverage(parts: Iterable[ModelCoverage]) -> ModelCoverage:
    """Return the coverage by all logs of a test suite together."""
    parts = list(parts)
    certain = {one for part in parts for one in part.certain}
    possible = {one for part in parts for one in part.possible} - certain
    reached = {one for part in parts for one in part.locations}
    first = parts[0]
    actions = sorted((*first.certain, *first.possible, *first.never))
    places = (*first.locations, *first.unreached)
    return ModelCoverage(
        tuple(one for one in actions if one in certain),
        tuple(one for one in actions if one in possible),
        tuple(one for one in actions if one not in certain | possible),
        tuple(one for one in places if one in reached),
        tuple(one for one in places if one not in reached),
    )
