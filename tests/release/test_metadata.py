"""What the files around the program say about it: they agree with it and with each other."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest
from distributions import ROOT, project

import strandline


def test_the_version_stands_in_one_place() -> None:
    """The build takes it from the package; pages that repeat it are compared here."""
    assert "version" in project()["dynamic"]
    assert re.fullmatch(r"\d+\.\d+\.\d+(?:\.dev\d+|(?:a|b|rc)\d+)?", strandline.__version__)
    changes = (ROOT / "CHANGELOG.md").read_text("utf-8")
    released = re.findall(r"^## \[(\d[^\]]*)\] - \d{4}-\d{2}-\d{2}$", changes, re.MULTILINE)
    cited = re.search(r"^version: (.*)$", (ROOT / "CITATION.cff").read_text("utf-8"), re.MULTILINE)
    assert cited is not None
    assert released[0] == cited[1] == strandline.__version__
    assert changes.index("## [Unreleased]") < changes.index(f"## [{released[0]}]")


def test_the_address_is_the_same_everywhere() -> None:
    address = project()["urls"]["Homepage"]
    assert all(one.startswith((address, "https://strandline.github.io/")) for one in project()["urls"].values())
    assert f"repository-code: {address}\n" in (ROOT / "CITATION.cff").read_text("utf-8")
    assert f"repo_url: {address}\n" in (ROOT / "mkdocs.yml").read_text("utf-8")


def test_every_extra_is_in_all() -> None:
    """Except those that only developers or a machine with old drivers need, and a second library of BDDs."""
    extras = project()["optional-dependencies"]
    assert extras["all"] == [f"strandline[{','.join(sorted(set(extras) - {'all', 'cudd', 'docs', 'gpu-cuda12'}))}]"]


@pytest.mark.parametrize("workflow", sorted((ROOT / ".github/workflows").glob("*.yml")), ids=lambda one: one.name)
def test_workflows_are_valid(workflow: object) -> None:
    pytest.importorskip("check_jsonschema", reason="check-jsonschema is not installed: workflows are not validated")
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.github-workflows", str(workflow)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_the_python_versions_are_those_that_the_workflow_tests() -> None:
    listed = [one.rsplit(" ", 1)[1] for one in project()["classifiers"] if re.search(r"Python :: 3\.\d+$", one)]
    workflow = (ROOT / ".github/workflows/ci.yml").read_text("utf-8")
    versions = ", ".join(f'"{one}"' for one in listed)
    assert f"python: [{versions}]" in workflow
