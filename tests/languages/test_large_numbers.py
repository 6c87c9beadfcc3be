"""Numbers that do not fit 64 bits are refused with their place, in claims and in models, in every language."""

from __future__ import annotations

from pathlib import Path

import pytest

import strandline
from strandline.errors import InputError
from strandline.model.system import System

NET = """
PLACE p, q; MARKING p: 1;
TRANSITION t CONSUME p: 1; PRODUCE q: 1;
"""
PYTHON = """
from strandline import Model, Range, action

class M(Model):
    x: Range[0, 3]

    @action
    def step(m):
        m.x = (m.x + 1) % 4
"""
MODELS = {
    "m.dve": "byte x; process P { state s; init s; trans s -> s { effect x = (x + 1) % 4; }; } system async;",
    "m.psl": "process P(n: 0..3) = a -> P((n + 1) % 4); system P(0);",
    "m.aut": 'des (0, 2, 2)\n(0, "a", 1)\n(1, "b", 0)\n',
    "m.ss": "s1 1 1 p * s2\ns2 2 1 !p * s1\n",
    "m.lotus": "DEFINE t : 0..3; MODULE VAR t x; INIT x=0; TRANS x=0 => x=1; x=1 => x=0;",
    "m.lola": NET,
    "m.pml": "byte x; active proctype P() { do :: x = (x + 1) % 4 od }",
    "m.py": PYTHON,
}
TERMS = {"m.psl": "P", "m.aut": "LTS", "m.ss": "progress", "m.lola": "p"}
LARGEST, LEAST = 2**63 - 1, -(2**63)
FAR = [LARGEST + 1, LEAST - 1, 2**64, 2**64 + 1, -(2**64), 10**30, 10**5000]
FOLDED = ["2**64", "-(2**63)-1", "9**9**9", "1 << 10**9", "2**63"]


@pytest.fixture(scope="module", params=MODELS)
def system(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> System:
    file = tmp_path_factory.mktemp("models") / request.param
    file.write_text(MODELS[request.param], encoding="utf-8")
    return strandline.load(file)


def term_of(system: System) -> str:
    return TERMS.get(Path(system.source.name).name, "x")


def asked(claim: str, term: str, number: str) -> list[dict[str, str]]:
    return [
        {"invariants": claim},
        {"reach": claim},
        {"ltl": f"G F {claim}"},
        {"ctl": f"AG {claim}"},
        {"never": f"{{{claim}}}"},
        {"measure": f"{term} + {number}"},
    ]


def written(number: int) -> str:
    """In digits, however many."""
    digits, rest = "", abs(number)
    while rest:
        rest, low = divmod(rest, 10**1000)
        digits = f"{low:01000}" + digits
    return ("-" if number < 0 else "") + digits.lstrip("0")


@pytest.mark.parametrize("number", FAR, ids=range(len(FAR)))
def test_numbers_in_claims(system: System, number: int) -> None:
    term, text = term_of(system), written(number)
    for sign in (">=", "=="):
        for one in asked(f"({term} {sign} {text})", term, text):
            with pytest.raises(InputError) as caught:
                strandline.check(system, **one)  # type: ignore[arg-type]
            assert caught.value.source is not None, one
    with pytest.raises(InputError):
        system.scope.question(f"{term} + {text}")


@pytest.mark.parametrize("text", FOLDED)
def test_numbers_that_are_computed(tmp_path: Path, text: str) -> None:
    file = tmp_path / "m.py"
    file.write_text(PYTHON, encoding="utf-8")
    system = strandline.load(file)
    for one in ({"invariants": f"x <= {text}"}, {"reach": f"x == {text}"}, {"measure": f"x * ({text})"}):
        with pytest.raises(InputError, match="does not fit 64 bits"):
            strandline.check(system, **one)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="does not fit 64 bits"):
        system.scope.question(text)
    file.write_text(PYTHON.replace("% 4", f"% ({text})"), encoding="utf-8")
    with pytest.raises(InputError, match="does not fit 64 bits"):
        strandline.load(file)


@pytest.mark.parametrize("number", [LARGEST, LEAST, LARGEST - 1])
def test_the_largest_numbers_mean_themselves(system: System, number: int) -> None:
    term = term_of(system)
    for sign, true in ((">=", number <= 0), ("<=", number > 4)):
        verdict = strandline.check(system, invariants=f"{term} {sign} {number}", ltl=f"G ({term} {sign} {number})")
        assert [one.answer.value for one in verdict.properties] == ["HOLDS" if true else "VIOLATED"] * 2


@pytest.mark.parametrize("number", ["9223372036854775808", "18446744073709551616"])
@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("m.dve", "byte x = @; process P { state s; init s; } system async;"),
        ("m.dve", "byte x; process P { state s; init s; trans s -> s { guard x < @; }; } system async;"),
        ("m.dve", "byte x; process P { state s; init s; trans s -> s { effect x = @; }; } system async;"),
        ("m.psl", "const L = @; process P = a -> P; system P;"),
        ("m.psl", "const M = -(-@); process P = a -> P; system P;"),
        ("m.psl", "process P = a -> P; label l = P < @; system P;"),
        ("m.psl", "process P(n: 0..3) = a -> P(n % @); system P(0);"),
        ("m.aut", 'des (0, 1, @)\n(0, "a", 0)\n'),
        ("m.ss", "s1 @ 1 p * s1\n"),
        ("m.lotus", "DEFINE t : 0..@; MODULE VAR t x; INIT x=0; TRANS x=0 => x=1;"),
        ("m.lotus", "DEFINE t : 0, @; MODULE VAR t x; INIT x=0; TRANS x=0 => x=1;"),
        ("m.lotus", "DEFINE t : 0..3; MODULE VAR t x; INIT x=0; TRANS x=0 => x=@;"),
        ("m.lotus", "DEFINE t : 0..3; MODULE VAR t x; INIT x=0; TRANS x=0 => x=1; FAIRNESS x<@"),
        ("m.lola", "PLACE p, q; MARKING p: @; TRANSITION t CONSUME p: 1; PRODUCE q: 1;"),
        ("m.lola", "PLACE p, q; MARKING p: 1; TRANSITION t CONSUME p: @; PRODUCE q: 1;"),
        ("m.py", PYTHON.replace("[0, 3]", "[0, @]")),
        ("m.py", PYTHON.replace("% 4", "% @")),
    ],
)
def test_numbers_in_models(tmp_path: Path, name: str, text: str, number: str) -> None:
    file = tmp_path / name
    file.write_text(text.replace("@", number), encoding="utf-8")
    with pytest.raises(InputError) as caught:
        strandline.check(file)
    assert caught.value.source is not None
