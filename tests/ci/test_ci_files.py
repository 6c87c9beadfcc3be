"""What other projects put into their CI: the action's steps as a script, the pre-commit hooks, the Dockerfile."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from strandline.languages import LANGUAGES

ROOT = Path(__file__).resolve().parents[2]
PYTHON = Path(sys.executable)


def needs(*modules: str) -> pytest.MarkDecorator:
    missing = [name for name in modules if importlib.util.find_spec(name) is None]
    return pytest.mark.skipif(bool(missing), reason=f"{', '.join(missing)} is not installed")


def read_yaml(path: Path) -> Any:
    return importlib.import_module("yaml").safe_load(path.read_text("utf-8"))


def run(*command: str, folder: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command, cwd=folder, env={**os.environ, **variables}, capture_output=True, text=True, check=False
    )


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with a model that holds and one that does not."""
    folder = tmp_path / "a project"
    folder.mkdir()
    shutil.copy(ROOT / "examples/peterson/peterson.dve", folder / "good.dve")
    shutil.copy(ROOT / "examples/lost-update/lost-update.dve", folder / "bad.dve")
    return folder


@needs("check_jsonschema")
def test_the_action_is_valid() -> None:
    command = (str(PYTHON), "-m", "check_jsonschema", "--builtin-schema", "vendor.github-actions", "action.yml")
    done = run(*command, folder=ROOT)
    assert done.returncode == 0, done.stdout


class Action:
    """Runs the steps of action.yml that are scripts, as a runner does: inputs are put in, outputs are read back."""

    def __init__(self, project: Path, tmp_path: Path, **given: str) -> None:
        action = read_yaml(ROOT / "action.yml")
        self.steps = [one for one in action["runs"]["steps"] if "run" in one]
        self._values = {f"inputs.{name}": one.get("default", "") for name, one in action["inputs"].items()}
        self._values |= {f"inputs.{name.replace('_', '-')}": value for name, value in given.items()}
        self._values["github.action_path"] = str(ROOT)
        self._project, self._output = project, tmp_path / "output"
        # A runner has `python` on its path.
        programs = tmp_path / "programs"
        programs.mkdir()
        (programs / "python").write_text(f'#!/bin/sh\nPYTHONPATH={ROOT / "src"} exec {PYTHON} "$@"\n')
        (programs / "python").chmod(0o755)
        self._path = f"{programs}:{os.environ['PATH']}"

    def run(self, name: str) -> subprocess.CompletedProcess[str]:
        step = next(one for one in self.steps if one["name"] == name)
        variables = {key: self._filled(str(value)) for key, value in step.get("env", {}).items()}
        self._output.write_text("")
        done = run(
            "bash", "-e", "-o", "pipefail", "-c", self._filled(step["run"]), folder=self._project,
            GITHUB_OUTPUT=str(self._output), PATH=self._path, **variables,
        )  # fmt: skip
        for line in self._output.read_text().splitlines():
            key, _, value = line.partition("=")
            self._values[f"steps.{step.get('id')}.outputs.{key}"] = value
        return done

    def _filled(self, text: str) -> str:
        return re.sub(r"\$\{\{ ([^}]*) \}\}", lambda found: self._values[found[1]], text)


@needs("yaml")
def test_the_steps_of_the_action_run(project: Path, tmp_path: Path) -> None:
    action = Action(project, tmp_path, models="good.dve bad.dve")
    assert [one["name"] for one in action.steps] == ["install", "check", "fail unless all is as expected"]
    done = action.run("check")
    assert done.returncode == 0, done.stderr
    assert "violated: assertion Auditor.audits: balance == 120" in done.stdout
    results = project / "strandline-results"
    suites = ElementTree.parse(results / "junit.xml").getroot()
    assert (suites.get("tests"), suites.get("failures")) == ("2", "1")
    assert "bad.dve" in (results / "strandline.sarif").read_text("utf-8")
    assert [one.name for one in (results / "reports").iterdir()] == ["bad.dve-bad.dve.html"]
    assert action.run("fail unless all is as expected").returncode == 12


@needs("yaml")
def test_the_action_can_refuse_python(project: Path, tmp_path: Path) -> None:
    (project / "model.py").write_text("raise SystemExit(0)\n")
    action = Action(project, tmp_path, models="model.py", allow_python="false")
    assert "executing it is forbidden" in action.run("check").stdout
    assert action.run("fail unless all is as expected").returncode == 2


@needs("pre_commit")
def test_the_hooks_run(project: Path, tmp_path: Path) -> None:
    """`pre-commit run` in a project, with the hooks of this repository as local ones in the tests' environment."""
    done = run(str(PYTHON), "-m", "pre_commit", "validate-manifest", ".pre-commit-hooks.yaml", folder=ROOT)
    assert done.returncode == 0, done.stdout
    hooks = read_yaml(ROOT / ".pre-commit-hooks.yaml")
    for hook in hooks:
        assert hook["language"] == "python"
        hook["language"] = "system"
        hook["entry"] = f"{PYTHON} -m {hook['entry']}"
    dump = importlib.import_module("yaml").safe_dump
    (project / ".pre-commit-config.yaml").write_text(dump({"repos": [{"repo": "local", "hooks": hooks}]}))
    (project / "expected.toml").write_text('model = "good.dve"\nstates = 20\n')
    variables = {"PRE_COMMIT_HOME": str(tmp_path / "home"), "PYTHONPATH": str(ROOT / "src")}
    assert run("git", "init", "--quiet", folder=project).returncode == 0
    run("git", "add", ".", folder=project)
    done = run(str(PYTHON), "-m", "pre_commit", "run", "--all-files", folder=project, **variables)
    assert done.returncode == 1, done.stderr
    assert "violated: assertion Auditor.audits: balance == 120" in done.stdout
    assert [line.rpartition(".")[2] for line in done.stdout.splitlines() if "...." in line] == ["Failed", "Passed"]


@needs("yaml")
def test_the_hooks_are_for_all_languages() -> None:
    for hook in read_yaml(ROOT / ".pre-commit-hooks.yaml"):
        missing = {suffix for suffix in LANGUAGES if not re.search(hook["files"], f"folder/model{suffix}")}
        assert missing <= {".py"}, "Python files are not all models"


@pytest.mark.skipif(
    not (PYTHON.parent / "hadolint").exists() and shutil.which("hadolint") is None, reason="hadolint is not installed"
)
def test_the_dockerfile_is_clean() -> None:
    program = PYTHON.parent / "hadolint"
    done = run(str(program) if program.exists() else "hadolint", "Dockerfile", folder=ROOT)
    assert done.returncode == 0, done.stdout


def _engine() -> str | None:
    """A program that can build images here; None if there is none, or no service behind it."""
    for name in ("docker", "podman"):
        if shutil.which(name) and subprocess.run([name, "info"], capture_output=True, check=False).returncode == 0:
            return name
    return None


def test_the_image_checks_a_model(project: Path) -> None:
    engine = _engine()
    if engine is None:
        pytest.skip("there is no service that builds images")
    assert run(engine, "build", "--quiet", "--tag", "strandline-test", ".", folder=ROOT).returncode == 0
    command = (engine, "run", "--rm", "-v", f"{project}:/models", "strandline-test", "check", "bad.dve")
    assert run(*command, folder=project).returncode == 12
