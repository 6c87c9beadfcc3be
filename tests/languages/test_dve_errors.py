"""Messages for texts that are no models: one row per mistake, with place and words."""

from __future__ import annotations

import re
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from strandline.errors import InputError, ModelError, ParseError
from strandline.languages import dve
from strandline.source import Source

BODY = "process P { state a, b; init a; }\nsystem async;"


def complaint(text: str) -> tuple[type[InputError], str]:
    """The kind of error and the first line of its message."""
    with pytest.raises(InputError) as caught:
        dve.load(Source("m.dve", text))
    return type(caught.value), str(caught.value).splitlines()[0].removeprefix("m.dve:")


SYNTAX = [
    ("", "1:1: expected a declaration or 'process', found the end of the text"),
    ("byte x", "1:7: expected ',' or ';', found the end of the text"),
    ("bool x;", "1:1: expected a declaration or 'process', found 'bool'; a truth is a byte, 0 or 1"),
    ("byte x = ;", "1:10: expected an expression, found ';'"),
    ("byte 3;", "1:6: expected a name, found '3'"),
    ("byte state;", "1:6: expected a name, found the keyword 'state'"),
    ("const x = 1;", "1:7: expected 'byte' or 'int', found 'x'"),
    ("byte x[2;", "1:9: expected ']', found ';'"),
    ("byte x[2] = {1, 2;", "1:18: expected ',' or '}', found ';'"),
    ("byte x = 5 5; " + BODY, "1:12: expected an operator or ',' or ';', found '5'"),
    ("channel {bool} c[1];", "1:10: expected 'byte' or 'int', found 'bool'; a truth is a byte, 0 or 1"),
    ("process { }", "1:9: expected the name of the process, found '{'"),
    ("process P { state a; state b; }", "1:22: this process has a 'state' line already"),
    ("process P { init a; }", "1:9: process 'P' has no 'state' line"),
    ("process P { state a; }", "1:9: process 'P' has no 'init' line"),
    ("process P { state a; init a;\n\n", "1:11: process 'P' is never closed: '}' is missing"),
    ("process P { state a; init a; }\n", "1:31: the 'system' line is missing"),
    (
        "system async;",
        ("1:1: expected 'process' before 'system': a model needs at least one process, found the keyword 'system'"),
    ),
    ("process P { state a; init a; } system foo;", "1:39: expected 'async' or 'sync', found 'foo'"),
    ("process P { state a; init a; } system async", "1:44: expected ';', found the end of the text"),
    (
        BODY + " byte x;",
        "2:15: expected the end of the text after the 'system' line, found the keyword 'byte'",
    ),
    (
        "process P { state a; init a; foo }",
        ("1:30: expected a declaration, 'state', 'init', 'accept', 'commit', 'assert', 'trans' or '}', found 'foo'"),
    ),
    (
        "process P { state a; init a; accept muller (a); }",
        "1:37: acceptance of kind 'muller' is not supported, only Büchi",
    ),
    ("process P { state a; init a; assert a 1; }", "1:39: expected ':', found '1'"),
    (
        "process P { state a; init a; trans -> a {}; }",
        "1:36: the first transition must name its source state",
    ),
    (
        "process P { state a; init a; trans a => { a : 1 }; }",
        "1:38: probabilistic transitions are not supported",
    ),
    ("process P { state a; init a; trans a -> a; }", "1:42: expected '{', found ';'"),
    (
        "process P { state a; init a; trans a -> a { x = 1; }; }",
        "1:45: expected 'guard', 'sync', 'effect' or '}', found 'x'",
    ),
    ("process P { state a; init a; trans a -> a { guard 1 }; }", "1:53: expected ';', found '}'"),
    ("process P { state a; init a; trans a -> a { guard 1", "1:52: expected ';', found the end of the text"),
    (
        "process P { state a; init a; trans a -> a { guard 1; guard 2; }; }",
        "1:54: this transition has a 'guard' already",
    ),
    ("process P { state a; init a; trans a -> a { } ) }", "1:47: expected ',' or ';', found ')'"),
    ("/* abc", "1:1: this comment is never closed: '*/' is missing"),
    ("byte x; $ y", "1:9: the character '$' (U+0024) has no meaning here"),
    ("byte é;", "1:6: the character 'é' (U+00E9) has no meaning here"),
    ("byte x\x00;", r"1:7: the character '\x00' (U+0000) has no meaning here"),
    ("byte x\xa0;", r"1:7: the character '\xa0' (U+00A0) has no meaning here"),
    ("byte x = 99999999999;", "1:10: the number is larger than 2147483647"),
    ("byte x = " + "9" * 5000 + ";", "1:10: the number is larger than 2147483647"),
    ("byte x = 12ab;", "1:10: '12ab' is neither a number nor a name"),
]

