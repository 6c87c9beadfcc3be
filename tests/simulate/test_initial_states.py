"""Models with several initial states: one has to be chosen."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from strandline.cli.simulating import Simulation
from strandline.errors import UsageError
from strandline.languages import load
from strandline.report.style import Style
from strandline.traces.interpreter_walk import reference_of

MODELS = Path(__file__).resolve().parent.parent / "checker" / "models"


def _simulation(values: list[int], colour: bool = False) -> tuple[Simulation, list[str]]:
    """The counter, beginning at each of the values."""
    system = load(MODELS / "counter.dve")
    system = replace(system, initial=tuple((value, 0) for value in values))
    said: list[str] = []
    simulation = Simulation(reference_of(system), Style(colour), said.append, Random(1))
    simulation.start()
    return simulation, said


def test_an_initial_state_is_chosen_by_its_number() -> None:
    simulation, said = _simulation([0, 3, 5])
    assert said[1] == "initial states\n  1  x=0 P=s\n  2  x=3 P=s\n  3  x=5 P=s"
    del said[:]
    simulation.execute("2 1")
    assert said == [
        "initial state 2\n    x=3 P=s",
        "1  P: s -> s\n     x: 3 → 4",
        "steps\n  1  P: s -> s   x: 4 → 5\n  2  P: s -> t",
    ]
    assert dict(simulation.walk.trace().initial) == {"x": 3, "P": "s"}


def test_nothing_else_works_before_the_choice() -> None:
    simulation, _ = _simulation([0, 3])
    for command in ("state", "eval x", "trace", "save t.json"):
        with pytest.raises(UsageError, match=r"^choose an initial state first$"):
            simulation.execute(command)
    with pytest.raises(UsageError, match=r"^there is no initial state 3: choose 1 to 2$"):
        simulation.execute("3")


def test_reset_asks_again_or_takes_a_number() -> None:
    simulation, said = _simulation([0, 3])
    simulation.execute("1 1")
    simulation.execute("reset 2")
    assert (simulation.walk.initial, len(simulation.walk)) == (1, 0)
    with pytest.raises(UsageError):
        simulation.execute("reset 9")
    assert simulation.walk.initial == 1
    simulation.execute("reset")
    assert simulation.walk.state is None
    assert said[-1].startswith("initial states\n")


def test_a_random_walk_chooses_by_itself() -> None:
    chosen = set()
    for seed in range(20):
        simulation, _ = _simulation([0, 3, 5])
        simulation._random.seed(seed)
        simulation.execute("random 1")
        chosen.add(simulation.walk.initial)
    assert chosen == {0, 1, 2}


def test_long_menus_are_cut_and_listed_on_request() -> None:
    simulation, said = _simulation(list(range(100)))
    assert said[1].endswith("  40  x=39 P=s\n  ... and 60 more: 'steps' lists them all")
    simulation.execute("steps")
    assert said[-1].endswith("\n  100  x=99 P=s")
    assert said[-1].count("\n") == 100


def test_colours_only_where_they_are_wanted() -> None:
    _, plain = _simulation([0])
    _, coloured = _simulation([0], colour=True)
    assert "\x1b" not in "".join(plain)
    assert "\x1b[1msteps\x1b[0m" in "".join(coloured)
