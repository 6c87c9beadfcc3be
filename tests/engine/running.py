"""Run a Search to its end and collect its output, for comparison with brute force."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from plain import Engine, compiled_engine

from strandline.compile.kernel import DEADLOCK_BIT, Kernel
from strandline.engine.runtime.codes import ROOT, SAME, STEP_BITS

State = tuple[int, ...]


@dataclass(slots=True)
class Outcome:
    """Everything a search said."""

    event: Any = None
    links: list[int] = field(default_factory=list)
    seen: list[State] = field(default_factory=list)
    degrees: list[int] = field(default_factory=list)
    deadlocked: list[bool] = field(default_factory=list)
    statistics: Any = None
    levels: list[int] = field(default_factory=list)
    pauses: int = 0

    def distinct(self) -> dict[State, tuple[int, bool]]:
        """Out-degree and deadlock of every state seen; a state seen twice must have been the same both times."""
        found: dict[State, tuple[int, bool]] = {}
        for state, degree, stuck in zip(self.seen, self.degrees, self.deadlocked, strict=True):
            assert found.setdefault(state, (degree, stuck)) == (degree, stuck)
        return found


class Run:
    """A Search with sinks that keep everything."""

    def __init__(
        self,
        kernel: Kernel,
        order: str,
        *,
        engine: Engine | None = None,
        collect: bool = True,
        **options: Any,
    ) -> None:
        self.kernel, self.engine = kernel, engine or compiled_engine()
        self.outcome = Outcome()
        observer = self.engine.StatesOnly(self._note) if collect else None
        self.search = self.new_search(order, log=self._log, observer=observer, **options)

    def new_search(self, order: str, **options: Any) -> Any:
        return self.engine.orders[order](self.kernel, **options)

    def _log(self, links: Any) -> None:
        self.outcome.links.extend(links.tolist())

    def _note(self, rows: Any) -> None:
        words = self.kernel.words
        for row in rows.tolist():
            self.outcome.seen.append(tuple(row[:words]))
            self.outcome.degrees.append(row[words + 1])
            self.outcome.deadlocked.append(bool(row[words] >> DEADLOCK_BIT))

    def advance(self, seconds: float = 1.0) -> Outcome:
        """On to the next event that is no pause."""
        while True:
            event = self.search.advance(seconds)
            if event is not self.engine.Event.PAUSED:
                break
            self.outcome.pauses += 1
        self.outcome.event = event
        self.outcome.statistics = self.search.statistics()
        self.outcome.levels = list(self.search.details().levels)
        return self.outcome


def explore(kernel: Kernel, order: str, *, seconds: float = 1.0, **options: Any) -> Outcome:
    """A whole search."""
    run = Run(kernel, order, **options)
    outcome = run.advance(seconds)
    run.search.close()
    return outcome


def path_to(kernel: Kernel, links: list[int], record: int) -> list[State]:
    """The states on the path that the parent log gives for a record, each step looked up in the reference."""
    steps: list[int] = []
    while True:
        parent, step = links[record] >> STEP_BITS, links[record] & ((1 << STEP_BITS) - 1)
        if parent == ROOT:
            break
        assert parent < record, "a parent's record must have a smaller number"
        if step != SAME:
            steps.append(step)
        record = parent
    states = [tuple(kernel.reference.initial()[step])]
    for number in reversed(steps):
        target = kernel.reference.edges(states[-1])[number].target
        assert target is not None
        states.append(target)
    return states


_SIZES = (
    "LOG_RECORDS", "RECORDS", "LAYERS", "LEVELS", "ENTRIES", "TABLE", "PAGES", "STACK", "PATH", "CACHE",
    "EXPANDED_WORDS", "EDGE_WORDS",
)  # fmt: skip


@contextmanager
def smallest_arrays(engine: Engine | None = None) -> Iterator[None]:
    """Searches made here begin with arrays of one entry, so that everything must grow and flush all the time."""
    sizes = (engine or compiled_engine()).sizes
    old = {name: getattr(sizes, name) for name in _SIZES}
    try:
        for name in _SIZES:
            setattr(sizes, name, 1)
        yield
    finally:
        for name, value in old.items():
            setattr(sizes, name, value)
