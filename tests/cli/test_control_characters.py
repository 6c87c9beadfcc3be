"""Names that somebody else wrote must not control the terminal."""

from __future__ import annotations

from pathlib import Path

import pytest

from strandline.cli.console import printable
from strandline.cli.main import main

EVIL = "\x1b]0;title\x07\x1b[2J\x9b31m\r"
SHOWN = "\N{REPLACEMENT CHARACTER}]0;title"
AUT = f'des (0, 2, 2)\n(0, "{EVIL}go", 1)\n(1, "back", 0)\n'
NET = """<pnml xmlns="http://www.pnml.org/version-2009/grammar/pnml"><net id="n" type="http://www.pnml.org/version-2009/grammar/ptnet">
<page id="p"><place id="a"><name><text>a&#x9b;2Jb</text></name><initialMarking><text>1</text></initialMarking></place>
<place id="b"/><transition id="t"><name><text>t&#x9b;2J</text></name></transition><arc id="x" source="a" target="t"/>
<arc id="y" source="t" target="b"/></page></net></pnml>"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "evil.aut").write_text(AUT, encoding="utf-8", newline="")
    (tmp_path / "evil.pnml").write_text(NET, encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("model", ["evil.aut", "evil.pnml"])
@pytest.mark.parametrize(
    "command",
    [
        ["check", "--deadlock"],
        ["check", "--ltl", "G F false"],
        ["explore"],
        ["info"],
        ["info", "--dump"],
        ["measures"],
    ],
    ids=" ".join,
)
def test_nothing_reaches_the_terminal(capsys: pytest.CaptureFixture[str], command: list[str], model: str) -> None:
    main([command[0], model, *command[1:]])
    shown = capsys.readouterr()
    for text in (shown.out, shown.err):
        assert not set(text) & {chr(code) for code in (*range(9), *range(11, 32), *range(127, 160))}


def test_the_name_is_shown_nevertheless(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["info", "evil.aut", "--dump"]) == 0
    assert SHOWN in capsys.readouterr().out


def test_colours_stay() -> None:
    coloured = "\x1b[1;31mVIOLATED\x1b[0m"
    assert printable(coloured) == coloured
    assert printable(f"{coloured}\x1b[2J") == f"{coloured}\N{REPLACEMENT CHARACTER}[2J"
