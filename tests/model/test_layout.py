"""Packing: every valuation comes back, elements never straddle words, one word leaves its top bit free."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from strandline.errors import InternalError
from strandline.model.layout import Layout, make_layout
from strandline.model.system import Domain, System, Variable
from strandline.source import Source


def layout_of(*shapes: tuple[int, int, int | None], balanced: bool = False) -> Layout:
    """A layout of variables given as (low, high, length)."""
    variables = tuple(
        Variable(f"v{number}", Domain(low, high), length, (low,) * (length or 1))
        for number, (low, high, length) in enumerate(shapes)
    )
    system = System.create("m", Source("m", ""), variables, (), ())
    boxes = {variable: (variable.domain.low, variable.domain.high) for variable in variables}
    return make_layout(system, boxes, balanced=balanced)


shapes = st.tuples(
    st.integers(-(2**63), 2**63 - 1),
    st.sampled_from((0, 1, 2, 3, 7, 255, 2**16, 2**31, 2**32 - 1, 2**62, 2**63 - 1, 2**64 - 1)),
    st.sampled_from((None, 1, 2, 3, 9, 64, 65)),
).map(lambda shape: (min(shape[0], 2**63 - 1 - shape[1]), min(shape[0], 2**63 - 1 - shape[1]) + shape[1], shape[2]))
legal = shapes.filter(lambda shape: shape[0] >= -(2**63))


@given(st.lists(legal, min_size=1, max_size=6), st.randoms(use_true_random=False), st.booleans())
def test_packing_and_unpacking(parts, random, balanced) -> None:  # type: ignore[no-untyped-def]
    layout = layout_of(*parts, balanced=balanced)
    spans = [(low, high) for low, high, length in parts for _ in range(length or 1)]
    for choose in (min, max, lambda span: random.randint(*span)):
        valuation = tuple(choose(span) for span in spans)
        words = layout.pack(valuation)
        assert len(words) == layout.words
        assert all(0 <= word < 2**64 for word in words)
        assert layout.words > 1 or words[0] < 2**63, "the store marks occupied slots by the top bit"
        assert layout.unpack(words) == valuation


@given(st.lists(legal, min_size=1, max_size=6), st.booleans())
def test_no_two_elements_share_a_bit(parts, balanced) -> None:  # type: ignore[no-untyped-def]
    used: set[tuple[int, int]] = set()
    layout = layout_of(*parts, balanced=balanced)
    for field in layout.fields:
        for index in range(field.variable.slots):
            word, shift = field.place(index)
            bits = {(word, bit) for bit in range(shift, shift + field.width)}
            assert all(bit < 64 for _, bit in bits)
            assert not bits & used
            used |= bits
    assert len(used) == sum(field.width * field.variable.slots for field in layout.fields)
    assert all(word < layout.words for word, _ in used)


@pytest.mark.parametrize(
    ("parts", "words"),
    [
        ([(5, 5, None)], 1),
        ([(0, 2**63 - 1, None)], 1),
        ([(-(2**62), 2**62 - 1, None)], 1),
        ([(-(2**63), 2**63 - 1, None)], 2),
        ([(0, 1, 63)], 1),
        ([(0, 1, 64)], 2),
        ([(0, 1, 128)], 2),
        ([(0, 1, 128), (0, 0, None)], 2),
        ([(0, 1, 128), (0, 1, None)], 3),
        ([(0, 2**33, 2), (0, 2**20, None)], 2),
        ([(0, 255, None)] * 8, 1 + 1),
        ([(0, 255, None)] * 7 + [(0, 127, None)], 1),
    ],
)
def test_words_needed(parts: list[tuple[int, int, int | None]], words: int) -> None:
    assert layout_of(*parts).words == words


@pytest.mark.parametrize(
    ("parts", "bits"),
    [
        ([(0, 255, None)] * 4, [32]),
        ([(0, 255, None)] * 10, [40, 40]),
        ([(0, 7, None), (0, 255, 7), *[(0, 3, None)] * 7], [37, 36]),
        ([(0, 255, 24)], [48, 48, 48, 48]),
        ([(0, 1, 128), (0, 1, None)], [32, 32, 32, 33]),
        ([(0, 2**40, None)] * 2 + [(0, 2**20, None)], [41, 62]),
    ],
)
def test_words_of_even_size(parts: list[tuple[int, int, int | None]], bits: list[int]) -> None:
    """Three words become four."""
    layout = layout_of(*parts, balanced=True)
    used = [0] * layout.words
    for field in layout.fields:
        for index in range(field.variable.slots):
            used[field.place(index)[0]] += field.width
    assert used == bits


def test_a_value_outside_its_box_is_our_bug() -> None:
    with pytest.raises(InternalError, match=r"promised 0\.\.4, but 5 was reached"):
        layout_of((0, 4, None)).pack((5,))
