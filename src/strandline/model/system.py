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
- An observer (property automaton) steps together with every system step; its guards read the *source* state, its
  effects run last. Where the system has no step the observer steps alone.
- Steps are enumerated in the canonical order of `System.actions`, observer edges innermost, so "the k-th step of
  this state" means the same in every back end.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import cached_property
from typing import Any, ClassVar

from strandline.model.expression import Const, Element, Expression, Read
from strandline.model.measure import Component
from strandline.model.plain import PlainScope
from strandline.model.scope import Scope, Without
from strandline.rich_display import Shown
from strandline.source import Source, Span


@dataclass(frozen=True, slots=True)
class Names:
    """Values that are names and nothing else: `size` of them, from `first` on, stand for the members of a set. Which
    member it is does not matter: any two can be exchanged for each other, wherever they stand."""

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
    """Whoever made it has looked for the least bounds already: no analysis does so again."""
    names: Names | None = None
    """Declared by the model: some of the values are names."""

    @property
    def size(self) -> int:
        return self.high - self.low + 1

    def __contains__(self, value: int) -> bool:
        return self.low <= value <= self.high

    def wrap(self, value: int) -> int:
        """The member congruent to the value modulo the domain's size."""
        return (value - self.low) % self.size + self.low


@dataclass(frozen=True, slots=True, eq=False)
class Variable:
    """A bounded integer variable, or an array of them when `length` is given. Compared by identity."""

    name: str
    domain: Domain
    length: int | None = None
    initial: tuple[int, ...] = (0,)
    names: tuple[str, ...] | None = None
    """Names of the values 0, 1, ...: locations, enumerations."""
    owner: str | None = None
    """The process it belongs to; None for a global variable."""
    span: Span | None = None
    hidden: bool = False
    """No part of the model, but of what is asked of it: states are shown without it."""

    @property
    def slots(self) -> int:
        """How many entries of a valuation it takes."""
        return 1 if self.length is None else self.length

    def value(self, number: int) -> int | str:
        """What a number means: a name where the values have names."""
        if self.names is not None and 0 <= number < len(self.names):
            return self.names[number]
        return number

    def show(self, number: int) -> str:
        """A value as the model's author would write it."""
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
    """Its location is also assigned as other variables are, by effects that belong to no move of it."""

    @property
    def locations(self) -> tuple[str, ...]:
        return self.location.names or ()


@dataclass(frozen=True, slots=True)
class Move:
    """One process goes from one location to another; both are indices."""

    process: int
    source: int
    target: int


@dataclass(frozen=True, slots=True)
class Assign:
    """`target = value`; the element's index and the value are read before the write."""

    target: Read | Element
    value: Expression
    span: Span | None = None
    together: bool = False
    """It is made at once with the one in front of it: it does not see what that one writes. Of a whole row that is
    made at once, all indices and values are read, in order, before the first write; see `rows`."""


@dataclass(frozen=True, slots=True)
class Action:
    """A guarded command: the moves it makes, its guard (None is true), its effects in order."""

    name: str
    moves: tuple[Move, ...]
    guard: Expression | None
    effects: tuple[Assign, ...]
    committed: bool = False
    """Leaves a committed location. While any process stands in one, only such actions are enabled."""
    span: Span | None = None


def rows(effects: Iterable[Assign]) -> Iterator[tuple[Assign, ...]]:
    """Effects in the groups that are made at once; most groups are a single assignment."""
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
    """A Büchi automaton that watches the system: a process of its own whose edges read the source state."""

    name: str
    location: Variable
    edges: tuple[Action, ...]
    accepting: frozenset[int]
    span: Span | None = None
    beside: System | None = field(default=None, repr=False, compare=False)
    """The System that it was put beside, as that was without it; None where it is a part of the model."""


@dataclass(frozen=True, slots=True)
class Predicate:
    """A named truth about single states: a label, an invariant, an assertion of the model."""

    name: str
    expression: Expression
    span: Span | None = None


@dataclass(frozen=True, slots=True)
class Claim:
    """A formula that the model declares. It is read when it is checked, in the words of `scope`."""

    logic: str
    """`ltl` or `ctl`."""
    name: str
    text: str
    scope: Scope | None = field(default=None, repr=False, compare=False)
    """None where it is the System's own."""
    span: Span | None = None
    """Where the text stands in the System's source, word for word; None where it does not."""


@dataclass(frozen=True, slots=True)
class Fairness:
    """What only fair runs do infinitely often, declared by the model: make `condition` true; or, where there is no
    condition, take one of `actions` or reach a state where none of them is enabled (weak fairness). With `strong`, take
    one of `actions`, or come to where none of them is enabled any more."""

    name: str
    actions: tuple[Action, ...] = ()
    """Some of the System's own, told by identity."""
    condition: Expression | None = None
    span: Span | None = None
    strong: bool = False


