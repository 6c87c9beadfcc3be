"""Linear measures from the incidence matrix: what each step adds, and that sweeps by them see every state."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from random_nets import nets, reachable

import strandline
from strandline.compile.interpret import evaluate
from strandline.languages import load
from strandline.languages.petri.lowering import lower
from strandline.languages.petri.net import Net
from strandline.progress.changes import Changes
from strandline.progress.finding import find_measures
from strandline.progress.incidence import linear_measures

EXAMPLES = Path(__file__).parents[2] / "examples"


def amounts(net: Net) -> list[dict[str, int]]:
    """What each measure gains by each transition that changes something, told from what it weighs."""
    system = lower(net, 100)
    found = []
    for measure in linear_measures(Changes(system)):
        zero = tuple(0 for _ in system.variables)
        base = evaluate(measure, zero, system.offsets)
        unit = [
            evaluate(measure, tuple(int(i == j) for j in range(len(zero))), system.offsets) - base
            for i in range(len(zero))
        ]
        found.append(
            {
                one.id: sum(unit[place] * amount for place, amount in one.changes().items())
                for one in net.transitions
                if one.changes()
            }
        )
    return found


@settings(deadline=None)
@given(nets())
def test_the_first_step_that_changes_something_gains(net: Net) -> None:
    """It depends on none before it; what all gain is what weights make of their effects."""
    possible = {action.name for action in lower(net, 100).actions}
    for gains in amounts(net):
        assert any(gain > 0 for name, gain in gains.items() if name in possible)


@settings(max_examples=15, deadline=None)
@given(nets(4, 5))
def test_sweeps_see_every_marking(net: Net) -> None:
    markings, complete = reachable(net, 200)
    system = lower(net)
    for measure in linear_measures(Changes(system)) if complete else ():
        text = system.scope.render(measure)
        swept = strandline.explore(system, measure=text, count_distinct=True)
        assert (swept.statistics.states, swept.statistics.transitions) == (len(markings), sum(markings.values()))


def test_independent_steps_gain_one() -> None:
    """The four of this net are independent, so none falls back."""
    system = load(EXAMPLES / "petri-assembly/assembly.pnml")
    forward, *_ = linear_measures(Changes(system))
    text = system.scope.render(forward)
    swept = strandline.explore(system, measure=f"mono({text})").statistics
    assert (swept.states, swept.transitions, swept.regress_edges) == (66, 136, 0)
    assert swept.layers == 14


def test_it_is_among_what_is_found() -> None:
    found = find_measures(load(EXAMPLES / "petri-assembly/assembly.pnml"))
    reason = "a sum of variables that independent steps increase by one"
    assert any(reason in one.measure.reason for one in found.trials)


@pytest.mark.parametrize("name", ["peterson/peterson.dve", "python-bakery/bakery.py"])
def test_models_of_other_languages(name: str) -> None:
    """Whatever it finds there, it is an expression of the language."""
    system = load(EXAMPLES / name)
    for measure in linear_measures(Changes(system)):
        assert system.scope.parse(system.scope.render(measure)) == measure
