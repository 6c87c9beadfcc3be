"""Progress measures that a DVE text declares in comments."""

from __future__ import annotations

from pathlib import Path

import pytest

import strandline
from strandline.errors import InputError
from strandline.languages.dve import load
from strandline.source import Source

MODEL = """byte x, y;
// measure: mono(x)
  //measure: y + P.b
// this measure: is prose
process P { state a, b; init a;
trans a -> b { guard x < 9; effect x = x + 1, y = 3; }, b -> a { effect y = 0; }; }
system async;
"""


def test_measures_are_read() -> None:
    system = load(Source("m.dve", MODEL))
    assert [(one.name, system.scope.render(one.expression), one.monotone) for one in system.measures] == [
        ("mono(x)", "x", True),
        ("y + P.b", "y + P.b", False),
    ]
    assert [MODEL[one.span.start : one.span.end] for one in system.measures if one.span] == ["x", "y + P.b"]


def test_a_sweep_uses_them(tmp_path: Path) -> None:
    path = tmp_path / "m.dve"
    path.write_text(MODEL, encoding="utf-8")
    swept = strandline.explore(path, order="sweep").statistics
    assert swept.visited == strandline.explore(path).statistics.states == 19
    assert swept.peak_states < 5


@pytest.mark.parametrize(
    ("pragma", "message"),
    [
        ("// measure: z", "m.dve:8:13: unknown name 'z'"),
        ("// measure: mono(x + )", "m.dve:8:21: expected an expression"),
        ("// measure:", "m.dve:8:12: "),
    ],
)
def test_mistakes_are_shown_in_the_file(pragma: str, message: str) -> None:
    with pytest.raises(InputError) as error:
        load(Source("m.dve", MODEL + pragma + "\n"))
    assert str(error.value).startswith(message)
