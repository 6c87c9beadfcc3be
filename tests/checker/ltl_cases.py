"""Random systems with random formulas and fairness, and what the answer must be.

The oracle shares as little as it can with what it judges: the interpreter's graph of the system itself, the tableau
translation, components by Kosaraju's algorithm, fairness as sets that a component must meet. No counter, no compiled
code, no default translation.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from strategies import Generator

from strandline.checker.properties.selection import Kind, Property
from strandline.checker.properties.specification import BoundFormula
from strandline.compile.interpret import Fault, Interpreter, Valuation
from strandline.model.expression import Expression
from strandline.model.measure import Component
from strandline.model.system import Action, Fairness, System
from strandline.properties import Automaton, Formula, LassoWord, Method, ParsedFormula, translate
from strandline.properties.ltl.formula import Operator, atom, atoms_of, make
from strandline.source import Source, Span
from strandline.transform.fairness import process_fairness

MOST_STATES = 150
NAMES = ("p", "q")
UNARY = (Operator.NOT, Operator.NEXT, Operator.EVENTUALLY, Operator.ALWAYS)
BINARY = (
    Operator.AND,
    Operator.OR,
    Operator.IMPLIES,
    Operator.EQUIVALENT,
    Operator.UNTIL,
    Operator.RELEASE,
    Operator.WEAK_UNTIL,
    Operator.STRONG_RELEASE,
)

Node = tuple[Valuation, int]


class Unsuitable(Exception):
    """The case is too large, or something in it cannot be evaluated."""


@dataclass(frozen=True)
class LtlCase:
    """A System without a property process, a formula over it, and which runs count."""

    system: System
    formula: Formula
    atoms: dict[str, Expression]
    fairness: tuple[Fairness, ...]
    ignore_finite_runs: bool

    def property(self) -> Property:
        text = str(self.formula)
        spans = {name: Span(0, 1) for name in self.atoms}
        bound = BoundFormula(ParsedFormula(self.formula, Source("formula", text), spans), self.atoms)
        return Property(Kind.LTL, text, specification=bound)

    def declared(self) -> System:
        """The System with its fairness declared."""
        return replace(self.system, fairness=self.fairness)


class LtlGenerator(Generator):
    """Makes a random case."""

    def formula(self, size: int) -> Formula:
        if size <= 1:
            return atom(self.pick(NAMES))
        if size == 2 or self.chance(0.4):
            return make(self.pick(UNARY), self.formula(size - 1))
        left = self.random.randint(1, size - 2)
        return make(self.pick(BINARY), self.formula(left), self.formula(size - 1 - left))

    def ltl_case(self) -> LtlCase:
        system = self.system()
        if system.observer is not None:
            system = replace(system, observer=None)
        formula = self.formula(self.random.randint(1, 7))
        atoms = {name: self.guard() or self.expression(2) for name in atoms_of(formula)}
        measure = Component(self.expression(2), name="measure")
        system = replace(system, measures=(measure,))
        return LtlCase(system, formula, atoms, self.fairness(system), self.chance(0.25))

    def fairness(self, system: System) -> tuple[Fairness, ...]:
        if self.chance(0.5):
            return ()
        chosen = list(process_fairness(system)) if self.chance(0.6) else []
        if self.chance(0.4):
            chosen.append(Fairness("condition", condition=self.guard() or self.expression(2)))
        if self.chance(0.3):
            chosen.append(Fairness("actions", tuple(action for action in system.actions if self.chance(0.4))))
        return tuple(chosen)


def random_case(random: Random) -> LtlCase:
    return LtlGenerator(random, wild=0.0).ltl_case()


# The graph of the system


@dataclass(frozen=True)
class SystemGraph:
    """Everything reachable: the steps of a state, each with its actions; a deadlock stays where it is."""

    initial: tuple[Valuation, ...]
    steps: dict[Valuation, list[tuple[Valuation, tuple[Action, ...]]]]
    letters: dict[Valuation, frozenset[str]]
    met: dict[Valuation, list[bool]]
    """For every condition of fairness, whether a state meets it whatever step follows."""
    deadlocks: frozenset[Valuation]


def graph_of(case: LtlCase) -> SystemGraph:
    """The graph; raises `Unsuitable` where it is too large or something faults."""
    interpreter = Interpreter(case.system)
    steps: dict[Valuation, list[tuple[Valuation, tuple[Action, ...]]]] = {}
    letters, met, deadlocks = {}, {}, set()
    waiting = list(dict.fromkeys(case.system.initial))
    try:
        while waiting:
            state = waiting.pop()
            if state in steps:
                continue
            found = interpreter.steps(state)
            if any(step.target is None for step in found):
                raise Unsuitable
            steps[state] = [(step.target, step.actions) for step in found if step.target is not None]
            if not found:
                deadlocks.add(state)
                steps[state] = [(state, ())]
            letters[state] = frozenset(
                name for name, expression in case.atoms.items() if interpreter.evaluate(expression, state)
            )
            met[state] = [_idle(interpreter, state, steps[state], one) for one in case.fairness]
            interpreter.evaluate(case.system.measures[0].expression, state)
            waiting += [target for target, _ in steps[state]]
            if len(steps) > MOST_STATES:
                raise Unsuitable
    except Fault:
        raise Unsuitable from None
    return SystemGraph(case.system.initial, steps, letters, met, frozenset(deadlocks))


def _idle(
    interpreter: Interpreter, state: Valuation, steps: list[tuple[Valuation, tuple[Action, ...]]], one: Fairness
) -> bool:
    if one.condition is not None:
        return bool(interpreter.evaluate(one.condition, state))
    chosen = {id(action) for action in one.actions}
    return not any(id(action) in chosen for _, actions in steps for action in actions)


# The product, and its components


def violated(case: LtlCase, graph: SystemGraph) -> bool:
    """Whether some run that counts violates the formula."""
    automaton = translate(make(Operator.NOT, case.formula), method=Method.TABLEAU)
    edges = _product(case, graph, automaton)
    numbered = {node: number for number, node in enumerate(edges)}
    accepting = automaton.accepting_states
    for members in components_of({node: [target for target, _ in out] for node, out in edges.items()}):
        inside = set(members)
        inner = [(node, target, actions) for node in members for target, actions in edges[node] if target in inside]
        if not inner or not any(node[1] in accepting for node in members):
            continue
        if case.ignore_finite_runs and all(node[0] in graph.deadlocks for node in members):
            continue
        if all(_is_met(graph, members, inner, number, one) for number, one in enumerate(case.fairness)):
            assert all(node in numbered for node in members)
            return True
    return False


def _is_met(
    graph: SystemGraph,
    members: Iterable[Node],
    inner: list[tuple[Node, Node, tuple[Action, ...]]],
    number: int,
    one: Fairness,
) -> bool:
    if any(graph.met[state][number] for state, _ in members):
        return True
    chosen = {id(action) for action in one.actions}
    return any(id(action) in chosen for _, _, actions in inner for action in actions)


def _product(
    case: LtlCase, graph: SystemGraph, automaton: Automaton
) -> dict[Node, list[tuple[Node, tuple[Action, ...]]]]:
    edges: dict[Node, list[tuple[Node, tuple[Action, ...]]]] = {}
    waiting = [(state, start) for state in graph.initial for start in automaton.initial]
    while waiting:
        node = waiting.pop()
        if node in edges:
            continue
        state, location = node
        bits = sum(1 << place for place, name in enumerate(automaton.atoms) if name in graph.letters[state])
        edges[node] = [
            ((target, edge.target), actions)
            for target, actions in graph.steps[state]
            for edge in automaton.edges[location]
            if edge.guard.holds(bits)
        ]
        waiting += [target for target, _ in edges[node]]
    return edges


def components_of(graph: dict[Any, list[Any]]) -> list[list[Any]]:
    """Kosaraju: the graph depth-first, then the reversed graph in the reverse order of leaving."""
    order = _leaving_order(graph)
    back: dict[Any, list[Any]] = {node: [] for node in graph}
    for node, targets in graph.items():
        for target in targets:
            back[target].append(node)
    found: list[list[Any]] = []
    seen: set[Any] = set()
    for root in reversed(order):
        if root in seen:
            continue
        seen.add(root)
        members, stack = [], [root]
        while stack:
            node = stack.pop()
            members.append(node)
            for source in back[node]:
                if source not in seen:
                    seen.add(source)
                    stack.append(source)
        found.append(members)
    return found


def _leaving_order(graph: dict[Any, list[Any]]) -> list[Any]:
    order: list[Any] = []
    seen: set[Any] = set()
    for root in graph:
        stack = [(root, iter(graph[root]))] if root not in seen else []
        seen.add(root)
        while stack:
            node, targets = stack[-1]
            target = next((one for one in targets if one not in seen), None)
            if target is None:
                order.append(node)
                stack.pop()
            else:
                seen.add(target)
                stack.append((target, iter(graph[target])))
    return order


def random_run(graph: SystemGraph, random: Random) -> LassoWord:
    """The word of a random run, which closes its loop where it first can."""
    state = random.choice(graph.initial)
    path: list[Valuation] = []
    while state not in path:
        path.append(state)
        state = random.choice(graph.steps[state])[0]
    first = path.index(state)
    letters = [graph.letters[one] for one in path]
    return LassoWord(tuple(letters[:first]), tuple(letters[first:]))
