"""The value updates of a search for acceptance cycles over several layers of a sweep (see docs/papers.md, 000 §3.4).

The maximal persistent predecessor of a state, and whether an accepting state lies on the path from it, are propagated
from state to state, the least progress first. This is algorithm 4 as published, plain and slow, with the corrections
that it needs to end: values are reset in each round, and only states that never were persistent are deleted behind the
line. The engine's own searches are `sweep-off`, `sweep-on` and `sweep`.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence

Value = tuple[int, bool]


def value_updates(
    successors: Mapping[int, Sequence[int]], progress: Mapping[int, int], accepting: frozenset[int]
) -> Generator[tuple[int, int], None, bool]:
    """Yield a pair (updated state, state that updated it) for each update, up to the one that closes a cycle.

    The generator's return value is True if there is an acceptance cycle. The targets of regress edges are persistent;
    of two states, the one with the smaller number is the greater.
    """
    persistent = {end for source, ends in successors.items() for end in ends if progress[end] < progress[source]}
    candidates = set(persistent)
    while candidates:
        values: dict[int, Value] = {state: (state, state in accepting) for state in candidates}
        finished, waiting = set(candidates), set(candidates)
        while waiting:
            line = min(progress[state] for state in waiting)
            passed: set[int] = set()
            while here := [state for state in waiting if progress[state] == line]:
                source = max(here)
                waiting.discard(source)
                passed.add(source)
                owner, met = values[source]
                carried = (owner, met or source in accepting)
                if source in candidates and _greater((owner, False), (source, False)):
                    finished.discard(source)
                for target in successors[source]:
                    if carried == (target, True):
                        yield target, source
                        return True
                    if _greater(carried, values.get(target)):
                        values[target] = carried
                        waiting.add(target)
                        yield target, source
            # As in a sweep that deletes states: behind the line only persistent ones keep their values.
            for state in passed - persistent - waiting:
                del values[state]
        # A candidate that no greater one reached is decided: its own value would have come back to it.
        candidates -= finished
        candidates = {state for state in candidates if values[state][1]}
    return False


def _greater(one: Value, other: Value | None) -> bool:
    return other is None or (-one[0], one[1]) > (-other[0], other[1])
