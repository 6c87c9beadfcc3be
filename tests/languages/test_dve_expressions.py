"""Random expressions: written out, read back, and evaluated both ways; and the queries people type."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from strandline.compile.interpret import Fault, evaluate
from strandline.errors import InputError, ModelError, ParseError
from strandline.languages import dve, load
from strandline.languages.dve.constants import ConstantEvaluator
from strandline.model.expression import Binary, Const, Element, Expression, Read, Unary
from strandline.model.system import System
from strandline.source import Source, Span

DATA = Path(__file__).parent / "data"
MODEL = dve.load(
    Source(
        "model.dve",
        "byte x = 3; int y = -7; byte list[4] = {1, 2, 3, 4}; channel {byte} queue[2]; const int K = -4;"
        "process P { byte v = 9; int w[2] = {5, 6}; const byte L = 8; state a, b; init b; } system async;",
    )
)
STATE = MODEL.initial[0]
LEVELS = [
    ["imply"],
    ["or", "and"],
    ["|", "&", "^"],
    ["==", "!="],
    ["<", "<=", ">", ">="],
    ["<<", ">>"],
    ["+", "-"],
    ["*", "/", "%"],
]
LEVEL = {operator: level for level, operators in enumerate(LEVELS) for operator in operators}
OTHER_SPELLING = {"and": "&&", "or": "||", "not": "!"}


def written(expression: Expression, outer: int = -1) -> str:
    """DVE text with as few parentheses as its grammar needs."""
    match expression:
        case Const(value=value):
            return str(value) if value >= 0 else f"({value})"
        case Read(variable=variable):
            return variable.name.replace(".", "->") if variable.owner else variable.name
        case Element(variable=variable, index=index):
            return f"{variable.name.replace('.', '->')}[{written(index)}]"
        case Unary(operator=operator, operand=operand):
            return f"{operator} {written(operand, len(LEVELS))}"
        case Binary(operator=operator, left=left, right=right):
            level = LEVEL[operator]
            text = f"{written(left, level)} {operator} {written(right, level + 1)}"
            return f"({text})" if level < outer else text
    raise AssertionError(expression)


LEAVES = st.sampled_from([Read(MODEL.by_name[name]) for name in ("x", "y", "P.v")]) | st.integers(-9, 99).map(Const)


def operations(inner: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
    binary = st.builds(Binary, st.sampled_from(sorted(LEVEL)), inner, inner)
    return binary | st.builds(Unary, st.sampled_from(["-", "~", "not"]), inner)


def compound(inner: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
    arrays = st.sampled_from([MODEL.by_name["list"], MODEL.by_name["P.w"]])
    return operations(inner) | st.builds(Element, arrays, inner)


CONSTANTS: st.SearchStrategy[Expression] = st.recursive(st.integers(-9, 99).map(Const), operations, max_leaves=12)
EXPRESSIONS: st.SearchStrategy[Expression] = st.recursive(LEAVES, compound, max_leaves=14)


def value(expression: Expression, model: System = MODEL) -> int | str:
    """The value in the initial state, or the kind of fault."""
    try:
        return evaluate(expression, model.initial[0], model.offsets)
    except Fault as fault:
        return fault.kind


def in_a_model(guard: str) -> tuple[System, Expression]:
    """The model again, with the text as the guard of a transition."""
    text = MODEL.source.text.replace("init b;", f"init b; trans a -> b {{ guard {guard}; }};")
    model = dve.load(Source("model.dve", text))
    expression = model.actions[0].guard
    assert expression is not None
    return model, expression


@settings(max_examples=400, deadline=None)
@given(EXPRESSIONS)
def test_what_is_written_is_read_back(expression: Expression) -> None:
    model, again = in_a_model(written(expression))
    assert value(again, model) == value(expression)


@settings(max_examples=200, deadline=None)
@given(EXPRESSIONS)
def test_both_spellings_of_an_operator_mean_the_same(expression: Expression) -> None:
    words = [OTHER_SPELLING.get(word, word) for word in written(expression).split(" ")]
    model, again = in_a_model(" ".join(words))
    assert value(again, model) == value(expression)


@settings(max_examples=300, deadline=None)
@given(CONSTANTS)
def test_constants_are_evaluated_as_at_run_time(expression: Expression) -> None:
    evaluator = ConstantEvaluator(MODEL.source)
    expected = value(expression)
    if isinstance(expected, int):
        assert evaluator.value(expression, Span(0, 1)) == expected
    else:
        with pytest.raises(ModelError):
            evaluator.value(expression, Span(0, 1))


@settings(max_examples=200, deadline=None)
@given(EXPRESSIONS)
def test_queries_agree_or_ask_for_parentheses(expression: Expression) -> None:
    try:
        query = MODEL.scope.parse(written(expression))
    except ParseError as error:
        assert error.message.endswith("write parentheses to say what is meant")  # noqa: PT017
    else:
        assert value(query) == value(expression)


@settings(max_examples=300, deadline=None)
@given(st.text(alphabet="xyPK.->[]()+-*/%&|^~!<>= 0123not\n", max_size=25))
def test_garbage_queries_are_refused_politely(text: str) -> None:
    try:
        query = MODEL.scope.parse(text, name="--invariant")
    except InputError as error:
        assert str(error).startswith("--invariant:")  # noqa: PT017
    else:
        value(query)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x", 3),
        ("list[2]", 3),
        ("list[x]", 4),
        ("P.a", 0),
        ("P.b", 1),
        ("not P.a and P.b", 1),
        ("P.v", 9),
        ("P->v + P->w[1]", 15),
        ("P.w[0]", 5),
        ("K + P.L", 4),
        ("P->L", 8),
        ("queue.length", 0),
        ("queue.0[1]", 0),
        ("y < K", 1),
        ("(x or y) and not (x == 3)", 0),
    ],
)
def test_queries(text: str, expected: int) -> None:
    assert value(MODEL.scope.parse(text)) == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "1:1: expected an expression, found the end of the text"),
        ("x ==", "1:5: expected an expression, found the end of the text"),
        ("x x", "1:3: expected an operator or the end of the text, found 'x'"),
        ("x;", "1:2: expected an operator or the end of the text, found ';'"),
        ("x = 1", "1:3: '=' assigns; to compare write '=='"),
        ("lisst[0]", "1:1: unknown name 'lisst'; did you mean 'list'?"),
        ("queue", "1:1: 'queue' is a channel and has no value"),
        ("P.c", "1:3: process 'P' has no state 'c'"),
        ("P.vv", "1:3: process 'P' has no state 'vv'; did you mean 'v'?"),
        ("P", "1:1: 'P' is a process; write 'P.' and the name of a state"),
        ("queue.1[0]", "1:1: channel 'queue' has no '1'"),
        (
            "x or y and x",
            "1:8: 'or' and 'and' are equally strong in DVE: write parentheses to say what is meant",
        ),
        ("x | 1 & y", "1:7: '|' and '&' are equally strong in DVE: write parentheses to say what is meant"),
        ("not x == y", "1:7: 'not' is stronger than '==' in DVE: write parentheses to say what is meant"),
    ],
)
def test_bad_queries(text: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        MODEL.scope.parse(text)
    assert str(caught.value).splitlines()[0] == f"expression:{message}"


def test_queries_use_the_variables_of_the_system() -> None:
    model = load(DATA / "everything.dve")
    assert model.scope.render(model.scope.parse("Watch.q1 and Partner.got < N")) == "Watch.q1 and Partner.got < 3"
    assert model.scope.parse("TABLE[total]") == Element(
        model.by_name["TABLE"], Read(model.by_name["total"]), Span(0, 12)
    )
    assert model.scope.parse("TABLE[3]") == Const(16)


def test_a_constant_array_that_the_model_never_indexes_needs_a_constant_index() -> None:
    model = dve.load(Source("m.dve", "const byte T[2] = {4, 5}; byte x; process P { state a; init a; } system async;"))
    assert model.scope.parse("T[1]") == Const(5)
    with pytest.raises(ModelError, match="constant array 'T' can only be used with a constant index here"):
        model.scope.parse("T[x]")
