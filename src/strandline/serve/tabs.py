"""The tabs of a browser, each with its own path through the model, computed by the interpreter."""

from __future__ import annotations

import secrets
from collections import OrderedDict
from random import Random
from threading import Lock
from typing import Any

from strandline.compile.interpreted import SystemReference
from strandline.compile.kernel import DEADLOCK_BIT, STUCK_BIT, Edge
from strandline.errors import UsageError
from strandline.model.system import System
from strandline.report.html.runs import run_data
from strandline.report.html.sequence import sequence_data
from strandline.report.html.sources import places_data
from strandline.serve.neighbourhood import around_data
from strandline.traces.evaluate import Evaluator
from strandline.traces.following import actions_along, steps_along
from strandline.traces.interpreter_walk import reference_of
from strandline.traces.replay import State, replay
from strandline.traces.text import change_lines
from strandline.traces.trace import Step, Trace, changes
from strandline.transform.history import with_history

_MOST_TABS = 64
_MOST_STEPS = 500
"""Most enabled steps of a state that the page lists."""
_LONGEST = 200_000
"""Most steps of a path."""
_ROOM = 4_000_000
"""Most characters of JSON for a path that is sent to the browser."""


class Tab:
    """A path through the model and the current position on it.

    The path after the position is kept until a different step is taken there: so one can move back and forth along a
    counterexample, and leave it anywhere. The caller holds `lock` while it uses the tab.
    """

    def __init__(self, system: System) -> None:
        declared = (*system.alone.assertions, *system.alone.invariants, *system.alone.labels)
        self.reference: SystemReference = reference_of(with_history(system.alone, [one.expression for one in declared]))
        self._evaluator = Evaluator(self.reference)
        self._random = Random(0)
        self.lock = Lock()
        self.begin(0)

    def begin(self, number: int) -> None:
        """Start a new path in the initial state with this index."""
        initial = self.reference.initial()
        if not 0 <= number < len(initial):
            raise UsageError(f"there is no initial state {number}: there are {len(initial):,}")
        self._initial, self._steps, self._states = number, list[int](), [initial[number]]
        self._here = 0
        self._loop: int | None = None

    def go(self, number: int) -> None:
        """Move to the state with this index on the path."""
        if not 0 <= number < len(self._states):
            raise UsageError(f"there is no state {number} on this path: it has {len(self._steps):,} steps")
        self._here = number

    def take(self, number: int) -> None:
        """Take the step with this index from the current position.

        If it is the next step of the path, the path is kept, else it is truncated here. Raises `UsageError` for a step
        that does not exist or faults.
        """
        edges = self._edges
        if not 0 <= number < len(edges):
            raise UsageError(f"there is no step {number} here: there are {len(edges):,}")
        target = edges[number].target
        if target is None:
            fault = edges[number].fault
            raise UsageError(f"'{edges[number].action}' faults: {'' if fault is None else fault.kind}")
        if self._here < len(self._steps) and self._steps[self._here] == number:
            self._here += 1
            return
        if self._here >= _LONGEST:
            raise UsageError(f"a path has {_LONGEST:,} steps at most")
        del self._steps[self._here :], self._states[self._here + 1 :]
        self._loop = None
        self._steps.append(number)
        self._states.append(target)
        self._here += 1

    def wander(self, count: int) -> None:
        """Take up to `count` random steps; stop in a state without steps."""
        for _ in range(min(count, 10_000)):
            possible = [number for number, edge in enumerate(self._edges) if edge.target is not None]
            if not possible:
                return
            self.take(self._random.choice(possible))

    def follow(self, trace: Trace, number: int) -> None:
        """Replace the path by a trace, and move to its state with the index `number`."""
        found = steps_along(self.reference, trace)
        if found is None:
            raise UsageError("this trace is one of the product with the property process, which is not walked through")
        initial, steps = found
        self._initial, self._steps = initial, steps
        self._states = list(replay(self.reference, initial, steps).states)
        self._loop = trace.loop
        self._here = max(0, min(number, len(steps)))

    # Data for the page

    def path(self) -> dict[str, Any]:
        """Return the whole path as data, in the form of a report's traces, with the position."""
        trace = replay(self.reference, self._initial, self._steps).trace
        taken = actions_along(self.reference.system, trace)
        run = run_data(trace, _ROOM) | {"loop": self._loop}
        return {
            **run,
            "places": places_data(self.reference.system, taken),
            "sequence": sequence_data(self.reference.system, trace, taken),
            "here": self.here(),
        }

    def here(self) -> dict[str, Any]:
        """Return the current position as data: the enabled steps, the labels and the violated claims."""
        state = self._states[self._here]
        edges = self._edges
        following = self._steps[self._here] if self._here < len(self._steps) else None
        return {
            "number": self._here,
            "initial": self._initial,
            "initial_states": len(self.reference.initial()),
            "steps": [self._step(state, number, edge) for number, edge in enumerate(edges[:_MOST_STEPS])],
            "all_steps": len(edges),
            "following": following,
            "again": self._again(state),
            "violated": self._evaluator.violations(state),
            "labels": self._evaluator.labels(state),
            "end": None if edges else self._end(state),
        }

    def around(self, depth: int) -> dict[str, Any]:
        """Return the drawing of the states around the current one, at most `depth` steps ahead."""
        before = self._states[self._here - 1] if self._here else None
        return around_data(self.reference, self._states[self._here], before, depth)

    @property
    def _edges(self) -> list[Edge]:
        return list(self.reference.edges(self._states[self._here]))

    def _again(self, state: State) -> int | None:
        """Return the first index of this state on the path; None if the current position is that index."""
        first = self._places[state]
        return first if first < self._here else None

    @property
    def _places(self) -> dict[State, int]:
        """Return the first index of each state on the path."""
        places: dict[State, int] = {}
        for number, state in enumerate(self._states):
            places.setdefault(state, number)
        return places

    def _step(self, state: State, number: int, edge: Edge) -> dict[str, Any]:
        if edge.target is None:
            kind = "" if edge.fault is None else edge.fault.kind
            return {"step": number, "action": edge.action, "changes": [], "fault": kind}
        found = tuple(changes(self.reference.describe(state), self.reference.describe(edge.target)))
        lines = change_lines(Step(edge.action, found), "")
        return {"step": number, "action": edge.action, "changes": lines, "fault": None}

    def _end(self, state: State) -> str:
        labels = self.reference.labels(state)
        if self.reference.system.ends is not None and labels >> DEADLOCK_BIT & 1 and not labels >> STUCK_BIT & 1:
            return "No step can be taken, and the model may end here."
        return "Deadlock: no step can be taken."


class Tabs:
    """All tabs by their secret names; the least recently used one is dropped to make room for a new one."""

    def __init__(self, system: System) -> None:
        self._system = system
        self._tabs: OrderedDict[str, Tab] = OrderedDict()
        self._lock = Lock()

    def open(self) -> str:
        """Open a new tab and return its name."""
        name = secrets.token_urlsafe(12)
        tab = Tab(self._system)
        with self._lock:
            self._tabs[name] = tab
            while len(self._tabs) > _MOST_TABS:
                self._tabs.popitem(last=False)
        return name

    def of(self, name: str) -> Tab:
        """Return the tab with this name. Raises `UsageError` if it has been dropped."""
        with self._lock:
            if name not in self._tabs:
                raise UsageError("this tab has expired: reload the page")
            self._tabs.move_to_end(name)
            return self._tabs[name]
