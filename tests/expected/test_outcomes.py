"""Outcomes are distinguished, and an error never counts as an expected violation."""

from __future__ import annotations

from pathlib import Path

import pytest
from expecting import run_only, write

from strandline.checker.expected.cases import Judgement, Outcome
from strandline.report.codes import expectation_code

BOTH = 'invariants = ["not (P.critical and Q.critical)"]\n'


def _outcome(tmp_path: Path, model: str, section: str) -> tuple[str, tuple[str, ...]]:
    result = run_only(write(tmp_path, f'model = "{model}.dve"\n{section}'))
    return result.outcome.value, result.judgement.messages


@pytest.mark.parametrize(
    ("model", "section", "outcome", "messages"),
    [
        ("mutex", '[[check]]\nverdict = "HOLDS"\nexit_code = 0\nstates = 9', "holds-as-expected", ()),
        ("mutex", f'[[check]]\n{BOTH}verdict = "VIOLATED"\ntrace_length = 4', "violated-as-expected", ()),
        ("mutex", "states = 9\ntransitions = 16\ndeadlocks = 0", "holds-as-expected", ()),
        (
            "endless",
            '[[check]]\nmax_states = 100\nverdict = "UNKNOWN"\nexit_code = 3',
            "unknown-as-expected",
            (),
        ),
        (
            "mutex",
            f'[[check]]\n{BOTH}verdict = "HOLDS"\ntrace_length = 4',
            "violated-unexpectedly",
            ("VIOLATED, expected HOLDS",),
        ),
        ("mutex", '[[check]]\nverdict = "VIOLATED"', "holds-unexpectedly", ("HOLDS, expected VIOLATED",)),
        (
            "mutex",
            '[[check]]\nreach = ["flag[0] == 2"]\nverdict = "HOLDS"',
            "violated-unexpectedly",
            ("VIOLATED, expected HOLDS",),
        ),
        (
            "mutex",
            "states = 9\ntransitions = 17\ndeadlocks = 1",
            "wrong-count",
            ("transitions is 16, expected 17", "deadlocks is 0, expected 1"),
        ),
        (
            "mutex",
            f'[[check]]\n{BOTH}verdict = "VIOLATED"\ntrace_length = 5',
            "wrong-trace",
            ("the trace has 4 steps, expected 5",),
        ),
        (
            "mutex",
            '[[check]]\nverdict = "HOLDS"\ntrace_length = 5',
            "wrong-trace",
            ("there is no trace, expected one of 5 steps",),
        ),
        (
            "mutex",
            '[[explore]]\nmeasure = ["flag[0]"]\nstates = 9',
            "wrong-count",
            ("states cannot be known after this sweep, expected 9 (try count_distinct)",),
        ),
        (
            "endless",
            '[[check]]\nmax_states = 100\nverdict = "HOLDS"\ntrace_length = 1',
            "limit",
            ("UNKNOWN (the limit of 100 states is reached), expected HOLDS",),
        ),
    ],
)
def test_outcomes(model: str, section: str, outcome: str, messages: tuple[str, ...], tmp_path: Path) -> None:
    assert _outcome(tmp_path, model, section) == (outcome, messages)


def test_counts_of_a_search_that_was_cut_short_are_no_wrong_counts(tmp_path: Path) -> None:
    outcome, messages = _outcome(tmp_path, "endless", "[[explore]]\nmax_states = 100\nstates = 7")
    assert outcome == "limit"
    assert messages[0] == "UNKNOWN (the limit of 100 states is reached), expected HOLDS"
    assert messages[1].endswith(", expected 7")


def test_the_wrong_property_violated_is_not_as_expected(tmp_path: Path) -> None:
    """The counter has deadlocks and violates its assertion; the assertion is the worse of the two."""
    section = '[[check]]\nverdict = "VIOLATED"\nexit_code = 11\n'
    assert _outcome(tmp_path, "counter", section) == (
        "violated-unexpectedly",
        ("the exit code is 12, expected 11 (violated: deadlock freedom; P.t: x < 3)",),
    )


PROPERTIES = '[[check]]\n[check.properties]\n"P.t: x < 3" = {verdict = "VIOLATED", trace_length = %d}\n'


