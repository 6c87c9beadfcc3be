"""Traces: an initial state and the steps from it, each with its changes.

    for step in verdict.trace:
        print(step.action, step.state["net"])

Values are those of `strandline.model.values`: numbers, truth values, names, None, tuples for arrays, and records,
queues, multisets and frozensets. A state is a dictionary from the model's variables to their values.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, overload

from strandline.model.values import Multiset, Queue, differences, show
from strandline.rich_display import Shown
from strandline.source import Span
from strandline.traces.text import change_lines, state_lines

State = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Change:
    """A variable, an array element or a field of a record, before and after a step.

    `name` is written as in the model, as in `votes[1].says`; bags and queues change as a whole.
    """

    name: str
    old: Any
    new: Any

    @property
    def added(self) -> Multiset:
        """The members added to a bag, queue or set; empty for anything else."""
        return Multiset(self.new).without(self.old) if self._holds_many else Multiset()

    @property
    def removed(self) -> Multiset:
        """The members removed from a bag, queue or set; empty for anything else."""
        return Multiset(self.old).without(self.new) if self._holds_many else Multiset()

    @property
    def _holds_many(self) -> bool:
        return all(isinstance(one, Multiset | Queue | frozenset) for one in (self.old, self.new))

    def __str__(self) -> str:
        if isinstance(self.old, Multiset | frozenset) and isinstance(self.new, Multiset | frozenset):
            return f"{self.name}: " + " ".join(
                [*(f"+ {show(one)}" for one in self.added), *(f"- {show(one)}" for one in self.removed)]
            )
        return f"{self.name}: {show(self.old)} → {show(self.new)}"


@dataclass(frozen=True, slots=True)
class Step:
    """One step: its name, all its changes, and the state that it leads to."""

    action: str
    changes: tuple[Change, ...]
    state: State = field(default_factory=dict, compare=False, repr=False)

    def __str__(self) -> str:
        return "\n".join([self.action, *change_lines(self, "  ")])


@dataclass(frozen=True, slots=True)
class TraceFault:
    """The run-time fault at which a trace ends.

    `action` is the step that faulted; None if a predicate could not be evaluated in the last state. `detail` is the
    offending value, if it is known.
    """

    kind: str
    span: Span | None
    action: str | None
    detail: str = field(default="", compare=False)

    @property
    def words(self) -> str:
        """The kind of the fault, with the value."""
        return f"{self.kind}: {self.detail}" if self.detail else self.kind


@dataclass(frozen=True, slots=True)
class Trace(Shown):
    """A path of the model, every step of which was replayed. Made by `strandline.traces.replay`.

    `len(trace)` is the number of steps, `trace[i]` and iteration give them; `initial` is the first state, `final` the
    last, `states()` are all. `print(trace)` shows it as the command line does.

    `loop` is None for a path without a loop. Otherwise it is the index of the state to which the run returns: the last
    state is that one again; if it is the index of the last state itself, no step is possible there and the run stays in
    it. Whether the trace is a shortest one depends on the search: breadth-first search finds shortest traces, others
    need not.
    """

    initial: State
    steps: Sequence[Step]
    """A tuple; for a long trace a sequence that computes each step on demand."""
    fault: TraceFault | None = None
    loop: int | None = None

    def __len__(self) -> int:
        """Return the number of steps that lead to a state; a faulting step at the end does not count."""
        return len(self.steps)

    def __bool__(self) -> bool:
        """Return True: a trace exists even if it has no step."""
        return True

    def __iter__(self) -> Iterator[Step]:
        return iter(self.steps)

    @overload
    def __getitem__(self, index: int) -> Step: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Step, ...]: ...
    def __getitem__(self, index: int | slice) -> Step | tuple[Step, ...]:
        """Return a step by its number, the first is 0; -1 is the last."""
        return self.steps[index] if isinstance(index, int) else tuple(self.steps[index])

    def states(self) -> Iterator[dict[str, Any]]:
        """Yield every state in full, the initial one first."""
        yield dict(self.initial)
        for step in self.steps:
            yield dict(step.state)

    @property
    def final(self) -> dict[str, Any]:
        """The last state in full."""
        return dict(self.steps[-1].state if self.steps else self.initial)

    def __str__(self) -> str:
        lines = ["initial state", *state_lines(self.initial)]
        for number, step in enumerate(self.steps, 1):
            if self.loop is not None and number == self.loop + 1:
                lines.append(f"from here on again and again, back to state {self.loop}:")
            lines += [f"{number}  {step.action}", *change_lines(step, " " * (len(str(number)) + 4))]
        if self.fault is not None:
            lines += [*([] if self.fault.action is None else [f"!  {self.fault.action}"]), f"   {self.fault.words}"]
        return "\n".join(lines)


def changes(before: State, after: State) -> Iterator[Change]:
    """Return the differences between two states."""
    for name, new in after.items():
        for one in differences(before[name], new):
            yield Change(name + one.path, one.old, one.new)
