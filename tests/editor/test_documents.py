"""Reading models for an editor, and checking them, without the protocol."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from strandline.agents.processes import Budget, OverBudget
from strandline.cli import lsp
from strandline.cli.main import main
from strandline.editor import documents, verdicts
from strandline.editor.documents import load_python, read
from strandline.editor.outlines import SymbolKind
from strandline.editor.verdicts import check_claim
from strandline.languages import LANGUAGES

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = sorted(one for one in (ROOT / "examples").glob("*/*") if one.suffix in LANGUAGES)
BUDGET = Budget(30, 1024)


def test_without_the_package_the_command_says_how_to_install_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(lsp, "find_spec", lambda name: None)
    assert main(["lsp"]) == 2
    assert f"{sys.executable} -m pip install 'strandline[lsp]'" in capsys.readouterr().err


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
def test_every_example_has_an_outline_and_every_place_is_that_of_the_name(path: Path) -> None:
    text = path.read_text("utf-8")
    reading = read(path, text)
    assert reading.mistakes == ()
    outline = reading.outline
    assert outline is not None
    assert outline.symbols
    for symbol in outline.symbols:
        if symbol.span is not None and path.suffix not in (".ss", ".aut"):
            assert symbol.short.partition("[")[0] in text[symbol.span.start : symbol.span.end] or path.suffix == ".psl"


def test_a_local_name_stands_for_the_variable_of_its_own_process() -> None:
    path = ROOT / "examples/stop-and-wait/stop-and-wait.dve"
    text = path.read_text("utf-8")
    outline = read(path, text).outline
    assert outline is not None
    for process in ("Sender", "Receiver"):
        offset = text.index("number", text.index(f"process {process}"))
        symbol = outline.symbol_at(text, offset)
        assert symbol is not None
        assert (symbol.name, symbol.kind) == (f"{process}.number", SymbolKind.VARIABLE)


def test_a_mistake_in_an_imported_file_is_shown_with_its_name(tmp_path: Path) -> None:
    (tmp_path / "part.aut").write_text("nothing\n")
    path = tmp_path / "whole.psl"
    (mistake,) = read(path, 'import Part = "part.aut";\nsystem Part;\n').mistakes
    assert "part.aut:1:1" in mistake.message
    assert mistake.first == (0, 0)


def test_an_expected_toml_is_read_with_its_model(tmp_path: Path) -> None:
    path = tmp_path / "expected.toml"
    assert read(path, 'model = "none.dve"\n').outline is None
    (mistake,) = read(path, "model =\n").mistakes
    assert mistake.first[0] == 0
    (tmp_path / "m.py").write_text("from strandline import Model\nclass M(Model):\n    x: int\n")
    outline = read(path, 'model = "m.py:M"\n').outline
    assert outline is not None
    assert [one.name for one in outline.symbols] == ["x"]


def test_a_python_model_that_takes_too_long_is_a_mistake(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def fail(*_: object) -> None:
        raise OverBudget("too long")

    for module in (documents, verdicts):
        monkeypatch.setattr(module, "run_command", fail)
    path = tmp_path / "m.py"
    outline = read(path, "from strandline import Model\nclass M(Model):\n    x: int\n").outline
    assert outline is not None
    assert [one.message for one in load_python(path, outline).mistakes] == ["too long"]
    assert check_claim(path, outline, "", BUDGET).title == "unknown: too long"


@pytest.mark.parametrize(
    ("claim", "answer", "words"),
    [
        ("// ltl: G F P.a", "VIOLATED", "for ever"),
        ("// invariant: x < 3", "VIOLATED", "x: 2 → 3"),
        ("// reachable: x == 300", "VIOLATED", None),
        ("// invariant: x < 256", "HOLDS", None),
    ],
)
def test_verdicts_come_with_traces_as_text(tmp_path: Path, claim: str, answer: str, words: str | None) -> None:
    path = tmp_path / "m.dve"
    steps = "trans a -> b { effect x = x + 1; }, b -> b { effect x = x + 1; };"
    text = f"byte x;\n{claim}\nprocess P {{ state a, b; init a; {steps} }}\nsystem async;\n"
    outline = read(path, text).outline
    assert outline is not None
    (declared,) = outline.claims
    found = check_claim(path, outline, declared.name, BUDGET)
    assert found.answer == answer, found
    assert (found.trace is None) if words is None else (words in (found.trace or ""))
    assert all(span is not None for _, span in found.steps)


def test_an_error_of_a_check_is_its_title(tmp_path: Path) -> None:
    path = ROOT / "examples/peterson/peterson.dve"
    outline = read(path, path.read_text("utf-8")).outline
    assert outline is not None
    assert check_claim(path, outline, "nothing", BUDGET).title.startswith("error: ")
