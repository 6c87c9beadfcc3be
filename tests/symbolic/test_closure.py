"""Saturation equals step-by-step reachability, on random Systems."""

from __future__ import annotations

from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from models.random_lotus import random_lotus
from strandline.languages.lotus import load
from strandline.source import Source
from strandline.symbolic.diagrams import LIBRARIES
from strandline.symbolic.space import Space


@settings(max_examples=60)
@given(st.randoms(use_true_random=False), st.sampled_from(LIBRARIES))
def test_what_leads_into_a_set_through_another(random: Random, library: str) -> None:
    space = Space(load(Source("m.lotus", random_lotus(random))), library=library, most_bytes=1 << 24)
    both, either, diagrams = space.diagrams.and_, space.diagrams.or_, space.diagrams
    slots = list(space.encoding.fields)

    def some() -> object:
        one, other = (space.encoding.equal(random.choice(slots), random.randrange(2)) for _ in range(2))
        return random.choice([both, either, diagrams.xor])(one, diagrams.not_(other))

    goal, through = some(), random.choice([diagrams.true, diagrams.false, some(), both(some(), some())])
    steps = [step for step in space.steps if random.random() < 0.8]
    expected, before = goal, None
    while expected != before:
        before = expected
        for step in steps:
            expected = either(expected, both(through, step.preimage(before)))
    assert space.backward_reachable(goal, through, steps) == expected
    assert space.preimage(goal) == diagrams.any_of(step.preimage(goal) for step in space.steps)
    assert space.image(goal) == diagrams.any_of(step.image(goal) for step in space.steps)
