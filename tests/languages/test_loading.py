"""Loading files as Systems: the language of a file, unreadable files, and all of the benchmark set."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from strandline.cli.main import main
from strandline.errors import InputError, UsageError
from strandline.languages import LANGUAGES, dve, load
from strandline.source import Source

DATA = Path(__file__).parent / "data"
BEEM = Path(__file__).parents[3] / "shared" / "beem" / "models"


@pytest.mark.parametrize("path", [DATA / "queue.dve", str(DATA / "queue.dve")])
def test_the_suffix_decides_the_language(path: str | Path) -> None:
    model = load(path)
    assert model.name == "queue"
    assert model.source.name == str(path)


@pytest.mark.parametrize(
    ("name", "why"),
    [("model.xyz", "the suffix '.xyz' is unknown"), ("model", "the file name has no suffix")],
)
def test_an_unknown_suffix_is_a_usage_error(name: str, why: str) -> None:
    with pytest.raises(UsageError) as caught:
        load(name)
    assert str(caught.value) == f"{name}: cannot determine the language: {why} (known: {', '.join(LANGUAGES)})"


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"none\.dve: no such file$"):
        load(tmp_path / "none.dve")


def test_a_directory(tmp_path: Path) -> None:
    (tmp_path / "dir.dve").mkdir()
    with pytest.raises(InputError, match=r"dir\.dve: this is a directory, not a file$"):
        load(tmp_path / "dir.dve")


def test_a_path_that_is_no_path() -> None:
    with pytest.raises(InputError, match=r"cannot be read: embedded null byte$"):
        load("a\0b.dve")


def test_bytes_that_are_no_text(tmp_path: Path) -> None:
    (tmp_path / "latin.dve").write_bytes(b"byte x;\n// caf\xe9\n")
    with pytest.raises(InputError, match=r"latin\.dve:2: byte 0xE9 is not UTF-8 text$"):
        load(tmp_path / "latin.dve")


def test_a_byte_order_mark_and_windows_line_ends_are_no_obstacle(tmp_path: Path) -> None:
    text = "byte x; // é\r\nprocess P { state a; init a; }\r\nsystem async;\r\n"
    (tmp_path / "windows.dve").write_bytes(text.encode("utf-8-sig"))
    assert [variable.name for variable in load(tmp_path / "windows.dve").variables] == ["x", "P"]


def test_the_example_of_the_language_reference_loads() -> None:
    text = (Path(__file__).parents[2] / "docs" / "dve.md").read_text("utf-8").split("```")[1]
    model = dve.load(Source("dve.md", text))
    assert [action.name for action in model.actions] == [
        "P: idle -> busy, Q: s -> s via c",
        "P: busy -> idle",
    ]


@pytest.mark.skipif(not BEEM.is_dir(), reason="the BEEM benchmark set is not beside the repository")
def test_every_benchmark_loads() -> None:
    """505 files; those with a property have an observer with accepting states."""
    paths = sorted(BEEM.glob("*.dve"))
    assert len(paths) == 505
    for path in paths:
        model = load(path)
        assert model.actions, path
        assert (model.observer is not None) == (".prop" in path.name), path
        assert model.observer is None or model.observer.accepting, path


@pytest.mark.parametrize("command", ["check", "info", "explore", "graph", "serve"])
def test_help_lists_the_suffixes_of_all_languages(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([command, "--help"]) == 0
    text = " ".join(capsys.readouterr().out.split())
    assert f"a model file ({', '.join(LANGUAGES)})" in text


def test_the_module_of_a_selected_model_comes_from_the_table(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "two.py").write_text("")
    loaded: list[tuple[str, str]] = []

    def load_selection(source: Source, selection: str, given: object) -> str:
        loaded.append((source.name, selection))
        return "the model"

    stand_in = SimpleNamespace(load=load_selection)
    monkeypatch.setitem(sys.modules, "tests_stand_in_language", stand_in)
    monkeypatch.setitem(LANGUAGES, ".py", "tests_stand_in_language")
    assert load(tmp_path / "two.py:First") == "the model"
    assert loaded == [(str(tmp_path / "two.py"), "First")]
