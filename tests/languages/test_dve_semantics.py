"""The semantics of DVE, tested by running small models in the defining interpreter."""

from __future__ import annotations

from pathlib import Path

import pytest

from strandline.compile.interpret import Interpreter, Step
from strandline.languages import dve, load
from strandline.model.system import System
from strandline.source import Source

DATA = Path(__file__).parent / "data"


def system(text: str) -> System:
    return dve.load(Source("model.dve", text))


def state(model: System, **values: int | tuple[int, ...]) -> tuple[int, ...]:
    """The initial state with some variables changed; `__` in a keyword stands for the dot of a name."""
    changed = list(model.initial[0])
    for keyword, value in values.items():
        variable = model.by_name[keyword.replace("__", ".")]
        offset = model.offsets[variable]
        entries = value if isinstance(value, tuple) else (value,)
        changed[offset : offset + len(entries)] = entries
    return tuple(changed)


def steps(model: System, source: tuple[int, ...] | None = None) -> list[Step]:
    return Interpreter(model).steps(model.initial[0] if source is None else source)


def names(model: System, source: tuple[int, ...] | None = None) -> list[str]:
    return [" + ".join(action.name for action in step.actions) for step in steps(model, source)]


def reachable(model: System) -> tuple[set[tuple[int, ...]], int]:
    """All states and the number of steps between them."""
    seen, waiting, edges = set(model.initial), list(model.initial), 0
    while waiting:
        for step in steps(model, waiting.pop()):
            assert step.target is not None, step.fault
            edges += 1
            if step.target not in seen:
                seen.add(step.target)
                waiting.append(step.target)
    return seen, edges


def test_a_rendezvous_runs_transfer_then_sender_then_receiver() -> None:
    model = system(
        "byte x = 5, log[3]; channel c;"
        "process S { state a, b; init a; trans a -> b { sync c!x; effect log[0] = x, x = 7; }; }"
        "process R { state a, b; init a; trans a -> b { sync c?x; effect log[1] = x, log[2] = S.b; }; }"
        "system async;"
    )
    (step,) = steps(model, state(model, x=9))
    assert step.target == state(model, x=7, log=(9, 7, 1), S=1, R=1)


def test_the_value_is_read_before_the_receivers_variable_is_written() -> None:
    model = system(
        "byte a[3] = {2, 0, 0}; channel c;"
        "process S { state p; init p; trans p -> p { sync c!a[0] + 1; }; }"
        "process R { state p; init p; trans p -> p { sync c?a[a[0]]; }; } system async;"
    )
    (step,) = steps(model)
    assert step.target == state(model, a=(2, 0, 3))


def test_two_values_can_be_exchanged() -> None:
    model = system(
        "byte x = 1, y = 2; channel c;"
        "process S { state p; init p; trans p -> p { sync c!{y, x}; }; }"
        "process R { state p; init p; trans p -> p { sync c?{x, y}; }; } system async;"
    )
    (step,) = steps(model)
    assert step.target == state(model, x=2, y=1)
    assert reachable(model)[0] == {model.initial[0], state(model, x=2, y=1)}


def test_every_pair_of_processes_can_meet() -> None:
    end = "state p; init p; trans p -> p { sync c%s; };"
    model = system(
        "channel c;"
        f"process A {{ {end % '!'} }} process B {{ {end % '!'} }} process C {{ {end % '?'} }} "
        "process D { state p; init p; trans p -> p { sync c!; }, p -> p { sync c?; }; } system async;"
    )
    assert names(model) == [
        "A: p -> p, C: p -> p via c",
        "A: p -> p, D: p -> p via c",
        "B: p -> p, C: p -> p via c",
        "B: p -> p, D: p -> p via c",
        "D: p -> p, C: p -> p via c",
    ]


def test_a_committed_state_holds_the_others_back() -> None:
    model = system(
        "channel c;"
        "process P { state a, b; init a; commit b; trans a -> b { }, b -> a { sync c!; }, b -> a { }; }"
        "process Q { state a; init a; trans a -> a { }, a -> a { sync c?; }; } system async;"
    )
    assert names(model) == ["P: a -> b", "Q: a -> a"]
    assert names(model, state(model, P=1)) == ["P: b -> a", "P: b -> a, Q: a -> a via c"]


def test_buffers_keep_the_order_and_leave_nothing_behind() -> None:
    model = load(DATA / "queue.dve")
    full = state(model, line__0=(1, 2), line__1=(0, -1), line__length=2, Sender__n=2)
    assert names(model, full) == ["Receiver: take -> take via line?"]
    (step,) = steps(model, full)
    assert step.target == state(
        model,
        line__0=(2, 0),
        line__1=(-1, 0),
        line__length=1,
        Sender__n=2,
        Receiver__key=(1, 0, 0, 0),
        Receiver__k=1,
    )


