"""Compiled successors = interpreted successors, on random Systems, state by state."""

from __future__ import annotations

from hypothesis import given, settings
from kernels import compare_back_ends
from strategies import Case, cases


@given(cases())
@settings(max_examples=250)
def test_compiled_and_interpreted_kernels_give_the_same_answers(case: Case) -> None:
    compare_back_ends(case, limit=150)


@given(cases(at_once=0.6))
@settings(max_examples=150)
def test_assignments_made_at_once(case: Case) -> None:
    compare_back_ends(case, limit=100)
