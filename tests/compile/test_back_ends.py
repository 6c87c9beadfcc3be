"""Compiled successors = interpreted successors, on random Systems, state by state."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kernels import compare_back_ends
from strategies import Case, cases

from strandline.compile.llvm import actions


@given(cases())
@settings(max_examples=180)
def test_compiled_and_interpreted_kernels_give_the_same_answers(case: Case) -> None:
    compare_back_ends(case, limit=150)


@given(cases(at_once=0.6))
@settings(max_examples=150)
def test_assignments_made_at_once(case: Case) -> None:
    compare_back_ends(case, limit=100)


@given(cases(), st.integers(0, 60))
@settings(max_examples=150)
def test_actions_spread_over_functions(case: Case, part: int) -> None:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(actions, "_LARGE_SYSTEM", 0)
        patched.setattr(actions, "_PART", part)
        compare_back_ends(case, limit=100)
