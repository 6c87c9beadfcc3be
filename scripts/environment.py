"""Makes the Python environment that ./strandline and ./test run in: ``environment.py ROOT run|dev``.

The environment lies in ``ROOT/.strandline/venv``. Its guarantees:

- One maker at a time: a lock on ``.strandline/lock`` is held while it is made, also by the installer that
  was started, so that an installer which outlives a killed maker is waited for.
- All or nothing: a stamp (a copy of pyproject.toml and requirements-dev.lock) is put in place, by a rename,
  as the last step. Without a matching stamp the environment is thrown away and made anew.
- Adding the development tools to a finished environment never takes anything away from it, so a program
  that is running from it goes on undisturbed.
- It may be moved together with the checkout: the package is found by a path relative to the environment.

Standard library only: the environment does not exist yet. Exit codes: 2 cannot be made, 130 interrupted.
"""

from __future__ import annotations

import fcntl
import os
import pwd
import shutil
import subprocess
import sys
import sysconfig
import time
import tomllib
from dataclasses import dataclass
from pathlib import Path

SOURCES = ("pyproject.toml", "requirements-dev.lock")


class CannotMake(Exception):
    """The environment could not be made; the text says what the user can do."""


@dataclass(frozen=True, slots=True)
class Environment:
    """Where the environment of one checkout lies and what it is to be made from."""

    root: Path
    sources: dict[str, bytes]

    @classmethod
    def of(cls, root: Path) -> Environment:
        """Read the sources once, so that the stamp belongs to the sources that were installed."""
        return cls(root, {name: (root / name).read_bytes() for name in SOURCES})

    @property
    def folder(self) -> Path:
        return self.root / ".strandline" / "venv"

    @property
    def python(self) -> Path:
        return self.folder / "bin" / "python"

    def stamp(self, packages: str) -> Path:
        return self.folder / f"made-for-{packages}"

    def is_current(self, packages: str) -> bool:
        """True when the environment was made to its end from the sources as they are now."""
        stamp = self.stamp(packages)
        if not (self.python.exists() and stamp.is_dir()):
            return False
        return all((stamp / name).read_bytes() == text for name, text in self.sources.items())

    def put_stamp(self, packages: str) -> None:
        """Declare the environment finished; the rename makes this one step."""
        unfinished = self.folder / f"unfinished-{packages}"
        unfinished.mkdir()
        for name, text in self.sources.items():
            (unfinished / name).write_bytes(text)
        unfinished.rename(self.stamp(packages))

    def requirements(self, packages: str) -> list[str]:
        """What pyproject.toml asks for: the program's dependencies, with those of the explorer and of completion, which
        are small, or the development group."""
        project = tomllib.loads(self.sources["pyproject.toml"].decode())
        if packages == "dev":
            return list(project["dependency-groups"]["dev"])
        extras = project["project"].get("optional-dependencies", {})
        return [*project["project"]["dependencies"], *extras.get("serve", []), *extras.get("completion", [])]


def say(text: str) -> None:
    """Tell the user on stderr: stdout belongs to the program that is about to run."""
    print(f"strandline: {text}", file=sys.stderr, flush=True)


def call(command: list[str], lock: int) -> bool:
    """Run one command, its output on stderr, keeping the lock for as long as it lives."""
    try:
        return subprocess.run(command, stdout=sys.stderr, pass_fds=(lock,), check=False).returncode == 0
    except OSError as error:
        say(f"cannot run {command[0]}: {error.strerror}")
        return False


def discard(environment: Environment) -> None:
    """Remove the environment and what killed runs left; the stamps go first, in one step."""
    state = environment.folder.parent
    if environment.folder.exists() or environment.folder.is_symlink():
        environment.folder.rename(state / f"discarded-{os.getpid()}-{time.time_ns()}")
    for left_over in state.glob("discarded-*"):
        shutil.rmtree(left_over, ignore_errors=True)


def create(environment: Environment, with_pip: bool, lock: int) -> bool:
    """Make an empty environment that imports the package from ``ROOT/src``."""
    discard(environment)
    # The interpreter itself and not the name it was found under, which a system upgrade may turn to another.
    python = os.path.realpath(sys.executable)
    without_pip = [] if with_pip else ["--without-pip"]
    if not call([python, "-m", "venv", *without_pip, str(environment.folder)], lock):
        return False
    base = {"base": str(environment.folder), "platbase": str(environment.folder)}
    packages = Path(sysconfig.get_path("purelib", scheme="venv", vars=base))
    source = os.path.relpath(environment.root / "src", packages)
    (packages / "strandline.pth").write_text(source + "\n")
    return True


