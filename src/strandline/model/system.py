"""A System: bounded variables, processes with locations, guarded commands.

This is all that the rest of the program knows of a model. Languages lower everything else to it: a rendezvous is
one action with two moves, a buffered channel is an array and a counter, a typed message is several variables.

The semantics, which `strandline.compile.interpret` defines by running it:

- A *valuation* gives every variable its values, in the order of `System.variables`, arrays element by element.
- An action is enabled when every process it moves stands in the move's source, its guard is true, and it is not
  held back by a committed location (see `Action.committed`). Its effects run in sequence, each seeing the ones
  before, except that a row of them may be made at once (see `Assign.together`); they include the change of location.
- Asynchronous systems take one enabled action at a time. Synchronous systems take one action of every process
  together: guards read the source state, effects run in the order of the processes; if a process has none, the
  system has no step.
- An action with `continues` does not end its step: the process that it names takes one of its enabled actions in the
  same step. If it has none, the step ends there. A path through such actions is one step; the states between are not
  states of the System.
- Actions with `idle` are tried only in states where no other step is possible, and never inside a step.
- An observer (property automaton) steps together with every system step; its guards read the *source* state, its
  effects run last. Where the system has no step the observer steps alone.
- Steps are enumerated in the canonical order of `System.actions`, observer edges innermost, so "the k-th step of
  this state" means the same in every back end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import cached_property
from typing import Any, ClassVar

from strandline.model.expression import Binary, Const, Element, Expression, Read
from strandline.model.measure import Component
from strandline.model.plain import PlainScope
from strandline.model.scope import Scope, Without
from strandline.rich_display import Shown
from strandline.source import Source, Span


@dataclass(frozen=True, slots=True)
class Names:
    """Values that are names: the numbers from `first` on stand for `size` members of a set.

    All members are interchangeable, wherever they stand (a scalarset).
    """

    of: str
    """The name of the set."""
    size: int
    first: int = 0


@dataclass(frozen=True, slots=True)
class Domain:
    """The integers `low..high`; an assignment outside them wraps around or is a fault of the model."""

    low: int
    high: int
    wraps: bool = False
    tight: bool = False
    """True if the bounds are already the least possible, so that no analysis narrows them."""
    names: Names | None = None
    """Set if the model declares some of the values as names."""

    @property
    def size(self) -> int:
        return self.high - self.low + 1

    def __contains__(self, value: int) -> bool:
        return self.low <= value <= self.high

    def wrap(self, value: int) -> int:
        """Return the member congruent to the value modulo the domain's size."""
        return (value - self.low) % self.size + self.low


@dataclass(frozen=True, slots=True, eq=False)
class Variable:
    """A bounded integer variable, or an array of them if `length` is given. Compared by identity."""

    name: str
    domain: Domain
    length: int | None = None
    initial: tuple[int, ...] = (0,)
    names: tuple[str, ...] | None = None
    """Names of the values 0, 1, ...: locations, enumerations."""
    owner: str | None = None
    """The process that the variable belongs to; None for a global variable."""
    span: Span | None = None
    hidden: bool = False
    """True for a variable of a property, which is not shown with the states of the model."""

    @property
    def slots(self) -> int:
        """Number of entries that the variable takes in a valuation."""
        return 1 if self.length is None else self.length

    def value(self, number: int) -> int | str:
        """Return the meaning of a number: a name if the values have names."""
        if self.names is not None and 0 <= number < len(self.names):
            return self.names[number]
        return number

    def show(self, number: int) -> str:
        """Render a value as the model's author would write it."""
        return str(self.value(number))


@dataclass(frozen=True, slots=True)
class Process:
    """A process with control locations; `location` is the variable that holds the current one."""

    name: str
    location: Variable
    committed: frozenset[int] = frozenset()
    """Locations that must be left before any other process moves."""
    span: Span | None = None
    jumps: bool = False
    """True if effects that belong to no move also assign its location."""

    @property
    def locations(self) -> tuple[str, ...]:
        return self.location.names or ()


@dataclass(frozen=True, slots=True)
class Move:
    """The move of one process from a location to another, both given as indices."""

    process: int
    source: int
    target: int


@dataclass(frozen=True, slots=True)
class Assign:
    """The assignment `target = value`; the element's index and the value are read before the write."""

    target: Read | Element
    value: Expression
    span: Span | None = None
    together: bool = False
    """True if it is simultaneous with the previous assignment, whose write it does not see.

    Of a whole row of simultaneous assignments, all indices and values are read, in order, before the first write; see
    `rows`.
    """


@dataclass(frozen=True, slots=True)
class Action:
    """A guarded command: its moves, its guard (None is true), and its effects in order."""

    name: str
    moves: tuple[Move, ...]
    guard: Expression | None
    effects: tuple[Assign, ...]
    committed: bool = False
    """True if it leaves a committed location. While any process is in one, only such actions are enabled."""
    span: Span | None = None
    continues: int | None = None
    """The number of the process that goes on in the same step; None if the step ends. Of asynchronous systems only."""
    idle: bool = False
    """True if it is possible only where no step without such actions is."""