_OF_STEPS = ("actions", "processes", "synchronous", "ends", "bounds")
"""The fields of a System that say what its steps are, but for its variables."""


def _effects(observer: Observer) -> Iterator[Assign]:
    return (effect for edge in observer.edges for effect in edge.effects)


def _writes(effect: Assign, variable: Variable) -> bool:
    return isinstance(effect.target, Read) and effect.target.variable is variable


def _canonical(action: Action) -> tuple[int, ...]:
    return tuple(number for move in action.moves for number in (move.process, move.source))


class Capability(Enum):
    """What can be done with a System. The strategies ask for it, not for the kind of the System."""

    ACTIONS = "its actions say what they read and write"
    """Needed by reductions, measures that are found, temporal logic, decision diagrams and GPUs."""
    THREADS = "several threads may compute successors at once"


@dataclass(frozen=True)
class System(Shown):
    """See the module's docstring. Build it with `System.create`, which puts the actions into canonical order."""

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
    """What some reachable state must satisfy."""
    claims: tuple[Claim, ...] = ()
    ends: Expression | None = None
    """Where a state without a step is a valid end and no deadlock; None where it never is."""
    bounds: tuple[Predicate, ...] = ()
    """Where something that the model bounds is full, so that actions wait in silence; for reports."""
    actors: tuple[str, ...] = ()
    """The names of processes without a location; those of their actions begin with them, as in `Sender.send`."""
    impossible: tuple[str, ...] = ()
    """Actions of the model that no state lets happen, so that they are none of the System's; for reports."""
    measures: tuple[Component, ...] = ()
    """The components of the measure that the model declares; several count one after the other."""
    fairness: tuple[Fairness, ...] = ()
    notes: tuple[str, ...] = ()
    """What a user should know of how the model was understood, in sentences; for reports."""
    parameters: tuple[tuple[str, Any], ...] = ()
    """The names and values that it was made with, where these are not the model's own; for reports."""
    adjustable: tuple[tuple[str, Any], ...] = ()
    """What can be given to the model from outside, and the values that it has; for reports."""
    initial: tuple[tuple[int, ...], ...] = field(default=(), repr=False)
    """All initial valuations."""
    asks_for_deadlocks: bool = True
    """Whether a check that names nothing is also about deadlocks; not where the language gives none a meaning."""
    finite_paths: str = "stutter"
    """What CTL makes of a state without steps unless it is told: it repeats itself, or is the last of its paths
    ("maximal"), as the language has it."""
    scope: Scope = field(kw_only=True, repr=False, compare=False)
    """The names of the language in which it was written, by which people speak of it."""

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
        """A System in canonical form: actions sorted by their moves (process, source), else as declared; one initial
        valuation made from the variables' own where none is given; without a scope its variables' own names."""
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
        """Its name, with the parameters that it was made with: `Mutex(N=3)`."""
        given = ", ".join(f"{name}={value}" for name, value in self.parameters)
        return f"{self.name}({given})" if given else self.name

    @cached_property
    def offsets(self) -> dict[Variable, int]:
        """Where each variable's values begin in a valuation."""
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
        """The System without its property process: nothing can be said of it in that one's words any more, whose
        variables stay and never change."""
        if self.observer is None:
            return self
        observer = self.observer
        watching = [one for one in self.variables if one is observer.location or one.owner == observer.name]
        return replace(self, observer=None, scope=Without(self.scope, observer.name, watching))

    @cached_property
    def unwatched(self) -> System | None:
        """The System that the observer was put beside, where all of it is as it was: the observer has added its
        location, behind the other variables, and writes nothing else. None where that is not so."""
        observer = self.observer
        plain = None if observer is None else observer.beside
        if observer is None or plain is None:
            return None
        kept = all(getattr(self, name) is getattr(plain, name) for name in _OF_STEPS)
        own = all(isinstance(one.value, Const) and _writes(one, observer.location) for one in _effects(observer))
        return plain if kept and own and self.variables == (*plain.variables, observer.location) else None

    @cached_property
    def locations(self) -> dict[Variable, Process | Observer]:
        """The variables that say where processes, and the observer, stand; each is that of one of them alone."""
        located: list[Process | Observer] = [*self.processes, *([] if self.observer is None else [self.observer])]
        return {one.location: one for one in located}

    @cached_property
    def has_committed(self) -> bool:
        return any(process.committed for process in self.processes)
