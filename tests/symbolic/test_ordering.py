"""Related slots are close together in the variable order."""

from __future__ import annotations

from random import Random

import pytest

import lotus
from strandline.symbolic.ordering import force_order


def test_a_chain_is_found_again() -> None:
    places = list(range(30))
    Random(4).shuffle(places)
    groups = [frozenset({places[number], places[number + 1]}) for number in range(29)]
    order = force_order(30, groups)
    assert sorted(order) == list(range(30))

    def spans(one: list[int]) -> int:
        return sum(abs(one.index(a) - one.index(b)) for a, b in map(tuple, groups))

    assert spans(order) < spans(list(range(30))) / 2


def test_what_everything_touches_comes_first() -> None:
    groups = [frozenset({number, number + 1, 20}) for number in range(20)]
    assert force_order(21, groups)[0] == 20


@pytest.mark.parametrize("method", [lotus.ORIGINAL, lotus.DYNAMIC, lotus.REACHABLE])
@pytest.mark.parametrize(
    ("family", "formula", "answer"), [("pdp", "AG", "NSAT"), ("pdp", "EG", "SAT"), ("token", "AF", "SAT")]
)
def test_the_tables_of_the_thesis_in_small(family: str, formula: str, answer: str, method: str) -> None:
    assert lotus.decided(family, 6, formula, method, "oxidd", 60.0).answer == answer


def test_the_tables_have_all_sizes_of_the_thesis() -> None:
    assert list(lotus.PDP) == list(range(100, 381, 20))
    assert list(lotus.TOKEN) == [*range(25, 96, 10), 115, 125, 135]
