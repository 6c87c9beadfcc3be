"""./strandline and ./test: first use, two first uses at once, being killed half-way, rebuilding on change.

The scripts run for real in a copy of the checkout that holds a tiny package. Only the installer is played:
a program called ``uv`` stands first on the PATH, keeps a diary and "installs" each requirement as a module of
that name, so nothing is fetched from a network and the test decides how long an installation takes.
"""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
import sys
import time
import zipfile
from dataclasses import dataclass
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parent.parent

PROJECT = """\
[project]
name = "strandline"
dependencies = ["alpha"]
[dependency-groups]
dev = ["ruff", "mypy", "pytest"]
"""

PROGRAM = """\
import random, sys
import alpha
print(alpha.__name__, random.__name__, *sys.argv[1:], sep="|")
sys.exit(12)
"""

# Arguments: pip install ... --python PYTHON ... REQUIREMENT...; the module it leaves prints its arguments.
INSTALLER = """\
#!{python}
import os, pathlib, subprocess, sys, time
here = pathlib.Path({folder!r})
def note(text):
    with open(here / "diary", "a") as diary:
        diary.write(text + "\\n")
wanted = [one for one in ("alpha", "ruff", "mypy", "pytest") if one in sys.argv]
note(f"begin {{' '.join(wanted)}} maker {{os.getppid()}}")
while (here / "hold").exists():
    time.sleep(0.01)
if (here / "fail").exists():
    print("no such package", file=sys.stderr)
    sys.exit(1)
python = sys.argv[sys.argv.index("--python") + 1]
ask = "import sysconfig; print(sysconfig.get_path('purelib'))"
packages = subprocess.run([python, "-c", ask], capture_output=True, text=True).stdout.strip()
for one in wanted:
    text = "import sys; print(__file__.split('/')[-1], *sys.argv[1:], sep='|')" if one != "alpha" else ""
    if (here / f"broken-{{one}}").exists():
        text += "; sys.exit(1)"
    pathlib.Path(packages, one + ".py").write_text(text)
note("end")
"""


@dataclass(frozen=True)
class Checkout:
    """A copy of the scripts with a tiny package, and the played installer."""

    root: Path
    installer: Path

    @property
    def environment(self) -> dict[str, str]:
        path = f"{self.installer}:{Path(sys.executable).parent}:{os.environ['PATH']}"
        return {**os.environ, "PATH": path, "PYTHONDONTWRITEBYTECODE": "1"}

    def start(self, script: str, *arguments: str, cwd: Path | None = None) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [str(self.root / script), *arguments],
            env=self.environment,
            cwd=cwd,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )

    def run(self, script: str, *arguments: str, cwd: Path | None = None) -> tuple[int, str, str]:
        return finish(self.start(script, *arguments, cwd=cwd))

    def diary(self) -> list[str]:
        file = self.installer / "diary"
        return file.read_text().splitlines() if file.exists() else []

    def wait_for_installer(self) -> int:
        """Wait until the installer has begun; the process that started it."""
        deadline = time.monotonic() + 15
        while not self.diary():
            assert time.monotonic() < deadline, "the installer was never started"
            time.sleep(0.01)
        return int(self.diary()[0].split()[-1])


def finish(process: subprocess.Popen[str]) -> tuple[int, str, str]:
    stdout, stderr = process.communicate(timeout=30)
    return process.returncode, stdout, stderr


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    root = tmp_path / "a check out"
    (root / "src" / "strandline" / "cli").mkdir(parents=True)
    for package in (root / "src" / "strandline", root / "src" / "strandline" / "cli"):
        (package / "__init__.py").touch()
    (root / "src" / "strandline" / "cli" / "__main__.py").write_text(PROGRAM)
    (root / "pyproject.toml").write_text(PROJECT)
    (root / "requirements-dev.lock").write_text("# none\n")
    shutil.copytree(REPOSITORY / "scripts", root / "scripts")
    for script in ("strandline", "test"):
        shutil.copy(REPOSITORY / script, root / script)
    installer = tmp_path / "installer"
    installer.mkdir()
    (installer / "uv").write_text(INSTALLER.format(python=sys.executable, folder=str(installer)))
    (installer / "uv").chmod(0o755)
    return Checkout(root, installer)


ANSWER = "alpha|random|check|a model.dve\n"


def test_first_run_says_what_it_does_and_later_runs_are_silent(checkout: Checkout) -> None:
    code, stdout, stderr = checkout.run("strandline", "check", "a model.dve")
    assert (code, stdout) == (12, ANSWER)
    first, last = stderr.splitlines()
    assert first.startswith("strandline: first use: making a Python environment in ")
    assert last.startswith("strandline: the environment is ready, after ")
    assert last.endswith(" s")
    assert checkout.run("strandline", "check", "a model.dve") == (12, ANSWER, "")
    assert len(checkout.diary()) == 2


