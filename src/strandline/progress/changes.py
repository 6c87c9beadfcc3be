"""Compute for every action an interval of the change of an expression, without running the model.

These intervals prove which measures are monotone. A list of expressions, read lexicographically, never decreases if for
every action either some expression certainly increases and those before it certainly do not decrease, or none decreases
at all. So `x` may fall wherever a counter before it grows, as in the lexicographic ranking functions of termination
proofs. Errs on the safe side: what cannot be proved is not claimed.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt

from strandline.analysis.control import ControlPath, control_paths
from strandline.analysis.dependencies import writes
from strandline.analysis.ranges import analyse_ranges
from strandline.model.expression import Binary, Const, Element, Expression, Read, Unary, variables_read
from strandline.model.intervals import INT64, Cell, Contradiction, Environment, Interval, cell_of, join, within
from strandline.model.system import Action, Assign, System, Variable, rows

UNKNOWN: Interval = (2 * INT64[0], 2 * INT64[1])
"""The interval of an unknown change: it contains the difference of any two values."""
_UNCHANGED: Interval = (0, 0)
_LOWEST, _HIGHEST = -(1 << 60), 1 << 40


@dataclass(slots=True)
class _Step:
    """The effect of an action, or an edge of the property process, on locations and other variables."""

    name: str
    moves: dict[Variable, tuple[int, int]] = field(default_factory=dict)
    cells: dict[Cell, Interval] = field(default_factory=dict)
    somewhere: list[tuple[Variable, Interval]] = field(default_factory=list)
    """The amounts added to elements whose index is computed."""
    written: set[Variable] = field(default_factory=set)


class Changes:
    """The steps of a System: its actions and the edges of its property process.

    Steps that range analysis shows to be impossible are left out. A synchronous system takes several together, and an
    edge of the property process goes with every system step; what holds for each of them then holds for their sum.
    """

    def __init__(self, system: System) -> None:
        self.system, self.ranges = system, analyse_ranges(system)

    @cached_property
    def steps(self) -> list[_Step]:
        located = [] if self.system.synchronous else list(self.system.actions)
        others = list(self.system.actions) if self.system.synchronous else []
        others += self.system.observer.edges if self.system.observer else ()
        found = [
            self._step(action, control_path)
            for action in located
            for control_path in control_paths(action, self.system)
        ]
        found += [self._step(action) for action in others]
        return [step for step in found if step is not None]

    def least(self, expression: Expression) -> npt.NDArray[np.int64]:
        """Return for every step the least change of the expression's value.

        Amounts beyond those of any measure are clamped, downwards further than upwards, so that sums keep their sign.
        """
        form = _Linear(expression)
        found = np.zeros(len(self.steps), dtype=np.int64)
        for number in {number for variable in form.variables for number in self._touching.get(variable, ())}:
            found[number] = min(max(form.change(self.steps[number])[0], _LOWEST), _HIGHEST)
        return found

    @cached_property
    def _touching(self) -> dict[Variable, list[int]]:
        """For each variable, the steps that may change it."""
        found: dict[Variable, list[int]] = {}
        for number, step in enumerate(self.steps):
            for variable in step.written | step.moves.keys():
                found.setdefault(variable, []).append(number)
        return found

    def _step(self, action: Action, control_path: ControlPath | None = None) -> _Step | None:
        """Analyse a step; return None if the action can never be taken."""
        step = _Step(action.name)
        if control_path is None:
            # Effects of a joint step may run on a state that others have changed since the guard was read.
            step.moves.update((self._location(move.process), (move.source, move.target)) for move in action.moves)
            environment, compared = self.ranges.environment(), _GuardComparisons(None)
        else:
            step.moves.update(control_path.moves)
            environment, compared = control_path.environment.copy(), _GuardComparisons(action.guard)
        step.written.update(writes(action) - step.moves.keys())
        try:
            for row in rows(action.effects):
                # All of a row read the state before it, as in a swap.
                for effect in row:
                    if effect.target.variable not in step.moves:
                        _record_effect(step, effect, environment, compared)
                environment.assign_row(row)
                for effect in row:
                    compared.forget(effect.target.variable)
        except Contradiction:
            return None  # An effect is certain to fault: there is no such step.
        return step

    def _location(self, process: int) -> Variable:
        processes, observer = self.system.processes, self.system.observer
        if process < len(processes):
            return processes[process].location
        assert observer is not None
        return observer.location


def monotone_length(parts: Iterable[npt.NDArray[np.int64]]) -> int:
    """Return the number of leading parts of a lexicographic measure that are monotone together.

    Takes the least change of each part by each step.
    """
    remaining: npt.NDArray[np.bool_] | None = None
    length = 0
    for part in parts:
        if (part < 0 if remaining is None else part[remaining] < 0).any():
            return length
        remaining = part == 0 if remaining is None else remaining & (part == 0)
        length += 1
    return length


class _GuardComparisons:
    """The comparisons in a guard: `left` is less than, or at most, `right`."""

    def __init__(self, guard: Expression | None) -> None:
        self._least: list[tuple[Expression, Expression, int]] = []
        waiting = [] if guard is None else [guard]
        while waiting:
            match waiting.pop():
                case Binary(operator="and", left=left, right=right):
                    waiting += [left, right]
                case Binary(operator="<" | "<=" as operator, left=left, right=right):
                    self._least.append((left, right, int(operator == "<")))
                case Binary(operator=">" | ">=" as operator, left=left, right=right):
                    self._least.append((right, left, int(operator == ">")))
                case _:
                    pass

    def forget(self, variable: Variable) -> None:
        """Drop the comparisons with a variable that was written."""
        self._least = [
            (small, large, gap)
            for small, large, gap in self._least
            if variable not in variables_read(small) and variable not in variables_read(large)
        ]

    def difference(self, value: Expression, place: Expression) -> Interval:
        """Return an interval of `value - place`."""
        low, high = UNKNOWN
        for small, large, gap in self._least:
            if small == value and large == place:
                high = min(high, -gap)
            if small == place and large == value:
                low = max(low, gap)
        return low, high


def _record_effect(step: _Step, effect: Assign, environment: Environment, compared: _GuardComparisons) -> None:
    place, variable = effect.target, effect.target.variable
    added = _added_amount(effect, environment, compared)
    cell = cell_of(place)
    if cell is None:
        step.somewhere.append((variable, added))
    else:
        step.cells[cell] = _add(step.cells.get(cell, _UNCHANGED), added)


def _added_amount(effect: Assign, environment: Environment, compared: _GuardComparisons) -> Interval:
    """Return an interval of the amount that an assignment adds to its target."""
    value, place = effect.value, effect.target
    if value == place:
        return _UNCHANGED
    interval, before, domain = (
        environment.checked_interval(value),
        environment.checked_interval(place),
        place.variable.domain,
    )
    if domain.wraps and not within(interval, (domain.low, domain.high)):
        return domain.low - before[1], domain.high - before[0]
    apart = _intersection((interval[0] - before[1], interval[1] - before[0]), compared.difference(value, place))
    if isinstance(value, Binary) and value.operator in ("+", "-"):
        left, right = environment.checked_interval(value.left), environment.checked_interval(value.right)
        if value.left == place:
            return _intersection(apart, right if value.operator == "+" else (-right[1], -right[0]))
        if value.right == place and value.operator == "+":
            return _intersection(apart, left)
    return apart


def _intersection(first: Interval, second: Interval) -> Interval:
    """Return the intersection of two intervals."""
    return max(first[0], second[0]), min(first[1], second[1])


class _Linear:
    """An expression as a linear combination of cells, of tests `cell == constant`, and of other terms."""

    def __init__(self, expression: Expression) -> None:
        self.cells: dict[Cell, int] = {}
        self.questions: dict[tuple[Variable, int], int] = {}
        self.others: list[Expression] = []
        self._take(expression, 1)
        self._asked: dict[Variable, list[tuple[int, int]]] = {}
        for (variable, value), factor in self.questions.items():
            self._asked.setdefault(variable, []).append((value, factor))
        self._read: set[Variable] = set().union(*map(variables_read, self.others))
        self.variables = {*self._read, *self._asked, *(variable for variable, _ in self.cells)}

    def _take(self, expression: Expression, factor: int) -> None:
        waiting = [(expression, factor)]
        while waiting:
            node, factor = waiting.pop()
            match node:
                case Const():
                    pass
                case Binary(operator="+", left=left, right=right):
                    waiting += [(left, factor), (right, factor)]
                case Binary(operator="-", left=left, right=right):
                    waiting += [(left, factor), (right, -factor)]
                case Binary(operator="*", left=Const(value=value), right=other):
                    waiting.append((other, factor * value))
                case Binary(operator="*", left=other, right=Const(value=value)):
                    waiting.append((other, factor * value))
                case Unary(operator="-", operand=operand):
                    waiting.append((operand, -factor))
                case Binary(operator="==", left=Read(variable=variable), right=Const(value=value)):
                    question = variable, value
                    self.questions[question] = self.questions.get(question, 0) + factor
                case Read() | Element(index=Const()):
                    cell = cell_of(node)
                    assert cell is not None
                    self.cells[cell] = self.cells.get(cell, 0) + factor
                case _:
                    self.others.append(node)

    def change(self, step: _Step) -> Interval:
        """Return an interval of the change by a step.

        A sum may have thousands of terms, of which a step affects few.
        """
        touched = step.written | step.moves.keys()
        if not self._read.isdisjoint(touched):
            return UNKNOWN
        found = _UNCHANGED
        for cell in {*step.cells, *((variable, 0) for variable in step.moves)} & self.cells.keys():
            found = _add(found, _multiply(_cell_changes(step, cell), self.cells[cell]))
        for variable, added in step.somewhere:
            found = _add(found, self._somewhere(variable, added))
        for variable in touched & self._asked.keys():
            for value, factor in self._asked[variable]:
                found = _add(found, _multiply(_answer_changes(step, variable, value), factor))
        return found

    def _somewhere(self, variable: Variable, added: Interval) -> Interval:
        """Return the change if an amount is added to an unknown element of an array."""
        factors = [self.cells.get((variable, index), 0) for index in range(variable.slots)]
        changes = [_multiply(added, factor) for factor in set(factors)]
        low, high = changes[0]
        for one in changes[1:]:
            low, high = join((low, high), one)
        return low, high


def _cell_changes(step: _Step, cell: Cell) -> Interval:
    """Return the change of a cell's value, apart from writes to computed indices."""
    if cell[0] in step.moves:
        source, target = step.moves[cell[0]]
        return target - source, target - source
    return step.cells.get(cell, _UNCHANGED)


def _answer_changes(step: _Step, variable: Variable, value: int) -> Interval:
    """Return the change of the truth value of `variable == value`."""
    if variable in step.moves:
        source, target = step.moves[variable]
        change = (target == value) - (source == value)
        return change, change
    return (-1, 1) if variable in step.written else _UNCHANGED


def _add(first: Interval, second: Interval) -> Interval:
    return first[0] + second[0], first[1] + second[1]


def _multiply(interval: Interval, factor: int) -> Interval:
    return (interval[0] * factor, interval[1] * factor) if factor >= 0 else (interval[1] * factor, interval[0] * factor)
