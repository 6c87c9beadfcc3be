"""Adapt a reference to the C interface of a Kernel by a callback into Python.

Thousands of times slower than machine code, but it only needs a reference: the interpreter, or Python callables.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any, overload

from strandline.compile.interpret import Fault
from strandline.compile.kernel import FaultSite, Kernel, Reference, initial_arrays, successor_record
from strandline.model.measure import Measure

SIGNATURE = ctypes.CFUNCTYPE(
    ctypes.c_int64,
    ctypes.POINTER(ctypes.c_uint64),
    ctypes.POINTER(ctypes.c_uint64),
    ctypes.c_int64,
    ctypes.POINTER(ctypes.c_uint64),
)
"""The C signature of `successors`."""

_FAILED = -(1 << 62)
"""Returned when Python raised an exception; no fault site has this code."""


def wrap_reference(
    reference: Reference, words: int, measure: Measure | None, seconds: float = 0.0, *, numbered: bool = False
) -> Kernel:
    """Return the Kernel of a reference whose states have `words` words.

    `measure` is the one by which the reference computes progress; `seconds` is the time it took to make the reference.
    With `numbered`, records end with a number for an action, which is 0.
    """
    adapter = _CallbackAdapter(reference, words, measure, (0,) if numbered else ())
    address = ctypes.cast(adapter.function, ctypes.c_void_p).value
    assert address is not None
    initial, progress = initial_arrays(reference, words)
    return Kernel(
        words=words,
        measured=measure is not None,
        componentwise=measure is not None and bool(measure.compared),
        successors=address,
        initial=initial,
        initial_progress=progress,
        fault_sites=adapter.sites,
        reference=reference,
        compile_seconds=seconds,
        keep_alive=adapter,
        reentrant=False,
        pending_error=lambda: adapter.error,
    )


class _CallbackAdapter:
    """The callback behind `successors`.

    An exception cannot cross C: it is kept in `error`, the caller sees a fault and raises the exception from there.
    """

    def __init__(self, reference: Reference, words: int, measure: Measure | None, number: tuple[int, ...]) -> None:
        self.reference, self.words, self.measure, self._number = reference, words, measure, number
        self.error: BaseException | None = None
        self.sites = _GrowingSites()
        self.function = SIGNATURE(self._run)

    def _run(self, state: Any, records: Any, capacity: int, labels: Any) -> int:
        try:
            return self._compute(state, records, capacity, labels)
        except BaseException as error:  # noqa: BLE001  (nothing may cross C; `Kernel.reraise` raises it)
            self.error = error
            return _FAILED

    def _compute(self, state: Any, records: Any, capacity: int, labels: Any) -> int:
        reference, packed = self.reference, tuple(state[word] for word in range(self.words))
        try:
            labels[0] = reference.labels(packed)
        except Fault as fault:
            return self.sites.code(FaultSite(fault.kind, fault.span))
        edges = reference.edges(packed)
        for number, edge in enumerate(edges):
            if edge.target is None:
                assert edge.fault is not None
                return self.sites.code(edge.fault)
            if number < capacity:
                record = (*successor_record(reference, self.measure, packed, edge.target), *self._number)
                for offset, word in enumerate(record):
                    records[number * len(record) + offset] = word
        return len(edges)


class _GrowingSites(Sequence[FaultSite]):
    """A sequence of fault sites that grows as they are discovered."""

    def __init__(self) -> None:
        self._sites: list[FaultSite] = []

    def code(self, site: FaultSite) -> int:
        """Return the negative code of a fault, and add its site if it is new."""
        if site not in self._sites:
            self._sites.append(site)
        return -1 - self._sites.index(site)

    @overload
    def __getitem__(self, index: int) -> FaultSite: ...

    @overload
    def __getitem__(self, index: slice) -> list[FaultSite]: ...

    def __getitem__(self, index: int | slice) -> FaultSite | list[FaultSite]:
        return self._sites[index]

    def __len__(self) -> int:
        return len(self._sites)