def test_works_from_any_folder_and_through_links(checkout: Checkout, tmp_path: Path) -> None:
    checkout.run("strandline")
    elsewhere = tmp_path / "else where"
    elsewhere.mkdir()
    # A file beside the user's model that is called like a library must not be taken for it.
    (elsewhere / "random.py").write_text("__name__ = 'shadow'\n")
    assert checkout.run("strandline", "check", "a model.dve", cwd=elsewhere) == (12, ANSWER, "")
    (elsewhere / "first").symlink_to(checkout.root / "strandline")
    (elsewhere / "second").symlink_to("first")
    commands = (
        (elsewhere, ["./first"]),
        (elsewhere, ["./second"]),
        (tmp_path, [str(elsewhere / "second")]),
        (elsewhere, ["sh", "../a check out/strandline"]),
        (checkout.root, ["sh", "strandline"]),
    )
    for cwd, command in commands:
        answer = subprocess.run([*command, "check"], cwd=cwd, capture_output=True, text=True, check=False)
        assert (answer.returncode, answer.stdout, answer.stderr) == (12, "alpha|random|check\n", "")


def test_a_moved_checkout_needs_no_new_environment(checkout: Checkout, tmp_path: Path) -> None:
    checkout.run("strandline")
    moved = Checkout(checkout.root.rename(tmp_path / "moved"), checkout.installer)
    assert moved.run("strandline", "check", "a model.dve") == (12, ANSWER, "")


def test_first_runs_at_once_make_one_environment(checkout: Checkout) -> None:
    (checkout.installer / "hold").touch()
    runs = [checkout.start("strandline", "check", "a model.dve") for _ in range(3)]
    checkout.wait_for_installer()
    time.sleep(0.3)
    (checkout.installer / "hold").unlink()
    results = [finish(run) for run in runs]
    assert [(code, stdout) for code, stdout, _ in results] == [(12, ANSWER)] * 3
    assert len(checkout.diary()) == 2
    texts = sorted(stderr.partition(":")[2].strip().split(" ")[0] for _, _, stderr in results)
    assert texts == ["another", "another", "first"]


def test_program_and_tests_at_once_do_not_disturb_each_other(checkout: Checkout) -> None:
    (checkout.installer / "hold").touch()
    program = checkout.start("strandline", "check", "a model.dve")
    checkout.wait_for_installer()
    tests = checkout.start("test", "-k", "one")
    (checkout.installer / "hold").unlink()
    assert finish(program)[:2] == (12, ANSWER)
    code, stdout, stderr = finish(tests)
    assert (code, stdout) == (0, "pytest.py|-k|one\n")
    assert "strandline: adding the development tools to the Python environment in " in stderr
    assert [line.split(" maker")[0] for line in checkout.diary()] == [
        "begin alpha", "end", "begin ruff mypy pytest", "end",
    ]  # fmt: skip


def test_killed_with_its_installer_the_next_run_starts_anew(checkout: Checkout) -> None:
    (checkout.installer / "hold").touch()
    killed = checkout.start("strandline", "check", "a model.dve")
    checkout.wait_for_installer()
    os.killpg(killed.pid, signal.SIGKILL)
    assert finish(killed)[0] == -signal.SIGKILL
    (checkout.installer / "hold").unlink()
    code, stdout, stderr = checkout.run("strandline", "check", "a model.dve")
    assert (code, stdout) == (12, ANSWER)
    assert stderr.startswith("strandline: the Python environment was left unfinished: making it anew in ")


def test_an_installer_that_outlives_its_killed_maker_is_waited_for(checkout: Checkout) -> None:
    (checkout.installer / "hold").touch()
    first = checkout.start("strandline", "check", "a model.dve")
    os.kill(checkout.wait_for_installer(), signal.SIGKILL)
    second = checkout.start("strandline", "check", "a model.dve")
    time.sleep(0.5)
    assert len(checkout.diary()) == 1, "a second installer was started beside the first"
    (checkout.installer / "hold").unlink()
    code, stdout, stderr = finish(second)
    assert (code, stdout) == (12, ANSWER)
    assert stderr.startswith("strandline: another run is making the Python environment; waiting for it\n")
    assert [line.split()[0] for line in checkout.diary()] == ["begin", "end", "begin", "end"]
    assert finish(first)[0] == 128 + signal.SIGKILL


