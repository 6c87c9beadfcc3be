"""The source distribution and the wheel: their contents, and an installation into an empty environment.

Every Python on the machine takes part. The oldest one gets the oldest versions of the dependencies that
`pyproject.toml` allows, the others the newest.
"""

from __future__ import annotations

import importlib.util
import re
import tarfile
import zipfile
from pathlib import Path

import pytest
from distributions import ROOT, Distribution, Installed, build, find_python, install, project

import strandline
from strandline.agents.library import TOPICS

pytestmark = pytest.mark.skipif(
    any(importlib.util.find_spec(name) is None for name in ("build", "hatchling", "uv")),
    reason="build, hatchling or uv is not installed: no distribution is built",
)

PYTHONS = ("3.11", "3.12", "3.13", "3.14")
OLDEST = PYTHONS[0]

MODEL = """\
byte x = 0;
process Counter {
    state even, odd;
    init even;
    trans even -> odd { guard x < 8; effect x = x + 1; },
          odd -> even { effect x = x + 1; };
}
system async;
"""
EXPECTED = """\
model = "counter.dve"

states = 9

[[check]]
invariants = ["x < 10"]
verdict = "HOLDS"
"""


@pytest.fixture(scope="module")
def distribution(tmp_path_factory: pytest.TempPathFactory) -> Distribution:
    return build(tmp_path_factory.mktemp("distribution"))


def test_the_wheel_has_the_package_and_no_tests(distribution: Distribution) -> None:
    with zipfile.ZipFile(distribution.wheel) as wheel:
        names = wheel.namelist()
    assert distribution.wheel.name == f"strandline-{strandline.__version__}-py3-none-any.whl"
    assert {name.split("/")[0] for name in names} == {"strandline", f"strandline-{strandline.__version__}.dist-info"}
    assert "strandline/agents/.shipped/examples/peterson/peterson.dve" in names
    assert {f"strandline/agents/.shipped/docs/{page}.md" for page in TOPICS.values()} <= set(names)
    kept = {path.relative_to(ROOT / "src").as_posix() for path in (ROOT / "src").rglob("*") if path.is_file()}
    missing = {name for name in kept if "__pycache__" not in name} - set(names)
    assert missing == set()


def test_the_source_distribution_builds_and_tests_itself(distribution: Distribution) -> None:
    with tarfile.open(distribution.sdist) as sdist:
        names = {name.partition("/")[2] for name in sdist.getnames()}
    wanted = {"pyproject.toml", "LICENSE", "README.md", "test", "tests/conftest.py", "examples/peterson/peterson.dve"}
    assert wanted <= names
    assert not any(name.startswith((".strandline", ".git/")) for name in names)


@pytest.mark.parametrize("version", PYTHONS)
def test_an_installation_into_an_empty_environment_works(
    version: str, distribution: Distribution, tmp_path: Path
) -> None:
    python = find_python(version)
    if python is None:
        pytest.skip(f"Python {version} is not on this machine")
    # The dependencies of the wheel are not direct ones; those in pyproject.toml are.
    direct = ("--requirements", str(ROOT / "pyproject.toml"))
    oldest = (*direct, "--resolution", "lowest-direct", "--only-binary", ":all:") if version == OLDEST else ()
    installed = install(tmp_path, python, str(distribution.wheel), "pytest>=9", options=oldest)
    (installed.folder / "counter.dve").write_text(MODEL)
    (installed.folder / "expected.toml").write_text(EXPECTED)
    check_outside_the_checkout(installed)
    if version == OLDEST:
        check_each_dependency(installed)


def check_outside_the_checkout(installed: Installed) -> None:
    """Try the command, the module and the pytest plugin on a model of one's own."""
    found = installed.run("strandline", "check", "counter.dve", "--invariant", "x < 8")
    assert found.returncode == 12, found.stderr
    assert found.stdout.startswith("VIOLATED  counter\n")
    assert "after 8 steps, no shorter one exists" in found.stdout
    found = installed.run("python", "-m", "strandline", "--version")
    assert (found.returncode, found.stdout) == (0, f"strandline {strandline.__version__}\n"), found.stderr
    found = installed.run("python", "-m", "pytest", "--strandline-expected", "-q", "-p", "no:cacheprovider")
    assert found.returncode == 0, found.stdout + found.stderr
    assert re.search(r"^2 passed", found.stdout, re.MULTILINE)


def check_each_dependency(installed: Installed) -> None:
    """Look whether the dependencies are exactly the lower bounds, and try the one that a plain check does not need."""
    bounds = dict(one.split(">=") for one in project()["dependencies"])
    ask = "; ".join(f"print(version({name!r}))" for name in bounds)
    listed = installed.run("python", "-c", f"from importlib.metadata import version; {ask}").stdout.split()
    assert [found.rpartition(".")[0] for found in listed] == list(bounds.values())
    found = installed.run("strandline", "check", "counter.dve", "--method", "symbolic", "--ctl", "EF x == 8")
    assert (found.returncode, found.stdout[:5]) == (0, "HOLDS"), found.stdout + found.stderr
