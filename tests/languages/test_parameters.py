"""Parameters of Python models, constants of others, and messages for wrong values."""

from __future__ import annotations

from pathlib import Path

import pytest

import strandline
from strandline.errors import UsageError
from strandline.languages.parameters import given_parameters
from strandline.report.data import result_data
from strandline.report.style import Style
from strandline.report.text import exploration_text

PYTHON = """from strandline import *
class Counter(Model):
    N = param(2)
    step = param("one")
    x: Range[0, N]
    @action
    def up(m):
        require(m.x < m.N)
        m.x += 1
"""
DVE = """const byte N = 2;
const int a[2] = {1, 2};
byte x;
process P { state s; init s; trans s -> s { guard x < N; effect x = x + 1; }; }
system async;
"""
PROCESSES = """const N = 2;
const M = N + 1;
process P(n: 0..M) = if n < M then up -> P(n + 1) else STOP;
system P(0);
"""


def written(folder: Path, name: str, text: str) -> Path:
    file = folder / name
    file.write_text(text)
    return file


@pytest.mark.parametrize(
    ("name", "text", "states", "more"),
    [("m.py", PYTHON, 3, 6), ("m.dve", DVE, 3, 6), ("m.psl", PROCESSES, 4, 7)],
)
def test_every_language(tmp_path: Path, name: str, text: str, states: int, more: int) -> None:
    file = written(tmp_path, name, text)
    plain, given = strandline.explore(strandline.load(file)), strandline.explore(strandline.load(file, N=5))
    assert (plain.statistics.states, given.statistics.states) == (states, more)
    assert given.system.parameters == (("N", 5),)
    headline = exploration_text(given, Style(False)).splitlines()[0]
    assert headline == f"EXPLORED  {given.system.name}(N=5)"
    assert result_data(given, 0)["parameters"] == {"N": 5}
    assert result_data(plain, 0)["parameters"] == {}


def test_a_python_model_by_its_name(tmp_path: Path) -> None:
    file = written(tmp_path, "m.py", PYTHON)
    assert strandline.load(f"{file}:Counter(N=7)").title == "Counter(N=7)"
    assert strandline.load(f"{file}:Counter(N=7)", step="two").title == "Counter(N=7, step=two)"
    assert strandline.load(f"{file}:Counter", N=2).title == "Counter(N=2)"


WRONG = [
    ("m.py", PYTHON, {"M": 1}, "model 'Counter' has no parameter 'M' (it has N, step)"),
    (
        "m.py",
        PYTHON + "one = Counter()\n",
        {"N": 1},
        "{file}: the model is an instance of 'Counter': its parameters are fixed",
    ),
    ("m.dve", DVE, {"x": 1}, "{file} has no constant 'x' (it has N)"),
    ("m.dve", DVE, {"N": 300}, "'N': 300 does not fit byte (0..255)"),
    ("m.dve", DVE, {"N": "many"}, "'N' is a number, not 'many'"),
    ("m.psl", PROCESSES, {"K": 1}, "{file} has no constant 'K' (it has N, M)"),
    ("m.aut", 'des (0, 1, 2)\n(0, "a", 1)\n', {"N": 1}, "{file}: .aut files have no parameters: 'N' cannot be given"),
]


@pytest.mark.parametrize(("name", "text", "given", "message"), WRONG)
def test_wrong_values(tmp_path: Path, name: str, text: str, given: dict[str, object], message: str) -> None:
    file = written(tmp_path, name, text)
    with pytest.raises(UsageError) as error:
        strandline.load(file, **given)
    assert str(error.value) == message.format(file=file)


def test_how_they_are_written() -> None:
    given = given_parameters(["N=3", "flag=true", "name = left", "many=(1, 2)", "odd=1+"])
    assert given == {"N": 3, "flag": True, "name": "left", "many": (1, 2), "odd": "1+"}
    with pytest.raises(UsageError, match="-D N: write NAME=VALUE, as in -D N=3"):
        given_parameters(["N"])
    with pytest.raises(UsageError, match="-D N=4: 'N' is given twice"):
        given_parameters(["N=3", "N=4"])


def test_on_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from strandline.cli.main import main

    file = written(tmp_path, "m.dve", DVE)
    assert main(["check", str(file), "-D", "N=4", "--no-deadlock", "--quiet"]) == 0
    assert capsys.readouterr().out.startswith("HOLDS  m(N=4)\n")
    assert main(["info", str(file), "-DM=4"]) == 2
    assert capsys.readouterr().err == f"strandline info: {file} has no constant 'M' (it has N)\n"


def test_every_example_knows_its_parameters() -> None:
    """A name that no model has is refused in every language, with the names that there are."""
    for file in sorted((Path(__file__).parents[2] / "examples").glob("*/*")):
        if file.suffix in (".py", ".dve", ".psl"):
            with pytest.raises(UsageError, match=r"(it has|there are several models)"):
                strandline.load(file, no_such_name=1)
