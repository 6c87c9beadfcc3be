"""Attribute a run-time fault to the model (a violation) or to an expression of the user (an error)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from strandline.analysis.dependencies import expressions
from strandline.checker.properties.selection import Kind, Property
from strandline.checker.verdicts.verdict import Answer, PropertyVerdict
from strandline.compile.kernel import FaultSite, Reference
from strandline.errors import InputError, InternalError, MeasureError, ReplayError
from strandline.model.expression import INDEX_FAULT, Element, Expression, Read, walk
from strandline.model.measure import Measure
from strandline.model.system import System
from strandline.model.values import show
from strandline.source import Span
from strandline.traces.replay import Replayed
from strandline.traces.trace import Trace, TraceFault


def fault_verdict(
    system: System, trace: Trace, properties: Sequence[Property], measure: Measure | None, *, led: bool = True
) -> PropertyVerdict:
    """Return the verdict for a run-time fault of the model, the last event of `trace`.

    Raises `InputError` if the fault is not the model's, but that of a property or of the measure. `led` is True if the
    trace begins in an initial state, so that messages may give its length.
    """
    fault = trace.fault
    if fault is None:
        raise InternalError("a fault was reported, but its trace has none")
    component = measure.owner(fault.span) if measure is not None else None
    if component is not None:
        raise component.blame(f"{fault.kind}, after {_steps(len(trace) + 1)}", fault.span)
    for one in properties:
        if one.expression is not None and _is_at_fault(system, one, fault.span):
            values = _values_read(one.expression, trace.final, arrays=fault.kind == INDEX_FAULT)
            where = f" in a state where {values}" if values else ""
            after = f", after {_steps(len(trace))}" if led else "" if where else " in a reachable state"
            message = f"{fault.kind}{where}{after}"
            if one.source is None:
                raise InputError(f"{one.kind.value} '{one.name}': {message}", system.source, fault.span)
            raise InputError(message, one.source, fault.span)
    return PropertyVerdict(Kind.FAULT, "no run-time fault", Answer.VIOLATED, describe_fault(system, fault), trace)


def fault_without_trace(
    system: System, site: FaultSite, properties: Sequence[Property], measure: Measure | None, why: str
) -> PropertyVerdict:
    """Return the verdict for a fault whose trace is left out, for the reason `why`; raises as `fault_verdict`."""
    component = measure.owner(site.span) if measure is not None else None
    if component is not None:
        raise component.blame(f"{site.kind}; {why}", site.span)
    for one in properties:
        if one.expression is not None and _is_at_fault(system, one, site.span):
            place = system.source if one.source is None else one.source
            raise InputError(f"{one.kind.value} '{one.name}': {site.kind}; {why}", place, site.span)
    fault = TraceFault(site.kind, site.span, None)
    reason = f"{describe_fault(system, fault)}; {why}"
    return PropertyVerdict(Kind.FAULT, "no run-time fault", Answer.VIOLATED, reason)


def describe_fault(system: System, fault: TraceFault) -> str:
    """Describe a fault: `array index out of range at file:line:column`."""
    return fault.kind if fault.span is None else f"{fault.kind} at {system.source.where(fault.span)}"


def measure_fault_at_start(measure: Measure, kind: str, span: Span | None) -> InputError:
    """Return the error for a measure that has no value in an initial state."""
    component = measure.owner(span) or measure.components[0]
    return component.blame(f"{kind}, in an initial state", span)


def decreasing_column(reference: Reference, replayed: Replayed, measure: Measure) -> MeasureError:
    """Return the error for a measure, declared monotone, that decreases along the last step of the replayed trace."""
    before, after = (reference.progress(state)[0] for state in replayed.states[-2:])
    step, count = replayed.trace.steps[-1], len(replayed.trace)
    if after >= before:
        raise ReplayError(f"the search saw the column decrease in step {count}, the replay did not")
    changes = ", ".join(str(one).replace("→", "->") for one in step.changes)
    component = next(one for one in measure.components if one.monotone)
    return component.blame(
        f"not monotone: step {count}, '{step.action}', takes it from {before} to {after} ({changes})"
    )


def _holds(expression: Expression, span: Span | None) -> bool:
    """Return True if the expression contains a node whose span is this very object."""
    return span is not None and any(getattr(node, "span", None) is span for node in walk(expression))


def _is_at_fault(system: System, one: Property, span: Span | None) -> bool:
    """Return True if the fault at `span` is in the property's own expression, not in an action's.

    A claim about an enabled action contains the action's guard, whose faults are the model's.
    """
    if one.expression is None or not _holds(one.expression, span):
        return False
    return not any(_holds(part, span) for action in system.actions for part in expressions(action))


def _values_read(expression: Expression, state: dict[str, Any], *, arrays: bool) -> str:
    """Render the scalar variables that an expression reads: `i = 7, n = 2`; with `arrays`, also array lengths."""
    names = dict.fromkeys(
        node.variable.name for node in walk(expression) if isinstance(node, Read) and node.variable.name in state
    )
    indexed = dict.fromkeys(node.variable for node in walk(expression) if isinstance(node, Element) and arrays)
    parts = [f"{name} = {show(state[name])}" for name in names]
    parts += [f"{array.name} has {array.slots} elements" for array in indexed]
    return ", ".join(parts)


def _steps(count: int) -> str:
    return "1 step" if count == 1 else f"{count} steps"
