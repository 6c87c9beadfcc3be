"""`check --formulas FILE` and `check --question NAME`: the Model Checking Contest's questions, one answer per line."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from strandline.checker.options.claims import Claims
from strandline.cli.console import Console, emit
from strandline.errors import Option, UsageError

if TYPE_CHECKING:
    from strandline.checker.contest.answers import Answered
    from strandline.checker.options.search import Options
    from strandline.checker.options.temporal import TemporalOptions
    from strandline.model.system import System


def add_asking(parser: argparse.ArgumentParser) -> None:
    """Add the options for files of formulas and for named questions to a parser."""
    group = parser.add_argument_group("formulas and questions; one line per answer")
    group.add_argument(
        "--formulas", metavar="FILE", type=Path, action="append", default=[],
        help="a file of formulas in the format of the Model Checking Contest",
    )  # fmt: skip
    group.add_argument(
        "--question", metavar="NAME", action="append", default=[],
        help="deadlock, one-safe, quasi-liveness, stable-marking, liveness, state-space or upper-bound(PLACE, ...)",
    )  # fmt: skip


def is_asked(arguments: argparse.Namespace, claims: Claims) -> bool:
    """Return True if there is a file of formulas or a named question in the arguments.

    Raises `UsageError` if there are claims too, or an output file that only claims have.
    """
    asked = bool(arguments.formulas or arguments.question)
    if asked and claims != Claims():
        raise UsageError(
            "{} and {} cannot be combined with other properties",
            options=[Option("formulas"), Option("question")],
        )
    files = [name for name in ("trace", "report", "sarif") if getattr(arguments, name) is not None]
    if asked and files:
        options = [Option(files[0], "FILE"), Option("formulas"), Option("question")]
        raise UsageError("{} has no effect on {} and {}", options=options)
    return asked


def answer(
    arguments: argparse.Namespace, system: System, options: Options, temporal: TemporalOptions, console: Console
) -> int:
    """Print the answers as they are found; return 0 if every question was answered."""
    from strandline.report.answers import answer_text, answers_code, answers_data
    from strandline.report.envelope import render

    ids, answers = _answers(arguments, system, options, temporal, console)
    width = max(map(len, ids), default=0)
    found = []
    for one in answers:
        found.append(one)
        console.clear()
        if not arguments.json:
            emit(answer_text(one, width))
    code = answers_code(found)
    if arguments.json:
        emit(render(answers_data(arguments.model, found, code)))
    return code


def _answers(
    arguments: argparse.Namespace, system: System, options: Options, temporal: TemporalOptions, console: Console
) -> tuple[list[str], Iterator[Answered]]:
    """Return the names of the questions, and an iterator that finds the answers in the same order.

    All files are read before the first answer is computed.
    """
    from strandline.checker.contest.answers import decide_formulas, decide_widening, session_of
    from strandline.checker.contest.questions import decide_question
    from strandline.checker.contest.reader import read_formulas
    from strandline.languages import read_text
    from strandline.source import Source

    session = session_of(options, console)
    sources = [Source(str(file), read_text(file)) for file in arguments.formulas]
    ids = [one.id for source in sources for one in read_formulas(source, system)] + list(arguments.question)

    def of_file(source: Source, one: System) -> Iterator[Answered]:
        return decide_formulas(one, read_formulas(source, one), options, temporal, session)

    def of_question(name: str, one: System) -> Iterator[Answered]:
        return decide_question(name, one, options, temporal, session)

    formulas = [decide_widening(system, partial(of_file, source)) for source in sources]
    questions = [decide_widening(system, partial(of_question, name)) for name in arguments.question]
    return ids, chain(*formulas, *questions)
