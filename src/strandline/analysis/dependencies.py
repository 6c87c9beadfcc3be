"""What actions read and write: the one base of all analyses that ask whether actions depend on each other.

A *slot* is one entry of a valuation, in its order. A set of slots is an integer with a bit per slot, and a set of
actions one with a bit per action, in the order of `System.actions`. So a `Dependencies` is a pair of bit matrices: one
with a row of slots per action (`accesses`), and its transpose with a row of actions per slot (`writers`, `users`). An
array element whose index depends on the state, or lies outside the array, stands for all elements.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from strandline.model.expression import Binary, Const, Element, Expression, Read, variables_read, walk
from strandline.model.intervals import Cell, cell_of
from strandline.model.system import Action, Assign, System, Variable

_KNOWN = "_dependencies"


def expressions(action: Action) -> list[Expression]:
    """Return every expression of an action: its guard, and the targets and values of its effects."""
    found: list[Expression] = [] if action.guard is None else [action.guard]
    for effect in action.effects:
        found += [effect.target, effect.value]
    return found


def evaluated_expressions(action: Action) -> Iterator[Expression]:
    """Yield the expressions evaluated when the action is taken: guard, indices of targets, assigned values."""
    if action.guard is not None:
        yield action.guard
    for effect in action.effects:
        yield effect.value
        if isinstance(effect.target, Element):
            yield effect.target.index


def reads(action: Action, system: System) -> set[Variable]:
    """Return the variables on which enabledness or effects of the action may depend, locations included."""
    found = {system.processes[move.process].location for move in action.moves}
    for expression in evaluated_expressions(action):
        found |= variables_read(expression)
    return found


def writes(action: Action) -> set[Variable]:
    """Return the variables that the action may change."""
    return {effect.target.variable for effect in action.effects}


def members(numbers: int) -> Iterator[int]:
    """Yield the numbers in a set of bits, in increasing order."""
    while numbers:
        lowest = numbers & -numbers
        yield lowest.bit_length() - 1
        numbers ^= lowest


class Slots:
    """The slots of a System, and the sets of them that expressions access."""

    def __init__(self, system: System) -> None:
        self._owners = [variable for variable in system.variables for _ in range(variable.slots)]
        self._first = system.offsets
        self._read: dict[Expression, int] = {}
        self.scalars = self.union(one for one in system.variables if one.length is None)
        """The slots that belong to no array."""

    def of_variable(self, variable: Variable) -> int:
        """Return all slots of a variable; none if it is not one of the System."""
        first = self._first.get(variable)
        return 0 if first is None else ((1 << variable.slots) - 1) << first

    def union(self, variables: Iterable[Variable]) -> int:
        """Return all slots of several variables."""
        found = 0
        for variable in variables:
            found |= self.of_variable(variable)
        return found

    def of_element(self, variable: Variable, index: int) -> int:
        """Return the slot of an array element, or of a scalar at index 0; all slots for an index outside the array."""
        first = self._first.get(variable)
        if first is None or not 0 <= index < variable.slots:
            return self.of_variable(variable)
        return 1 << (first + index)

    def of_place(self, place: Read | Element) -> int:
        """Return the slots that a variable or an array element may denote."""
        cell = cell_of(place)
        return self.of_variable(place.variable) if cell is None else self.of_element(*cell)

    def read_by(self, expression: Expression) -> int:
        """Return the slots on which the value of an expression may depend."""
        found = self._read.get(expression)
        if found is None:
            found = 0
            for node in walk(expression):
                if isinstance(node, Read | Element):
                    found |= self.of_place(node)
            self._read[expression] = found
        return found

    def read_by_all(self, some: Iterable[Expression]) -> int:
        """Return the slots on which one of several values may depend."""
        found = 0
        for expression in some:
            found |= self.read_by(expression)
        return found

    def variables(self, slots: int) -> list[Variable]:
        """Return the variables with a slot in a set, in the order of the System."""
        found = []
        while slots:
            found.append(self._owners[(slots & -slots).bit_length() - 1])
            slots &= ~self.of_variable(found[-1])
        return found


@dataclass(frozen=True, slots=True)
class Accesses:
    """The slots that an action accesses: a row of the matrices."""

    tests: int
    """The slots on which it depends whether the action is enabled, locations included."""
    evaluated: int
    """The slots that its expressions read: its guard, the values it assigns, and the indices of elements."""
    inputs: int
    """The slots on which its effects depend, apart from `adds`."""
    writes: int
    """The slots that it may change."""
    adds: int
    """Slots that are written once, by adding a constant, and only read for that.

    Two actions that add to the same slot commute. They are in `writes` but not in `inputs`.
    """

    @property
    def expressions(self) -> int:
        """The slots that occur in the action, targets included."""
        return self.evaluated | self.writes

    @property
    def all(self) -> int:
        """All slots that the action reads or writes, locations included."""
        return self.tests | self.inputs | self.writes

    def disturb(self, other: Accesses) -> bool:
        """Return True if these effects write a slot that the other effects read or write."""
        both_add = self.adds & other.adds
        return bool(self.writes & other.inputs or self.writes & other.writes & ~both_add)


class Dependencies:
    """The accesses of a System's actions, as matrices: rows by action, columns by slot."""

    def __init__(self, system: System) -> None:
        self.slots = Slots(system)
        self._system = system
        locations = [process.location for process in system.processes]
        self._locations = [self.slots.of_variable(location) for location in locations]
        self._committed = self.slots.union(one.location for one in system.processes if one.committed)
        self.accesses = tuple(map(self.of, system.actions))
        """By action."""
        self.writers = self._columns(one.writes for one in self.accesses)
        """By slot, the actions that may change it."""
        self.users = self._columns(one.all for one in self.accesses)
        """By slot, the actions that read or write it."""

    def of(self, action: Action) -> Accesses:
        """Return the row of an action, which need not be one of the System's own."""
        slots = self.slots
        tests = 0 if action.committed else self._committed
        for move in action.moves:
            tests |= self._locations[move.process]
        guard = 0 if action.guard is None else slots.read_by(action.guard)
        added = _added_cells(action.effects, slots)
        inputs = evaluated = written = adds = 0
        for effect in action.effects:
            if isinstance(effect.target, Element):
                inputs |= slots.read_by(effect.target.index)
            value, target = slots.read_by(effect.value), slots.of_place(effect.target)
            evaluated |= value
            written |= target
            if cell_of(effect.target) in added:
                adds |= target
            else:
                inputs |= value
        return Accesses(tests | guard, guard | evaluated | inputs, inputs, written, adds)

    def writers_of(self, slots: int) -> int:
        """Return the actions that may change one of these slots."""
        return _union(self.writers, slots)

    def users_of(self, slots: int) -> int:
        """Return the actions that read or write one of these slots."""
        return _union(self.users, slots)

    def _columns(self, rows: Iterable[int]) -> list[int]:
        columns = [0] * sum(variable.slots for variable in self._system.variables)
        for number, row in enumerate(rows):
            for slot in members(row):
                columns[slot] |= 1 << number
        return columns


