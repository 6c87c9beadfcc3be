"""The reachable graph of a model, state by state, for export, drawing or programs."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib import import_module
from pathlib import Path
from typing import Any

from strandline.checker.driver.fault_attribution import fault_verdict
from strandline.checker.driver.outcome import RunOutcome
from strandline.checker.driver.run import SearchRun, run_search
from strandline.checker.driver.searches import StateSearches
from strandline.checker.driver.specification import SearchSpecification
from strandline.checker.limits.progress import NullCallback, ProgressCallback
from strandline.checker.measures.choice import SweepMeasures
from strandline.checker.options.effects import THE_GRAPH, Decided, refuse_without_effect
from strandline.checker.options.search import SWEEP, Options
from strandline.checker.options.temporal import TemporalOptions
from strandline.compile.kernel import MAXIMUM_PREDICATES, Kernel, Reference
from strandline.engine.runtime.memory import WordArray
from strandline.errors import InputError, InternalError, ResourceError, UsageError
from strandline.model.expression import FALSE, Binary, Const, Expression, Read, row
from strandline.model.measure import Measure
from strandline.model.system import Capability, System
from strandline.traces.interpreter_walk import reference_of

_OBJECT_WORDS, _NUMBER_WORDS = 40, 5
"""Memory in 64-bit words of a state as a Python object, and of a number in a list."""


@dataclass(frozen=True, slots=True)
class Node:
    """A state of a graph.

    `number` is its index in the order of discovery, `truths` are the values of the propositions in their order; each
    edge is a pair of the name of its action and the number of its target.
    """

    number: int
    state: tuple[int, ...]
    truths: tuple[bool, ...]
    progress: int
    edges: tuple[tuple[str, int], ...]


@dataclass(slots=True, eq=False)
class GraphTask:
    """A request for a graph: the System, its propositions, and its measure, if any."""

    system: System
    propositions: Mapping[str, Expression]
    measure: Measure | None = None
    _progress: Expression | None = field(init=False, default=None)

    def __post_init__(self) -> None:
        if len(self.propositions) > MAXIMUM_PREDICATES:
            raise UsageError(f"a graph can have {MAXIMUM_PREDICATES} propositions, not {len(self.propositions)}")
        if self.measure is not None:
            parts = [one.expression for one in self.measure.components]
            if len(parts) > 1:
                raise UsageError("the progress of a state is one number in a graph: give a single measure")
            self._progress = parts[0] if parts else None

    def progress_of(self, reference: Reference, state: tuple[int, ...]) -> int:
        """Return the value of the measure in a state; 0 without a measure."""
        return 0 if self._progress is None else int(reference.values(state, [self._progress])[0])


def graph_task(
    system: System, propositions: Mapping[str, str], options: Options, callback: ProgressCallback | None = None
) -> GraphTask:
    """Return the task of generating a model's graph, with propositions and a measure for progress.

    The propositions are the model's labels and further ones, the measure is the given or the declared one. A property
    process is left out. Raises `InputError` for expressions that cannot be parsed, and `UsageError` for options without
    effect.
    """
    plain = system.alone
    graph = Decided(THE_GRAPH, "the graph of a model")
    refuse_without_effect([graph], options, TemporalOptions(), reentrant=Capability.THREADS in plain.capabilities)
    found = {one.name: one.expression for one in plain.labels}
    for name, text in propositions.items():
        found[name] = plain.scope.parse(text, name=f"label {name}")
    wanted = options.measures or plain.measures
    measure = SweepMeasures(options, callback or NullCallback()).of(plain).measure if wanted else None
    return GraphTask(plain, found, measure)


def explore_graph(
    task: GraphTask, options: Options, take: Callable[[Node], None], callback: ProgressCallback | None = None
) -> RunOutcome:
    """Explore breadth-first, and call `take` with every state once its successors are numbered.

    Limits, Ctrl-C and a fault of the model are recorded in the returned outcome.
    """
    observer = _GraphObserver(task, take)
    specification = SearchSpecification(
        system=task.system,
        predicates=tuple(task.propositions.values()),
        measure=None,
        searches=StateSearches(replace(options, order="bfs", measure=(), componentwise=False), 0),
        options=options,
        started=time.perf_counter(),
        observe=observer.attach,
        observes_edges=True,
    )
    with run_search(specification, callback or NullCallback()) as run:
        _note_fault(run)
    return run.outcome


def _note_fault(run: SearchRun) -> None:
    if run.fault is not None:
        trace = run.replay(run.fault).trace
        run.outcome.fault = fault_verdict(run.specification.system, trace, (), None)


@dataclass(slots=True)
class _GraphObserver:
    """An observer that passes each state to `take` when all its successors are numbered."""

    task: GraphTask
    take: Callable[[Node], None]
    layers: bool = False
    _kernel: Kernel | None = None
    _skipped: int = 0
    _waiting: list[tuple[int, tuple[int, ...], int, int]] = field(default_factory=list)
    _expanded: list[tuple[tuple[int, ...], int, int]] = field(default_factory=list)
    _targets: list[int] = field(default_factory=list)

    def attach(self, folder: Path, kernel: Kernel) -> _GraphObserver:
        self._kernel, self._skipped = kernel, len(kernel.initial)
        return self

    # As an observer

    @property
    def held_words(self) -> int:
        return _OBJECT_WORDS * (len(self._waiting) + len(self._expanded)) + _NUMBER_WORDS * len(self._targets)

    def expanded(self, states: WordArray) -> None:
        for *words, labels, degree in states.tolist():
            self._expanded.append((tuple(words), labels, degree))

    def layer_finished(self, column: int, layer: int) -> None:
        return None

    def edges(self, sources: WordArray, targets: WordArray) -> None:
        for record, (state, labels, degree) in zip(sources.tolist(), self._expanded, strict=True):
            self._waiting.append((record, state, labels, degree))
        self._expanded.clear()
        skipped = min(self._skipped, len(targets))
        self._skipped -= skipped
        self._targets += targets[skipped:].tolist()
        self._hand_over()

    def _hand_over(self) -> None:
        """Pass on the states whose successors are all numbered, in the order of their expansion."""
        if self._kernel is None:
            raise InternalError("nobody listens to this search")
        reference, taken, done = self._kernel.reference, 0, 0
        for record, state, labels, degree in self._waiting:
            if taken + degree > len(self._targets):
                break
            names = [edge.action for edge in reference.edges(state)]
            edges = tuple(zip(names, self._targets[taken : taken + degree], strict=True))
            truths = tuple(bool(labels >> number & 1) for number in range(len(self.task.propositions)))
            self.take(Node(record, state, truths, self.task.progress_of(reference, state), edges))
            taken, done = taken + degree, done + 1
        del self._waiting[:done], self._targets[:taken]


@dataclass(frozen=True, slots=True)
class ProductGraph:
    """The product of a System with its observer, in memory: facts by the number of each state."""

    states: Mapping[int, Mapping[str, Any]]
    successors: Mapping[int, Sequence[int]]
    progress: Mapping[int, int]
    accepting: frozenset[int]


def product_graph(product: System, options: Options, callback: ProgressCallback) -> ProductGraph:
    """Return the graph of a product; the progress of its states is that of the System without the observer.

    Raises `ResourceError` if the search does not come to its end.
    """
    observer = product.observer
    if observer is None:
        raise InternalError("a product has an observer")
    places = [Binary("==", Read(observer.location), Const(place)) for place in sorted(observer.accepting)]
    accepts = row("or", places) if places else FALSE
    measure = SweepMeasures(options, callback).of(product.alone).measure
    nodes: list[Node] = []
    task = GraphTask(product, {"accepting": accepts}, measure)
    outcome = explore_graph(task, options, nodes.append, callback)
    if not outcome.complete:
        raise ResourceError(f"the product is not complete: {outcome.reason}")
    reference = reference_of(product)
    return ProductGraph(
        {one.number: reference.describe(one.state) for one in nodes},
        {one.number: [target for _, target in one.edges] for one in nodes},
        {one.number: one.progress for one in nodes},
        frozenset(one.number for one in nodes if one.truths[0]),
    )


def explore_tree(
    system: System, options: Options, callback: ProgressCallback
) -> list[tuple[Mapping[str, Any], Mapping[str, Any] | None]]:
    """Return every stored state in the order of discovery, with its parent, as values by variable name.

    The parent of an initial state is None. In a sweep a state that was deleted may come again. Raises `ResourceError`
    if the search does not come to its end.
    """
    records = _RecordObserver()
    measure = SweepMeasures(options, callback).of(system).measure if options.order == SWEEP else None
    specification = SearchSpecification(
        system=system,
        predicates=(),
        measure=measure,
        searches=StateSearches(options, 0),
        options=options,
        started=time.perf_counter(),
        observe=records.attach,
        observes_edges=True,
    )
    with run_search(specification, callback) as run:
        _note_fault(run)
        parents = list(run.parents()) if run.outcome.complete else []
    if not run.outcome.complete:
        raise ResourceError(f"the tree is not complete: {run.outcome.reason}")
    described = [records.reference.describe(records.states[record]) for record in range(len(records.states))]
    return [
        (one, None if parent is None else described[parent]) for one, parent in zip(described, parents, strict=True)
    ]


@dataclass(slots=True)
class _RecordObserver:
    """An observer that keeps every expanded state by its record number."""

    layers: bool = False
    states: dict[int, tuple[int, ...]] = field(default_factory=dict)
    _kernel: Kernel | None = None
    _expanded: list[tuple[int, ...]] = field(default_factory=list)

    def attach(self, folder: Path, kernel: Kernel) -> _RecordObserver:
        self._kernel = kernel
        return self

    @property
    def reference(self) -> Reference:
        if self._kernel is None:
            raise InternalError("nobody listens to this search")
        return self._kernel.reference

    @property
    def held_words(self) -> int:
        return _OBJECT_WORDS * (len(self.states) + len(self._expanded))

    def expanded(self, states: WordArray) -> None:
        self._expanded = [tuple(row[:-2]) for row in states.tolist()]

    def layer_finished(self, column: int, layer: int) -> None:
        return None

    def edges(self, sources: WordArray, targets: WordArray) -> None:
        self.states.update(zip(sources.tolist(), self._expanded, strict=True))
        self._expanded = []


@dataclass(frozen=True, slots=True, repr=False)
class StateGraph:
    """The reachable graph of a model in memory; see `strandline.graph`.

    Nodes are numbered in the order of their discovery, the initial states first.
    """

    system: System
    propositions: tuple[str, ...]
    nodes: tuple[Node, ...]
    initial: tuple[int, ...]
    states: Sequence[Mapping[str, Any]]
    """The values of the variables at each node, by the node's number."""

    def __len__(self) -> int:
        return len(self.nodes)

    def __repr__(self) -> str:
        edges = sum(len(one.edges) for one in self.nodes)
        return f"<StateGraph {self.system.name}: {len(self.nodes):,} states, {edges:,} transitions>"

    def nodes_with(self, proposition: str) -> frozenset[int]:
        """Return the numbers of the nodes at which a proposition is true.

        Raises `UsageError` for an unknown proposition.
        """
        if proposition not in self.propositions:
            known = ", ".join(self.propositions) or "none"
            raise UsageError(f"the graph has no proposition '{proposition}' (known: {known})")
        place = self.propositions.index(proposition)
        return frozenset(one.number for one in self.nodes if one.truths[place])

    def to_networkx(self) -> Any:
        """Return a `networkx.MultiDiGraph`: nodes with variables, `labels` and `progress`, edges with their `action`.

        Raises `UsageError` if networkx is not installed.
        """
        try:
            networkx = import_module("networkx")
        except ImportError:
            raise UsageError("networkx is not installed: pip install networkx") from None
        made = networkx.MultiDiGraph(name=self.system.name)
        for one in self.nodes:
            labels = tuple(name for name, truth in zip(self.propositions, one.truths, strict=True) if truth)
            variables = dict(self.states[one.number])
            made.add_node(one.number, state=variables, labels=labels, progress=one.progress)
        for one in self.nodes:
            for action, target in one.edges:
                made.add_edge(one.number, target, action=action)
        return made


def collect_graph(task: GraphTask, options: Options) -> StateGraph:
    """Return the whole graph as an object in memory.

    Raises `ResourceError` if a limit ends the exploration, and `InputError` for a fault of the model.
    """
    nodes: list[Node] = []
    outcome = explore_graph(task, options, nodes.append)
    if outcome.interrupted:
        raise KeyboardInterrupt
    if outcome.fault is not None:
        raise InputError(f"the graph cannot be made: {outcome.fault.reason}")
    if not outcome.complete:
        raise ResourceError(f"the graph is not complete: {outcome.reason}")
    reference = reference_of(task.system)
    places = {one.state: one.number for one in nodes}
    initial = tuple(dict.fromkeys(places[state] for state in reference.initial()))
    described = [reference.describe(one.state) for one in nodes]
    return StateGraph(task.system, tuple(task.propositions), tuple(nodes), initial, described)