NAMES_AND_KINDS = [
    ("byte x[0]; " + BODY, "1:8: array 'x' needs a length from 1 to 65536, not 0"),
    ("byte x[70000]; " + BODY, "1:8: array 'x' needs a length from 1 to 65536, not 70000"),
    ("byte x = 256; " + BODY, "1:10: 256 does not fit byte (0..255)"),
    ("byte x = -1; " + BODY, "1:10: -1 does not fit byte (0..255)"),
    ("int x[2] = {0, 32768}; " + BODY, "1:16: 32768 does not fit int (-32768..32767)"),
    ("byte x[1] = {0, 256}; " + BODY, "1:17: 256 does not fit byte (0..255)"),
    ("byte x = 1 / (2 - 2); " + BODY, "1:10: division by zero"),
    ("byte x = 1 % 0; " + BODY, "1:10: division by zero"),
    ("byte x = 1 << 64; " + BODY, "1:10: shift amount 64 is outside 0..63"),
    ("int x = 2147483647 * 2147483647 * 9; " + BODY, "1:9: the value does not fit 64 bits"),
    ("const byte T[2] = {1, 2}; byte x = T[2]; " + BODY, "1:36: index 2 is outside 'T'"),
    ("byte x, x; " + BODY, "1:9: the name 'x' is declared already, as a variable"),
    ("byte x[2]; channel x; " + BODY, "1:20: the name 'x' is declared already, as an array"),
    ("byte P; " + BODY, "1:17: the name 'P' is declared already, as a variable"),
    ("byte x[2] = 3; " + BODY, "1:6: 'x' is an array: its values stand in braces"),
    ("byte x = {3}; " + BODY, "1:6: 'x' is not an array: its value stands without braces"),
    ("const byte N; " + BODY, "1:12: constant 'N' needs a value"),
    ("byte x = y; " + BODY, "1:10: unknown name 'y'"),
    ("byte y; byte x = y + 1; " + BODY, "1:18: 'y' is not a constant"),
    ("channel c[3]; " + BODY, "1:9: channel 'c' has a buffer and needs types: channel {byte} c[3]"),
    ("channel {byte} c[0 - 1]; " + BODY, "1:18: channel 'c' needs a capacity from 0 to 1024, not -1"),
    ("channel {byte} c[1025]; " + BODY, "1:18: channel 'c' needs a capacity from 0 to 1024, not 1025"),
    ("process P { state a, a; init a; } system async;", "1:22: state 'a' is declared twice"),
    (
        "process P { byte a; state a; init a; } system async;",
        "1:18: the name 'a' is a state of this process already",
    ),
    (
        "process P { state ready; init reedy; } system async;",
        "1:31: process 'P' has no state 'reedy'; did you mean 'ready'?",
    ),
    ("process P { state a; init a; accept b; } system async;", "1:37: process 'P' has no state 'b'"),
    ("process P { state a; init a; commit b; } system async;", "1:37: process 'P' has no state 'b'"),
    ("process P { state a; init a; assert b: 1; } system async;", "1:37: process 'P' has no state 'b'"),
    ("process P { state a; init a; trans a -> b { }; } system async;", "1:41: process 'P' has no state 'b'"),
    (
        "process Prop { state a; init a; } system async property Porp;",
        "1:57: unknown process 'Porp'; did you mean 'Prop'?",
    ),
    (
        "process P { state a; init a; commit a; } system async property P;",
        "1:37: a property process cannot have committed states",
    ),
    (
        "byte x; process P { state a; init a; trans a -> a { effect x = 1; }; } system async property P;",
        "1:60: a property process can only write its own variables, and 'x' is global",
    ),
    (
        "channel c; process P { state a; init a; trans a -> a { sync c?; }; } system async property P;",
        "1:61: a property process cannot synchronise",
    ),
    (
        "channel c; process P { state a; init a; trans a -> a { sync c?; }; } system sync;",
        "1:61: a synchronous system has no channels: all processes step together",
    ),
    (
        (
            "channel c; process P { state a; init a; trans a -> a { sync c!1; }; } "
            "process Q { state a; init a; trans a -> a { sync c?; }; } system async;"
        ),
        "1:120: channel 'c' carries 1 value in line 1, but 0 here",
    ),
]

