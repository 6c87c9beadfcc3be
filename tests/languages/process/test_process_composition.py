"""Compositions by the language are compositions by the definition of CSP."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from compositions import leaves, program, trees
from csp_definition import TAU, Both, Edge, Hide, Leaf, Rename, State, Tree, graph, reachable
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import strandline
from strandline.compile.interpret import Interpreter
from strandline.languages import process
from strandline.model.system import System
from strandline.source import Source


def load(text: str) -> System:
    return process.load(Source("m.psl", text))


def explored(system: System, tree: Tree) -> tuple[set[State], set[Edge], int]:
    """As `csp_definition.reachable`, by the interpreter of Systems."""
    numbers = [_numbers(leaf, process.locations) for leaf, process in zip(tree.leaves(), system.processes, strict=True)]
    interpreter = Interpreter(system)

    def state_of(valuation: tuple[int, ...]) -> State:
        return tuple(table[value] for table, value in zip(numbers, valuation, strict=True))

    initial = system.initial[0]
    seen, waiting, edges, stuck = {initial}, [initial], set[Edge](), 0
    while waiting:
        here = waiting.pop()
        steps = interpreter.steps(here)
        stuck += not steps
        for step in steps:
            assert step.target is not None
            action = step.actions[0]
            who = frozenset(system.processes[move.process].name for move in action.moves)
            edge = (state_of(here), action.name.partition(" ")[0], who, state_of(step.target))
            assert edge not in edges, "a step that is there twice"
            edges.add(edge)
            if step.target not in seen:
                seen.add(step.target)
                waiting.append(step.target)
    return set(map(state_of, seen)), edges, stuck


def _numbers(leaf: Leaf, names: tuple[str, ...]) -> list[int]:
    """The state of the graph for each location."""
    return [0 if name == leaf.name else int(name.removeprefix(f"{leaf.name}_")) for name in names]


@settings(max_examples=300)
@given(trees())
def test_states_steps_and_deadlocks_are_those_of_the_definition(tree: Tree) -> None:
    assert explored(load(program(tree)), tree) == reachable(tree)


@settings(max_examples=15)
@given(trees())
def test_a_search_counts_the_same(tree: Tree) -> None:
    states, edges, deadlocks = reachable(tree)
    system = load(program(tree))
    for order in ("bfs", "dfs"):
        found = strandline.explore(system, order=order).statistics
        assert (found.states, found.transitions, found.deadlocks) == (len(states), len(edges), deadlocks)


EXTRA = Leaf("R", 2, frozenset({(0, "a", 1), (1, "d[0]", 0)}))
LAWS: dict[str, Callable[[Tree, Tree, frozenset[str], frozenset[str]], tuple[Tree, Tree]]] = {
    "hiding twice": lambda p, q, a, b: (Hide(Hide(p, a), b - a), Hide(p, a | b)),
    "hiding what is not shared": lambda p, q, a, b: (
        Hide(Both(p, q), a),
        Both(Hide(p, a & graph(p).alphabet), Hide(q, a & graph(q).alphabet)),
    ),
    "renaming and back": lambda p, q, a, b: (Rename(Rename(p, _fresh(a)), _back(a)), p),
    "renaming what is hidden": lambda p, q, a, b: (Hide(Rename(p, _fresh(a)), _new(a)), Hide(p, a)),
    "renaming before and after": lambda p, q, a, b: (
        Rename(Both(p, q), _fresh(a)),
        Both(Rename(p, _fresh(a & graph(p).alphabet)), Rename(q, _fresh(a & graph(q).alphabet))),
    ),
    "grouping": lambda p, q, a, b: (Both(Both(p, q), EXTRA), Both(p, Both(q, EXTRA))),
}


def _fresh(labels: frozenset[str]) -> tuple[tuple[str, str], ...]:
    return tuple((label, "new_" + label.replace("[", "_").replace("]", "")) for label in sorted(labels))


def _new(labels: frozenset[str]) -> frozenset[str]:
    return frozenset(new for _, new in _fresh(labels))


def _back(labels: frozenset[str]) -> tuple[tuple[str, str], ...]:
    return tuple((new, old) for old, new in _fresh(labels))


@pytest.mark.parametrize("law", LAWS)
@settings(max_examples=40)
@given(data=st.data())
def test_a_law_of_csp(law: str, data: st.DataObject) -> None:
    """Both sides are the same by the definition, and the language gives the same System for both."""
    left, right = data.draw(leaves("P")), data.draw(leaves("Q"))
    both = graph(Both(left, right)).alphabet if "before" in law or "shared" in law else graph(left).alphabet
    assume(both or law == "grouping")
    some = st.frozensets(st.sampled_from(sorted(both)), min_size=1) if both else st.just(frozenset[str]())
    first, second = data.draw(some), data.draw(some)
    if law == "hiding what is not shared":
        first -= graph(left).alphabet & graph(right).alphabet
        assume(first)
    one, other = (_trimmed(tree) for tree in LAWS[law](left, right, first, second))
    assert graph(one) == graph(other)
    assert _steps(load(program(one))) == _steps(load(program(other)))


def _trimmed(tree: Tree) -> Tree:
    """Without operators that have nothing to do; the language takes those for mistakes."""
    match tree:
        case Both(left=left, right=right):
            return Both(_trimmed(left), _trimmed(right))
        case Hide(body=body, labels=labels):
            return Hide(_trimmed(body), labels) if labels else _trimmed(body)
        case Rename(body=body, names=names):
            return Rename(_trimmed(body), names) if names else _trimmed(body)
        case _:
            return tree


def _steps(system: System) -> set[tuple[object, ...]]:
    """Return the steps of a System, by names."""
    return {
        (
            action.name.partition(" ")[0],
            frozenset(
                (
                    system.processes[move.process].name,
                    system.processes[move.process].locations[move.source],
                    system.processes[move.process].locations[move.target],
                )
                for move in action.moves
            ),
        )
        for action in system.actions
    }


def test_the_tests_can_fail() -> None:
    """A component that waits for an action of the other one is not the same as one that does not."""
    waits = Both(Leaf("P", 1, frozenset({(0, "a", 0)})), Leaf("Q", 1, frozenset(), frozenset({"a"})))
    free = Both(Leaf("P", 1, frozenset({(0, "a", 0)})), Leaf("Q", 1, frozenset()))
    assert reachable(waits) != reachable(free)
    assert explored(load(program(waits)), waits) == reachable(waits)
    assert explored(load(program(free)), free)[1] == {((0, 0), "a", frozenset({"P"}), (0, 0))}
    hidden = Hide(Leaf("P", 1, frozenset({(0, "a", 0)})), frozenset({"a"}))
    assert explored(load(program(hidden)), hidden)[1] == {((0,), TAU, frozenset({"P"}), (0,))}
