"""Lowering of DVE texts: variables, actions, guards and effects, observer, assertions."""

from __future__ import annotations

from pathlib import Path

import pytest

from strandline.languages import dve, load
from strandline.model.expression import Binary, Const, Element, Expression, Read, Unary, variables_read, walk
from strandline.model.plain import PlainScope
from strandline.model.system import Assign, Domain, Move, System
from strandline.source import Source

DATA = Path(__file__).parent / "data"
BYTE = Domain(0, 255, wraps=True)
INT = Domain(-32768, 32767, wraps=True)


def system(text: str) -> System:
    return dve.load(Source("model.dve", text))


def one_process(declarations: str, transitions: str, local: str = "") -> System:
    return system(f"{declarations} process P {{ {local} state a, b; init a; trans {transitions}; }} system async;")


def shown(effects: tuple[Assign, ...], model: System) -> list[str]:
    def target(place: Read | Element) -> str:
        return place.variable.name if place.variable in model.locations else model.scope.render(place)

    return [f"{target(effect.target)} = {model.scope.render(effect.value)}" for effect in effects]


@pytest.fixture(scope="module")
def everything() -> System:
    return load(DATA / "everything.dve")


def test_variables_come_in_order_with_their_names_and_initial_values(everything: System) -> None:
    facts = [
        (variable.name, variable.domain, variable.length, variable.initial, variable.owner)
        for variable in everything.variables
        if variable not in everything.locations
    ]
    assert facts == [
        ("total", BYTE, None, (0,), None),
        ("flags", BYTE, 3, (1, 0, 1), None),
        ("deep", INT, None, (-299,), None),
        ("buffer.0", BYTE, 2, (0, 0), None),
        ("buffer.1", INT, 2, (0, 0), None),
        ("buffer.length", Domain(0, 2), None, (0,), None),
        ("Worker.i", BYTE, None, (3,), "Worker"),
        ("Worker.seen", BYTE, 2, (0, 0), "Worker"),
        ("Worker.own.0", BYTE, 1, (0,), "Worker"),
        ("Worker.own.length", Domain(0, 1), None, (0,), "Worker"),
        ("Partner.got", BYTE, None, (0,), "Partner"),
        ("Watch.steps", BYTE, None, (0,), "Watch"),
        ("TABLE", BYTE, 4, (2, 4, 8, 16), None),
    ]


def test_locations_are_named_after_their_process(everything: System) -> None:
    locations = [variable for variable in everything.variables if variable in everything.locations]
    assert [(v.name, v.owner, v.names, v.domain) for v in locations] == [
        ("Worker", "Worker", ("idle", "busy", "done"), Domain(0, 2)),
        ("Partner", "Partner", ("wait", "reply", "stop"), Domain(0, 2)),
        ("Watch", "Watch", ("q0", "q1"), Domain(0, 1)),
    ]
    assert [process.name for process in everything.processes] == ["Worker", "Partner"]
    assert [process.committed for process in everything.processes] == [frozenset({1}), frozenset()]


def test_actions_are_complete_and_in_canonical_order(everything: System) -> None:
    assert [(action.name, action.committed) for action in everything.actions] == [
        ("Worker: idle -> done", False),
        ("Worker: idle -> idle via buffer!", False),
        ("Worker: idle -> busy, Partner: wait -> reply via plain", False),
        ("Worker: done -> idle via Worker.own!", False),
        ("Partner: wait -> wait via buffer?", False),
        ("Partner: wait -> stop via Worker.own?", False),
        ("Partner: reply -> wait, Worker: busy -> idle via pair", True),
    ]


def test_a_rendezvous_transfers_first_then_the_sender_then_the_receiver(everything: System) -> None:
    action = next(action for action in everything.actions if action.name.endswith("via plain"))
    assert action.moves == (Move(0, 0, 1), Move(1, 0, 1))
    assert action.guard is not None
    assert everything.scope.render(action.guard) == "Worker.i < 4 and flags[Worker.i - 1] == 1"
    assert [(effect.target.variable.name, everything.scope.render(effect.value)) for effect in action.effects] == [
        ("Partner.got", "Worker.i * 2"),
        ("Worker", "1"),
        ("Worker.i", "Worker.i - 1"),
        ("total", "total + Worker.i"),
        ("Partner", "1"),
        ("flags", "0"),
    ]


def test_both_guards_of_a_rendezvous_are_joined_sender_first() -> None:
    text = (
        "byte x; channel c; process P { state a; init a; trans a -> a { guard x < 1; sync c!; }; } "
        "process Q { state b; init b; trans b -> b { guard x > 2; sync c?; }; } system async;"
    )
    model = system(text)
    (action,) = model.actions
    assert action.guard is not None
    assert model.scope.render(action.guard) == "x < 1 and x > 2"
    assert action.effects == ()


