"""Which steps of the model regress, from a sample of the regress edges of a sweep."""

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
"""How long a sample is looked at; interpreting a step of a large model takes milliseconds."""

SampledEdge = tuple[tuple[int, ...], int]
"""The source and the number of the step."""


@dataclass(frozen=True, slots=True)
class FallingMeasure:
    """A component of the measure that decreases along an edge."""

    component: Component
    old: int
    new: int


@dataclass(frozen=True, slots=True)
class RegressEdge:
    """An edge that regresses: its action, all that it changes, and the measures for which it counts as regress."""

    action: str
    changes: tuple[Change, ...]
    measures: tuple[FallingMeasure, ...]
    variables: tuple[str, ...]
    """The variables of these measures that the step changes."""


@dataclass(frozen=True, slots=True)
class RegressingAction:
    """An action, the share of the regress edges that are its steps, and one of them."""

    action: str
    share: float
    example: RegressEdge


@dataclass(frozen=True, slots=True)
class Regress:
    """The steps that regress, the most frequent first.

    Shares are those in the sample, which holds all regress edges if there are few, else evenly spread ones; an edge
    counts as often as it was met.
    """

    system: System = field(repr=False)
    sampled: int
    actions: tuple[RegressingAction, ...]
    variables: tuple[tuple[str, float], ...]
    """Variables, and the share of the edges along which they change while a measure that reads them decreases."""


def regress_of(system: System, reference: Reference, measure: Measure, sample: Sequence[SampledEdge]) -> Regress | None:
    """Return what a sample of regress edges shows; None if it is empty."""
    edges = list(_within_time(_described(reference, measure, sample)))
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


def _described(reference: Reference, measure: Measure, sample: Sequence[SampledEdge]) -> Iterator[RegressEdge]:
    """Yield the edges for people, in an order in which also the first few are spread over the sample."""
    for number in _spread(len(sample)):
        source, step = sample[number]
        edge = reference.edges(source)[step]
        if edge.target is not None:
            falling, read = _falling(reference, measure, source, edge.target)
            changed = tuple(changes(reference.describe(source), reference.describe(edge.target)))
            names = dict.fromkeys(name for one in changed for name in sorted(read) if speaks_of(one.name, name))
            yield RegressEdge(edge.action, changed, falling, tuple(names))


def speaks_of(changed: str, variable: str) -> bool:
    """Return True if a change such as `votes[1].says` is one of the variable, such as `votes.says`."""
    name = re.sub(r"\[[^\]]*\]", "", changed)
    return name == variable or name.startswith(f"{variable}.") or variable.startswith(f"{name}.")


def _falling(
    reference: Reference, measure: Measure, source: tuple[int, ...], target: tuple[int, ...]
) -> tuple[tuple[FallingMeasure, ...], set[str]]:
    """Return the measures that make an edge regress, and the names of the variables that they read.

    Combined measures are compared lexicographically: the first that changes decides. Componentwise every one that
    decreases does.
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
