"""Build the distribution, and make environments to install it into."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
UV = (sys.executable, "-m", "uv")


def project() -> dict[str, Any]:
    """Return the table `project` of pyproject.toml."""
    table: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    return table


@dataclass(frozen=True, slots=True)
class Distribution:
    """The two files of a release."""

    sdist: Path
    wheel: Path


def build(folder: Path) -> Distribution:
    """Build the source distribution, and the wheel from it, with the tools that are installed here."""
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder), str(ROOT)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return Distribution(next(folder.glob("*.tar.gz")), next(folder.glob("*.whl")))


def find_python(version: str) -> str | None:
    """Return the path of a Python of this version on the machine; None if there is none."""
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    found = [*sorted(pyenv.glob(f"{version}.*/bin/python"), reverse=True), shutil.which(f"python{version}")]
    return next((str(one) for one in found if one is not None and _is_python(str(one), version)), None)


def _is_python(path: str, version: str) -> bool:
    """Return True if the program runs and has this version: a shim may stand for a Python that is not there."""
    ask = "import sys; print('%d.%d' % sys.version_info[:2])"
    done = subprocess.run([path, "-c", ask], capture_output=True, text=True, check=False)
    return done.stdout.strip() == version


@dataclass(frozen=True, slots=True)
class Installed:
    """An environment with an installed distribution, and a folder outside the checkout."""

    environment: Path
    folder: Path

    def run(self, program: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run a program of the environment in the folder, with nothing of the checkout in reach."""
        variables = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "STRANDLINE"))}
        variables |= {"XDG_CACHE_HOME": str(self.folder / "cache"), "NO_COLOR": "1"}
        command = [str(self.environment / "bin" / program), *arguments]
        return subprocess.run(command, cwd=self.folder, env=variables, capture_output=True, text=True, check=False)


def install(folder: Path, python: str, *wanted: str, options: tuple[str, ...] = ()) -> Installed:
    """Make an empty environment and install the wanted packages into it."""
    environment, place = folder / "environment", folder / "elsewhere"
    place.mkdir(parents=True)
    for command in (
        [*UV, "venv", "--quiet", "--python", python, str(environment)],
        [*UV, "pip", "install", "--quiet", *options, "--python", str(environment / "bin" / "python"), *wanted],
    ):
        done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=place)
        assert done.returncode == 0, done.stderr
    return Installed(environment, place)
