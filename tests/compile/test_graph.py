"""Explicit graphs as Kernels: tests beyond the shared suite."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from kernels import ask
from support import graph_back_end as back_end
from support.explicit_graph import Graph
from support.graph_back_end import graph_kernel

from strandline.compile.kernel import DEADLOCK_BIT, FaultSite
from strandline.errors import UsageError
from strandline.model.expression import Read
from strandline.model.system import Domain, Variable
from strandline.source import Span

TRIANGLE = Graph.of(((1, 2), (2,), ()))
SPLIT = FaultSite("division by zero", Span(3, 4))


def test_a_fault_is_the_only_answer_of_its_node() -> None:
    graph = replace(TRIANGLE, faults={1: (SPLIT.kind, SPLIT.span), 2: ("other", None)})
    kernel = graph_kernel(graph)
    assert ask(kernel, (0,)).records == ((1,), (2,))
    assert ask(kernel, (1,)).fault == SPLIT
    assert ask(kernel, (2,)).fault == FaultSite("other", None)
    (edge,) = kernel.reference.edges((1,))
    assert (edge.target, edge.fault) == (None, SPLIT)


@pytest.mark.parametrize("words", [None, 1, 3])
def test_a_state_that_is_no_node_is_a_fault(words: int | None) -> None:
    states = None if words is None else np.array([[9] * words, [4] * words, [2] * words], dtype=np.uint64)
    kernel = graph_kernel(replace(TRIANGLE, states=states))
    for state in [(3,), (2**64 - 1,)] if words is None else [(3,) * words, (0,) * words, (10,) * words]:
        assert ask(kernel, state).fault == FaultSite("this state is not in the graph", None)


def test_who_is_stuck_can_be_told() -> None:
    """A deadlock of the system where an observer steps alone, or forbids the system's steps."""
    kernel = graph_kernel(replace(TRIANGLE, stuck=np.array([True, False, False])))
    assert [ask(kernel, (node,)).labels for node in range(3)] == [1 << DEADLOCK_BIT, 0, 0]
    assert [kernel.reference.labels((node,)) for node in range(3)] == [1 << DEADLOCK_BIT, 0, 0]


def test_edges_have_names() -> None:
    named = replace(TRIANGLE, actions=np.array([1, 0, 1]), names=("send", "receive"))
    assert [edge.action for edge in graph_kernel(named).reference.edges((0,))] == ["receive", "send"]
    assert [edge.action for edge in graph_kernel(TRIANGLE).reference.edges((0,))] == ["1", "2"]
    nameless = replace(TRIANGLE, actions=None, names=("step",))
    assert [edge.action for edge in graph_kernel(nameless).reference.edges((0,))] == ["step", "step"]


def test_all_states_of_many_words_are_found() -> None:
    """Among states that differ in one word only, wherever it is, and in unsigned order."""
    random, extremes = np.random.default_rng(1), np.array([0, 1, 2**63, 2**64 - 1], dtype=np.uint64)
    for words in (1, 2, 5):
        states = np.unique(random.choice(extremes, (200, words)), axis=0)
        random.shuffle(states)
        nodes = len(states)
        graph = Graph.of([[node] for node in range(nodes)], labels={node: node for node in range(nodes)})
        kernel = graph_kernel(replace(graph, states=states))
        for node, state in enumerate(map(tuple, states.tolist())):
            answer = ask(kernel, state)
            assert (answer.records, answer.labels) == ((state,), node)


def test_a_graph_has_no_variables() -> None:
    with pytest.raises(UsageError, match="a graph has no variables"):
        graph_kernel(TRIANGLE).reference.values((0,), [Read(Variable("x", Domain(0, 1)))])


def ints(*values: Any) -> Any:
    return np.array(values, dtype=np.int64)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"offsets": ints(0, 2, 1, 3)}, "the edges of its nodes do not follow each other"),
        ({"offsets": ints(0, 2, 3, 4)}, "the edges of its nodes do not follow each other"),
        ({"offsets": ints(1, 2, 3, 3)}, "the edges of its nodes do not follow each other"),
        ({"targets": ints(1, 3, 2)}, "an edge leads to no node"),
        ({"targets": ints(1, -1, 2)}, "an edge leads to no node"),
        ({"initial": ints(0, 3)}, "an initial state is no node"),
        ({"faults": {7: ("x", None)}}, "a fault is at no node"),
        ({"names": ("a", "b")}, "an action has no name"),
        ({"falls": np.array([True, False, True])}, "only a measure has components that fall"),
        ({"labels": np.zeros(2, dtype=np.uint64)}, r"'labels' has not the shape \(3,\)"),
        ({"progress": ints((0, 0), (0, 1))}, r"'progress' has not the shape \(3, 2\)"),
        ({"states": np.zeros((2, 2), dtype=np.uint64)}, r"'states' has not the shape \(3, 2\)"),
        ({"stuck": np.array([True])}, r"'stuck' has not the shape \(3,\)"),
    ],
)
def test_arrays_that_do_not_fit_together_are_no_graph(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=f"this is no graph: {message}"):
        replace(TRIANGLE, **changes)


def test_two_nodes_with_the_same_state_are_no_graph() -> None:
    twice = np.array([[1, 2], [3, 4], [1, 2]], dtype=np.uint64)
    with pytest.raises(UsageError, match="two nodes have the same state"):
        graph_kernel(replace(TRIANGLE, states=twice))


def test_functions_are_used_again() -> None:
    """The function of a dead Kernel serves another one: many graphs cost no memory."""
    graph_kernel(TRIANGLE)
    before = len(back_end._FREE)
    for _ in range(200):
        graph_kernel(TRIANGLE)
    assert len(back_end._FREE) == before
    kernels = [graph_kernel(TRIANGLE) for _ in range(200)]
    assert len({kernel.successors for kernel in kernels}) == 200
    del kernels
    assert len(back_end._FREE) >= 200
