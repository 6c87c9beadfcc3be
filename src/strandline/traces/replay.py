"""Replay: execute again by the Kernel's reference what the search claims; it is shown only if it is true.

The reference defines the semantics; the search ran machine code. Any disagreement (a step that does not exist, a fault
on the way, a last state without the claimed label) is a `ReplayError`: our bug or a damaged log, never a verdict.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol, runtime_checkable

from strandline.compile.interpret import Fault
from strandline.compile.kernel import Edge, FaultSite, Reference
from strandline.errors import ReplayError
from strandline.traces.stored import MOST_HELD, StoredStates, StoredSteps
from strandline.traces.trace import Step, Trace, TraceFault, changes

State = tuple[int, ...]


@runtime_checkable
class MakesSingleEdges(Protocol):
    """A reference that can compute a single edge of a state."""

    def edge(self, state: State, number: int, /) -> Edge | None:
        """Return the step with a number; None if there is none."""


@dataclass(frozen=True, slots=True)
class Replayed:
    """A trace and the packed states along it."""

    trace: Trace
    states: Sequence[State]


def replay(
    reference: Reference,
    initial: int,
    steps: Sequence[int],
    *,
    labels: int = 0,
    fault: FaultSite | None = None,
    check_limits: Callable[[], None] = lambda: None,
) -> Replayed:
    """Execute `steps` from initial state number `initial`.

    The last state must carry all `labels` (bits of the reference's mask); with `fault` a step or a predicate of it must
    have that fault. Raises `ReplayError` otherwise. A long trace holds packed states, and its steps are computed on
    demand; after every `MOST_HELD` steps `check_limits` is called, which may raise `ResourceError`.
    """
    state = _initial_state(reference, initial)
    states = StoredStates(state)
    start = reference.describe(state)
    shown: Sequence[Step] = ()
    if len(steps) <= MOST_HELD:
        shown, state = _held_steps(reference, states, start, steps)
    else:
        for number, step in enumerate(steps, 1):
            _, state = _follow(reference, state, step, number)
            states.append(state)
            if number % MOST_HELD == 0:
                check_limits()
        shown = StoredSteps(reference, states, steps)
    end = None
    if fault is not None:
        end = _check_fault(reference, state, fault)
    elif labels:
        _check_labels(reference, state, labels)
    return Replayed(Trace(start, shown, end), states)


def _held_steps(
    reference: Reference, states: StoredStates, before: dict[str, Any], steps: Sequence[int]
) -> tuple[tuple[Step, ...], State]:
    """Execute steps and return them as objects, with the last state; also record the states."""
    state, shown = states[0], list[Step]()
    for number, step in enumerate(steps, 1):
        action, state = _follow(reference, state, step, number)
        after = reference.describe(state)
        shown.append(Step(action, tuple(changes(before, after)), after))
        states.append(state)
        before = after
    return tuple(shown), state


def replay_to_fault(
    reference: Reference, initial: int, steps: Sequence[int], kind: str, check_limits: Callable[[], None] = lambda: None
) -> Replayed:
    """Execute steps to a state that has a fault.

    Under symmetry reduction the search may find another fault of the same kind first.
    """
    replayed = replay(reference, initial, steps, check_limits=check_limits)
    trace = with_fault(reference, replayed.trace, replayed.states[-1])
    if trace is None or trace.fault is None:
        raise ReplayError(f"the search found the fault '{kind}', the replay found none")
    return Replayed(trace, replayed.states)


def _initial_state(reference: Reference, number: int) -> State:
    states = reference.initial()
    if not 0 <= number < len(states):
        raise ReplayError(f"the trace begins in initial state {number}, but there are only {len(states)}")
    return states[number]


def _follow(reference: Reference, state: State, step: int, number: int) -> tuple[str, State]:
    edge = _edge(reference, state, step)
    if edge is None:
        count = len(reference.edges(state))
        raise ReplayError(f"step {number} of the trace is edge {step}, but the state has only {count}")
    if edge.target is None:
        kind = edge.fault.kind if edge.fault else "no target"
        raise ReplayError(f"step {number} of the trace, '{edge.action}', faults: {kind}")
    return edge.action, edge.target


def _edge(reference: Reference, state: State, step: int) -> Edge | None:
    """Return one step of a state; None if there is no step of this number.

    A reference that can compute a single step is not asked for all of them.
    """
    if isinstance(reference, MakesSingleEdges):
        return reference.edge(state, step)
    return next(iter(reference.edges(state)[step : step + 1]), None)


def _check_labels(reference: Reference, state: State, claimed: int) -> None:
    try:
        missing = claimed & ~reference.labels(state)
    except Fault as fault:
        raise ReplayError(f"the labels of the trace's last state cannot be evaluated: {fault.kind}") from None
    if missing:
        bits = ", ".join(str(bit) for bit in range(64) if missing >> bit & 1)
        raise ReplayError(f"the trace's last state does not have the label that was claimed (bit {bits})")


def _check_fault(reference: Reference, state: State, claimed: FaultSite) -> TraceFault:
    site, action = _fault_at(reference, state)
    if site != claimed:
        met = "no fault" if site is None else f"'{site.kind}' at {site.span}"
        raise ReplayError(f"the search found '{claimed.kind}' at {claimed.span}, the replay found {met}")
    return TraceFault(claimed.kind, claimed.span, action, site.detail)


def with_fault(reference: Reference, trace: Trace, state: State) -> Trace | None:
    """Return a trace to the state that ends in its first fault; None if it has none."""
    site, action = _fault_at(reference, state)
    return None if site is None else replace(trace, fault=TraceFault(site.kind, site.span, action, site.detail))


def _fault_at(reference: Reference, state: State) -> tuple[FaultSite | None, str | None]:
    """Return the first fault in the order of the Kernel: predicates, then steps."""
    try:
        reference.labels(state)
    except Fault as fault:
        return FaultSite(fault.kind, fault.span), None
    edges = reference.edges(state)
    if edges and edges[-1].fault is not None:
        return edges[-1].fault, edges[-1].action
    return None, None
