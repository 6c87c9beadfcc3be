"""Render verdicts and explorations as plain data for `--json`."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import Any

from strandline.checker.options.search import Options
from strandline.checker.verdicts.verdict import Exploration, PropertyVerdict, Verdict
from strandline.report.ctl_data import ctl_data
from strandline.report.envelope import SEARCH_FIELDS, head
from strandline.report.ltl_data import ltl_data
from strandline.report.prediction import prediction_data
from strandline.report.statistics import statistics_data
from strandline.source import Source
from strandline.traces.stored import MOST_HELD
from strandline.traces.trace_files import trace_data


def result_data(result: Exploration | Verdict, exit_code: int) -> dict[str, Any]:
    """Return the JSON object of a finished check, exploration or simulation."""
    exploration = result.exploration if isinstance(result, Verdict) else result
    source = exploration.system.source
    properties = result.properties if isinstance(result, Verdict) else (result.fault,)
    walks = exploration.statistics.walks
    known = {
        **statistics_data(exploration.statistics, complete=exploration.complete),
        "order": exploration.options.order if walks is None else None,
        "measure": list(exploration.options.measure),
        "prediction": prediction_data(exploration),
        "por": exploration.options.por,
        "store": exploration.options.store,
        "componentwise": exploration.options.componentwise,
        "cache": _cache(exploration.options),
    }
    command = "simulate" if walks is not None else "check" if isinstance(result, Verdict) else "explore"
    return {
        **head(command, exit_code),
        "model": source.name,
        "parameters": dict(exploration.system.parameters),
        "verdict": result.answer.value,
        "complete": result.complete,
        "reason": result.reason,
        "notes": list(exploration.notes),
        **{name: known[name] for name in SEARCH_FIELDS},
        "properties": [_property(one, source) for one in properties if one is not None],
        "trace": None if result.trace is None else trace_data(result.trace, source),
        **({} if walks is None else {"walks": asdict(walks)}),
        "error": None,
    }


def without_traces(result: Exploration | Verdict, why: str) -> Exploration | Verdict:
    """Return the result without traces that are too long to be held; `why` is given as the reason."""

    def strip(one: PropertyVerdict) -> PropertyVerdict:
        if one.trace is None or len(one.trace) <= MOST_HELD:
            return one
        search = None if one.search is None else replace(one.search, components=(), atoms=())
        return replace(one, trace=None, reason=one.reason or why, search=search)

    if isinstance(result, Verdict):
        return replace(result, properties=tuple(map(strip, result.properties)))
    return result if result.fault is None else replace(result, fault=strip(result.fault))


def _cache(options: Options) -> dict[str, Any] | None:
    if options.order != "cache":
        return None
    return {"states": options.cache_states, "rule": options.cache_rule}


def _property(one: PropertyVerdict, source: Source) -> dict[str, Any]:
    return {
        "kind": one.kind.value,
        "name": one.name,
        "verdict": one.answer.value,
        "reason": one.reason,
        "trace": None if one.trace is None else trace_data(one.trace, source),
        "search": None if one.search is None else ltl_data(one.search, one.trace, source),
        "ctl": None if one.ctl is None else ctl_data(one.ctl, source),
    }
