"""Messages for texts that are no models: one row per mistake, with place and words."""

from __future__ import annotations

import re
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from strandline.errors import InputError, ModelError, ParseError
from strandline.languages import load, process
from strandline.languages.process import composition, lowering, networks
from strandline.source import Source

P = "process P = a -> P;\n"
S = "process S(i) = a[i] -> S(i); system || i: 0..2 . S(i); "


def complaint(text: str) -> tuple[type[InputError], str]:
    """The kind of error and the first line of its message."""
    with pytest.raises(InputError) as caught:
        process.load(Source("m.psl", text))
    return type(caught.value), str(caught.value).splitlines()[0].removeprefix("m.psl:")


SYNTAX = [
    ("", "1:1: the 'system' line is missing"),
    (
        "proces P = a -> P;",
        (
            "1:1: expected 'const', 'import', 'process', 'network', 'system', 'invariant', 'reachable', 'valid_end', "
            "'ltl', 'ctl', 'label', 'measure' or 'fair', found 'proces'"
        ),
    ),
    ("process P = a -> P", "1:19: expected ';', found the end of the text"),
    ("process = a -> STOP;", "1:9: expected the name of the process, found '='"),
    ("process P = -> STOP;", "1:13: expected an action, a process, 'if', '(' or 'STOP', found '->'"),
    ("process P = a -> ;", "1:18: expected an action, a process, 'if', '(' or 'STOP', found ';'"),
    ("process P = (a -> P;", "1:20: expected ')', found ';'"),
    ("process P = a P;", "1:15: expected ';', found 'P'"),
    ("process P(n: 0) = a -> P(n);", "1:15: expected '..', found ')'"),
    ("process P(n: 0..2, = a -> P;", "1:20: expected the name of a parameter, found '='"),
    ("process P(n m) = a -> P;", "1:13: expected ',' or ')', found 'm'"),
    ("process P = a[1 -> P;", "1:17: expected ']', found '->'"),
    ("process P'1 = a -> STOP;", "1:9: expected the name of the process, found 'P'1'"),
    ("process STOP = a -> STOP;", "1:9: expected the name of the process, found the keyword 'STOP'"),
    ("process P = if 1 then a -> P else;", "1:34: expected an action, a process, 'if', '(' or 'STOP', found ';'"),
    ("process P = if 1 a -> P;", "1:18: expected 'then', found 'a'"),
    ("process P(n) = if 0 < n < 3 then P(n);", "1:25: comparisons cannot stand in a row; join them by 'and'"),
    ("process P(n) = if P.P then a -> P(n);", "1:20: expected 'then', found '.'"),
    ("const = 3;", "1:7: expected the name of the constant, found '='"),
    ("const N = ;", "1:11: expected an expression, found ';'"),
    ("const N = 3 4;", "1:13: expected ';', found '4'"),
    ("const N = 3x;", "1:11: '3x' is neither a number nor a name"),
    ("const N = 99999999999;", "1:11: the number is larger than 2147483647"),
    ("process P = a$b -> P;", "1:14: the character '$' (U+0024) has no meaning here"),
    ('process P = "a -> P;', "1:13: this quoted label is never closed on its line"),
    ('process P = "" -> P;', "1:13: a quoted label must not be empty"),
    ('process P = "tau" -> P;', "1:13: the internal action is written without quotes"),
    ("/* open", "1:1: this comment is never closed: '*/' is missing"),
    ("import P = x.aut;", "1:12: expected the name of a file, as in \"buffer.aut\", found 'x'"),
    (P + "system P; system P;", "2:11: there is a 'system' line already"),
    (P + "system P ||;", "2:12: expected a component, 'if' or '(', found ';'"),
    (P + "system P hide a;", "2:15: expected '{', found 'a'"),
    (P + "system P hide {a b};", "2:18: expected ',' or '}', found 'b'"),
    (P + "system P rename {a b};", "2:20: expected 'to', found 'b'"),
    (P + "system P hide {tau};", "2:16: 'tau' is internal: it can neither be shared nor renamed"),
    (P + "measure P.P + ;", "2:15: expected an expression, found ';'"),
    (P + "measure mono(P.P) + 1;", "2:19: expected ';', found '+'"),
    (P + "invariant x = P.;", "2:17: expected the name of a state, found ';'"),
    ("const N = " + "(" * 60 + "1" + ")" * 60 + ";", "1:61: nested deeper than 50 levels"),
    ("process P = " + "(" * 60 + "a -> P" + ")" * 60 + ";", "1:63: nested deeper than 50 levels"),
]

