"""Match a trace from a file with a model: its initial state, and the step between neighbouring states.

The file may leave variables out, as traces of other tools do: then all paths that match are followed at once. It may
name the actions: then only steps of that name count. A misfit is an `InputError` that names the first state which
cannot be reached, and the alternatives.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from strandline.compile.interpret import Fault
from strandline.compile.kernel import Edge, FaultSite, Reference
from strandline.errors import InputError, InternalError
from strandline.model.values import Difference, show
from strandline.source import Source
from strandline.traces.candidates import Candidates
from strandline.traces.encoding import agrees, part
from strandline.traces.replay import Replayed, State, replay

_MOST = 8
"""Most names that a message lists."""


class MisfitError(InputError):
    """Raised if a trace is not one of the model; `place` is the number of the first state that does not fit."""

    def __init__(self, file: str, place: int, message: str) -> None:
        self.place = place
        super().__init__(message, Source(file, ""))


@dataclass(frozen=True, slots=True)
class RecordedFault:
    """The fault at which a recorded trace ends."""

    kind: str
    action: str | None


@dataclass(frozen=True, slots=True)
class RecordedTrace:
    """A trace as read from a file; nothing of it has been checked."""

    file: str
    format: str
    states: tuple[Mapping[str, Any], ...]
    """Names to values, as JSON has them; names may be missing, and may denote parts, as in `votes[1].says`."""
    actions: tuple[str | None, ...]
    """The action from each state to the next; None if the file does not name it."""
    loop: int | None = None
    fault: RecordedFault | None = None


@dataclass(frozen=True, slots=True)
class Fitted:
    """A recorded trace of the model: the numbers by which it is replayed, and the replay."""

    initial: int
    steps: tuple[int, ...]
    replayed: Replayed
    fault: FaultSite | None = None


def fit(reference: Reference, recorded: RecordedTrace) -> Fitted:
    """Find the path of the model that a file describes. Raises `MisfitError` if there is none."""
    candidates = _begin(reference, recorded)
    for number, action in enumerate(recorded.actions, 1):
        _advance(reference, recorded, number, action, candidates)
    final = candidates.states[0]
    path = candidates.path()
    if path is None:
        raise InternalError("a trace that fits has a path")
    initial, steps = path
    site = _fault_site(reference, recorded, final)
    replayed = replay(reference, initial, steps, fault=site)
    if recorded.loop is not None:
        steps += _closing_steps(reference, recorded, recorded.loop, replayed.states)
        replayed = replay(reference, initial, steps, fault=site)
        replayed = replace(replayed, trace=replace(replayed.trace, loop=recorded.loop))
    return Fitted(initial, tuple(steps), replayed, site)


def _begin(reference: Reference, recorded: RecordedTrace) -> Candidates:
    wanted = recorded.states[0]
    states = reference.initial()
    described = [reference.describe(state) for state in states]
    for place, recorded_value in enumerate(recorded.states):
        unknown = [name for name in recorded_value if not part(described[0], name)[0]]
        if unknown:
            raise MisfitError(recorded.file, place, _unknown_name(place, unknown, described[0]))
    candidates = Candidates(reference, lambda values: _agrees(values, wanted))
    if not candidates.states:
        nearest = min(described, key=lambda values: len(_differences(values, wanted)))
        among = "" if len(states) == 1 else f" (the nearest of {len(states)})"
        differences = _render_differences(_differences(nearest, wanted))
        message = f"the first state is not an initial state of the model: {differences}"
        raise MisfitError(recorded.file, 0, message + among)
    return candidates


def _advance(
    reference: Reference, recorded: RecordedTrace, number: int, action: str | None, candidates: Candidates
) -> None:
    wanted, before = recorded.states[number], candidates.states
    candidates.advance(action, lambda values: _agrees(values, wanted))
    if not candidates.states:
        edges = [edge for state in before for edge in reference.edges(state)]
        message = _misfit(reference, edges, wanted, action)
        raise MisfitError(recorded.file, number, f"step {number} does not fit: {message}")


def _fault_site(reference: Reference, recorded: RecordedTrace, state: State) -> FaultSite | None:
    """Return the fault that the file claims, as the model's fault site."""
    claimed = recorded.fault
    if claimed is None:
        return None
    met: tuple[FaultSite, str | None] | None
    try:
        reference.labels(state)
        last = reference.edges(state)[-1:]
        met = None if not last or last[0].fault is None else (last[0].fault, last[0].action)
    except Fault as fault:
        met = FaultSite(fault.kind, fault.span), None
    if met is None or (met[0].kind, met[1]) != (claimed.kind, claimed.action):
        said = "nothing faults there" if met is None else f"the model has '{met[0].kind}'"
        raise MisfitError(
            recorded.file,
            len(recorded.actions) + 1,
            f"the fault at the end, '{claimed.kind}', does not fit: {said}",
        )
    return met[0]