def rows(effects: Iterable[Assign]) -> Iterator[tuple[Assign, ...]]:
    """Group effects into rows of simultaneous assignments; most rows are a single one."""
    row: list[Assign] = []
    for effect in effects:
        if row and not effect.together:
            yield tuple(row)
            row = []
        row.append(effect)
    if row:
        yield tuple(row)


@dataclass(frozen=True, slots=True)
class Observer:
    """A Büchi automaton that observes the system: a process whose edges read the source state."""

    name: str
    location: Variable
    edges: tuple[Action, ...]
    accepting: frozenset[int]
    span: Span | None = None
    beside: System | None = field(default=None, repr=False, compare=False)
    """The System that the property was put beside; None if the property process is part of the model."""


@dataclass(frozen=True, slots=True)
class Predicate:
    """A named condition on single states: a label, an invariant, an assertion of the model."""

    name: str
    expression: Expression
    span: Span | None = None


@dataclass(frozen=True, slots=True)
class Claim:
    """A formula that the model declares. It is parsed by `scope` when it is checked."""

    logic: str
    """`ltl` or `ctl`."""
    name: str
    text: str
    scope: Scope | None = field(default=None, repr=False, compare=False)
    """The names for parsing it; None for the System's own scope."""
    span: Span | None = None
    """The position of the text in the System's source, if it stands there verbatim; else None."""


@dataclass(frozen=True, slots=True)
class Fairness:
    """A fairness condition that the model declares.

    On fair runs `condition` is true infinitely often; or, if there is no condition, infinitely often one of `actions`
    is taken or none of them is enabled (weak fairness). With `strong`, one of `actions` is taken infinitely often, or
    from some point on none of them is enabled.
    """

    name: str
    actions: tuple[Action, ...] = ()
    """Some of the System's own actions, by identity."""
    condition: Expression | None = None
    span: Span | None = None
    strong: bool = False


_OF_STEPS = ("actions", "processes", "synchronous", "ends", "bounds")
"""The fields of a System that define its steps, except its variables."""


def _effects(observer: Observer) -> Iterator[Assign]:
    return (effect for edge in observer.edges for effect in edge.effects)


def _writes(effect: Assign, variable: Variable) -> bool:
    return isinstance(effect.target, Read) and effect.target.variable is variable


def _canonical(action: Action) -> tuple[int, ...]:
    return tuple(number for move in action.moves for number in (move.process, move.source))


class Capability(Enum):
    """Something that a System supports. Strategies test for it, not for the class of the System."""

    ACTIONS = "its actions say what they read and write"
    """It has guarded actions, as reductions, automatic measures, temporal logic, BDDs and GPUs require."""
    THREADS = "several threads may compute successors at once"


