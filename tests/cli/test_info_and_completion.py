"""`strandline info` and `strandline completion`."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from command_line import Answer

from strandline.cli import completion

Run = Callable[..., Answer]


def test_info(strandline: Run) -> None:
    answer = strandline("info", "counter.dve")
    assert answer.code == 0
    assert answer.stdout == (
        "counter\n"
        "  1 process, 2 actions, 1 initial state\n"
        "  a state takes 4 bits in 1 word\n"
        "\n"
        "variables\n"
        "  name  declared  reachable at most  bits\n"
        "  x     0..255    0..5               3\n"
        "\n"
        "processes\n"
        "  P  s, t\n"
        "\n"
        "properties\n"
        "  assertion  P.t: x < 3\n"
    )


PYTHON = """from strandline import *
class Post(Model):
    boxes = param(2)
    safe = param(True)
    x: Range[0, boxes]
    held: Array[Range[1, 3], 2]
    way: Fifo[Range[0, 3], 2]
    kind: Enum["letter", "bill"]
    class Clerk(Process, count=boxes):
        pc: Enum["idle", "busy"]
        @action(at="idle", to="busy")
        def work(m, me): m.way.put(1)
    class Noise(Process):
        @action
        def lose(m, me): m.way.get()
"""


def test_info_of_a_python_model(strandline: Run, tmp_path: Path) -> None:
    """Types as the model has them, parameters, and processes that have neither locations nor variables."""
    (tmp_path / "post.py").write_text(PYTHON)
    answer = strandline("info", "post.py", "-D", "safe=0")
    assert answer.stdout == (
        "Post(safe=False)\n"
        "  3 processes, 3 actions, 1 initial state\n"
        "  a state takes 6 bits in 1 word\n"
        "\n"
        "parameters\n"
        "  boxes  2      -D boxes=...\n"
        "  safe   False  -D safe=...\n"
        "\n"
        "variables\n"
        "  name     declared                reachable at most  bits\n"
        "  x        0..2                    0                  0 (constant)\n"
        "  held[2]  1..3                    1                  0 (constant)\n"
        "  way      Fifo[Range[0, 3], 2]                       4\n"
        "  kind     Enum['letter', 'bill']                     0 (constant)\n"
        "\n"
        "processes\n"
        "  Clerk_0  idle, busy\n"
        "  Clerk_1  idle, busy\n"
        "  Noise    has no locations\n"
        "\n"
        "properties\n"
        "  none declared\n"
    )
    report = strandline("info", "post.py", "--json").report
    assert report["adjustable"] == {"boxes": 2, "safe": True}
    assert [one["name"] for one in report["processes"]] == ["Clerk_0", "Clerk_1", "Noise"]


def test_info_as_json(strandline: Run) -> None:
    report = strandline("info", "watched.dve", "--json").report
    assert report["exit_code"] == 0
    assert (report["words"], report["actions"], report["property_process"]) == (1, 1, "Never")
    assert report["processes"] == [{"name": "P", "locations": ["s"], "committed": []}]
    assert report["variables"][0] == {
        "name": "x",
        "owner": None,
        "length": None,
        "declared": [0, 255],
        "wraps": True,
        "narrowed": [0, 3],
        "bits": 2,
    }


def test_dump(strandline: Run) -> None:
    assert strandline("info", "counter.dve", "--dump").stdout == (
        "system counter\n"
        "\n"
        "variable x: 0..255 wrapping = 0\n"
        "variable P: 0..1 location = s\n"
        "\n"
        "process P {s, t}\n"
        "\n"
        "action 0: P: s -> s\n"
        "    when x < 5\n"
        "    x = x + 1\n"
        "    reads P, x; writes x\n"
        "action 1: P: s -> t\n"
        "    P = t\n"
        "    reads P; writes P\n"
        "\n"
        "assertion P.t: x < 3\n"
        "    not P.t or x < 3\n"
    )
    watched = strandline("info", "watched.dve", "--dump").stdout
    assert "observer Never {q0, q1} accepting q1\n" in watched
    assert "edge 1: Never: q0 -> q1\n    when x == 1\n    Never = q1\n" in watched


def test_errors_are_objects_too(strandline: Run) -> None:
    answer = strandline("info", "nothing.dve", "--json")
    assert answer.code == 2
    assert answer.report["error"]["message"] == "nothing.dve: no such file"
    assert answer.report["command"] == "info"


needs_shtab = pytest.mark.skipif(
    importlib.util.find_spec("shtab") is None, reason="shtab is not installed: there are no completion scripts"
)


def test_without_shtab_the_command_says_how_to_install_it(strandline: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(completion, "find_spec", lambda name: None)
    answer = strandline("completion", "bash")
    assert answer.code == 2
    assert f"{sys.executable} -m pip install 'strandline[completion]'" in answer.stderr


@needs_shtab
@pytest.mark.parametrize("shell", ["bash", "zsh", "fish", "tcsh", "powershell"])
def test_completion_is_a_script_of_its_shell(strandline: Run, shell: str) -> None:
    script = strandline("completion", shell).stdout
    for word in ("check", "explore", "info", "completion", "invariant", "bfs", "holds", "unknown"):
        assert word in script or shell == "tcsh"
    program = shutil.which(shell)
    if program is not None and shell in ("bash", "zsh", "fish"):
        subprocess.run([program, "-n"], input=script, text=True, check=True)


@needs_shtab
@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash here")
@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["strandline", "ch"], ["check"]),
        (["strandline", "check", "--inv"], ["--invariant"]),
        (["strandline", "check", "--automaton-w"], ["--automaton-words"]),
        (["strandline", "check", "--order", "d"], ["dfs"]),
        (["strandline", "completion", "f"], ["fish"]),
        (["strandline", "info", "--d"], ["--dump"]),
        (["strandline", "check", "--report", "repo"], ["report.html"]),
        (["strandline", "check", "mod"], ["model.dve"]),
    ],
)
def test_bash_completes(strandline: Run, words: list[str], expected: list[str], tmp_path: Path) -> None:
    (tmp_path / "model.dve").touch()
    (tmp_path / "report.html").touch()
    script = strandline("completion", "bash").stdout
    quoted = " ".join(f"'{word}'" for word in words)
    script += f"\nCOMP_WORDS=({quoted}); COMP_CWORD={len(words) - 1}\n"
    script += '_shtab_strandline 2>/dev/null; echo "${COMPREPLY[@]}"\n'
    answer = subprocess.run(["bash"], input=script, capture_output=True, text=True, check=True, cwd=tmp_path)
    assert answer.stdout.split() == expected
