"""Encode fairness into the System: a counter that completes a cycle infinitely often only on fair runs.

The k conditions of a fair run (`strandline.model.system.Fairness`) are awaited in turn, as in the copies of the state
space of 003 §1: copy 0 waits for an accepting location of the property process, copy i for condition i, and after the
last one the run is in copy 0 again. Here the copies are one variable, so that every search for accepting cycles finds
only fair ones without further changes: a run visits accepting locations in copy 0 infinitely often exactly if it is
accepted and fair.

Condition i is met by a step that takes one of its actions, that enters a state where none of them is enabled, or where
its expression is true. The actions leave their own copies by an effect. The edges of the property process, which are
part of every step and run last, do the rest: they read the state that is entered, and pass as many copies at once as it
allows, so the null steps of 003 are not needed. At a deadlock the property process moves alone, and no action is
enabled. (Reading the source state would be equivalent, but then each action would need a copy of all guards of the
system.)

Strong fairness is no such condition: it is met if its actions are taken infinitely often, or if from some point on they
are not enabled any more, which no finite prefix shows. So the property process guesses that point while it waits in the
condition's copy: it promises that none of them will be enabled, by a bit of the state that is never cleared, which
meets the condition at every step; where the promise is broken, the property process has no edge. Each condition of this
kind can double the states.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from strandline.errors import InternalError
from strandline.model.expression import FALSE, TRUE, Binary, Choice, Const, Expression, Read, Unary, conjunction
from strandline.model.system import Action, Assign, Domain, Fairness, Observer, System, Variable

COUNTER, STEPPING, PROMISE, TAKEN = "(fairness)", "(step)", "(promise {})", "(taken)"
"""Names of the variables; no language has such names."""

_RESTING, _MOVED, _ENDED = 0, 1, 2


@dataclass(frozen=True, slots=True)
class FairSystem:
    """A System with a property process whose accepting runs are fair.

    It accepts in the property process's own locations if `accepting` is None; else in those where also the variables in
    `at_rest` are 0.
    """

    system: System
    accepting: Expression | None = None
    at_rest: tuple[Variable, ...] = ()


def process_fairness(system: System) -> tuple[Fairness, ...]:
    """Return weak fairness of every process: it moves infinitely often, or infinitely often it cannot.

    An action that belongs to no process counts as a process, with all its parameters.
    """
    groups: dict[str, list[Action]] = {process.name: [] for process in system.processes}
    owned = {variable.owner for variable in system.variables if variable.owner is not None}
    owners = owned | set(groups) | set(system.actors)
    for action in system.actions:
        movers = [system.processes[move.process].name for move in action.moves]
        for name in movers or [_owner(action.name, owners)]:
            groups.setdefault(name, []).append(action)
    return tuple(Fairness(name, tuple(found)) for name, found in groups.items() if found)


def _owner(action: str, owners: set[str]) -> str:
    """Return the process of an action without moves, the prefix of its name: `P_1.send(x=3)`."""
    title = action.partition("(")[0]
    process = title.rpartition(".")[0]
    return process if process in owners else title


def with_fairness(system: System, fairness: Sequence[Fairness] = (), *, ignore_finite_runs: bool = False) -> FairSystem:
    """Return the System in which only fair runs are accepted.

    With `ignore_finite_runs` no finite run is accepted: states that the property process enters in a deadlock, where it
    moves alone, do not accept. Actions keep their positions, so that the k-th step of a state stays the k-th.
    """
    if system.observer is None:
        raise InternalError("fairness needs an observer, whose acceptance it restricts")
    wanted = [one for one in fairness if not _is_always_met(system, one)]
    if not wanted and not ignore_finite_runs:
        return FairSystem(replace(system, fairness=()))
    return _Copies(system, system.observer, wanted, ignore_finite_runs).result()


def _is_always_met(system: System, one: Fairness) -> bool:
    """Return True if every step meets the condition: it names all actions of one process of a synchronous system."""
    if not system.synchronous or one.condition is not None:
        return False
    chosen = {id(action) for action in one.actions}
    return any(
        all(id(action) in chosen for action in system.actions if action.moves[0].process == process)
        for process in range(len(system.processes))
    )


def with_visible_conditions(system: System, fairness: Sequence[Fairness]) -> tuple[System, tuple[Expression, ...]]:
    """Return the System with, for each condition, an expression that is true in the states that meet it.

    A run is fair if each is true infinitely often. The System has no property process. If a condition is about actions,
    an additional variable after all others remembers whether the last step took one; actions keep their positions.
    Conditions that every run meets are left out.
    """
    if system.observer is not None:
        raise InternalError("fairness conditions are added before an observer")
    wanted = [one for one in fairness if not _is_always_met(system, one) and (one.actions or one.condition is not None)]
    about_actions = [one for one in wanted if one.condition is None]
    taken = [Variable(f"{TAKEN}{number}", Domain(0, 1)) for number, _ in enumerate(about_actions)]
    visible = replace(
        system,
        variables=system.variables + tuple(taken),
        actions=tuple(
            replace(action, effects=(*_recording_effects(system, action, about_actions, taken), *action.effects))
            for action in system.actions
        )
        if taken
        else system.actions,
        fairness=(),
        initial=tuple(valuation + (0,) * len(taken) for valuation in system.initial),
    )
    met: list[Expression] = []
    remembered = iter(taken)
    for one in wanted:
        if one.condition is not None:
            met.append(one.condition)
        else:
            idle = Unary("not", some_enabled(system, one.actions))
            met.append(Binary("or", _equal(next(remembered), 1), idle))
    return visible, tuple(met)


def _recording_effects(
    system: System, action: Action, conditions: Sequence[Fairness], taken: Sequence[Variable]
) -> Iterable[Assign]:
    """Return effects by which an action records the conditions that it meets.

    In a synchronous system a step is an action of every process, in order: the first process that a condition is about
    resets it, the others add to it.
    """
    for one, variable in zip(conditions, taken, strict=True):
        meets = any(chosen is action for chosen in one.actions)
        if system.synchronous:
            process = action.moves[0].process
            processes = {chosen.moves[0].process for chosen in one.actions}
            if process != min(processes) and not meets:
                continue
        yield Assign(Read(variable), Const(int(meets)))


class _Copies:
    def __init__(self, system: System, observer: Observer, fairness: Sequence[Fairness], ignore_finite: bool) -> None:
        self.system, self.observer, self.ignore_finite = system, observer, ignore_finite
        self.last = len(fairness)
        self.counter = Variable(COUNTER, Domain(0, self.last + 1))
        self.stepping = Variable(STEPPING, Domain(0, _ENDED))
        self.chosen = [{id(action) for action in one.actions} for one in fairness]
        self.promises = {
            copy: Variable(PROMISE.format(copy), Domain(0, 1)) for copy, one in enumerate(fairness, 1) if one.strong
        }
        self.idle = [self._idle(copy, one) for copy, one in enumerate(fairness, 1)]
        self.kept = conjunction(*(self._keeps_promise(copy, one) for copy, one in enumerate(fairness, 1) if one.strong))

    def result(self) -> FairSystem:
        added = ((self.counter,) if self.last else ()) + ((self.stepping,) if self.ignore_finite else ())
        promises = tuple(self.promises.values())
        # All edges without a promise, then all of them again for each promise: the number identifies the edge.
        edges = tuple(self._edge(edge, copy) for copy in (None, *self.promises) for edge in self.observer.edges)
        system = replace(
            self.system,
            variables=self.system.variables + added + promises,
            actions=tuple(self._action(action) for action in self.system.actions),
            observer=replace(self.observer, edges=edges),
            fairness=(),
            initial=tuple(valuation + (0,) * len(added + promises) for valuation in self.system.initial),
        )
        accepted = _one_of(self.observer.location, self.observer.accepting)
        return FairSystem(system, conjunction(accepted, *(_equal(one, 0) for one in added)), added)

    def _idle(self, copy: int, one: Fairness) -> Expression:
        """Return the expression that is true in states where a condition is met without regard to the next step."""
        if one.condition is not None:
            return one.condition
        if one.strong:
            return _equal(self.promises[copy], 1)
        return Unary("not", some_enabled(self.system, one.actions))

    def _keeps_promise(self, copy: int, one: Fairness) -> Expression:
        """Return the expression that is true in a state that keeps a promise, if it was made."""
        return Binary("or", _equal(self.promises[copy], 0), Unary("not", some_enabled(self.system, one.actions)))

    def _pass(self, copy: int, when: Expression | None = None) -> Assign:
        """Return the effect that moves from this copy to the next, under a condition."""
        here = conjunction(_equal(self.counter, copy), when) or TRUE
        return Assign(Read(self.counter), Choice(here, Const(copy + 1), Read(self.counter)))

    def _action(self, action: Action) -> Action:
        taken = [copy for copy, chosen in enumerate(self.chosen, 1) if id(action) in chosen]
        added = [self._pass(copy) for copy in taken]
        if self.ignore_finite:
            added.append(Assign(Read(self.stepping), Const(_MOVED)))
        return replace(action, effects=(*added, *action.effects))

    def _edge(self, edge: Action, promised: int | None) -> Action:
        """Return an edge of the property process that reads the state that the whole step enters.

        If `promised` is given, its promise holds from there on.
        """
        added: list[Assign] = []
        guard = conjunction(edge.guard, self.kept)
        if promised is not None:
            waiting = conjunction(_equal(self.counter, promised), _equal(self.promises[promised], 0))
            guard = conjunction(waiting, guard)
            added.append(Assign(Read(self.promises[promised]), Const(1)))
        if self.last:
            if edge.moves[0].source in self.observer.accepting:
                added.append(self._pass(0))
            added += [self._pass(copy, idle) for copy, idle in enumerate(self.idle, 1)]
            round_again = Choice(_equal(self.counter, self.last + 1), Const(0), Read(self.counter))
            added.append(Assign(Read(self.counter), round_again))
        if self.ignore_finite:
            # The system has not moved: the run has ended.
            moved = _equal(self.stepping, _MOVED)
            added.append(Assign(Read(self.stepping), Choice(moved, Const(_RESTING), Const(_ENDED))))
        return replace(edge, guard=guard, effects=(*edge.effects, *added))


# Which actions are enabled


def some_enabled(system: System, actions: Iterable[Action]) -> Expression:
    """Return the expression that is true if one of these actions is enabled.

    It evaluates no guard that enumerating the state's steps does not evaluate too, so it faults only where that does.
    """
    if system.synchronous:
        return _disjunction(_enabled_together(system, action) for action in actions)
    idle = [action for action in actions if action.idle]
    if idle:
        # They are enabled only where nothing else is.
        others = some_enabled(system, [action for action in system.actions if not action.idle])
        at_rest = Binary("and", Unary("not", others), _ready(system, idle))
        return _disjunction((some_enabled(system, [action for action in actions if not action.idle]), at_rest))
    hurried = _disjunction(
        _one_of(process.location, process.committed) for process in system.processes if process.committed
    )
    calm = [action for action in actions if not action.committed]
    urgent = [action for action in actions if action.committed]
    unhurried = _ready(system, calm)
    if system.has_committed and unhurried != FALSE:
        unhurried = Binary("and", Unary("not", hurried), unhurried)
    return _disjunction((unhurried, _ready(system, urgent)))


def _ready(system: System, actions: Sequence[Action]) -> Expression:
    """Return the expression that is true if an action has its processes at their sources and its guard true.

    Actions with the same sources share the test of the sources.
    """
    places: dict[tuple[tuple[int, int], ...], list[Expression]] = {}
    for action in actions:
        place = tuple((move.process, move.source) for move in action.moves)
        places.setdefault(place, []).append(TRUE if action.guard is None else action.guard)
    return _disjunction(
        conjunction(*(_equal(system.processes[process].location, source) for process, source in place), _any(guards))
        or TRUE
        for place, guards in places.items()
    )


def _any(guards: Sequence[Expression]) -> Expression | None:
    return None if TRUE in guards else _disjunction(guards)


def _enabled_together(system: System, action: Action) -> Expression:
    """Return the expression that is true if, in a synchronous system, all processes have an action enabled."""
    tried: list[list[Action]] = [[] for _ in system.processes]
    for one in system.actions:
        tried[one.moves[0].process].append(one)
    tried[action.moves[0].process] = [action]
    return conjunction(*(_ready(system, actions) for actions in tried)) or TRUE


def _equal(variable: Variable, value: int) -> Expression:
    return Binary("==", Read(variable), Const(value))


def _one_of(variable: Variable, values: Iterable[int]) -> Expression:
    return _disjunction(_equal(variable, value) for value in sorted(values))


def _disjunction(parts: Iterable[Expression]) -> Expression:
    joined: Expression = FALSE
    for part in parts:
        if part == TRUE or joined == TRUE:
            return TRUE
        if part != FALSE:
            joined = part if joined == FALSE else Binary("or", joined, part)
    return joined
