"""The semantics of nets: machine code and interpreter compared with the definition of firing."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given, settings
from kernels import compare_back_ends
from random_nets import nets, reachable, successors
from strategies import Case

import strandline
from strandline.checker.verdicts.verdict import Answer
from strandline.compile.host import compile_system
from strandline.compile.module import emit
from strandline.errors import ModelError, ParseError
from strandline.languages.petri.lowering import lower
from strandline.languages.petri.net import Net, Place, Transition
from strandline.model.layout import Layout
from strandline.source import Source


@settings(max_examples=40)
@given(nets())
def test_steps_are_firings(one: Net) -> None:
    """By the interpreter, with which machine code is compared elsewhere."""
    system = lower(one, 40)
    kernel = compile_system(system)
    names = [place.id for place in one.places]
    for marking in list(reachable(one, 15)[0])[:15]:
        fired = {(one.transitions[number].id, target) for number, target in successors(one, marking)}
        if max(marking) > 40 or any(max(target) > 40 for _, target in fired):
            # The first fault ends the list of steps.
            continue
        state = kernel.reference.layout.pack(marking)  # type: ignore[attr-defined]
        steps = {
            (edge.action, tuple(int(kernel.reference.describe(edge.target)[name]) for name in names))
            for edge in kernel.reference.edges(state)
            if edge.target is not None
        }
        assert steps == fired


@pytest.mark.parametrize("bound", [2, 5, (1 << 32) - 1])
@settings(max_examples=12, deadline=None)
@given(one=nets(12, 14))
def test_machine_code_fires_as_the_interpreter_does(bound: int, one: Net) -> None:
    """Bits in one word, fields of some bits, and states of more words than are loaded at once; faults included."""
    places = tuple(replace(place, initial=min(place.initial, bound)) for place in one.places)
    system = lower(replace(one, places=places), bound)
    guards = [action.guard for action in system.actions if action.guard is not None]
    compare_back_ends(Case(system, tuple(guards[:3]), None), 30)


@settings(max_examples=40, deadline=None)
@given(nets())
def test_markings_and_firings_are_counted(one: Net) -> None:
    """With a limit of its own: without one, a search leaves alone what others take of the machine's memory."""
    markings, complete = reachable(one)
    explored = strandline.explore(lower(one), max_states=2000, memory="4G")
    if complete:
        assert explored.complete, explored.reason
        assert (explored.statistics.states, explored.statistics.transitions) == (len(markings), sum(markings.values()))
        assert explored.statistics.deadlocks == sum(count == 0 for count in markings.values())
    else:
        assert not explored.complete or (explored.statistics.states or 0) > 500


def net(initial: list[int], *arcs: tuple[dict[int, int], dict[int, int]], limit: int | None = None) -> Net:
    places = tuple(Place(f"p-{number}", tokens, limit) for number, tokens in enumerate(initial))
    return Net("n", Source("n", ""), places, tuple(Transition(f"t.{i}", a, b) for i, (a, b) in enumerate(arcs)))


@pytest.mark.parametrize("rings", [1, 2, 8])
def test_few_tokens_in_many_places(rings: int) -> None:
    """Rings of forty places with a token each: words full of bits, of which those that are set are visited."""
    size = 40
    arcs = [
        ({size * ring + place: 1}, {size * ring + (place + 1) % size: 1})
        for ring in range(rings)
        for place in range(size)
    ]
    system = lower(net([int(number % size == 0) for number in range(size * rings)], *arcs))
    module = emit(system)
    assert module.text.count("@llvm.cttz.i64(i64 %") == len(_words_of_keys(module.layout))
    assert compare_back_ends(Case(system, (), None), 100) > 30
    (first,) = module.reference().initial()
    assert [edge.action for edge in module.reference().edges(first)] == [f"t.{size * ring}" for ring in range(rings)]
    assert strandline.explore(system, max_states=3000).statistics.states == min(size**rings, 3000)