def _closing_steps(reference: Reference, recorded: RecordedTrace, loop: int, states: Sequence[State]) -> list[int]:
    """Return the step that closes the loop.

    None is needed if the file repeats the first state of the loop at its end, or if the run stays in a deadlock.
    """
    last, start = states[-1], states[loop]
    edges = reference.edges(last)
    if loop < len(states) - 1 and last == start:
        return []
    for number, edge in enumerate(edges):
        if edge.target == start:
            return [number]
    if last == start and not edges:
        return []
    raise MisfitError(
        recorded.file,
        len(states),
        f"the loop does not close: the last state is not state {loop}, and no step leads to it"
        if last != start
        else "the loop does not close: the last state cannot stay as it is, because other steps are possible",
    )


# Messages


def _misfit(reference: Reference, edges: Sequence[Edge], wanted: Mapping[str, Any], action: str | None) -> str:
    possible = [edge for edge in edges if edge.target is not None]
    named = [edge for edge in edges if edge.action == action]
    if action is not None and not named:
        makers = [edge.action for edge in possible if _agrees(_values(reference, edge), wanted)]
        if makers:
            return f"'{action}' is not enabled; the state is made by {_render_names(makers)}"
        enabled = [edge.action for edge in edges]
        return f"'{action}' is not enabled; " + (f"enabled are {_render_names(enabled)}" if enabled else "nothing is")
    faulting = next((edge for edge in named if edge.fault is not None), None)
    if faulting is not None and faulting.fault is not None:
        return f"'{action}' faults: {faulting.fault.kind}"
    candidates = possible if action is None else named
    if not candidates:
        return "no step is enabled there"
    nearest = min(candidates, key=lambda edge: len(_differences(_values(reference, edge), wanted)))
    recorded_value = _render_differences(_differences(_values(reference, nearest), wanted))
    if action is None:
        return f"no step makes this state; the nearest is '{nearest.action}', where {recorded_value}"
    return f"'{action}' leads to another state: {recorded_value}"


def _values(reference: Reference, edge: Edge) -> dict[str, Any]:
    return {} if edge.target is None else reference.describe(edge.target)


def _agrees(values: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
    return all(agrees(part(values, name)[1], value) for name, value in wanted.items())


def _differences(values: Mapping[str, Any], wanted: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    found = []
    for name, value in wanted.items():
        there = part(values, name)[1]
        if not agrees(there, value):
            found += [(name + path, show(old), show(new)) for path, old, new in _differing_parts(there, value)]
    return found


def _differing_parts(value: Any, recorded_value: Any) -> Iterator[Difference]:
    """Yield the differences between a value and that of a file, by elements of arrays."""
    if type(value) is tuple and isinstance(recorded_value, list | tuple) and len(recorded_value) == len(value):
        for index, (one, other) in enumerate(zip(value, recorded_value, strict=True)):
            if not agrees(one, other):
                yield from (Difference(f"[{index}]{path}", old, new) for path, old, new in _differing_parts(one, other))
    else:
        yield Difference("", value, tuple(recorded_value) if isinstance(recorded_value, list) else recorded_value)


def _render_differences(differences: Sequence[tuple[str, str, str]]) -> str:
    shown = [f"{name} is {found}, in the file {wanted}" for name, found, wanted in differences[:_MOST]]
    return "; ".join(shown) + ("; ..." if len(differences) > _MOST else "")


def _render_names(names: Sequence[str]) -> str:
    distinct = list(dict.fromkeys(names))
    return ", ".join(f"'{name}'" for name in distinct[:_MOST]) + (", ..." if len(distinct) > _MOST else "")


def _unknown_name(place: int, names: Sequence[str], known: Mapping[str, Any]) -> str:
    has = _render_names(list(known))
    return f"state {place} speaks of {_render_names(names)}, which the model does not have (it has {has})"
