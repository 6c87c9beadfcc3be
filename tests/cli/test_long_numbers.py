"""Numbers of thousands of digits are refused with their place, by every reader."""

from __future__ import annotations

from pathlib import Path

import pytest

from strandline.cli.main import main

DIGITS = "9" * 5000
MODEL = """
byte x;
process P { state s, t; init s; trans s -> t { effect x = 1; }, t -> s { effect x = 0; }; }
system async;
"""
HOA = (
    'HOA: v1\nStart: 0\nAP: 1 "x==1"\nAcceptance: {sets} Inf(0)\n--BODY--\nState: {state} {{0}}\n[t] {state}\n--END--\n'
)
FILES = {
    "states.aut": f'des (0, 1, {DIGITS})\n(0, "a", 1)\n',
    "initial.aut": f'des ({DIGITS}, 1, 2)\n(0, "a", 1)\n',
    "target.aut": f'des (0, 1, 2)\n(0, "a", {DIGITS})\n',
    "progress.ss": f"\n0\n0 {DIGITS} 0\n",
    "tokens.lola": f"PLACE p; MARKING p: {DIGITS}; TRANSITION t CONSUME p: 1; PRODUCE ;\n",
    "value.lotus": f"TYPE\n  T : 1..{DIGITS}\nVAR\n  x : T\n",
    "bound.dve": f"byte x = {DIGITS}; process P {{ state s; init s; }} system async;\n",
    "bound.psl": f"P = if x == {DIGITS} then stop\n",
    "number.py": f"from strandline import Model, Range\n\n\nclass M(Model):\n    x: Range[0, {DIGITS}]\n",
}
AUTOMATA = {
    "states.hoa": "HOA: v1\nStates: " + DIGITS + HOA.format(sets=1, state=0)[7:],
    "far.hoa": HOA.format(sets=1, state=2147483647),
    "farther.hoa": HOA.format(sets=1, state=DIGITS),
    "sets.hoa": HOA.format(sets=DIGITS, state=0),
    "used sets.hoa": HOA.format(sets=1, state=0).replace("Inf(0)", "Inf(92337775807)"),
    "guard.never": f"never {{ T0_init: if :: (x == {DIGITS}) -> goto T0_init fi }}\n",
}
OPTIONS = {
    "seconds": ["--max-seconds", "inf"],
    "many seconds": ["--max-seconds", DIGITS],
    "memory": ["--memory", "9" * 310],
    "disk": ["--disk", DIGITS],
    "states": ["--max-states", DIGITS],
    "threads": ["--threads", DIGITS],
    "interval": ["--checkpoint", "saved", "--every", DIGITS],
}
CLAIMS = {
    "repetitions": ["--never", f"({{x == 1}})[2,{DIGITS}]"],
    "never": ["--never", f"{{x == {DIGITS}}}"],
    "invariant": ["--invariant", f"x < {DIGITS}"],
    "ltl": ["--ltl", f"F {{x == {DIGITS}}}"],
    "ctl": ["--ctl", f"EF {{x == {DIGITS}}}"],
}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "model.dve").write_text(MODEL)
    return tmp_path


def refused(capsys: pytest.CaptureFixture[str], *command: str) -> str:
    assert main(command) == 2
    told = capsys.readouterr().err
    assert "Traceback" not in told
    return told


@pytest.mark.parametrize("name", FILES)
def test_models(folder: Path, capsys: pytest.CaptureFixture[str], name: str) -> None:
    (folder / name).write_text(FILES[name])
    assert f"{name}:" in refused(capsys, "explore", name)


@pytest.mark.parametrize("name", AUTOMATA)
def test_automata(folder: Path, capsys: pytest.CaptureFixture[str], name: str) -> None:
    (folder / name).write_text(AUTOMATA[name])
    assert f"{name}:" in refused(capsys, "check", "model.dve", "--automaton", name)


@pytest.mark.parametrize("name", OPTIONS)
def test_options(capsys: pytest.CaptureFixture[str], name: str) -> None:
    assert OPTIONS[name][-2] in refused(capsys, "explore", "model.dve", *OPTIONS[name])


@pytest.mark.parametrize("name", CLAIMS)
def test_claims(capsys: pytest.CaptureFixture[str], name: str) -> None:
    assert "^" in refused(capsys, "check", "model.dve", *CLAIMS[name])


def test_expected_verdicts(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "expected.toml").write_text(f'model = "model.dve"\nstates = {DIGITS}\n')
    assert main(["test", "."]) == 2
    assert "not TOML: Exceeds the limit" in capsys.readouterr().out


@pytest.mark.parametrize("name", ["trace.json", "trace.itf.json"])
def test_traces(folder: Path, capsys: pytest.CaptureFixture[str], name: str) -> None:
    (folder / name).write_text(f'{{"format": "strandline-trace", "format_version": {DIGITS}}}')
    assert name in refused(capsys, "trace", name, "--model", "model.dve")


def test_a_change_outside_of_an_array(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "array.dve").write_text(
        "byte a[2]; process P { state s; init s; trans s -> s { effect a[0] = 1; }; } system async;"
    )
    assert main(["check", "array.dve", "--reach", "a[0] == 1", "--trace", "trace.json", "--quiet"]) == 0
    for index in ("2", DIGITS):
        text = (folder / "trace.json").read_text()
        (folder / "changed.json").write_text(text.replace("a[0]", f"a[{index}]"))
        assert "a[" in refused(capsys, "trace", "changed.json", "--model", "array.dve")