def dependencies_of(system: System) -> Dependencies:
    """Return the dependencies of a System; they are computed once."""
    known: Dependencies | None = vars(system).get(_KNOWN)
    if known is None:
        known = vars(system)[_KNOWN] = Dependencies(system)
    return known


def _union(columns: list[int], slots: int) -> int:
    found = 0
    for slot in members(slots):
        found |= columns[slot]
    return found


def _added_cells(effects: tuple[Assign, ...], slots: Slots) -> set[Cell]:
    """Return the cells to which effects add constants, and which they do not access otherwise."""
    adding_to = [None if (added := added_constant(effect)) is None else added[0] for effect in effects]
    candidates = {cell for cell in adding_to if cell is not None}
    if not candidates:
        return candidates
    for effect, cell in zip(effects, adding_to, strict=True):
        touched = slots.read_by(effect.value) | slots.read_by(effect.target) | slots.of_place(effect.target)
        candidates = {one for one in candidates if one == cell or not slots.of_element(*one) & touched}
    return {one for one in candidates if adding_to.count(one) == 1}


def added_constant(effect: Assign) -> tuple[Cell, int] | None:
    """Return the cell to which the effect adds a constant, and the constant."""
    cell, value = cell_of(effect.target), effect.value
    if cell is None or not isinstance(value, Binary) or value.operator not in ("+", "-"):
        return None
    if cell_of(value.left) == cell and isinstance(value.right, Const):
        return cell, value.right.value if value.operator == "+" else -value.right.value
    if value.operator == "+" and cell_of(value.right) == cell and isinstance(value.left, Const):
        return cell, value.left.value
    return None
