"""Render statistics of the decision of a CTL formula as plain data for `--json`."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from strandline.checker.verdicts.ctl import ComponentShown, CtlSearch, Evidence, InitialStates
from strandline.checker.verdicts.statistics import CTL
from strandline.report.statistics import statistics_data
from strandline.source import Source
from strandline.traces.encoding import encode_value
from strandline.traces.trace_files import trace_data


def ctl_data(search: CtlSearch, source: Source) -> dict[str, Any]:
    """Return the value of a formula's field `ctl` in the JSON object."""
    return {
        "formula": search.formula,
        "method": search.method,
        "method_reason": search.method_reason,
        "fairness": list(search.fairness),
        "finite_runs": search.finite_runs,
        "complete": search.complete,
        "reason": search.reason,
        "product": search.product,
        **statistics_data(search.statistics, complete=search.complete, inside=CTL),
        "records": search.records,
        "disk_bytes": search.disk_bytes,
        "blocks_read": search.blocks_read,
        "labelling_seconds": round(search.labelling_seconds, 6),
        "evidence": None if search.evidence is None else _evidence(search.evidence, source),
        "no_evidence_reason": search.no_evidence_reason,
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
