"""How fast a Python model is searched, against its reference that was written in DVE by hand.

    python bench/python_models.py [--packets 20] [--rounds 3]

Both are searched in turns in one process; the best round of each counts. Exits with 1 where the states differ or the
Python model is searched at less than four fifths of the reference's rate.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

import _environment  # noqa: F401
import strandline
from _common import ROOT, print_table

EXAMPLE = ROOT / "examples" / "python-stop-and-wait"
LEAST = 0.8


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--packets", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        reference = Path(folder) / "twin.dve"
        text = (EXAMPLE / "twin.dve").read_text()
        reference.write_text(text.replace("PACKETS = 6", f"PACKETS = {arguments.packets}"))
        models = {
            "Python": f"{EXAMPLE / 'stop_and_wait.py'}:StopAndWait(packets={arguments.packets})",
            "DVE": str(reference),
        }
        best: dict[str, tuple[float, int]] = {}
        for _ in range(arguments.rounds):
            for name, model in models.items():
                statistics = strandline.explore(model, threads=1).statistics
                states = statistics.states or 0
                rate = states / statistics.seconds
                best[name] = max(best.get(name, (0.0, states)), (rate, states))
    print_table(
        ["model", "states", "million states/s"],
        [(name, f"{states:,}", f"{rate / 1e6:.2f}") for name, (rate, states) in best.items()],
    )
    ratio = best["Python"][0] / best["DVE"][0]
    print(f"Python / DVE: {ratio:.2f} (at least {LEAST} is wanted)")
    return 0 if ratio >= LEAST and best["Python"][1] == best["DVE"][1] else 1


if __name__ == "__main__":
    sys.exit(main())
