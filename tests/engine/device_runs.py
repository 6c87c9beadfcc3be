"""Searches on the plain reference of a device, over graphs, with as little memory as is wanted."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from unittest.mock import patch

from graph_kernel import Graph, graph_kernel
from support.fake_device import FakeDevice

from strandline.compile.device import DeviceCode
from strandline.compile.kernel import Kernel
from strandline.engine.device import order, store
from strandline.engine.device.search import DeviceSearch
from strandline.engine.search import Event

State = tuple[int, ...]


def device_kernel(graph: Graph, words: int = 1) -> Kernel:
    """A Kernel of a graph as a device wants it: with the bounds of its progress."""
    kernel = graph_kernel(graph, words)
    columns, layers = zip(*(graph.progress or ((0, 0),)), strict=True)
    monotone = all(
        columns[end] > columns[node] or (columns[end] == columns[node] and layers[end] >= layers[node])
        for node, ends in enumerate(graph.edges if graph.progress else ())
        for end in ends
    )
    bounds = ((min(columns), max(columns)), (min(layers), max(layers)))
    return replace(kernel, device=DeviceCode("", 0, *bounds, monotone=monotone))


@contextmanager
def small_pieces(together: int = 0, steps: tuple[int, ...] = (1,), listed: int = 4) -> Iterator[None]:
    """Layers are taken alone as soon as more states wait than `together`; the log grows in these steps."""
    with (
        patch.object(order, "_SMALL", together),
        patch.object(store, "_STEPS", steps),
        patch.object(store, "_MEASURED_STEPS", steps),
        patch.object(store, "LISTED", listed),
        patch.object(store, "_LEAST_LISTED", listed),
        patch.object(store, "_ROUNDS", 3),
    ):
        yield


def run(kernel: Kernel, memory: int = 1 << 20, **terms: int) -> tuple[DeviceSearch, Event]:
    """A search up to its first event that is no pause."""
    search = DeviceSearch(kernel, FakeDevice(kernel, memory), **terms)
    return search, on(search)


def on(search: DeviceSearch) -> Event:
    """On to the next event that is no pause."""
    while True:
        event = search.advance(1.0)
        if event is not Event.PAUSED:
            return event


def states_on(kernel: Kernel, walked: tuple[int, list[int]]) -> list[State]:
    """The states on a path of step numbers."""
    number, steps = walked
    states = [tuple(kernel.reference.initial()[number])]
    for step in steps:
        target = kernel.reference.edges(states[-1])[step].target
        assert target is not None
        states.append(target)
    return states
