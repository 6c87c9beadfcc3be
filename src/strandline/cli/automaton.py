"""`strandline automaton`: show the Büchi automaton of an LTL formula, or compare it with one in a file."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from strandline.cli.console import emit
from strandline.report.exit_codes import HOLDS, SAFETY, UNKNOWN

if TYPE_CHECKING:
    from strandline.properties.automata.automaton import Automaton
    from strandline.properties.ltl.classify import Classes
    from strandline.properties.ltl.formula import Formula
    from strandline.source import Source

_FORMATS = ("text", "hoa", "never", "thesis", "dve", "dot", "svg")


def configure(subparsers: Any) -> None:
    """Add the command to the parser."""
    parser = subparsers.add_parser(
        "automaton",
        help="show the Büchi automaton of an LTL formula",
        description="Translate an LTL formula to a Büchi automaton and print or draw it. A model checker "
        "searches with the automaton of the negated property: use --negate to see that one. With --check, "
        f"compare with the automaton in a file; the exit code is {HOLDS} if both accept the same words, {SAFETY} if "
        f"they do not, {UNKNOWN} if that could not be decided.",
    )
    parser.add_argument("formula", help="an LTL formula, for example 'G (wait -> F cs)'")
    parser.add_argument("--format", choices=_FORMATS, default="text", help="output format (default: text)")
    parser.add_argument(
        "--method",
        choices=("default", "tableau"),
        default="default",
        help="the translation (default: the one that gives small automata)",
    )
    parser.add_argument(
        "--acceptance",
        choices=("state", "generalised"),
        default="state",
        help="accepting states, or sets of edges (default: state)",
    )
    parser.add_argument("--negate", action="store_true", help="translate the negation of the formula")
    parser.add_argument("--check", metavar="FILE", help="compare with the automaton in FILE, in any format")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print the automaton or the result of the comparison; return the exit code that `configure` describes."""
    from strandline.properties.ltl.formula import Operator, make
    from strandline.properties.ltl.parser import parse_ltl
    from strandline.properties.translation.translate import Acceptance, Method, translate

    formula = parse_ltl(arguments.formula).formula
    if arguments.negate:
        formula = make(Operator.NOT, formula)
    automaton = translate(formula, method=Method(arguments.method), acceptance=Acceptance(arguments.acceptance))
    if arguments.check is not None:
        return _check(formula, _source(arguments.check))
    emit(_render(formula, automaton, arguments.format).rstrip("\n"))
    return HOLDS


def _source(path: str) -> Source:
    from strandline.errors import UsageError
    from strandline.source import Source

    try:
        with open(path, encoding="utf-8") as file:
            return Source(path, file.read())
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"cannot read {path}: {error}") from None


def _render(formula: Formula, automaton: Automaton, format_: str) -> str:
    if format_ == "text":
        from strandline.report.automaton_text import automaton_text

        return automaton_text(automaton, formula, *_classify(formula))
    if format_ == "dot":
        from strandline.report.pictures.dot import graph_dot
        from strandline.report.pictures.sources import automaton_picture

        return graph_dot(automaton_picture(automaton, str(formula)))
    if format_ == "svg":
        from strandline.report.pictures.svg import automaton_svg

        return automaton_svg(automaton, str(formula))
    from strandline.properties.formats.reading import AutomatonFormat, write_automaton

    return write_automaton(automaton, AutomatonFormat(format_), name=str(formula))


def _classify(formula: Formula) -> tuple[Classes | None, bool | None]:
    """Return the classes of the formula, and True if it is stutter-invariant; None for both if they are too costly."""
    from strandline.errors import ResourceError
    from strandline.properties.translation.classification import exact_classes, is_stutter_invariant

    try:
        return exact_classes(formula), is_stutter_invariant(formula)
    except ResourceError:
        return None, None


def _check(formula: Formula, source: Source) -> int:
    """Compare the formula with the automaton in a file; return the exit code.

    Only the automaton of the file must be complemented: the negation of the formula is translated directly.
    """
    from strandline.errors import ResourceError
    from strandline.properties.automata.comparison import compare_with_formula
    from strandline.properties.formats.reading import read_automaton
    from strandline.properties.translation.translate import generalised_pair

    positive, negative = generalised_pair(formula)
    try:
        comparison = compare_with_formula(positive, negative, read_automaton(source).automaton)
    except ResourceError as error:
        emit(f"undecided: {error}")
        return UNKNOWN
    if comparison.only_left is None and comparison.only_right is None:
        emit(f"equal: {source.name} accepts exactly the words that satisfy {formula}")
        return HOLDS
    emit(f"different: {source.name} does not accept exactly the words that satisfy {formula}")
    if comparison.only_left is not None:
        emit(f"  satisfies the formula, not accepted by the file: {comparison.only_left}")
    if comparison.only_right is not None:
        emit(f"  accepted by the file, violates the formula: {comparison.only_right}")
    return SAFETY
