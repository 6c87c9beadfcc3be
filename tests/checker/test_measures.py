"""Measures given as text: combination, and refusals."""

from __future__ import annotations

from pathlib import Path

import pytest

import strandline
from strandline.checker.measures.notation import parse_measures
from strandline.compile.interpret import evaluate
from strandline.errors import MeasureError, ParseError
from strandline.languages import dve
from strandline.model.expression import Const
from strandline.source import Source

MODELS = Path(__file__).parent / "models"
PAIR = dve.load(
    Source(
        "pair.dve",
        "int x = -3; byte y = 5;"
        "process P { state s; init s; trans s -> s { effect x = x + 1, y = y + 1; }; } system async;",
    )
)


def _values(*texts: str) -> tuple[int, int]:
    measure = parse_measures(texts, PAIR)
    return tuple(  # type: ignore[return-value]
        evaluate(part, PAIR.initial[0], PAIR.offsets) for part in (measure.column, measure.layer)
    )


def test_one_measure_is_the_layer() -> None:
    assert _values("x + y") == (0, 2)


@pytest.mark.parametrize("text", ["mono(x + y)", " mono ( x + y ) ", "mono((x) + (y))"])
def test_a_monotone_measure_is_the_column(text: str) -> None:
    assert _values(text) == (2, 0)


def test_only_a_whole_expression_can_be_monotone() -> None:
    with pytest.raises(strandline.InputError):
        _values("mono(x) + mono(y)")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("mono(x", "the parenthesis is not closed"),
        ("mono(x) + 1", "'mono(...)' goes around the whole measure"),
    ],
)
def test_what_is_wrong_with_mono(text: str, message: str) -> None:
    with pytest.raises(MeasureError) as caught:
        _values(text)
    assert str(caught.value) == f"measure:1:1: {message}\n  {text}\n  ^^^^^"


def test_auto_stands_alone() -> None:
    with pytest.raises(strandline.InputError, match="measure='auto' cannot be combined with other measures"):
        _values("auto", "x")


def test_several_are_combined_lexicographically() -> None:
    measure = parse_measures(["y", "x"], PAIR)
    assert measure.column == Const(0)
    values = {
        (y, x): evaluate(measure.layer, (x, y, 0), PAIR.offsets) for y in (0, 1, 255) for x in (-32768, -1, 0, 32767)
    }
    assert [pair for pair, _ in sorted(values.items(), key=lambda item: item[1])] == sorted(values)
    assert len(set(values.values())) == len(values)


def test_monotone_ones_and_others_do_not_mix() -> None:
    assert _values("mono(y)", "x") == (5, -3)


def test_a_combination_that_may_not_fit_is_refused() -> None:
    big = "x * 100000 * 100000"
    with pytest.raises(MeasureError) as caught:
        parse_measures([big, "y", big], PAIR)
    assert str(caught.value) == (
        "measure 3:1:1: combined with the measures before it, the result may not fit 64 bits\n"
        "  x * 100000 * 100000\n"
        "  ^^^^^^^^^^^^^^^^^^^"
    )


def test_places_in_a_monotone_measure_are_places_in_what_was_written() -> None:
    with pytest.raises(ParseError) as caught:
        _values("mono(x + )")
    assert str(caught.value) == (
        "measure:1:9: expected an expression, found the end of the text\n  mono(x + )\n          ^"
    )


def test_a_measure_that_overflows_is_told_with_its_place() -> None:
    with pytest.raises(MeasureError) as caught:
        strandline.explore(MODELS / "counter.dve", measure="x * 2000000000 * 2000000000 + 1")
    assert str(caught.value) == (
        "measure:1:1: result does not fit 64 bits, after 3 steps\n"
        "  x * 2000000000 * 2000000000 + 1\n"
        "  ^^^^^^^^^^^^^^^^^^^^^^^^^^^"
    )


def test_a_measure_that_overflows_in_the_beginning() -> None:
    with pytest.raises(MeasureError) as caught:
        strandline.explore(MODELS / "mutex.dve", measure="1 / flag[0]")
    assert str(caught.value) == ("measure:1:1: division by zero, in an initial state\n  1 / flag[0]\n  ^^^^^^^^^^^")


def test_a_sweep_by_several_measures_reaches_everything() -> None:
    example = Path(__file__).resolve().parents[2] / "examples" / "stop-and-wait" / "stop-and-wait.dve"
    swept = strandline.explore(example, measure=["mono(sent)", "received", "data.length"], count_distinct=True)
    assert swept.statistics.states == 110_526
    assert swept.statistics.sweeps > 1
