"""The contract between compilation and exploration. Code before a Kernel knows languages; code after it does not.

A Kernel is a state layout, the initial states, and one C function at a known address:

    int64 successors(const uint64 *state, uint64 *records, int64 capacity, uint64 *labels)

- `state` points to `words` words, which are not changed.
- For every step, in the System's canonical order, one record of `stride` words is written: the target's words and,
  if `measured`, its column and its layer (as two's complement) and then, if `componentwise`, 1 where a component of the
  measure is smaller in the target than in the source, else 0, and then, if `numbered`, the number of the action.
- A Kernel that is reduced (`strandline.compile.reduction`) writes a subset of the steps, in the same order.
- The number of steps is returned. If it is larger than `capacity`, only the first `capacity` records are written:
  the caller enlarges the buffer and calls again. `records` has room for one record more than `capacity`; that last
  one is scratch.
- `labels[0]` receives facts about the *source* state: bit i is the truth of predicate i, bit 62 says that the
  property process is in an accepting location, bit 63 that the system has no step of its own (a property process that
  moves alone at a deadlock does not clear it), and bit 61, of a System that defines valid ends (`System.ends`), that
  it has none and this is no valid end. They are written even if the buffer was too small.
- A fault of the model is a negative number: -1 - k for entry k of `fault_sites`. Predicates are evaluated first,
  then the steps in order, then, if there are none, whether this is a valid end, then the property process's own
  steps; the first fault wins. A faulting step is an edge to a fault state: a search reports the path to `state` and
  that step. Records and labels are then undefined.

Labels are given for the source, once per expansion, and not for each successor: a state is generated several times for
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
"""Most steps of a state: the parent log stores the number of a step in 24 bits."""


Marked = npt.NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class FaultSite:
    """The kind of a fault, its place in the model, and the offending value where a reference knows it."""

    kind: str
    span: Span | None
    detail: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class Edge:
    """A step of a Kernel as its reference sees it: its name and target, or its fault."""

    action: str
    target: tuple[int, ...] | None
    fault: FaultSite | None = None


class Reference(Protocol):
    """The interpreter of the same transition system, by which traces are replayed."""

    def initial(self) -> Sequence[tuple[int, ...]]:
        """Return all initial states, packed, in the Kernel's order."""
        ...

    def edges(self, state: tuple[int, ...]) -> Sequence[Edge]:
        """Return all steps of a state in the Kernel's order."""
        ...

    def labels(self, state: tuple[int, ...]) -> int:
        """Return the label mask of a state."""
        ...

    def progress(self, state: tuple[int, ...]) -> tuple[int, int]:
        """Return the column and the layer of a state; (0, 0) if not measured."""
        ...

    def values(self, state: tuple[int, ...], expressions: Sequence[Expression]) -> tuple[int, ...]:
        """Return the values of expressions over the System's variables in a state."""
        ...

    def describe(self, state: tuple[int, ...]) -> dict[str, Any]:
        """Return a state as names and values for people."""
        ...


@dataclass(frozen=True, eq=False)
class Kernel:
    """A compiled model; the module's docstring is its contract."""

    words: int
    measured: bool
    successors: int
    """Address of the C function."""
    initial: npt.NDArray[np.uint64]
    """Initial states, one per row."""
    initial_progress: npt.NDArray[np.int64]
    """Column and layer of each initial state, one row each; zeros if not measured."""
    fault_sites: Sequence[FaultSite]
    reference: Reference
    compile_seconds: float
    keep_alive: object
    """The owner of the machine code or callback behind `successors`."""
    pending_error: Callable[[], BaseException | None] = lambda: None
    """A function that returns the exception of a Python callback, which is reported through C as a fault."""
    componentwise: bool = False
    """True if the measure is compared componentwise; records then have a regress flag."""
    selected_steps: Callable[[tuple[int, ...]], Sequence[int]] | None = None
    """For a reduced Kernel, the numbers of the reference's steps that it takes in a state. None if it takes all."""
    canonical: Callable[[tuple[int, ...]], tuple[int, ...]] | None = None
    """Under symmetry reduction, the function from the reference's states to canonical ones. None without.

    Initial states and targets of the Kernel are canonical. A state and its canonical form have the same future, up to a
    permutation of names.
    """
    lift_trace: Callable[[int, Sequence[int]], Sequence[int]] | None = None
    """For a Kernel of merged actions or canonical states: lifts a path of step numbers to the reference's."""
    device: DeviceCode | None = None
    """The model as device code, if it was compiled for a device."""
    reentrant: bool = True
    """True if several threads may call `successors` at the same time."""
    coverage_bits: Marked | None = None
    """Coverage bits set by `successors` since the Kernel was made, a byte each, 0 or 1 (see `llvm/coverage.py`).

    None if the back end has none.
    """

    bits: int = 64
    """For states of one word: the number of bits in use, from the lowest on."""
    digest: str | None = None
    """A hash of the Kernel's behaviour, which identifies it in another process; None if there is none."""

    def reraise(self) -> None:
        """Raise the exception that a callback kept, if any; to be called when `successors` reports a fault."""
        error = self.pending_error()
        if error is not None:
            raise error

    def edge(self, state: tuple[int, ...], step: int) -> Edge:
        """Return a step of a state, by its number in this Kernel."""
        return self.reference.edges(state)[step if self.selected_steps is None else self.selected_steps(state)[step]]

    def lift_steps(self, initial: int, steps: Sequence[int]) -> Sequence[int]:
        """Translate the step numbers of a path in this Kernel to those of the same path in its reference."""
        if self.lift_trace is not None:
            return self.lift_trace(initial, steps)
        if self.selected_steps is None:
            return steps
        state, found = self.reference.initial()[initial], []
        for step in steps:
            found.append(self.selected_steps(state)[step])
            target = self.reference.edges(state)[found[-1]].target
            if target is None:
                break
            state = target
        return found

    @property
    def numbered(self) -> bool:
        """True if records end with the number of the action, which is so for a reduced Kernel."""
        return self.selected_steps is not None

    @property
    def stride(self) -> int:
        """Words per record."""
        return self.words + (2 if self.measured else 0) + (1 if self.componentwise else 0) + (1 if self.numbered else 0)


def initial_arrays(reference: Reference, words: int) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.int64]]:
    """Return the initial states and their progress as arrays of a Kernel."""
    initial = reference.initial()
    progress = [reference.progress(state) for state in initial]
    return (
        np.array(initial, dtype=np.uint64).reshape(len(initial), words),
        np.array(progress, dtype=np.int64).reshape(-1, 2),
    )


def successor_record(
    reference: Reference, measure: Measure | None, source: tuple[int, ...], target: tuple[int, ...]
) -> tuple[int, ...]:
    """Return the words of a successor's record."""
    if measure is None:
        return target
    word = (1 << 64) - 1
    record = (*target, *(value & word for value in reference.progress(target)))
    return (*record, int(_component_falls(reference, measure, source, target))) if measure.compared else record


def _component_falls(reference: Reference, measure: Measure, source: tuple[int, ...], target: tuple[int, ...]) -> bool:
    """Return True if a component of the measure is smaller in the target than in the source."""
    before, after = reference.values(source, measure.compared), reference.values(target, measure.compared)
    return any(new < old for old, new in zip(before, after, strict=True))
