"""The meaning of texts: states of components, synchronisation, counts with known formulas."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import strandline
from strandline.checker.measures.notation import parse_measures
from strandline.languages import load, process
from strandline.model.system import System
from strandline.source import Source

ROOT = Path(__file__).parents[3]
EXAMPLES = ROOT / "examples"


def system(text: str) -> System:
    return process.load(Source("m.psl", text))


def locations(text: str) -> tuple[str, ...]:
    """The states of the only component."""
    return system(text).processes[0].locations


def actions(text: str) -> list[str]:
    """Every action, with who moves from where to where."""
    found = system(text)
    lines = []
    for action in found.actions:
        moves = [
            f"{found.processes[move.process].name} {found.processes[move.process].locations[move.source]}"
            f" -> {found.processes[move.process].locations[move.target]}"
            for move in action.moves
        ]
        lines.append(f"{action.name}: {', '.join(moves)}")
    return lines


# Components


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("process P = a -> P; system P;", ("P",)),
        ("process P = STOP; system P;", ("P",)),
        ("process P = a -> STOP | b -> STOP; system P;", ("P", "STOP")),
        ("process P = a -> b -> c -> P; system P;", ("P", "P'1", "P'2")),
        ("process P(n: 0..2) = a -> P((n + 1) % 3); system P(1);", ("P(1)", "P(2)", "P(0)")),
        ("process P(n) = a -> P((n - 1) % 3); system P(1);", ("P(1)", "P(0)", "P(2)")),
        ("process P(n, m) = if n < m then up -> P(n + 1, m); system P(0, 1);", ("P(0, 1)", "P(1, 1)")),
        ("process P = a[i: 0..1] -> b[i] -> P; system P;", ("P", "P'1(0)", "P'1(1)")),
        ("process P = a[i: 0..1] -> b -> P; system P;", ("P", "P'1")),
        ("const K = 7; process P = a[i: 0..1] -> b[K] -> P; system P;", ("P", "P'1")),
        ("process P(n) = if n == 0 then Q else a -> P(n - 1); process Q = b -> P(1); system P(1);", ("P(1)", "Q")),
        ("process P = a -> (if true then Q else R); process Q = b -> P; process R = STOP; system P;", ("P", "Q")),
        ("process P = Q | a -> P; process Q = b -> Q; system P;", ("P", "Q")),
        ("process P = | i: 0..2 . if i != 1 then a[i] -> P; system P;", ("P",)),
    ],
)
def test_the_states_of_a_component(text: str, expected: tuple[str, ...]) -> None:
    assert locations(text) == expected


@pytest.mark.parametrize(
    ("body", "labels"),
    [
        ("a[1 + 2 * 3] -> P", ["a[7]"]),
        ("a[-7 / 2][-7 % 2] -> P", ["a[-4][1]"]),
        ("a[not 1 == 2] -> P", ["a[1]"]),
        ("a[1 == 2 or 3 > 2 and 2 >= 3] -> P", ["a[0]"]),
        ("a[-(2 - 3 - 4)] -> P", ["a[5]"]),
        ("a[0 and 1 / 0] -> P", ["a[0]"]),
        ("a[1 or 1 / 0] -> P", ["a[1]"]),
        ("a[i: 0..1][j: i..1] -> P", ["a[0][0]", "a[0][1]", "a[1][1]"]),
        ("a[0..1] -> P", ["a[0]", "a[1]"]),
        ("a[3..1] -> P | b -> P", ["b"]),
        ("i: 0..2, j: i + 1..2 . a[i][j] -> P", ["a[0][1]", "a[0][2]", "a[1][2]"]),
        ('"PUT !1" -> P', ["PUT !1"]),
        ("tau -> P", ["tau"]),
        ("a -> P | a -> P | a -> P", ["a"]),
        ("if 1 < 2 then a -> P else b -> P | c -> P", ["a", "c"]),
        ("if 1 < 2 then (a -> P | b -> P)", ["a", "b"]),
    ],
)
def test_the_actions_of_a_component(body: str, labels: list[str]) -> None:
    assert [action.name for action in system(f"process P = {body}; system P;").actions] == labels


# Networks


def test_everyone_with_an_action_in_the_alphabet_takes_part() -> None:
    text = "process P = a -> b -> P; process Q = a -> Q; process R alphabet {b} = a -> R; system P || Q || R;"
    assert actions(text) == ["a: P P -> P'1, Q Q -> Q, R R -> R"]


def test_internal_actions_are_not_shared() -> None:
    text = "process P = tau -> a -> P; process Q = tau -> Q; system P || Q || (P as R hide {a});"
    assert actions(text) == [
        "tau: P P -> P'1",
        "a: P P'1 -> P",
        "tau: Q Q -> Q",
        "tau: R P -> P'1",
        "tau (a): R P'1 -> P",
    ]


def test_names_stand_for_all_their_indices() -> None:
    text = "process P = a[0][1] -> P | a[1][1] -> P | ab -> P; system P hide {a[0]} rename {a to b[5], ab to c};"
    assert actions(text) == ["tau (a[0][1]): P P -> P", "b[5][1][1]: P P -> P", "c: P P -> P"]


def test_renaming_is_done_all_at_once() -> None:
    text = "process P = a -> b -> P; system P rename {a to b, b to a};"
    assert actions(text) == ["b: P P -> P'1", "a: P P'1 -> P"]


def test_renaming_two_actions_to_one_offers_a_choice_to_the_partner() -> None:
    text = "process P = a -> P | b -> Q; process Q = STOP; process R = c -> R; system (P rename {a to c, b to c}) || R;"
    assert actions(text) == ["c: P P -> P, R R -> R", "c: P P -> Q, R R -> R"]


def test_one_transition_with_two_old_names_is_one_transition() -> None:
    assert actions("process P = a -> P | b -> P; system P rename {a to c, b to c};") == ["c: P P -> P"]


def test_networks_have_parameters_and_parts_are_conditional() -> None:
    text = (
        "process P(i) = a[i] -> P(i); network Pair(k) = P(k) || if k > 1 then P(k + 1) as Q else P(k - 1) as R;"
        "system || k: 1..2 . Pair(k);"
    )
    assert [one.name for one in system(text).processes] == ["P[1]", "R[1]", "P[2]", "Q[2]"]


def test_components_are_named_by_the_indices_around_them() -> None:
    text = "process P = a -> P; system P as Top || i: 0..1, j: 3..3 . (P || k: 7..7 . P as Deep);"
    assert [one.name for one in system(text).processes] == [
        "Top",
        "P[0][3]",
        "Deep[0][3][7]",
        "P[1][3]",
        "Deep[1][3][7]",
    ]


# Expressions over a model

RING = (
    "const N = 3; process Node(i) = token[i] -> Has(i); process Has(i) = token[(i + 1) % N] -> Node(i);"
    "process First = token[1] -> Node(0);"
    "label busy = Node[_].Has == 1; invariant one = Node[_].Has + First.First <= N;"
    "measure mono(First.Node(0)); measure 2 * Node[1].Has; fair Node[_], First;"
    "system First || i: 1..N - 1 . Node(i);"
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Node[1].Has", "Node[1].Has(1)"),
        ("Node[N - 1].Has(2) and First.First", "Node[2].Has(2) and First.First"),
        ("Node[_].Has(_) * N", "(Node[1].Has(1) + Node[2].Has(2)) * 3"),
        ("busy or not busy", "Node[1].Has(1) + Node[2].Has(2) == 1 or not Node[1].Has(1) + Node[2].Has(2) == 1"),
        ("-(7 / 2) % 4", "-(7 / 2) % 4"),
        ("First.Node", "First.Node(0)"),
        ("First", "First"),
        ("Node[2] - First", "Node[2] - First"),
        ("Node[_]", "Node[1] + Node[2]"),
    ],
)
def test_expressions_over_a_model(text: str, expected: str) -> None:
    found = system(RING)

    def plain(shown: str) -> str:
        return shown.replace("(", "").replace(")", "")

    assert plain(found.scope.render(found.scope.parse(text))) == plain(expected)


def test_what_a_model_declares() -> None:
    found = system(RING)
    assert [one.name for one in found.labels] == ["busy"]
    assert [one.name for one in found.invariants] == ["one"]
    assert [(one.name, one.monotone) for one in found.measures] == [
        ("mono(First.Node(0))", True),
        ("2 * Node[1].Has", False),
    ]
    assert [one.name for one in found.fairness] == ["First", "Node[1]", "Node[2]"]
    assert [len(one.actions) for one in found.fairness] == [3, 3, 2]


def test_what_a_measure_is_shown_as_can_be_given_again() -> None:
    """`--measure auto` passes measures on as text; states that nobody named are part of it."""
    text = "process P(n: 0..3) = a -> b[n] -> (if n < 3 then P(n + 1)); system i: 0..1 . P(i);"
    found = system(text)
    for one in found.processes:
        for name in one.locations:
            shown = found.scope.render(found.scope.parse(f"{one.name}.{name}"))
            assert shown == f"{one.name}.{name}"
            assert parse_measures([f"mono({shown})", shown], found).column == found.scope.parse(shown)


# Counts


def counts(path: Path, **constants: int) -> tuple[int | None, int | None]:
    text = path.read_text()
    for name, value in constants.items():
        text = re.sub(rf"(?<=const {name} = )\d+", str(value), text)
    found = strandline.explore(process.load(Source(path.name, text))).statistics
    return found.states, found.deadlocks


@pytest.mark.parametrize(("slaves", "jobs"), [(2, 2), (3, 5), (4, 4), (5, 9)])
def test_master_and_slaves(slaves: int, jobs: int) -> None:
    model = EXAMPLES / "process-master-slave" / "master-slave.psl"
    assert counts(model, SLAVES=slaves, JOBS=jobs) == (2**slaves * (2 * jobs - slaves + 3), 0)


def test_master_and_slaves_are_those_of_the_paper() -> None:
    model = EXAMPLES / "process-master-slave" / "master-slave.psl"
    assert counts(model, SLAVES=12, JOBS=20) == (126_976, 0)


@pytest.mark.parametrize("voters", [2, 3, 5, 6])
def test_two_phase_commit(voters: int) -> None:
    model = EXAMPLES / "process-two-phase-commit" / "two-phase-commit.psl"
    states = 5**voters + 2 * 3**voters + voters * 3 ** (voters - 1) - 2**voters + 1
    assert counts(model, VOTERS=voters) == (states, 0)


@pytest.mark.parametrize("numbers", [3, 4, 20])
def test_stop_and_wait(numbers: int) -> None:
    model = EXAMPLES / "process-stop-and-wait" / "stop-and-wait.psl"
    assert counts(model, NUMBERS=numbers) == (182 * numbers, 0)


# Sweeps


@pytest.mark.parametrize("name", ["master-slave", "two-phase-commit", "stop-and-wait"])
def test_an_automatic_measure_is_found(name: str) -> None:
    model = EXAMPLES / f"process-{name}" / f"{name}.psl"
    plain = strandline.explore(model).statistics
    swept = strandline.explore(model, measure="auto", count_distinct=True).statistics
    assert (swept.states, swept.transitions, swept.deadlocks) == (plain.states, plain.transitions, plain.deadlocks)
    assert swept.peak_states < (plain.states or 0)


# The page


def test_the_example_of_the_language_reference_loads() -> None:
    text = (ROOT / "docs" / "process-language.md").read_text("utf-8").split("```")[1].partition("\n")[2]
    found = strandline.explore(process.load(Source("page.psl", text))).statistics
    assert (found.states, found.deadlocks) == (36, 0)


def test_a_byte_order_mark_and_windows_line_ends_are_no_obstacle(tmp_path: Path) -> None:
    text = "// é\r\nprocess P = a -> P;\r\nsystem P;\r\n"
    (tmp_path / "windows.psl").write_bytes(text.encode("utf-8-sig"))
    assert load(tmp_path / "windows.psl").name == "windows"
