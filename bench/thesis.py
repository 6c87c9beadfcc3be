"""Table 8.1 of the sweep-line thesis (000 §8.3): all 14 rows, by its command, from models and from dumped state spaces.

    python bench/thesis.py [--command COMMAND] [--folder DIR] [--repeat N]

The protocol is `examples/thesis-stop-and-wait`, 6 packets, at most 3 messages under way. Of each row the model is
checked twice by `strandline sweepline`: as a Python model, and as the `.ss` file that `strandline graph` makes of it.
The run fails where a trace is triggered that is not expected, or the other way round. "Trace" for EF means that the
formula holds. Listing 8.4 is titled "one sequence number higher" and tests `send - 2 >= receive`: what it tests is
taken.
The linear property is about the last packet, 6, and its acknowledgement, which asks for number 7: that of an earlier
one is superseded when later packets have come, since an acknowledgement says what is wanted next.

Seconds are those that the processor works for the whole command on the `.ss` file, the least of several runs, and in
the last column those behind start-up: less what the same command takes for a state space of one state.

Behind the table: a variant of the protocol that begins again when all is done, in which every acceptance cycle spans
several layers, which the thesis could not produce; and all cycles of its largest row, which took it twenty minutes.
"""

from __future__ import annotations

import argparse
import re
import resource
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from _common import MeasuringFailed, add_command_option

ROOT = Path(__file__).resolve().parent.parent
MODEL = ROOT / "examples" / "thesis-stop-and-wait" / "stop_and_wait.py"
FORMULAS = {"EF-p.txt": "EF p\n", "AGEF-p.txt": "AGEF p\n"}
AUTOMATA = {
    "pPred.txt": "0\n1\n0 true 0 p 1\n1 true 1\n",
    "ApImpEqComplement.txt": "0\n1\n0 true 0 p!q 1\n1 !q 1\n",
    "notAlwaysInTheEnd.txt": "0\n1\n0 true 0 !p 1\n1 true 0 !p 1\n",
}
ONE_STATE = "one.ss"
ALL_RECEIVED = "m.next_receive == m.packets + 1"
TWO_AHEAD = "m.next_send - 2 >= m.next_receive"
PACKET_SENT, ACK_SENT = "any(one == 6 for one in m.sent)", "any(one == 7 for one in m.returning)"


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table: parameters that differ from the defaults, what p and q are, and how it is checked."""

    name: str
    file: str
    expected: bool
    p: str
    q: str = "False"
    parameters: Mapping[str, bool] = ()  # type: ignore[assignment]

    @property
    def head(self) -> tuple[str, str, str]:
        """What is known of it before it is run."""
        parameters = ", ".join(f"{name}={value}" for name, value in self.parameters.items()) or "as they are"
        return self.name, self.file, parameters

    @property
    def flags(self) -> list[str]:
        kind = "-f" if self.file in FORMULAS else "-a"
        logic = {"EF-p.txt": "-s", "pPred.txt": "-s", "AGEF-p.txt": "-c"}.get(self.file, "-l")
        return [logic, kind, self.file]


_ANY = {"keep_maximum": False}
_LINEAR = ("ApImpEqComplement.txt", PACKET_SENT, ACK_SENT)


def _linear(name: str, expected: bool, parameters: Mapping[str, bool]) -> Row:
    file, p, q = _LINEAR
    return Row(name, file, expected, p, q, parameters)


ROWS = (
    Row("EFallreceived-true.ss", "EF-p.txt", True, ALL_RECEIVED, parameters={}),
    Row("EFallreceived-true-nm.ss", "EF-p.txt", True, ALL_RECEIVED, parameters=_ANY),
    Row("EFtwoahead-false.ss", "EF-p.txt", False, TWO_AHEAD, parameters={}),
    Row("EFtwoahead-false-nm.ss", "EF-p.txt", False, TWO_AHEAD, parameters=_ANY),
    Row("AGEFallreceived-false.ss", "AGEF-p.txt", True, ALL_RECEIVED, parameters={"acknowledge_all": False}),
    Row("AGEFallreceived-true.ss", "AGEF-p.txt", False, ALL_RECEIVED, parameters={}),
    Row("EFallreceived-true.ss", "pPred.txt", True, ALL_RECEIVED, parameters={}),
    Row("EFallreceived-true-nm.ss", "pPred.txt", True, ALL_RECEIVED, parameters=_ANY),
    Row("EFtwoahead-false.ss", "pPred.txt", False, TWO_AHEAD, parameters={}),
    Row("EFtwoahead-false-nm.ss", "pPred.txt", False, TWO_AHEAD, parameters=_ANY),
    _linear("AsendimpEtransmit-false.ss", True, {}),
    _linear("AsendimpEtransmit-false-nm.ss", True, _ANY),
    _linear("AsendimpEtransmit-true.ss", False, {"loss": False}),
    _linear("AsendimpEtransmit-true-nm.ss", False, {"loss": False, **_ANY}),
)
SEVERAL_LAYERS = Row(
    "begins again", "notAlwaysInTheEnd.txt", True, ALL_RECEIVED, parameters={"loss": False, "repeat": True}
)


def model_text(row: Row) -> str:
    """The example with the row's parameters as defaults and its propositions as labels."""
    text = MODEL.read_text(encoding="utf-8")
    for name, value in row.parameters.items():
        text, found = re.subn(rf"^(    {name} = param)\(\w+\)", rf"\1({value})", text, flags=re.MULTILINE)
        if found != 1:
            raise MeasuringFailed(f"{MODEL} has no parameter {name}")
    for name, body in (("p", row.p), ("q", row.q)):
        text += f"\n    @label\n    def {name}(m):\n        return {body}\n"
    return text


