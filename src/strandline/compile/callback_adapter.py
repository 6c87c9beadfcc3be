"""A Kernel whose function is a call back into Python, answered by the reference.

Thousands of times slower than machine code, but it needs nothing else than a reference: the interpreter as a Kernel, and
models that are Python callables.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any, overload

from strandline.compile.interpret import Fault
from strandline.compile.kernel import FaultSite, Kernel, Reference, record_of, start_of
from strandline.model.measure import Measure

SIGNATURE = ctypes.CFUNCTYPE(
    ctypes.c_int64,
    ctypes.POINTER(ctypes.c_uint64),
    ctypes.POINTER(ctypes.c_uint64),
    ctypes.c_int64,
    ctypes.POINTER(ctypes.c_uint64),
)
"""Of `successors`, with what it points to."""

_FAILED = -(1 << 62)
"""What is answered where Python has raised: the number of no fault site."""


def answered_by(reference: Reference, words: int, measure: Measure | None, seconds: float = 0.0) -> Kernel:
    """The Kernel of a reference whose states have some words. `measure` is the one by which the reference tells progress;
    `seconds` is what it took to make the reference."""
    answering = _Answering(reference, words, measure)
    address = ctypes.cast(answering.function, ctypes.c_void_p).value
    assert address is not None
    initial, progress = start_of(reference, words)
    return Kernel(
        words=words,
        measured=measure is not None,
        componentwise=measure is not None and bool(measure.compared),
        successors=address,
        initial=initial,
        initial_progress=progress,
        fault_sites=answering.sites,
        reference=reference,
        compile_seconds=seconds,
        keep_alive=answering,
        reentrant=False,
        pending_error=lambda: answering.error,
    )


class _Answering:
    """`successors` of the ABI. What goes wrong in Python is kept in `error`, because an exception cannot cross C: the
    caller sees a fault and re-raises it from there."""

    def __init__(self, reference: Reference, words: int, measure: Measure | None) -> None:
        self.reference, self.words, self.measure = reference, words, measure
        self.error: BaseException | None = None
        self.sites = _GrowingSites()
        self.function = SIGNATURE(self._run)

    def _run(self, state: Any, records: Any, capacity: int, labels: Any) -> int:
        try:
            return self._answer(state, records, capacity, labels)
        except BaseException as error:  # noqa: BLE001  (nothing may cross C; `Kernel.reraise` raises it)
            self.error = error
            return _FAILED

    def _answer(self, state: Any, records: Any, capacity: int, labels: Any) -> int:
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
                record = record_of(reference, self.measure, packed, edge.target)
                for offset, word in enumerate(record):
                    records[number * len(record) + offset] = word
        return len(edges)


class _GrowingSites(Sequence[FaultSite]):
    """Fault sites in the order in which they were met."""

    def __init__(self) -> None:
        self._sites: list[FaultSite] = []

    def code(self, site: FaultSite) -> int:
        """The negative number that stands for a fault."""
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
