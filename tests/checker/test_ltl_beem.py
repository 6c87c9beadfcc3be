"""The LTL properties of the shared BEEM set with products of up to 100,000 states: verdicts and sizes."""

from __future__ import annotations

import pytest

import ltl_beem
import strandline
from ltl_beem import Row
from strandline.checker.options.cycle_methods import METHODS
from strandline.checker.verdicts.verdict import Verdict

LARGEST, MIDDLE, SMALL = 100_000, 30_000, 10_000
"""By nested depth-first search; by components too; by every method."""


def rows(largest: int) -> list[Row]:
    """The properties whose product is known and small enough; none where the set is not there."""
    folder = ltl_beem.DEFAULT_FOLDER
    if not (folder / "reference_ltl.csv").exists():
        return []
    return [row for row in ltl_beem.rows(folder) if row.states is not None and row.states <= largest]


PRODUCTS = [pytest.param(row, id=row.name) for row in rows(LARGEST) if row.product.exists()]
MIDDLE_PRODUCTS = [pytest.param(row, id=row.name) for row in rows(MIDDLE) if row.product.exists()]
SMALL_PRODUCTS = [pytest.param(row, id=row.name) for row in rows(SMALL) if row.product.exists()]
FORMULAS = [pytest.param(row, id=row.name) for row in rows(SMALL) if row.formula is not None and row.model.exists()]
needs_beem = pytest.mark.skipif(not PRODUCTS, reason=f"no benchmark set in {ltl_beem.DEFAULT_FOLDER}")


FURTHER = [name for name in METHODS if name not in ("ndfs", "scc")]


def compare(row: Row, verdict: Verdict) -> None:
    """The verdict, the size where the run saw all of the product, the loop where there is one."""
    assert verdict.answer.value.lower() == row.verdict
    statistics = verdict.statistics
    if verdict.complete and statistics.states is not None:
        assert (statistics.states, statistics.transitions) == (row.states, row.edges)
    if row.verdict == "violated":
        assert verdict.trace is not None
        assert verdict.trace.loop is not None
    else:
        assert verdict.complete


@needs_beem
@pytest.mark.parametrize("row", PRODUCTS)
def test_verdicts_and_sizes(row: Row) -> None:
    compare(row, strandline.check(row.product, method="ndfs", sanity=False))


@needs_beem
@pytest.mark.parametrize("row", MIDDLE_PRODUCTS)
def test_verdicts_and_sizes_by_components(row: Row) -> None:
    compare(row, strandline.check(row.product, method="scc", sanity=False))


@needs_beem
@pytest.mark.parametrize("method", FURTHER)
@pytest.mark.parametrize("row", SMALL_PRODUCTS)
def test_verdicts_by_the_other_methods(row: Row, method: str) -> None:
    measures = {**ltl_beem.MEASURES, **ltl_beem.FURTHER_MEASURES}
    if METHODS[method].measured:
        measure = measures.get(row.family, ltl_beem.ONE_LAYER)
        compare(row, strandline.check(row.product, method=method, measure=measure, sanity=False))
    else:
        compare(row, strandline.check(row.product, method=method, sanity=False))


@needs_beem
@pytest.mark.parametrize("row", FORMULAS)
def test_our_own_translation_gives_the_same_verdicts(row: Row) -> None:
    verdict = strandline.check(row.model, row.formula or "", sanity=False)
    assert verdict.answer.value.lower() == row.verdict


@needs_beem
def test_there_are_as_many_as_there_should_be() -> None:
    assert (len(PRODUCTS), len(SMALL_PRODUCTS), len(FORMULAS)) == (116, 43, 35)
