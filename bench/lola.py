"""A sweep over dining philosophers, beside what LoLA's sweep-line method does on them.

    python bench/lola.py [--philosophers N] [--sample STATES] [--max-seconds S]

LoLA was measured on its net of 12 philosophers: at the peak it stored 88 % of the states, and it computed 3.4 times as
many edges as there are. The model here is our own, in which a philosopher takes and puts down two forks one after the
other, in DVE and as a net in LoLA's format. Ours goes by the best measure that `strandline measures` finds and, on the
net, by the one from the incidence matrix, which is LoLA's (K. Schmidt, 2004). LoLA itself is not run. Exit code 1 where
a sweep counts other states than breadth-first search does.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from _common import MeasuringFailed, Run, add_command_option, print_table, run_strandline, warm_up
from models import dining

LOLA_PEAK, LOLA_EDGES = 0.88, 3.4
"""Most states stored at a time and edges computed, as fractions of the states and of the edges."""
LINEAR = "a sum of variables that independent steps increase by one"
"""How a measure from the incidence matrix is described."""


def explored(command: Sequence[str], model: Path, arguments: Sequence[str], max_seconds: float) -> Run:
    """A finished exploration."""
    run = run_strandline(command, ["explore", str(model), *arguments], max_seconds=max_seconds)
    if run.failure is not None or not run.report.get("complete"):
        raise MeasuringFailed(run.failure or str(run.report.get("reason")))
    return run


def found_measures(command: Sequence[str], model: Path, sample: int, max_seconds: float) -> list[dict[str, Any]]:
    """What `strandline measures` ranks when it looks at so many states, the best first."""
    run = run_strandline(command, ["measures", str(model), "--sample", str(sample)], max_seconds=max_seconds)
    if run.failure is not None or not run.report.get("measures"):
        raise MeasuringFailed(run.failure or "no measure was found")
    measures: list[dict[str, Any]] = run.report["measures"]
    return measures


def compare(command: Sequence[str], philosophers: int, sample: int | None, max_seconds: float) -> int:
    rows = [["LoLA's net (edges)", "from the incidence matrix", *_figures(LOLA_PEAK, LOLA_EDGES)]]
    counts = set()
    with TemporaryDirectory() as folder:
        for kind, text in (("dve", dining.dve(philosophers)), ("lola", dining.net(philosophers))):
            model = Path(folder) / f"dining-{philosophers}.{kind}"
            model.write_text(text)
            plain = explored(command, model, ["--order", "bfs"], max_seconds).report
            states, edges = plain["states"], plain["transitions"]
            counts.add((states, edges))
            measures = found_measures(command, model, sample or states + 1, max_seconds)
            linear = [one for one in measures if one["reason"] == LINEAR] if kind == "lola" else []
            for one in [*([] if measures[0] in linear else measures[:1]), *linear]:
                measure = [f"--measure={text}" for text in one["measure"]]
                swept = explored(command, model, ["--order", "sweep", *measure, "--count-distinct"], max_seconds).report
                counts.add((swept["states"], swept["transitions"]))
                why = "from the incidence matrix" if one in linear else one["reason"]
                figures = _figures(swept["peak_states"] / states, swept["visited"] / states)
                rows.append([f"ours, {'a net' if kind == 'lola' else 'DVE'} (states)", why, *figures])
    print(f"{philosophers} philosophers: {states:,} states, {edges:,} edges")
    print_table(["", "measure", "peak stored", "visited", "product"], rows)
    if len(counts) > 1:
        print(f"states and edges differ: {', '.join(map(str, sorted(counts)))}")
        return 1
    return 0


def _figures(peak: float, visits: float) -> list[str]:
    return [f"{peak:.0%}", f"{visits:.2f}", f"{peak * visits:.2f}"]


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--philosophers", type=int, default=12, help="how many sit at the table (default 12)")
    parser.add_argument("--sample", type=int, help="states by which measures are looked for (default: all)")
    parser.add_argument("--max-seconds", type=float, default=600.0, help="limit of one run (default 600)")
    add_command_option(parser)
    return parser.parse_args(arguments)


def main(arguments: Sequence[str] | None = None) -> int:
    options = parse(arguments)
    try:
        warm_up(options.command)
        return compare(options.command, options.philosophers, options.sample, options.max_seconds)
    except MeasuringFailed as error:
        print(f"lola: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
