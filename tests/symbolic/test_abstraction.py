"""Dynamic abstraction agrees with the other methods, and the thesis's claims about it hold, or do not."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import strandline
from models.lotus import dining, with_token
from models.random_lotus import random_lotus
from strandline.checker.ctl.fragments import quantifiers_of
from strandline.checker.verdicts.ctl import AbstractionFigures, InitialStates
from strandline.checker.verdicts.verdict import Verdict
from strandline.errors import UsageError
from strandline.languages.lotus import load
from strandline.model.system import System
from strandline.properties import parse_ctl
from strandline.source import Source
from strandline.symbolic.abstraction.model import AbstractModel, View
from strandline.symbolic.abstraction.splitting import SPLITTINGS, first_missing, split
from strandline.symbolic.space import Space


def system_of(text: str) -> System:
    return load(Source("m.lotus", text))


def words(verdict: Verdict) -> list[InitialStates | None]:
    return [one.ctl.initial for one in verdict.properties if one.ctl is not None]


def figures(verdict: Verdict) -> AbstractionFigures:
    search = verdict.properties[0].ctl
    assert search is not None
    assert search.abstraction is not None
    return search.abstraction


def shows_a_run(verdict: Verdict) -> bool:
    search = verdict.properties[0].ctl
    assert search is not None
    assert search.evidence is not None
    return search.evidence.first_trace() is not None


def seeing(space: Space, name: str) -> View:
    return View(frozenset(slot for slot in space.encoding.fields if slot.variable.name == name))


@settings(max_examples=30)
@given(st.randoms(use_true_random=False), st.sampled_from(SPLITTINGS), st.booleans())
def test_all_methods_say_the_same(random: Random, splitting: str, first: bool) -> None:
    system = system_of(random_lotus(random))
    judge = words(strandline.check(system, method="explicit"))
    symbolic = strandline.check(system, method="symbolic", reachable_first=first)
    assert words(symbolic) == judge
    found = strandline.check(system, method="abstraction", splitting=splitting, reachable_first=first)
    assert words(found) == judge
    # Whatever decided it, a run shows it, executed and judged, or that nothing else is there. A conjunction that fails
    # may be shown by either part.
    if not system.claims[0].text.startswith("("):
        assert shows_a_run(found) == shows_a_run(symbolic)


# Edges of the first variable depend on the second, which is invisible. The initial state cannot leave x=0 by itself.
AX = """
DEFINE t : 0..1; MODULE VAR t x; t y;
INIT x=0, y=0;
TRANS x=0, y=0 => y=1; x=0, y=1 => x=1; x=1 => x=0, y=0;
SPEC CTLSPEC AX(x=0); CTLSPEC AG(x=0); CTLSPEC AX AX(x=0)
"""


@pytest.mark.parametrize("splitting", SPLITTINGS)
def test_theorem_2_5_is_false_for_ax(splitting: str) -> None:
    """All states are reachable, AX(x=0) holds, and the existential abstraction has a path that violates it: there
    `x=0` has an edge to `x=1`. The theorem would make of that path the answer that it does not hold."""
    system = system_of(AX)
    space = Space(system)
    model = AbstractModel(space, space.reachable, seeing(space, "x"))
    zero, one = (model.abstract(space.encoding.truth(system.scope.parse(text))[0]) for text in ("x=0", "x=1"))
    assert space.diagrams.and_(model.image(model.existential, zero), one) == one
    found = strandline.check(system, method="abstraction", splitting=splitting)
    assert figures(found).decided_by == "the abstraction"
    assert [one.word for one in words(found) if one is not None] == ["SAT", "NSAT", "NSAT"]
    assert figures(found).refinements == 1


def test_fairness_under_the_shortcut_for_ag() -> None:
    """Every fair path stays where AG holds; a reachable state violates it, from which no fair path goes on."""
    text = """
    DEFINE t : 0..2; MODULE VAR t x; INIT x=0;
    TRANS x=0 => x=1; x=1 => x=0; x=0 => x=2;
    FAIRNESS x=1
    SPEC CTLSPEC AG(!(x=2))
    """
    system = system_of(text)
    for method in ("explicit", "symbolic", "abstraction"):
        assert words(strandline.check(system, method=method)) == [InitialStates(1, 1)]
        unfair = strandline.check(system, method=method, declared_fairness=False)
        assert words(unfair) == [InitialStates(0, 1)]
    assert figures(strandline.check(system, method="abstraction", declared_fairness=False)).decided_by == (
        "reachability"
    )


def test_example_2_2() -> None:
    """Three abstract states of three states each; the second is split by its edge into {4, 5} and {6}, after which the
    path from the first to the last is in neither abstraction or in both."""
    edges = [(1, 4), (2, 5), (3, 6), (4, 7), (5, 8), (6, 6), (7, 7), (8, 8), (9, 9)]
    group = {number: (number - 1) // 3 for number in range(1, 10)}
    steps = "".join(f"n={a} => n={b}, g={'abc'[group[b]]}; " for a, b in edges)
    initial = "".join(f"n={number}, g={'abc'[group[number]]}; " for number in group)
    text = f"DEFINE g : a, b, c; n : 1..9; MODULE VAR g g; n n; INIT {initial}TRANS {steps}"
    system = system_of(text)
    space = Space(system, spare=1)
    model = AbstractModel(space, space.reachable, seeing(space, "g"))
    places = {
        name: model.abstract(space.encoding.truth(system.scope.parse(f"g={name}"))[0]) for name in ("a", "b", "c")
    }
    path = [places["a"], places["b"], places["c"]]
    missing = first_missing(model, path)
    assert missing is not None
    assert (missing.source, missing.target) == (places["b"], places["c"])
    finer = split("edge", model, path, missing)
    assert finer.words() == "2 states with a step along it from 1 without"
    numbers = [n for n in range(1, 10) if space.contains(finer.view.sets[0], (group[n], n))]
    assert numbers == [4, 5]
    refined = AbstractModel(space, space.reachable, finer.view)
    assert refined.count(refined.states) == 4
    mine = space.diagrams.and_(refined.abstract(finer.view.sets[0]), refined.states)
    assert first_missing(refined, [mine, refined.single(refined.image(refined.existential, mine))]) is None


@pytest.mark.parametrize("count", [3, 6])
def test_the_families(count: int) -> None:
    system = system_of(dining(count))
    assert words(strandline.check(system, method="abstraction")) == [InitialStates(0, 1), InitialStates(1, 1)]
    for threshold in (0, 2, 15):
        found = strandline.check(system_of(with_token(count)), method="abstraction", refinements=threshold)
        assert words(found) == [InitialStates(1, 1)]
        assert figures(found).refinements <= threshold


def test_steps_are_explained() -> None:
    found = strandline.check(system_of(AX), ctl="AX(x=0)", method="abstraction", explain=True)
    assert figures(found).steps == (
        "0: 2 abstract states, 3 edges from above, 1 from below; initial ones: 0 true, 0 false of 1",
        "  the universal one lacks step 1, (x=0) -> (x=1)",
        "  split by edge: 1 states with a step along it from 1 without",
        "1: 3 abstract states, 3 edges from above, 3 from below; initial ones: 1 true, 0 false of 1",
    )


@pytest.mark.parametrize("splitting", SPLITTINGS)
@pytest.mark.parametrize(
    ("formula", "words_of_it", "steps", "loop"),
    [
        ("AX AX(x=0)", "1 step leads to a state that shows it", 2, None),
        ("EG(x=0)", "1 step, then a loop of 1 step shows it", 2, 1),
        ("AF(x=1)", "1 step, then a loop of 1 step shows it", 2, 1),
        ("E[x=0 U EG(x=1)]", "2 steps lead to a state that shows it", 3, 2),
    ],
)
def test_an_answer_of_the_abstraction_comes_with_a_run(
    splitting: str, formula: str, words_of_it: str, steps: int, loop: int | None
) -> None:
    text = """
    DEFINE t : 0..1; u : 0..2; MODULE VAR t x; u y;
    INIT x=0, y=0;
    TRANS x=0, y=0 => y=1; x=0, y=1 => x=1; x=0, y=1 => y=1; x=1 => x=1;
    """
    found = strandline.check(system_of(text), ctl=formula, method="abstraction", splitting=splitting)
    search = found.properties[0].ctl
    assert figures(found).decided_by == "the abstraction"
    assert search is not None
    assert search.evidence is not None
    trace = search.evidence.first_trace()
    assert trace is not None
    assert (search.evidence.words, len(trace), trace.loop) == (words_of_it, steps, loop)


def test_mixed_formulas_are_decided_on_the_model_and_that_is_told() -> None:
    found = strandline.check(system_of(AX), ctl="AG EF(x=1)", method="abstraction")
    assert words(found) == [InitialStates(1, 1)]
    assert figures(found).decided_by == "the model itself, because it has both path quantifiers"


def test_abstractions_that_need_much_more_room_are_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("strandline.checker.strategies.abstraction.FEW_NODES", 0)
    monkeypatch.setattr("strandline.checker.strategies.abstraction.MOST_TIMES", 0.5)
    found = strandline.check(system_of(with_token(8)), method="abstraction")
    assert words(found) == [InitialStates(1, 1)]
    assert figures(found).decided_by == "the model itself, because abstractions need much more room"
    assert 0 < figures(found).refinements < 15


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("AG (p -> AF q)", "A"),
        ("!EF p", "A"),
        ("EF p -> AG q", "A"),
        ("E [p U !AX q]", "E"),
        ("AG EF p", "AE"),
        ("AG p <-> q", "AE"),
        ("p && q", ""),
    ],
)
def test_fragments(text: str, kinds: str) -> None:
    assert {one.value for one in quantifiers_of(parse_ctl(text).formula)} == set(kinds)


def test_what_abstraction_refuses() -> None:
    with pytest.raises(UsageError, match="method='abstraction' lets a state without a step repeat for ever, not"):
        strandline.check(system_of(AX), ctl="AX(x=0)", method="abstraction", finite_runs="ignore")
    with pytest.raises(UsageError, match="method='symbolic' has no order: leave order='dfs' out"):
        strandline.check(system_of(AX), ctl="AX(x=0)", method="symbolic", order="dfs")
    with pytest.raises(
        UsageError, match="method='symbolic' does not visit states one by one: max_states= has no meaning"
    ):
        strandline.check(system_of(AX), deadlock=True, method="symbolic", max_states=3)
