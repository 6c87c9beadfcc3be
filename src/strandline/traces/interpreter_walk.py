"""A path that is extended step by step, by a person or at random; used by `strandline simulate`.

It works on a Kernel's reference, so it needs no compiler and depends on no language.
"""

from __future__ import annotations

from collections.abc import Sequence

from strandline.analysis.ranges import analyse_ranges
from strandline.compile.interpreted import SystemReference
from strandline.compile.kernel import Edge, FaultSite, Reference
from strandline.model.layout import make_layout
from strandline.model.system import System
from strandline.traces.replay import State, replay
from strandline.traces.trace import Trace
from strandline.transform.history import with_history


def reference_of(system: System, *, claims: bool = False) -> SystemReference:
    """Return the reference of a System.

    With `claims`, its labels are the System's assertions and invariants, as a replay to a claim that faults needs.
    """
    labels = [one.expression for one in (*system.assertions, *system.invariants)] if claims else []
    system = with_history(system, labels)
    return SystemReference(system, make_layout(system, analyse_ranges(system).variables), labels, None)


class Walk:
    """A path from an initial state, which can grow and shrink at its end.

    Before `begin` there is no state. A step that faults ends the path: `fault` holds the reason, and only `undo`,
    `reset` and `begin` are possible then.
    """

    def __init__(self, reference: Reference) -> None:
        self.reference = reference
        self.initial_states: Sequence[State] = reference.initial()
        self.initial: int | None = None
        self.fault: FaultSite | None = None
        self._steps: list[int] = []
        self._states: list[State] = []
        self._edges: Sequence[Edge] = ()

    def __len__(self) -> int:
        """Return the number of steps taken; a faulting step does not count."""
        return len(self._steps)

    @property
    def state(self) -> State | None:
        """The current state; None before `begin`."""
        return self._states[-1] if self._states else None

    @property
    def edges(self) -> Sequence[Edge]:
        """The steps of the current state, in the Kernel's order; none after a fault."""
        return self._edges

    def begin(self, number: int) -> None:
        """Start again in initial state `number`."""
        self.initial = number
        self._steps = []
        self._states = [self.initial_states[number]]
        self._note_state()

    def take(self, number: int) -> Edge:
        """Take step `number` of `edges`."""
        edge = self._edges[number]
        if edge.target is None:
            self.fault, self._edges = edge.fault, ()
            return edge
        self._steps.append(number)
        self._states.append(edge.target)
        self._note_state()
        return edge

    def undo(self, count: int = 1) -> int:
        """Undo the last steps, a fault counting as one; return how many were undone."""
        taken = 0
        if count > 0 and self.fault is not None:
            taken = 1
        kept = max(0, len(self._steps) - (count - taken))
        taken += len(self._steps) - kept
        if taken:
            del self._steps[kept:]
            del self._states[kept + 1 :]
            self._note_state()
        return taken

    def reset(self) -> None:
        """Go back to the situation before `begin`."""
        self.initial, self.fault = None, None
        self._steps, self._states, self._edges = [], [], ()

    def follow(self, initial: int, steps: Sequence[int]) -> None:
        """Start again from initial state `initial` and take these steps."""
        self.begin(initial)
        for step in steps:
            self.take(step)

    def trace(self) -> Trace:
        """Return the path so far as a replayed trace. Raises `ValueError` before `begin`."""
        if self.initial is None:
            raise ValueError("the walk has not begun")
        return replay(self.reference, self.initial, self._steps, fault=self.fault).trace

    def _note_state(self) -> None:
        self.fault = None
        self._edges = self.reference.edges(self._states[-1])
