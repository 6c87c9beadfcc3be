"""The cone of influence: its reachable states are the projection of the reachable states."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import strandline
from models.random_lotus import random_lotus
from strandline.errors import UsageError
from strandline.languages.lotus import load
from strandline.source import Source
from strandline.symbolic.cone import cone_of, restrict_to_cone
from strandline.symbolic.space import Space

APART = """
DEFINE t : 0..3; MODULE VAR t x; t y; t z;
INIT x=0, y=0, z=0;
TRANS x=0 => x=1; x=1, y=2 => x=2; y=0 => y=1; y=1 => y=2, z=3; z=0 => z=1; z=1 => z=2;
"""


@settings(max_examples=60)
@given(st.randoms(use_true_random=False), st.integers(0, 1))
def test_what_is_reachable_of_a_cone(random: Random, value: int) -> None:
    system = load(Source("m.lotus", random_lotus(random)))
    space = Space(system)
    asked = space.encoding.truth(system.scope.parse(f"v0={value}"))[0]
    cone = cone_of(space, [asked])
    outside = space.diagrams.cube(
        bit for slot, field in space.encoding.fields.items() if slot not in cone for bit in field.now
    )
    assert restrict_to_cone(space, cone).reachable == space.diagrams.exists(space.reachable, outside)


def test_what_cannot_matter_is_left_out() -> None:
    system = load(Source("m.lotus", APART))
    found = strandline.check(system, reach="x=2", invariants="!(y=3)", method="symbolic", cone=True)
    assert [one.answer.value for one in found.properties] == ["HOLDS", "HOLDS"]
    assert found.statistics.cone == (2, 3)
    assert (found.statistics.states, found.statistics.deadlocks) == (7, None)
    assert strandline.explore(system).statistics.states == 15
    assert found.trace is not None
    # The trace is one of the whole model.
    assert len(found.trace) == 4
    assert set(found.trace.final) == {"x", "y", "z"}


def test_a_cone_is_for_states_alone() -> None:
    system = load(Source("m.lotus", APART))
    for asked in ({"ctl": "AF(x=2)"}, {"deadlock": True}):
        with pytest.raises(UsageError, match="cone=True is for invariants and reachability"):
            strandline.check(system, method="symbolic", cone=True, **asked)  # type: ignore[arg-type]
