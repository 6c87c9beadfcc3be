"""The seam. Everything before a Kernel knows languages; nothing after it does.

A Kernel is a state layout, the initial states, and one C function at a known address:

    int64 successors(const uint64 *state, uint64 *records, int64 capacity, uint64 *labels)

- `state` points to `words` words. Nothing of it is changed.
- For every step, in the System's canonical order, one record of `stride` words is written: the target's words and,
  if `measured`, its column and its layer (as two's complement) and then, if `componentwise`, 1 where a component of the
  measure is smaller in the target than in the source, else 0, and then, if `numbered`, the number of the action.
- A Kernel that is reduced (`strandline.compile.reduction`) writes some steps only, in the same order.
- The number of steps is returned. If it is larger than `capacity`, only the first `capacity` records are there:
  make room for as many as were returned and ask again. `records` has room for one record more than `capacity`;
  that last place is scratch.
- `labels[0]` receives facts about the *source* state: bit i is the truth of predicate i, bit 62 says that the
  observer stands in an accepting location, bit 63 that the system has no step of its own (an observer that steps
  alone at a deadlock does not clear it), and bit 61, of a System that says what valid ends are (`System.ends`), that it
  has none and this is no valid end. They are there also when the buffer was too small.
- A fault of the model is a negative number: -1 - k for entry k of `fault_sites`. Predicates are evaluated first,
  then the steps in order, then, where there are none, whether this is a valid end, then the observer's own steps; the
  first fault wins. A faulting
  step is an edge to a fault state: a search reports the path to `state` and that step. Records and labels are then
  undefined.

Labels are given for the source, once per expansion, and not for each successor: a state is met several times for
every time it is expanded, so this is several times cheaper and finds the same states.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import numpy.typing as npt

from strandline.model.expression import Expression
from strandline.model.measure import Measure
from strandline.source import Span

if TYPE_CHECKING:
    from strandline.compile.device import DeviceCode

MAXIMUM_PREDICATES = 61
STUCK_BIT = 61
ACCEPTING_BIT = 62
DEADLOCK_BIT = 63
MAXIMUM_SUCCESSORS = (1 << 24) - 1
"""The parent log keeps the number of a step in 24 bits."""


Marked = npt.NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class FaultSite:
    """What went wrong and where in the model; which value it was, where a reference can tell."""

    kind: str
    span: Span | None
    detail: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class Edge:
    """One step of a Kernel as its plain reference sees it: what to call it, and the state reached."""

    action: str
    target: tuple[int, ...] | None
    fault: FaultSite | None = None


class Reference(Protocol):
    """The slow definition of the same transition system, by which traces are replayed."""

    def initial(self) -> Sequence[tuple[int, ...]]:
        """All initial states, packed, in the Kernel's order."""
        ...

    def edges(self, state: tuple[int, ...]) -> Sequence[Edge]:
        """All steps in the Kernel's order."""
        ...

    def labels(self, state: tuple[int, ...]) -> int:
        """The label mask of a state."""
        ...

    def progress(self, state: tuple[int, ...]) -> tuple[int, int]:
        """Column and layer; (0, 0) when not measured."""
        ...

    def values(self, state: tuple[int, ...], expressions: Sequence[Expression]) -> tuple[int, ...]:
        """What expressions over the System's variables are in a state."""
        ...

    def describe(self, state: tuple[int, ...]) -> dict[str, Any]:
        """The state as names and values for people."""
        ...


@dataclass(frozen=True, eq=False)
class Kernel:
    """See the module's docstring."""

    words: int
    measured: bool
    successors: int
    """Address of the C function."""
    initial: npt.NDArray[np.uint64]
    """Initial states, one per row."""
    initial_progress: npt.NDArray[np.int64]
    """Column and layer of each initial state, one row each; zeros when not measured."""
    fault_sites: Sequence[FaultSite]
    reference: Reference
    compile_seconds: float
    keep_alive: object
    """Whatever owns the machine code or the callback behind `successors`."""
    pending_error: Callable[[], BaseException | None] = lambda: None
    """An exception that a Python callback could not raise through C and answered as a fault."""
    componentwise: bool = False
    """Measured, by a measure with components."""
    chosen: Callable[[tuple[int, ...]], Sequence[int]] | None = None
    """Of a reduced Kernel: which of its reference's steps it takes in a state, by number. None where it takes all."""
    canonical: Callable[[tuple[int, ...]], tuple[int, ...]] | None = None
    """Of a Kernel that does not tell some names apart: its states, initial ones and targets, are what this makes of
    those of its reference. What a state is made to has the same future, up to exchanging these names."""
    separate: Callable[[int, Sequence[int]], Sequence[int]] | None = None
    """Of a Kernel whose steps are not the reference's, because they are merged, or between states that stand for others:
    steps from an initial state as the reference's."""
    device: DeviceCode | None = None
    """The model for a device, where it was compiled for one."""
    reentrant: bool = True
    """Whether several threads may call `successors` at a time."""
    marks: Marked | None = None
    """What `successors` has met since the Kernel was made, a byte each, 0 or 1: the marks of `llvm/coverage.py`; None
    where the back end has none."""

    bits: int = 64
    """Of states of one word: how many bits carry information, from the lowest on."""
    digest: str | None = None
    """A hash of all that it does, by which it is recognised in another process; None where nothing can tell."""

    def reraise(self) -> None:
        """Raise what a callback has kept, if anything; to be called when `successors` answered a fault."""
        error = self.pending_error()
        if error is not None:
            raise error

    def edge(self, state: tuple[int, ...], step: int) -> Edge:
        """A step of a state, by its number here."""
        return self.reference.edges(state)[step if self.chosen is None else self.chosen(state)[step]]

    def lift_steps(self, initial: int, steps: Sequence[int]) -> Sequence[int]:
        """Steps one after the other from an initial state, by the numbers that they have in the reference."""
        if self.separate is not None:
            return self.separate(initial, steps)
        if self.chosen is None:
            return steps
        state, found = self.reference.initial()[initial], []
        for step in steps:
            found.append(self.chosen(state)[step])
            target = self.reference.edges(state)[found[-1]].target
            if target is None:
                break
            state = target
        return found

    @property
    def numbered(self) -> bool:
        """Whether records tell their actions: where it is reduced."""
        return self.chosen is not None

    @property
    def stride(self) -> int:
        """Words per record."""
        return self.words + (2 if self.measured else 0) + (1 if self.componentwise else 0) + (1 if self.numbered else 0)


def start_of(reference: Reference, words: int) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.int64]]:
    """The initial states and their progress, as a Kernel has them."""
    initial = reference.initial()
    progress = [reference.progress(state) for state in initial]
    return (
        np.array(initial, dtype=np.uint64).reshape(len(initial), words),
        np.array(progress, dtype=np.int64).reshape(-1, 2),
    )


def record_of(
    reference: Reference, measure: Measure | None, source: tuple[int, ...], target: tuple[int, ...]
) -> tuple[int, ...]:
    """The words of a successor's record."""
    if measure is None:
        return target
    word = (1 << 64) - 1
    record = (*target, *(value & word for value in reference.progress(target)))
    return (*record, int(_component_falls(reference, measure, source, target))) if measure.compared else record


def _component_falls(reference: Reference, measure: Measure, source: tuple[int, ...], target: tuple[int, ...]) -> bool:
    """What the last word of a record tells where a Kernel is componentwise."""
    before, after = reference.values(source, measure.compared), reference.values(target, measure.compared)
    return any(new < old for old, new in zip(before, after, strict=True))
