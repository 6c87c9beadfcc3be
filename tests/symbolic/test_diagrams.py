"""One suite for all libraries of decision diagrams: they are sets of assignments."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from strandline.errors import ResourceError, UsageError
from strandline.symbolic import diagrams as module
from strandline.symbolic.diagrams import CUDD, LIBRARIES, OXIDD, Diagrams, make_diagrams

BITS = 6
ALL = frozenset(product((False, True), repeat=BITS))
Members = frozenset[tuple[bool, ...]]
SETS = st.frozensets(st.sampled_from(sorted(ALL)), max_size=40)


@pytest.fixture(params=LIBRARIES, scope="module")
def made(request: pytest.FixtureRequest) -> Diagrams:
    return make_diagrams(request.param, BITS, 1 << 26)


def function(diagrams: Diagrams, members: Members) -> object:
    codes = [int("".join("01"[bit] for bit in one), 2) for one in sorted(members)]
    return diagrams.any_of(diagrams.code(range(BITS), code) for code in codes)


def members(diagrams: Diagrams, one: object) -> Members:
    return frozenset(some for some in ALL if diagrams.contains(one, some.__getitem__))


@settings(max_examples=30)
@given(one=SETS, other=SETS, some=st.frozensets(st.integers(0, BITS - 1)))
def test_they_are_sets(made: Diagrams, one: Members, other: Members, some: frozenset[int]) -> None:
    first, second = function(made, one), function(made, other)
    assert members(made, first) == one
    assert members(made, made.and_(first, second)) == one & other
    assert members(made, made.or_(first, second)) == one | other
    assert members(made, made.xor(first, second)) == one ^ other
    assert members(made, made.not_(first)) == ALL - one
    assert (first == second) == (one == other)
    assert made.count([first], range(BITS)) == len(one)
    assert made.count([first, second, first], range(BITS)) == 2 * len(one) + len(other)
    assert members(made, made.ite(2, first, second)) == {a for a in ALL if a in (one if a[2] else other)}
    near = frozenset(a for a in ALL if any(all(a[i] == b[i] or i in some for i in range(BITS)) for b in one & other))
    assert members(made, made.and_exists(first, second, made.cube(some))) == near
    assert made.exists(made.and_(first, second), made.cube(some)) == made.and_exists(first, second, made.cube(some))


@settings(max_examples=20)
@given(one=SETS)
def test_members_bits_and_names(made: Diagrams, one: Members) -> None:
    first = function(made, one)
    found = made.member(first)
    if found is None:
        assert not one
    else:
        assert all(a in one for a in ALL if all(a[bit] == value for bit, value in found.items()))
    matter = {i for i in range(BITS) if any(((*a[:i], not a[i], *a[i + 1 :]) in one) != (a in one) for a in ALL)}
    assert made.support(first) == matter
    half = made.exists(first, made.cube([1, 3, 5]))
    odd = made.rename(half, made.renaming({0: 1, 2: 3, 4: 5}))
    assert made.support(odd) == {bit + 1 for bit in made.support(half)}
    assert made.rename(odd, made.renaming({1: 0, 3: 2, 5: 4})) == half


@pytest.mark.parametrize(
    ("library", "most_bytes", "message"),
    [
        (OXIDD, 1 << 14, "need more than the 512 nodes"),
        (CUDD, 1 << 24, "need more than their memory limit of 16,777,216 bytes"),
    ],
)
def test_too_little_memory_is_told(
    library: str, most_bytes: int, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_LEAST_NODES", 1 << 9)
    diagrams = make_diagrams(library, 60, most_bytes)
    diagrams.collect()
    with pytest.raises(ResourceError, match=f"the BDDs {message}"):
        diagrams.any_of(diagrams.and_(diagrams.bit(i), diagrams.bit(i + 30)) for i in range(30))


def test_a_library_that_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "dd", None)
    with pytest.raises(UsageError, match="BDDs by cudd need the Python package 'dd': pip install dd"):
        make_diagrams("cudd", 4, 1 << 20)
