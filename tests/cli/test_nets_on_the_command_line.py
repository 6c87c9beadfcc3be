"""Nets on the command line: formulas, questions and the contest's protocol, word for word."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from command_line import Answer

EXAMPLES = Path(__file__).parents[2] / "examples"
ASSEMBLY = EXAMPLES / "petri-assembly/assembly.pnml"
Run = Callable[..., Answer]
FORMULAS = """<?xml version="1.0"?>
<property-set xmlns="http://mcc.lip6.fr/">
<property><id>bound</id><formula><place-bound><place>wheels</place></place-bound></formula></property>
<property><id>never-full</id><formula><exists-path><finally>
  <integer-le><tokens-count><place>room</place></tokens-count><integer-constant>0</integer-constant></integer-le>
</finally></exists-path></formula></property>
</property-set>
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "net").mkdir()
    shutil.copy(ASSEMBLY, tmp_path / "net/model.pnml")
    (tmp_path / "net/UpperBounds.xml").write_text(FORMULAS)
    return tmp_path / "net"


def test_formulas_and_questions_are_answered_in_lines(strandline: Run, folder: Path) -> None:
    done = strandline("check", str(ASSEMBLY), "--formulas", str(folder / "UpperBounds.xml"), "--question", "deadlock")
    assert (done.code, done.stdout) == (0, "bound       8\nnever-full  TRUE\ndeadlock    TRUE\n")


def test_unknown_answers_say_why(strandline: Run, folder: Path) -> None:
    done = strandline("check", str(ASSEMBLY), "--formulas", str(folder / "UpperBounds.xml"), "--max-states", "5")
    assert (done.code, done.stdout) == (
        3,
        (
            "bound       UNKNOWN  the limit of 5 states is reached\n"
            "never-full  UNKNOWN  the limit of 5 states is reached\n"
        ),
    )


def test_answers_as_json(strandline: Run, folder: Path) -> None:
    done = strandline("check", str(ASSEMBLY), "--json", "--question", "one-safe", "--question", "liveness")
    data = json.loads(done.stdout)
    assert [(one["id"], one["answer"], one["reason"]) for one in data["answers"]] == [
        ("one-safe", "FALSE", None), ("liveness", "FALSE", None),
    ]  # fmt: skip
    assert (data["command"], data["exit_code"], data["error"]) == ("check", 0, None)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--question", "deadlock", "--invariant", "1"],
         "strandline check: --formulas and --question cannot be combined with other properties\n"),
        (["--formulas", "nowhere.xml"], "nowhere.xml: no such file\n"),
    ],
)  # fmt: skip
def test_what_cannot_be_asked(strandline: Run, arguments: list[str], message: str) -> None:
    done = strandline("check", str(ASSEMBLY), *arguments)
    assert (done.code, done.stderr) == (2, message)


@pytest.mark.parametrize(
    ("examination", "lines"),
    [
        ("StateSpace", ["STATE_SPACE STATES 66 TECHNIQUES EXPLICIT", "STATE_SPACE TRANSITIONS 136 TECHNIQUES EXPLICIT",
                        "STATE_SPACE MAX_TOKEN_PER_MARKING 12 TECHNIQUES EXPLICIT",
                        "STATE_SPACE MAX_TOKEN_IN_PLACE 8 TECHNIQUES EXPLICIT"]),
        ("UpperBounds", ["FORMULA bound 8 TECHNIQUES EXPLICIT", "FORMULA never-full TRUE TECHNIQUES EXPLICIT"]),
        ("ReachabilityDeadlock", ["FORMULA ReachabilityDeadlock TRUE TECHNIQUES EXPLICIT"]),
        ("Beauty", ["DO_NOT_COMPETE"]),
    ],
)  # fmt: skip
def test_the_contest(strandline: Run, examination: str, lines: list[str], folder: Path) -> None:
    done = strandline("contest", examination, "--folder", str(folder))
    assert (done.code, done.stdout.splitlines()) == (0, lines)


def test_the_contest_by_its_variables(strandline: Run, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    monkeypatch.setenv("BK_EXAMINATION", "OneSafe")
    monkeypatch.setenv("BK_TIME_CONFINEMENT", "60")
    monkeypatch.setenv("BK_MEMORY_CONFINEMENT", "16384")
    assert strandline("contest").stdout == "FORMULA OneSafe FALSE TECHNIQUES EXPLICIT\n"
    monkeypatch.setenv("BK_TIME_CONFINEMENT", "soon")
    done = strandline("contest")
    assert (done.code, done.stderr) == (
        2, "strandline contest: BK_TIME_CONFINEMENT must be a whole number greater than 0, not 'soon'\n",
    )  # fmt: skip


def test_what_cannot_be_computed(strandline: Run, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = ASSEMBLY.read_text()
    (folder / "model.pnml").write_text(text.replace("grammar/ptnet", "grammar/symmetricnet"))
    assert strandline("contest", "StateSpace", "--folder", str(folder)).stdout == "DO_NOT_COMPETE\n"
    # More than the process takes already.
    (folder / "model.pnml").write_text(text)
    monkeypatch.setenv("BK_MEMORY_CONFINEMENT", "1")
    assert strandline("contest", "StateSpace", "--folder", str(folder)).stdout == "CANNOT_COMPUTE\n"
