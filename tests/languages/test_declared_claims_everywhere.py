"""Claims declared in DVE and process models: how a check without options uses them, and messages for wrong ones."""

from __future__ import annotations

from pathlib import Path

import pytest

import strandline
from strandline.errors import InputError
from strandline.report.facts import facts_text
from strandline.report.style import Style

DVE = """\
// invariant: x < 3
// reachable: P.b and x == 2
// ltl: G (P.b -> F taken(P))
// ctl: AG (P.b -> enabled(P))
// valid end: P.a and not enabled(Q)
byte x;
process P { state a, b; init a; trans
  a -> b { guard x < 2; effect x = x + 1; },
  b -> a {};
}
process Q { state d, e; init d; trans d -> e { guard P.b; }; }
system async;
"""

PROCESSES = """\
process A = send[1] -> ack -> done -> STOP;
process B = send[1] -> (ack -> STOP);
system A || B;
ltl sends = "F taken(send)";
ltl order = "G (taken(ack) -> enabled(done))";
ctl can = "AG (taken(send[1]) -> EX taken(ack))";
reachable ended = A.STOP and B.STOP;
invariant once = not (taken(send[_]) and enabled(send));
valid_end over = A.STOP;
"""


def answers(path: Path) -> list[tuple[str, str, str]]:
    return [(one.kind.value, one.name, one.answer.value) for one in strandline.check(path).properties]


def written(folder: Path, name: str, text: str) -> Path:
    file = folder / name
    file.write_text(text)
    return file


def test_dve(tmp_path: Path) -> None:
    assert answers(written(tmp_path, "model.dve", DVE)) == [
        ("deadlock", "deadlock freedom", "HOLDS"),
        ("invariant", "x < 3", "HOLDS"),
        ("reach", "P.b and x == 2", "HOLDS"),
        ("ltl", "G (P.b -> F taken(P))", "HOLDS"),
        ("ctl", "AG (P.b -> enabled(P))", "HOLDS"),
    ]


def test_processes(tmp_path: Path) -> None:
    assert answers(written(tmp_path, "model.psl", PROCESSES)) == [
        ("deadlock", "deadlock freedom", "HOLDS"),
        ("invariant", "once", "HOLDS"),
        ("reach", "ended", "HOLDS"),
        ("ltl", "sends", "HOLDS"),
        ("ltl", "order", "HOLDS"),
        ("ctl", "can", "HOLDS"),
    ]


def test_without_valid_ends_these_are_deadlocks(tmp_path: Path) -> None:
    dve = DVE.replace("// valid end", "// no end")
    assert answers(written(tmp_path, "model.dve", dve))[0][2] == "VIOLATED"
    processes = PROCESSES.replace("valid_end over", "label over")
    assert answers(written(tmp_path, "model.psl", processes))[0][2] == "VIOLATED"


@pytest.mark.parametrize(("pragma", "answer"), [("", "VIOLATED"), ("fair", "VIOLATED"), ("strongly fair", "HOLDS")])
def test_strong_fairness_in_dve(tmp_path: Path, pragma: str, answer: str) -> None:
    model = (
        f"// {pragma}: Q\n// ltl: G F taken(Q)\nbyte x;\n"
        "process P { state a; init a; trans a -> a { effect x = 1 - x; }; }\n"
        "process Q { state b; init b; trans b -> b { guard x == 1; }; }\nsystem async;\n"
    )
    assert answers(written(tmp_path, "model.dve", model))[1] == ("ltl", "G F taken(Q)", answer)


def test_what_is_declared_is_listed(tmp_path: Path) -> None:
    text = facts_text(strandline.load(written(tmp_path, "model.dve", DVE)), Style(False))
    assert "  ltl        G (P.b -> F taken(P))\n" in text
    text = facts_text(strandline.load(written(tmp_path, "model.psl", PROCESSES)), Style(False))
    assert "  ltl        sends: F taken(send)\n" in text


WRONG = [
    ("model.dve", DVE.replace("F taken(P)", "F taken(R)"), ":3:27: unknown process 'R'"),
    ("model.dve", DVE.replace("x < 3", "y < 3"), ":1:15: unknown name 'y'"),
    ("model.dve", DVE.replace("taken(P))", "taken(P.a))"), ":3:28: expected ')', found '.'"),
    ("model.psl", PROCESSES.replace("taken(ack) ->", "taken(akc) ->"), ":5:23: unknown action 'akc'"),
    ("model.psl", PROCESSES.replace('"F taken(send)"', "F"), ":4:13: expected a formula in quotes"),
    ("model.psl", PROCESSES.replace("ltl order", "ltl sends"), ":5:5: the name 'sends' is used already"),
    ("model.psl", PROCESSES.replace("EX taken(ack)", "EX ("), ":6:38: expected a proposition"),
]


@pytest.mark.parametrize(("name", "text", "message"), WRONG)
def test_what_wrong_claims_are_told(tmp_path: Path, name: str, text: str, message: str) -> None:
    file = written(tmp_path, name, text)
    with pytest.raises(InputError) as error:
        strandline.check(file)
    assert str(error.value).startswith(f"{file}{message}")
    assert str(error.value).rstrip().endswith("^")


def test_a_model_may_use_the_words_as_names(tmp_path: Path) -> None:
    text = "process ltl = reachable -> valid_end -> ctl -> ltl;\nsystem ltl;\n"
    assert strandline.explore(written(tmp_path, "model.psl", text)).statistics.states == 3
    dve = "byte enabled; byte taken[2];\nprocess P { state a; init a; trans a -> a { guard enabled == taken[1]; }; }\n"
    file = written(tmp_path, "model.dve", dve + "system async;\n")
    assert strandline.check(file, invariants="enabled == 0 and taken[1] == 0").answer.value == "HOLDS"
    with pytest.raises(InputError):
        strandline.check(file, invariants="enabled(P)")


def test_where_a_state_is_alone_its_last_step_is_not_known(tmp_path: Path) -> None:
    file = written(tmp_path, "model.dve", DVE)
    with pytest.raises(InputError, match="a measure cannot refer to the last step"):
        strandline.explore(file, measure="taken(P)")


def test_simulation_knows_what_declared_claims_ask(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from strandline.cli.main import main

    file = written(tmp_path, "model.psl", PROCESSES + "label sent = taken(send);\n")
    commands = [word for one in ("1", "eval sent", "eval taken(ack)", "state") for word in ("-c", one)]
    assert main(["simulate", str(file), "--seed", "1", *commands]) == 0
    told = capsys.readouterr().out
    assert "labels: sent\n" in told
    assert "fault: a single state does not contain its last step" in told
    assert "(taken" not in told
