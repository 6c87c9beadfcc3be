"""`strandline measures`: find measures of progress, try them, and rank them by what a sweep will cost."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from strandline.cli.console import Console, emit

if TYPE_CHECKING:
    from strandline.model.system import System
    from strandline.progress.finding import Trial


def configure(subparsers: Any) -> None:
    """Add the command to the parser."""
    parser = subparsers.add_parser(
        "measures",
        help="find measures of progress for a sweep",
        description="Find measures of progress from the model's control graphs, from variables that only grow and by "
        "projection, sweep by each for a while, and rank them by peak times visits. What the trial did not see "
        "to its end is a prediction.",
    )
    parser.add_argument("model", metavar="MODEL", help="a model file")
    parser.add_argument("--sample", metavar="N", type=int, default=200_000, help="states of a trial (default 200000)")
    parser.add_argument("--top", metavar="K", type=int, default=5, help="how many to show (default 5)")
    parser.add_argument("--json", action="store_true", help="print one JSON object, whatever happens")
    parser.add_argument("--quiet", action="store_true", help="no notices")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Run the command; 0 also when nothing was found."""
    console = Console(quiet=arguments.quiet)
    from strandline.languages import load
    from strandline.progress.finding import find_measures

    system = load(arguments.model)
    trials = find_measures(system, arguments.sample, console.stage)[: arguments.top]
    console.clear()
    emit(_json(system, trials) if arguments.json else _text(system, trials))
    return 0


def _json(system: System, trials: list[Trial]) -> str:
    from strandline.report.envelope import head, render

    return render(
        {
            **head("measures", 0),
            "model": system.name,
            "measures": [
                {
                    "measure": list(trial.candidate.texts),
                    "reason": trial.candidate.reason,
                    "exact": trial.exact,
                    "peak": trial.peak,
                    "visits": trial.visits,
                    "persistent": trial.persistent,
                    "regress_edges": trial.regress_edges,
                    "layers": trial.layers,
                }
                for trial in trials
            ],
        }
    )


def _text(system: System, trials: list[Trial]) -> str:
    if not trials:
        return f"{system.name}\n  no measure of progress was found"
    lines = [system.name]
    for number, trial in enumerate(trials, 1):
        least = "" if trial.exact else "at least "
        visits = trial.visits + (0.0 if trial.exact else trial.persistent_share)
        lines.append(
            f"\n{number:3}  peak {trial.peak:.1%} of the states, {least}{visits:.2f} visits a state"
            f"{'' if trial.exact else ' (predicted)'}"
        )
        lines.append(f"     {trial.candidate.reason}")
        lines.append(
            f"     {trial.layers} layers, {trial.regress_edges:,} regress edges, {trial.persistent:,} persistent"
        )
        lines += [f'     --measure "{text}"' for text in trial.candidate.texts]
    return "\n".join(lines)
