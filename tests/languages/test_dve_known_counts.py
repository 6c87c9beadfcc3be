"""Synchronous systems, buffered channels and committed states on families of models whose state spaces are known."""

from __future__ import annotations

from math import lcm
from pathlib import Path
from typing import Any

import pytest

import strandline
from strandline.cli.main import main
from strandline.languages import dve
from strandline.source import Source

RING = (
    "byte {name}; process P_{name} {{ state s; init s; trans s -> s {{ effect {name} = ({name} + 1) % {size}; }}; }}\n"
)


def states(text: str, **options: Any) -> tuple[int | None, int | None]:
    found = strandline.explore(dve.load(Source("model.dve", text)), **options).statistics
    return found.states, found.transitions


# Synchronous systems


@pytest.mark.parametrize("sizes", [(2, 3), (4, 6), (6, 10, 15), (7, 7, 7)])
def test_rings_that_turn_together(sizes: tuple[int, ...]) -> None:
    """All turn at once: the states are a cycle as long as the least common multiple; one by one, all combinations."""
    rings = "".join(RING.format(name="abc"[i], size=size) for i, size in enumerate(sizes))
    product = 1
    for size in sizes:
        product *= size
    assert states(rings + "system sync;") == (lcm(*sizes), lcm(*sizes))
    assert states(rings + "system async;") == (product, product * len(sizes))


def test_every_process_chooses_and_all_choices_are_combined() -> None:
    chooser = "process {} {{ state s, t, u; init s; trans s -> t {{ }}, s -> u {{ }}, t -> s {{ }}, u -> s {{ }}; }}\n"
    text = "".join(chooser.format(name) for name in "PQR") + "system sync;"
    assert states(text) == (1 + 2**3, 2 * 2**3)


def test_guards_read_the_source_and_effects_run_in_the_order_of_the_processes() -> None:
    text = """byte x = 1, y = 2;
process P { state s; init s; trans s -> s { effect x = y; }; }
process Q { state s; init s; trans s -> s { guard y == 2; effect y = x; }; }
system sync;"""
    assert states(text) == (2, 2)  # x = y first: then y = x sees it; the guard still saw the old state


def test_where_one_process_has_no_step_there_is_none() -> None:
    ring = RING.format(name="a", size=5)
    stops = "process Q { state s, t; init s; trans s -> t { guard a == 3; }, s -> s { guard a < 3; }; } "
    text = f"{ring}{stops}system sync;"
    assert states(text) == (5, 4)


# Buffered channels


@pytest.mark.parametrize(("capacity", "values"), [(1, 2), (3, 2), (4, 3)])
def test_a_channel_with_a_sender_of_all_values_and_a_receiver(capacity: int, values: int) -> None:
    """All words up to the capacity; every shorter one grows by each value, every one but the empty shrinks."""
    sends = ", ".join(f"s -> s {{ sync c!{value}; }}" for value in range(values))
    text = f"""channel {{byte}} c[{capacity}];
process P {{ state s; init s; trans {sends}; }}
process Q {{ byte v; state s; init s; trans s -> s {{ sync c?v; effect v = 0; }}; }}
system async;"""
    words = [values**length for length in range(capacity + 1)]
    assert states(text) == (sum(words), values * sum(words[:-1]) + sum(words[1:]))


@pytest.mark.parametrize(("first", "second"), [(1, 1), (2, 3)])
def test_messages_come_in_order_through_two_channels(first: int, second: int) -> None:
    """A counter is sent, passed on and received: the receiver sees every number in turn, so it never stops."""
    text = f"""channel {{byte}} a[{first}], b[{second}];
process P {{ byte n; state s; init s; trans s -> s {{ sync a!n; effect n = (n + 1) % 6; }}; }}
process Q {{ byte v; state s, t; init s; trans s -> t {{ sync a?v; }}, t -> s {{ sync b!v; effect v = 0; }}; }}
process R {{ byte v, n; state s, bad; init s;
  trans s -> s {{ sync b?v; effect n = (n + 1) % 6; }}, s -> bad {{ guard v != (n + 5) % 6 and n > 0; }}; }}
system async;"""
    assert strandline.check(dve.load(Source("m.dve", text)), invariants="not R.bad", deadlock=True)


