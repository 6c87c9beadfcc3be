"""The tools for agents, without the protocol: budgets, answers, folders, and what is missing."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from strandline.agents import library, processes
from strandline.agents.answers import search_answer, trace_answer
from strandline.agents.models import Folders
from strandline.agents.processes import Budget, OverBudget, run_command
from strandline.agents.tools import Tools
from strandline.cli import mcp as command
from strandline.cli.main import main
from strandline.errors import UsageError

ROOT = Path(__file__).resolve().parents[2]


def test_without_the_package_the_command_says_how_to_install_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(command, "find_spec", lambda name: None)
    assert main(["mcp"]) == 2
    assert f"{sys.executable} -m pip install 'strandline[mcp]'" in capsys.readouterr().err


def test_the_folder_must_exist(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(command, "find_spec", lambda name: name)
    assert main(["mcp", "--root", str(tmp_path / "none")]) == 2
    assert "is no folder" in capsys.readouterr().err


def play(monkeypatch: pytest.MonkeyPatch, program: str) -> None:
    """Run a Python program in the place of the command line."""
    start = processes.subprocess.Popen
    monkeypatch.setattr(
        processes.subprocess, "Popen", lambda command, **options: start([sys.executable, "-c", program], **options)
    )


@pytest.mark.parametrize(
    ("program", "words"),
    [
        ("x = bytearray(700 << 20); input = None\nwhile True: pass", "more than 512 MB"),
        ("import sys; sys.exit('it failed')", "ended without an answer: it failed"),
    ],
)
def test_a_process_over_its_budget_is_killed(
    program: str, words: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    play(monkeypatch, program)
    with pytest.raises(OverBudget, match=words):
        run_command([], Budget(60, 512), {}, tmp_path)


def test_a_process_that_does_not_end_is_killed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    play(monkeypatch, "while True: pass")
    monkeypatch.setattr(processes, "_GRACE", 0.1)
    with pytest.raises(OverBudget, match=r"after the end of its 0\.1 seconds"):
        run_command([], Budget(0.1, 512), {}, tmp_path)


def test_an_exceeded_budget_is_an_unknown_verdict(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    play(monkeypatch, "raise SystemExit('no')")
    tools = Tools(Folders(ROOT / "examples", tmp_path))
    answer = tools.explore(5, 512, model="peterson/peterson.dve")
    assert (answer["verdict"], answer["reason"]) == ("UNKNOWN", "the process ended without an answer: no")


def test_only_the_last_traces_are_kept(tmp_path: Path) -> None:
    tools = Tools(Folders(ROOT / "examples", tmp_path))
    model = tools._folders.model("peterson/peterson.dve", "", "")
    names = [tools._keep({}, model, []) for _ in range(101)]
    assert (names[0], names[-1], len(tools._traces)) == ("trace-1", "trace-101", 100)
    assert "there is no trace 'trace-1'" in tools.explain_trace("trace-1")["error"]["message"]


def test_equal_texts_are_one_file(tmp_path: Path) -> None:
    folders = Folders(ROOT, tmp_path)
    first, again, other = (folders.model("", text, "dve").name for text in ("a", "a", "b"))
    assert (first, again, other) == ("model.dve", "model.dve", "model2.dve")


def test_a_long_trace_is_cut() -> None:
    steps = [{"action": "a", "changes": {}}] * 100
    trace = {"length": 100, "initial": {"x": 0}, "steps": steps, "loop": None, "fault": None}
    answer = trace_answer(trace, first=90)
    assert [answer["steps"][0]["number"], len(answer["steps"]), answer["omitted_steps"]] == [91, 10, 90]
    assert "initial" not in answer


def test_long_lists_are_cut() -> None:
    fields: dict[str, Any] = dict.fromkeys(("states", "transitions", "deadlocks", "visited", "peak_states", "seconds"))
    data = {
        **fields, "error": None, "verdict": "HOLDS", "complete": True, "reason": None, "properties": [], "depth": None,
        "measure": [], "trace": None, "notes": [], "coverage": {"never_taken": [str(one) for one in range(30)]},
    }  # fmt: skip
    assert search_answer(data, {})["never_taken"][-2:] == ["19", "and 10 more"]


@pytest.mark.parametrize("topic", sorted(library.TOPICS))
def test_every_topic_has_a_page(topic: str) -> None:
    page = library.reference(topic)
    assert page["text"]
    for title in page.get("sections", []):
        assert library.reference(topic, title)["text"]


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (lambda: library.reference("dvee"), "did you mean 'dve'?"),
        (lambda: library.reference("dve", "Nothing"), "has no section"),
        (lambda: library.example("petersen"), "did you mean 'peterson'?"),
    ],
)
def test_an_unknown_page_or_example_is_refused(ask: Callable[[], Any], words: str) -> None:
    with pytest.raises(UsageError) as refused:
        ask()
    assert words in str(refused.value)


def test_installed_pages_come_before_those_of_a_checkout(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "dve.md").write_text("the installed page")
    monkeypatch.setattr(library, "_SHIPPED", tmp_path)
    assert library.reference("dve")["text"] == "the installed page"
