"""Fairness by a counter: on random systems and on small ones, against components of the plain graph."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from random import Random

from hypothesis import given
from hypothesis import strategies as st
from kernels import compare_back_ends
from strategies import Case, Generator

from strandline.compile.interpret import Interpreter, Valuation
from strandline.model.fairness import FairSystem, process_fairness, some_enabled, with_fairness
from strandline.model.system import (
    Action,
    Fairness,
    System,
)
from strandline.model.validate import validate

MOST_STATES = 300
Edge = tuple[Valuation, tuple[Action, ...]]


class TooLarge(Exception):
    """The graph is not worth a test."""


@dataclass
class Graph:
    """All that is reachable, by the interpreter. `faulty`: some step cannot be taken."""

    edges: dict[Valuation, list[Edge]] = field(default_factory=dict)
    faulty: bool = False


def graph_of(system: System, most: int = MOST_STATES) -> Graph:
    interpreter = Interpreter(system)
    graph = Graph()
    waiting = list(dict.fromkeys(system.initial))
    seen = set(waiting)
    while waiting:
        state = waiting.pop()
        graph.edges[state] = []
        for step in interpreter.steps(state):
            if step.target is None:
                graph.faulty = True
                continue
            graph.edges[state].append((step.target, step.actions))
            if step.target not in seen:
                seen.add(step.target)
                waiting.append(step.target)
        if len(seen) > most:
            raise TooLarge
    return graph


def components(graph: Graph) -> list[set[Valuation]]:
    """Strongly connected components with an edge inside, by plain reachability."""
    reached = {state: _closure(graph, (target for target, _ in graph.edges[state])) for state in graph.edges}
    found: list[set[Valuation]] = []
    for state in graph.edges:
        if state in reached[state] and not any(state in one for one in found):
            found.append({other for other in reached[state] if state in reached[other]})
    return found


def _closure(graph: Graph, start: Iterable[Valuation]) -> set[Valuation]:
    waiting = list(start)
    seen = set(waiting)
    while waiting:
        for target, _ in graph.edges[waiting.pop()]:
            if target not in seen:
                seen.add(target)
                waiting.append(target)
    return seen


def fair_run_exists(
    system: System, graph: Graph, fairness: Iterable[Fairness], *, ignore_finite_runs: bool = False
) -> bool:
    """Whether some component accepts and meets every condition: a run can go through all of it for ever."""
    interpreter = Interpreter(system)
    return any(
        _accepts(system, members)
        and all(_is_met(interpreter, graph, members, one) for one in fairness)
        and not (ignore_finite_runs and all(interpreter.is_deadlock(state) for state in members))
        for members in components(graph)
    )


def _accepts(system: System, members: set[Valuation]) -> bool:
    observer = system.observer
    assert observer is not None
    return any(state[system.offsets[observer.location]] in observer.accepting for state in members)


def _is_met(interpreter: Interpreter, graph: Graph, members: set[Valuation], one: Fairness) -> bool:
    if one.condition is not None:
        return any(interpreter.evaluate(one.condition, state) for state in members)
    chosen = {id(action) for action in one.actions}
    for state in members:
        steps = list(interpreter._system_steps(state))
        if not any(id(action) in chosen for step in steps for action in step.actions):
            return True
        for target, actions in graph.edges[state]:
            if target in members and any(id(action) in chosen for action in actions):
                return True
    return False


def accepting_cycle_exists(fair: FairSystem, graph: Graph) -> bool:
    interpreter = Interpreter(fair.system)
    observer = fair.system.observer
    assert observer is not None
    location = fair.system.offsets[observer.location]

    def accepts(state: Valuation) -> bool:
        if fair.accepting is None:
            return state[location] in observer.accepting
        return bool(interpreter.evaluate(fair.accepting, state))

    return any(accepts(state) for members in components(graph) for state in members)


class FairGenerator(Generator):
    """Random systems that have an observer, and conditions of fairness for them."""

    def system(self) -> System:
        system = super().system()
        if system.observer is not None:
            return system
        observer = self.observer(len(system.processes))
        start = observer.location.initial
        return validate(
            replace(
                system,
                variables=(*system.variables, observer.location),
                observer=observer,
                initial=tuple(state + start for state in system.initial),
            )
        )

    def fairness(self, system: System) -> tuple[Fairness, ...]:
        chosen = list(process_fairness(system)) if self.chance(0.6) else []
        for number in range(self.random.randint(0, 2)):
            if self.chance(0.5):
                chosen.append(Fairness(f"condition {number}", condition=self.expression(2)))
            else:
                actions = tuple(action for action in system.actions if self.chance(0.4))
                chosen.append(Fairness(f"actions {number}", actions))
        return tuple(chosen)


def random_fair_case(random: Random, wild: float) -> tuple[System, tuple[Fairness, ...], bool]:
    generator = FairGenerator(random, wild=wild)
    system = generator.system()
    return system, generator.fairness(system), generator.chance(0.3)


def compare_with_components(system: System, fairness: tuple[Fairness, ...], ignore: bool) -> str:
    """Compare, and say what kind of case it was."""
    plain = graph_of(system)
    fair = with_fairness(system, fairness, ignore_finite_runs=ignore)
    validate(fair.system)
    copies = graph_of(fair.system, MOST_STATES * 8)
    if any(one.condition is not None for one in fairness) and copies.faulty:
        return "a condition may fault"
    assert copies.faulty == plain.faulty
    if plain.faulty:
        return "faulty"
    assert {state[: len(system.initial[0])] for state in copies.edges} == set(plain.edges)
    expected = fair_run_exists(system, plain, fairness, ignore_finite_runs=ignore)
    assert accepting_cycle_exists(fair, copies) == expected
    return "fair" if expected else "unfair"


@given(st.randoms(use_true_random=False), st.sampled_from((0.0, 0.0, 0.1)))
def test_accepting_cycles_are_the_fair_ones(random: Random, wild: float) -> None:
    system, fairness, ignore = random_fair_case(random, wild)
    try:
        compare_with_components(system, fairness, ignore)
    except TooLarge:
        return


@given(st.randoms(use_true_random=False), st.sampled_from((0.0, 0.1, 0.3)))
def test_the_compiled_counter_is_the_interpreted_one(random: Random, wild: float) -> None:
    system, fairness, ignore = random_fair_case(random, wild)
    fair = with_fairness(system, fairness, ignore_finite_runs=ignore)
    predicates = () if fair.accepting is None else (fair.accepting,)
    compare_back_ends(Case(fair.system, predicates, None), 150)


@given(st.randoms(use_true_random=False), st.sampled_from((0.0, 0.1)))
def test_enabled_means_that_there_is_a_step(random: Random, wild: float) -> None:
    generator = FairGenerator(random, wild=wild)
    system = generator.system()
    interpreter = Interpreter(system)
    try:
        graph = graph_of(system)
    except TooLarge:
        return
    if graph.faulty:
        return
    for state in graph.edges:
        steps = list(interpreter._system_steps(state))
        for action in system.actions:
            taken = any(one is action for step in steps for one in step.actions)
            enabled = bool(interpreter.evaluate(some_enabled(system, [action]), state))
            # In a synchronous system without a step an action may wait for others; no step ever asks.
            assert enabled == taken or (system.synchronous and not steps)
