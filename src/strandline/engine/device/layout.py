"""The interface of a device: memory, and kernels that read a plan and write a tally.

The plan is constant while a kernel runs; the tally has its counters and results, from which the next call continues.
Both are records of 64-bit words, on the host and on the device.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from strandline.engine.runtime.memory import WordArray

PLAN = (
    # addresses
    "states", "marks", "carried", "table", "listed", "again", "crossed", "ends", "hunted",
    # the log and the table
    "places", "turn", "slots", "room",
    # which part of the log
    "from", "until",
    # when to stop
    "most", "most_crossings", "most_rounds", "most_in_round", "nanoseconds", "stop_mask", "batch",
    # progress
    "first_column", "first_layer", "layers", "last", "forward", "middle", "strict", "bound", "column_bound", "skipped",
    # traces and beams
    "linked", "kept", "salt",
)  # fmt: skip
TALLY = (
    "head", "start", "to", "grain", "cursor", "over", "stop", "rounds", "barriers", "arrived",
    "expanded", "transitions", "deadlocks", "regress",
    "deferred", "crossings", "again_count", "wanted", "reported", "fault", "falling", "hit",
    "count", "least", "greatest", "first", "entering",
)  # fmt: skip
FOUND = 64

NONE = (1 << 64) - 1
EXPANDED, PERSISTENT, DEFERRED = 1, 2, 4
FLAG_BITS = 3
"""Number of flags below the key of a state in its mark."""

STOP_TIME, STOP_FULL, STOP_STRICT, STOP_CAPACITY = 1, 2, 3, 4
"""Reasons why a round stopped before its end.

Time is up; the log, the table or the list of crossings is nearly full; a state has a successor in its own layer, which
was left out of the table; a state has more successors than there is room for.
"""

PLAN_TYPE = np.dtype([(name, "<u8") for name in PLAN])
TALLY_TYPE = np.dtype([(name, "<u8") for name in TALLY] + [("found", "<u8", (FOUND,))])

KERNELS = ("rounds", "seed", "scan", "reenter")
MEASURED_KERNELS = ("survey", "census", "pick", "relocate", "wake", "thin")


@dataclass(frozen=True, slots=True)
class Shape:
    """Compile-time parameters of the kernels."""

    words: int
    measured: bool
    successors: int
    """The number of successors of a state for which there is room."""
    carries: bool = False
    wide_keys: bool = False

    @property
    def stride(self) -> int:
        """The number of words of a successor's record."""
        return self.words + (2 if self.measured else 0)

    @property
    def direct(self) -> bool:
        """True if the hash table holds the states themselves, which needs states of one word with a free top bit."""
        return self.words == 1

    @property
    def mark_bytes(self) -> int:
        """Bytes of a state's mark, which holds its key and its status in a sweep; 0 without a measure."""
        return (8 if self.wide_keys else 4) if self.measured else 0

    @property
    def crossing_words(self) -> int:
        """The words of an entry in the list of crossings: an edge's source, its target, and the source's value."""
        return 2 * self.words + 1

    @property
    def place_bytes(self) -> int:
        """Bytes per state in the log: its words, its mark, and the value that it carries, if states carry any."""
        return 8 * self.words + self.mark_bytes + (8 if self.carries else 0)


def new_plan() -> Any:
    """Return a plan without limits."""
    plan = np.zeros(1, dtype=PLAN_TYPE).view(np.recarray)[0]
    plan.last = plan.middle = plan.skipped = plan.most_crossings = NONE
    plan.layers = 1
    return plan


def new_tally() -> Any:
    """Return a tally of zeros."""
    tally = np.zeros(1, dtype=TALLY_TYPE).view(np.recarray)[0]
    tally.fault = tally.falling = tally.hit = NONE
    tally["found"][:] = NONE
    return tally


class Device(Protocol):
    """Memory and kernels. Addresses are numbers, sizes are bytes."""

    name: str
    lanes: int
    """Most states that the loaded kernels expand at the same time."""

    def load(self, shape: Shape) -> None:
        """Load the kernels for a shape; those for other shapes stay loaded."""
        ...

    def free_bytes(self) -> int:
        """Return the number of bytes that can be allocated."""
        ...

    def allocate(self, size: int) -> int:
        """Allocate memory. Raises `ResourceError` if there is too little."""
        ...

    def release(self, address: int) -> None:
        """Free memory."""
        ...

    def clear(self, address: int, size: int) -> None:
        """Fill memory with zeros."""
        ...

    def move(self, target: int, source: int, size: int) -> None:
        """Copy inside the device."""
        ...

    def read(self, address: int, words: int) -> WordArray:
        """Copy from the device."""
        ...

    def write(self, address: int, array: WordArray) -> None:
        """Copy to the device."""
        ...

    def run(self, kernel: str, plan: Any, tally: Any) -> None:
        """Run a kernel to its end and update the tally."""
        ...

    def marks(self) -> bytes:
        """Return the coverage bits that the model's code has set (`strandline.compile.llvm.coverage`)."""
        ...

    def close(self) -> None:
        """Release everything."""
        ...


def declarations() -> str:
    """Return the records as C structs, and the constants that the kernels share with this module."""
    plan, tally = (f"struct {name} {{ u64 {', '.join(fields)}" for name, fields in (("Plan", PLAN), ("Tally", TALLY)))
    stops = "".join(
        f"#define {name} {value}\n"
        for name, value in (
            ("STOP_TIME", STOP_TIME),
            ("STOP_FULL", STOP_FULL),
            ("STOP_STRICT", STOP_STRICT),
            ("STOP_CAPACITY", STOP_CAPACITY),
        )
    )
    return (
        f"typedef unsigned long long u64;\ntypedef long long i64;\n{plan}; }};\n{tally}, found[{FOUND}]; }};\n{stops}"
    )