@dataclass(frozen=True)
class System(Shown):
    """A model in the form that all engines take; see the module's docstring.

    Build it with `System.create`, which sorts the actions canonically.
    """

    capabilities: ClassVar[frozenset[Capability]] = frozenset(Capability)

    name: str
    source: Source
    variables: tuple[Variable, ...]
    processes: tuple[Process, ...]
    actions: tuple[Action, ...]
    synchronous: bool = False
    observer: Observer | None = None
    assertions: tuple[Predicate, ...] = ()
    labels: tuple[Predicate, ...] = ()
    invariants: tuple[Predicate, ...] = ()
    goals: tuple[Predicate, ...] = ()
    """Invariants of the model."""
    claims: tuple[Claim, ...] = ()
    failures: tuple[Action, ...] = ()
    """Steps that violate an assertion. They are steps only while assertions are checked; see `with_failures`."""
    ends: Expression | None = None
    """An expression that is true in deadlocks that are valid ends; None if the model declares none."""
    bounds: tuple[Predicate, ...] = ()
    """For reports: conditions under which a buffer or other bounded part is full, so that actions block silently."""
    actors: tuple[str, ...] = ()
    """Names of processes without a location; the names of their actions begin with them, as in `Sender.send`."""
    impossible: tuple[str, ...] = ()
    """Actions of the model that are never enabled, and so are left out of the System; for reports."""
    measures: tuple[Component, ...] = ()
    """The components of the measure that the model declares, in lexicographic order."""
    fairness: tuple[Fairness, ...] = ()
    notes: tuple[str, ...] = ()
    """Notes on how the model was interpreted, in sentences; for reports."""
    parameters: tuple[tuple[str, Any], ...] = ()
    """The names and values of parameters that are not the model's defaults; for reports."""
    adjustable: tuple[tuple[str, Any], ...] = ()
    """The parameters of the model, and their values; for reports."""
    initial: tuple[tuple[int, ...], ...] = field(default=(), repr=False)
    """All initial valuations."""
    asks_for_deadlocks: bool = True
    """True if a check without further properties includes deadlocks; not if they mean nothing in the language."""
    finite_paths: str = "stutter"
    """What a deadlock means for CTL by default: a self-loop, or the end of its paths ("maximal")."""
    wider: Callable[[], System] | None = field(default=None, repr=False, compare=False)
    """Makes the same model with wider ranges where those of this one are only assumed; None if none is."""
    scope: Scope = field(kw_only=True, repr=False, compare=False)
    """The names of the model's language, for parsing and rendering."""

    @classmethod
    def create(
        cls,
        name: str,
        source: Source,
        variables: tuple[Variable, ...],
        processes: tuple[Process, ...],
        actions: tuple[Action, ...],
        *,
        synchronous: bool = False,
        observer: Observer | None = None,
        assertions: tuple[Predicate, ...] = (),
        labels: tuple[Predicate, ...] = (),
        invariants: tuple[Predicate, ...] = (),
        measures: tuple[Component, ...] = (),
        fairness: tuple[Fairness, ...] = (),
        initial: tuple[tuple[int, ...], ...] | None = None,
        scope: Scope | None = None,
    ) -> System:
        """Make a System in canonical form.

        Actions are sorted by their moves (process, source), else kept in order of declaration. Without initial
        valuations, one is made from the variables' initial values; without a scope, the variables' names are used.
        """
        if initial is None:
            initial = (tuple(value for variable in variables for value in variable.initial),)
        return cls(
            name=name,
            source=source,
            variables=variables,
            processes=processes,
            actions=tuple(sorted(actions, key=_canonical)),
            synchronous=synchronous,
            observer=observer,
            assertions=assertions,
            labels=labels,
            invariants=invariants,
            measures=measures,
            fairness=fairness,
            initial=initial,
            scope=PlainScope(variables) if scope is None else scope,
        )

    @property
    def title(self) -> str:
        """The name of the model, with the parameters that it was made with: `Mutex(N=3)`."""
        given = ", ".join(f"{name}={value}" for name, value in self.parameters)
        return f"{self.name}({given})" if given else self.name

    @cached_property
    def offsets(self) -> dict[Variable, int]:
        """The index of each variable's first value in a valuation."""
        offsets, position = {}, 0
        for variable in self.variables:
            offsets[variable] = position
            position += variable.slots
        return offsets

    @cached_property
    def by_name(self) -> dict[str, Variable]:
        return {variable.name: variable for variable in self.variables}

    @cached_property
    def alone(self) -> System:
        """The System without its property process, whose names are removed and whose variables never change."""
        if self.observer is None:
            return self
        observer = self.observer
        watching = [one for one in self.variables if one is observer.location or one.owner == observer.name]
        return replace(self, observer=None, scope=Without(self.scope, observer.name, watching))

    @cached_property
    def observed_system(self) -> System | None:
        """The System that the property process was put beside, if nothing else was changed; else None.

        The property process adds its location, after the other variables, and must write nothing else.
        """
        observer = self.observer
        plain = None if observer is None else observer.beside
        if observer is None or plain is None:
            return None
        kept = all(getattr(self, name) is getattr(plain, name) for name in _OF_STEPS)
        own = all(isinstance(one.value, Const) and _writes(one, observer.location) for one in _effects(observer))
        return plain if kept and own and self.variables == (*plain.variables, observer.location) else None

    @cached_property
    def locations(self) -> dict[Variable, Process | Observer]:
        """The location variables of processes and the property process; each belongs to one of them."""
        located: list[Process | Observer] = [*self.processes, *([] if self.observer is None else [self.observer])]
        return {one.location: one for one in located}

    @cached_property
    def has_paths(self) -> bool:
        """True if a step can be a path of several actions."""
        return any(action.continues is not None for action in self.actions)

    @cached_property
    def has_idle(self) -> bool:
        """True if some actions are possible only where nothing else is."""
        return any(action.idle for action in self.actions)

    @cached_property
    def with_failures(self) -> System:
        """The System in which violations of assertions are steps, behind which nothing happens."""
        if not self.failures:
            return self
        final: dict[int, set[int]] = {}
        for action in self.failures:
            for move in action.moves:
                final.setdefault(move.process, set()).add(move.target)
        processes = tuple(
            replace(one, committed=one.committed | frozenset(final.get(number, ())))
            for number, one in enumerate(self.processes)
        )
        actions = tuple(sorted((*self.actions, *self.failures), key=_canonical))
        ends = self.ends
        for number, places in final.items() if ends is not None else ():
            for place in sorted(places):
                # A violated assertion is an error of its own, not an invalid end.
                here = Binary("==", Read(self.processes[number].location), Const(place))
                ends = here if ends is None else Binary("or", ends, here)
        return replace(self, processes=processes, actions=actions, ends=ends, failures=())

    @cached_property
    def has_committed(self) -> bool:
        return any(process.committed for process in self.processes)