def test_fields_of_a_message_and_its_length() -> None:
    text = """channel {byte, int} c[2]; byte n;
process P { state s; init s; trans s -> s { guard n < 3; sync c!{n, -n}; effect n = n + 1; }; }
process Q { byte u; int v; state s; init s; trans s -> s { sync c?{u, v}; }; }
system async;"""
    model = dve.load(Source("m.dve", text))
    for claim in ("c.length <= 2", "c.length == 0 or c.0[0] + c.1[0] == 0", "Q->u + Q->v == 0"):
        assert strandline.check(model, invariants=claim, deadlock=False), claim


# Committed states


@pytest.mark.parametrize("steps", [1, 2, 4])
def test_a_committed_sequence_is_one_step_to_the_others(steps: int) -> None:
    """n processes, each a chain of which all but the ends are committed: only one is ever inside."""
    places = ", ".join(f"s{i}" for i in range(steps + 1))
    inner = ", ".join(f"s{i}" for i in range(1, steps))
    committed = f"commit {inner};" if inner else ""
    moves = ", ".join(f"s{i} -> s{i + 1} {{ }}" for i in range(steps))
    process = "process P{} {{ state {}; init s0; {} trans {}; }}\n"
    text = "".join(process.format(i, places, committed, moves) for i in range(3)) + "system async;"
    ends = 2**3
    inside = 3 * 2**2 * (steps - 1)
    assert states(text) == (ends + inside, 3 * 2**2 * steps)


def test_a_committed_process_that_cannot_move_stops_all() -> None:
    text = """byte x;
process P { state s, t; init s; commit t; trans s -> t { }, t -> s { guard x == 1; }; }
process Q { state s; init s; trans s -> s { effect x = 1 - x; }; }
system async;"""
    assert strandline.check(dve.load(Source("m.dve", text)), deadlock=True).answer.value == "VIOLATED"


def test_a_rendezvous_with_a_committed_side_comes_first() -> None:
    text = """channel c; byte x;
process P { state s, t; init s; commit t; trans s -> t { }, t -> s { sync c!; }; }
process Q { state s; init s; trans s -> s { sync c?; effect x = (x + 1) % 3; }; }
process R { byte k; state s; init s; trans s -> s { effect k = 1 - k; }; }
system async;"""
    assert states(text) == (3 * 2 * 2, 3 * 2 * 2 + 3 * 2)


# Arrays without an index


FIRST = """byte a[3] = {1, 2, 3}; const byte T[2] = {4, 5};
process P { byte own[2]; state s, t; init s;
trans s -> t { guard a == 1; effect a = T, own = a; }, t -> s { guard P->own == 4; }; }
system async;
"""


def test_an_array_without_an_index_is_its_first_element(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "first.dve"
    file.write_text(FIRST)
    assert main(["check", str(file), "--reach", "a[0] == 4 and P->own[0] == 4 and P.s"]) == 0
    notes = [line.split("note", 1)[1].strip() for line in capsys.readouterr().out.splitlines() if " note " in line]
    meant = "is an array; without an index its first element is meant"
    assert notes == [
        f"warning: {file}:3:22 and 2 more: 'a' {meant}",
        f"warning: {file}:3:41: 'T' {meant}",
        f"warning: {file}:3:44: 'own' {meant}",
        f"warning: {file}:3:71: 'P->own' {meant}",
    ]
    with pytest.raises(strandline.InputError, match="'a' is an array and needs an index"):
        strandline.check(file, invariants="a < 9")


def test_a_property_process_that_is_left_out_cannot_be_asked_for() -> None:
    watch = "process W { byte seen[2]; state a; init a; accept a; trans a -> a { }; }"
    text = FIRST.replace("system async;", f"{watch} system async property W;")
    scope = dve.load(Source("m.dve", text)).alone.scope
    assert scope.question("P")(lambda expression: 0) == "s"
    for question in ("W", "W->seen"):
        with pytest.raises(strandline.InputError, match="unknown process 'W'"):
            scope.question(question)(lambda expression: 0)


def test_whole_arrays_and_processes_can_be_asked_for() -> None:
    scope = dve.load(Source("m.dve", FIRST)).scope
    values = iter((1, 2, 3, 1))
    assert scope.question("a")(lambda expression: next(values)) == (1, 2, 3)
    assert scope.question("P")(lambda expression: next(values)) == "t"
    assert scope.question("P->own")(lambda expression: 7) == (7, 7)