def _worked() -> float:
    """Seconds that the processor has worked for commands that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


class Bench:
    """Runs the commands in a folder of their own."""

    def __init__(self, command: list[str], folder: Path, repeat: int) -> None:
        self.command, self.folder, self.repeat = command, folder, repeat
        self._starting: dict[tuple[str, ...], float] = {}
        for name, text in (FORMULAS | AUTOMATA | {ONE_STATE: "1 1 2 !p !q * 1\n"}).items():
            (folder / name).write_text(text, encoding="utf-8")

    def run(self, *arguments: str) -> tuple[subprocess.CompletedProcess[str], float]:
        began = _worked()
        done = subprocess.run([*self.command, *arguments], cwd=self.folder, capture_output=True, text=True, check=False)
        if done.returncode not in (0, 12, 13):
            raise MeasuringFailed(f"{' '.join(arguments)}: exit code {done.returncode}\n{done.stderr}")
        return done, _worked() - began

    def model(self, row: Row) -> str:
        name = f"{Path(row.name).stem.replace('-', '_').replace(' ', '_')}.py"
        (self.folder / name).write_text(model_text(row), encoding="utf-8")
        return name

    def space(self, row: Row) -> tuple[str, int]:
        """The dumped state space of a row, and how many states it has."""
        name = f"{Path(self.model(row)).stem}.ss"
        self.run("graph", self.model(row), "--output", name)
        with (self.folder / name).open(encoding="utf-8") as lines:
            return name, sum(1 for _ in lines)

    def triggered(self, row: Row, model: str) -> str:
        """The trace that is triggered; empty where none is."""
        trace = self.folder / "trace.txt"
        self.run("sweepline", "-m", model, *row.flags)
        return trace.read_text(encoding="utf-8") if trace.exists() else ""

    def seconds(self, *arguments: str) -> float:
        """What a command takes, the least of some runs, of which the first may have to compile the engine."""
        self.run("sweepline", *arguments)
        return min(self.run("sweepline", *arguments)[1] for _ in range(self.repeat))

    def timed(self, space: str, *flags: str) -> tuple[float, float]:
        """Seconds of the whole command, and of what lies behind start-up."""
        if flags not in self._starting:
            self._starting[flags] = self.seconds("-m", ONE_STATE, *flags)
        whole = self.seconds("-m", space, *flags)
        return whole, whole - self._starting[flags]

    def row(self, row: Row) -> tuple[list[str], bool]:
        """The cells of a line behind the first three, and whether both ways answer what is expected."""
        space, states = self.space(row)
        direct, dumped = bool(self.triggered(row, self.model(row))), bool(self.triggered(row, space))
        whole, behind = self.timed(space, *row.flags)
        words = ["no", "yes"]
        cells = [f"{states:,}", words[row.expected], words[direct], words[dumped], f"{whole:.2f}", f"{behind:.2f}"]
        return cells, direct is dumped is row.expected


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, help="keep all files here")
    parser.add_argument("--repeat", type=int, default=3, metavar="N", help="runs that are timed (default 3)")
    add_command_option(parser)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = (options.folder or Path(scratch)).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        return _measured(Bench(options.command, folder, options.repeat))


def _print_line(cells: Sequence[str]) -> None:
    """A line of the table, at once."""
    widths = [max(map(len, column)) for column in zip(*(row.head for row in ROWS), strict=True)]
    first = (f"{cell:<{width}}" for cell, width in zip(cells, widths, strict=False))
    print("  ".join([*first, *(f"{cell:>8}" for cell in cells[len(widths) :])]), flush=True)


def _measured(bench: Bench) -> int:
    wrong = 0
    titles = ["model", "formula or automaton", "parameters", "states", "expected", "model", ".ss", "seconds", "behind"]
    _print_line(titles)
    for row in ROWS:
        cells, right = bench.row(row)
        _print_line([*row.head, *cells])
        wrong += not right
    space, _ = bench.space(SEVERAL_LAYERS)
    trace = bench.triggered(SEVERAL_LAYERS, space)
    whole, behind = bench.timed(space, *SEVERAL_LAYERS.flags)
    print(f"\na cycle over several layers: {'found' if trace else 'NOT FOUND'} in {whole:.2f} s, {behind:.2f} behind")
    print(f"  its cycle has {trace.count(' -> ') - 2} steps")
    largest = ROWS[11]
    space, _ = bench.space(largest)
    done, _ = bench.run("sweepline", "-m", space, *largest.flags, "--all-cycles")
    whole, behind = bench.timed(space, *largest.flags, "--all-cycles")
    found = done.stdout.splitlines()[-1]
    print(f"all cycles of {largest.name}: {found} in {whole:.2f} s, {behind:.2f} behind start-up")
    print(f"\n{wrong} of {len(ROWS)} rows are not as expected")
    return 1 if wrong or not trace else 0


if __name__ == "__main__":
    sys.exit(main())
