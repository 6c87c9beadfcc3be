"""The other door: any Python callables over hashable states as a Kernel.

    model = strandline.from_callables(
        init=lambda: [(0, 0)],
        successors=lambda state: [("tick", (state[0] + 1) % 5, state[1])],   # see `from_callables`
        labels={"done": lambda state: state[0] == 4},
    )
    strandline.check(model, reach="done")

States are interned: a state's number is its packed word, and the objects stay in memory as long as the model does.
So the engine, its orders and its traces are the same as for every model, but a sweep cannot forget states: only their
numbers. A callable that raises stops the search, and the exception comes out of it.
"""

from __future__ import annotations

import ctypes
import time
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from strandline.compile.interpret import evaluate
from strandline.compile.interpreted import _SIGNATURE
from strandline.compile.kernel import DEADLOCK_BIT, Edge, Kernel, record_of
from strandline.compile.llvm import compile_system
from strandline.errors import UsageError
from strandline.model.expression import Expression, Read
from strandline.model.measure import Component, Measure
from strandline.model.system import Domain, Predicate, System, Variable
from strandline.source import Source

INTERNED = "states are Python objects, which stay in memory: forgetting saves only the engine's share"
PROGRESS = "progress"
_FAILED = -(1 << 62)

State = Hashable


@dataclass(frozen=True)
class CallableSystem(System):
    """A System in name: its variables are the labels and the progress of a state, its steps the callables'."""

    start: Callable[[], Iterable[State]] = field(default=tuple, repr=False)
    steps: Callable[[Any], Iterable[Any]] = field(default=lambda state: (), repr=False)
    label_functions: Mapping[str, Callable[[Any], Any]] = field(default_factory=dict, repr=False)
    progress_function: Callable[[Any], int] | None = field(default=None, repr=False)
    notes: tuple[str, ...] = (INTERNED,)


def from_callables(
    init: Callable[[], Iterable[State]] | Iterable[State],
    successors: Callable[[Any], Iterable[Any]],
    progress: Callable[[Any], int] | None = None,
    labels: Mapping[str, Callable[[Any], Any]] | None = None,
    *,
    name: str = "callables",
) -> CallableSystem:
    """A model from Python callables; `strandline.check` and `explore` take it.

    `init` gives the initial states (or is a collection of them), `successors` the states that follow one; an item
    that is a `tuple` of a text and a state names the step. States are any hashable values that never change.
    `labels` are conditions by name, of which properties speak (`reach="done"`, `invariants="not bad"`);
    `progress` is a measure for `order="sweep"`.
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
        start=start,
        steps=successors,
        label_functions=conditions,
        progress_function=progress,
    )


def make_kernel(system: System, predicates: Sequence[Expression] = (), measure: Measure | None = None) -> Kernel:
    """The Kernel of any System: machine code, or the callables behind it."""
    if isinstance(system, CallableSystem):
        return _callback_kernel(system, predicates, measure)
    return compile_system(system, predicates, measure)


class _Twin:
    """The callables on interned states: a state is `(number,)`."""

    def __init__(self, system: CallableSystem, predicates: Sequence[Expression], measure: Measure | None) -> None:
        self.system, self.predicates, self.measure = system, tuple(predicates), measure
        self.states: list[Any] = []
        self.numbers: dict[State, int] = {}
        self._initial = [self.intern(state) for state in system.start()]

    def intern(self, state: State) -> tuple[int, ...]:
        number = self.numbers.setdefault(state, len(self.states))
        if number == len(self.states):
            self.states.append(state)
        return (number,)

    def initial(self) -> Sequence[tuple[int, ...]]:
        return self._initial

    def edges(self, state: tuple[int, ...]) -> Sequence[Edge]:
        found = []
        for item in self.system.steps(self.states[state[0]]):
            named = isinstance(item, tuple) and len(item) == 2 and isinstance(item[0], str)
            action, target = item if named else ("step", item)
            found.append(Edge(action, self.intern(target)))
        return found

    def labels(self, state: tuple[int, ...]) -> int:
        return self.mask(state) | (not self.edges(state)) << DEADLOCK_BIT

    def mask(self, state: tuple[int, ...]) -> int:
        values = self._values(state) if self.predicates else ()
        return sum(
            bool(evaluate(predicate, values, self.system.offsets)) << number
            for number, predicate in enumerate(self.predicates)
        )

    def progress(self, state: tuple[int, ...]) -> tuple[int, int]:
        if self.measure is None:
            return 0, 0
        values = self._values(state)
        column = evaluate(self.measure.column, values, self.system.offsets)
        return column, evaluate(self.measure.layer, values, self.system.offsets)

    def values(self, state: tuple[int, ...], expressions: Sequence[Expression]) -> tuple[int, ...]:
        values = self._values(state)
        return tuple(evaluate(one, values, self.system.offsets) for one in expressions)

    def describe(self, state: tuple[int, ...]) -> dict[str, str]:
        return {"state": repr(self.states[state[0]])}

    def _values(self, state: tuple[int, ...]) -> tuple[int, ...]:
        """The labels and the progress, in the order of the System's variables."""
        value, system = self.states[state[0]], self.system
        found = [int(bool(condition(value))) for condition in system.label_functions.values()]
        if system.progress_function is not None:
            found.append(int(system.progress_function(value)))
        return tuple(found)


class _Callback:
    """`successors` of the ABI. An exception cannot cross C: it is kept in `error`, and the answer is a fault."""

    def __init__(self, twin: _Twin) -> None:
        self.twin = twin
        self.error: BaseException | None = None
        self.function = _SIGNATURE(self._run)

    def _run(self, state, records, capacity, labels):  # type: ignore[no-untyped-def]
        try:
            return self._answer(state, records, capacity, labels)
        except BaseException as error:  # noqa: BLE001  (nothing may cross C; `Kernel.reraise` raises it)
            self.error = error
            return _FAILED

    def _answer(self, state, records, capacity, labels) -> int:  # type: ignore[no-untyped-def]
        twin, packed = self.twin, (int(state[0]),)
        edges = twin.edges(packed)
        labels[0] = twin.mask(packed) | (not edges) << DEADLOCK_BIT
        for number, edge in enumerate(edges[:capacity]):
            assert edge.target is not None
            record = record_of(twin, twin.measure, packed, edge.target)
            for offset, word in enumerate(record):
                records[number * len(record) + offset] = word
        return len(edges)


def _callback_kernel(system: CallableSystem, predicates: Sequence[Expression], measure: Measure | None) -> Kernel:
    started = time.perf_counter()
    twin = _Twin(system, predicates, measure)
    initial = twin.initial()
    if not initial:
        raise UsageError("the model has no initial state")
    callback = _Callback(twin)
    address = ctypes.cast(callback.function, ctypes.c_void_p).value
    assert address is not None
    return Kernel(
        words=1,
        measured=measure is not None,
        componentwise=measure is not None and bool(measure.compared),
        successors=address,
        initial=np.array(initial, dtype=np.uint64).reshape(len(initial), 1),
        initial_progress=np.array([twin.progress(state) for state in initial], dtype=np.int64).reshape(-1, 2),
        fault_sites=(),
        twin=twin,
        compile_seconds=time.perf_counter() - started,
        keep_alive=callback,
        pending_error=lambda: callback.error,
    )
