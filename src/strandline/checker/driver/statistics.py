"""The statistics of a run, and the reason why its search may be incomplete."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from typing import Any

from strandline.checker.diagnosis.coverage import coverage_of
from strandline.checker.diagnosis.regress_edges import Regress, regress_of
from strandline.checker.driver.compilation import CompiledModel
from strandline.checker.driver.specification import SearchSpecification
from strandline.checker.limits.memory import memory_limit_message, peak_resident_bytes
from strandline.checker.options.search import Options
from strandline.checker.verdicts.statistics import Statistics
from strandline.compile.kernel import Kernel
from strandline.engine.search import Details, Searching
from strandline.engine.search import Statistics as Counted
from strandline.engine.store.omissions import Omissions

_NAMES = {one.name for one in fields(Statistics)}


def figures_of(
    specification: SearchSpecification,
    compiled: CompiledModel,
    search: Searching,
    seconds: float,
    engine_seconds: float,
    changed: Sequence[str],
) -> Statistics:
    """Return the statistics of a search so far.

    `seconds` is the time of the search, `engine_seconds` the time for loading its machine code, `changed` the fallbacks
    in words.
    """
    now, details, kernel = search.statistics(), search.details(), compiled.kernel
    known = {
        **_by_name(now, details, compiled),
        # Of a search that forgets states, counts of distinct ones are not known.
        "states": now.recorded if now.exact else None,
        "transitions": now.transitions if now.exact else None,
        "deadlocks": now.deadlocks if now.exact else None,
        "estimated_states": now.distinct if now.distinct and not now.exact else None,
        "sweeps": now.sweeps if specification.measure else 0,
        "rss_bytes": peak_resident_bytes(),
        "fallbacks": tuple(changed),
        "regress": _regress(specification, kernel, details),
        "coverage": None if _partial(kernel) else coverage_of(specification.system, kernel),
        "seconds": seconds,
        "compile_seconds": kernel.compile_seconds,
        "engine_seconds": engine_seconds,
    }
    return Statistics(**known)


def _by_name(now: Counted, details: Details, compiled: CompiledModel) -> dict[str, Any]:
    """Return the statistics that are counters or attributes of the same name in the search or the compiled model."""
    found = {name: value for name, value in now.counters.items() if name in _NAMES}
    for source in (now, details, compiled):
        found.update({one.name: getattr(source, one.name) for one in fields(source) if one.name in _NAMES})
    return found


def _partial(kernel: Kernel) -> bool:
    """Return True if the Kernel omits steps or merges states, so that coverage and regress edges make no sense."""
    return kernel.numbered or kernel.canonical is not None or kernel.lift_trace is not None


def _regress(specification: SearchSpecification, kernel: Kernel, details: Details) -> Regress | None:
    """Return the summary of the sampled regress edges; None if there are none."""
    if specification.measure is None or _partial(kernel):
        return None
    return regress_of(specification.system, kernel.reference, specification.measure, details.sampled_regress_edges)


def doubt(omissions: Omissions | None, options: Options) -> str | None:
    """Return the reason why a search that came to its end may have missed states; None if it cannot have."""
    if omissions is None:
        return None
    what = options.store_kind.title
    if omissions.expected < 1:
        return f"{what} is lossy: a state was omitted with a probability of at most {omissions.expected:.1g}"
    omitted = f"about {omissions.expected:,.0f} states were omitted, and what lies behind them"
    share = f"one new state in {1 / omissions.per_state:,.0f} was taken for known at the end"
    return f"{what} is lossy: {omitted}; {share}"


def memory_reason(specification: SearchSpecification) -> str:
    """Return the message for a search that ends because memory is full."""
    limit = specification.options.memory_limit
    if limit is None and specification.for_device:
        return "the memory of the device is used up"
    if limit is not None:
        return memory_limit_message(limit)
    return "nearly all free memory of the machine is used (the option 'memory' sets another limit)"