# One transition each; the columns count from the start of the part, which stands alone in line 2.
PARTS = [
    ("guard count == 1;", "7: unknown name 'count'; did you mean 'counter'?"),
    ("guard x = 1;", "9: '=' assigns; to compare write '=='"),
    ("effect x++;", "9: expected '=', found '+'; write 'x = x + 1'"),
    ("effect x -= 2;", "10: expected '=', found '-'; write 'x = x - ...'"),
    ("effect x * 2;", "10: expected '=', found '*'"),
    ("guard P.x == 1;", "9: process 'P' has no state 'x'; it is known here without 'P.'"),
    ("guard (x;", "9: expected an operator or the ')', found ';'"),
    ("guard x);", "8: expected an operator or ';' or ',', found ')'"),
    ("guard x[1];", "7: 'x' is not an array"),
    ("guard (x[1]);", "8: 'x' is not an array"),
    ("guard N[1];", "7: 'N' is not an array"),
    ("guard y[1;", "10: expected an operator or the ']' of 'y', found ';'"),
    ("guard c;", "7: 'c' is a channel and has no value"),
    ("guard P;", "7: 'P' is a process; write 'P.' and the name of a state"),
    ("guard P.buzy;", "9: process 'P' has no state 'buzy'; did you mean 'busy'?"),
    ("guard P->lisd[0];", "10: process 'P' has no variable 'lisd'; did you mean 'list'?"),
    ("guard R.a;", "7: unknown process 'R'"),
    ("guard x.a;", "7: 'x' is not a process"),
    ("guard y.a;", "7: 'y' is an array, not a process"),
    ("guard x->a;", "7: 'x' is not a process"),
    ("guard P . ;", "11: expected a name, found ';'"),
    ("guard q.size;", "7: channel 'q' has no 'size'"),
    ("guard 1 +;", "10: expected an expression, found ';'"),
    ("guard ;", "7: expected an expression, found ';'"),
    ("guard x y;", "9: expected an operator or ';' or ',', found 'y'"),
    ("guard " + "not " * 500 + "x;", "7: the expression is nested deeper than 400 levels"),
    ("effect z = 1;", "8: unknown variable 'z'"),
    ("effect N = 1;", "8: 'N' is a constant and cannot be assigned"),
    ("effect c = 1;", "8: 'c' is a channel and cannot be assigned"),
    ("effect P = 1;", "8: 'P' is a process and cannot be assigned"),
    ("effect P->list[0] = 1;", "8: a process cannot write a variable of another process"),
    ("effect x == 1;", "10: expected '=', found '=='"),
    ("effect x[1] = 1;", "8: 'x' is not an array"),
    ("effect 3 = 1;", "8: expected a variable, found '3'"),
    ("effect x = 1,;", "14: expected a variable, found ';'"),
    ("sync z!;", "6: unknown channel 'z'"),
    ("sync x!;", "6: 'x' is a variable, not a channel"),
    ("sync R->c!;", "6: unknown process 'R'"),
    ("sync c;", "7: expected '!' or '?', found ';'"),
    ("sync q!1;", "6: channel 'q' carries 2 values, not 1"),
    ("sync q?;", "6: channel 'q' carries 2 values, not 0"),
    ("sync q!{1, 2, 3};", "6: channel 'q' carries 2 values, not 3"),
    ("sync q?{x, N};", "12: 'N' is a constant and cannot be assigned"),
    ("sync q?{x, 3};", "12: expected a variable, found '3'"),
    ("sync q?{x, y[1]}", "18: expected ';', found '}'"),
    ("sync q!{1, 2;", "13: expected '}', found ';'"),
    ("sync q!{};", "9: expected an expression, found '}'"),
]


