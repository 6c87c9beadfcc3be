"""The search on a device: breadth-first, or by a measure. It keeps no parent log; `walked` finds traces without one."""

from __future__ import annotations

import ctypes
import time
from dataclasses import dataclass, replace

import numpy as np

from strandline.compile.callback_adapter import SIGNATURE
from strandline.compile.kernel import Kernel
from strandline.engine.device.keys import Keys, keys_of, roots_of
from strandline.engine.device.layout import Device, Shape
from strandline.engine.device.order import Layers, Levels, NoRoom
from strandline.engine.device.retracing import Retracing, State, steps_along, trace_back
from strandline.engine.device.store import DeviceStore
from strandline.engine.parts.profile import LayerFigures, coarser
from strandline.engine.runtime import sizes
from strandline.engine.search import Details, Event, Statistics, level_details
from strandline.errors import InternalError

_LEAST_SLICE = 0.02
_SUCCESSORS, _LEAST_SUCCESSORS, _RECORD_WORDS = 32, 8, 1024
"""Initial room for successors of a state; less for wide states."""


@dataclass(frozen=True, slots=True)
class DeviceFigures:
    """Figures of a device: name, peak memory, table rebuilds, states copied to the log's head, sweeps for traces."""

    name: str
    bytes: int
    rebuilt: int
    moved: int
    retraced: int


