"""The child process that fills the cache of machine code: it runs nothing of the user's, and ends with its parent."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

COMMON = """
import sys
from pathlib import Path
from strandline.checker.limits.child_process import fill_cache
from strandline.engine.runtime.jit import use_cache_directory

folder = Path(sys.argv[1])
use_cache_directory(folder / "cache")
(folder / "cache").mkdir(exist_ok=True)
with open(folder / "runs", "a") as file:
    file.write("run\\n")
"""
WAITING = """
fill_cache(exec, "import os, pathlib, time\\n"
           f"pathlib.Path({str(folder)!r}, 'part').write_text(str(os.getpid()))\\n"
           f"pathlib.Path({str(folder)!r}, 'part').rename(pathlib.Path({str(folder)!r}, 'child'))\\n"
           "time.sleep(600)")
"""


@pytest.fixture
def script(tmp_path: Path) -> Path:
    return tmp_path / "script.py"


def run(script: Path, text: str, *flags: str, **terms: object) -> subprocess.CompletedProcess[str]:
    """Run a script without a `__main__` guard."""
    script.write_text(COMMON + text)
    command = [sys.executable, *flags, str(script), str(script.parent)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, **terms)  # type: ignore[call-overload, no-any-return]


def test_a_script_without_a_guard_is_run_once(script: Path) -> None:
    done = run(script, "fill_cache(Path.touch, folder / 'touched')\n")
    assert (done.returncode, done.stderr) == (0, "")
    assert (script.parent / "touched").exists()
    assert (script.parent / "runs").read_text() == "run\n"


def test_what_was_made_is_not_made_again(script: Path) -> None:
    text = "fill_cache(Path.touch, folder / 'touched')\n(folder / 'touched').unlink()\n"
    done = run(script, text + "fill_cache(Path.touch, folder / 'touched')\n")
    assert (done.returncode, done.stderr) == (0, "")
    assert not (script.parent / "touched").exists()


def test_a_child_that_fails_is_no_harm_and_tries_again(script: Path) -> None:
    text = "fill_cache(Path.rmdir, folder / 'wanted')\n(folder / 'wanted').mkdir()\n"
    done = run(script, text + "fill_cache(Path.rmdir, folder / 'wanted')\n")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert not (script.parent / "wanted").exists()


def test_python_has_nothing_to_warn_of_while_threads_run(script: Path) -> None:
    text = "import threading\nthreading.Thread(target=threading.Event().wait, daemon=True).start()\n"
    text += "fill_cache(Path.touch, folder / 'touched')\n"
    done = run(script, text, "-W", "error::DeprecationWarning", "-W", "error::ResourceWarning")
    assert (done.returncode, done.stderr) == (0, "")
    assert (script.parent / "touched").exists()


def test_the_input_of_the_parent_is_left_alone(script: Path) -> None:
    text = "fill_cache(Path.touch, folder / 'touched')\nprint(sys.stdin.read())\n"
    assert run(script, text, input="for the parent").stdout == "for the parent\n"


def test_a_parent_without_input_and_output(script: Path) -> None:
    script.write_text(COMMON + "fill_cache(Path.touch, folder / 'touched')\n")
    command = 'exec "$0" "$1" "$2" <&- >&- 2>&-'
    done = subprocess.run(["sh", "-c", command, sys.executable, str(script), str(script.parent)], timeout=120)
    assert done.returncode == 0
    assert (script.parent / "touched").exists()


def test_modules_in_the_current_folder_do_not_get_in_between(script: Path) -> None:
    (script.parent / "elsewhere").mkdir()
    (script.parent / "elsewhere" / "pickle.py").write_text("raise SystemExit('not this one')\n")
    done = run(script, "fill_cache(Path.touch, folder / 'touched')\n", cwd=script.parent / "elsewhere")
    assert (done.returncode, done.stderr) == (0, "")
    assert (script.parent / "touched").exists()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_the_child_ends_with_its_parent(script: Path, number: signal.Signals) -> None:
    script.write_text(COMMON + WAITING)
    command = [sys.executable, str(script), str(script.parent)]
    # In a session of its own: the signal reaches the parent alone.
    parent = subprocess.Popen(command, stderr=subprocess.DEVNULL, start_new_session=True)
    child = script.parent / "child"
    wait_for(child.exists)
    pid = int(child.read_text())
    parent.send_signal(number)
    assert parent.wait(60) != 0
    wait_for(lambda: not runs(pid))


def wait_for(condition: object) -> None:
    deadline = time.monotonic() + 60
    while not condition():  # type: ignore[operator]
        assert time.monotonic() < deadline
        time.sleep(0.02)


def runs(pid: int) -> bool:
    """Return True if a process runs, and is not only waiting to be reaped."""
    try:
        os.kill(pid, 0)
        return "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except (ProcessLookupError, FileNotFoundError):
        return False


@pytest.mark.parametrize(("size", "words"), [(1, 1), (10, 2), (20, 3)])
def test_the_child_makes_all_that_is_needed(size: int, words: int, tmp_path: Path) -> None:
    script = Path(__file__).with_name("warm_up_completeness.py")
    command = [sys.executable, str(script), str(size), str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, f"{words}\n"), done.stderr[-2000:]
