"""Range analysis: for every variable an interval that no reachable state leaves.

A DVE `byte` that only ever holds 0..4 needs three bits, not eight. The analysis is thread-modular: for every process
and each of its locations it keeps intervals of the variables that the process reads. A step of the process propagates
these, refined by its guard, to the next location; writes of other processes (the *interference*) may occur in any of
its locations. So a counter can be bounded by a test in an earlier location, as in `a -> b {guard x < 3;}`, `b -> a
{effect x = x + 1;}`.

Widening jumps to the next constant of the model; a few narrowing rounds recover some precision. Everything here errs on
the large side; the interpreter's packing and the tests check that it does. A variable whose domain is `tight` has that
as its interval: thousands of them cost nothing.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from strandline.analysis.dependencies import expressions
from strandline.model.expression import Const, Element, Expression, Read, walk
from strandline.model.intervals import Cell, Contradiction, Environment, Interval, cell_of, join, within
from strandline.model.system import Action, Observer, System, Variable, rows

_EXACT_GROWTHS = 4
"""Exact growths of an interval before widening jumps to a threshold."""
_SHRINKING_ROUNDS = 2

Knowledge = dict[Cell, Interval]


@dataclass(frozen=True)
class Ranges:
    """The result of the analysis: in `variables`, an interval per variable, one for all elements of an array."""

    variables: dict[Variable, Interval]
    _locations: dict[tuple[int, int], Knowledge] = field(repr=False)
    _located: bool = field(repr=False)

    def environment(self, *actions: Action) -> Environment:
        """Return the intervals that hold in every reachable state with the actions' processes at their sources.

        Raises `Contradiction` if there is no such state.
        """
        environment = Environment(self.variables)
        if self._located:
            for move in (move for action in actions for move in action.moves):
                environment.learn(self._locations.get((move.process, move.source), {}))
        return environment


_KNOWN = "_ranges"
"""Name of the attribute in which a System caches its ranges."""


def analyse_ranges(system: System) -> Ranges:
    """Return the ranges of a System: an interval for every variable, and for its cells in every location.

    A System is analysed once, however many property processes are put beside it.
    """
    known: Ranges | None = vars(system).get(_KNOWN)
    if known is None:
        plain, observer = system.observed_system, system.observer
        if plain is None or observer is None:
            known = _analyse(system)
        else:
            known = _extend_by_observer(analyse_ranges(plain), system, observer)
        vars(system)[_KNOWN] = known
    return known


def _extend_by_observer(ranges: Ranges, system: System, observer: Observer) -> Ranges:
    """Extend the ranges of a System by the location of a property process that writes nothing else."""
    place = system.offsets[observer.location]
    standing = {state[place] for state in system.initial} | {edge.moves[0].target for edge in observer.edges}
    return replace(ranges, variables={**ranges.variables, observer.location: (min(standing), max(standing))})


def _analyse(system: System) -> Ranges:
    analysis = _Analysis(system)
    found = analysis.grow(_Intervals(system))
    for _ in range(_SHRINKING_ROUNDS):
        smaller = analysis.shrink(found)
        if smaller.variables == found.variables and smaller.locations == found.locations:
            break
        found = smaller
    return Ranges(found.variables, found.locations, not system.synchronous)


class _Intervals:
    """The current intervals: of variables, of cells per location, and of the interference with each process."""

    def __init__(self, system: System) -> None:
        self.variables: dict[Variable, Interval] = {}
        self.locations: dict[tuple[int, int], Knowledge] = {}
        self.interference: dict[int, Knowledge] = {}
        for variable, offset in system.offsets.items():
            if variable.domain.tight:
                self.variables[variable] = (variable.domain.low, variable.domain.high)
                continue
            values = [value for state in system.initial for value in state[offset : offset + variable.slots]]
            self.variables[variable] = (min(values), max(values))


def _constant_cells(parts: Iterable[Expression]) -> set[Cell]:
    found = set()
    for expression in parts:
        for node in walk(expression):
            cell = cell_of(node)
            if cell is not None and 0 <= cell[1] < cell[0].slots:
                found.add(cell)
    return found


class _Analysis:
    def __init__(self, system: System) -> None:
        self.system = system
        self.actions = [action for action in system.actions if _is_relevant(action)]
        located = 0 if system.synchronous else len(self.actions)
        if system.observer is not None:
            self.actions += system.observer.edges
        # A jump may enter a location without satisfying its intervals.
        self.moves = [
            tuple(move for move in action.moves if number < located and not system.processes[move.process].jumps)
            for number, action in enumerate(self.actions)
        ]
        self.thresholds = _thresholds(system, self.actions)
        self.cells = self._cells_of_processes()
        self.cells_of_variable = self._by_variable()
        self.readers = self._readers()
        self.leaving = self._leaving()
        self.places = [
            [(number, location) for location in range(len(process.locations))]
            for number, process in enumerate(system.processes)
        ]
        self.growths: dict[object, int] = {}

    def _cells_of_processes(self) -> list[list[Cell]]:
        cells: list[set[Cell]] = [set() for _ in self.system.processes]
        for action, moves in zip(self.actions, self.moves, strict=True):
            if moves:
                own = _constant_cells(expressions(action))
                for move in moves:
                    cells[move.process] |= own
        return [
            sorted(
                (cell for cell in own if cell[0] not in self.system.locations),
                key=lambda cell: (self.system.offsets[cell[0]], cell[1]),
            )
            for own in cells
        ]

    def _by_variable(self) -> list[dict[Variable, list[Cell]]]:
        tables: list[dict[Variable, list[Cell]]] = []
        for own in self.cells:
            table: dict[Variable, list[Cell]] = {}
            for cell in own:
                table.setdefault(cell[0], []).append(cell)
            tables.append(table)
        return tables

    def _readers(self) -> dict[Variable, list[int]]:
        """Return, for each variable, the actions that read its interval of all locations.

        These are the actions that read it through an index or have no location.
        """
        readers: dict[Variable, list[int]] = {}
        for number, action in enumerate(self.actions):
            reads = {
                node.variable
                for expression in expressions(action)
                for node in walk(expression)
                if isinstance(node, Element)
                or (isinstance(node, Read) and (not self.moves[number] or node.variable in self.system.locations))
            }
            for variable in reads:
                readers.setdefault(variable, []).append(number)
        return readers

    def _leaving(self) -> dict[tuple[int, int], list[int]]:
        table: dict[tuple[int, int], list[int]] = {}
        for number, moves in enumerate(self.moves):
            for move in moves:
                table.setdefault((move.process, move.source), []).append(number)
        return table

    # --- the two phases ---------------------------------------------------------------------------------------

    def grow(self, found: _Intervals) -> _Intervals:
        """Return the least intervals, up to widening, that are closed under every action."""
        self._enter_initial(found)
        # Chaotic iteration; widening makes it end.
        waiting = deque(range(len(self.actions)))
        queued = set(waiting)
        while waiting:
            number = waiting.popleft()
            queued.discard(number)
            for again in self._run(number, found, found, widening=True):
                if again not in queued:
                    queued.add(again)
                    waiting.append(again)
        return found

    def shrink(self, found: _Intervals) -> _Intervals:
        """Apply all actions once to the current intervals (narrowing); the result is sound and no larger."""
        smaller = _Intervals(self.system)
        self._enter_initial(smaller)
        for number in range(len(self.actions)):
            self._run(number, found, smaller, widening=False)
        return smaller

    def _enter_initial(self, found: _Intervals) -> None:
        offsets = self.system.offsets
        for number, process in enumerate(self.system.processes):
            found.interference[number] = {}
            for state in self.system.initial:
                place = (number, state[offsets[process.location]])
                known = found.locations.setdefault(place, {})
                for cell in self.cells[number]:
                    value = state[offsets[cell[0]] + cell[1]]
                    known[cell] = join(known.get(cell, (value, value)), (value, value))

    def _run(self, number: int, source: _Intervals, target: _Intervals, *, widening: bool) -> set[int]:
        """Run an action on the intervals of `source`, join the result into `target`; return the actions to rerun."""
        action, moves = self.actions[number], self.moves[number]
        environment = Environment(source.variables)
        try:
            for move in moves:
                known = source.locations.get((move.process, move.source))
                if known is None:
                    return set()
                environment.learn(known)
            if action.guard is not None:
                environment.assume(action.guard)
            if not moves:
                # Effects may run on a state that others have changed since the guard was read.
                environment = Environment(source.variables)
        except Contradiction:
            return set()
        again: set[int] = set()
        moved = {move.process for move in moves}
        for row in rows(action.effects):
            try:
                stored = environment.assign_row(row)
            except Contradiction:
                # Certain to fault here; but machine code has executed the earlier effects.
                return again
            for effect, interval in zip(row, stored, strict=True):
                again |= self._store(effect.target, interval, moved, target, widening)
        for move in moves:
            again |= self._arrive(move.process, move.target, environment, target, widening)
        return again

    def _store(
        self, place: Read | Element, stored: Interval, moved: set[int], target: _Intervals, widening: bool
    ) -> set[int]:
        variable = place.variable
        again: set[int] = set()
        if not within(stored, target.variables[variable]):
            target.variables[variable] = self._join(variable, variable, target.variables[variable], stored, widening)
            again.update(self.readers.get(variable, ()))
        written = cell_of(place)
        for process, table in enumerate(self.cells_of_variable):
            if process in moved:
                continue
            for cell in table.get(variable, ()):
                if written is None or cell == written:
                    again |= self._interfere(process, cell, stored, target, widening)
        return again

    def _interfere(self, process: int, cell: Cell, stored: Interval, target: _Intervals, widening: bool) -> set[int]:
        """Add a value written by another process to a cell, in every location."""
        interference = target.interference[process]
        old = interference.get(cell)
        if old is not None and within(stored, old):
            return set()
        key = (process, cell)
        new = stored if old is None else self._join(key, cell[0], old, stored, widening)
        interference[cell] = new
        again: set[int] = set()
        for place in self.places[process]:
            known = target.locations.get(place)
            if known is not None and not within(new, known[cell]):
                known[cell] = join(new, known[cell])
                again.update(self.leaving.get(place, ()))
        return again

    def _arrive(
        self, process: int, location: int, environment: Environment, target: _Intervals, widening: bool
    ) -> set[int]:
        place = (process, location)
        interference = target.interference[process]
        known = target.locations.get(place)
        changed = known is None
        if known is None:
            known = target.locations[place] = {}
        for cell in self.cells[process]:
            interval = environment.cell(cell)
            old = known.get(cell)
            if old is None:
                known[cell] = join(interval, interference[cell]) if cell in interference else interval
            elif not (old[0] <= interval[0] and interval[1] <= old[1]):
                # Writes of other processes are in all known intervals already.
                known[cell] = self._join((place, cell), cell[0], old, interval, widening)
                changed = True
        return set(self.leaving.get(place, ())) if changed else set()

    def _join(self, key: object, variable: Variable, old: Interval, new: Interval, widening: bool) -> Interval:
        wanted = join(old, new)
        if not widening:
            return wanted
        count = self.growths[key] = self.growths.get(key, 0) + 1
        if count <= _EXACT_GROWTHS:
            return wanted
        low, high = old
        domain = variable.domain
        if wanted[0] < low:
            position = bisect_right(self.thresholds, wanted[0]) - 1
            low = max(domain.low, self.thresholds[position]) if position >= 0 else domain.low
        if wanted[1] > high:
            position = bisect_left(self.thresholds, wanted[1])
            high = min(domain.high, self.thresholds[position]) if position < len(self.thresholds) else domain.high
        return low, high


def _is_relevant(action: Action) -> bool:
    """Return True if the action can change an interval; not if it only assigns values known before."""
    return bool(action.moves) or not all(effect.target.variable.domain.tight for effect in action.effects)


def _thresholds(system: System, actions: list[Action]) -> list[int]:
    """Return every constant of the model and its neighbours: candidates for the bound of a counter."""
    found = {0, 1}
    for action in actions:
        for expression in expressions(action):
            for node in walk(expression):
                if isinstance(node, Const):
                    found |= {node.value - 1, node.value, node.value + 1}
    for variable in system.variables:
        if variable.length is not None:
            found |= {variable.length - 1, variable.length}
    return sorted(found)
