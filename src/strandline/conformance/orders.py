"""The order of events of several nodes whose clocks do not agree: per node, and across nodes by messages or clocks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from strandline.conformance.linear import PatternReader
from strandline.conformance.logs import Entry, read_batches
from strandline.conformance.maps import LogMap
from strandline.conformance.patterns import Pattern
from strandline.errors import InputError


@dataclass(frozen=True, slots=True)
class NodeLog:
    """The events of one node, in their order.

    `needs` has for each event how many events of which other nodes happen before it.
    """

    node: str
    events: tuple[tuple[Entry, Pattern], ...]
    needs: tuple[Mapping[int, int], ...]


def read_nodes(reader: PatternReader, log_map: LogMap, logs: Sequence[Any]) -> list[NodeLog]:
    """Read the logs of one run, and order their events. Raises `InputError` for events without a place in the order."""
    found: dict[str, list[tuple[Entry, Pattern]]] = {}
    for log in logs:
        own = Path(log).stem if isinstance(log, str | Path) and len(logs) > 1 else None
        count = 0
        for batch in read_batches(log, log_map):
            for place, reading in reader.read(batch):
                entry = batch.entry(place)
                found.setdefault(_node_of(entry, log_map, own), []).append((entry, reading.pattern))
                count += 1
        if count == 0:
            raise InputError(f"{log if own else 'the log'}: this log has no events, so it says nothing about the model")
    names = list(found)
    if log_map.order == "messages":
        needs = _by_messages(found, log_map)
    elif log_map.order == "clocks":
        needs = _by_clocks(found, log_map)
    else:
        needs = [[{} for _ in events] for events in found.values()]
    return [NodeLog(name, tuple(found[name]), tuple(of_node)) for name, of_node in zip(names, needs, strict=True)]


def _node_of(entry: Entry, log_map: LogMap, own: str | None) -> str:
    node = entry.fields.get(log_map.node, own)
    if not isinstance(node, str | int):
        entry.fail(f"the event has no field '{log_map.node}', which says whose it is")
    return str(node)


def _by_messages(found: Mapping[str, Sequence[tuple[Entry, Pattern]]], log_map: LogMap) -> list[list[dict[int, int]]]:
    sent: dict[str, tuple[int, int]] = {}
    for node, events in enumerate(found.values()):
        for number, (entry, _) in enumerate(events):
            if log_map.message in entry.fields and entry.fields.get(log_map.event) in log_map.sends:
                message = repr(entry.fields[log_map.message])
                if message in sent:
                    entry.fail(f"message {message} is sent twice", log_map.message)
                sent[message] = node, number
    return [
        [_after_sending(entry, node, sent, log_map) for entry, _ in events]
        for node, events in enumerate(found.values())
    ]


def _after_sending(entry: Entry, node: int, sent: Mapping[str, tuple[int, int]], log_map: LogMap) -> dict[int, int]:
    if log_map.message not in entry.fields or entry.fields.get(log_map.event) in log_map.sends:
        return {}
    message = repr(entry.fields[log_map.message])
    if message not in sent:
        entry.fail(f"no event sends message {message}; sending are {', '.join(log_map.sends)}", log_map.message)
    sender, number = sent[message]
    return {} if sender == node else {sender: number + 1}


def _by_clocks(found: Mapping[str, Sequence[tuple[Entry, Pattern]]], log_map: LogMap) -> list[list[dict[int, int]]]:
    names = list(found)
    clocks = [[_clock(entry, log_map) for entry, _ in events] for events in found.values()]
    own: list[list[int]] = []
    for name, events, of_node in zip(names, found.values(), clocks, strict=True):
        own.append([])
        for (entry, _), clock in zip(events, of_node, strict=True):
            if name not in clock:
                entry.fail(f"the clock of an event of {name} has no component for {name}", log_map.clock)
            if own[-1] and clock[name] <= own[-1][-1]:
                entry.fail(f"the component of {name} does not grow from event to event", log_map.clock)
            own[-1].append(clock[name])
    return [
        [
            {
                other: count
                for other, name in enumerate(names)
                if other != node and (count := _count_up_to(own[other], clock.get(name, 0)))
            }
            for clock in of_node
        ]
        for node, of_node in enumerate(clocks)
    ]


def _clock(entry: Entry, log_map: LogMap) -> dict[str, int]:
    clock = entry.fields.get(log_map.clock)
    if not isinstance(clock, dict) or not all(type(one) is int for one in clock.values()):
        entry.fail(
            f"the field '{log_map.clock}' must be a vector clock, an object from nodes to numbers", log_map.clock
        )
    return {str(name): number for name, number in clock.items()}


def _count_up_to(numbers: Iterable[int], most: int) -> int:
    return sum(number <= most for number in numbers)
