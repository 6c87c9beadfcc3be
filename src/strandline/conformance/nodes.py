"""Logs of several nodes: all interleavings that their order allows are searched, by the engine or by the definition."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from strandline.checker.api import check
from strandline.checker.properties.selection import Kind
from strandline.checker.reductions.partial_order import refusal
from strandline.checker.verdicts.verdict import Answer, Verdict
from strandline.compile.interpret import Valuation
from strandline.conformance.coverage import coverage_of
from strandline.conformance.definition import Definition
from strandline.conformance.deviations import Explainer
from strandline.conformance.linear import PatternReader, deadline
from strandline.conformance.logs import Entry
from strandline.conformance.maps import LogMap
from strandline.conformance.orders import NodeLog, read_nodes
from strandline.conformance.product import STAYS, LogProduct, NoProduct
from strandline.conformance.verdict import Conformance, Conforms, Deviation, Reason
from strandline.traces.trace import Trace

_MOST_STATES = 200_000
"""Most states that the definition searches."""
_MOST_EXPLAINED = 5_000_000
"""Most states of a search that looks for the longest prefix of logs that deviate."""
Positions = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Taken:
    """A step of a run that consumes logs: the node whose event it is, or None, and the action, or None."""

    node: int | None
    action: int | None


@dataclass(frozen=True, slots=True)
class Found:
    """The run that consumes the most events: whether these are all, its start, and its steps."""

    complete: bool
    start: Valuation
    steps: tuple[Taken, ...]


class NodesDefinition:
    """The definition of conforming for several nodes: a search over positions in the logs and states of the model."""

    def __init__(
        self, definition: Definition, nodes: Sequence[NodeLog], unlogged: frozenset[int], at_most: int
    ) -> None:
        self.definition, self.nodes = definition, nodes
        self.unlogged, self.at_most = unlogged, at_most if unlogged else 0

    def search(self, start: Sequence[Valuation], out_of_time: Callable[[], bool] = lambda: False) -> Found | None:
        """Return the run that consumes the most events; None if the limits of the search are reached."""
        origins: dict[Any, tuple[Any, Taken] | None] = {}
        none = (0,) * len(self.nodes)
        stack = [(none, state, 0) for state in start]
        origins.update(dict.fromkeys(stack))
        best = stack[0]
        while stack:
            here = stack.pop()
            if sum(here[0]) > sum(best[0]):
                best = here
            if self._is_over(here[0]):
                return self._found(here, origins)
            for taken, target in self._steps(*here):
                if target not in origins:
                    origins[target] = here, taken
                    stack.append(target)
            if len(origins) > _MOST_STATES or out_of_time():
                return None
        return self._found(best, origins)

    def _is_over(self, positions: Positions) -> bool:
        return all(place == len(one.events) for place, one in zip(positions, self.nodes, strict=True))

    def _found(self, here: Any, origins: Any) -> Found:
        complete, steps = self._is_over(here[0]), []
        while (origin := origins[here]) is not None:
            here, taken = origin
            steps.append(taken)
        return Found(complete, here[1], tuple(reversed(steps)))

    def _steps(
        self, positions: Positions, state: Valuation, quota: int
    ) -> Iterator[tuple[Taken, tuple[Positions, Valuation, int]]]:
        definition = self.definition
        for node, log in enumerate(self.nodes):
            place = positions[node]
            if place == len(log.events) or not self.may_be_next(positions, node):
                continue
            pattern = log.events[place][1]
            after = (*positions[:node], place + 1, *positions[node + 1 :])
            if pattern.stays and definition.agrees((*pattern.before, *pattern.after), state):
                yield Taken(node, None), (after, state, 0)
            elif not pattern.stays and definition.agrees(pattern.before, state):
                for step in definition.steps(state):
                    if step.target is not None and definition.is_step(pattern, state, step):
                        yield Taken(node, definition.actions(step)[0]), (after, step.target, 0)
        if quota < self.at_most:
            for step in definition.steps(state):
                if step.target is not None and self.unlogged.issuperset(definition.actions(step)):
                    yield Taken(None, definition.actions(step)[0]), (positions, step.target, quota + 1)

    def may_be_next(self, positions: Positions, node: int) -> bool:
        """Return True if all events that happen before the next one of a node are consumed."""
        needs = self.nodes[node].needs[positions[node]]
        return all(positions[other] >= count for other, count in needs.items())


def search_product(product: LogProduct, max_seconds: float | None = None) -> Found | str | None:
    """Return the run that consumes the most events; the reason if that is unknown; None if a step faults."""
    por = refusal(product.system) is None
    verdict = check(product.system, deadlock=True, por=por, max_seconds=max_seconds)
    if _faults(verdict):
        return None
    if verdict.answer is Answer.UNKNOWN:
        return verdict.exploration.reason or "a limit was reached"
    if verdict.trace is not None:
        return _found(product, verdict.trace, complete=True)
    total = " + ".join(one.name for one in product.positions)
    most = sum(one.domain.high for one in product.positions)
    agreed = " and ".join(f"{one.name} == 1" for one in product.agreed)
    low, best = 0, None
    # The largest sum of positions that is reached, by bisection. The searches are limited: they explain only.
    while low < most:
        middle = (low + most + 1) // 2
        reached = check(
            product.system,
            reach=f"{total} >= {middle} and {agreed}",
            max_states=_MOST_EXPLAINED,
            max_seconds=max_seconds,
        )
        if _faults(reached):
            return None
        if reached.answer is Answer.HOLDS:
            low, best = middle, reached.trace
        else:
            most = middle - 1
    if best is None:
        return Found(False, product.start[0], ())
    return _found(product, best, complete=False)


def _faults(verdict: Verdict) -> bool:
    return any(one.kind is Kind.FAULT for one in verdict.properties)


def _found(product: LogProduct, trace: Trace, *, complete: bool) -> Found:
    described = product.describe_initial()
    start = next(state for state, values in described if values == trace.initial)
    steps = []
    for step in trace.steps:
        node, _, action = step.action.partition(":")
        number = int(action)
        steps.append(Taken(None if node == "-" else int(node), None if number == STAYS else number))
    while not complete and steps and steps[-1].node is None:
        steps.pop()
    return Found(complete, start, tuple(steps))


def conform_nodes(
    definition: Definition,
    reader: PatternReader,
    log_map: LogMap,
    logs: Sequence[Any],
    start: Sequence[Valuation],
    unlogged: frozenset[int],
    max_seconds: float | None,
) -> Conformance:
    """Decide whether the logs of several nodes are together a behaviour of the model."""
    started, out_of_time = time.perf_counter(), deadline(max_seconds)
    nodes = read_nodes(reader, log_map, logs)
    slow = NodesDefinition(definition, nodes, unlogged, log_map.at_most)
    found: Found | str | None = None
    try:
        product = LogProduct(definition.questionnaire, nodes, start, unlogged, log_map.at_most)
        found = search_product(product, max_seconds)
    except NoProduct:
        pass
    if found is None:
        found = slow.search(start, out_of_time)
    if found is None:
        found = f"more than {_MOST_STATES:,} states, or the time limit"
    explained = None if isinstance(found, str) else _Consumption(slow, found)
    deviation = None if explained is None or explained.found.complete else explained.deviation()
    taken = set() if explained is None else {one.action for one in explained.found.steps if one.action is not None}
    answer = Conforms.UNKNOWN if explained is None else Conforms.CONFORMS if deviation is None else Conforms.DEVIATES
    return Conformance(
        system=definition.system,
        answer=answer,
        reason=found if isinstance(found, str) else None,
        logs=tuple(str(one) if isinstance(one, str) or hasattr(one, "name") else "log" for one in logs),
        events=sum(len(one.events) for one in nodes),
        candidates=1,
        deviation=deviation,
        coverage=coverage_of(definition.system, frozenset(), taken),
        seconds=time.perf_counter() - started,
    )


class _Consumption:
    """The run found, executed on the model."""

    def __init__(self, slow: NodesDefinition, found: Found) -> None:
        self._slow, self.found, self._definition = slow, found, slow.definition
        self.positions = [0] * len(slow.nodes)
        self.events: list[Entry | None] = []
        self.numbers: list[int] = []
        self.last: Entry | None = None
        state = found.start
        for taken in found.steps:
            entry = None
            if taken.node is not None:
                entry = self.last = slow.nodes[taken.node].events[self.positions[taken.node]][0]
                self.positions[taken.node] += 1
            if taken.action is not None:
                steps = self._definition.steps(state)
                number = next(place for place, one in enumerate(steps) if taken.action in self._definition.actions(one))
                target = steps[number].target
                assert target is not None
                state = target
                self.numbers.append(number)
                self.events.append(entry)
        self.state = state

    def deviation(self) -> Deviation:
        """Explain why none of the next events of the nodes matches."""
        explainer = Explainer(self._definition)
        blocked: list[tuple[Entry, list[Reason], list[str]]] = []
        for node, log in enumerate(self._slow.nodes):
            place = self.positions[node]
            if place == len(log.events):
                continue
            entry, pattern = log.events[place]
            if not self._slow.may_be_next(tuple(self.positions), node):
                blocked.append(
                    (entry, [Reason(f"node {log.node}", "order", "it happens after events that did not match")], [])
                )
            else:
                reasons = explainer.reasons([self.state], pattern)
                blocked.append((entry, reasons, explainer.missing([self.state], pattern)))
        blocked.sort(key=lambda one: one[1][0].kind == "order")
        event, _, missing = blocked[0]
        reasons = [
            replace(reason, words=f"{reason.words}{'' if entry is event else f' ({entry.place})'}")
            for entry, of_event, _ in blocked
            for reason in of_event
        ]
        return Deviation(
            event=event,
            last=self.last,
            matched=sum(self.positions),
            candidates=1,
            state=explainer.describe(self.state),
            differences=(),
            reasons=tuple(reasons),
            missing=tuple(missing),
            trace=explainer.trace(self.found.start, self.numbers),
            events=tuple(self.events),
            first=0,
        )