def test_interrupted_the_next_run_starts_anew(checkout: Checkout) -> None:
    (checkout.installer / "hold").touch()
    interrupted = checkout.start("strandline")
    checkout.wait_for_installer()
    os.killpg(interrupted.pid, signal.SIGINT)
    _, _, stderr = finish(interrupted)
    assert "strandline: interrupted; the next run makes the environment anew" in stderr
    (checkout.installer / "hold").unlink()
    assert checkout.run("strandline", "check", "a model.dve")[:2] == (12, ANSWER)


@pytest.mark.parametrize("name", ["pyproject.toml", "requirements-dev.lock"])
def test_a_changed_source_makes_the_environment_anew(checkout: Checkout, name: str) -> None:
    checkout.run("strandline")
    (checkout.root / name).touch()
    assert checkout.run("strandline", "check", "a model.dve") == (12, ANSWER, "")
    with (checkout.root / name).open("a") as file:
        file.write("# changed\n")
    code, stdout, stderr = checkout.run("strandline", "check", "a model.dve")
    assert (code, stdout) == (12, ANSWER)
    assert stderr.startswith("strandline: pyproject.toml or requirements-dev.lock changed: making ")
    assert len(checkout.diary()) == 4
    assert sorted(path.name for path in (checkout.root / ".strandline").iterdir()) == ["lock", "venv"]


def test_the_test_script_runs_every_step_and_names_the_failed_ones(checkout: Checkout) -> None:
    (checkout.installer / "broken-mypy").touch()
    code, stdout, _ = checkout.run("test")
    assert code == 1
    assert stdout.splitlines() == [
        "== ruff", "ruff.py|check|.", "== format", "ruff.py|format|--check|--quiet|.",
        "== pytest", "pytest.py|-n|2|--dist|worksteal", "== mypy", "mypy.py",
        "== FAILED: mypy",
    ]  # fmt: skip
    (checkout.installer / "broken-mypy").unlink()
    shutil.rmtree(checkout.root / ".strandline")
    code, stdout, _ = checkout.run("test")
    assert (code, stdout.splitlines()[-1]) == (0, "== all checks passed")


def test_without_a_working_uv_pip_does_it(checkout: Checkout, tmp_path: Path) -> None:
    """Here pip is real and installs a wheel from a local file."""
    wheel = tmp_path / "alpha-1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("alpha.py", "")
        archive.writestr("alpha-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: alpha\nVersion: 1.0\n")
        archive.writestr("alpha-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
        archive.writestr("alpha-1.0.dist-info/RECORD", "")
    project = PROJECT.replace('"alpha"', f'"alpha @ {wheel.as_uri()}"')
    (checkout.root / "pyproject.toml").write_text(project)
    (checkout.installer / "fail").touch()
    code, stdout, stderr = checkout.run("strandline", "check", "a model.dve")
    assert (code, stdout) == (12, ANSWER)
    assert "strandline: that failed; trying pip with the locked versions\n" in stderr


def test_without_a_new_enough_python_it_says_what_to_install(checkout: Checkout, tmp_path: Path) -> None:
    tools = tmp_path / "tools"
    tools.mkdir()
    for tool in ("sh", "cmp", "readlink"):
        (tools / tool).symlink_to(shutil.which(tool) or tool)
    (tools / "python3").write_text("#!/bin/sh\nexit 1\n")
    (tools / "python3").chmod(0o755)
    answer = subprocess.run(
        [checkout.root / "strandline"], env={"PATH": str(tools)}, capture_output=True, text=True, check=False
    )
    assert (answer.returncode, answer.stdout) == (2, "")
    assert answer.stderr.startswith("strandline: Python 3.11 or newer is needed and none was found")


def test_a_failed_installation_says_so_and_leaves_no_stamp(checkout: Checkout) -> None:
    missing = PROJECT.replace('"alpha"', '"alpha @ file:///there/is/no/such.whl"')
    (checkout.root / "pyproject.toml").write_text(missing)
    (checkout.installer / "fail").touch()
    code, stdout, stderr = checkout.run("strandline")
    assert (code, stdout) == (2, "")
    assert "strandline: the environment could not be made; the messages above say why." in stderr
    (checkout.installer / "fail").unlink()
    (checkout.root / "pyproject.toml").write_text(PROJECT)
    assert checkout.run("strandline", "check", "a model.dve")[:2] == (12, ANSWER)


def test_an_environment_of_another_user_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sys.path.insert(0, str(Path(__file__).parents[1] / "scripts"))
    try:
        import environment
    finally:
        sys.path.pop(0)
    assert environment.whose(tmp_path) == ""
    assert environment.whose(tmp_path / "missing") == ""
    own = os.getuid()
    monkeypatch.setattr("os.getuid", lambda: own + 1)
    name = pwd.getpwuid(own).pw_name
    assert environment.whose(tmp_path) == (
        f"\nstrandline: {tmp_path} belongs to user '{name}': let them start it once, or remove it and start again"
    )
