"""The statistics of a run, and the reason why it may not have seen everything."""

from __future__ import annotations

from collections.abc import Sequence

from strandline.checker.diagnosis.coverage import coverage_of
from strandline.checker.diagnosis.regress_edges import Regress, regress_of
from strandline.checker.driver.compilation import CompiledModel
from strandline.checker.driver.specification import SearchSpecification
from strandline.checker.limits.memory import limit_reached, peak_resident_bytes
from strandline.checker.options.search import COMPACT, Options
from strandline.checker.verdicts.verdict import Statistics
from strandline.compile.kernel import Kernel
from strandline.engine.search import Omissions, Searching


def figures_of(
    specification: SearchSpecification,
    compiled: CompiledModel,
    search: Searching,
    seconds: float,
    engine_seconds: float,
    changed: Sequence[str],
) -> Statistics:
    """Return what a search has done so far, in so many seconds, not counting those for its machine code."""
    now, kernel = search.statistics(), compiled.kernel
    return Statistics(
        states=now.recorded if now.exact else None,
        transitions=now.transitions if now.exact else None,
        deadlocks=now.deadlocks if now.exact else None,
        about=now.distinct if now.distinct and not now.exact else None,
        visited=now.visited,
        peak_states=now.peak_states,
        peak_bytes=now.peak_bytes,
        rss_bytes=peak_resident_bytes(),
        sweeps=now.sweeps if specification.measure else 0,
        persistent=now.persistent,
        regress_edges=now.regress_edges,
        layers=now.layers,
        replaced=search.replaced,
        changed=tuple(changed),
        spilled_bytes=search.spilled_bytes,
        levels=tuple(search.level_sizes),
        profile=search.profile(),
        regress=_regress(specification, kernel, search),
        threads=now.threads,
        device=search.device_figures,
        coverage=None if _partial(kernel) else coverage_of(specification.system, kernel),
        exchanged=compiled.exchanged,
        held_by=compiled.held_by,
        told_apart=compiled.told_apart,
        passed_over=compiled.passed_over,
        seconds=seconds,
        compile_seconds=kernel.compile_seconds,
        engine_seconds=engine_seconds,
    )


def _partial(kernel: Kernel) -> bool:
    """Return True if the Kernel leaves steps out or identifies states, so that some statistics make no sense."""
    return kernel.numbered or kernel.canonical is not None or kernel.lift_trace is not None


def _regress(specification: SearchSpecification, kernel: Kernel, search: Searching) -> Regress | None:
    """Return which steps regress, if the search has sampled some."""
    if specification.measure is None or _partial(kernel):
        return None
    return regress_of(specification.system, kernel.reference, specification.measure, search.sampled_regress_edges)


def doubt(omissions: Omissions | None, options: Options) -> str | None:
    """Return why a search that came to its end may not have seen everything; None if it has."""
    if omissions is None:
        return None
    what = "hash compaction" if options.store == COMPACT else "bitstate hashing"
    if omissions.expected < 1:
        return f"{what} is lossy: a state was omitted with a probability of at most {omissions.expected:.1g}"
    omitted = f"about {omissions.expected:,.0f} states were omitted, and what lies behind them"
    share = f"one new state in {1 / omissions.per_state:,.0f} was taken for known at the end"
    return f"{what} is lossy: {omitted}; {share}"


def memory_reason(specification: SearchSpecification) -> str:
    """Return the reason for a search that ends because memory is full."""
    limit = specification.options.memory_limit
    if limit is None and specification.for_device:
        return "the memory of the device is used up"
    if limit is not None:
        return limit_reached(limit)
    return "nearly all free memory of the machine is used (the option 'memory' sets another limit)"
