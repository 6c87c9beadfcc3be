"""`strandline spin`: what command lines of SPIN become."""

from __future__ import annotations

from pathlib import Path

import pytest

from strandline.cli.main import main
from strandline.cli.spin import translate
from strandline.errors import UsageError

MODEL = Path(__file__).parents[2] / "examples" / "promela-lost-wakeup" / "wakeup.pml"


@pytest.mark.parametrize(
    ("given", "translated"),
    [
        ("-run m.pml", "check m.pml"),
        ("-a -o1 -o2 -o3 m.pml", "check m.pml"),
        ("-search -ltl live -f -DNOREDUCE -m20000 -w24 m.pml", "check m.pml --property live --fair"),
        ("-run -a -N live -DN=4 -DFAST -O2 m.pml", "check m.pml --property live -D N=4 -D FAST=1"),
        ("-run -DNP -l -E -n m.promela", "check m.promela --non-progress --no-deadlock"),
        ("-run -DBITSTATE -DMEMLIM=2000 -c0 m.prom", "check m.prom --store bitstate --memory 2000M"),
    ],
)
def test_translations(given: str, translated: str) -> None:
    assert translate(given.split()) == translated.split()


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("-run", "needs one model"),
        ("-run a.pml b.pml", "needs one model"),
        ("-t m.pml", "-t: trails of SPIN are not read"),
        ("-run -A m.pml", "-A: assertions are always checked"),
        ("-run m.pml -N", "-N needs the name of a claim"),
        ("-run -zap m.pml", "the flag '-zap' of SPIN has no counterpart"),
    ],
)
def test_refusals(given: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        translate(given.split())


def test_the_check_is_printed_and_run(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["spin", "-run", "-m10000", str(MODEL)]) == 11
    shown = capfd.readouterr()
    assert f"strandline check {MODEL}" in shown.err
    assert shown.out.startswith("VIOLATED  wakeup")
    assert main(["spin", "-run", "-DFIXED", str(MODEL)]) == 0


def test_help_and_mistakes(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["spin", "--help"]) == 0
    assert main(["spin", "-zap", str(MODEL)]) == 2
    assert "strandline spin: the flag '-zap' of SPIN has no counterpart" in capfd.readouterr().err
