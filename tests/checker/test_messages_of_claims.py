"""Messages for claims that cannot be parsed or evaluated: they name the mistake in the claim."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import strandline
from strandline.errors import InputError, UsageError
from strandline.properties.translation import translate

EXAMPLES = Path(__file__).parents[2] / "examples"
MODEL = """from strandline import *
class Top(Record):
    a: Range[0, 3]
class M(Model):
    class Msg(Record):
        class Body(Record):
            b: Range[0, 3]
        body: Body
        top: Top
    last: Msg
    q: Fifo[Range[0, 3], 2]
    flags: Array[bool, 2]
    k: Range[0, 5]
    class P(Process):
        class Own(Record):
            c: bool
        mine: Own
        @action
        def go(m, me): me.mine.c = True
    @action
    def inc(m):
        require(m.k < 5)
        m.k += 1
    @action
    def send(m, v: Range[0, 2]): m.q.put(v)
    @invariant
    def lights(m): return not m.flags[m.k]
    @invariant
    def asks(m): return m.k < 6 or enabled(m.inc)
"""
OUTSIDE = "array index out of range in a state where k = 2, flags has 2 elements, after 2 steps"
W = """process W { state cs, out; init cs; trans cs -> out {}, out -> cs {}; }
process R { state s; init s; trans s -> s {}; }
system async;
"""


@pytest.fixture
def model(tmp_path: Path) -> Path:
    file = tmp_path / "model.py"
    file.write_text(MODEL)
    return file


@pytest.fixture
def letters(tmp_path: Path) -> Path:
    file = tmp_path / "letters.dve"
    file.write_text(W)
    return file


def told(file: Path, *formulas: str, **claims: object) -> str:
    with pytest.raises(InputError) as error:
        strandline.check(file, *formulas, **claims)  # type: ignore[arg-type]
    return str(error.value)


@pytest.mark.parametrize(
    ("formula", "answer"),
    [
        ("G F R.s", "HOLDS"),
        ("GF W.cs", "VIOLATED"),
        ("W.cs W R.s", "HOLDS"),
        ("(W.cs) R (R.s)", "HOLDS"),
        ("R.s U W.out", "VIOLATED"),
        ("X R.s", "HOLDS"),
    ],
)
def test_processes_that_are_called_as_operators(letters: Path, formula: str, answer: str) -> None:
    assert strandline.check(letters, formula).answer.value == answer


@pytest.mark.parametrize(
    ("formula", "message"),
    [
        ("GFp", "formula:1:1: unknown name 'GFp'; operators stand apart from names: 'G F p'"),
        ("GFR.s", "formula:1:1: unknown process 'GFR'; did you mean 'G F R.s'?"),
        ("F Floor", "formula:1:3: unknown name 'Floor'"),
        ("F R", "formula:1:3: expected a proposition, not 'R'; a name that is an operator is written {R}"),
    ],
)
def test_operators_and_names(letters: Path, formula: str, message: str) -> None:
    assert told(letters, formula).splitlines()[0] == message


def test_a_flat_conjunction_of_500_terms(model: Path) -> None:
    terms = " and ".join(f"k != {number}" for number in range(6, 506))
    assert strandline.check(model, invariants=terms).answer.value == "HOLDS"
    assert strandline.check(model, f"G {{{terms}}}").answer.value == "HOLDS"
    message = "the formula has more than 200 atomic propositions; a condition in braces is one: {a and b}"
    assert told(model, f"G ({terms})") == message


def test_500_flat_temporal_terms_end_in_seconds(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Automata that would be exponentially large are given up. What is violated stays so, whatever else is too much."""
    monkeypatch.setattr(translate, "MOST_EFFORT_FOR_PAIR", 20_000)
    monkeypatch.setattr(translate, "MOST_EFFORT_FOR_REDUCTION", 20_000)
    monkeypatch.setattr(translate, "MOST_EFFORT", 200_000)
    alternatives = strandline.check(model, " || ".join(f"G (k == {number % 150})" for number in range(500)))
    assert (alternatives.answer.value, alternatives.properties[0].reason) == (
        "UNKNOWN",
        "the automaton of the formula is too large; check parts of it as separate formulas",
    )
    goals = strandline.check(model, " && ".join(f"F (k == {number % 30 + 3})" for number in range(500)))
    assert goals.answer.value == "VIOLATED"
    assert goals.properties[0].trace is not None


def test_an_index_out_of_range_is_the_claims_mistake(model: Path) -> None:
    assert told(model, invariants="not flags[k]") == f"invariant:1:5: {OUTSIDE}\n  not flags[k]\n      ^^^^^^^^"
    assert told(model, reach="flags[k]").startswith(f"reach:1:1: {OUTSIDE}")
    assert told(model, "G !flags[k]") == f"formula:1:4: {OUTSIDE}\n  G !flags[k]\n     ^^^^^^^^"


def test_so_it_is_where_the_claim_stands_in_the_model(model: Path) -> None:
    message = told(model, property="lights")
    assert message.splitlines() == [
        f"{model}:27:31: invariant 'lights': {OUTSIDE}",
        "      def lights(m): return not m.flags[m.k]",
        "                                ^^^^^^^^^^^^",
    ]


def test_a_guard_that_faults_is_the_models_mistake(tmp_path: Path) -> None:
    file = tmp_path / "model.py"
    file.write_text(
        "from strandline import *\nclass M(Model):\n    a: Array[bool, 2]\n    k: Range[0, 3]\n"
        "    @action\n    def up(m):\n        require(not m.a[m.k])\n        m.k += 1\n"
        "    @invariant\n    def asks(m): return enabled(m.up) or True\n"
        "    @invariant\n    def can(m): return enabled(m.up)\n"
    )
    verdict = strandline.check(file)
    assert verdict.answer.value == "VIOLATED"
    assert verdict.properties[-1].kind.value == "fault"


