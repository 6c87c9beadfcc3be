"""SPIN and Strandline on LTL: the same never claim, the same product, nested depth-first search by both.

The claim that SPIN gets is written by Strandline from the automaton that it searches with itself; the run fails when
the numbers of product states differ. Weak fairness is compared on a mutual exclusion with busy waiting, by verdicts.
"""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import _spin
from _common import MeasuringFailed, run_strandline
from models import CLAIMS, Pair

_BUILD = tuple(flag for flag in _spin.COMPILE if flag != "-DSAFETY")
_BUILD_FAIR = tuple(flag for flag in _BUILD if flag != "-DNOFAIR")


@dataclass(frozen=True, slots=True)
class LtlComparison:
    """The best runs on one claim."""

    title: str
    formula: str
    product_states: int
    spin_seconds: float
    spin_visited: int
    our_seconds: float
    our_visited: int

    @property
    def ratio(self) -> float:
        """Our product states a second over SPIN's."""
        return self.spin_seconds / self.our_seconds


def never_claim(command: Sequence[str], formula: str) -> str:
    """The claim for the negation of a formula."""
    answer = subprocess.run(
        [*command, "automaton", f"!({formula})", "--format", "never"], capture_output=True, text=True, check=True
    )
    return answer.stdout


def compare(pair: Pair, command: Sequence[str], repeat: int) -> LtlComparison:
    """Measure one claim, in turns; the best of each."""
    claim = CLAIMS[pair.name]
    defines = "".join(f"#define {name} ({text})\n" for name, text in claim.atoms.items())
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        model = folder / f"{pair.name}.dve"
        model.write_text(pair.dve)
        _build(defines + pair.promela + never_claim(command, claim.formula), folder, _BUILD)
        bits = max((2 * pair.states).bit_length(), 18)
        spin = [_search(folder, ["-a", "-E", f"-w{bits}"]) for _ in range(repeat)]
        ours = []
        for _ in range(repeat):
            run = run_strandline(command, ["check", str(model), "--ltl", claim.text, "--method", "ndfs"])
            if run.failure is not None or run.report["verdict"] != "HOLDS":
                raise MeasuringFailed(f"strandline on {pair.name}: {run.failure or run.report['verdict']}")
            ours.append(run.report["properties"][0]["search"])
    states, visited, errors = (int(_spin.figure(spin[0], pattern)) for pattern in _FIGURES)
    if errors or ours[0]["product_states"] != states:
        raise MeasuringFailed(
            f"{pair.name}: SPIN stores {states} product states with {errors} errors, "
            f"Strandline {ours[0]['product_states']}"
        )
    return LtlComparison(
        title=pair.title,
        formula=claim.text,
        product_states=states,
        spin_seconds=min(max(_spin.figure(text, r"elapsed time ([\d.e+]+) seconds"), 0.01) for text in spin),
        spin_visited=visited,
        our_seconds=max(min(float(one["seconds"]) for one in ours), 1e-6),
        our_visited=int(ours[0]["visited"]),
    )


_FIGURES = (r"(\d+) states, stored", r"states, stored \(([\d.e+]+) visited\)", r"errors: (\d+)")


def _build(promela: str, folder: Path, compile_command: Sequence[str]) -> None:
    (folder / "model.pml").write_text(promela)
    for command in (["spin", "-o1", "-o2", "-o3", "-a", "model.pml"], list(compile_command)):
        answer = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        if answer.returncode != 0:
            raise MeasuringFailed(f"{' '.join(command)} failed:\n{(answer.stdout + answer.stderr).strip()}")


def _search(folder: Path, options: Sequence[str]) -> str:
    answer = subprocess.run(
        ["./pan", f"-m{_spin.DEPTH}", "-n", *options], cwd=folder, capture_output=True, text=True, check=False
    )
    for trouble in ("max search depth too small", "out of memory", "Search not completed"):
        if trouble in answer.stdout + answer.stderr and "errors: 0" in answer.stdout:
            raise MeasuringFailed(f"SPIN's search is not complete: {trouble}")
    return answer.stdout


# --- fairness -----------------------------------------------------------------------------------------------------

_BUSY_PROMELA = """\
bool flag[2];
byte turn, at[2];
active [2] proctype P()
{
    do
    :: at[_pid] = 1; flag[_pid] = true; turn = 1 - _pid;
       do
       :: d_step { flag[1 - _pid] && turn != _pid -> at[_pid] = 1 }
       :: d_step { !flag[1 - _pid] || turn == _pid -> at[_pid] = 2 }; break
       od;
       atomic { at[_pid] = 0; flag[_pid] = false }
    od
}
"""

_BUSY_PROCESS = """
process P_{i} {{
  state idle, raise, yield, wait, critical;
  init idle;
  trans
    idle -> raise {{ effect at[{i}] = 1; }},
    raise -> yield {{ effect flag[{i}] = 1; }},
    yield -> wait {{ effect turn = {other}; }},
    wait -> wait {{ guard flag[{other}] == 1 && turn != {i}; effect at[{i}] = 1; }},
    wait -> critical {{ guard flag[{other}] == 0 || turn == {i}; effect at[{i}] = 2; }},
    critical -> idle {{ effect at[{i}] = 0, flag[{i}] = 0; }};
}}
"""

_BUSY_DVE = (
    "byte flag[2];\nbyte turn;\nbyte at[2];\n"
    + "".join(_BUSY_PROCESS.format(i=i, other=1 - i) for i in range(2))
    + "system async;\n"
)

_FAIR_FORMULAS = {
    "G (p -> F q)": {"p": "at[0] == 1", "q": "at[0] == 2"},
    "G F q": {"q": "at[0] == 2"},
    "F G p": {"p": "at[0] != 2"},
}


@dataclass(frozen=True, slots=True)
class FairVerdict:
    """One formula with and without weak fairness: whether it holds, by SPIN and by Strandline."""

    formula: str
    fair: bool
    spin: bool
    ours: bool


def fair_verdicts(command: Sequence[str]) -> list[FairVerdict]:
    """Peterson's mutual exclusion with busy waiting: SPIN with and without -f beside --fair."""
    found = []
    for formula, atoms in _FAIR_FORMULAS.items():
        spelled = formula
        for name, text in atoms.items():
            spelled = spelled.replace(name, f"({text})")
        defines = "".join(f"#define {name} ({text})\n" for name, text in atoms.items())
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            model = folder / "busy.dve"
            model.write_text(_BUSY_DVE)
            _build(defines + _BUSY_PROMELA + never_claim(command, formula), folder, _BUILD_FAIR)
            for fair in (False, True):
                text = _search(folder, ["-a", "-E", *(["-f"] if fair else [])])
                run = run_strandline(command, ["check", str(model), "--ltl", spelled, *(["--fair"] if fair else [])])
                found.append(FairVerdict(spelled, fair, "errors: 0" in text, run.report.get("verdict") == "HOLDS"))
    return found