def test_buffered_send_and_receive(everything: System) -> None:
    send = next(action for action in everything.actions if action.name.endswith("buffer!"))
    receive = next(action for action in everything.actions if action.name.endswith("buffer?"))
    assert send.guard is not None
    assert receive.guard is not None
    assert everything.scope.render(send.guard) == "buffer.length < 2"
    assert shown(send.effects, everything) == [
        "buffer.0[buffer.length] = Worker.i",
        "buffer.1[buffer.length] = deep",
        "buffer.length = buffer.length + 1",
        "Worker.seen[Worker.i % 2] = ~Worker.i & 255",
    ]
    assert everything.scope.render(receive.guard) == "buffer.length > 0"
    assert shown(receive.effects, everything) == [
        "Partner.got = buffer.0[0]",
        "deep = buffer.1[0]",
        "buffer.0[0] = buffer.0[1]",
        "buffer.0[1] = 0",
        "buffer.1[0] = buffer.1[1]",
        "buffer.1[1] = 0",
        "buffer.length = buffer.length - 1",
    ]


def test_a_typed_rendezvous_cuts_values_to_the_type_of_the_channel() -> None:
    text = (
        "channel {byte, int} c[0]; "
        "process P { int x; byte y; state a; init a; trans a -> a { sync c?{x, y}; }; } "
        "process Q { int z; state a; init a; trans a -> a { sync c!{z, z}; }; } system async;"
    )
    model = system(text)
    (action,) = model.actions
    assert shown(action.effects, model) == ["P.x = Q.z & 255", "P.y = Q.z"]


def test_messages_are_computed_before_any_is_written() -> None:
    text = (
        "byte x, y; channel c; process P { state a; init a; trans a -> a { sync c?{x, y}; }; } "
        "process Q { state a; init a; trans a -> a { sync c!{y, x}; }; } system async;"
    )
    swap = system(text)
    assert swap.by_name["c.message"].length == 2
    assert shown(swap.actions[0].effects, swap) == [
        "c.message[0] = y",
        "c.message[1] = x",
        "x = c.message[0]",
        "y = c.message[1]",
        "c.message[0] = 0",
        "c.message[1] = 0",
    ]


def test_a_process_does_not_meet_itself() -> None:
    assert one_process("channel c;", "a -> b { sync c!; }, b -> a { sync c?; }").actions == ()


def test_the_property_process_is_an_observer(everything: System) -> None:
    observer = everything.observer
    assert observer is not None
    assert (observer.name, observer.accepting) == ("Watch", frozenset({1}))
    assert [(edge.name, edge.moves) for edge in observer.edges] == [
        ("Watch: q0 -> q0", (Move(2, 0, 0),)),
        ("Watch: q0 -> q1", (Move(2, 0, 1),)),
        ("Watch: q1 -> q1", (Move(2, 1, 1),)),
    ]
    assert observer.edges[1].guard is not None
    assert everything.scope.render(observer.edges[1].guard) == "Worker.done and Partner.got == 2"


def test_a_process_is_ordinary_unless_the_system_line_names_it() -> None:
    plain = system("process P { state a; init a; accept a; trans a -> a { }; } system async;")
    assert plain.observer is None
    assert [action.name for action in plain.actions] == ["P: a -> a"]


def test_assertions_hold_outside_their_state(everything: System) -> None:
    assert [(predicate.name, everything.scope.render(predicate.expression)) for predicate in everything.assertions] == [
        ("Worker.idle: i <= N", "not Worker.idle or Worker.i <= 3"),
        (
            "Worker.done: total > 0 imply not (deep == 0)",
            "not Worker.done or (total > 0 imply not (deep == 0))",
        ),
    ]


def test_constants_are_folded_and_tables_are_kept_only_when_indexed_at_run_time() -> None:
    folded = one_process("const byte T[2] = {7, 9}, K = 4; byte x;", "a -> b { effect x = T[1] + K; }")
    assert shown(folded.actions[0].effects, folded) == ["P = 1", "x = 9 + 4"]
    assert "T" not in folded.by_name
    assert folded.by_name["x"].initial == (0,)


def test_an_inner_name_hides_an_outer_one() -> None:
    model = one_process("byte x[2]; byte y;", "a -> b { guard x == 1; effect y[0] = 2; }", "int x; byte y[1];")
    assert [effect.target.variable.name for effect in model.actions[0].effects] == ["P", "P.y"]
    guard = model.actions[0].guard
    assert guard is not None
    assert model.scope.render(guard) == "P.x == 1"
    model = one_process("byte y;", "a -> b { guard y == 1; }", "byte y[1];")
    guard = model.actions[0].guard
    assert guard is not None
    assert model.scope.render(guard) == "P.y[0] == 1"


