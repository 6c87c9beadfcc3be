"""The processes that can exist: which proctypes can have which process numbers.

Processes that start others are executed alone, as far as values are known without the others; a number that turns out
too high at run time is a fault, never a wrong count.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from strandline.languages.promela.control import Automaton, Element, Transition
from strandline.languages.promela.evaluation import value_of
from strandline.languages.promela.syntax import (
    Assignment,
    BinaryExpr,
    Condition,
    Conditional,
    Declaration,
    Declare,
    Else,
    Expr,
    Proctype,
    Program,
    Receive,
    Reference,
    Run,
    Statement,
    UnaryExpr,
)

MOST_PROCESSES = 255
_MOST_STATES = 20_000
_Key = tuple[Declaration, int]
_Values = frozenset[tuple[_Key, int]]


@dataclass(slots=True)
class Instances:
    """The pairs of process numbers and proctypes, and the bound on process numbers."""

    pairs: set[tuple[int, str]] = field(default_factory=set)
    exact: bool = True
    """False if the bound is a guess."""
    arguments: dict[tuple[int, str], set[tuple[int | None, ...]]] = field(default_factory=dict)
    """The values of the parameters with which each process is started, as far as they are known."""


def run_of(statement: Statement | None) -> Run | None:
    """Return the `run` in a statement."""
    match statement:
        case Condition(expression=expression) | Assignment(value=expression):
            return _run_in(expression)
    return None


def _run_in(expression: Expr) -> Run | None:
    match expression:
        case Run():
            return expression
        case BinaryExpr(left=left, right=right):
            return _run_in(left) or _run_in(right)
        case UnaryExpr(operand=operand):
            return _run_in(operand)
        case Conditional(condition=condition, then=then, otherwise=otherwise):
            return _run_in(condition) or _run_in(then) or _run_in(otherwise)
    return None


def find_instances(program: Program, automata: dict[str, Automaton], bound: int | None) -> Instances:
    """Return the processes that can exist; `bound` is the number of processes that the user gives."""
    found = Instances()
    actives: list[str] = []
    for proctype in program.proctypes.values():
        actives += [proctype.name] * proctype.active
    found.pairs |= set(enumerate(actives))
    spawners = {name for name, one in automata.items() if any(_runs(one))}
    alone = len([name for name in actives if name in spawners]) == 1
    started = {run.name for one in automata.values() for run in _runs(one)}
    if bound is None and alone and not spawners & started:
        name = next(name for name in actives if name in spawners)
        if _Simulation(program, automata, actives, actives.index(name), found).run():
            return found
        found.arguments.clear()
    elif not spawners & (set(actives) | started):
        return found
    return _guess(found, automata, actives, started, bound)


def _runs(automaton: Automaton) -> Iterator[Run]:
    for steps in automaton.steps.values():
        for one in steps:
            run = run_of(one.element.statement)
            if run is not None:
                yield run


def _guess(
    found: Instances, automata: dict[str, Automaton], actives: list[str], started: set[str], bound: int | None
) -> Instances:
    """Find all stacks of processes, whatever the values of variables; beyond a bound there are none."""
    counts = _counts(automata, actives)
    total = sum(counts.values()) if counts is not None else None
    found.exact = bound is None and total is not None
    highest = bound if bound is not None else (total if total is not None else len(actives) + 6)
    stacks = _Stacks(automata, actives, min(highest, MOST_PROCESSES))
    if stacks.explore():
        found.pairs |= stacks.pairs
        return found
    for pid in range(1, min(highest, MOST_PROCESSES)):
        for name in started & set(automata):
            found.pairs.add((pid, name))
    return found


class _Stacks:
    """All sequences of living processes, each with the last `run` that it has executed."""

    def __init__(self, automata: dict[str, Automaton], actives: list[str], highest: int) -> None:
        self.automata, self.highest = automata, highest
        self.start = tuple((name, 0) for name in actives)
        self.pairs: set[tuple[int, str]] = set(enumerate(actives))
        self.further = {name: _run_graph(one) for name, one in automata.items()}

    def explore(self) -> bool:
        """Visit all stacks; return False if there are too many."""
        waiting, seen = [self.start], {self.start}
        while waiting:
            stack = waiting.pop()
            for following in self._successors(stack):
                if following not in seen:
                    seen.add(following)
                    waiting.append(following)
            if len(seen) > _MOST_STATES:
                return False
        return True

    def _successors(self, stack: tuple[tuple[str, int], ...]) -> Iterator[tuple[tuple[str, int], ...]]:
        for place, (name, node) in enumerate(stack):
            for target, started in self.further[name][node][0]:
                if len(stack) < self.highest and started in self.automata:
                    self.pairs.add((len(stack), started))
                    yield (*stack[:place], (name, target), *stack[place + 1 :], (started, 0))
        if stack and self.further[stack[-1][0]][stack[-1][1]][1]:
            yield stack[:-1]


def _run_graph(automaton: Automaton) -> list[tuple[list[tuple[int, str]], bool]]:
    """Return for the start (0) and for each `run` which are executed next, and whether the process can end before."""
    sources = [automaton.states[0]]
    runs: dict[Transition, int] = {}
    for steps in automaton.steps.values():
        for one in steps:
            if run_of(one.element.statement) is not None and one.target is not None:
                runs[one] = len(sources)
                sources.append(one.target)
    return [_next_runs(automaton, source, runs) for source in sources]


def _next_runs(
    automaton: Automaton, source: Element, runs: dict[Transition, int]
) -> tuple[list[tuple[int, str]], bool]:
    found: list[tuple[int, str]] = []
    waiting, seen, ends = [source], {source}, False
    while waiting:
        for one in automaton.steps[waiting.pop()]:
            if one in runs:
                run = run_of(one.element.statement)
                assert run is not None
                found.append((runs[one], run.name))
            elif one.target is None:
                ends = True
            elif one.target not in seen:
                seen.add(one.target)
                waiting.append(one.target)
    return found, ends


def _counts(automata: dict[str, Automaton], actives: list[str]) -> dict[str, int] | None:
    """Return how many processes of each proctype can be started altogether; None if there is no bound."""
    counts = {name: actives.count(name) for name in automata}
    order: list[str] = []
    visiting: set[str] = set()

    def visit(name: str) -> bool:
        if name in visiting:
            return False
        if name not in order:
            visiting.add(name)
            if not all(visit(run.name) for run in _runs(automata[name]) if run.name in automata):
                return False
            visiting.discard(name)
            order.append(name)
        return True

    if not all(visit(name) for name in automata):
        return None
    for name in reversed(order):
        for state, steps in automata[name].steps.items():
            for one in steps:
                run = run_of(one.element.statement)
                if run is None or run.name not in automata:
                    continue
                if counts[name] and _on_cycle(automata[name], state, one):
                    return None
                counts[run.name] += counts[name]
    return counts


def _on_cycle(automaton: Automaton, state: Element, step: Transition) -> bool:
    """Return True if a state can be reached again after one of its steps."""
    waiting, seen = [step.target], set()
    while waiting:
        here = waiting.pop()
        if here is None or here in seen:
            continue
        if here is state:
            return True
        seen.add(here)
        waiting += [one.target for one in automaton.steps[here]]
    return False


class _Simulation:
    """Executes one process alone; values of variables that others write are unknown."""

    def __init__(
        self,
        program: Program,
        automata: dict[str, Automaton],
        actives: list[str],
        pid: int,
        found: Instances,
    ) -> None:
        name = actives[pid]
        self.program, self.automata, self.name, self.pid, self.first = program, automata, name, pid, pid + 1
        self.found, self.younger = found, tuple(actives[pid + 1 :])
        self.foreign = _written_elsewhere(automata, name)
        self.mortal = {one for one, automaton in automata.items() if automaton.end in automaton.steps}

    def run(self) -> bool:
        """Find all processes that are started; return False if that takes too long."""
        automaton = self.automata[self.name]
        known: dict[_Key, int] = {}
        for one in self.program.variables:
            self._declare(known, one)
        for one in automaton.proctype.variables:
            known[one, 0] = 0
        for one in automaton.proctype.leading:
            self._declare(known, one)
        younger = self.younger
        start = (automaton.states[0], frozenset(known.items()), younger, self._surviving(younger))  # type: tuple[Element, _Values, tuple[str, ...], int]
        waiting, seen = [start], {start}
        while waiting:
            state, values, stack, low = waiting.pop()
            for following in self._successors(automaton, state, dict(values), stack, low):
                if following not in seen:
                    seen.add(following)
                    waiting.append(following)
            if len(seen) > _MOST_STATES:
                return False
        return True

    def _declare(self, known: dict[_Key, int], one: Declaration) -> None:
        if one.structure is not None or one in self.foreign:
            return
        for index in range(one.length or 1):
            value: int | None = 0
            if one.initial_list is not None and index < len(one.initial_list):
                value = self._value(one.initial_list[index], known)
            elif one.initial is not None:
                value = self._value(one.initial, known)
            if value is not None and one.type != "chan":
                known[one, index] = value

    def _value(self, expression: Expr, known: dict[_Key, int]) -> int | None:
        def lookup(reference: Reference) -> int | None:
            key = self._key(reference, known)
            return None if key is None else known.get(key)

        return value_of(expression, lookup, self.pid)

    def _key(self, reference: Reference, known: dict[_Key, int]) -> _Key | None:
        if reference.fields:
            return None
        index = 0 if reference.index is None else self._value(reference.index, known)
        return None if index is None else (reference.declaration, index)

    def _successors(
        self, automaton: Automaton, state: Element, known: dict[_Key, int], stack: tuple[str, ...], low: int
    ) -> Iterator[tuple[Element, _Values, tuple[str, ...], int]]:
        certain = False
        for one in automaton.steps[state]:
            statement = one.element.statement
            if one.target is None or (isinstance(statement, Else) and certain):
                continue
            after, created = dict(known), stack
            run = run_of(statement)
            if isinstance(statement, Condition) and run is None:
                value = self._value(statement.expression, known)
                if value == 0:
                    continue
                certain |= value is not None
            if run is not None:
                created = self._start(run, known, stack, low)
                if len(created) + self.first > MOST_PROCESSES:
                    continue
            self._write(statement, after)
            alive = low + len(created) - len(stack)
            if not one.continues:
                alive = min(alive, self._surviving(created))
            yield one.target, frozenset(after.items()), created, alive

    def _surviving(self, stack: tuple[str, ...]) -> int:
        """Return how many of the processes on the stack cannot die, from the oldest on."""
        count = len(stack)
        while count and stack[count - 1] in self.mortal:
            count -= 1
        return count

    def _start(self, run: Run, known: dict[_Key, int], stack: tuple[str, ...], low: int) -> tuple[str, ...]:
        for number in range(low, len(stack) + 1):
            pair = (self.first + number, run.name)
            self.found.pairs.add(pair)
            values = tuple(self._value(one, known) for one in run.arguments)
            self.found.arguments.setdefault(pair, set()).add(values)
        return (*stack, run.name)

    def _write(self, statement: Statement | None, known: dict[_Key, int]) -> None:
        match statement:
            case Assignment(target=target, value=value):
                self._set(target, self._value(value, known), known)
            case Receive(arguments=arguments):
                for one in arguments:
                    if one.kind == "set" and isinstance(one.expression, Reference):
                        self._set(one.expression, None, known)
            case Declare(declaration=declaration):
                known.pop((declaration, 0), None)
                if declaration.initial is None and declaration.channel is None:
                    known[declaration, 0] = 0
                elif declaration.initial is not None:
                    self._set(
                        Reference(declaration, None, [], declaration.token),
                        self._value(declaration.initial, known),
                        known,
                    )

    def _set(self, target: Reference, value: int | None, known: dict[_Key, int]) -> None:
        key = self._key(target, known)
        if key is None:
            for one in [one for one in known if one[0] is target.declaration]:
                del known[one]
        elif value is None or target.declaration in self.foreign:
            known.pop(key, None)
        else:
            from strandline.languages.promela.storage import domain_of

            declaration = target.declaration
            known[key] = domain_of(declaration, in_array=declaration.length is not None).wrap(value)


def written_by(proctype: Proctype, automaton: Automaton) -> Iterator[Declaration]:
    """Yield the variables that a proctype assigns."""
    for steps in automaton.steps.values():
        for one in steps:
            match one.element.statement:
                case Assignment(target=target):
                    yield target.declaration
                case Receive(arguments=arguments):
                    for argument in arguments:
                        if argument.kind == "set" and isinstance(argument.expression, Reference):
                            yield argument.expression.declaration
                case Declare(declaration=declaration):
                    yield declaration


def _written_elsewhere(automata: dict[str, Automaton], name: str) -> set[Declaration]:
    """Return the global variables that processes other than the one process of a proctype assign."""
    return {
        declaration
        for other, automaton in automata.items()
        if other != name
        for declaration in written_by(automaton.proctype, automaton)
    }