def shape_of(kernel: Kernel, keys: Keys) -> Shape:
    """Return the initial compile-time parameters of the kernels.

    If edges may regress, every state carries the regress edge of the path on which it was reached.
    """
    room = max(_LEAST_SUCCESSORS, min(_SUCCESSORS, _RECORD_WORDS // kernel.stride))
    monotone = kernel.device is None or kernel.device.monotone
    carries = kernel.measured and not monotone
    return Shape(kernel.words, kernel.measured, room, carries=carries, wide_keys=keys.wide)


class DeviceSearch:
    """The interface of `strandline.engine.search.Search`, on a device.

    A state with a label of the stop mask is reported after its round, in which it was expanded; labels are reported one
    by one.
    """

    def __init__(
        self,
        kernel: Kernel,
        device: Device,
        *,
        stop_mask: int = 0,
        max_states: int | None = None,
        engine_bytes: int | None = None,
    ) -> None:
        if kernel.componentwise:
            raise InternalError("a device sweeps by a total order")
        self.kernel, self.device = kernel, device
        self._keys: Keys = keys_of(kernel)
        self._budget = engine_bytes
        self._store = DeviceStore(device, shape_of(kernel, self._keys), engine_bytes, max_states)
        self._store.plan.stop_mask = stop_mask
        for name, value in self._keys.plan().items():
            self._store.plan[name] = value
        self._store.seed(roots_of(kernel, self._keys))
        store = self._store
        self._order: Levels | Layers = Layers(store, self._keys.layers) if kernel.measured else Levels(store)
        self._peak_bytes, self._retraced = self._store.bytes, 0
        self._event: tuple[str | int, tuple[int, list[int]] | None] | None = None
        self._done = self._closed = False

    # --- searching ---------------------------------------------------------------------------------------------------

    def advance(self, seconds: float = 0.05) -> Event:
        """Search on for about `seconds`, or until an event."""
        deadline = time.perf_counter() + max(seconds, _LEAST_SLICE)
        self._event = None
        while True:
            event = self._next_event()
            if event is not None:
                return event
            if self._done:
                return Event.DONE
            left = deadline - time.perf_counter()
            if left <= 0:
                return Event.PAUSED
            if self._store.at_limit:
                return Event.STATES
            try:
                self._done = not self._order.advance(int(left * 1e9))
            except NoRoom:
                return Event.MEMORY
            self._peak_bytes = max(self._peak_bytes, self._store.bytes)

    def _next_event(self) -> Event | None:
        """Return the event that the kernels have reported, if there is one."""
        report = self._store.reports
        bits = [what for what in report if isinstance(what, int)]
        for what, event in (*((bit, Event.FOUND) for bit in sorted(bits)), *_FAULTS):
            if what in report:
                self._event = what, None
                return event
        return None

    def stop_less(self, mask: int) -> None:
        """Remove these labels from the stop mask; called after FOUND."""
        for bit in range(64):
            if mask >> bit & 1:
                self._store.forget_found(bit)

    @property
    def stop_mask(self) -> int:
        return int(self._store.plan.stop_mask)

    @property
    def found(self) -> tuple[int, int]:
        """Return no record, and the label at which the search stopped.

        Valid after FOUND, FAULT and COLUMN_DECREASED.
        """
        what = self._happened
        return 0, 1 << what if isinstance(what, int) else 0

    @property
    def _happened(self) -> str | int:
        if self._event is None:
            raise InternalError("there is no event to ask about")
        return self._event[0]

    @property
    def walked(self) -> tuple[int, list[int]]:
        """The path to the state of the last event: index of the initial state, and steps."""
        what = self._happened
        if self._event is None or self._event[1] is None:
            self._event = what, steps_along(self.kernel, self._path(what))
        assert self._event[1] is not None
        return self._event[1]

    def _path(self, what: str | int) -> list[State]:
        report, order = self._store.reports[what], self._order
        if isinstance(order, Levels):
            return trace_back(self._store, order.ends, report.number, report.state)
        retracing = Retracing(self.device, self.kernel, self._keys, self._store.shape, self._budget)
        crossings = []
        carried = report.carried
        while carried:
            crossings.append(self._store.crossing(carried - 1))
            carried = crossings[-1][2]
        if not isinstance(what, int) or self.stop_mask == 1 << what:
            # No further label is searched for: the search ends here, so its memory can be reused.
            self._store.close()
        try:
            return retracing.path(report.state, crossings, [one.key for one in order.passed])
        finally:
            self._retraced += retracing.passes

    @property
    def fault_number(self) -> int:
        """The index into the Kernel's fault sites, after FAULT."""
        return -1 - self._run_model(self._store.reports["fault"].state)[0]

    def _run_model(self, state: State) -> tuple[int, int]:
        """Run the host's machine code on a state; return its result and the labels."""
        given, labels = (ctypes.c_uint64 * len(state))(*state), (ctypes.c_uint64 * 1)()
        records = (ctypes.c_uint64 * self.kernel.stride)()
        return int(SIGNATURE(self.kernel.successors)(given, records, 0, labels)), int(labels[0])

    @property
    def regressing_link(self) -> tuple[int, int]:
        """No record, and the number of the step, after COLUMN_DECREASED."""
        reference, source = self.kernel.reference, self._store.reports["falling"].state
        column = reference.progress(source)[0]
        for number, edge in enumerate(reference.edges(source)):
            if edge.target is not None and reference.progress(edge.target)[0] < column:
                return 0, number
        raise InternalError("the device has seen a smaller column that the model does not have")

    # --- figures -----------------------------------------------------------------------------------------------------

    @property
    def line(self) -> tuple[int, int]:
        return self._keys.progress(self._order.line) if isinstance(self._order, Layers) else (0, 0)

    def current_bytes(self) -> int:
        """Return the bytes in use of the device's memory."""
        return self._store.bytes

    def details(self) -> Details:
        store, visited = self._store, int(self._store.tally.expanded)
        device = DeviceFigures(self.device.name, self._peak_bytes, store.rebuilt, store.moved, self._retraced)
        if isinstance(self._order, Layers):
            return Details(profile=self._profile(self._order, visited), device=device)
        return replace(level_details(np.diff([0, *self._order.ends]).tolist(), visited), device=device)

    def _profile(self, order: Layers, visited: int) -> tuple[LayerFigures, ...]:
        passed = order.passed
        figures: dict[int, LayerFigures] = {}
        for number, one in enumerate(passed):
            last = number + 1 == len(passed)
            expanded = (visited if last else passed[number + 1].expanded) - one.expanded
            stored = order.peak if last else passed[number + 1].peak
            place, again = self._keys.progress(one.key), one.key in figures
            figure = LayerFigures(place, place, int(not again), stored, expanded, expanded if again else 0, 0)
            figures[one.key] = figures[one.key] + figure if again else figure
        return coarser([figures[key] for key in sorted(figures)], sizes.PROFILE_CELLS)

    def statistics(self) -> Statistics:
        self._collect_marks()
        tally, order = self._store.tally, self._order
        persistent = order.persistent + int(tally.deferred) if isinstance(order, Layers) else 0
        return Statistics(
            recorded=self._store.found,
            # While no state was deleted, none was found again.
            exact=not (persistent and self._store.forgets),
            visited=int(tally.expanded),
            transitions=int(tally.transitions),
            deadlocks=int(tally.deadlocks),
            stored=int(tally.head) - self._store.tail,
            peak_states=order.peak if isinstance(order, Layers) else self._store.found,
            persistent=persistent,
            regress_edges=int(tally.regress),
            sweeps=order.sweeps if isinstance(order, Layers) else 1,
            layers=order.moves if isinstance(order, Layers) else 0,
            peak_bytes=self._peak_bytes,
        )

    def _collect_marks(self) -> None:
        """Add the device's coverage marks to the Kernel's."""
        marks = np.frombuffer(b"" if self._closed else self.device.marks(), dtype=np.uint8)
        if self.kernel.coverage_bits is not None and len(marks):
            self.kernel.coverage_bits[:] |= marks

    def close(self) -> None:
        """Release all memory, after adding the coverage marks to the Kernel's."""
        if self._closed:
            return
        self._collect_marks()
        self._closed = True
        self._store.close()
        self.device.close()


_FAULTS = (("falling", Event.COLUMN_DECREASED), ("fault", Event.FAULT))
