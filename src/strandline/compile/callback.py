"""Kernels from Python callables over hashable states.

    model = strandline.from_callables(
        init=lambda: [(0, 0)],
        successors=lambda state: [("tick", ((state[0] + 1) % 5, state[1]))],   # see `from_callables`
        labels={"done": lambda state: state[0] == 4},
    )
    strandline.check(model, reach="done")

States are interned: a state's number is its packed word, and the objects stay in memory as long as the model does. So
the engine, its orders and its traces are the same as for every model, but a sweep cannot free states, only their
numbers. A callable that raises stops the search, and its exception propagates to the caller.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from strandline.compile.callback_adapter import wrap_reference
from strandline.compile.interpret import evaluate
from strandline.compile.kernel import DEADLOCK_BIT, Edge, Kernel
from strandline.errors import UsageError
from strandline.model.expression import Expression, Read
from strandline.model.measure import Component, Measure
from strandline.model.plain import PlainScope
from strandline.model.system import Capability, Domain, Predicate, System, Variable
from strandline.source import Source

INTERNED = "states are Python objects, which stay in memory: forgetting saves only the engine's share"
PROGRESS = "progress"

State = Hashable


@dataclass(frozen=True)
class CallableSystem(System):
    """A model of Python callables; its variables are the labels and the progress of a state."""

    capabilities: ClassVar[frozenset[Capability]] = frozenset()

    start: Callable[[], Iterable[State]] = field(default=tuple, repr=False)
    steps: Callable[[Any], Iterable[Any]] = field(default=lambda state: (), repr=False)
    label_functions: Mapping[str, Callable[[Any], Any]] = field(default_factory=dict, repr=False)
    progress_function: Callable[[Any], int] | None = field(default=None, repr=False)
    named: bool | None = None
    notes: tuple[str, ...] = (INTERNED,)


def from_callables(
    init: Callable[[], Iterable[State]] | Iterable[State],
    successors: Callable[[Any], Iterable[Any]],
    progress: Callable[[Any], int] | None = None,
    labels: Mapping[str, Callable[[Any], Any]] | None = None,
    *,
    named: bool | None = None,
    name: str = "callables",
) -> CallableSystem:
    """Make a model from Python callables, for `strandline.check` and `explore`.

    `init` returns the initial states (or is a collection of them), `successors` returns the successors of a state; an
    item that is a `tuple` of a text and a state names the step. States are hashable values that never change. Where an
    item could be a state as well (states that are pairs beginning with a text), `named` decides: True if every item is
    a name with a state, False if every item is a state; without it such an item is refused. `labels` are named
    conditions for properties (`reach="done"`, `invariants="not bad"`); `progress` is a measure for `order="sweep"`.
    """
    conditions = dict(labels or {})
    for one in conditions:
        if not one.isidentifier() or one == PROGRESS:
            raise UsageError(f"a label needs a plain name, not '{one}'")
    variables = [Variable(one, Domain(0, 1)) for one in conditions]
    measures: tuple[Component, ...] = ()
    if progress is not None:
        variables.append(Variable(PROGRESS, Domain(-(2**63), 2**63 - 1)))
        measures = (Component(Read(variables[-1]), name=PROGRESS),)
    start = init if callable(init) else lambda: init
    return CallableSystem(
        name=name,
        source=Source(name, ""),
        variables=tuple(variables),
        processes=(),
        actions=(),
        labels=tuple(Predicate(one.name, Read(one)) for one in variables[: len(conditions)]),
        measures=measures,
        initial=((0,) * len(variables),),
        scope=PlainScope(variables),
        start=start,
        steps=successors,
        label_functions=conditions,
        progress_function=progress,
        named=named,
    )


class _Reference:
    """The callables over interned states; a packed state is `(number,)`."""

    def __init__(self, system: CallableSystem, predicates: Sequence[Expression], measure: Measure | None) -> None:
        self.system, self.predicates, self.measure = system, tuple(predicates), measure
        self.states: list[Any] = []
        self.numbers: dict[State, int] = {}
        self._latest: tuple[tuple[int, ...], list[Edge]] | None = None
        self._initial = [self.intern(state) for state in system.start()]

    def intern(self, state: State) -> tuple[int, ...]:
        number = self.numbers.setdefault(state, len(self.states))
        if number == len(self.states):
            self.states.append(state)
        return (number,)

    def initial(self) -> Sequence[tuple[int, ...]]:
        return self._initial

    def edges(self, state: tuple[int, ...]) -> Sequence[Edge]:
        """Return the edges of a state; cached for two calls in a row, for its labels and then for its steps."""
        if self._latest is None or self._latest[0] != state:
            self._latest = state, self._call_successors(state)
        return self._latest[1]

    def _call_successors(self, state: tuple[int, ...]) -> list[Edge]:
        found = []
        for item in self.system.steps(self.states[state[0]]):
            action, target = item if self._is_named(item) else ("step", item)
            found.append(Edge(action, self.intern(target)))
        return found

    def _is_named(self, item: Any) -> bool:
        """Return True if an item of `successors` is a pair of a step's name and a state.

        A pair that begins with a text is ambiguous if states may be such pairs themselves: if an initial state is one,
        or the second item has another type than all initial states. Raises `UsageError` in that case, unless `named`
        decides it.
        """
        named, pair = self.system.named, _is_pair(item)
        if named and not pair:
            raise UsageError(f"named=True: a step is a pair (name, state), not {item!r:.100}")
        if named is not None or not pair:
            return bool(named)
        initial_states = [self.states[number] for (number,) in self._initial]
        if all(_is_pair(one) != _is_pair(item[1]) or type(one) is not type(item[1]) for one in initial_states):
            raise UsageError(
                f"{item!r:.100} may be a state, or a step named {item[0]!r:.40} with its target: say which, for all "
                "items of 'successors', by named=False or named=True"
            )
        return True

    def labels(self, state: tuple[int, ...]) -> int:
        values = self._values(state) if self.predicates else ()
        mask = sum(
            bool(evaluate(predicate, values, self.system.offsets)) << number
            for number, predicate in enumerate(self.predicates)
        )
        return mask | (not self.edges(state)) << DEADLOCK_BIT

    def progress(self, state: tuple[int, ...]) -> tuple[int, int]:
        if self.measure is None:
            return 0, 0
        values = self._values(state)
        column = evaluate(self.measure.column, values, self.system.offsets)
        return column, evaluate(self.measure.layer, values, self.system.offsets)

    def values(self, state: tuple[int, ...], expressions: Sequence[Expression]) -> tuple[int, ...]:
        values = self._values(state)
        return tuple(evaluate(one, values, self.system.offsets) for one in expressions)

    def describe(self, state: tuple[int, ...]) -> dict[str, Any]:
        return {"state": self.states[state[0]]}

    def _values(self, state: tuple[int, ...]) -> tuple[int, ...]:
        """Return the labels and the progress, in the order of the System's variables."""
        value, system = self.states[state[0]], self.system
        found = [int(bool(condition(value))) for condition in system.label_functions.values()]
        if system.progress_function is not None:
            found.append(int(system.progress_function(value)))
        return tuple(found)


def _is_pair(value: Any) -> bool:
    return isinstance(value, tuple) and len(value) == 2 and isinstance(value[0], str)


def callback_kernel(
    system: CallableSystem, predicates: Sequence[Expression] = (), measure: Measure | None = None
) -> Kernel:
    """Return a Kernel that calls the callables."""
    started = time.perf_counter()
    reference = _Reference(system, predicates, measure)
    if not reference.initial():
        raise UsageError("the model has no initial state")
    return wrap_reference(reference, 1, measure, time.perf_counter() - started)
