"""Arguments of helper functions are evaluated before the call, as in Python, also where they are not used."""

from __future__ import annotations

from pathlib import Path

import pytest

import strandline

MODEL = """
from strandline import Model, Optional, Range, action

def first(m, v, w=1):
    if m.f:
        return w + 1
    return v

def constant(v):
    return 2

def nothing(m, v):
    m.f = True

class Asks(Model):
    f: bool = True
    o: Optional[Range[1, 2]]
    x: Range[0, 3] = 0
    @action
    def step(m):
        {body}
"""


@pytest.mark.parametrize(
    ("body", "faults"),
    [
        ("m.x = first(m, m.o + 1)", True),
        ("m.x = constant(m.o + 1)", True),
        ("nothing(m, m.o + 1)", True),
        ("m.x = first(m, 3)", False),
        ("m.x = 1 if m.o is None else constant(m.o + 1)", False),
    ],
)
def test_unused_arguments_are_evaluated(tmp_path: Path, body: str, faults: bool) -> None:
    path = tmp_path / "asks.py"
    path.write_text(MODEL.format(body=body), encoding="utf-8")
    verdict = strandline.check(path, deadlock=False)
    assert (verdict.answer.name == "VIOLATED") is faults