def test_verdicts_per_property(tmp_path: Path) -> None:
    good = PROPERTIES % 4 + '"deadlock freedom" = "VIOLATED"\n'
    assert _outcome(tmp_path, "counter", good) == ("violated-as-expected", ())
    assert _outcome(tmp_path, "counter", PROPERTIES % 5) == (
        "wrong-trace",
        ("P.t: x < 3: the trace has 4 steps, expected 5",),
    )
    wrong = PROPERTIES % 5 + '"deadlock freedom" = "HOLDS"\n'
    outcome, messages = _outcome(tmp_path, "counter", wrong)
    assert outcome == "violated-unexpectedly"
    assert messages[1] == "deadlock freedom: VIOLATED, expected HOLDS"
    outcome, messages = _outcome(tmp_path, "mutex", '[[check]]\n[check.properties]\n"a" = "HOLDS"\n')
    assert outcome == "error"
    assert messages[0].endswith("check 1 has no property 'a' ('deadlock freedom')")


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        ('[[check]]\nverdict = "VIOLATED"\nexit_code = 12', "violated-unexpectedly"),
        ('[[check]]\nverdict = "VIOLATED"\nfault = "array index out of range"', "violated-as-expected"),
        ('[[check]]\nverdict = "VIOLATED"\nfault = "division by zero"', "violated-unexpectedly"),
        ('[[check]]\nreach = ["i == 1"]\nverdict = "HOLDS"', "holds-as-expected"),
        (
            '[[check]]\nreach = ["i == 1"]\nverdict = "HOLDS"\nfault = "array index out of range"',
            "holds-unexpectedly",
        ),
        ('fault = "array index out of range"', "violated-as-expected"),
        ('fault = "division by zero"', "violated-unexpectedly"),
        ("states = 4", "violated-unexpectedly"),
    ],
)
def test_a_run_time_fault_is_expected_only_where_it_is_named(text: str, outcome: str, tmp_path: Path) -> None:
    assert _outcome(tmp_path, "index", text)[0] == outcome


def test_a_fault_that_the_model_is_known_for_is_tolerated(tmp_path: Path) -> None:
    from strandline.checker.expected.reader import read_expected
    from strandline.cli.testing import run_case

    text = 'model = "index.dve"\nfault = "array index out of range"\n[[check]]\nverdict = "VIOLATED"\n'
    text += '[[check]]\nreach = ["i == 1"]\nverdict = "HOLDS"\n'
    results = [run_case(case) for case in read_expected(write(tmp_path, text))]
    assert [result.outcome.value for result in results] == [
        "violated-as-expected",
        "violated-as-expected",
        "holds-as-expected",
    ]


@pytest.mark.parametrize(
    ("model", "section", "message"),
    [
        ("none", '[[check]]\nverdict = "VIOLATED"', "none.dve: no such file"),
        ("mutex", '[[check]]\ninvariants = ["nothing"]\nverdict = "VIOLATED"', "invariant:1:1: "),
        (
            "mutex",
            '[[check]]\nmeasure = ["mono(flag[0])"]\nverdict = "VIOLATED"',
            "measure:1:1: not monotone",
        ),
        ("mutex", '[[check]]\norder = "best"\nverdict = "VIOLATED"', "unknown order 'best'"),
        (
            "counter",
            '[[check]]\ninvariants = ["1 / x > 0"]\nverdict = "VIOLATED"',
            "invariant:1:1: division by zero",
        ),
    ],
)
def test_an_error_is_never_an_expected_violation(model: str, section: str, message: str, tmp_path: Path) -> None:
    outcome, messages = _outcome(tmp_path, model, section)
    assert outcome == "error"
    assert messages[0].removeprefix(f"{tmp_path}/").startswith(message)


def test_a_bug_is_told_with_its_stack_trace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("oh no")

    monkeypatch.setattr("strandline.checker.api.check", broken)
    file = write(tmp_path, 'model = "mutex.dve"\n[[check]]\nverdict = "VIOLATED"\n')
    result = run_only(file)
    assert result.outcome is Outcome.BUG
    assert result.judgement.messages[0] == "RuntimeError: oh no"
    assert "Traceback" in result.judgement.messages[1]


GOOD = Judgement(Outcome.VIOLATED_AS_EXPECTED, (), "VIOLATED", 12)


@pytest.mark.parametrize(
    ("outcome", "own", "code"),
    [
        (Outcome.HOLDS_AS_EXPECTED, 0, 0),
        (Outcome.UNKNOWN_AS_EXPECTED, 3, 0),
        (Outcome.VIOLATED_UNEXPECTEDLY, 12, 12),
        (Outcome.VIOLATED_UNEXPECTEDLY, 11, 11),
        (Outcome.VIOLATED_UNEXPECTEDLY, 13, 13),
        (Outcome.HOLDS_UNEXPECTEDLY, 0, 5),
        (Outcome.WRONG_COUNT, 0, 6),
        (Outcome.WRONG_TRACE, 12, 6),
        (Outcome.LIMIT, 3, 3),
        (Outcome.ERROR, None, 2),
        (Outcome.BUG, None, 4),
    ],
)
def test_exit_codes(outcome: Outcome, own: int | None, code: int) -> None:
    assert expectation_code([GOOD, Judgement(outcome, exit_code=own), GOOD]) == code


def test_the_worst_exit_code_wins() -> None:
    order = [
        Judgement(Outcome.BUG),
        Judgement(Outcome.ERROR),
        Judgement(Outcome.VIOLATED_UNEXPECTEDLY, exit_code=12),
        Judgement(Outcome.VIOLATED_UNEXPECTEDLY, exit_code=11),
        Judgement(Outcome.VIOLATED_UNEXPECTEDLY, exit_code=13),
        Judgement(Outcome.HOLDS_UNEXPECTEDLY),
        Judgement(Outcome.WRONG_COUNT),
        Judgement(Outcome.LIMIT),
        GOOD,
    ]
    codes = [expectation_code(order[start:]) for start in range(len(order))]
    assert codes == [4, 2, 12, 11, 13, 5, 6, 3, 0]
    assert expectation_code([]) == 0