@pytest.mark.parametrize(("text", "message"), SYNTAX)
def test_texts_that_do_not_parse(text: str, message: str) -> None:
    assert complaint(text) == (ParseError, message)


@pytest.mark.parametrize(("text", "message"), NAMES_AND_KINDS)
def test_names_kinds_and_ranges_that_do_not_fit(text: str, message: str) -> None:
    assert complaint(text) == (ModelError, message)


@pytest.mark.parametrize(("part", "message"), PARTS)
def test_parts_of_a_transition(part: str, message: str) -> None:
    text = (
        "byte x, y[3], counter; const byte N = 2; channel c; channel {byte, int} q[2]; "
        "process P { byte list[2]; state free, busy; init free; } "
        f"process Q {{ state a; init a; trans a -> a {{\n{part} }}; }} system async;"
    )
    assert complaint(text)[1] == f"2:{message}"


def test_the_message_shows_the_line_and_a_caret() -> None:
    with pytest.raises(ModelError) as caught:
        dve.load(Source("dir/m.dve", f"byte x;\nbyte wide = x1;\n{BODY}"))
    assert str(caught.value) == (
        "dir/m.dve:2:13: unknown name 'x1'; did you mean 'x'?\n  byte wide = x1;\n              ^^"
    )


WORDS = st.sampled_from(
    re.split(
        " ",
        "byte int const channel process P Q state a b init accept commit assert trans guard sync effect "
        "system async property x y c 0 1 7 99999 { } ( ) [ ] , ; : . ! ? = == -> => + - * / % and or not "
        "imply ~ & | ^ << >> < > // /* */ \\ é true \n",
    )
)


@settings(max_examples=300, deadline=None)
@given(st.lists(WORDS, max_size=60).map(" ".join) | st.text(max_size=80))
def test_garbage_is_refused_politely(text: str) -> None:
    with pytest.raises(InputError) as caught:
        dve.load(Source("m.dve", text))
    assert caught.value.source is not None


MODEL = (
    "const byte N = 2; byte x, y[N] = {1, 0}; channel c; channel {byte, int} q[2]; "
    "process P { byte v; state a, b; init a; commit b; assert a: v < N; "
    "trans a -> b { guard x < 3 and not P.b; sync c!x + 1; effect x = x + 1, y[x % 2] = 0; }, "
    "b -> a { sync q!{v, -1}; }; } "
    "process Q { byte w; state s; init s; trans s -> s { sync c?w; }, -> s { sync q?{w, x}; }; } "
    "system async;"
)


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_a_damaged_model_loads_or_is_refused_politely(data: st.DataObject) -> None:
    words = MODEL.split(" ")
    for _ in range(data.draw(st.integers(1, 3))):
        place = data.draw(st.integers(0, len(words) - 1))
        words[place : place + data.draw(st.integers(0, 2))] = data.draw(st.lists(WORDS, max_size=2))
    with suppress(InputError):
        dve.load(Source("m.dve", " ".join(words)))