def _words_of_keys(layout: Layout) -> set[int]:
    """The words with enough fields for a loop."""
    counts = Counter(field.word for field in layout.fields if field.width)
    return {word for word, count in counts.items() if count >= 16}


def test_more_tokens_than_the_bound_are_a_fault_with_a_trace() -> None:
    verdict = strandline.check(lower(net([0, 1], ({}, {0: 2}), ({0: 3}, {1: 1})), 5), deadlock=True)
    assert verdict.answer is Answer.VIOLATED
    fault = verdict.properties[-1]
    assert fault.reason == "value outside the variable's range"
    assert fault.trace is not None
    assert fault.trace.fault is not None
    assert (len(fault.trace.steps), fault.trace.fault.action) == (2, "t.0")


def test_a_safe_net_that_is_not_is_found_out() -> None:
    verdict = strandline.check(lower(net([1, 1], ({0: 1}, {1: 1}), limit=1)), deadlock=True)
    assert [one.reason for one in verdict.properties][-1] == "value outside the variable's range"


def test_an_initial_marking_beyond_the_bound_is_refused() -> None:
    with pytest.raises(ModelError, match="place 'p-0' has 4 tokens, and its bound is 3"):
        lower(net([4, 0], ({0: 1}, {1: 1})), 3)


ODD = lower(
    Net(
        "odd",
        Source("odd", ""),
        tuple(Place(name, 1) for name in ("p-1", "p.2", "G", "plain", 'a "b', "true")),
        (Transition("t-1", {0: 1}, {1: 1}), Transition("t.2", {1: 2}, {0: 2}), Transition("free", {}, {3: 1})),
    )
)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("tokens(p-1)", 1),
        ("tokens(p-1, p.2,plain) + plain", 4),
        ("tokens( 'a \"b' ) == 1 and tokens(true, G) == 2", 1),
        ("fireable(t-1)", 1),
        ("fireable(t.2)", 0),
        ("fireable(t.2, t-1)", 1),
        ("enabled(free)", 1),
        ("not fireable(t.2) and tokens(p-1) * 3 - 1 == 2", 1),
    ],
)
def test_expressions_over_odd_ids(text: str, value: int) -> None:
    reference = compile_system(ODD).reference
    assert reference.values(reference.initial()[0], [ODD.scope.parse(text)]) == (value,)


def test_what_was_fired_last() -> None:
    """In a ring of two places, the step back comes right behind the step forth."""
    ring = lower(net([1, 0], ({0: 1}, {1: 1}), ({1: 1}, {0: 1})))
    verdict = strandline.check(ring, ["G (taken(t.0) -> X taken(t.1))", "F taken(t.0, t.1)", "taken(t.0)"])
    assert [one.answer.name for one in verdict.properties] == ["HOLDS", "HOLDS", "VIOLATED"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("tokens(p-3)", "expression:1:8: the net has no place 'p-3'; did you mean 'p-1'?\n  tokens(p-3)\n         ^^^"),
        ("1 < fireable(p-1)", ("expression:1:14: the net has no transition 'p-1'; did you mean 't-1'?"
         "\n  1 < fireable(p-1)\n               ^^^")),
        ("tokens()", "expression:1:8: 'tokens' expects ids of places, separated by commas\n  tokens()\n         ^"),
        ("tokens(p-1,)", "expression:1:11: an id is missing after the comma\n  tokens(p-1,)\n            ^"),
        ("tokens(p-1) $ 2", "expression:1:13: not an expression: invalid syntax\n  tokens(p-1) $ 2\n              ^"),
        ("plan == 1", "expression:1:1: unknown name 'plan'; did you mean 'plain'?\n  plan == 1\n  ^^^^"),
    ],
)  # fmt: skip
def test_what_wrong_expressions_are_told(text: str, message: str) -> None:
    with pytest.raises((ModelError, ParseError)) as caught:
        ODD.scope.parse(text)
    assert str(caught.value) == message
