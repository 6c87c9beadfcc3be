"""Render statistics of the decision of an LTL property as plain data for `--json`."""

from __future__ import annotations

from typing import Any

from strandline.checker.verdicts.ltl import LtlSearch
from strandline.checker.verdicts.statistics import LTL
from strandline.report.statistics import statistics_data
from strandline.source import Source
from strandline.traces.trace import Trace
from strandline.traces.trace_files import trace_data

_RENAMED = {"states": "product_states", "transitions": "product_transitions"}


def ltl_data(search: LtlSearch, trace: Trace | None, source: Source) -> dict[str, Any]:
    """Return the value of a property's field `search` in the JSON object."""
    counted = statistics_data(search.statistics, complete=search.complete, inside=LTL)
    return {
        "formula": search.formula,
        "method": search.method,
        "method_reason": search.method_reason,
        "automaton_states": search.automaton_states,
        "automaton_edges": search.automaton_edges,
        "fairness": list(search.fairness),
        "finite_runs": search.finite_runs,
        "complete": search.complete,
        "reason": search.reason,
        **{_RENAMED.get(key, key): value for key, value in counted.items()},
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
