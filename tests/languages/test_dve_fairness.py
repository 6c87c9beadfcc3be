"""Fairness of processes that a DVE text declares in comments."""

from __future__ import annotations

import pytest

from strandline.errors import InputError
from strandline.languages.dve import load
from strandline.source import Source

MODEL = """channel c;
byte x;
process P { state a, b; init a; trans a -> b { sync c!x; }, b -> a { effect x = 1; }; }
process Q { state a; init a; trans a -> a { sync c?x; }; }
process R { state a; init a; }
process Watch { state w; init w; trans w -> w {}; }
"""
ASYNC, SYNC = "system async property Watch;\n", "system sync;\n"


def fair(*pragmas: str) -> dict[str, list[str]]:
    system = load(Source("m.dve", MODEL + ASYNC + "".join(f"{pragma}\n" for pragma in pragmas)))
    own = set(map(id, system.actions))
    assert all(id(action) in own for one in system.fairness for action in one.actions)
    return {one.name: [action.name for action in one.actions] for one in system.fairness}


def test_a_rendezvous_belongs_to_both_sides() -> None:
    assert fair() == {}
    assert fair("// this is fair: Q") == {}
    meeting = fair("// fair: Q")["Q"]
    assert len(meeting) == 1
    assert fair("  //fair: P , Q") == {"P": [meeting[0], "P: b -> a"], "Q": meeting}


def test_all_and_lists_and_repetitions() -> None:
    everyone = fair("// fair: all")
    assert list(everyone) == ["P", "Q"], "R has no transition: fairness asks nothing of it"
    assert fair("// fair: Q, R, P, Q", "// fair: P") == everyone


def test_places() -> None:
    text = MODEL + ASYNC + "// fair: Q, P\n"
    system = load(Source("m.dve", text))
    assert [text[one.span.start : one.span.end] for one in system.fairness if one.span] == ["P", "Q"]
    assert [one.condition for one in system.fairness] == [None, None]


@pytest.mark.parametrize(
    ("pragma", "system", "message", "caret"),
    [
        ("// fair: P, S", ASYNC, "m.dve:8:13: unknown process 'S'", "^"),
        ("// fair: Watc", ASYNC, "m.dve:8:10: unknown process 'Watc'", "^^^^"),
        ("// fair: Pp", ASYNC, "m.dve:8:10: unknown process 'Pp'; did you mean 'P'?", "^^"),
        (
            "// fair: Watch",
            ASYNC,
            "m.dve:8:10: 'Watch' is the property process, which takes part in every step: it has no fairness",
            "^^^^^",
        ),
        ("// fair: P Q", ASYNC, "m.dve:8:12: expected processes with commas between them, or 'all'", "^"),
        ("// fair: P,, Q", ASYNC, "m.dve:8:12: expected processes with commas between them, or 'all'", "^"),
        ("// fair:", ASYNC, "m.dve:8:9: expected processes with commas between them, or 'all'", "^"),
        ("// fair: all", SYNC, "m.dve:8:10: in a synchronous system all processes step together", "^^^"),
    ],
)
def test_mistakes_are_shown_in_the_file(pragma: str, system: str, message: str, caret: str) -> None:
    model = MODEL if system == ASYNC else MODEL.replace("sync c!x;", "").replace("sync c?x;", "")
    with pytest.raises(InputError) as error:
        load(Source("m.dve", model + system + pragma + "\n"))
    lines = str(error.value).splitlines()
    assert lines[0].startswith(message)
    assert lines[2].strip() == caret
