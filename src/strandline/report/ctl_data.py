"""How a formula of CTL was decided, as plain data for `--json`."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from strandline.checker.verdicts.ctl import ComponentShown, CtlSearch, Evidence, InitialStates
from strandline.report.profile import profile_data
from strandline.report.regress import regress_data
from strandline.source import Source
from strandline.traces.encoding import encode_value
from strandline.traces.trace_files import trace_data


def ctl_data(search: CtlSearch, source: Source) -> dict[str, Any]:
    """Return the field `ctl` of a formula."""
    now = search.statistics
    return {
        "formula": search.formula,
        "method": search.method,
        "why": search.why,
        "fairness": list(search.fairness),
        "finite_runs": search.finite_runs,
        "complete": search.complete,
        "reason": search.reason,
        "product": search.product,
        "states": now.states,
        "transitions": now.transitions,
        "visited": now.visited,
        "peak_states": now.peak_states,
        "peak_bytes": now.peak_bytes,
        "rss_bytes": now.rss_bytes,
        "sweeps": now.sweeps,
        "persistent": now.persistent,
        "regress_edges": now.regress_edges,
        "regress": regress_data(now.regress),
        "layers": now.layers,
        "profile": profile_data(now.profile),
        "seconds": round(now.seconds, 6),
        "compile_seconds": round(now.compile_seconds, 6),
        "records": search.records,
        "disk_bytes": search.disk_bytes,
        "blocks_read": search.blocks_read,
        "labelling_seconds": round(search.labelling_seconds, 6),
        "evidence": None if search.evidence is None else _evidence(search.evidence, source),
        "without_evidence": search.without_evidence,
        "initial_states": _initial(search.initial),
        "abstraction": None if search.abstraction is None else asdict(search.abstraction),
        "warnings": list(search.warnings),
    }


def _initial(initial: InitialStates | None) -> dict[str, Any] | None:
    if initial is None:
        return None
    return {"answer": initial.word, "satisfying": initial.satisfying, "all": initial.all}


def _component(component: ComponentShown) -> dict[str, Any]:
    members = [{name: encode_value(value) for name, value in one.items()} for one in component.members]
    return {"states": component.states, "members": members}


def _evidence(evidence: Evidence, source: Source) -> dict[str, Any]:
    return {
        "formula": evidence.formula,
        "holds": evidence.holds,
        "words": evidence.words,
        "trace": None if evidence.trace is None else trace_data(evidence.trace, source),
        "parts": [_evidence(part, source) for part in evidence.parts],
        "component": None if evidence.component is None else _component(evidence.component),
    }
