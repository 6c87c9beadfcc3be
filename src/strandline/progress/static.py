"""What can be said of progress without running the model: variables that never decrease, phases never left.

A control graph's strongly connected components, numbered along the longest path, never decrease (002 §4); the distance
from the initial location usually increases, but may fall back.
"""

from __future__ import annotations

from collections import deque

from strandline.model.expression import Binary, Expression
from strandline.model.intervals import Contradiction, Environment, within
from strandline.model.ranges import Ranges
from strandline.model.system import Assign, System, Variable


def never_decreasing(system: System, ranges: Ranges) -> list[Variable]:
    """The variables that change, and no step makes smaller: of an array, none of its elements."""
    changed: set[Variable] = set()
    decreased: set[Variable] = set()
    for number, action in enumerate([*system.actions, *(system.observer.edges if system.observer else ())]):
        located = number < len(system.actions) and not system.synchronous
        environment = ranges.environment(action if located else None)
        try:
            if located and action.guard is not None:
                environment.assume(action.guard)
            for effect in action.effects:
                changed.add(effect.target.variable)
                if not _keeps_or_increases(effect, environment):
                    decreased.add(effect.target.variable)
                environment.assign(effect)
        except Contradiction:
            continue
    growing = changed - decreased
    return [variable for variable in system.variables if variable in growing and not variable.is_location]


def _keeps_or_increases(effect: Assign, environment: Environment) -> bool:
    value, place = effect.value, effect.target
    box = environment.fitted(value)
    domain = place.variable.domain
    if domain.wraps and not within(box, (domain.low, domain.high)):
        return False
    if value == place or box[0] >= environment.fitted(place)[1]:
        return True
    if isinstance(value, Binary) and value.operator == "+":
        added = _added(value, place)
        return added is not None and environment.fitted(added)[0] >= 0
    return False


def _added(value: Binary, place: Expression) -> Expression | None:
    """What is added to the place, if the value is such a sum."""
    if value.left == place:
        return value.right
    return value.left if value.right == place else None


def component_ranks(locations: int, edges: set[tuple[int, int]]) -> list[int]:
    """For every location a number that no edge decreases and every edge between components increases: the longest
    path to its component."""
    reaches = [_reachable(start, edges) for start in range(locations)]
    ranks = [0] * locations
    same = [[second in reaches[first] and first in reaches[second] for second in range(locations)]
            for first in range(locations)]  # fmt: skip
    for _ in range(locations):
        for source, target in edges:
            if not same[source][target]:
                ranks[target] = max(ranks[target], ranks[source] + 1)
        for first in range(locations):
            members = [other for other in range(locations) if other == first or same[first][other]]
            ranks[first] = max(ranks[member] for member in members)
    return ranks


def distance_ranks(locations: int, edges: set[tuple[int, int]], start: int) -> list[int]:
    """The least number of moves from the initial location; 0 for locations that cannot be reached."""
    ranks = [0] * locations
    seen, queue = {start}, deque([start])
    while queue:
        here = queue.popleft()
        for source, target in sorted(edges):
            if source == here and target not in seen:
                seen.add(target)
                ranks[target] = ranks[here] + 1
                queue.append(target)
    return ranks


def _reachable(start: int, edges: set[tuple[int, int]]) -> set[int]:
    seen: set[int] = set()
    queue = [start]
    while queue:
        here = queue.pop()
        for source, target in edges:
            if source == here and target not in seen:
                seen.add(target)
                queue.append(target)
    return seen
