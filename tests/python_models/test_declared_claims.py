"""Claims declared in a Python model: how a check without options uses them, and messages for wrong ones."""

from __future__ import annotations

from pathlib import Path

import pytest

import strandline
from strandline.checker.options.claims import Claims
from strandline.checker.properties.selection import select
from strandline.errors import InputError
from strandline.report.dump import dump
from strandline.report.facts import facts_data, facts_text
from strandline.report.style import Style

MUTEX = """from strandline import *
class Mutex(Model):
    flag: Array[bool, 2]
    turn: Range[0, 1]
    rounds: Range[0, 3]
    class P(Process, count=2):
        pc: Enum["idle", "want", "cs"]
        @action(at="idle", to="want")
        def request(m, me):
            require(m.rounds < 3)
            m.rounds += 1
            m.flag[me] = True
            m.turn = 1 - me
        @action(at="want", to="cs")
        def enter(m, me): require(not m.flag[1 - me] or m.turn == me)
        @action(at="cs", to="idle")
        def leave(m, me): m.flag[me] = False
        served = ltl("G (pc == 'want' -> F taken(me.enter))")
        @valid_end
        def rests(m, me): return me.pc == "idle"
    @invariant
    def moves(m): return m.rounds == 3 or any(enabled(p.request) or enabled(p.enter) or enabled(p.leave) for p in m.P)
    @reachable
    def both_want(m): return all(p.pc == "want" for p in m.P)
    order = ltl("G (taken(P[0].leave) -> P[0].pc == 'idle')")
"""

SWITCH = """from strandline import *
class Switch(Model):
    open: bool
    done: bool
    @action
    def swing(m): m.open = not m.open
    @action(fair={fair})
    def pass_through(m):
        require(m.open)
        m.done = not m.done
    passes = ltl("G F taken(pass_through)")
"""


def model(folder: Path, text: str) -> Path:
    file = folder / "model.py"
    file.write_text(text)
    return file


def answers(verdict: strandline.Verdict) -> list[tuple[str, str, str]]:
    return [(one.kind.value, one.name, one.answer.value) for one in verdict.properties]


def test_a_bare_check_decides_all_of_them(tmp_path: Path) -> None:
    verdict = strandline.check(model(tmp_path, MUTEX))
    assert answers(verdict) == [
        ("deadlock", "deadlock freedom", "HOLDS"),
        ("invariant", "moves", "HOLDS"),
        ("reach", "both_want", "HOLDS"),
        ("ltl", "order", "HOLDS"),
        ("ltl", "P_0.served", "HOLDS"),
        ("ltl", "P_1.served", "HOLDS"),
    ]
    assert (verdict.statistics.states, verdict.statistics.transitions, verdict.statistics.deadlocks) == (27, 38, 2)


def test_one_of_them_by_its_name(tmp_path: Path) -> None:
    verdict = strandline.check(model(tmp_path, MUTEX), property=["P_1.served", "both_want"])
    assert answers(verdict) == [("ltl", "P_1.served", "HOLDS"), ("reach", "both_want", "HOLDS")]


def test_what_will_be_checked_is_told(tmp_path: Path) -> None:
    system = strandline.load(model(tmp_path, MUTEX))
    assert select(system, Claims()).describe() == "deadlocks, 1 invariant, 1 reachability, 3 formulas"


def test_an_end_that_is_not_valid_is_a_deadlock(tmp_path: Path) -> None:
    text = MUTEX.replace('return me.pc == "idle"', 'return me.pc == "idle" and m.turn == 0')
    verdict = strandline.check(model(tmp_path, text), deadlock=True)
    assert answers(verdict) == [("deadlock", "deadlock freedom", "VIOLATED")]
    assert verdict.trace is not None
    assert verdict.trace.final["turn"] == 1


def test_without_valid_ends_every_end_is_a_deadlock(tmp_path: Path) -> None:
    text = MUTEX.replace("@valid_end", "@label")
    assert answers(strandline.check(model(tmp_path, text), deadlock=True))[0][2] == "VIOLATED"


@pytest.mark.parametrize("order", ["bfs", "dfs", "sweep", "cache"])
def test_every_order_knows_valid_ends(tmp_path: Path, order: str) -> None:
    cache = {"cache_states": 100} if order == "cache" else {}
    file = model(tmp_path, MUTEX)
    assert strandline.check(file, deadlock=True, order=order, **cache).answer is strandline.Answer.HOLDS


@pytest.mark.parametrize(("fair", "answer"), [("False", "VIOLATED"), ("True", "VIOLATED"), ("'strong'", "HOLDS")])
def test_strong_fairness_is_more_than_weak(tmp_path: Path, fair: str, answer: str) -> None:
    """It is possible again and again, but not from some point on."""
    verdict = strandline.check(model(tmp_path, SWITCH.format(fair=fair)), property="passes")
    assert answers(verdict) == [("ltl", "passes", answer)]


@pytest.mark.parametrize("method", ["ndfs", "scc", "map", "sweep", "sweep-off", "sweep-on"])
def test_strong_fairness_by_every_method(tmp_path: Path, method: str) -> None:
    measured = {"measure": "done + 0"} if method.startswith("sweep") else {}
    file = model(tmp_path, SWITCH.format(fair="'strong'"))
    formulas = ["G F taken(pass_through)", "F G open"]
    verdict = strandline.check(file, formulas, method=method, sanity=False, **measured)
    assert [one.answer.value for one in verdict.properties] == ["HOLDS", "VIOLATED"]


