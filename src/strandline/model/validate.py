"""Validate Systems. Front ends call this last; the back ends rely on it and check nothing again."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from strandline.errors import ModelError
from strandline.model.expression import (
    BINARY_OPERATORS,
    UNARY_OPERATORS,
    Binary,
    Const,
    Element,
    Expression,
    Read,
    Unary,
    walk,
)
from strandline.model.intervals import INT64, within
from strandline.model.system import Action, Domain, Fairness, Move, Observer, Process, System, Variable
from strandline.source import Span

MAXIMUM_ARRAY = 1 << 16
"""Most elements of an array: more would make a single state larger than any sensible memory limit."""
_LONGEST_SHOWN = 200
"""Most bits of a number that is shown in a message."""


def validate(system: System) -> System:
    """Return the System unchanged. Raises `ModelError` at the first thing that is wrong."""
    _Validator(system).run()
    return system


class _Validator:
    def __init__(self, system: System) -> None:
        self.system = system
        self.known = set(system.variables)
        self.processes: list[Process | Observer] = list(system.processes)

    def fail(self, message: str, span: Span | None) -> None:
        raise ModelError(message, self.system.source, span)

    def run(self) -> None:
        self._names()
        for variable in self.system.variables:
            self._variable(variable)
        self._locations()
        for action in self.system.actions:
            self._action(action, self.processes)
        if self.system.observer is not None:
            for edge in self.system.observer.edges:
                self._action(edge, [*self.processes, self.system.observer])
        system = self.system
        for predicate in system.bounds:
            self._expression(predicate.expression, predicate.span)
        for measure in system.measures:
            self._expression(measure.expression, measure.span)
        # Claims may ask for last steps, too.
        self.known |= set(system.scope.histories)
        for predicate in (*system.assertions, *system.labels, *system.invariants, *system.goals):
            self._expression(predicate.expression, predicate.span)
        if system.ends is not None:
            self._expression(system.ends, None)
        for fairness in self.system.fairness:
            self._fairness(fairness)
        self._initial()
        if self.system.synchronous and not self.system.processes:
            self.fail("a synchronous system needs at least one process", None)

    def _names(self) -> None:
        seen: set[str] = set()
        for variable in self.system.variables:
            if variable.name in seen:
                self.fail(f"the name '{variable.name}' is declared twice", variable.span)
            seen.add(variable.name)

    def _variable(self, variable: Variable) -> None:
        if variable.length is not None and not 1 <= variable.length <= MAXIMUM_ARRAY:
            self.fail(
                f"array '{variable.name}' needs a length from 1 to {MAXIMUM_ARRAY}, not {variable.length}",
                variable.span,
            )
        if variable.domain.low > variable.domain.high:
            self.fail(f"the range of '{variable.name}' is empty", variable.span)
        if not within((variable.domain.low, variable.domain.high), INT64):
            self.fail(f"the range of '{variable.name}' does not fit 64 bits", variable.span)
        if len(variable.initial) != variable.slots:
            self.fail(
                f"'{variable.name}' has {len(variable.initial)} initial values for {variable.slots} places",
                variable.span,
            )

    def _initial(self) -> None:
        if not self.system.initial:
            self.fail("the model has no initial state", None)
        places = sum(variable.slots for variable in self.system.variables)
        for valuation in self.system.initial:
            if len(valuation) != places:
                self.fail(f"an initial state has {len(valuation)} values for {places} places", None)
            for variable, offset in self.system.offsets.items():
                for value in valuation[offset : offset + variable.slots]:
                    if value not in variable.domain:
                        low, high = variable.domain.low, variable.domain.high
                        self.fail(f"initial value {value} of '{variable.name}' is outside {low}..{high}", variable.span)

    def _locations(self) -> None:
        """Check that a location is a scalar over the numbers of its names, and belongs to one process."""
        observer = [] if self.system.observer is None else [self.system.observer]
        seen: set[Variable] = set()
        for process in (*self.processes, *observer):
            location = process.location
            names = location.names or ()
            if location not in self.known:
                self.fail(f"the location of '{process.name}' is no variable of this model", process.span)
            if location.length is not None or location.domain != Domain(0, len(names) - 1):
                self.fail(f"the location of '{process.name}' needs one value for each of its names", process.span)
            if location in seen:
                self.fail(f"the location of '{process.name}' is that of another process too", process.span)
            seen.add(location)

    def _action(self, action: Action, processes: Sequence[Process | Observer]) -> None:
        if action.guard is not None:
            self._expression(action.guard, action.span)
        if action.effects and action.effects[0].together:
            self.fail(f"the first effect of '{action.name}' has none in front of it", action.effects[0].span)
        for effect in action.effects:
            self._expression(effect.target, effect.span or action.span)
            self._expression(effect.value, effect.span or action.span)
        moved = [move.process for move in action.moves]
        if len(set(moved)) != len(moved):
            self.fail(f"action '{action.name}' moves one process twice", action.span)
        for move in action.moves:
            self._move(action, move, processes)
        self._jumps(action, {processes[move.process].location for move in action.moves})
        if self.system.synchronous and len(moved) != 1:
            self.fail("in a synchronous system every action moves exactly one process", action.span)

    def _move(self, action: Action, move: Move, processes: Sequence[Process | Observer]) -> None:
        """Check that effects perform the move; edges of the property process move the last process."""
        if not 0 <= move.process < len(processes):
            self.fail(f"action '{action.name}' moves a process that does not exist", action.span)
        location = processes[move.process].location
        if move.source not in location.domain or move.target not in location.domain:
            self.fail(f"action '{action.name}' moves to or from a location that does not exist", action.span)
        assigned = [one for one in action.effects if one.target.variable is location]
        if any(one.value != Const(move.target) for one in assigned) or (not assigned and move.source != move.target):
            self.fail(f"action '{action.name}' does not move '{processes[move.process].name}' as it says", action.span)

    def _jumps(self, action: Action, moved: set[Variable]) -> None:
        """Check that only processes with `jumps` have their location assigned without a move."""
        for effect in action.effects:
            process = self.system.locations.get(effect.target.variable)
            if process is None or effect.target.variable in moved or (isinstance(process, Process) and process.jumps):
                continue
            message = f"action '{action.name}' assigns the location of '{process.name}', which does not jump"
            self.fail(message, effect.span or action.span)

    def _fairness(self, fairness: Fairness) -> None:
        """Check that a fairness condition is either a condition or some of the System's own actions."""
        if (fairness.condition is None) == (not fairness.actions):
            self.fail(f"fairness '{fairness.name}' needs either actions or a condition", fairness.span)
        if fairness.strong and fairness.condition is not None:
            self.fail(f"fairness '{fairness.name}' is strong: it needs actions", fairness.span)
        if fairness.condition is not None:
            self._expression(fairness.condition, fairness.span)
        own = set(map(id, self.system.actions))
        if any(id(action) not in own for action in fairness.actions):
            self.fail(f"fairness '{fairness.name}' speaks of actions that the system does not have", fairness.span)

    def _expression(self, expression: Expression, fallback: Span | None) -> None:
        for node in walk(expression):
            match node:
                case Const(value=value) if not INT64[0] <= value <= INT64[1]:
                    shown = f" {value}" if value.bit_length() < _LONGEST_SHOWN else ""
                    self.fail(f"the number{shown} does not fit 64 bits", fallback)
                case Read(variable=variable, span=span):
                    self._reference(variable, False, span or fallback)
                case Element(variable=variable, span=span):
                    self._reference(variable, True, span or fallback)
                case Unary(operator=operator, span=span):
                    self._operator(operator, UNARY_OPERATORS, span or fallback)
                case Binary(operator=operator, span=span):
                    self._operator(operator, BINARY_OPERATORS, span or fallback)

    def _reference(self, variable: Variable, indexed: bool, span: Span | None) -> None:
        if variable not in self.known:
            self.fail(f"'{variable.name}' does not belong to this model", span)
        if indexed and variable.length is None:
            self.fail(f"'{variable.name}' is not an array", span)
        if not indexed and variable.length is not None:
            self.fail(f"array '{variable.name}' needs an index", span)

    def _operator(self, operator: str, allowed: Iterable[str], span: Span | None) -> None:
        if operator not in allowed:
            self.fail(f"unknown operator '{operator}'", span)
