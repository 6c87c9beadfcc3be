"""The data of a report page: a result as plain data, which `static/report.js` reads."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from strandline import __version__
from strandline.checker.properties.selection import Kind
from strandline.checker.verdicts.ctl import Evidence
from strandline.checker.verdicts.statistics import Statistics
from strandline.checker.verdicts.verdict import Exploration, PropertyVerdict, Verdict
from strandline.compile.interpret import Interpreter
from strandline.errors import InputError
from strandline.model.system import System
from strandline.report.ctl import ctl_search_rows, evidence_title
from strandline.report.html.basis import grounds
from strandline.report.html.runs import encode_tagged, run_data
from strandline.report.html.sequence import sequence_data
from strandline.report.html.sources import places_data, source_data
from strandline.report.ltl import search_rows, violation_title
from strandline.report.profile import profile_data
from strandline.report.style import Style
from strandline.report.text import remark, searched_states, statistics_rows, trace_title
from strandline.traces.following import actions_along
from strandline.traces.stored import MOST_HELD
from strandline.traces.trace import Trace

_ROOM = 1_300_000
"""Most characters of JSON for all traces of a page together."""
_MOST_TRACES = 50
_WORDS = {"HOLDS": "EXPLORED", "VIOLATED": "FAULT", "UNKNOWN": "INCOMPLETE"}
"""The words for the possible outcomes of an exploration."""


def page_data(result: Exploration | Verdict) -> dict[str, Any]:
    """Return the data of a report page as a JSON object."""
    system = result.system
    is_verdict = isinstance(result, Verdict)
    gathered = _PropertiesAndTraces(system)
    properties = [gathered.property(one, result) for one in _properties(result)]
    return {
        "version": __version__,
        "answer": result.answer.value if is_verdict else _WORDS[result.answer.value],
        "verdict": result.answer.value,
        "reason": result.reason,
        "properties": properties,
        "grounds": [one._asdict() for one in grounds(result)],
        "searches": list(_searches(result)),
        "traces": gathered.traces(),
        **model_data(system),
    }


def model_data(system: System) -> dict[str, Any]:
    """Return the data about a model that every page, report or explorer, needs."""
    return {
        "title": system.title,
        "source": source_data(system),
        "places": _places(system),
        "floors": _floors(system),
    }


def traces_of(result: Exploration | Verdict) -> list[Trace]:
    """Return the traces that a report page contains, in the order of their numbers."""
    gathered = _PropertiesAndTraces(result.system)
    for one in _properties(result):
        gathered.property(one, result)
    return [trace for _, trace in gathered.found[:_MOST_TRACES]]


def _properties(result: Exploration | Verdict) -> Sequence[PropertyVerdict]:
    if isinstance(result, Verdict):
        return result.properties
    return [] if result.fault is None else [result.fault]


def _places(system: System) -> dict[str, list[str]]:
    """Return the location names of each process: the page reads `P.waiting` as a test of the location of P."""
    return {process.location.name: list(process.locations) for process in system.processes}


def _floors(system: System) -> bool:
    """Return True if the model's language gives a remainder the sign of the divisor, as Python does.

    Otherwise it has the sign of the dividend, as in C.
    """
    try:
        return Interpreter(system).evaluate(system.scope.parse("(0 - 7) % 2"), system.initial[0]) == 1
    except InputError:
        return True


def _searches(result: Exploration | Verdict) -> Iterator[dict[str, Any]]:
    """Yield the data of every search, with its statistics and its profile."""
    exploration = result.exploration if isinstance(result, Verdict) else result
    if not isinstance(result, Verdict) or searched_states(result):
        rows = statistics_rows(exploration)
        yield _search("The search through states", rows, exploration.statistics, exploration.options.order)
    shared: list[Statistics] = []
    for one in result.properties if isinstance(result, Verdict) else ():
        if one.search is not None:
            order = "sweep" if one.search.statistics.sweeps else None
            yield _search(f"The search for '{one.name}'", search_rows(one.search), one.search.statistics, order)
        elif one.ctl is not None and one.ctl.statistics not in shared:
            shared.append(one.ctl.statistics)
            order = "sweep" if one.ctl.statistics.sweeps else None
            yield _search(f"The search for '{one.name}'", ctl_search_rows(one.ctl), one.ctl.statistics, order)


def _search(title: str, rows: Sequence[tuple[str, str]], now: Statistics, order: str | None) -> dict[str, Any]:
    return {
        "title": title,
        "rows": [list(row) for row in rows],
        "order": order,
        "profile": profile_data(now.profile),
        "states": now.states,
        "visited": now.visited,
        "peak_states": now.peak_states,
        "peak_bytes": now.peak_bytes,
        "sweeps": now.sweeps,
    }


@dataclass(slots=True)
class _PropertiesAndTraces:
    """Collects the data of properties, and the traces to which they refer, each trace once."""

    system: System
    found: list[tuple[str, Trace]] = field(default_factory=list)

    def property(self, one: PropertyVerdict, result: Exploration | Verdict) -> dict[str, Any]:
        exploration = result.exploration if isinstance(result, Verdict) else result
        search, ctl = one.search, one.ctl
        title = one.name
        if one.trace is not None:
            if search is not None:
                title = violation_title(one.name, one.trace, search)
            elif ctl is not None:
                title = evidence_title(one, one.trace)
            else:
                title = trace_title(one, exploration, Style())
        return {
            "kind": "" if one.kind in (Kind.DEADLOCK, Kind.FAULT) else one.kind.value,
            "name": one.name,
            "answer": one.answer.value,
            "remark": remark(one),
            "trace": self._number(title, one.trace),
            "atoms": [] if search is None else [_atom(atom) for atom in search.atoms],
            "evidence": None if ctl is None or ctl.evidence is None else self._evidence(ctl.evidence),
            "components": [] if search is None else [
                {"states": part.states, "trace": self._number(f"{one.name}, component {number}", part.trace)}
                for number, part in enumerate(search.components, 1)
            ],
        }  # fmt: skip

    def traces(self) -> list[dict[str, Any]]:
        """Return the data of the traces, which share the room of a page equally."""
        shown = self.found[:_MOST_TRACES]
        return [self._trace_object(title, trace, _ROOM // max(1, len(shown))) for title, trace in shown]

    def _trace_object(self, title: str, trace: Trace, room: int) -> dict[str, Any]:
        # Following a long trace through the model once more takes much memory.
        taken = actions_along(self.system, trace) if len(trace) <= MOST_HELD else None
        return {
            "title": title,
            **run_data(trace, room),
            "places": places_data(self.system, taken),
            "sequence": sequence_data(self.system, trace, taken),
        }

    def _number(self, title: str, trace: Trace | None) -> int | None:
        if trace is None:
            return None
        for number, (_, known) in enumerate(self.found):
            if known is trace:
                return number
        self.found.append((title, trace))
        return len(self.found) - 1 if len(self.found) <= _MOST_TRACES else None

    def _evidence(self, evidence: Evidence) -> dict[str, Any]:
        component = evidence.component
        return {
            "formula": evidence.formula,
            "holds": evidence.holds,
            "words": evidence.words,
            "trace": self._number(f"A run for '{evidence.formula}'", evidence.trace),
            "parts": [self._evidence(part) for part in evidence.parts],
            "component": None if component is None else {
                "states": component.states,
                "members": [{name: encode_tagged(value) for name, value in one.items()} for one in component.members],
            },
        }  # fmt: skip


def _atom(atom: Any) -> dict[str, Any]:
    return {
        "name": atom.name,
        "values": "".join("1" if value else "0" for value in atom.values),
        "decisive": [number for number, decides in enumerate(atom.decisive) if decides],
    }
