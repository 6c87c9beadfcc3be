"""Models in the cells of a notebook, run by IPython itself."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("IPython") is None,
    reason="IPython is not installed: models in notebook cells are not tested",
)

RUNNER = """
import contextlib, io, json, sys
from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

config = Config()
config.HistoryManager.enabled = False
shell = InteractiveShell.instance(config=config)
answers = []
for cell in json.load(sys.stdin):
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        result = shell.run_cell(cell, store_history=True)
    error = result.error_in_exec or result.error_before_exec
    answers.append({"printed": printed.getvalue(), "error": None if error is None else str(error)})
print(json.dumps(answers))
"""
MUTEX = """from strandline import *

class Mutex(Model):
    flag: Array[bool, 2]
    turn: Range[0, 1] = 0

    class P(Process, count=2):
        pc: Enum["idle", "want", "cs"] = "idle"
        @action(at="idle", to="want")
        def request(m, me): m.flag[me] = True; m.turn = 1 - me
        @action(at="want", to="cs")
        def enter(m, me): require(not m.flag[1 - me] or m.turn == me)
        @action(at="cs", to="idle")
        def leave(m, me): m.flag[me] = False

    @invariant
    def exclusion(m): return count(p.pc == "cs" for p in m.P) <= 1
"""
CHECK = """import strandline
verdict = strandline.check({model})
print(verdict.answer.value, verdict.statistics.states, verdict.trace and len(verdict.trace))"""


def run(tmp_path: Path, *cells: str) -> list[dict[str, Any]]:
    """Return the output and the errors of the cells of one notebook."""
    answer = subprocess.run(
        [sys.executable, "-c", RUNNER],
        input=json.dumps(cells),
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "IPYTHONDIR": str(tmp_path), "NO_COLOR": "1"},
    )
    answers: list[dict[str, Any]] = json.loads(answer.stdout.splitlines()[-1])
    return answers


def error_of(answer: dict[str, Any]) -> tuple[str, str, str]:
    """An error's message without the name of its cell, its line, and what stands over the carets."""
    assert answer["error"] is not None, answer["printed"]
    head, line, carets = answer["error"].splitlines()
    place, _, message = head.partition(": ")
    start = carets.index("^")
    return ":".join(place.rsplit(":", 2)[1:]), message, line[start : start + carets.count("^")]


def test_a_class_in_a_cell_is_checked_and_an_edited_one_anew(tmp_path: Path) -> None:
    answers = run(
        tmp_path,
        MUTEX,
        CHECK.format(model="Mutex"),
        "first = Mutex",
        MUTEX.replace("m.turn == me", "True"),
        CHECK.format(model="Mutex"),
        CHECK.format(model="first()"),
        MUTEX,
        CHECK.format(model="Mutex"),
    )
    assert [answer["error"] for answer in answers] == [None] * 8
    printed = [answer["printed"] for answer in answers if answer["printed"]]
    assert printed[0].startswith("HOLDS ")
    assert printed[1].startswith("VIOLATED ")
    assert printed[1].endswith(" 4\n")
    assert printed[2] == printed[3] == printed[0]


def test_it_runs_as_plain_python(tmp_path: Path) -> None:
    steps = "m = Mutex()\nm.request(0)\nm.enter(0)\nprint(m.P[0].pc, m.exclusion(), len(m.steps()))"
    answers = run(tmp_path, MUTEX, steps)
    assert answers[1] == {"printed": "cs True 2\n", "error": None}


@pytest.mark.parametrize(
    ("old", "new", "place", "message", "marked"),
    [
        ("m.turn == me", "m.turn / 2 == me", "12:57", "'/' is a division with fractions; write '//'", "m.turn / 2"),
        ("m.flag[me] = False", "m.flga[me] = False", "14:27", "did you mean 'flag'?", "m.flga"),
        ("Range[0, 1] = 0", "Range[0, 1] = 2", "5:5", "the initial value does not fit", "turn: Range[0, 1] = 2"),
        ("turn: Range[0, 1] = 0", "turn: Range[1, 0]", "5:5", "Range[1, 0] is empty", "turn: Range[1, 0]"),
        ("<= 1", "+ 1", "17:23", "a number is no condition", 'return count(p.pc == "cs" for p in m.P) + 1'),
    ],
)
def test_mistakes_are_shown_in_the_cell(
    tmp_path: Path, old: str, new: str, place: str, message: str, marked: str
) -> None:
    assert old in MUTEX
    answers = run(tmp_path, MUTEX.replace(old, new), CHECK.format(model="Mutex"))
    found, text, carets = error_of(answers[1])
    assert (found, carets) == (place, marked)
    assert message in text


def test_helpers_of_other_cells(tmp_path: Path) -> None:
    """A mistake in a helper is shown in its own cell; a helper that is defined anew counts from then on."""
    model = MUTEX.replace("not m.flag[1 - me] or m.turn == me", "may_enter(m, me)")
    fine = "def may_enter(m, me):\n    return not m.flag[1 - me] or m.turn == me"
    answers = run(
        tmp_path,
        fine.replace("m.turn == me", "m.turn"),
        model,
        CHECK.format(model="Mutex"),
        fine,
        CHECK.format(model="Mutex"),
        fine.replace(" or m.turn == me", ""),
        CHECK.format(model="Mutex"),
    )
    assert error_of(answers[2]) == ("2:34", "a number is no condition; write '!= 0'", "m.turn")
    assert answers[4]["printed"].startswith("HOLDS ")
    assert answers[6]["printed"].startswith("VIOLATED "), "without turns it can be stuck"


def test_a_fault_names_the_line_of_the_cell(tmp_path: Path) -> None:
    faulty = MUTEX.replace("m.turn = 1 - me", "m.turn = 2 - me")
    show = "import strandline\nprint(strandline.check(Mutex).properties[-1].reason)"
    printed = run(tmp_path, faulty, show)[1]["printed"]
    assert printed.startswith("value outside the variable's range at ")
    assert printed.endswith(":10:48\n")