def test_the_head_of_a_queue(model: Path) -> None:
    assert strandline.check(model, invariants="q.empty or q.head < 3").answer.value == "HOLDS"
    assert told(model, invariants="q.head < 3") == (
        "invariant:1:1: head of an empty queue, after 0 steps\n  q.head < 3\n  ^^^^^^"
    )


@pytest.mark.parametrize(
    "text",
    [
        "last == Msg(Msg.Body(0), Top(0))",
        "last == Msg(Body(0), Top(a=0))",
        "last.top == Top(0) and last.body == Body(0)",
        "P.mine == P.Own(False) or P.mine == Own(True)",
    ],
)
def test_names_of_nested_records(model: Path, text: str) -> None:
    assert strandline.check(model, invariants=text).answer.value == "HOLDS"


def test_what_a_record_is_not(model: Path) -> None:
    assert told(model, invariants="last.top == Top.a").startswith(
        "invariant:1:13: the record 'Top' has no 'a' before it is made: Top(...).a"
    )
    assert told(model, invariants="last.top == 1").startswith("invariant:1:1: the record 'Top' is needed here, not 1")


@pytest.mark.parametrize("claims", [{"invariants": "k"}, {"reach": "k + 1"}, {"ltl": "G k"}, {"ctl": "AG k"}])
def test_a_number_is_no_condition(model: Path, claims: dict[str, str]) -> None:
    assert told(model, **claims).splitlines()[0].endswith(": a number is no condition; write '!= 0'")


def test_conditions_of_fairness_are_conditions(model: Path) -> None:
    assert told(model, "G F k == 5", fairness=["k"]) == "fairness:1:1: a number is no condition; write '!= 0'\n  k\n  ^"


def test_a_number_of_tokens_is_no_condition() -> None:
    net = EXAMPLES / "petri-crossing" / "crossing.pnml"
    place = strandline.load(net).variables[0].name
    message = "invariant:1:1: a number of tokens is no condition; write '> 0' after it"
    assert told(net, invariants=f"tokens({place})").splitlines()[0] == message
    assert told(net, invariants=f"tokens({place}) + 1").splitlines()[0] == message
    assert strandline.check(net, reach=f"tokens({place}) > 0").answer.value == "HOLDS"


def test_in_dve_a_number_other_than_0_is_true(tmp_path: Path) -> None:
    file = tmp_path / "number.dve"
    file.write_text("byte x = 2; process P { state s; init s; trans s -> s {}; } system async;")
    assert strandline.check(file, invariants="x").answer.value == "HOLDS"


@pytest.mark.parametrize(
    ("text", "message", "column"),
    [
        ("k < 5 && k > 1", "'&&' is written 'and' here", 7),
        ("k < 5 || k > 1", "'||' is written 'or' here", 7),
        ("!(k < 5)", "'!' is written 'not' here", 1),
        ("k != 5 and", "it ends too early", 10),
        ("k !=", "it ends too early", 4),
        ("k 5", "invalid syntax. Perhaps you forgot a comma?", 1),
    ],
)
def test_operators_of_other_languages(model: Path, text: str, message: str, column: int) -> None:
    assert told(model, invariants=text).splitlines()[0] == f"invariant:1:{column}: not an expression: {message}"


def test_capitals_are_forgiven_with_a_question(model: Path) -> None:
    assert told(model, invariants="K < 5").splitlines()[0] == "invariant:1:1: the model has no 'K'; did you mean 'k'?"


MIXED = """from strandline import *
class M(Model):
    class P(Process, count=2):
        pc: Enum["idle", "busy"]
        @action(at="idle", to="busy")
        def go(m, me): pass
        @action(at="busy", to="idle")
        def back(m, me): pass
    @invariant
    def calm(m): return count(p.pc == "busy" for p in m.P) <= 2
    comes = ltl("G F (P[0].pc == 'idle')")
"""


@pytest.mark.parametrize("option", ["symmetry", "merge"])
def test_options_for_states_say_which_properties_to_choose(tmp_path: Path, option: str) -> None:
    """Before the search, in the caller's spelling of options."""
    file = tmp_path / "mixed.py"
    file.write_text(MIXED)
    chosen: dict[str, Any] = {option: True}
    with pytest.raises(UsageError) as caught:
        strandline.check(file, **chosen)
    head, tail = "it is for properties of states; choose", "ltl 'comes' is none"
    assert str(caught.value) == f"{option}=True: {head} deadlock=True property='calm': {tail}"
    assert caught.value.on_command_line() == f"--{option}: {head} --deadlock --property calm: {tail}"
    assert strandline.check(file, **chosen, deadlock=True, property="calm").answer.value == "HOLDS"
    with pytest.raises(UsageError) as caught:
        strandline.check(file, "F true", invariants="True", **chosen)
    assert str(caught.value) == (
        f"{option}=True: it is for properties of states; ask for them by themselves: ltl 'F true' is none"
    )


@pytest.mark.parametrize("formula", ["G(kk>0)", "G (kk  >  0)", "G {kk > 0}", "G (k == 0 -> F(kk>0))"])
def test_a_name_is_pointed_to_whatever_blanks_there_are(model: Path, formula: str) -> None:
    message, line, caret = told(model, formula).splitlines()
    assert message == f"formula:1:{formula.index('kk') + 1}: the model has no 'kk'; did you mean 'k'?"
    assert line[caret.index("^") : caret.rindex("^") + 1] == "kk"
