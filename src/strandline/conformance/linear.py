"""Logs in one order: the events are streamed, from one set of candidates to the next.

Only the last batches are kept, so that memory does not grow with the log; a deviation is explained from there on.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from typing import Any

from strandline.compile.interpret import Valuation
from strandline.conformance.compiled import CompiledStream
from strandline.conformance.definition import Definition
from strandline.conformance.deviations import Explainer
from strandline.conformance.logs import Batch, Entry
from strandline.conformance.maps import LogMap
from strandline.conformance.patterns import MisreadEvent, PatternMaker, Reading, Shape, shape_of
from strandline.conformance.verdict import Deviation

_WINDOW, _WORK = 1_000, 60_000
"""Most events in front of a deviation that its trace shows; most states that are followed for it by the definition."""
_MOST_SHAPES = 1 << 16
"""Shapes of events from which on they are forgotten between two batches."""


class PatternReader:
    """Reads the entries of logs; events that differ in values only are read once."""

    def __init__(self, maker: PatternMaker, log_map: LogMap) -> None:
        self._maker, self._map = maker, log_map
        self._shapes: dict[Any, Shape] = {}
        self._in_texts: dict[Any, tuple[str, ...]] = {}
        self._ignored = frozenset(log_map.ignore)

    def read(self, batch: Batch) -> list[tuple[int, Reading]]:
        """Return the readings of a batch, each with its place; events that `translate` drops have none."""
        if len(self._shapes) > _MOST_SHAPES:
            self._shapes.clear()
        found = []
        for place, fields in enumerate(batch.fields):
            event: dict[str, Any] | None = fields
            if self._map.translate is not None:
                event = self._translated(batch.entry(place), fields)
            if event is not None:
                found.append((place, self._reading(batch, place, event)))
        return found

    def _reading(self, batch: Batch, place: int, event: dict[str, Any]) -> Reading:
        shape = self._shape(batch, place, event)
        number_of = self._maker.questionnaire.number_of_value
        values = []
        for name in shape.fields:
            value = event[name]
            if type(value) is float:
                value = self._whole(batch.entry(place), name, value)
            values.append(number_of(value))
        return Reading(shape, tuple(values))

    def _shape(self, batch: Batch, place: int, event: dict[str, Any]) -> Shape:
        name = event.get(self._map.event)
        try:
            texts = self._in_texts.get(name)
            if texts is None:
                texts = self._in_texts[name] = self._maker.fields_in_texts(str(name))
            key = name, event.get(self._map.node), tuple(event), tuple([event.get(one) for one in texts])
            known = self._shapes.get(key)
        except TypeError:
            return self._new_shape(batch.entry(place), event)
        if known is None:
            known = self._shapes[key] = self._new_shape(batch.entry(place), event)
        return known

    def _new_shape(self, entry: Entry, event: dict[str, Any]) -> Shape:
        # Values are read with each event; here a number that is not whole only must not stand in the way.
        whole = {name: int(value) if isinstance(value, float) else value for name, value in event.items()}
        try:
            return shape_of(self._maker.pattern(whole))
        except MisreadEvent as error:
            entry.fail(error.message, error.text)

    def _whole(self, entry: Entry, name: str, value: float) -> int:
        if not value.is_integer():
            entry.fail(f"'{name}' is {value}, and models have whole numbers only (a map may ignore it)", name)
        return int(value)

    def _translated(self, entry: Entry, fields: dict[str, Any]) -> dict[str, Any] | None:
        assert self._map.translate is not None
        try:
            event = self._map.translate(dict(fields))
        except Exception as error:  # noqa: BLE001  a program of the user
            entry.fail(f"translate raises {type(error).__name__}: {error}")
        if event is not None and not isinstance(event, dict):
            entry.fail(f"translate returns {type(event).__name__}, not a dictionary or None")
        return event


class LinearRun:
    """One run of a program: its log is compared with the model, batch by batch."""

    def __init__(
        self,
        definition: Definition,
        stream: CompiledStream | None,
        reader: PatternReader,
        start: list[Valuation],
    ) -> None:
        self._definition, self._stream, self._reader = definition, stream, reader
        self._candidates = start
        self._kept: list[tuple[int, list[Valuation], Batch, list[tuple[int, Reading]]]] = []
        """The last batches: events in front, candidates in front, the batch, and its readings with their places."""
        self.events = 0
        self.matched = 0
        self.taken: set[int] = set()
        if stream is not None:
            stream.start(start)

    @property
    def candidates(self) -> list[Valuation]:
        """The states that match the events so far."""
        return self._candidates if self._stream is None else self._stream.candidates

    def feed(self, batch: Batch) -> Deviation | None:
        """Match the events of a batch; return the deviation at the first that does not match."""
        if not batch.fields:
            return None
        read = self._reader.read(batch)
        self.events += len(batch.fields)
        before = self.candidates
        count = self._match([reading for _, reading in read])
        self._kept = [*self._kept[-1:], (self.matched, before, batch, read)]
        self.matched += count
        return None if count == len(read) else self._explain(len(read) - count)

    def _match(self, readings: list[Reading]) -> int:
        if self._stream is not None:
            return self._stream.match(readings)
        for number, reading in enumerate(readings):
            matched = self._definition.follow(self._candidates, reading.pattern)
            if not matched.targets:
                return number
            for source, step in matched.targets.values():
                if step is not None:
                    self.taken.update(self._definition.actions(self._definition.steps(source)[step]))
            self._candidates = list(matched.targets)
        return len(readings)

    def _explain(self, unmatched: int) -> Deviation:
        """Explain the deviation from a state not too far in front of it; the last events of the batch do not match."""
        events = [(batch.entry(place), one) for _, _, batch, read in self._kept for place, one in read]
        entry, failed = events[len(events) - unmatched]
        del events[len(events) - unmatched :]
        first, start = self._kept[0][:2]
        length = max(1, min(_WINDOW, _WORK // (len(self.candidates) + self._definition.at_most)))
        skipped = max(0, len(events) - length)
        if skipped and self._stream is not None:
            self._stream.start(start)
            self._stream.match([reading for _, reading in events[:skipped]])
            start = self._stream.candidates
            first, events = first + skipped, events[skipped:]
        patterns = [(one, reading.pattern) for one, reading in events]
        return Explainer(self._definition).deviation(start, patterns, (entry, failed.pattern), first)


def feed_all(
    run: LinearRun, batches: Iterable[Batch], out_of_time: Callable[[], bool]
) -> tuple[Deviation | None, bool]:
    """Feed a log to a run; return the deviation, if there is one, and whether the time was sufficient."""
    for batch in batches:
        deviation = run.feed(batch)
        if deviation is not None:
            return deviation, True
        if out_of_time():
            return None, False
    return None, True


def deadline(seconds: float | None) -> Callable[[], bool]:
    """Return a function that returns True when these seconds are over."""
    if seconds is None:
        return lambda: False
    end = time.perf_counter() + seconds
    return lambda: time.perf_counter() > end