def install(environment: Environment, packages: str, tool: str, locked: bool, lock: int) -> bool:
    """Install one set of packages with ``uv`` or ``pip``, at the locked versions or at any that will do."""
    requirements = environment.requirements(packages)
    if not requirements:
        return True
    constraint = ["--constraint", str(environment.root / "requirements-dev.lock")] if locked else []
    if tool == "uv":
        # Compiled now, because otherwise the first start of the program would pay for it.
        start = ["uv", "pip", "install", "--quiet", "--compile-bytecode", "--python", str(environment.python)]
    else:
        start = [str(environment.python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    return call([*start, *constraint, *requirements], lock)


def make(environment: Environment, packages: str, lock: int) -> None:
    """Try the installers in turn, the locked versions first, until one brings the packages in."""
    adding = packages == "dev" and environment.is_current("run")
    has_pip = not adding or (environment.folder / "bin" / "pip").exists()
    tools = ["uv"] * (shutil.which("uv") is not None) + ["pip"] * has_pip
    if not tools:
        raise CannotMake("the environment was made by uv, which is gone; remove .strandline and start again")
    attempts = [(tool, True) for tool in tools] + [(tools[-1], False)]
    wanted = ["dev"] if adding else ["run"] if packages == "run" else ["run", "dev"]
    for number, (tool, locked) in enumerate(attempts):
        if number:
            say(f"that failed; trying {tool} with {'the locked' if locked else 'any suitable'} versions")
        if not adding and not create(environment, with_pip=tool == "pip", lock=lock):
            continue
        if all(install(environment, one, tool, locked, lock) for one in wanted):
            for one in wanted:
                environment.put_stamp(one)
            return
    raise CannotMake(
        "the environment could not be made; the messages above say why. It takes a connection to a package "
        "index, and, without uv, the venv module (on Debian and Ubuntu: apt-get install python3-venv)"
    )


def make_once(root: Path, packages: str) -> None:
    """Make the environment under the lock, unless somebody else did so in the meantime."""
    state = root / ".strandline"
    state.mkdir(exist_ok=True)
    lock = os.open(state / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        say("another run is making the Python environment; waiting for it")
        fcntl.flock(lock, fcntl.LOCK_EX)
    environment = Environment.of(root)
    if environment.is_current(packages):
        return
    if packages == "dev" and environment.is_current("run"):
        what = "adding the development tools to the Python environment in"
    elif environment.stamp("run").exists():
        what = "pyproject.toml or requirements-dev.lock changed: making the Python environment anew in"
    elif environment.folder.exists():
        what = "the Python environment was left unfinished: making it anew in"
    else:
        what = "first use: making a Python environment in"
    say(f"{what} {environment.folder} (once; a minute or so, mostly downloads)")
    started = time.monotonic()
    # A stamp half made by a killed run must not stand in the way of the next one.
    for unfinished in environment.folder.glob("unfinished-*"):
        shutil.rmtree(unfinished)
    make(environment, packages, lock)
    say(f"the environment is ready, after {time.monotonic() - started:.1f} s")


def whose(state: Path) -> str:
    """The end of a message: what to do where another user has made the environment."""
    try:
        status = state.stat()
    except OSError:
        return ""
    if status.st_uid == os.getuid():
        return ""
    try:
        owner = f"user '{pwd.getpwuid(status.st_uid).pw_name}'"
    except KeyError:
        owner = f"user {status.st_uid}"
    return f"\nstrandline: {state} belongs to {owner}: let them start it once, or remove it and start again"


def main(arguments: list[str]) -> int:
    """Entry point; see the module's docstring."""
    if len(arguments) != 2 or arguments[1] not in ("run", "dev"):
        say("usage: environment.py ROOT run|dev")
        return 2
    try:
        make_once(Path(arguments[0]).resolve(), arguments[1])
    except CannotMake as error:
        say(str(error))
        return 2
    except OSError as error:
        say(f"the Python environment cannot be made: {error}{whose(Path(arguments[0]).resolve() / '.strandline')}")
        return 2
    except KeyboardInterrupt:
        say("interrupted; the next run makes the environment anew")
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
