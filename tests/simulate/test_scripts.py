"""`strandline simulate` by script: exact transcripts, and mistakes."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

import pytest

from strandline.cli.main import main

MODELS = Path(__file__).resolve().parent.parent / "checker" / "models"

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def simulate(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    """Run a script over a model; answers exit code, stdout and stderr."""
    monkeypatch.chdir(tmp_path)

    def run(model: str, script: str, *options: str) -> tuple[int, str, str]:
        monkeypatch.setattr("sys.stdin", io.StringIO(script))
        code = main(["simulate", str(MODELS / f"{model}.dve"), "--seed", "1", *options])
        return code, *capsys.readouterr()

    return run


def test_a_walk_by_script(simulate: Run) -> None:
    code, stdout, stderr = simulate("mutex", "# both look\n\n1\n2\nstate\nundo\nquit\nnonsense\n")
    assert (code, stderr) == (0, "")
    assert stdout == (
        "mutex: 6 actions; 'help' lists the commands\n"
        "initial state\n"
        "    flag=[0, 0] P=idle Q=idle\n"
        "steps\n"
        "  1  P: idle -> seen\n"
        "  2  Q: idle -> seen\n"
        "0> 1\n"
        "1  P: idle -> seen\n"
        "steps\n"
        "  1  P: seen -> critical   flag[0]: 0 → 1\n"
        "  2  Q: idle -> seen\n"
        "1> 2\n"
        "2  Q: idle -> seen\n"
        "steps\n"
        "  1  P: seen -> critical   flag[0]: 0 → 1\n"
        "  2  Q: seen -> critical   flag[1]: 0 → 1\n"
        "2> state\n"
        "    flag=[0, 0] P=seen Q=seen\n"
        "2> undo\n"
        "undone: 1 step\n"
        "    flag=[0, 0] P=seen Q=idle\n"
        "steps\n"
        "  1  P: seen -> critical   flag[0]: 0 → 1\n"
        "  2  Q: idle -> seen\n"
        "1> quit\n"
    )


def test_deadlocks_and_violated_claims_are_shown(simulate: Run) -> None:
    _, stdout, _ = simulate("counter", "1 1 1 2\n")
    assert stdout.endswith(
        "4  P: s -> t\nassertion P.t: x < 3: violated\ndeadlock: no step can be taken; 'undo' or 'reset' lead back\n"
    )


def test_faults_are_announced_and_shown_with_their_place(simulate: Run) -> None:
    _, stdout, _ = simulate("index", "1 1 1\n1\nundo\n")
    assert "  1  P: s -> s   faults: array index out of range\n3> 1\n!  P: s -> s\n" in stdout
    assert "index.dve:5:38\n" in stdout
    assert "   ^^^^\nthe path ends in a fault: 'undo' or 'reset' lead back\n3> undo\nundone: 1 step\n" in stdout


def test_expressions(simulate: Run) -> None:
    _, stdout, _ = simulate("counter", "1\neval x + 1\neval P.s\n")
    assert "1> eval x + 1\nx + 1 is 2\n1> eval P.s\nP.s is true\n" in stdout


def test_random_walks_repeat_with_their_seed(simulate: Run) -> None:
    first = simulate("mutex", "random 30\n")
    assert first == simulate("mutex", "random 30\n")
    assert "30  " in first[1]
    assert first != simulate("mutex", "random 30\n", "--seed", "2")


def test_a_long_random_walk_tells_only_of_its_end(simulate: Run) -> None:
    _, stdout, _ = simulate("mutex", "random 1000\n")
    assert "0> random 1000\n1,000 random steps\n    flag=" in stdout
    assert stdout.count("\n") < 20


def test_a_random_walk_stops_at_a_deadlock(simulate: Run) -> None:
    _, stdout, _ = simulate("counter", "random 500\n")
    assert stdout.endswith("deadlock: no step can be taken; 'undo' or 'reset' lead back\n")


def test_without_a_seed_the_seed_is_told(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["simulate", str(MODELS / "mutex.dve"), "-c", "random 3"]) == 0
    stdout, stderr = capsys.readouterr()
    seed = stderr.split("--seed ")[1].split()[0]
    assert main(["simulate", str(MODELS / "mutex.dve"), "-c", "random 3", "--seed", seed]) == 0
    assert capsys.readouterr().out == stdout


@pytest.mark.parametrize("name", ["t.json", "t.itf.json"])
def test_a_saved_walk_can_be_followed(simulate: Run, tmp_path: Path, name: str) -> None:
    _, saving, _ = simulate("mutex", f"random 5\ntrace\nsave {name}\n")
    assert f"5> save {name}\nsaved: {name}, 5 steps\n" in saving
    code, following, _ = simulate("mutex", f"2\nfollow {name}\neval 7\n")
    assert code == 0
    trace = saving.split("5> trace\n")[1].split("5> save")[0]
    assert f"1> follow {name}\n{trace}steps\n" in following
    assert following.endswith("5> eval 7\n7 is 7\n")


def test_a_saved_fault_can_be_followed(simulate: Run) -> None:
    simulate("index", "1 1 1 1\nsave t.json\n")
    _, stdout, _ = simulate("index", "follow t.json\n")
    assert stdout.endswith("the path ends in a fault: 'undo' or 'reset' lead back\n")
    assert "!  P: s -> s\n   array index out of range: " in stdout


def test_a_trace_of_another_model_is_refused_and_the_walk_stays(simulate: Run) -> None:
    simulate("mutex", "1\nsave t.json\n")
    code, _, stderr = simulate("counter", "1\nfollow t.json\n")
    assert code == 2
    assert stderr.startswith("strandline simulate: line 2, 'follow t.json': t.json: state 0 speaks of 'flag'")


def test_the_property_process_only_on_request(simulate: Run) -> None:
    _, alone, _ = simulate("watched", "1 1 1\neval x\n")
    assert alone.endswith("eval x\nx is 3\n")
    _, product, _ = simulate("watched", "1\n", "--product")
    assert product.startswith("watched: 1 action, with property process Never;")
    assert "  1  P: s -> s; Never: q0 -> q0   x: 1 → 2\n  2  P: s -> s; Never: q0 -> q1   x: 1 → 2\n" in product
    _, blocked, _ = simulate("watched", "1 2\n", "--product")
    assert blocked.endswith(
        "blocked: the property process has no step to take with the system's; 'undo' or 'reset' lead back\n"
    )
    code, _, stderr = simulate("mutex", "", "--product")
    assert code == 2
    assert stderr.endswith("mutex.dve: --product: the model has no property process\n")


@pytest.mark.parametrize(
    ("script", "message"),
    [
        ("1\n7\n", "line 2, '7': there is no step 7: choose 1 to 2"),
        ("undo\n", "line 1, 'undo': there is no step to undo"),
        ("jump\n", "line 1, 'jump': 'jump' is no command (undo, reset, random"),
        ("r 4\n", "line 1, 'r 4': 'r' is more than one command (reset, random)"),
        ("random x\n", "line 1, 'random x': 'x' is not a number of 1 or more"),
        ("reset 2\n", "line 1, 'reset 2': there is no initial state 2: there is only 1"),
        ("eval\n", "line 1, 'eval': eval needs an expression"),
        ("eval flag[\n", "line 1, 'eval flag[': expression:1:6: "),
        ("save\n", "line 1, 'save': save needs the name of a file"),
        ("save no/where.json\n", "line 1, 'save no/where.json': no/where.json: the trace cannot be written"),
        ("follow none.json\n", "line 1, 'follow none.json': none.json: no such file"),
    ],
)
def test_a_mistake_ends_a_script(simulate: Run, script: str, message: str) -> None:
    code, _, stderr = simulate("mutex", script)
    assert code == 2
    assert stderr.startswith(f"strandline simulate: {message}")


def test_commands_may_be_cut_short_and_help_names_them_all(simulate: Run) -> None:
    code, stdout, _ = simulate("mutex", "", "-c", "h", "-c", "ra 2", "-c", "u 2", "-c", "exit", "-c", "oops")
    assert code == 0
    for name in ("undo [N]", "reset [NUMBER]", "random [N]", "follow FILE", "eval EXPR", "save FILE", "quit"):
        assert f"  {name}" in stdout
    assert stdout.endswith("0> exit\n")