def test_a_source_may_be_left_out_and_refers_to_the_one_before() -> None:
    model = one_process("", "a -> b { }, -> a { }, b -> a { }, -> b { }")
    assert [action.name for action in model.actions] == ["P: a -> b", "P: a -> a", "P: b -> a", "P: b -> b"]


def test_places_that_can_fault_keep_their_position() -> None:
    model = one_process("byte a1[2], x;", "a -> b { guard x / 2 == a1[x]; effect a1[x + 1] = x << 3; }")
    text = model.source.text
    spans = {
        text[node.span.start : node.span.end]
        for action in model.actions
        for expression in _expressions(action.guard, action.effects)
        for node in walk(expression)
        if isinstance(node, Element | Binary) and node.span is not None
    }
    assert spans == {"x / 2", "a1[x]", "a1[x + 1]", "x + 1", "x << 3"}
    action = model.actions[0]
    assert action.span is not None
    assert text[action.span.start : action.span.end] == "a -> b"


def _expressions(guard: Expression | None, effects: tuple[Assign, ...]) -> list[Expression]:
    parts: list[Expression] = [] if guard is None else [guard]
    for effect in effects:
        parts += [effect.target, effect.value]
    return parts


def grouped(expression: Expression) -> str:
    """The expression with all its parentheses."""
    match expression:
        case Unary(operator=operator, operand=operand):
            return f"({operator} {grouped(operand)})"
        case Binary(operator=operator, left=left, right=right):
            return f"({grouped(left)} {operator} {grouped(right)})"
        case _:
            return PlainScope(variables_read(expression)).render(expression)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1 + 2 * 3", "(1 + (2 * 3))"),
        ("(1 + 2) * 3", "((1 + 2) * 3)"),
        ("x - 1 - 2", "((x - 1) - 2)"),
        ("x / 2 % 3 * y", "(((x / 2) % 3) * y)"),
        ("x or y and z", "((x or y) and z)"),
        ("x and y or z", "((x and y) or z)"),
        ("x || y && z", "((x or y) and z)"),
        ("x | y & z ^ 1", "(((x | y) & z) ^ 1)"),
        ("x & y == z", "(x & (y == z))"),
        ("x == y < z", "(x == (y < z))"),
        ("x < y == z", "((x < y) == z)"),
        ("x < y << 1", "(x < (y << 1))"),
        ("x << 1 + y", "(x << (1 + y))"),
        ("x | y and z", "((x | y) and z)"),
        ("x and y imply z or x", "((x and y) imply (z or x))"),
        ("x imply y imply z", "((x imply y) imply z)"),
        ("not x == y", "((not x) == y)"),
        ("not (x == y)", "(not (x == y))"),
        ("!x && ~y", "((not x) and (~ y))"),
        ("not not x", "(not (not x))"),
        ("- x * y", "((- x) * y)"),
        ("x - -1", "(x - -1)"),
        ("-(x + 1)", "(- (x + 1))"),
        ("a1[x + 1] + a1[a1[0]]", "(a1[x + 1] + a1[a1[0]])"),
        ("((((x))))", "x"),
        ("true or false", "(1 or 0)"),
    ],
)
def test_precedence(text: str, expected: str) -> None:
    model = one_process("byte x, y, z, a1[3];", f"a -> b {{ guard {text}; }}")
    guard = model.actions[0].guard
    assert guard is not None
    assert grouped(guard) == expected


def test_equal_comparisons_are_one_object() -> None:
    first, second = one_process("byte x;", "a -> b { guard x == 1; }, b -> a { guard x == 1; }").actions
    assert first.guard is second.guard


def test_comments_and_continuation_lines_do_not_count() -> None:
    model = one_process("byte /* one\ntwo */ x; // three /* \n byte \\\n y;", "a -> b { } /* é */")
    assert [variable.name for variable in model.variables] == ["x", "y", "P"]
    line, _ = model.source.position(model.by_name["y"].span.start)  # type: ignore[union-attr]
    assert line == 4


def test_location_tests_may_name_processes_further_down() -> None:
    text = (
        "process P { state a; init a; trans a -> a { guard Q.c and Q->v == 1; }; } "
        "process Q { byte v; state b, c; init c; trans b -> c { }; } system async;"
    )
    model = system(text)
    guard = model.actions[0].guard
    assert model.by_name["Q"].initial == (1,)
    assert guard == Binary(
        "and",
        Binary("==", Read(model.by_name["Q"]), Const(1)),
        Binary("==", Read(model.by_name["Q.v"]), Const(1)),
    )


def test_the_name_of_the_system_is_that_of_the_file(everything: System) -> None:
    assert everything.name == "everything"
    assert not everything.synchronous
    assert load(DATA / "lockstep.dve").synchronous
