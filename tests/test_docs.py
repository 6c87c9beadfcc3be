"""The documentation is tested: commands are parsed, those on examples are run, and shown outputs are compared."""

from __future__ import annotations

import importlib.util
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from io import StringIO
from pathlib import Path

import pytest

from strandline.cli.main import main, with_expressions
from strandline.cli.parser import build_parser, flags_with_expressions
from strandline.report.combinations import effects_table

ROOT = Path(__file__).parent.parent
PAGES = sorted([*ROOT.glob("docs/*.md"), ROOT / "README.md", *ROOT.glob("examples/*/README.md")])
_BLOCK = re.compile(r"```(\w*)([^\n]*)\n(.*?)```|((?:^    [^\n]*\n)+)", re.DOTALL | re.MULTILINE)
_COMMAND = re.compile(r"^(?:\$ )?(?:\./)?strandline (?=[a-z-])(.*)$")
_CHANGING = re.compile(r"^  (memory|time) .*\n", re.MULTILINE)
_SLOW = ("serve", "contest", "resume", "completion", "mcp", "lsp")
"""Commands that are understood but not run here: they have tests of their own, or never end."""


def blocks(page: Path) -> Iterator[tuple[str, str, str]]:
    """Blocks of code: kind, what stands behind it, text."""
    for found in _BLOCK.finditer(page.read_text("utf-8")):
        kind, title, fenced, indented = found.groups()
        yield kind or "", title or "", fenced if indented is None else re.sub("^    ", "", indented, flags=re.MULTILINE)


def commands(page: Path) -> Iterator[str]:
    """The command lines of a page, without comments; lines that a backslash continues are joined."""
    for _, _, text in blocks(page):
        for line in text.replace("\\\n", " ").splitlines():
            found = _COMMAND.match(line)
            if found is not None:
                # Behind two blanks stands what a command does.
                yield re.sub(r"\s+#.*$|\s{2,}.*$", "", found[1]).strip()


ALL = list(dict.fromkeys((page, command) for page in PAGES for command in commands(page)))


def arguments_of(command: str) -> list[str]:
    """As a shell would hand them over, up to where its output goes elsewhere."""
    words = shlex.split(command)
    end = next((place for place, word in enumerate(words) if word in (">", "|", "<", "&&")), len(words))
    return words[:end]


def test_there_are_commands() -> None:
    assert len(ALL) > 150


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_command_is_understood(page: Path) -> None:
    parser = build_parser()
    for command in commands(page):
        arguments = arguments_of(command)
        if "..." in arguments or "COMMAND" in arguments or arguments[0] == "--version":
            continue
        parser.parse_args(with_expressions(arguments, flags_with_expressions(parser)))


def runs(page: Path, command: str) -> bool:
    """Whether a command speaks of an example, and so can be run."""
    arguments = arguments_of(command)
    model = next((one for one in arguments if one.startswith("examples/")), None)
    return arguments[0] not in _SLOW and model is not None and (ROOT / model).exists()


RUN = [command for page, command in ALL if page.parent != ROOT / "examples" and runs(page, command)]


@pytest.fixture
def workplace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the examples in which files may be written."""
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.stdin", StringIO())
    return tmp_path


@pytest.mark.parametrize("command", list(dict.fromkeys(RUN)))
def test_commands_on_examples_run(workplace: Path, command: str, capsys: pytest.CaptureFixture[str]) -> None:
    code = main(arguments_of(command))
    told = capsys.readouterr()
    assert code not in (2, 4), told.err
    assert told.out or "-o" in command


def shown(page: Path) -> Iterator[tuple[str, str]]:
    """Commands with the beginning of their answers."""
    for kind, _, text in blocks(page):
        for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:] if kind == "console" else ():
            command, _, answer = part.partition("\n")
            found = _COMMAND.match(command)
            if found is not None and answer.strip():
                yield found[1], answer.rstrip("\n")


@pytest.mark.parametrize("name", ["tutorial", "progress", "conform"])
def test_answers_are_as_they_are_shown(workplace: Path, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The files of a page are those that it shows; its commands are run in order."""
    page = ROOT / "docs" / f"{name}.md"
    for kind, title, text in blocks(page):
        if kind == "python" and 'title="' in title:
            (workplace / title.split('"')[1]).write_text(text)
    answers = list(shown(page))
    assert answers
    for command, answer in answers:
        main(arguments_of(command))
        assert _CHANGING.sub("", capsys.readouterr().out).startswith(answer), command


def test_every_file_that_is_pointed_to_exists() -> None:
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text("utf-8")):
            assert (page.parent / target).exists(), f"{page.relative_to(ROOT)} points to {target}"


@pytest.mark.skipif(
    any(importlib.util.find_spec(name) is None for name in ("material", "mkdocstrings")),
    reason="mkdocs-material or mkdocstrings is not installed: the site is not built",
)
def test_the_site_can_be_built(tmp_path: Path) -> None:
    """Strictly: no page is missing, no link leads nowhere."""
    command = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--site-dir", str(tmp_path / "site")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    pages = {page.stem for page in ROOT.glob("docs/*.md")}
    assert {page.stem for page in (tmp_path / "site").glob("*.html")} == {*pages, "404"}
    text = (tmp_path / "site/tutorial.html").read_text("utf-8")
    assert "https://fonts" not in text, "the site asks nobody for anything"
    reference = (tmp_path / "site/reference.html").read_text("utf-8")
    for name in ("check", "Verdict", "Trace", "Statistics", "StateGraph", "Model", "InputError"):
        assert 'class="doc doc-object-name doc-' in reference
        assert f">{name}</span>" in reference, name
    assert (tmp_path / "site/schema.json").exists()


def test_the_table_of_options_is_the_programs() -> None:
    """It is written by `scripts/write_tables.py`."""
    assert effects_table() in (ROOT / "docs" / "cli.md").read_text("utf-8"), "run scripts/write_tables.py"


def test_the_tests_that_errata_name_exist() -> None:
    named = re.findall(r"`(tests/\S+\.py)::(\w+)`", (ROOT / "docs" / "errata.md").read_text(encoding="utf-8"))
    assert len(named) == 16
    for file, test in named:
        assert f"\ndef {test}(" in (ROOT / file).read_text(encoding="utf-8"), f"{file}::{test}"
