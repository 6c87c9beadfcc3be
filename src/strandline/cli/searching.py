"""What the commands that search have in common: their options, and how they end."""

from __future__ import annotations

import argparse
import shlex
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from strandline.check.options import CACHE_RULES, ORDERS, Options, parse_size
from strandline.cli.console import Console, emit, may_colour
from strandline.errors import UsageError

if TYPE_CHECKING:
    from strandline.check.verdict import Exploration, Verdict

_UNEXPECTED = 5
_EXPECTATIONS = ("holds", "violated", "unknown")


def add_search_options(parser: argparse.ArgumentParser) -> None:
    """The model, and how to search it."""
    parser.add_argument("model", metavar="MODEL", help="a model file (.dve, .py, .psl, .aut)")
    search = parser.add_argument_group("search")
    search.add_argument(
        "--order",
        choices=ORDERS,
        help="bfs: breadth-first, shortest traces (default); dfs: depth-first; sweep: by a measure; cache: "
        "depth-first with a cache of bounded size",
    )
    search.add_argument(
        "--measure",
        metavar="EXPR",
        action="append",
        default=[],
        help="sweep by this expression; mono(EXPR) promises that it never decreases; repeat it to refine; "
        "auto: find one",
    )
    search.add_argument(
        "--componentwise",
        action="store_true",
        help="of several measures: a step that decreases any of them regresses, not only one that decreases their "
        "combination",
    )
    search.add_argument(
        "--cache-states", metavar="N", type=_count, help="states off the path that a search with a cache remembers"
    )
    search.add_argument(
        "--cache-rule", choices=CACHE_RULES, help="which cached state makes room for another (default random)"
    )
    search.add_argument(
        "--count-distinct",
        action="store_true",
        help="count distinct states exactly although states are forgotten, by means of disk",
    )
    search.add_argument("--work-dir", metavar="DIR", type=Path, help="where a run keeps its files")
    limits = parser.add_argument_group("limits; a limit that is reached makes the verdict unknown")
    limits.add_argument("--max-states", metavar="N", type=_count, help="states found")
    limits.add_argument("--max-seconds", metavar="S", type=float, help="seconds of compiling and searching")
    limits.add_argument(
        "--memory", metavar="SIZE", type=_size, help="memory of the process, such as 512M or 2G"
    )
    output = parser.add_argument_group("output")
    output.add_argument("--json", action="store_true", help="print one JSON object, whatever happens")
    output.add_argument(
        "--trace", metavar="FILE", type=Path, help="write the trace to a file (.json: as JSON, .itf.json: as ITF)"
    )
    output.add_argument("--full", action="store_true", help="show whole states along traces")
    output.add_argument("--quiet", action="store_true", help="only the verdict: no notices, no progress")
    output.add_argument(
        "--expect", choices=_EXPECTATIONS, help="exit with 0 if this is the verdict and with 5 if not"
    )


def options_of(arguments: argparse.Namespace) -> Options:
    """The search options that were given, checked."""
    return Options.create(
        order=arguments.order,
        measure=arguments.measure,
        componentwise=arguments.componentwise,
        cache_states=arguments.cache_states,
        cache_rule=arguments.cache_rule,
        max_states=arguments.max_states,
        max_seconds=arguments.max_seconds,
        memory=arguments.memory,
        count_distinct=arguments.count_distinct,
        work_dir=arguments.work_dir,
    )


def console_of(arguments: argparse.Namespace) -> Console:
    """The console of a command; first it tells of what killed runs have left behind."""
    from strandline.traces.workspace import left_over, size_of

    console = Console(quiet=arguments.quiet)
    folders = left_over(arguments.work_dir)
    if folders:
        from strandline.check.memory import shown_bytes

        whose = "a killed run" if len(folders) == 1 else f"{len(folders)} killed runs"
        size = shown_bytes(sum(map(size_of, folders)))
        names = " ".join(shlex.quote(str(folder)) for folder in folders)
        console.notice(f"left over from {whose} ({size}); remove with: rm -r {names}")
    return console


def finish(arguments: argparse.Namespace, console: Console, result: Exploration | Verdict) -> int:
    """Print the result, write the trace, and return the exit code."""
    from strandline.report.codes import exit_code
    from strandline.report.traces import write_trace

    console.clear()
    code = _expected(arguments, console, result, exit_code(result))
    if arguments.trace is not None:
        if result.trace is None:
            console.notice(f"there is no trace: {arguments.trace} is not written")
        else:
            write_trace(arguments.trace, result.trace, result.system, full=arguments.full)
    emit(_rendered(arguments, result, code))
    return code


def _rendered(arguments: argparse.Namespace, result: Exploration | Verdict, code: int) -> str:
    if arguments.json:
        from strandline.report.data import result_data
        from strandline.report.envelope import render

        return render(result_data(result, code))
    from strandline.check.verdict import Verdict
    from strandline.report.style import Style
    from strandline.report.text import exploration_text, verdict_text

    style = Style(may_colour(sys.stdout))
    if isinstance(result, Verdict):
        return verdict_text(result, style, full=arguments.full)
    chart = shutil.get_terminal_size().columns if arguments.profile else None
    return exploration_text(result, style, full=arguments.full, chart=chart)


def _expected(
    arguments: argparse.Namespace, console: Console, result: Exploration | Verdict, code: int
) -> int:
    """What `--expect` makes of an exit code. Errors never come here, and an interruption is no verdict."""
    from strandline.report.codes import INTERRUPTED

    if arguments.expect is None or code == INTERRUPTED:
        return code
    if result.answer.value.lower() == arguments.expect:
        return 0
    console.notice(f"expected {arguments.expect}, but the verdict is {result.answer.value.lower()}")
    return _UNEXPECTED


def _count(text: str) -> int:
    """A number of states; `1_000_000`, `1e6`, `20M` are welcome."""
    units = {"K": 1_000, "M": 1_000_000, "G": 1_000_000_000}
    try:
        if text[-1:].upper() in units:
            return int(float(text[:-1]) * units[text[-1].upper()])
        return int(float(text)) if "e" in text.lower() else int(text)
    except (ValueError, OverflowError):
        raise argparse.ArgumentTypeError(f"'{text}' is not a number of states") from None


def _size(text: str) -> int:
    try:
        return parse_size(text)
    except UsageError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