def test_the_queue_has_the_expected_states() -> None:
    """Sent n and taken k with 0 <= k <= n <= 3 and at most two on the way; from n = 3 the sender ends."""
    states, edges = reachable(load(DATA / "queue.dve"))
    running = [(n, k) for n in range(4) for k in range(n + 1) if n - k <= 2]
    ended = [(n, k) for n, k in running if n == 3]
    assert len(states) == len(running) + len(ended)
    sends = sum(n < 3 and n - k < 2 for n, k in running)
    takes = sum(n > k for n, k in running + ended)
    assert edges == sends + takes + len(ended)


def test_a_message_is_computed_before_the_senders_effects() -> None:
    model = system(
        "channel {byte} c[1]; byte x = 3;"
        "process P { state a, b; init a; trans a -> b { sync c!x + P.b; effect x = 9; }; } system async;"
    )
    (step,) = steps(model)
    assert step.target == state(model, P=1, x=9, c__0=3, c__length=1)


def test_messages_wrap_like_variables_of_their_type() -> None:
    model = system(
        "channel {byte} c[1]; channel {byte} r[0]; int x;"
        "process P { state a; init a; trans a -> a { sync c!300; }, a -> a { sync r!300; }; }"
        "process Q { state a; init a; trans a -> a { sync r?x; }; } system async;"
    )
    buffered, met = steps(model)
    assert buffered.target == state(model, c__0=44, c__length=1)
    assert met.target == state(model, x=44)


def test_effects_run_in_sequence_and_wrap() -> None:
    model = system(
        "byte b = 255; int i = 32767; process P { state a, c; init a; "
        "trans a -> c { effect b = b + 1, i = i + 1 + b, b = b - 1 - P.c; }; } system async;"
    )
    (step,) = steps(model)
    assert step.target == state(model, b=254, i=-32768, P=1)


def test_all_processes_of_a_synchronous_system_step_together() -> None:
    model = load(DATA / "lockstep.dve")
    assert names(model) == ["Counter: go -> go + Toggle: off -> on"]
    assert names(model, state(model, x=1)) == [
        "Counter: go -> go + Toggle: off -> on",
        "Counter: go -> go + Toggle: off -> off",
    ]
    assert names(model, state(model, x=2)) == []


OBSERVED = (
    "byte x; process P { state a, b; init a; trans a -> b { guard x == 0; effect x = 1; }; }"
    "process W { state q, r; init q; accept r; "
    "trans q -> q { guard x == 0; }, q -> r { guard P.a; }, r -> r { guard P.b; }; } system async property W;"
)


def test_a_property_process_reads_the_source_state() -> None:
    model = system(OBSERVED)
    assert names(model) == ["P: a -> b + W: q -> q", "P: a -> b + W: q -> r"]
    assert [step.target for step in steps(model)] == [
        state(model, x=1, P=1),
        state(model, x=1, P=1, W=1),
    ]


def test_a_property_process_steps_alone_at_a_deadlock() -> None:
    model = system(OBSERVED)
    assert names(model, state(model, x=1, P=1, W=1)) == ["W: r -> r"]
    assert names(model, state(model, x=1, P=1)) == []
    assert Interpreter(model).is_deadlock(state(model, x=1, P=1, W=1))


@pytest.mark.parametrize(
    ("part", "kind", "place"),
    [
        ("guard a1[x] == 0;", "array index out of range", "a1[x]"),
        ("effect a1[x - 5] = 1;", "array index out of range", "a1[x - 5]"),
        ("guard 1 / (x - 4);", "division by zero", "1 / (x - 4)"),
        ("effect x = 7 % (x - 4);", "division by zero", "7 % (x - 4)"),
        ("guard x << 99;", "shift amount outside 0..63", "x << 99"),
        ("effect x = T[x];", "array index out of range", "T[x]"),
    ],
)
def test_faults_point_at_their_place(part: str, kind: str, place: str) -> None:
    model = system(
        "const byte T[2] = {1, 2}; byte a1[3], x = 4; "
        f"process P {{ state s; init s; trans s -> s {{ {part} }}; }} system async;"
    )
    (step,) = steps(model)
    assert step.fault is not None
    assert step.fault.span is not None
    assert step.fault.kind == kind
    assert model.source.text[step.fault.span.start : step.fault.span.end] == place


def test_logic_evaluates_only_what_it_needs() -> None:
    model = system(
        "byte a1[3], i = 4; process P { state s; init s; "
        "trans s -> s { guard i < 3 and a1[i] == 0; }, s -> s { guard i > 3 or a1[i] == 0; }, "
        "s -> s { guard i < 3 imply a1[i] == 0; }; } system async;"
    )
    assert [step.fault for step in steps(model)] == [None, None]