MEANING = [
    ("process P = a -> Q; system P;", "1:18: unknown process 'Q'"),
    ("process Proc = a -> Prok; system Proc;", "1:21: unknown process 'Prok'; did you mean 'Proc'?"),
    ("process P(n) = a -> P; system P(1);", "1:21: 'P' takes 1 argument, not 0"),
    (P + "system Q;", "2:8: unknown component 'Q'"),
    (P + "system P(1);", "2:8: 'P' takes 0 arguments, not 1"),
    (P + P + "system P;", "2:9: 'P' is a process already"),
    (P + "network N = P; process Q = a -> N; system Q;", "2:33: 'N' is a network, and a process cannot become one"),
    ("const N = 1; const N = 2; system P;", "1:20: 'N' is a constant already"),
    ("const N = M; system P;", "1:11: unknown name 'M'"),
    ("process P(n, n) = a -> P(n, n); system P(1, 1);", "1:14: parameter 'n' is declared twice"),
    ("const n = 1; process P(n) = a -> P(n); system P(1);", "1:24: 'n' is a constant already"),
    ("const i = 1; process P = a[i: 0..2] -> P; system P;", "1:28: 'i' is a constant already"),
    ("process P = a[i] -> P; system P;", "1:15: unknown name 'i'"),
    ("process P = if false then b[k] -> P | a -> P; system P;", "1:29: unknown name 'k'"),
    ("process P(n: 0..m) = a -> P(n); system P(0);", "1:17: unknown name 'm'"),
    ("process P(n: 0..2) = a -> P(n + 1); system P(0);", "1:29: 'n' of 'P' is 0..2, not 3 (in P(2))"),
    ("process P(n: 0..2) = a -> P(n); system P(3);", "1:42: 'n' of 'P' is 0..2, not 3"),
    (
        "process P(n) = a -> P(n + 1); system P(0);",
        "1:38: component 'P' has more than 65536 states; does it count without end? (one of them is P(65536))",
    ),
    ("process P = P; system P;", "1:13: process 'P' calls itself before any action"),
    (
        "process P = a -> P | Q; process Q = P; system P;",
        "1:37: process 'P' calls itself before any action (in P)",
    ),
    (
        "process P(n) = P(n + 1) | a -> STOP; system P(0);",
        "1:16: more than 200 processes call each other before any action (in P(0))",
    ),
    ("process P(n) = a[1 / n] -> P(n - 1); system P(2);", "1:18: division by zero (in P(0))"),
    (
        "process P(n) = a[n] -> P(n * 3000000); system P(1);",
        "1:26: the result does not fit 64 bits (in P(9000000000000))",
    ),
    ("process P = a[0..70000] -> P; system P;", "1:15: the range 0..70000 has more than 65536 values (in P)"),
    (
        P + "system P || P;",
        "2:13: there is a component 'P' already; write 'P as' another name, or replicate it",
    ),
    (P + "system P hide {b};", "2:16: no component here has an action 'b'"),
    (P + "system P rename {aa to b};", "2:18: no component here has an action 'aa'; did you mean 'a'?"),
    ("process P = a -> b -> P; system P rename {a to c, a to d};", "1:51: action 'a' is renamed twice"),
    (P + "system P rename {a to b[0..1]};", "2:23: an action gets one new name, not several"),
    (P + "network N = P || N; system N;", "2:18: network 'N' contains itself"),
    (P + "network N = P; system N as M;", "2:23: a network has no name of its own, only its components have"),
    (P + "system i: 0..-1 . P;", "2:19: the system has no component"),
    ('import P = "none.aut"; system P;', "1:12: none.aut: no such file"),
    ('import P = "none.txt"; system P;', "1:12: only Aldebaran files (.aut) can be imported"),
    (P + "invariant x = P.Q; system P;", "2:17: component 'P' has no state 'Q'"),
    (P + "invariant x = Q.P; system P;", "2:15: unknown component 'Q'"),
    (P + "invariant x = y; system P;", "2:15: unknown name 'y'"),
    (P + "invariant x = P.P; label x = P.P; system P;", "2:26: the name 'x' is used already"),
    (P + "fair Q; system P;", "2:6: unknown component 'Q'"),
    (S + "invariant x = S[3].S;", "1:70: there is no component 'S[3]', but S[0] to S[2]"),
    (S + "invariant x = S;", "1:70: there is no component 'S', but S[0] to S[2]"),
    (S + "invariant x = S.S;", "1:70: there is no component 'S', but S[0] to S[2]"),
    (S + "invariant x = S[0].S(1);", "1:75: component 'S[0]' has no state 'S(1)'"),
    (S + "invariant x = S[S[0].S].S;", "1:72: the state of a component is not known when the model is loaded"),
]