@pytest.mark.parametrize("formula", ["F done", "G F (done and open)", "F G open", "G F !done", "G (done -> F !done)"])
def test_strong_fairness_is_what_the_formula_says(tmp_path: Path, formula: str) -> None:
    fair = strandline.check(model(tmp_path, SWITCH.format(fair="'strong'")), formula)
    said = f"(G F enabled(pass_through) -> G F taken(pass_through)) -> ({formula})"
    plain = strandline.check(model(tmp_path, SWITCH.format(fair="False")), said)
    assert fair.answer is plain.answer


def test_the_last_step_is_no_part_of_what_is_shown(tmp_path: Path) -> None:
    verdict = strandline.check(model(tmp_path, SWITCH.format(fair="False")), "G !taken(pass_through)")
    assert verdict.trace is not None
    assert [step.action for step in verdict.trace.steps] == ["swing", "pass_through"]
    assert list(verdict.trace.final) == ["open", "done"]


def test_taken_in_an_invariant(tmp_path: Path) -> None:
    file = model(tmp_path, SWITCH.format(fair="False"))
    assert strandline.check(file, invariants="open or not taken(pass_through)").answer is strandline.Answer.HOLDS
    violated = strandline.check(file, invariants="not taken(pass_through)")
    assert violated.trace is not None
    assert len(violated.trace) == 2


def test_enabled_runs_as_plain_python(tmp_path: Path) -> None:
    namespace: dict[str, object] = {}
    file = model(tmp_path, MUTEX)
    exec(compile(file.read_text(), str(file), "exec", dont_inherit=True), namespace)
    mutex = namespace["Mutex"]()  # type: ignore[operator]
    before = mutex.state()
    assert strandline.enabled(mutex.P[0].request)
    assert not strandline.enabled(mutex.P[0].enter)
    assert mutex.moves()
    assert mutex.state() == before
    with pytest.raises(TypeError, match="enabled asks for an action"):
        strandline.enabled(mutex.P[0])


def test_what_is_declared_is_listed(tmp_path: Path) -> None:
    system = strandline.load(model(tmp_path, MUTEX))
    text = facts_text(system, Style(False))
    assert "reachable  both_want" in text
    assert "ltl        P_0.served: G (pc == 'want' -> F taken(me.enter))" in text
    assert "valid end  P_0.pc == 'idle' and P_1.pc == 'idle'" in text
    data = facts_data(system)
    assert data["reachable"] == ["both_want"]
    assert [one["name"] for one in data["formulas"]] == ["order", "P_0.served", "P_1.served"]
    assert data["valid_ends"] is True
    assert "valid end\n    P_0.pc == 'idle' and P_1.pc == 'idle'" in dump(system)


WRONG = [
    (
        'bad = ltl("G (open -> F nothing)")',
        "the model has no 'nothing'; declare it in the class: nothing: ...",
        "nothing",
    ),
    ('bad = ltl("G (open -> F")', "the formula ends where a proposition is expected", '"'),
    ('bad = ltl("G taken(open)")', "taken asks for an action, as in taken(m.P[0].enter)", "taken(open)"),
    (
        "@invariant\n    def bad(m): return enabled(m.open)",
        "enabled asks for an action, as in enabled(m.P[0].enter)",
        "enabled(m.open)",
    ),
    (
        "@action\n    def bad(m): require(enabled(m.swing))",
        "'enabled' is for claims only; in an action, write require(...) with the condition",
        "enabled(m.swing)",
    ),
    ("@invariant\n    def bad(m): return taken(m.swing)", "unknown name 'taken'", "taken"),
]


@pytest.mark.parametrize(("added", "message", "place"), WRONG)
def test_what_wrong_claims_are_told(tmp_path: Path, added: str, message: str, place: str) -> None:
    lines = SWITCH.format(fair="False").splitlines()[:-1]
    file = model(tmp_path, "\n".join([*lines, f"    {added}"]) + "\n")
    with pytest.raises(InputError) as error:
        strandline.check(file)
    line = added.splitlines()[-1]
    shown, column = line if line.startswith(" ") else f"    {line}", len("    ") if line == added else 0
    column += line.rindex(place) if place == '"' else line.index(place)
    number = len(lines) + 1 + added.count("\n")
    assert str(error.value) == "\n".join(
        [f"{file}:{number}:{column + 1}: {message}", f"  {shown}", f"  {' ' * column}{'^' * len(place)}"]
    )


def test_a_formula_is_a_text() -> None:
    with pytest.raises(TypeError, match="ltl takes a formula as text, not 3"):
        strandline.ltl(3)  # type: ignore[arg-type]


def test_fair_has_three_values() -> None:
    with pytest.raises(TypeError, match="fair is True or 'weak', 'strong' or False, not 'strongly'"):
        strandline.action(fair="strongly")


def test_branching_time_in_a_model(tmp_path: Path) -> None:
    text = MUTEX + '    resets = ctl("AG (EF P[0].pc == \'idle\')")\n    wrong = ctl("AG EX enabled(P[0].enter)")\n'
    verdict = strandline.check(model(tmp_path, text), property=["resets", "wrong"])
    assert answers(verdict) == [("ctl", "resets", "HOLDS"), ("ctl", "wrong", "VIOLATED")]
