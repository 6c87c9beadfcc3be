"""The interpreter as a Kernel: the twin that replays traces, and a C function for engines that want to run it.

Thousands of times slower than machine code; tests compare the two on every answer.
"""

from __future__ import annotations

import ctypes
import time
from collections.abc import Sequence

import numpy as np

from strandline.compile.interpret import Fault, Interpreter
from strandline.compile.kernel import (
    ACCEPTING_BIT,
    DEADLOCK_BIT,
    Edge,
    FaultSite,
    Kernel,
    record_of,
)
from strandline.model.expression import Expression
from strandline.model.layout import Layout, make_layout
from strandline.model.measure import Measure
from strandline.model.ranges import analyse_ranges
from strandline.model.system import System

_SIGNATURE = ctypes.CFUNCTYPE(
    ctypes.c_int64,
    ctypes.POINTER(ctypes.c_uint64),
    ctypes.POINTER(ctypes.c_uint64),
    ctypes.c_int64,
    ctypes.POINTER(ctypes.c_uint64),
)


class SystemTwin:
    """The plain definition of a System with predicates and measure, on packed states."""

    def __init__(
        self, system: System, layout: Layout, predicates: Sequence[Expression], measure: Measure | None
    ) -> None:
        self.system = system
        self.layout = layout
        self.predicates = tuple(predicates)
        self.measure = measure
        self._interpreter = Interpreter(system)

    def initial(self) -> Sequence[tuple[int, ...]]:
        return [self.layout.pack(valuation) for valuation in self.system.initial]

    def edges(self, state: tuple[int, ...]) -> Sequence[Edge]:
        found = []
        for step in self._interpreter.steps(self.layout.unpack(state)):
            name = "; ".join(action.name for action in step.actions)
            if step.target is None:
                assert step.fault is not None
                found.append(Edge(name, None, FaultSite(step.fault.kind, step.fault.span)))
                break
            target = self.layout.pack(step.target)
            try:
                self.progress(target)
            except Fault as fault:
                found.append(Edge(name, None, FaultSite(fault.kind, fault.span)))
                break
            found.append(Edge(name, target))
        return found

    def labels(self, state: tuple[int, ...]) -> int:
        valuation = self.layout.unpack(state)
        mask = 0
        for number, predicate in enumerate(self.predicates):
            mask |= bool(self._interpreter.evaluate(predicate, valuation)) << number
        observer = self.system.observer
        if observer is not None:
            location = valuation[self.system.offsets[observer.location]]
            mask |= (location in observer.accepting) << ACCEPTING_BIT
        return mask | self._interpreter.is_deadlock(valuation) << DEADLOCK_BIT

    def progress(self, state: tuple[int, ...]) -> tuple[int, int]:
        if self.measure is None:
            return 0, 0
        valuation = self.layout.unpack(state)
        column = self._interpreter.evaluate(self.measure.column, valuation)
        return column, self._interpreter.evaluate(self.measure.layer, valuation)

    def values(self, state: tuple[int, ...], expressions: Sequence[Expression]) -> tuple[int, ...]:
        valuation = self.layout.unpack(state)
        return tuple(self._interpreter.evaluate(one, valuation) for one in expressions)

    def describe(self, state: tuple[int, ...]) -> dict[str, str]:
        valuation = self.layout.unpack(state)
        shown: dict[str, str] = {}
        for variable, offset in self.system.offsets.items():
            if variable.length is None:
                shown[variable.name] = variable.show(valuation[offset])
            else:
                for index in range(variable.length):
                    shown[f"{variable.name}[{index}]"] = variable.show(valuation[offset + index])
        return shown


class _Callback:
    """`successors` of the ABI, answered by a twin. What goes wrong in Python is kept in `error`, because an
    exception cannot cross C: the caller sees a fault and re-raises it from there."""

    def __init__(self, twin: SystemTwin) -> None:
        self.twin = twin
        self.error: BaseException | None = None
        self.sites: list[FaultSite] = []
        self.function = _SIGNATURE(self._run)

    def _run(self, state, records, capacity, labels):  # type: ignore[no-untyped-def]
        try:
            return self._answer(state, records, capacity, labels)
        except BaseException as error:  # noqa: BLE001  (nothing may cross C; `Kernel.reraise` raises it)
            self.error = error
            return -(1 << 62)

    def _answer(self, state, records, capacity, labels) -> int:  # type: ignore[no-untyped-def]
        twin = self.twin
        packed = tuple(state[word] for word in range(twin.layout.words))
        try:
            labels[0] = twin.labels(packed)
        except Fault as fault:
            return self._site(FaultSite(fault.kind, fault.span))
        edges = twin.edges(packed)
        for number, edge in enumerate(edges):
            if edge.target is None:
                assert edge.fault is not None
                return self._site(edge.fault)
            if number < capacity:
                record = record_of(twin, twin.measure, packed, edge.target)
                for offset, word in enumerate(record):
                    records[number * len(record) + offset] = word
        return len(edges)

    def _site(self, site: FaultSite) -> int:
        if site not in self.sites:
            self.sites.append(site)
        return -1 - self.sites.index(site)


class _GrowingSites(Sequence[FaultSite]):
    """Fault sites in the order in which the interpreter met them."""

    def __init__(self, callback: _Callback) -> None:
        self._callback = callback

    def __getitem__(self, index):  # type: ignore[no-untyped-def]
        return self._callback.sites[index]

    def __len__(self) -> int:
        return len(self._callback.sites)


def interpret_system(system: System, predicates: Sequence[Expression] = (), measure: Measure | None = None) -> Kernel:
    """A Kernel whose successors are computed by the interpreter."""
    started = time.perf_counter()
    layout = make_layout(system, analyse_ranges(system).variables)
    twin = SystemTwin(system, layout, predicates, measure)
    callback = _Callback(twin)
    initial = twin.initial()
    address = ctypes.cast(callback.function, ctypes.c_void_p).value
    assert address is not None
    return Kernel(
        words=layout.words,
        measured=measure is not None,
        componentwise=measure is not None and bool(measure.compared),
        successors=address,
        initial=np.array(initial, dtype=np.uint64).reshape(len(initial), layout.words),
        initial_progress=np.array([twin.progress(state) for state in initial], dtype=np.int64).reshape(-1, 2),
        fault_sites=_GrowingSites(callback),
        twin=twin,
        compile_seconds=time.perf_counter() - started,
        keep_alive=callback,
        pending_error=lambda: callback.error,
    )
