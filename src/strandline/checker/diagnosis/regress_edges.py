"""Summarise the regress edges of a sweep by actions and variables, from a sample of them."""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from strandline.compile.kernel import Reference
from strandline.model.expression import variables_read
from strandline.model.measure import Component, Measure
from strandline.model.system import System
from strandline.traces.trace import Change, changes

_ENOUGH_SECONDS = 0.3
"""Seconds for which edges of a sample are interpreted; a step of a large model takes milliseconds."""

SampledEdge = tuple[tuple[int, ...], int]
"""A sampled edge: the packed source state and the index of the step among those of the state."""


@dataclass(frozen=True, slots=True)
class FallingMeasure:
    """A component of the measure that decreases along an edge, with its values before and after it."""

    component: Component
    old: int
    new: int


@dataclass(frozen=True, slots=True)
class RegressEdge:
    """A regress edge: its action, all its changes, and the components of the measure that decrease."""

    action: str
    changes: tuple[Change, ...]
    measures: tuple[FallingMeasure, ...]
    variables: tuple[str, ...]
    """The variables that these components read and the step changes."""


@dataclass(frozen=True, slots=True)
class RegressingAction:
    """An action, its share of the regress edges from 0 to 1, and one of these edges."""

    action: str
    share: float
    example: RegressEdge


@dataclass(frozen=True, slots=True)
class Regress:
    """The actions with regress edges, the most frequent first.

    Shares are those in the sample, which holds all regress edges if there are few, else evenly spread ones; an edge
    counts as often as the sweep explored it.
    """

    system: System = field(repr=False)
    sampled: int
    actions: tuple[RegressingAction, ...]
    variables: tuple[tuple[str, float], ...]
    """Variables that decreasing components read, each with its share of the regress edges that change it."""


def regress_of(system: System, reference: Reference, measure: Measure, sample: Sequence[SampledEdge]) -> Regress | None:
    """Summarise a sample of regress edges; return None if it is empty."""
    edges = list(_within_time(_describe_edges(reference, measure, sample)))
    if not edges:
        return None
    by_action = Counter(edge.action for edge in edges)
    by_variable = Counter(variable for edge in edges for variable in edge.variables)
    examples = {edge.action: edge for edge in reversed(edges)}
    return Regress(
        system,
        sampled=len(edges),
        actions=tuple(
            RegressingAction(action, count / len(edges), examples[action]) for action, count in by_action.most_common()
        ),
        variables=tuple((variable, count / len(edges)) for variable, count in by_variable.most_common()),
    )


def _within_time(edges: Iterator[RegressEdge]) -> Iterator[RegressEdge]:
    deadline = time.perf_counter() + _ENOUGH_SECONDS
    for edge in edges:
        yield edge
        if time.perf_counter() >= deadline:
            return


def _describe_edges(reference: Reference, measure: Measure, sample: Sequence[SampledEdge]) -> Iterator[RegressEdge]:
    """Yield the sampled edges with names and values, ordered so that the first few are spread over the sample."""
    for number in _spread(len(sample)):
        source, step = sample[number]
        edge = reference.edges(source)[step]
        if edge.target is not None:
            falling, read = _falling(reference, measure, source, edge.target)
            changed = tuple(changes(reference.describe(source), reference.describe(edge.target)))
            names = dict.fromkeys(name for one in changed for name in sorted(read) if speaks_of(one.name, name))
            yield RegressEdge(edge.action, changed, falling, tuple(names))


def speaks_of(changed: str, variable: str) -> bool:
    """Return True if the name of a change, such as `votes[1].says`, belongs to a variable, such as `votes.says`."""
    name = re.sub(r"\[[^\]]*\]", "", changed)
    return name == variable or name.startswith(f"{variable}.") or variable.startswith(f"{name}.")


def _falling(
    reference: Reference, measure: Measure, source: tuple[int, ...], target: tuple[int, ...]
) -> tuple[tuple[FallingMeasure, ...], set[str]]:
    """Return the components that make an edge regress, and the names of the variables that they read.

    Combined components are compared lexicographically: the first that changes decides. Componentwise every one that
    decreases counts.
    """
    components = [one for one in measure.components if not one.monotone]
    expressions = [one.expression for one in components]
    values = zip(components, reference.values(source, expressions), reference.values(target, expressions), strict=True)
    falling = [(one, old, new) for one, old, new in values if new < old]
    if not measure.compared:
        falling = falling[:1]
    read = {variable.name for one, _, _ in falling for variable in variables_read(one.expression)}
    return tuple(FallingMeasure(one, old, new) for one, old, new in falling), read


def _spread(count: int) -> Iterator[int]:
    """Yield all numbers below `count` so that every prefix is spread over them (bit reversal)."""
    bits = max(count - 1, 0).bit_length()
    for number in range(1 << bits):
        reverse = int(f"{number:0{bits}b}"[::-1], 2) if bits else 0
        if reverse < count:
            yield reverse