def test_there_are_many_rows() -> None:
    assert len(SYNTAX) + len(MEANING) >= 80


@pytest.mark.parametrize(("text", "message"), SYNTAX)
def test_not_in_the_language(text: str, message: str) -> None:
    assert complaint(text) == (ParseError, message)


@pytest.mark.parametrize(("text", "message"), MEANING)
def test_in_the_language_but_wrong(text: str, message: str) -> None:
    assert complaint(text)[1] == message


def test_the_place_is_shown_with_a_caret() -> None:
    with pytest.raises(ModelError) as caught:
        process.load(Source("m.psl", "// jobs\nprocess Master = job[k] -> Master;\nsystem Master;"))
    assert str(caught.value) == (
        "m.psl:2:22: unknown name 'k'\n"
        "  process Master = job[k] -> Master;\n"
        "                       ^"
    )  # fmt: skip


def test_too_many_ways_to_join_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lowering, "MAXIMUM_ACTIONS", 100)
    text = "process P(n) = tick -> P((n + 1) % 5); system P(0) as Q || i: 0..2 . P(i);"
    kind, message = complaint(text)
    assert kind is ModelError
    assert message == (
        "1:47: the system has more than 100 actions: 'tick' alone joins its participants' transitions in "
        "5 x 5 x 5 x 5 ways"
    )


def test_too_many_rules_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(composition, "MAXIMUM_RULES", 10)
    text = "process P = a[0..3] -> P; system || i: 0..1 . P rename {a[j: 0..3] to b};"
    assert complaint(text)[1].startswith("1:47: after renaming there are more than ")


def test_too_many_components_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(networks, "MAXIMUM_COMPONENTS", 3)
    assert complaint("process P = a -> P; system || i: 0..3 . P;")[1] == "1:41: more than 3 components"


def test_long_rows_of_actions_and_long_sums_are_no_obstacle() -> None:
    row = " -> ".join(f"a[{number}]" for number in range(3000))
    total = " + ".join(["P.P"] * 3000)
    system = process.load(Source("m.psl", f"process P = {row} -> P; invariant x = {total} >= 0; system P;"))
    assert len(system.processes[0].locations) == 3000


def test_a_message_from_an_imported_file_names_that_file(tmp_path: Path) -> None:
    (tmp_path / "wrong.aut").write_text('des (0, 1, 2)\n(0, "a", 2)\n')
    (tmp_path / "m.psl").write_text('import P = "wrong.aut"; system P;')
    with pytest.raises(ParseError) as caught:
        load(tmp_path / "m.psl")
    assert str(caught.value).splitlines()[0] == f"{tmp_path}/wrong.aut:2:1: state 2 is not one of the states 0..1"


def test_an_import_that_is_not_used_is_read_too(tmp_path: Path) -> None:
    (tmp_path / "m.psl").write_text('import C = "nofile.aut";\nprocess P = a -> P;\nsystem P;\n')
    with pytest.raises(ModelError, match="no such file") as caught:
        load(tmp_path / "m.psl")
    assert f"{tmp_path}/m.psl:1:12: " in str(caught.value)


WORDS = st.sampled_from(
    re.findall(
        r"\S+",
        """process network system const P Q a b tau STOP if then else hide rename to as ( ) [ ] { } | || -> . .. , ; :
        = 1 n + - == and not alphabet invariant measure fair import""",
    )
)


@settings(max_examples=300)
@given(st.lists(WORDS, max_size=25))
def test_no_text_is_answered_by_a_stack_trace(words: list[str]) -> None:
    with suppress(InputError):
        process.load(Source("m.psl", " ".join(words)))


@settings(max_examples=200)
@given(st.integers(0, 400), WORDS)
def test_no_small_mistake_is_answered_by_a_stack_trace(place: int, word: str) -> None:
    text = (
        "const N = 2; process P(n: 0..N) = if n > 0 then a[i: 0..N] -> b[i] -> P(n - 1) else tau -> Q; "
        "process Q alphabet {c} = b[0] -> STOP | j: 0..1 . c -> P(j); "
        "network M(k) = P(k) || Q hide {c}; system || k: 0..1 . M(k) rename {a to d}; "
        "invariant x = P[_].P(1) <= N; measure mono(P[0].STOP);"
    )
    words = text.split()
    place %= len(words)
    with suppress(InputError):
        process.load(Source("m.psl", " ".join([*words[:place], word, *words[place + 1 :]])))
