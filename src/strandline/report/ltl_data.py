"""How an LTL property was decided, as plain data for `--json`."""

from __future__ import annotations

from typing import Any

from strandline.checker.verdicts.ltl import LtlSearch
from strandline.report.coverage import coverage_data
from strandline.report.profile import profile_data
from strandline.report.regress import regress_data
from strandline.source import Source
from strandline.traces.trace import Trace
from strandline.traces.trace_files import trace_data


def ltl_data(search: LtlSearch, trace: Trace | None, source: Source) -> dict[str, Any]:
    """Return the field `search` of an LTL property."""
    now = search.statistics
    return {
        "formula": search.formula,
        "method": search.method,
        "why": search.why,
        "automaton_states": search.automaton_states,
        "automaton_edges": search.automaton_edges,
        "fairness": list(search.fairness),
        "finite_runs": search.finite_runs,
        "complete": search.complete,
        "reason": search.reason,
        "product_states": now.states,
        "product_transitions": now.transitions,
        "visited": now.visited,
        "peak_states": now.peak_states,
        "peak_bytes": now.peak_bytes,
        "sweeps": now.sweeps,
        "persistent": now.persistent,
        "regress_edges": now.regress_edges,
        "regress": regress_data(now.regress),
        "layers": now.layers,
        "profile": profile_data(now.profile),
        "coverage": coverage_data(now.coverage, complete=search.complete),
        "seconds": round(now.seconds, 6),
        "compile_seconds": round(now.compile_seconds, 6),
        "cycle_kind": search.cycle_kind,
        "minimised": search.minimised,
        "lasso": None if trace is None or trace.loop is None else _lasso(trace, ended=search.ended),
        "atoms": [
            {"name": one.name, "values": list(one.values), "decisive": list(one.decisive)} for one in search.atoms
        ],
        "components": [
            {"states": one.states, "trace": None if one.trace is None else trace_data(one.trace, source)}
            for one in search.components
        ],
        "warnings": list(search.warnings),
    }


def _lasso(trace: Trace, *, ended: bool) -> dict[str, Any]:
    start = trace.loop or 0
    return {"loop_start": start, "stem_length": start, "loop_length": len(trace) - start, "ended": ended}
