"""What a device is to a search: memory, and kernels that read a plan and write a tally.

The plan is fixed while a kernel runs; the tally is what it counts and tells, and it goes on from it when it is called
again. Both are records of 64-bit words, here and on the device.
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
    "head", "start", "to", "grain", "cursor", "over", "stop", "rounds", "meetings", "arrived",
    "expanded", "transitions", "deadlocks", "regress",
    "deferred", "crossings", "again_count", "wanted", "told", "fault", "falling", "hit",
    "count", "least", "greatest", "first", "entering",
)  # fmt: skip
FOUND = 64

NONE = (1 << 64) - 1
EXPANDED, PERSISTENT, DEFERRED = 1, 2, 4
FLAG_BITS = 3
"""A mark: the key of a state, and these flags below it."""

STOP_TIME, STOP_FULL, STOP_STRICT, STOP_CAPACITY = 1, 2, 3, 4
"""Why a round stopped before its end: time is up; the log, the table or the list of crossings is nearly full; a state
has a successor in its own layer, which was left out of the table; a state has more successors than there is room
for."""

PLAN_TYPE = np.dtype([(name, "<u8") for name in PLAN])
TALLY_TYPE = np.dtype([(name, "<u8") for name in TALLY] + [("found", "<u8", (FOUND,))])

KERNELS = ("rounds", "seed", "scan", "reenter")
MEASURED_KERNELS = ("survey", "census", "pick", "relocate", "wake", "thin")


@dataclass(frozen=True, slots=True)
class Shape:
    """What kernels are compiled for."""

    words: int
    measured: bool
    successors: int
    """For how many successors of a state there is room."""
    carries: bool = False
    wide_keys: bool = False

    @property
    def stride(self) -> int:
        """Words per record."""
        return self.words + (2 if self.measured else 0)

    @property
    def direct(self) -> bool:
        """One-word states leave their top bit free: the table can hold them."""
        return self.words == 1

    @property
    def mark_bytes(self) -> int:
        """Bytes of a mark; states of a search without a measure have none."""
        return (8 if self.wide_keys else 4) if self.measured else 0

    @property
    def crossing_words(self) -> int:
        """A state, a successor of it, and what the state carried."""
        return 2 * self.words + 1

    @property
    def place_bytes(self) -> int:
        """Bytes of the log per state."""
        return 8 * self.words + self.mark_bytes + (8 if self.carries else 0)


def new_plan() -> Any:
    """A plan without limits."""
    plan = np.zeros(1, dtype=PLAN_TYPE).view(np.recarray)[0]
    plan.last = plan.middle = plan.skipped = plan.most_crossings = NONE
    plan.layers = 1
    return plan


def new_tally() -> Any:
    """A tally of nothing."""
    tally = np.zeros(1, dtype=TALLY_TYPE).view(np.recarray)[0]
    tally.fault = tally.falling = tally.hit = NONE
    tally["found"][:] = NONE
    return tally


class Device(Protocol):
    """Memory and kernels. Addresses are numbers, sizes are bytes."""

    name: str
    lanes: int
    """How many states are expanded at the same time at most, by the kernels that are loaded."""

    def load(self, shape: Shape) -> None:
        """Have the kernels for a shape; those for others are kept."""
        ...

    def free_bytes(self) -> int:
        """What can still be allocated."""
        ...

    def allocate(self, size: int) -> int:
        """Memory; raises `ResourceError` where there is none."""
        ...

    def release(self, address: int) -> None:
        """Give memory back."""
        ...

    def clear(self, address: int, size: int) -> None:
        """Fill with zeros."""
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
        """Run a kernel to its end; the tally is brought up to date."""
        ...

    def marks(self) -> bytes:
        """What the model's code has marked (`strandline.compile.llvm.coverage`)."""
        ...

    def close(self) -> None:
        """Give everything back."""
        ...


def declarations() -> str:
    """The records as C structs, and the numbers that the kernels share with this module."""
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
