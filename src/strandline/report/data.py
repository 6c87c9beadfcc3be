"""Verdicts and explorations as plain data for `--json`."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import Any

from strandline.checker.options.search import Options
from strandline.checker.verdicts.verdict import Exploration, PropertyVerdict, Statistics, Verdict
from strandline.report.coverage import coverage_data
from strandline.report.ctl_data import ctl_data
from strandline.report.envelope import FIGURES, head
from strandline.report.ltl_data import ltl_data
from strandline.report.prediction import prediction_data
from strandline.report.profile import profile_data
from strandline.report.regress import regress_data
from strandline.source import Source
from strandline.traces.stored import MOST_HELD
from strandline.traces.trace_files import trace_data

_MOST_LEVELS = 10_000
"""A breadth-first search with more levels than this lists none of them."""


def result_data(result: Exploration | Verdict, exit_code: int) -> dict[str, Any]:
    """Return the JSON object of a finished search."""
    exploration = result.exploration if isinstance(result, Verdict) else result
    source = exploration.system.source
    properties = result.properties if isinstance(result, Verdict) else (result.fault,)
    walks = exploration.statistics.walks
    command = "simulate" if walks is not None else "check" if isinstance(result, Verdict) else "explore"
    return {
        **head(command, exit_code),
        "model": source.name,
        "parameters": dict(exploration.system.parameters),
        "verdict": result.answer.value,
        "complete": result.complete,
        "reason": result.reason,
        "notes": list(exploration.notes),
        **_figures(exploration.statistics),
        "coverage": coverage_data(exploration.statistics.coverage, complete=exploration.complete),
        "order": exploration.options.order if walks is None else None,
        "measure": list(exploration.options.measure),
        "prediction": prediction_data(exploration),
        "por": exploration.options.por,
        "symmetry": [list(names.split(", ")) for names in exploration.statistics.exchanged],
        "held_by": [held.split(", ") if held else [] for held in exploration.statistics.held_by],
        "told_apart": list(exploration.statistics.told_apart),
        "merged": list(exploration.statistics.passed_over),
        "store": exploration.options.store,
        "changed": list(exploration.statistics.changed),
        "componentwise": exploration.options.componentwise,
        "cache": _cache(exploration.options),
        "threads": exploration.statistics.threads,
        "device": _device(exploration.statistics),
        "sets": _sets(exploration.statistics),
        "properties": [_property(one, source) for one in properties if one is not None],
        "trace": None if result.trace is None else trace_data(result.trace, source),
        **({} if walks is None else {"walks": asdict(walks)}),
        "error": None,
    }


def without_traces(result: Exploration | Verdict, why: str) -> Exploration | Verdict:
    """Return the result without its long traces, with `why` as the reason."""

    def stripped(one: PropertyVerdict) -> PropertyVerdict:
        if one.trace is None or len(one.trace) <= MOST_HELD:
            return one
        search = None if one.search is None else replace(one.search, components=(), atoms=())
        return replace(one, trace=None, reason=one.reason or why, search=search)

    if isinstance(result, Verdict):
        return replace(result, properties=tuple(map(stripped, result.properties)))
    return result if result.fault is None else replace(result, fault=stripped(result.fault))


def _cache(options: Options) -> dict[str, Any] | None:
    if options.order != "cache":
        return None
    return {"states": options.cache_states, "rule": options.cache_rule}


def _device(statistics: Statistics) -> dict[str, Any] | None:
    """Return the statistics of a GPU search, with states a second."""
    if statistics.device is None:
        return None
    rate = statistics.visited / statistics.seconds if statistics.seconds else None
    return {**asdict(statistics.device), "rate": None if rate is None else round(rate)}


def _sets(statistics: Statistics) -> dict[str, Any] | None:
    """Return the statistics of a symbolic search: BDD nodes, and the cone of influence."""
    if not statistics.nodes:
        return None
    return {"nodes": statistics.nodes, "cone": None if statistics.cone is None else list(statistics.cone)}


def _figures(statistics: Statistics) -> dict[str, Any]:
    levels = list(statistics.levels)
    figures = {name: getattr(statistics, name, None) for name in FIGURES}
    figures["depth"] = len(levels) - 1 if levels else None
    figures["levels"] = levels if 0 < len(levels) <= _MOST_LEVELS else None
    figures["profile"] = profile_data(statistics.profile)
    figures["regress"] = regress_data(statistics.regress)
    for name, value in figures.items():
        if isinstance(value, float):
            figures[name] = round(value, 6)
    return figures


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
