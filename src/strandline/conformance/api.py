"""The implementation of `strandline.conform`."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeAlias, cast

from strandline.checker.api import Source, system_of
from strandline.compile.interpret import Valuation
from strandline.conformance.compiled import CompiledStream
from strandline.conformance.coverage import coverage_of
from strandline.conformance.definition import Definition
from strandline.conformance.linear import LinearRun, PatternReader, deadline, feed_all
from strandline.conformance.logs import read_batches
from strandline.conformance.maps import LogMap, read_map
from strandline.conformance.nodes import conform_nodes
from strandline.conformance.patterns import PatternMaker
from strandline.conformance.questions import Questionnaire
from strandline.conformance.verdict import Conformance, Conforms, Deviation
from strandline.errors import InputError, ResourceError, UsageError
from strandline.model.system import Capability, System

Log: TypeAlias = "str | Path | Iterable[Mapping[str, Any]]"
Map: TypeAlias = "LogMap | Mapping[str, Any] | str | Path | None"


def conform(
    model: Source,
    events: Log | Sequence[str | Path],
    *,
    map: Map = None,
    follow: bool = False,
    max_seconds: float | None = None,
) -> Conformance:
    """Decide whether a log is a behaviour of a model.

    `events` is a file of JSON lines or in ITF, an iterable of dictionaries, or several files. `map` says how events are
    read: a TOML or Python file, or a dictionary (see docs/conform.md). Several files are several runs, unless the map
    orders events by nodes: then they are the logs of the nodes of one run. With `follow`, further lines of the file are
    awaited, until one deviates or the time is over. The result is true if the log conforms:

        assert strandline.conform("lease.py", "run.log", map="lease.toml")

    Raises `InputError` for a log without events, an event that the map does not explain, and a mistake in the map.
    """
    started = time.perf_counter()
    system = system_of(model)
    if Capability.ACTIONS not in system.capabilities:
        raise UsageError("a log is compared with actions, which a model of callables does not have")
    if system.has_paths or system.has_idle:
        raise UsageError(
            "a log is compared with single actions: steps of this model are paths of several, or possible only where "
            "nothing else is"
        )
    log_map = read_map(map)
    logs = _logs(events)
    if follow and (len(logs) != 1 or log_map.order != "log" or not isinstance(logs[0], str | Path)):
        raise UsageError("one file in one order can be followed, not several or a value")
    return _Conforming(system.alone, log_map, started, max_seconds).decide(logs, follow=follow)


def _logs(events: Any) -> list[Log]:
    if isinstance(events, str | Path):
        return [events]
    if isinstance(events, Sequence) and events and all(isinstance(one, str | Path) for one in events):
        return list(events)
    if not isinstance(events, Iterable) or isinstance(events, Mapping):
        raise UsageError(f"events are a file or an iterable of dictionaries, not {type(events).__name__}")
    return [cast(Log, events)]


class _Conforming:
    """One call: the parts that all logs share."""

    def __init__(self, system: System, log_map: LogMap, started: float, max_seconds: float | None) -> None:
        self.system, self.map, self.started = system, log_map, started
        self.max_seconds = max_seconds
        self.questionnaire = Questionnaire(system)
        self.maker = PatternMaker(self.questionnaire, log_map)
        self.maker.check_rules()
        self.unlogged = self.maker.unlogged()
        self.definition = Definition(self.questionnaire, self.unlogged, log_map.at_most)
        self.reader = PatternReader(self.maker, log_map)
        self._stream = None if system.synchronous else CompiledStream(self.definition, self.unlogged, log_map.at_most)
        self._slow: set[int] = set()

    def decide(self, logs: Sequence[Log], *, follow: bool) -> Conformance:
        if self.map.order != "log":
            result = conform_nodes(
                self.definition, self.reader, self.map, logs, self._start(), self.unlogged, self.max_seconds
            )
            self.maker.check_fields()
            return replace(result, seconds=time.perf_counter() - self.started)
        out_of_time = deadline(self.max_seconds)
        names, events, candidates, deviation, reason = [], 0, 0, None, None
        for log in logs:
            run = LinearRun(self.definition, self._stream, self.reader, self._start())
            names.append(str(log) if isinstance(log, str | Path) else "log")
            try:
                deviation, complete = feed_all(run, read_batches(log, self.map, follow=follow), out_of_time)
            except ResourceError as error:
                complete, reason = False, str(error)
            events, candidates = events + run.events, len(run.candidates)
            self._slow |= run.taken
            if not complete:
                reason = reason or f"the time limit of {self.max_seconds:g} s is reached after {events:,} events"
                break
            if run.events == 0:
                raise InputError(f"{names[-1]}: this log has no events, so it says nothing about the model")
            if deviation is not None:
                break
            if run.matched == 0:
                raise InputError(f"{names[-1]}: no event of this log is one of the model's: translate drops them all")
        else:
            self.maker.check_fields()
        return self._result(names, events, candidates, deviation, reason)

    def _result(
        self, names: Sequence[str], events: int, candidates: int, deviation: Deviation | None, reason: str | None
    ) -> Conformance:
        answer = Conforms.UNKNOWN if reason is not None else Conforms.DEVIATES if deviation else Conforms.CONFORMS
        certain, possible = (frozenset(self._slow),) * 2 if self._stream is None else self._stream.taken
        return Conformance(
            system=self.system,
            answer=answer,
            reason=reason,
            logs=tuple(names),
            events=events,
            candidates=deviation.candidates if deviation else candidates,
            deviation=deviation,
            coverage=coverage_of(self.system, certain, possible),
            seconds=time.perf_counter() - self.started,
        )

    def _start(self) -> list[Valuation]:
        if self.map.start == "initial":
            return list(self.system.initial)
        return reachable_states(self.definition)


def reachable_states(definition: Definition) -> list[Valuation]:
    """Return all reachable states, in which a log may begin."""
    everything = frozenset(range(len(definition.system.actions)))
    whole = Definition(definition.questionnaire, everything)
    if not definition.system.synchronous:
        return CompiledStream(whole, everything, 1).reachable()
    return list(whole.before_event(definition.system.initial, 1 << 62))
