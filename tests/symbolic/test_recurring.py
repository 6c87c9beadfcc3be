"""Steps that can be taken for ever: none that is is missed, and those of a token that is passed on once are not."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from models.lotus import dining, with_token
from models.random_lotus import random_lotus
from strandline.languages.lotus import load
from strandline.source import Source
from strandline.symbolic.diagrams import LIBRARIES
from strandline.symbolic.fixpoints import SymbolicSets
from strandline.symbolic.recurring import recurring_steps
from strandline.symbolic.space import Space


def space_of(text: str, library: str = "oxidd") -> Space:
    return Space(load(Source("m.lotus", text)), library=library, most_bytes=1 << 24)


def going_on(space: Space, text: str) -> list[int]:
    """The numbers of the steps that may be taken for ever where an expression is true."""
    inside = space.encoding.truth(space.system.scope.parse(text))[0]
    found = recurring_steps(space.steps, space.encoding, inside)
    return [number for number, step in enumerate(space.steps) if step in found]


def test_a_token_that_is_not_passed_on_ends_everything() -> None:
    """Unless the last one eats nobody eats twice; only the last one can let the others go on."""
    space = space_of(with_token(5))
    assert going_on(space, "!(person4=eating)") == []
    assert going_on(space, "!(person0=want)") == []
    assert len(going_on(space, "!(person4=right)")) == len(space.steps) == 20


def test_people_who_need_no_token_go_on_for_ever() -> None:
    space = space_of(dining(3))
    assert len(going_on(space, "!(person0=eating)")) == 12


HEAD = "DEFINE t : 0..3; MODULE VAR t x; t y; INIT x=0, y=0; TRANS "


@pytest.mark.parametrize(
    ("edges", "inside", "found"),
    [
        ("x=0 => x=1; x=1 => x=2; x=2 => x=1", "x < 3", [1, 2]),
        ("x=0 => x=1; x=1 => x=2; x=2 => x=1", "x < 2", []),
        # Nothing changes by the first one, which can go on as often as it likes; the second one ends it.
        ("x=0 => x=0; x=0 => x=1", "x < 3", [0]),
        # What the first one does to x is undone, but not what it does to y.
        ("x=0, y=0 => x=1, y=1; x=1 => x=0; y=1 => x=2; x=2 => x=0", "y < 3", [2, 3]),
        ("x=0, y=0 => x=1, y=1; x=1 => x=0; y=1 => y=2", "y < 3", []),
        ("x=0, y=0 => x=1, y=1; x=1 => x=0; y=1 => y=0", "y < 3", [0, 1, 2]),
    ],
)
def test_steps_by_their_slots(edges: str, inside: str, found: list[int]) -> None:
    assert going_on(space_of(f"{HEAD}{edges};"), inside) == found


@settings(max_examples=40)
@given(st.randoms(use_true_random=False), st.sampled_from(LIBRARIES), st.booleans(), st.booleans())
def test_eg_is_what_it_is_by_all_steps(random: Random, library: str, first: bool, repeats: bool) -> None:
    space = space_of(random_lotus(random), library)
    full = space.reachable if first else space.valid
    sets = SymbolicSets(space, full, repeats=repeats)
    slots = list(space.encoding.fields)

    def some() -> object:
        return sets.not_(space.encoding.equal(random.choice(slots), random.randrange(2)))

    inside, conditions = some(), [some() for _ in range(random.randint(0, 2))]
    found = sets.fair_always(inside, conditions)
    assert sets.and_(full, found) == sets.staying(inside, conditions, space.steps)
