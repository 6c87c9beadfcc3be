"""Fairness by a counter: on random systems and on small ones, against components of the plain graph."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kernels import compare_back_ends
from strategies import Case, Generator

from strandline.compile.interpret import Interpreter, Valuation
from strandline.errors import InternalError
from strandline.languages.dve import load
from strandline.model.expression import Const, Read
from strandline.model.system import Action, Assign, Domain, Fairness, Move, Observer, System, Variable
from strandline.model.validate import validate
from strandline.source import Source
from strandline.transform.fairness import FairSystem, process_fairness, some_enabled, with_fairness

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
    """Whether some component accepts and meets every condition: a run can go through all of it for ever. Where it does
    not meet strong fairness, only a run through the states in which nothing of that is enabled can."""
    interpreter = Interpreter(system)

    def found_in(part: Graph) -> bool:
        for members in components(part):
            unmet = [one for one in fairness if not _is_met(interpreter, part, members, one)]
            if not _accepts(system, members):
                continue
            if not unmet and not (ignore_finite_runs and all(interpreter.is_deadlock(state) for state in members)):
                return True
            if unmet and all(one.strong for one in unmet):
                idle = {state for state in members if not any(_enabled(interpreter, state, one) for one in unmet)}
                if found_in(_restricted(part, idle)):
                    return True
        return False

    return found_in(graph)


def _restricted(graph: Graph, states: set[Valuation]) -> Graph:
    return Graph({state: [edge for edge in graph.edges[state] if edge[0] in states] for state in states})


def _enabled(interpreter: Interpreter, state: Valuation, one: Fairness) -> bool:
    chosen = {id(action) for action in one.actions}
    return any(id(action) in chosen for step in interpreter._system_steps(state) for action in step.actions)


def _accepts(system: System, members: set[Valuation]) -> bool:
    observer = system.observer
    assert observer is not None
    return any(state[system.offsets[observer.location]] in observer.accepting for state in members)


def _is_met(interpreter: Interpreter, graph: Graph, members: set[Valuation], one: Fairness) -> bool:
    if one.condition is not None:
        return any(interpreter.evaluate(one.condition, state) for state in members)
    chosen = {id(action) for action in one.actions}
    taken = any(
        target in members and any(id(action) in chosen for action in actions)
        for state in members
        for target, actions in graph.edges[state]
    )
    idle = [not _enabled(interpreter, state, one) for state in members]
    return taken or (all(idle) if one.strong else any(idle))


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
                chosen.append(Fairness(f"actions {number}", actions, strong=bool(actions) and self.chance(0.5)))
        return tuple(chosen)


def random_fair_case(random: Random, wild: float) -> tuple[System, tuple[Fairness, ...], bool]:
    generator = FairGenerator(random, wild=wild)
    system = generator.system()
    return system, generator.fairness(system), generator.chance(0.3)


def compare_with_components(system: System, fairness: tuple[Fairness, ...], ignore: bool) -> str:
    """Compare with the components of the graph, and return the kind of case."""
    plain = graph_of(system)
    fair = with_fairness(system, fairness, ignore_finite_runs=ignore)
    validate(fair.system)
    copies = graph_of(fair.system, MOST_STATES * 16)
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


# Small systems


def watched(text: str) -> System:
    """A DVE model and an observer that accepts every run."""
    system = load(Source("model.dve", text))
    location = Variable("W", Domain(0, 0), None, (0,), ("w",), "W")
    edge = Action("W: w -> w", (Move(len(system.processes), 0, 0),), None, (Assign(Read(location), Const(0)),))
    return validate(
        replace(
            system,
            variables=(*system.variables, location),
            observer=Observer("W", location, (edge,), frozenset({0})),
            initial=tuple((*state, 0) for state in system.initial),
        )
    )


def has_fair_run(text: str, *conditions: str, processes: bool = True, ignore_finite_runs: bool = False) -> bool:
    """Whether some run of a DVE model is fair to its processes and meets the conditions: by the counter, and by
    components of the plain graph, which must agree."""
    system = watched(text)
    fairness = process_fairness(system) if processes else ()
    fairness += tuple(Fairness(one, condition=system.scope.parse(one)) for one in conditions)
    fair = with_fairness(system, fairness, ignore_finite_runs=ignore_finite_runs)
    found = accepting_cycle_exists(fair, graph_of(fair.system))
    assert found == fair_run_exists(system, graph_of(system), fairness, ignore_finite_runs=ignore_finite_runs)
    return found


STOPS = "byte x; process P { state s; init s; trans s -> s { guard x < 2; effect x = x + 1; }; } system async;"


def test_staying_at_a_deadlock_is_fair_to_every_process() -> None:
    assert has_fair_run(STOPS)
    assert has_fair_run(STOPS, "x == 2")
    assert not has_fair_run(STOPS, "x == 1")
    assert not has_fair_run(STOPS, "x == 2", "x == 1")
    assert not has_fair_run(STOPS, ignore_finite_runs=True)
    assert not has_fair_run(STOPS, processes=False, ignore_finite_runs=True)


HELD_BACK = """
byte x;
process P { state a, b; init a; commit a, b; trans a -> b {}, b -> a { guard x == 0; }; }
process Q { state s, t; init s; trans s -> t { effect x = 1; }; }
system async;
"""


def test_what_a_committed_location_holds_back_cannot_move() -> None:
    assert has_fair_run(HELD_BACK, "P.a")
    assert not has_fair_run(HELD_BACK.replace("commit a, b;", ""), "P.a")


RENDEZVOUS = """
channel c;
byte x;
process P { state s, t; init s; trans s -> t { sync c!; effect x = 1; }; }
process Q { state s, t; init s; trans s -> t { sync c?; }; }
process R { state s; init s; trans s -> s {}; }
system async;
"""


def test_a_rendezvous_is_a_move_of_both_sides() -> None:
    system = watched(RENDEZVOUS)
    groups = {one.name: [action.name for action in one.actions] for one in process_fairness(system)}
    assert groups["P"] == groups["Q"]
    assert len(groups["P"]) == 1
    assert has_fair_run(RENDEZVOUS, "x == 1")
    assert not has_fair_run(RENDEZVOUS, "x == 0")
    assert has_fair_run(RENDEZVOUS, "x == 0", processes=False)


def test_a_process_that_can_move_only_now_and_then_may_starve() -> None:
    blinking = """
    byte x, y;
    process P { state s; init s; trans s -> s { guard x == 1; effect y = 1; }; }
    process Q { state s; init s; trans s -> s { effect x = 1 - x; }; }
    system async;
    """
    assert has_fair_run(blinking, "y == 0")
    assert not has_fair_run(blinking.replace("guard x == 1; ", ""), "y == 0")


SYNCHRONOUS = """
byte x;
process P { state s; init s; trans s -> s {}; }
process Q { state a, b; init a; trans a -> a {}, a -> b { effect x = 1; }, b -> b {}; }
system sync;
"""


def test_all_processes_of_a_synchronous_system_move() -> None:
    system = watched(SYNCHRONOUS)
    assert with_fairness(system, process_fairness(system)).accepting is None
    assert has_fair_run(SYNCHRONOUS, "x == 0")


def test_single_actions_of_a_synchronous_system() -> None:
    """Weak fairness of the move that leaves a: staying there for ever is not fair."""
    system = watched(SYNCHRONOUS)
    leaving = next(action for action in system.actions if action.name == "Q: a -> b")
    staying = Fairness("x stays 0", condition=system.scope.parse("x == 0"))
    leave = Fairness("leave", (leaving,))
    for fairness, expected in (((leave,), True), ((leave, staying), False)):
        fair = with_fairness(system, fairness)
        assert accepting_cycle_exists(fair, graph_of(fair.system)) is expected
        assert fair_run_exists(system, graph_of(system), fairness) is expected


def test_actions_without_moves_belong_to_who_their_names_tell() -> None:
    x = Variable("P_1.x", Domain(0, 3), owner="P_1")
    names = ("P_1.send(x=1)", "P_1.send(x=2)", "P_1.stop", "tick(n=0)", "tick(n=1)", "other.tock")
    actions = tuple(Action(name, (), None, ()) for name in names)
    system = System.create("model", Source("model", ""), (x,), (), actions)
    found = {one.name: [action.name for action in one.actions] for one in process_fairness(system)}
    assert found == {"P_1": list(names[:3]), "tick": list(names[3:5]), "other.tock": [names[5]]}


def test_steps_keep_their_numbers() -> None:
    system = watched(RENDEZVOUS)
    fair = with_fairness(system, process_fairness(system)).system
    assert [action.name for action in fair.actions] == [action.name for action in system.actions]
    assert [one.name for one in fair.variables[len(system.variables) :]] == ["(fairness)"]
    with pytest.raises(InternalError, match="fairness needs an observer"):
        with_fairness(replace(system, observer=None))
